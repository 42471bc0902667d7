"""Positions of Sun, Moon and planets in GCRF from series, evaluated at build for tables of polynomials.

    Moon     J. Meeus, Astronomical Algorithms (1998), chapter 47, with the mean longitude of Simon et al. (1994), from the mean equinox and ecliptic of date: 10" and 20 km
    planets  E. M. Standish, Keplerian Elements for Approximate Positions of the Major Planets (JPL), table 1, 1800–2050: 20" of the barycentre of Earth and
             Moon, 40" of Mars, 600" of Jupiter and Saturn, from the mean ecliptic and equinox of J2000
    Sun      from the Earth: minus the Earth's own place, its barycentre's less the Moon's share

Proved against ERFA (moon98, epv00, plan94): tests/environment/test_third_bodies.py.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from .earth import bias_precession, rotation_x
from .epoch import DATA

AU = 149597870700.0  # [m]
CENTURY = 36525.0  # [d]
OBLIQUITY = 84381.406 / 3600.0  # of J2000 [deg], IAU 2006
EARTH_MOON = 81.30056  # ratio of masses

MU = {
    "sun": 1.32712440041279e20, "moon": 4.902800118e12, "mercury": 2.2031868551e13, "venus": 3.24858592e14, "earth": 3.986004355e14,
    "mars": 4.2828375816e13, "jupiter": 1.26712764100e17, "saturn": 3.79405848418e16,
}  # fmt: skip  # [m³/s²], DE440 (Park et al., Astron. J. 161 (2021) 105); of Mars, Jupiter and Saturn with their moons

# a [AU], e, i, mean longitude, longitude of perihelion, node [deg], and their rates per century
ELEMENTS = {
    "mercury": ((0.38709927, 0.20563593, 7.00497902, 252.25032350, 77.45779628, 48.33076593), (0.00000037, 0.00001906, -0.00594749, 149472.67411175, 0.16047689, -0.12534081)),
    "venus": ((0.72333566, 0.00677672, 3.39467605, 181.97909950, 131.60246718, 76.67984255), (0.00000390, -0.00004107, -0.00078890, 58517.81538729, 0.00268329, -0.27769418)),
    "barycentre": ((1.00000261, 0.01671123, -0.00001531, 100.46457166, 102.93768193, 0.0), (0.00000562, -0.00004392, -0.01294668, 35999.37244981, 0.32327364, 0.0)),
    "mars": ((1.52371034, 0.09339410, 1.84969142, -4.55343205, -23.94362959, 49.55953891), (0.00001847, 0.00007882, -0.00813131, 19140.30268499, 0.44441088, -0.29257343)),
    "jupiter": ((5.20288700, 0.04838624, 1.30439695, 34.39644051, 14.72847983, 100.47390909), (-0.00011607, -0.00013253, -0.00183714, 3034.74612775, 0.21252668, 0.20469106)),
    "saturn": ((9.53667594, 0.05386179, 2.48599187, 49.95424423, 92.59887831, 113.66242448), (-0.00125060, -0.00050991, 0.00193609, 1222.49362201, -0.41897216, -0.28867794)),
}  # fmt: skip

# of the Moon, in degrees by powers of centuries: mean longitude, D, M, M', F
MEAN = (
    (218.31665436, 481267.88123421, -0.0015786, 1.0 / 538841.0, -1.0 / 65194000.0),
    (297.8501921, 445267.1114034, -0.0018819, 1.0 / 545868.0, -1.0 / 113065000.0),
    (357.5291092, 35999.0502909, -0.0001536, 1.0 / 24490000.0, 0.0),
    (134.9633964, 477198.8675055, 0.0087414, 1.0 / 69699.0, -1.0 / 14712000.0),
    (93.2720950, 483202.0175233, -0.0036539, -1.0 / 3526000.0, 1.0 / 863310000.0),
)


@cache
def _terms(letter: str) -> np.ndarray:
    rows = (line.split() for line in (DATA / "moon.txt").read_text().splitlines())
    return np.array([row[1:] for row in rows if row[0] == letter], float)


def moon(tt: float) -> np.ndarray:
    """From the Earth's centre (3,) [m] in GCRF, at days of TT after J2000.0."""
    T = tt / CENTURY
    degrees = np.array([np.polynomial.polynomial.polyval(T, row) for row in MEAN])
    mean, *arguments = np.radians(degrees % 360.0)
    venus, jupiter, third = np.radians([119.75 + 131.849 * T, 53.09 + 479264.290 * T, 313.45 + 481266.484 * T])
    round_ = 1.0 - (0.002516 + 0.0000074 * T) * T  # of the Earth's orbit, whose eccentricity falls
    far, low = _terms("R"), _terms("B")
    angle, weight = far[:, :4] @ arguments, round_ ** np.abs(far[:, 1])
    longitude = (far[:, 4] * weight) @ np.sin(angle)
    longitude += 3958.0 * np.sin(venus) + 1962.0 * np.sin(mean - arguments[3]) + 318.0 * np.sin(jupiter)
    distance = 385000560.0 + (far[:, 5] * weight) @ np.cos(angle)
    latitude = (low[:, 4] * round_ ** np.abs(low[:, 1])) @ np.sin(low[:, :4] @ arguments)
    latitude += -2235.0 * np.sin(mean) + 382.0 * np.sin(third) + 175.0 * np.sin(venus - arguments[3])
    latitude += 175.0 * np.sin(venus + arguments[3]) + 127.0 * np.sin(mean - arguments[2])
    latitude -= 115.0 * np.sin(mean + arguments[2])
    along, up = mean + np.radians(1e-6 * longitude), np.radians(1e-6 * latitude)
    ecliptic = distance * np.array([np.cos(up) * np.cos(along), np.cos(up) * np.sin(along), np.sin(up)])
    tilt = np.radians(OBLIQUITY - (46.836769 * T + 0.0001831 * T * T) / 3600.0)
    return bias_precession(tt).T @ (rotation_x(-tilt) @ ecliptic)


