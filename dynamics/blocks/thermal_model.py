"""A thermal model of a flexible body's sections: computes the inputs of a plant's thermal port from the light that the plant outputs.

Each section is a few nodes: layers of a plate from its −z face to its +z face, or points around a thin tube from +y toward +z. For a section's
temperatures T (n,), with neighbours T₋ and T₊ along the body,

    C Ṫ = −G T + E (T₋ − 2T + T₊) + Σ_faces A [α (q_sun + q_albedo) + ε (q_infrared − σ(T⁴ − T_s⁴))]

    q_sun = max(n·s, 0),  q_albedo, q_infrared = view factor · what the planet's surface sends        s: sunlight as a vector [W/m²]

so the two kinds differ only in arrays (table KINDS). Nodes on the faces have half cells: second order in the spacing.
Radiation inside a tube is neglected. All absorbed heat is stored or radiated: Σ C Ṫ = absorbed − radiated.
Source: E. A. Thornton, Thermal Structures for Aerospace Applications (1996), chapters 3 and 9. Proved by tests/thermal/test_model.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..algebra.scalar import maximum
from ..bodies.thermal import ROOM
from ..environment.planet_light import view_of_sphere
from ..system.pieces import Declared, input_, output, parameter, state
from ..system.signals import SMALLEST, Parameter, Terminal
from .partner import Partner, described

SECTIONS = Terminal("thermal_sections", "sections")
STEFAN_BOLTZMANN = 5.670374419e-8  # [W/(m² K⁴)], CODATA 2018


class Section(NamedTuple):
    """One section of n nodes and m faces that radiate."""

    capacity: Any  # C (n,) [J/K]
    conduction: Any  # G (n, n) [W/K]
    along: Any  # E (n,) to the next section along the body [W/K]
    across: Any  # the same across it
    node: list[int]  # (m,) of each face
    normal: np.ndarray  # (m, 3), in section axes
    area: Any  # (m,) [m²]
    absorptivity: Any  # α (m,)
    emissivity: Any  # ε (m,)


def _layers(model: ThermalModel, k) -> Section:
    """Nodes through the thickness, at z = −h/2 … h/2."""
    n, h, area = model.nodes, k[model.thickness], k[model.length] * k[model.width]
    cell = _cells(n)
    through = k[model.conductivity] * area * (n - 1) / h
    sheet = k[model.conductivity_along] * h * cell
    return Section(
        k[model.density] * k[model.specific_heat] * area * h * cell,
        through * _chain(n),
        sheet * k[model.width] / k[model.length],
        sheet * k[model.length] / k[model.width],
        [0, n - 1],
        np.array([[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]]),
        np.array([area, area]),
        np.array([k[model.absorptivity_back or model.absorptivity], k[model.absorptivity]]),
        np.array([k[model.emissivity_back or model.emissivity], k[model.emissivity]]),
    )


def _ring(model: ThermalModel, k) -> Section:
    """Nodes around a thin tube, at φ = 0 (+y) … 2π via +z."""
    n, r, wall = model.nodes, k[model.radius], k[model.thickness]
    ones, step = np.ones(n), 2.0 * np.pi / n
    arc = r * step
    around = k[model.conductivity] * wall * k[model.length] / arc
    return Section(
        k[model.density] * k[model.specific_heat] * wall * arc * k[model.length] * ones,
        around * (2.0 * np.eye(n) - np.roll(np.eye(n), 1, axis=0) - np.roll(np.eye(n), -1, axis=0)),
        k[model.conductivity_along] * wall * arc / k[model.length] * ones,
        0.0 * ones,
        list(range(n)),
        np.column_stack([0.0 * ones, np.cos(_angles(n)), np.sin(_angles(n))]),
        arc * k[model.length] * ones,
        k[model.absorptivity] * ones,
        k[model.emissivity] * ones,
    )


def _cells(n: int):
    """Fractions (n,) of the thickness per node, from face to face: half cells at the faces."""
    return np.array([0.5, *[1.0] * (n - 2), 0.5]) / (n - 1)


def _chain(n: int):
    """Laplacian (n, n) of nodes in a row."""
    links = np.eye(n)[1:] - np.eye(n)[:-1]
    return links.T @ links


def _angles(n: int):
    return 2.0 * np.pi * np.arange(n) / n


def _layer_differences(n: int) -> dict[str, np.ndarray]:
    """ΔT = (12/h²)∫T z dz for temperatures linear between nodes: weights (n,)."""
    z = np.linspace(-0.5, 0.5, n)
    step = 1.0 / (n - 1)
    inner = step * z  # ∫ hat z dz = step · z inside
    at_faces = step * (0.5 * z + np.sign(z) * -step / 6.0)
    return {"z": 12.0 * np.where(np.abs(z) < 0.5, inner, at_faces)}


def _ring_differences(n: int) -> dict[str, np.ndarray]:
    """ΔT = (2/π)∫T cos φ dφ: the diametral one of T̄ + T' cos φ."""
    return {"y": 4.0 / n * np.cos(_angles(n)), "z": 4.0 / n * np.sin(_angles(n))}


