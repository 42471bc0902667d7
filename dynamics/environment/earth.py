"""The Earth's orientation: IAU 2006 precession, IAU 2000B nutation (1 mas), Earth rotation angle; the IAU's poles of other planets.

Only for floats, when a description is read; the FMU evaluates polynomials fitted to it (turning.py).

    GCRF → ITRF:  W R₃(GAST) NPB,   NPB = R₁(−ε − Δε) R₃(−ψ − Δψ) R₁(φ) R₃(γ)   (Fukushima–Williams angles)

Sources: IERS Conventions 2010, chapter 5; Capitaine, Wallace, Chapront, A&A 432 (2005) 355; Hilton et al., Celest. Mech. 94 (2006) 351;
other planets: Archinal et al., Celest. Mech. Dyn. Astron. 130:22 (2018). Proved against ERFA: tests/environment/test_earth.py.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from .epoch import DATA

CENTURY = 36525.0  # [d]
ARCSECOND = np.pi / 648000.0
TURN = 2.0 * np.pi
ERA_RATE = 1.00273781191135448  # turns per day of UT1

# polynomials in Julian centuries of TT, lowest power first ["]
GAMMA = (-0.052928, 10.556378, 0.4932044, -0.00031238, -0.000002788, 0.0000000260)
PHI = (84381.412819, -46.811016, 0.0511268, 0.00053289, -0.000000440, -0.0000000176)
PSI = (-0.041775, 5038.481484, 1.5584175, -0.00018522, -0.000026452, -0.0000000148)
OBLIQUITY = (84381.406, -46.836769, -0.0001831, 0.00200340, -0.000000576, -0.0000000434)
SIDEREAL = (0.014506, 4612.156534, 1.3915817, -0.00000044, -0.000029956, -0.0000000368)  # GMST − Earth rotation angle
# mean anomalies of Moon and Sun, argument of latitude and elongation of the Moon, longitude of its node ["; "/century]
DELAUNAY = np.array(
    [
        [485868.249036, 1717915923.2178],
        [1287104.79305, 129596581.0481],
        [335779.526232, 1739527262.8478],
        [1072260.70369, 1602961601.2090],
        [450160.398036, -6962890.5431],
    ]
)
PLANETARY = np.array([-0.000135, 0.000388])  # mean planetary contribution to nutation ["]


def rotation_x(angle):
    """Components in axes turned by `angle` [rad] about x."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]])


def rotation_y(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])


def rotation_z(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])


def _series(coefficients, t):
    """A polynomial in arcseconds, as radians."""
    return np.polynomial.polynomial.polyval(t, coefficients) * ARCSECOND


@cache
def _nutation_terms() -> np.ndarray:
    return np.loadtxt(DATA / "nutation.txt")


def nutation(tt):
    """Δψ, Δε [rad] of IAU 2000B at days of TT after J2000.0."""
    t = tt / CENTURY
    terms = _nutation_terms()
    angle = terms[:, :5] @ (DELAUNAY[:, 0] + DELAUNAY[:, 1] * t) * ARCSECOND
    sine, cosine = np.sin(angle), np.cos(angle)
    longitude = (terms[:, 5] + terms[:, 6] * t) @ sine + terms[:, 7] @ cosine
    obliquity = (terms[:, 8] + terms[:, 9] * t) @ cosine + terms[:, 10] @ sine
    return (1e-7 * np.array([longitude, obliquity]) + PLANETARY) * ARCSECOND


def bias_precession(tt, nutated=(0.0, 0.0)):
    """(3, 3) from GCRF to the mean equator and equinox of date; with Δψ, Δε to the true ones."""
    t = tt / CENTURY
    psi, tilt = _series(PSI, t) + nutated[0], _series(OBLIQUITY, t) + nutated[1]
    return rotation_x(-tilt) @ rotation_z(-psi) @ rotation_x(_series(PHI, t)) @ rotation_z(_series(GAMMA, t))


def earth_rotation_angle(ut1):
    """[rad] at days of UT1 after J2000.0, without whole turns of days."""
    return TURN * (0.7790572732640 + 0.00273781191135448 * ut1 + ut1 % 1.0)


def mean_sidereal_time(epoch_ut1, tt):
    """GMST of IAU 2006 [rad]."""
    return earth_rotation_angle(epoch_ut1) + _series(SIDEREAL, tt / CENTURY)


def sidereal_time_1982(ut1):
    """GMST of IAU 1982 [rad], by which TEME is turned (Vallado et al., AIAA 2006-6753, eq. (C-5))."""
    t = ut1 / CENTURY
    seconds = 67310.54841 + (8640184.812866 + (0.093104 - 6.2e-6 * t) * t) * t
    return TURN * (seconds / 86400.0 + ut1 % 1.0)


def equation_of_equinoxes(tt, longitude):
    """GAST − GMST [rad] for a nutation Δψ, with the largest complementary terms."""
    t = tt / CENTURY
    _, _, F, D, node = (DELAUNAY[:, 0] + DELAUNAY[:, 1] * t) * ARCSECOND
    more = 264.096e-5 * np.sin(node) + 6.352e-5 * np.sin(2.0 * node)
    more += 1.175e-5 * np.sin(2.0 * F - 2.0 * D + 3.0 * node) + 1.121e-5 * np.sin(2.0 * F - 2.0 * D + node)
    return longitude * np.cos(_series(OBLIQUITY, t)) + more * ARCSECOND


def celestial_to_terrestrial(tt, ut1):
    """(3, 3) from GCRF to the Earth's axes without polar motion."""
    nutated = nutation(tt)
    angle = mean_sidereal_time(ut1, tt) + equation_of_equinoxes(tt, nutated[0])
    return rotation_z(angle) @ bias_precession(tt, nutated)


def polar_motion(x, y):
    """W (3, 3): from the Earth's axes about the pole of rotation to ITRF, x and y [rad]."""
    return rotation_x(-y) @ rotation_y(-x)


# right ascension and declination of the pole [deg; deg/century], prime meridian [deg; deg/day], at J2000.0 in ICRF:
# IAU WGCCRE 2015 without periodic terms (NAIF pck00011.tpc); Mars of 2009, whose pole needs none
PLANETS = {
    "mercury": ((281.0103, -0.0328), (61.4155, -0.0049), (329.5988, 6.1385108)),
    "venus": ((272.76, 0.0), (67.16, 0.0), (160.20, -1.4813688)),
    "mars": ((317.68143, -0.1061), (52.88650, -0.0609), (176.630, 350.89198226)),
    "jupiter": ((268.056595, -0.006499), (64.495303, 0.002413), (284.95, 870.5360000)),
    "saturn": ((40.589, -0.036), (83.537, -0.004), (38.90, 810.7939024)),
    "uranus": ((257.311, 0.0), (-15.175, 0.0), (203.81, -501.1600928)),
}


def planet_axes(planet: str, tt):
    """(3, 3) from ICRF to a planet's equator, x to its node on the ICRF's; angle of its meridian from there and its rate [rad, rad/s]."""
    ascension, declination, meridian = np.radians(PLANETS[planet])
    century = tt / CENTURY
    pole = rotation_x(np.pi / 2 - declination @ [1.0, century]) @ rotation_z(np.pi / 2 + ascension @ [1.0, century])
    return pole, meridian @ [1.0, tt], meridian[1] / 86400.0