def _around_the_sun(name: str, tt: float) -> np.ndarray:
    """From the Sun (3,) [m] in GCRF: Kepler's equation by Newton's method."""
    start, rates = (np.array(row) for row in ELEMENTS[name])
    a, e, i, longitude, perihelion, node = start + rates * (tt / CENTURY)
    M = np.radians((longitude - perihelion + 180.0) % 360.0 - 180.0)
    E = M + e * np.sin(M)
    for _ in range(8):
        E -= (E - e * np.sin(E) - M) / (1.0 - e * np.cos(E))
    flat = np.array([a * (np.cos(E) - e), a * np.sqrt(1.0 - e * e) * np.sin(E), 0.0])
    i, omega, node = np.radians([i, perihelion - node, node])
    c, s = np.cos(omega), np.sin(omega)
    turned = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ flat
    turned = rotation_x(-i) @ turned
    c, s = np.cos(node), np.sin(node)
    turned = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ turned
    return AU * (rotation_x(-np.radians(OBLIQUITY)) @ turned)


def around_the_sun(name: str, tt: float) -> np.ndarray:
    """Of a planet, the Earth, the Moon or the Sun from the Sun's centre (3,) [m] in GCRF."""
    if name == "sun":
        return np.zeros(3)
    if name in ("earth", "moon"):
        share = -1.0 if name == "earth" else EARTH_MOON
        return _around_the_sun("barycentre", tt) + share / (1.0 + EARTH_MOON) * moon(tt)
    return _around_the_sun(name, tt)


def seen_from(center: str, name: str, tt: float) -> np.ndarray:
    """A body from the centre of another (3,) [m] in GCRF."""
    if (center, name) == ("earth", "moon"):
        return moon(tt)
    return around_the_sun(name, tt) - around_the_sun(center, tt)
