"""Where the liquid of a tank is at each fill: settled flat towards the outlet, at rest, in closed form.

A shape answers `at(f)`, f = propellant/capacity, by what the liquid has per kilogram of capacity, about the tank's origin (its centre) in its axes:

    first  s(f) = ∫r dm, second Q(f) = ∫r rᵀ dm, and their slopes over f

The layer that leaves is the surface, so ds/df is the surface's centre (from where liquid is drawn) and dQ/df the mean of r rᵀ over the surface.
Proved by tests/tanks/test_fill.py against sums over points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..algebra.rotation import E3
from ..algebra.scalar import maximum, minimum
from ..system.formula import Curve

LEAST = 1e-12  # fill from which a curved end counts: the surface moves without bound as it comes to a point


@dataclass(frozen=True)
class Liquid:
    """Per kg of capacity: first (3,) [m], second (3, 3) [m²], and over the fill: drawn (3,) [m], layer (3, 3) [m²], rise (3,) [m] = d²s/df²."""

    first: Any
    second: Any
    drawn: Any
    layer: Any
    rise: Any


class TankShape(Protocol):
    """`outlet_place` (3,) [m]: where the liquid leaves the tank; `shell` (3, 3) [m²]: ∫r rᵀ of a thin even wall per kg; `volume` [m³], 0: unknown."""

    @property
    def outlet_place(self) -> np.ndarray: ...

    @property
    def shell(self) -> np.ndarray: ...

    @property
    def volume(self) -> float: ...

    def at(self, fill: Any) -> Liquid: ...


@dataclass(frozen=True)
class Ellipsoid:
    """Semi-axes (3,) [m] along the tank's axes, a sphere if they are equal; `outlet` a unit vector, the way the liquid settles.

    With r = D y, D = diag(semi-axes), it is a unit ball whose outlet is along D·outlet. Up from there, with the surface at z from −1 to 1:
    f = (2 + 3z − z³)/4, so z = 2 sin(asin(2f − 1)/3); and dV/V = ¾(1 − ζ²)dζ gives the integrals.
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

    def at(self, fill) -> Liquid:
        f = minimum(maximum(fill, LEAST), 1.0 - LEAST)
        z = 2.0 * np.sin(np.arcsin(2.0 * f - 1.0) / 3.0)
        side = 1.0 - z * z
        axial = 0.75 * ((z**3 + 1.0) / 3.0 - (z**5 + 1.0) / 5.0)
        across = 0.1875 * ((z + 1.0) - 2.0 * (z**3 + 1.0) / 3.0 + (z**5 + 1.0) / 5.0)
        e, D = self._up, np.diag(self.semi_axes)
        along, up = np.outer(D @ e, D @ e), D @ e
        around = D @ D - along
        return Liquid(
            first=-0.1875 * side * side * up,
            second=axial * along + across * around,
            drawn=z * up,
            layer=z * z * along + 0.25 * side * around,
            rise=4.0 / (3.0 * side) * up,
        )


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
    """All of it at the tank's origin, whatever the fill: as in books, and of a bladder tank far from what matters."""

    volume = 0.0

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
