"""The picture of a System: its bodies with their shapes, lines between them, and the places of everything at an instant.

One neutral form for everything that draws: the drawing in an FMU, the 3-D view, the report. `coordinates` are the quantities that define
an instant, whatever the System's states are; results have columns of these names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..system.signals import SignalTable
from .geometry import Shape


@dataclass(frozen=True)
class Vessel:
    """A tank whose liquid is seen. Names of its fill, and of propellant and capacity, which tell it where a result has no fill.

    axes (3, 3) in the body frame, two across and one up, and outline(fill) → (P, 2) along them, across and up, from the bottom to the middle of
    the surface: turned about the last axis it is the liquid, at a fill of 1 the tank.
    """

    fill: str
    propellant: str
    capacity: str
    axes: np.ndarray
    outline: Callable[[float], np.ndarray]


@dataclass(frozen=True)
class PicturedBody:
    """A body: its name, its parent's index (−1: space), its sort, and the uniform solid of equal mass and inertia, if it has mass.

    sort: "rigid", "flexible" or "wheel". bend(points (V, 3)) → how each mode moves points of the body frame, (N, V, 3) [m/m].
    points: (positions (P, 3), translations (N, P, 3)) of a finite-element body, else None. spin: a wheel's axis, size and speed's name.
    joined: places (J, 3) [m] in the body frame of the joints to its parent and its children. in_gimbal: a wheel that is drawn at its place.
    vessel: of a tank with a shape.
    """

    name: str
    parent: int
    sort: str
    modes: int
    solid: Shape | None
    bend: Callable[[np.ndarray], np.ndarray]
    points: tuple[np.ndarray, np.ndarray] | None = None
    spin: tuple[np.ndarray, float, str] | None = None
    joined: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    in_gimbal: bool = False
    vessel: Vessel | None = None


@dataclass(frozen=True)
class Line:
    """A line between two places: a cable (slack, if it is longer), a spring or a rod.

    Names of further quantities, "" if there is none: tension [N], length [m] of a cable, taut, and the beads' places.
    """

    name: str
    sort: str
    tension: str = ""
    length: str = ""
    taut: str = ""
    beads: str = ""


@dataclass(frozen=True)
class Jet:
    """A thruster: its body, the unit vector along which it pushes (body axes), and the name of its force [N]."""

    name: str
    body: int
    direction: np.ndarray
    force: str


@dataclass(frozen=True)
class Placed:
    """One instant, B bodies, L lines, J jets; places from the origin of the frame S, in its axes [m].

    positions (B, 3), dcms (B, 3, 3) from body axes to S, amplitudes of each body's modes, ends (L, 2, 3), nozzles (J, 3);
    dcm_NS (3, 3); origin (3,): of S from the planet's centre in N, None without a planet; sun (3,): direction in S, or None;
    elsewhere: the units ("chaser.") whose results are in another frame than S.
    """

    positions: np.ndarray
    dcms: np.ndarray
    amplitudes: tuple[np.ndarray, ...]
    ends: np.ndarray
    nozzles: np.ndarray
    dcm_NS: np.ndarray
    origin: np.ndarray | None
    sun: np.ndarray | None
    elsewhere: tuple[str, ...] = ()


@dataclass(frozen=True)
class Picture:
    """place(t, x, u, p) → Placed; x, u, p in the order of `coordinates`. planet: its radius [m], 0 without one.

    moved_by: names of the states that places follow from; the others are speeds and integrals. given: the motion is prescribed by an
    inverse problem.
    """

    bodies: tuple[PicturedBody, ...]
    lines: tuple[Line, ...]
    jets: tuple[Jet, ...]
    coordinates: SignalTable
    place: Callable[[float, Any, Any, Any], Placed]
    moved_by: tuple[str, ...]
    planet: float = 0.0
    shapes: tuple[Shape, ...] = ()
    given: bool = False


@dataclass(frozen=True)
class PictureOnce:
    """`About.picture`: the Picture, made on first use and kept. shapes: those of the description."""

    make: Callable[..., Picture]  # with keywords shapes and given, if a description adds them
    shapes: tuple[Shape, ...] = ()

    def __call__(self) -> Picture:
        return self._made

    def described(self, shapes: tuple[Shape, ...], given: bool) -> PictureOnce:
        """The same with the shapes of a description; given: the motion is prescribed by an inverse problem."""
        return PictureOnce(partial(self.make, shapes=shapes, given=given), shapes)

    @cached_property
    def _made(self) -> Picture:
        return self.make()