class SectionKind(NamedTuple):
    """Arrays of a section; weights (n,) of temperature differences by axis and of the mean; fewest nodes; its size beside the length."""

    section: Callable
    differences: Callable
    mean: Callable
    fewest: int
    size: str


KINDS = {
    "plate": SectionKind(_layers, _layer_differences, _cells, 2, "width"),
    "tube": SectionKind(_ring, _ring_differences, lambda n: np.full(n, 1.0 / n), 4, "radius"),
}


def _planet_starts(model: ThermalModel):
    return np.tile([0.0, 0.0, -1.0], (model.count, 1))


@dataclass(frozen=True, kw_only=True)
class ThermalModel(Partner):
    """Temperatures of the sections of a plate or a tube, from the light that a plant outputs (docs/descriptions/thermal.md). Lengths are those of one section."""

    # fmt: off
    required: ClassVar = ("shape", "nodes", "density", "specific_heat", "conductivity", "thickness", "length", "absorptivity", "emissivity")

    shape: str = described("plate or tube", "nodes through the thickness of a plate, or around a thin tube", "plate")
    sections: int | tuple[int, int] = described("counts", "number along the body; for a plate also [along, across]", 1)
    nodes: int = described("count", "number of nodes per section: from the -z face of a plate to its +z face (two or more), or around a tube (four or more)", 2)
    initial_temperature: float = described("positive", "of all nodes [K]", ROOM)
    density: Declared[Parameter] = parameter("density of the material", "kg/m3", min=SMALLEST)
    specific_heat: Declared[Parameter] = parameter("specific heat of the material", "J/(kg.K)", min=SMALLEST)
    conductivity: Declared[Parameter] = parameter("conductivity between the nodes of a section", "W/(m.K)", min=0.0)
    conductivity_along: Declared[Parameter] = parameter("conductivity along and across the body, between sections", "W/(m.K)", min=0.0)
    thickness: Declared[Parameter] = parameter("thickness of the plate, or of the tube's wall", "m", min=SMALLEST)
    length: Declared[Parameter] = parameter("length of a section, along the body", "m", min=SMALLEST)
    width: Declared[Parameter] = parameter("width of a section, across the body", "m", None, min=SMALLEST)
    radius: Declared[Parameter] = parameter("radius of the tube", "m", None, min=SMALLEST)
    absorptivity: Declared[Parameter] = parameter("share of light absorbed; for a plate, by its +z face", "1", min=0.0, max=1.0)
    emissivity: Declared[Parameter] = parameter("infrared emissivity; for a plate, of its +z face", "1", min=0.0, max=1.0)
    absorptivity_back: Declared[Parameter] = parameter("share of light absorbed by the -z face; default: as the other face", "1", None, min=0.0, max=1.0)
    emissivity_back: Declared[Parameter] = parameter("infrared emissivity of the -z face; default: as the other face", "1", None, min=0.0, max=1.0)
    sink_temperature: Declared[Parameter] = parameter("temperature of the surroundings to which the faces radiate", "K", 3.0, min=0.0)

    node_temperature = state("temperature of a node of section {{i}} (second index: node)", "K", lambda self: np.full((self.count, self.nodes), self.initial_temperature), nominal=300.0, derivative_unit="K/s", derivative_nominal=1.0)
    sunlight = input_("sunlight on section {{i}} as a vector toward the Sun, in section axes", "W/m2", lambda self: np.zeros((self.count, 3)), terminal=SECTIONS)
    planet_direction = input_("unit vector from section {{i}} to the planet, in section axes", "1", _planet_starts, terminal=SECTIONS)
    planet_sine = input_("sine of the planet's angular radius, seen from section {{i}}", "1", lambda self: np.full(self.count, 0.5), terminal=SECTIONS)
    planet_albedo = input_("sunlight scattered by the planet below section {{i}}, at its surface", "W/m2", lambda self: np.zeros(self.count), terminal=SECTIONS)
    planet_infrared = input_("infrared radiation of the planet below section {{i}}, at its surface", "W/m2", lambda self: np.zeros(self.count), terminal=SECTIONS)
    temperature = output("mean temperature of section {{i}}", "K", lambda self: np.full(self.count, self.initial_temperature), terminal=SECTIONS)
    temperature_difference_y = output("temperature difference of section {{i}} along y, positive if warmer at +y: the one that bends it", "K", lambda self: np.zeros(self.count), when=lambda self: "y" in self.weights, terminal=SECTIONS)
    temperature_difference_z = output("temperature difference of section {{i}} along z, positive if warmer at +z: the one that bends it", "K", lambda self: np.zeros(self.count), when=lambda self: "z" in self.weights, terminal=SECTIONS)
    absorbed = output("heat that all sections absorb", "W")
    radiated = output("net heat that all sections radiate to the sink", "W")
    heat = output("heat stored since 0 K", "J")
    # fmt: on

    @property
    def grid(self) -> tuple[int, int]:
        """Sections along and across."""
        return (self.sections, 1) if isinstance(self.sections, int) else (self.sections[0], self.sections[1])

    @property
    def count(self) -> int:
        return self.grid[0] * self.grid[1]

    @property
    def weights(self) -> dict[str, np.ndarray]:
        return KINDS[self.shape].differences(self.nodes)

    def objections(self) -> list[tuple[str, Any, str]]:
        kind = KINDS[self.shape]
        found: list[tuple[str, Any, str]] = []
        for key in ("width", "radius"):
            quantity = getattr(self, key)
            if quantity is None and key == kind.size:
                found.append((key, "missing", f"a number: a {self.shape} has one"))
            if quantity is not None and key != kind.size:
                found.append((key, quantity.start, f"nothing: a {self.shape} has none"))
        if self.nodes < kind.fewest:
            found.append(("nodes", self.nodes, f"at least {kind.fewest} nodes in a section of a {self.shape}"))
        if self.shape == "tube" and self.grid[1] > 1:
            found.append(("sections", self.sections, "one number: a tube has sections along it"))
        shares = (self.absorptivity, self.emissivity, self.absorptivity_back, self.emissivity_back)
        found += [
            (share.name, share.start, "at most 1: it is a share")
            for share in shares
            if share is not None and share.start > 1.0
        ]
        return found

    def heating(self, section: Section, T, now):
        """(absorbed, radiated), each (sections, m) [W]: of every face of every section."""
        faces, p = section.normal, now[self.planet_direction]
        view = view_of_sphere(p @ faces.T, now[self.planet_sine][:, None])
        scattered, infrared = view * now[self.planet_albedo][:, None], view * now[self.planet_infrared][:, None]
        sun = maximum(now[self.sunlight] @ faces.T, 0.0)
        hot, sink = T[:, section.node], now[self.sink_temperature]
        absorbed = section.area * (section.absorptivity * (sun + scattered) + section.emissivity * infrared)
        return absorbed, section.area * section.emissivity * STEFAN_BOLTZMANN * (hot**4 - sink**4)

    def balance(self, now):
        """The section's arrays, and the heat that its faces absorb and radiate."""
        section = KINDS[self.shape].section(self, now)
        return section, *self.heating(section, now[self.node_temperature], now)

    def rates(self, now):
        section, absorbed, radiated = self.balance(now)
        T = now[self.node_temperature]
        onto = np.eye(self.nodes)[section.node]  # (m, n): faces to their nodes
        grid = T.reshape(*self.grid, self.nodes)
        beside = _spread(grid, 0) * section.along + _spread(grid, 1) * section.across
        flow = (absorbed - radiated) @ onto - T @ section.conduction + beside.reshape(T.shape)
        return {"node_temperature": flow / section.capacity}

    def results(self, now):
        section, absorbed, radiated = self.balance(now)
        T = now[self.node_temperature]
        differences = {f"temperature_difference_{axis}": T @ weights for axis, weights in self.weights.items()}
        return {
            "temperature": T @ KINDS[self.shape].mean(self.nodes),
            **differences,
            "absorbed": absorbed.sum(),
            "radiated": radiated.sum(),
            "heat": (T * section.capacity).sum(),
        }


def _spread(grid, axis: int):
    """Temperature differences to the neighbours along an axis, summed; zero beyond the ends."""
    steps = np.diff(grid, axis=axis)
    none = np.zeros(grid.take([0], axis=axis).shape)
    return np.concatenate([steps, none], axis=axis) - np.concatenate([none, steps], axis=axis)
