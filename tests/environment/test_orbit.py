"""Kepler's orbits, osculating elements, and the Sun's direction."""

import numpy as np
import pytest

from dynamics.environment.frames import OrbitFrame
from dynamics.environment.kepler import eccentric_anomaly, osculating
from dynamics.environment.sun import ByDate, sunlit

MU = 3.986004418e14

ORBITS = [
    {"semi_major_axis": 7.0e6, "eccentricity": 0.0, "inclination": 0.0},
    {
        "semi_major_axis": 7.0e6,
        "eccentricity": 0.1,
        "inclination": 0.9,
        "raan": 2.0,
        "perigee": -1.0,
        "mean_anomaly": 0.4,
    },
    {
        "semi_major_axis": 2.6e7,
        "eccentricity": 0.74,
        "inclination": 1.1,
        "raan": -0.7,
        "perigee": 4.7,
        "mean_anomaly": 3.0,
    },
    {
        "semi_major_axis": 7.1e6,
        "eccentricity": 0.001,
        "inclination": 1.7,
        "raan": 0.1,
        "perigee": 0.2,
        "mean_anomaly": -2.0,
    },
]


def scene(elements, t):
    frame = OrbitFrame(**elements)
    return frame.at(t, {signal.name: signal.start for signal in frame.parameters()} | {"environment.mu": MU})


def test_kepler_equation():
    """E − e sin E = M for all eccentricities a description may have: measured 7.1e-15 at most, M up to 60."""
    mean, e = np.meshgrid(np.linspace(-20.0, 60.0, 4001), np.linspace(0.0, 0.95, 96))
    E = eccentric_anomaly(mean, e)
    assert np.max(np.abs(E - e * np.sin(E) - mean)) < 2e-14


@pytest.mark.parametrize("elements", ORBITS)
def test_reference_moves_by_newtons_law(elements):
    """Velocity and acceleration by differentiation: Ṙ = V and V̇ = −μR/R³; O turns as it says. Measured 5e-10 of each size, the differences' own error."""
    t, h = 1234.5, 0.05
    now, before, after = scene(elements, t), scene(elements, t - h), scene(elements, t + h)
    R, V = now.position_N, now.velocity_N
    r, v = np.linalg.norm(R), np.linalg.norm(V)
    assert np.linalg.norm((after.position_N - before.position_N) / (2 * h) - V) < 1e-8 * v
    weight = MU / r**2
    assert np.linalg.norm((after.velocity_N - before.velocity_N) / (2 * h) + MU * R / r**3) < 1e-6 * weight
    turned = now.space.dcm_NS.T @ (after.space.dcm_NS - before.space.dcm_NS) / (2 * h)
    rate = np.array([turned[2, 1], turned[0, 2], turned[1, 0]])
    assert np.linalg.norm(rate - now.space.omega) < 1e-7 * np.linalg.norm(now.space.omega)
    change = (after.space.omega - before.space.omega) / (2 * h)
    assert np.linalg.norm(change - now.space.alpha) < 1e-6 * max(np.linalg.norm(now.space.alpha), 1e-9)
    # x is outward, z along R × V
    assert np.allclose(now.space.dcm_NS[:, 0], R / r, rtol=0.0, atol=1e-14)
    normal = np.cross(R, V)
    assert np.allclose(now.space.dcm_NS[:, 2], normal / np.linalg.norm(normal), rtol=0.0, atol=1e-14)


@pytest.mark.parametrize("elements", ORBITS)
def test_elements_of_the_reference_are_the_given_ones(elements):
    """Round trip through position and velocity; perigee measured 1e-15/e; the rest to round-off."""
    now = scene(elements, 777.0)
    found = osculating(MU, now.position_N, now.velocity_N)
    assert found.semi_major_axis == pytest.approx(elements["semi_major_axis"], rel=1e-13)
    assert found.eccentricity == pytest.approx(elements["eccentricity"], abs=1e-14)
    assert found.inclination == pytest.approx(elements["inclination"], abs=1e-14)
    if elements["inclination"]:
        assert np.cos(found.raan - elements["raan"]) == pytest.approx(1.0, abs=1e-13)
    if elements["eccentricity"]:
        assert np.abs(np.exp(1j * found.perigee) - np.exp(1j * elements["perigee"])) < 1e-13 / elements["eccentricity"]
    assert found.rate == pytest.approx(now.space.omega[2], rel=1e-13)


def test_sun_on_the_days_of_the_almanac():
    """Equinox 2026-03-20 14:46 UTC and solstice 2026-06-21 08:25 UTC (Astronomical Almanac): to the formula's 0.01°."""
    for days, expected in ((9575.11528, [1.0, 0.0, 0.0]), (9667.85069, [0.0, np.cos(0.40904), np.sin(0.40904)])):
        sun = ByDate(days)
        direction = sun.direction(0.0, {}, {"environment.epoch": days})
        assert np.linalg.norm(direction) == pytest.approx(1.0, abs=1e-15)
        assert np.degrees(np.arccos(min(1.0, direction @ np.array(expected)))) < 0.02  # measured 0.005, 0.001


def test_shadow():
    """Behind the planet dark, beside it lit, half on the geometric edge."""
    radius, sun = 6378137.0, np.array([1.0, 0.0, 0.0])
    assert sunlit(np.array([-7e6, 0.0, 0.0]), sun, radius) == 0.0
    assert sunlit(np.array([7e6, 0.0, 0.0]), sun, radius) == 1.0
    assert sunlit(np.array([0.0, 7e6, 0.0]), sun, radius) == 1.0
    edge = np.array([-np.sqrt(7e6**2 - radius**2), radius, 0.0])
    assert sunlit(edge, sun, radius) == pytest.approx(0.5, abs=1e-6)
