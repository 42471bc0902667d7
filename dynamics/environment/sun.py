"""The Sun: its direction, from a date or as an input, the pressure of its light, and the planet's shadow.

A source of the direction has

    parameters(), inputs()     signals
    direction(t, u, k)         unit vector from the planet to the Sun, in N (3,)
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import numpy as np

from ..algebra.scalar import both, maximum, minimum, where
from ..system.keys import Key, Resolver
from ..system.pieces import Declared, Piece, input_, output, parameter
from ..system.signals import Parameter
from .ephemeris import ELEMENTS, seen_from
from .epoch import DAY, J2000
from .over_time import OverTime, fitted
from .planet import RADIUS, SPEED_OF_LIGHT, SUN_PRESSURE
from .surrounding import Around, Surrounding
from .turning import Turning, of_another_planet

SUN_RADIUS_ANGLE = 0.00465  # apparent radius of the Sun at 1 AU [rad]
ROUND_OFF = 1e-14
SPAN, GOOD = 400.0 * DAY, 1e-6  # of the series of another planet's Sun, and of its place by its distance
LARGE = 20.0  # apparent radius of a planet, relative to the Sun's, from which on its limb's segment is a series


@dataclass(frozen=True)
class ByDate(Piece):
    """Low-precision formula of the Astronomical Almanac (section C): 0.01° between 1950 and 2050; equator of date."""

    name = "environment"
    epoch: Declared[Parameter] = parameter("time 0 in days after J2000.0 (2000-01-01 12:00 TT)", "1")
    turning: Turning | None = None  # if N is not the equator of date

    def direction(self, t, u, k):
        n = k[self.epoch] + t / DAY
        degree = np.pi / 180.0
        g = (357.528 + 0.9856003 * n) * degree
        longitude = (280.460 + 0.9856474 * n + 1.915 * np.sin(g) + 0.020 * np.sin(2.0 * g)) * degree
        tilt = (23.439 - 0.0000004 * n) * degree
        sine = np.sin(longitude)
        found = np.array([np.cos(longitude), np.cos(tilt) * sine, np.sin(tilt) * sine])
        return found if self.turning is None else self.turning.from_mean_equator(found)

    @classmethod
    def of(cls, date: date) -> ByDate:
        """Time 0 at a date, or at a time, in UTC unless the text names another scale."""
        moment = date if isinstance(date, datetime) else datetime(date.year, date.month, date.day)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return cls((moment - J2000).total_seconds() / DAY)


@dataclass(frozen=True)
class BySeries(Piece):
    """Of another planet than the Earth: by the series of ephemeris.py, as polynomials over SPAN from time 0."""

    path: OverTime
    name = "environment"

    def direction(self, t, u, k):
        place = self.path.at(t)[0]
        return place / np.sqrt(place @ place)


@dataclass(frozen=True)
class ByInput(Piece):
    """The direction as an input, of any length but zero."""

    start: tuple[float, float, float]
    name = "environment"
    sun_direction = input_("direction to the Sun, in axes of N (of any length)", "1", lambda self: self.start)

    def direction(self, t, u, k):
        given = u[self.sun_direction]
        return given / np.sqrt(given @ given)


@dataclass(frozen=True)
class Sun(Around):
    """A source of its direction, the pressure of sunlight [N/m²], and the planet's shadow: a row of SHADOWS."""

    source: ByDate | BySeries | ByInput
    pressure: Declared[Parameter] = parameter("pressure of sunlight on a black plate perpendicular to it", "N/m2", SUN_PRESSURE, name="sun_pressure", min=0.0)  # fmt: skip
    shadow: str = "conical"
    name = "environment"

    def parts(self):
        return (self.source,)

    def direction(self, t, u, k):
        return self.source.direction(t, u, k)

    @property
    def lit_text(self) -> str:
        """The text on the visible share of its disc in descriptions of signals."""
        jumps = ", jumps as the mass centre passes the edge of its shadow" if self.shadow == "cylindrical" else ""
        return f"share of the Sun's disc that the planet does not hide{jumps}"

    def lit(self, R, scene, k):
        """Share of the Sun's disc seen from R (3,) [m]."""
        return SHADOWS[self.shadow](R, scene, k)

    def light(self, R, scene, k):
        """Pressure of sunlight at R [N/m²]."""
        return k[self.pressure] * self.lit(R, scene, k)

    def shown(self, body, name):
        return (SunDirection(body, name, self),)

    def flux(self, k):
        """Of sunlight where nothing hides it [W/m²]: its pressure times the speed of light."""
        return SPEED_OF_LIGHT * k[self.pressure]


@dataclass(frozen=True)
class SunDirection(Piece):
    """Direction to the Sun in body axes, and its visible share."""

    body: int
    name: str
    terminal = "frame"
    sun: Sun

    sun_direction = output("unit vector to the Sun, in axes of {self.name}", "1", (0.0, 0.0, 0.0))
    sunlit = output("{self.sun.lit_text}", "1")

    def values(self, instant):
        body, scene = instant.moment.bodies[self.body], instant.moment.scene
        lit = self.sun.lit(scene.position_N + body.position_N, scene, instant.moment.k)
        return np.concatenate([body.dcm_NB.T @ scene.sun_N, [lit]])


