"""Beams and plates with temperatures: loads of their sections on shapes, static shapes, and the port made of them.

A load F (N, n) has one column per section: the load of its unit curvature (or unit strain) on each shape, ∫EI φ'' dx over the section. Since the static shape
of a section has exactly this curvature, F is also the work between static shapes and all others, and no stiffness is integrated twice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .body import FlexibleBody, Node
from .thermal import ROOM, Difference, Expansion, Mean, Thermal


@dataclass(frozen=True)
class Heated:
    """The keys of a beam or a plate with temperatures. thickness: by axis, "y" and "z" [m]; sections along and across."""

    expansion: float  # [1/K]
    thickness: dict[str, float]
    sections: tuple[int, int] = (1, 1)
    static_shapes: bool = True
    reference: float = ROOM

    @property
    def bounds(self) -> np.ndarray:
        """x/L where sections begin and end."""
        return np.linspace(0.0, 1.0, self.sections[0] + 1)

    @property
    def middles(self) -> np.ndarray:
        """x/L of the middles of sections."""
        return 0.5 * (self.bounds[1:] + self.bounds[:-1])


class BeamModeShape(NamedTuple):
    """A mode of a beam: frequency [Hz] and s = x/L → φ (…, 3), ψ (…, 3)."""

    frequency: float
    at: Callable


# By kind of mode: w' or u, whose derivative is the curvature or strain, from (φ, ψ).
ALONG = {
    "bending_y": lambda phi, psi: psi[:, 2],
    "bending_z": lambda phi, psi: -psi[:, 1],
    "axial": lambda phi, psi: phi[:, 0],
}


def heated_kinds(heated: Heated, modes) -> list[str]:
    """The kinds of modes that temperatures load."""
    return [f"bending_{axis}" for axis in heated.thickness] + ["axial"] * ("axial" in modes)


def section_loads(shapes: list[BeamModeShape], kinds: list[str], beam, bounds) -> np.ndarray:
    """F (N, kinds × sections) [N m, or N of axial strain]: EI (w'(b) − w'(a)), EA (u(b) − u(a)) of the section from a to b."""
    columns = [getattr(beam, kind) * np.diff([ALONG[kind](*shape.at(bounds)) for shape in shapes]) for kind in kinds]
    return np.hstack(columns).reshape(len(shapes), -1)


def static_shapes_of_sections(kinds: list[str], length: float, bounds) -> list[BeamModeShape]:
    """Shapes of unit curvature [1/m] or unit strain of one section, straight before and behind it; without a frequency of their own."""
    return [BeamModeShape(np.nan, _of_one_section(kind, length, a, b)) for kind in kinds for a, b in pairwise(bounds)]


def _of_one_section(kind: str, length: float, a: float, b: float):
    def at(s):
        s = np.asarray(s, float)
        within, behind = np.clip(s, a, b) - a, np.maximum(s - b, 0.0)
        phi, psi = np.zeros((len(s), 3)), np.zeros((len(s), 3))
        if kind == "axial":
            phi[:, 0] = length * within
            return phi, psi
        sideways, about, sign = (1, 2, 1.0) if kind == "bending_y" else (2, 1, -1.0)
        phi[:, sideways] = length**2 * (0.5 * within**2 + (b - a) * behind)
        psi[:, about] = sign * length * within
        return phi, psi

    return at


def mixed(shapes: list[BeamModeShape], mixtures, square, grid) -> list[BeamModeShape]:
    """Sums of shapes with ω² `square`, scaled so that the largest value on the grid is 1."""

    def of(column):
        def at(s):
            parts = [shape.at(s) for shape in shapes]
            return tuple(sum(c * part[i] for c, part in zip(column, parts, strict=True)) for i in (0, 1))

        return at

    found = []
    for column, omega2 in zip(mixtures.T, square, strict=True):
        phi = of(column)(grid)[0]
        largest = phi.ravel()[np.argmax(np.abs(phi))]
        found.append(BeamModeShape(np.sqrt(omega2) / (2.0 * np.pi), of(column / largest)))
    return found


def port(body: FlexibleBody, heated: Heated, loads: dict[str, np.ndarray], sections: list[Node], axes) -> Thermal:
    """The port of loads by axis ("" of mean temperatures): η_T = F/(μΩ²), as K is diagonal."""
    expansion = Expansion(body.name, heated.expansion)
    stiffness = np.diag(body.integrals_at_build.modal_mass) * (2.0 * np.pi * body.frequencies) ** 2
    made: list[Difference | Mean] = []
    for axis, F in loads.items():
        shapes = F / stiffness[:, None]
        if axis:
            made.append(Difference(body.name, axis, shapes, expansion, heated.thickness[axis]))
        else:
            made.append(Mean(body.name, shapes, expansion, heated.reference))
    return Thermal(body.name, tuple(made), tuple(sections), axes, expansion)
