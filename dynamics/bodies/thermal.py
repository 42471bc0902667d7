"""The thermal port of a flexible body: temperatures of its sections, as inputs that load its modes.

Bending keeps the strain energy ½∫EI (w'' − κ_T)² dx, with κ_T = −αΔT/h the free thermal curvature of a section whose face at +y (or +z) is warmer by ΔT than
the one at −y: it bends away from the warm side. So the load on the modes is f = ∫EI κ_T φ'' dx = K η_T, with η_T the
amplitudes of the shape of the body under the temperatures only. Mean temperatures T do the same to axial
modes, with the strain α(T − T₀); plates have moments D(1 + ν)αΔT/h in both directions. η_T follows from geometry only: it is fixed at build for
unit curvature (unit strain) of each section, and K follows the parameters. The work of this load is part of `system.work`.

ΔT is the equivalent linear difference, with the same bending moment as the temperatures T(z): ΔT = (12/h²)∫T z dz through a thickness h, which is the
difference of the faces for a linear profile; around a thin tube of diameter h, ΔT = (2/π)∫T cos φ dφ, which is diametral for T = T̄ + T' cos φ.
Source: B. A. Boley, J. H. Weiner, Theory of Thermal Stresses (1960), chapters 10 and 12. Proved by tests/thermal/test_port.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..system.pieces import Declared, Piece, parameter
from ..system.signals import SMALLEST, Parameter, Quantity

ROOM = 293.15  # [K]


@dataclass(frozen=True)
class Expansion(Piece):
    """Of the material: strain per kelvin."""

    name: str
    expansion: Declared[Parameter] = parameter("coefficient of thermal expansion of {self.name}", "1/K", name="thermal.expansion", tunable=True)  # fmt: skip


@dataclass(frozen=True)
class Difference(Piece):
    """Temperature differences of S sections between their faces at +axis and −axis, which bend the body.

    shapes (N, S): η_T of unit curvature in a section [1/m]; with an `expansion`. Without one: η_T per kelvin, of a given load.
    """

    name: str
    axis: str
    shapes: np.ndarray
    words = ("thermal", *(f"temperature_difference_{axis}" for axis in "xyz"))
    expansion: Expansion | None = None
    thickness: Declared[Parameter] = parameter(
        "thickness of {self.name} along its {self.axis} (of a tube: diameter)", "m", None,
        name="thermal.thickness_{self.axis}", min=SMALLEST, tunable=True,
    )  # fmt: skip

    @property
    def temperatures(self) -> Quantity:
        text = f"how much warmer the +{self.axis} face of section {{i}} of {self.name} is than the other (as it bends: 12/h² ∫T z dz)"
        return Quantity(
            f"{self.name}.temperature_difference_{self.axis}", text, "K", (0.0,) * self.shapes.shape[1], nominal=10.0
        )

    def inputs(self) -> list[Quantity]:
        return [self.temperatures]

    def laws(self, k: Any) -> list[tuple[str, Any]]:
        return [] if self.thickness is None else [(f"{self.thickness.name} must be positive", k[self.thickness])]

    def amplitudes(self, k: Any, u: Any) -> Any:
        """η_T (N,)."""
        given = self.shapes @ u[self.temperatures]
        return given if self.expansion is None else -k[self.expansion.expansion] / k[self.thickness] * given


@dataclass(frozen=True)
class Mean(Piece):
    """Mean temperatures of S sections, which stretch the body; shapes (N, S): η_T of unit strain, or without an `expansion` per kelvin."""

    name: str
    shapes: np.ndarray
    words = ("thermal", "temperature")
    expansion: Expansion | None = None
    reference: Declared[Parameter] = parameter("temperature at which {self.name} has its length", "K", ROOM, name="thermal.reference_temperature")  # fmt: skip

    @property
    def temperatures(self) -> Quantity:
        starts = (self.reference.start,) * self.shapes.shape[1]
        return Quantity(
            f"{self.name}.temperature", f"mean temperature of section {{i}} of {self.name}", "K", starts, nominal=300.0
        )

    def inputs(self) -> list[Quantity]:
        return [self.temperatures]

    def amplitudes(self, k: Any, u: Any) -> Any:
        """η_T (N,)."""
        given = self.shapes @ (u[self.temperatures] - k[self.reference])
        return given if self.expansion is None else k[self.expansion.expansion] * given


@dataclass(frozen=True)
class Thermal(Piece):
    """The port: differences and means, and the places of the sections for the light on them.

    sections: one Node per section, at its middle; axes (3, 3): of the sections in body axes, as columns x, y, z; faces: the axes along which light is output.
    """

    name: str
    terminal = "thermal_sections"
    terminal_name = "{self.name}.section"
    loads: tuple[Difference | Mean, ...]
    sections: tuple = ()
    axes: np.ndarray | None = None
    expansion: Expansion | None = None

    def parts(self) -> tuple[Piece, ...]:
        return (*(() if self.expansion is None else (self.expansion,)), *self.loads)

    @property
    def faces(self) -> tuple[str, ...]:
        return tuple(load.axis for load in self.loads if isinstance(load, Difference))

    def amplitudes(self, k: Any, u: Any) -> Any:
        """η_T (N,) of all temperatures."""
        return sum(load.amplitudes(k, u) for load in self.loads)
