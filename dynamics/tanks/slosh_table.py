"""The slosh modes of a tank as curves over its fill, made at build: masses, heights, lengths by Ritz's method, surface tension and damping by the formulas
below.

A spring-mass (SP-106, chapter 6) has the same mass at the same height; it slides in a plane, held by a spring of m (a/L + ω_c²) at one acceleration a.

ω_c² = λ ξ² σ/(ρ r_s²)                         capillary part of mode n in a surface of radius r_s, ξ the n-th root of J1' (SP-106, chapter 11)
ζ = 0.79 √(ν/√(gR³)) [1 + 0.318/sinh(1.84 h/R) (1 + (1 − h/R)/cosh(1.84 h/R))]   cylinder, Mikishev and Dorozhkin (SP-106, chapter 4; Dodge)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..joints.table import square_to
from ..system.formula import Curve
from ..system.splines import curve_through
from .fill import Cylinder, Ellipsoid, TankShape
from .slosh_modes import slosh_modes
from .tank import SloshMode

ROOTS = (1.841183781340659, 5.331442773525033, 8.536316366346286)  # of J1'
FILLS = np.array([0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95])
LEAST_MASS = 1e-6  # of the capacity: no slosh mass vanishes
BESIDE = 1e-8  # of the fill, so that slopes at 0 and 1 are those of the curve


@dataclass(frozen=True)
class SloshKeys:
    """The keys of slosh in a description: number of modes, damping ratio or kinematic viscosity [m²/s], at `acceleration` [m/s²], surface tension [N/m],
    density [kg/m³], and whether springs for that acceleration replace the bowls."""

    modes: int
    damping: float | None
    viscosity: float | None
    acceleration: float
    surface_tension: float
    density: float
    springs: bool = False


def round_about_outlet(shape: TankShape) -> bool:
    """Whether modes are known: cylinders, and ellipsoids that are round about an outlet along one of their axes."""
    if isinstance(shape, Cylinder):
        return True
    if not isinstance(shape, Ellipsoid):
        return False
    along = int(np.argmax(np.abs(shape.outlet)))
    across = [length for i, length in enumerate(shape.semi_axes) if i != along]
    ball = max(shape.semi_axes) - min(shape.semi_axes) < 1e-9 * max(shape.semi_axes)
    return ball or (abs(shape.outlet[along]) > 1.0 - 1e-12 and abs(across[0] - across[1]) < 1e-9 * across[0])


def slosh_table(shape: Any, keys: SloshKeys) -> tuple[SloshMode, ...]:
    """The modes of a tank that is round about its outlet."""
    x, y, z = (float(-c) for c in shape.outlet)
    up = (x, y, z)
    rows = [_at(shape, fill, keys) for fill in FILLS]  # (fills, modes, 5)
    values = np.array(rows)
    found = []
    for n in range(keys.modes):
        mass, height, bend, capillary, damping = values[:, n].T
        full = isinstance(shape, Cylinder)
        ends = np.concatenate([[0.0], FILLS, [1.0]])
        last = _at(shape, 1.0, keys)[n][0] if full else 0.0
        mass = np.maximum(np.concatenate([[0.0], mass, [last]]), LEAST_MASS)
        curves = (_held(height), _held(bend), _held(capillary), _held(damping))
        found.append(SloshMode(_kept(curve_through(ends, mass)), *curves, up, square_to(up), keys.springs))
    return tuple(found)


def _kept(curve: Curve) -> Curve:
    """The same from 0 to 1, linear for a further BESIDE, and constant beyond: a host may set more propellant than the capacity, and masses must not become
    negative."""
    first, last = (curve.parts(knot)[:2] for knot in (curve.knots[0], curve.knots[-1]))
    below, above = first[0] - BESIDE * first[1], last[0] + BESIDE * last[1]
    ends = [
        [[0.0, 0.0, 0.0, below], [0.0, 0.0, first[1], below]],
        [[0.0, 0.0, last[1], last[0]], [0.0, 0.0, 0.0, above]],
    ]
    knots = (-1.0, -BESIDE, *curve.knots, 1.0 + BESIDE, 2.0)
    return Curve(knots, np.vstack([ends[0], curve.coefficients, ends[1]]))


def _held(values) -> Curve:
    """Through the values, and constant beyond both ends."""
    if not np.any(values):
        return Curve((0.0, 1.0), np.zeros((1, 4)))
    ends = np.concatenate([[-1.0, 0.0], FILLS, [1.0, 2.0]])
    return curve_through(ends, np.concatenate([values[:1]] * 2 + [values] + [values[-1:]] * 2), smooth=False)


def _at(shape: Any, fill: float, keys: SloshKeys) -> list[tuple[float, ...]]:
    """(mass over capacity, height, 1/L, ω_c², 2ζω) of each mode."""
    up = -np.array(shape.outlet)
    surface = float(shape.at(fill).drawn @ up)
    bottom = float(shape.outlet_place @ up)
    if isinstance(shape, Cylinder):

        def radius(z):
            return shape.radius + 0.0 * z
    else:
        along = int(np.argmax(np.abs(shape.outlet)))
        half, wide = -bottom, float(np.delete(np.array(shape.semi_axes), along)[0])

        def radius(z):
            return wide * np.sqrt(np.maximum(1.0 - (z / half) ** 2, 0.0))

    edge = float(radius(np.array([surface]))[0])
    found: list[tuple[float, ...]] = []
    for n, (mass, length, height) in enumerate(slosh_modes(radius, bottom, surface, keys.modes)):
        bend, capillary = 1.0 / length, ROOTS[n] ** 2 / length * keys.surface_tension / (keys.density * edge**2)
        omega = np.sqrt(keys.acceleration / length + capillary)
        ratio = keys.damping if keys.damping is not None else _cylinder_damping(shape.radius, surface - bottom, keys)
        if keys.springs:
            bend, capillary = 0.0, omega**2
        found.append((mass / shape.volume, height, bend, float(capillary), float(2.0 * ratio * omega)))
    return found


def _cylinder_damping(R: float, depth: float, keys: SloshKeys) -> float:
    """ζ of Mikishev and Dorozhkin."""
    h = depth / R
    bottom = 0.318 / np.sinh(1.84 * h) * (1.0 + (1.0 - h) / np.cosh(1.84 * h))
    return float(0.79 * np.sqrt((keys.viscosity or 0.0) / np.sqrt(keys.acceleration * R**3)) * (1.0 + bottom))
