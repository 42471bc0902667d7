"""The position of a tank's liquid at each fill: settled flat towards the outlet, at rest, in closed form.

A shape gives `at(f)`, f = propellant/capacity: moments of the liquid per kilogram of capacity, about the tank's origin (its centre) in its axes:

    first  s(f) = ∫r dm, second Q(f) = ∫r rᵀ dm, and their slopes over f

The layer that leaves is the surface, so ds/df is the surface's centre (from where liquid is drawn) and dQ/df the mean of r rᵀ over the surface.
Proved by tests/tanks/test_fill.py against sums over points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..algebra.rotation import E3
from ..algebra.scalar import maximum, minimum, where
from ..system.formula import Curve

LEAST = 1e-12  # smallest distance of the fill from 0 and 1 at a curved end: the speed of the surface is unbounded as its area vanishes
# w(h)/√h of `ball_depth` by powers of √h, within 7e-6 for h up to a half (least squares at Chebyshev's points)
NEAR = (1.154706, 0.221469, 0.122706, -0.055165, 0.469130, -0.666714, 0.492989)


def ball_depth(h: Any):
    """w of h = w²(3 − w)/4, the part of a unit ball below a surface at a depth w up to 1: 1 − w = 2 sin(asin(1 − 2h)/3).

    One step of Halley's method from NEAR gives full precision, without sine and arcsine.
    """
    root = np.sqrt(h)
    near = NEAR[-1]
    for c in NEAR[-2::-1]:
        near = near * root + c
    w = near * root
    error, slope, bend = w * w * (3.0 - w) - 4.0 * h, 3.0 * w * (2.0 - w), 6.0 - 6.0 * w
    return w - 2.0 * error * slope / (2.0 * slope * slope - error * bend)


@dataclass(frozen=True)
class Liquid:
    """Per kg of capacity: first (3,) [m], second (3, 3) [m²], and over the fill: drawn (3,) [m], layer (3, 3) [m²], rise (3,) [m] = d²s/df²."""

    first: Any
    second: Any
    drawn: Any
    layer: Any
    rise: Any


RINGS = 9  # of the wetted wall that pictures draw


class TankShape(Protocol):
    """`outlet_place` (3,) [m]: where the liquid leaves the tank; `shell` (3, 3) [m²]: ∫r rᵀ of a thin even wall per kg; `volume` [m³], 0: unknown.

    `seen`: axes (3, 3), two across and one up, and a function of the fill that gives the outline of the liquid, distances along them
    across and up from the tank's centre (P, 2), from the outlet to the middle of the surface; None: it can't be drawn.
    """

    @property
    def seen(self) -> tuple[np.ndarray, Callable[[float], np.ndarray]] | None: ...

    @property
    def outlet_place(self) -> np.ndarray: ...

    @property
    def shell(self) -> np.ndarray: ...

    @property
    def volume(self) -> float: ...

    def at(self, fill: Any) -> Liquid: ...


@dataclass(frozen=True)
class Ellipsoid:
    """Semi-axes (3,) [m] along the tank's axes, a sphere if they are equal; `outlet` a unit vector, the direction in which the liquid settles.

    With r = D y, D = diag(semi-axes), it is a unit ball whose outlet is along D·outlet. Up from there, with the surface at z from −1 to 1:
    f = (2 + 3z − z³)/4; and dV/V = ¾(1 − ζ²)dζ gives the integrals.
    """

    semi_axes: tuple[float, float, float]
    outlet: tuple[float, float, float]

    @property
    def _up(self) -> np.ndarray:
        """Unit vector in the ball's axes, away from the outlet."""
        along = np.array(self.semi_axes) * np.array(self.outlet)
        return -along / np.linalg.norm(along)

    @property
    def outlet_place(self) -> np.ndarray:
        return -np.array(self.semi_axes) * self._up

    @property
    def volume(self) -> float:
        return float(4.0 / 3.0 * np.pi * np.prod(self.semi_axes))

    @property
    def shell(self) -> np.ndarray:
        """By quadrature over the unit sphere n: r = D n, dA = |det D| |D⁻¹n| dn."""
        z, weight = np.polynomial.legendre.leggauss(48)
        angle = (np.arange(96) + 0.5) * np.pi / 48.0
        flat = np.sqrt(1.0 - z * z)
        n = np.stack([np.outer(flat, np.cos(angle)), np.outer(flat, np.sin(angle)), np.outer(z, np.ones(96))], axis=-1)
        area = weight[:, None] * np.linalg.norm(n / np.array(self.semi_axes), axis=-1)
        r = n * np.array(self.semi_axes)
        return np.diag(np.einsum("ij,ija,ija->a", area, r, r) / area.sum())

    @property
    def seen(self):
        across = np.linalg.svd(self._up[None])[2][1:]
        return np.array(self.semi_axes)[:, None] * np.vstack([across, self._up]).T, _ball_outline

    def at(self, fill) -> Liquid:
        w = ball_depth(maximum(minimum(fill, 1.0 - fill), LEAST))  # of the liquid, or of the gas where that is less
        z, side = where(fill < 0.5, w - 1.0, 1.0 - w), w * (2.0 - w)
        zz = z * z
        axial = 0.1 + z * zz * (0.25 - 0.15 * zz)
        across = 0.1 + z * (0.1875 - zz * (0.125 - 0.0375 * zz))
        e, D = self._up, np.diag(self.semi_axes)
        along, up = np.outer(D @ e, D @ e), D @ e
        around = D @ D - along
        return Liquid(
            first=-0.1875 * side * side * up,
            second=axial * along + across * around,
            drawn=z * up,
            layer=zz * along + 0.25 * side * around,
            rise=4.0 / 3.0 / side * up,
        )