def limb(R, sun, planet_radius):
    """(z, b) of the planet's disc as seen from R (3,) [m], by the Sun's apparent radius σ: its limb passes the Sun's centre at z = θ − ρ, and has the radius b = tan ρ,

    with θ the angle between the planet's centre and the Sun, and ρ = asin(radius/R).
    """
    r = np.sqrt(R @ R)
    toward = R @ sun / r  # −cos θ
    square = 1.0 - toward * toward
    aligned = square < ROUND_OFF  # there the angle is 0 or π: a root of 0 has no derivative
    away = where(aligned, 0.0, np.sqrt(where(aligned, 1.0, square)))  # sin θ
    sine = minimum(planet_radius / r, 1.0 - ROUND_OFF)
    cosine = np.sqrt(1.0 - sine * sine)  # of ρ
    above = away * cosine + toward * sine  # sin(θ − ρ)
    z = np.arctan2(above, away * sine - toward * cosine) / SUN_RADIUS_ANGLE
    return z, sine / (cosine * SUN_RADIUS_ANGLE)


def sunlit(R, sun, planet_radius):
    """Share of the Sun's disc that is seen from R (3,) [m]: 0 in the umbra, 1 outside the penumbra, 1 − (b/σ)² where the planet's disc lies within it.

    On the sky the planet's limb is curved as a circle of radius b, so the two discs, d = z + b apart, share a lens on both sides of a chord
    at x = (z(z + 2b) + σ²)/(2d) from the Sun's centre (two circles: Montenbruck, Gill, Satellite Orbits, eq. (3.87)–(3.94), which has b = ρ).
    The discs cut each other for |b − σ| < d < b + σ. Proved against points of the Sun's disc: tests/thermal/test_light.py.
    """
    z, b = limb(R, sun, planet_radius)
    small = minimum(b, 1.0)
    partly = both(z > 1.0 - 2.0 * small, z < 1.0)
    z_cut = where(partly, z, 0.0)
    d = z_cut + b
    x = (z_cut * (z_cut + 2.0 * b) + 1.0) / (2.0 * d)
    y = np.sqrt(maximum(1.0 - x * x, ROUND_OFF))
    hidden = (np.arctan2(y, x) - x * y + _segment(b, d - x, y)) / np.pi
    return where(partly, 1.0 - hidden, where(z < 1.0, 1.0 - small * small, 1.0))


def _segment(b, beyond, y):
    """Area of the planet's disc of radius b on the Sun's side of a chord of half length y, `beyond` from the planet's centre.

    b² atan(y/beyond) − beyond·y, which cancels for a large b: there b²(asin s − s√(1 − s²)),
    s = y/b, by its series, exact to 1e-13 from LARGE Sun's radii on.
    """
    s = y / maximum(b, LARGE)
    s2 = s * s
    series = y * y * s * (2 / 3 + s2 * (1 / 5 + s2 * (3 / 28 + s2 * (5 / 72 + s2 * (35 / 704)))))
    return where(b > LARGE, series, b * b * np.arctan2(y, beyond) - beyond * y)


def beyond_cylinder(R, sun, planet_radius):
    """Distance from a cylindrical shadow, that of a Sun without size, over the planet's radius; negative within it."""
    along = R @ sun
    beside = R - along * sun
    return maximum(along, np.sqrt(beside @ beside + ROUND_OFF) - planet_radius) / planet_radius


SHADOWS = {
    "conical": lambda R, scene, k: sunlit(R, scene.sun_N, k[RADIUS]),
    "cylindrical": lambda R, scene, k: where(scene.eclipse > 0.5, 0.0, 1.0),
    "none": lambda R, scene, k: 1.0,
}


def make_sun(table: Any, names: Resolver) -> Sun:
    turning = names.environment.medium(Turning)
    if turning is not None and table.date is not None:
        names.expected("date", "nothing with environment.time, which has the epoch")
    planet = of_another_planet(names)
    if planet and names.environment.planet and "pressure" not in names.given:
        names.missing("pressure", f"the default is that at the Earth, and environment.time.planet is {planet}")
    if table.date is not None:
        source: ByDate | BySeries | ByInput = ByDate.of(table.date)
    elif turning is None or "direction" in names.given or (planet and planet not in ELEMENTS):
        source = ByInput(table.direction)
    elif planet:
        place = lambda t: turning.from_GCRF(seen_from(planet, "sun", turning.days + t / DAY))  # noqa: E731
        source = BySeries(fitted(place, 0.0, SPAN, GOOD))
    else:
        source = ByDate(turning.days, turning)
    return Sun(source, table.pressure, shadow=table.shadow if names.environment.planet else "none")


SUN = Surrounding("Where the Sun is: by its date or that of environment.time, else as an input that starts at `direction`.", {
    "date": Key("date", "UTC at time 0, e.g. 2026-03-20T12:00:00Z", None),
    "direction": Key("axis", "in N; start of the input environment.sun_direction", (1.0, 0.0, 0.0)),
    "pressure": Key("not negative", "of sunlight at the planet [N/m²]; its flux is that times the speed of light", SUN_PRESSURE),
    "shadow": Key(tuple(SHADOWS), "of the planet: with penumbra, of a Sun without size (jumps at an event), or none", "conical"),
}, make_sun, "sunlight", planet=False, outputs=(SunDirection,))  # fmt: skip
