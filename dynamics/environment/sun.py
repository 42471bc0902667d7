"""The Sun: its direction, from a date or as an input, the pressure of its light, and the planet's shadow.

A source of the direction has

    parameters(), inputs()     signals
    direction(t, u, k)         unit vector from the planet to the Sun, in N (3,)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..pieces import Declared, Piece, input_, parameter
from ..scalar import maximum, minimum, where
from ..signals import Parameter
from .planet import RADIUS, SUN_PRESSURE

DAY = 86400.0  # [s]
SUN_RADIUS_ANGLE = 0.00465  # apparent radius of the Sun at 1 AU [rad]
ROUND_OFF = 1e-14


@dataclass(frozen=True)
class ByDate(Piece):
    """Low-precision formula of the Astronomical Almanac (section C): 0.01° between 1950 and 2050; equator of date."""

    name = "environment"
    epoch: Declared[Parameter] = parameter("time 0 in days after J2000.0 (2000-01-01 12:00 TT)", "1")

    def direction(self, t, u, k):
        n = k[self.epoch] + t / DAY
        degree = np.pi / 180.0
        g = (357.528 + 0.9856003 * n) * degree
        longitude = (280.460 + 0.9856474 * n + 1.915 * np.sin(g) + 0.020 * np.sin(2.0 * g)) * degree
        tilt = (23.439 - 0.0000004 * n) * degree
        sine = np.sin(longitude)
        return np.array([np.cos(longitude), np.cos(tilt) * sine, np.sin(tilt) * sine])


@dataclass(frozen=True)
class ByInput(Piece):
    """The direction as an input, of any length but zero."""

    start: tuple[float, float, float]
    name = "environment"
    sun_direction = input_("direction to the Sun, in N (of any length)", "1", lambda self: self.start)

    def direction(self, t, u, k):
        given = u[self.sun_direction]
        return given / np.sqrt(given @ given)


@dataclass(frozen=True)
class Sun(Piece):
    """A source of its direction, the pressure of sunlight [N/m²], and whether the planet may hide it."""

    source: ByDate | ByInput
    pressure: Declared[Parameter] = parameter("pressure of sunlight on a black plate square to it", "N/m2", SUN_PRESSURE, name="sun_pressure", min=0.0)  # fmt: skip
    shadow: bool = True
    name = "environment"

    def parts(self):
        return (self.source,)

    def direction(self, t, u, k):
        return self.source.direction(t, u, k)

    def lit(self, R, sun_N, k):
        """Share of the Sun's disc seen from R (3,) [m]."""
        return sunlit(R, sun_N, k[RADIUS]) if self.shadow else 1.0

    def light(self, R, sun_N, k):
        """Pressure of sunlight at R [N/m²]."""
        return k[self.pressure] * self.lit(R, sun_N, k)


def sunlit(R, sun, planet_radius):
    """Share of the Sun's disc that is seen from R (3,) [m]: 0 in the umbra, 1 outside the penumbra.

    Linear in the angle across the penumbra, so that it is continuous: with θ the angle between the planet's centre and
    the Sun, ρ = asin(radius/R) and σ the Sun's apparent radius, (θ − ρ + σ)/(2σ) held between 0 and 1.
    """
    r = np.sqrt(R @ R)
    toward = R @ sun / r
    square = 1.0 - toward * toward
    aligned = square < ROUND_OFF  # there the angle is 0 or π: a root of 0 has no derivative
    away = where(aligned, 0.0, np.sqrt(where(aligned, 1.0, square)))
    angle = np.arctan2(away, -toward)  # between −R and the Sun
    edge = np.arcsin(minimum(planet_radius / r, 1.0 - ROUND_OFF))
    return minimum(maximum((angle - edge + SUN_RADIUS_ANGLE) / (2.0 * SUN_RADIUS_ANGLE), 0.0), 1.0)