def _ball_outline(fill: float) -> np.ndarray:
    level = float(ball_depth(max(min(fill, 1.0 - fill), LEAST)))
    surface = level - 1.0 if fill < 0.5 else 1.0 - level
    angles = np.linspace(np.pi, np.arccos(surface), RINGS)
    return np.column_stack([np.append(np.sin(angles), 0.0), np.append(np.cos(angles), surface)])


@dataclass(frozen=True)
class Cylinder:
    """With flat ends, radius and length [m]; `outlet` a unit vector along its axis."""

    radius: float
    length: float
    outlet: tuple[float, float, float]

    @property
    def outlet_place(self) -> np.ndarray:
        return 0.5 * self.length * np.array(self.outlet)

    @property
    def volume(self) -> float:
        return float(np.pi * self.radius**2 * self.length)

    @property
    def shell(self) -> np.ndarray:
        """A tube of the area 2πRL and two discs of πR² each."""
        R, L, along = self.radius, self.length, np.outer(self.outlet, self.outlet)
        tube, discs = L / (L + R), R / (L + R)
        axial, across = L * L * (tube / 12.0 + discs / 4.0), R * R * (tube / 2.0 + discs / 4.0)
        return axial * along + across * (E3 - along)

    @property
    def seen(self):
        across = np.linalg.svd(np.array([self.outlet]))[2][1:]
        bottom, wide = -0.5 * self.length, self.radius

        def outline(fill: float) -> np.ndarray:
            surface = bottom + self.length * min(max(fill, 0.0), 1.0)
            return np.array([[0.0, bottom], [wide, bottom], [wide, surface], [0.0, surface]])

        return np.vstack([across, -np.array(self.outlet)]).T, outline

    def at(self, fill) -> Liquid:
        L, up = self.length, -np.array(self.outlet)
        z = L * (fill - 0.5)
        along, across = np.outer(up, up), 0.25 * self.radius**2 * (E3 - np.outer(self.outlet, self.outlet))
        return Liquid(
            first=0.5 * L * fill * (fill - 1.0) * up,
            second=fill * (L * L * (fill * fill / 3.0 - 0.5 * fill + 0.25)) * along + fill * across,
            drawn=z * up,
            layer=z * z * along + across,
            rise=L * up,
        )


@dataclass(frozen=True)
class AtOnePlace:
    """All liquid at the tank's origin at every fill: the textbook model, also for bladder tanks whose shape is not important."""

    volume = 0.0
    seen = None

    @property
    def outlet_place(self) -> np.ndarray:
        return np.zeros(3)

    @property
    def shell(self) -> np.ndarray:
        return np.zeros((3, 3))

    def at(self, fill) -> Liquid:
        none, flat = np.zeros(3), np.zeros((3, 3))
        return Liquid(none, flat, none, flat, none)


@dataclass(frozen=True)
class Tabled:
    """Curves over the fill: mass centre (3) [m], and inertia about it per kg of liquid, xx, yy, zz, xy, xz, yz (6) [m²]; `outlet_place` as given.

    s = f c, and with the second moment about the centre P = ½ tr(J) E − J: Q = f (P + c cᵀ).
    """

    curves: tuple[Curve, ...]
    outlet_place: np.ndarray
    volume = 0.0
    seen = None

    @property
    def shell(self) -> np.ndarray:
        return np.zeros((3, 3))

    def at(self, fill) -> Liquid:
        values, slopes, bends = (
            np.array(part) for part in zip(*(curve.parts(fill) for curve in self.curves), strict=True)
        )
        c, c1, c2 = values[:3], slopes[:3], bends[:3]
        P, P1 = _moments(values[3:]), _moments(slopes[3:])
        mixed = np.outer(c, c1)
        return Liquid(
            first=fill * c,
            second=fill * (P + np.outer(c, c)),
            drawn=c + fill * c1,
            layer=P + np.outer(c, c) + fill * (P1 + mixed + mixed.T),
            rise=2.0 * c1 + fill * c2,
        )


def _moments(six):
    """½ tr(J) E − J (3, 3) of an inertia tensor's elements."""
    xx, yy, zz, xy, xz, yz = six
    half = 0.5 * (xx + yy + zz)
    return np.array([[half - xx, -xy, -xz], [-xy, half - yy, -yz], [-xz, -yz, half - zz]])
