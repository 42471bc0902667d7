"""Kepler's orbits, osculating elements, and the Sun's direction."""

import numpy as np
import pytest

from spacefmu.dynamics.environment.frames import OrbitFrame
from spacefmu.dynamics.environment.kepler import DEGENERATE, eccentric_anomaly, orbital_frame, osculating
from spacefmu.dynamics.environment.planet import MU_EARTH
from spacefmu.dynamics.environment.sun import ByDate, sunlit
from spacefmu.dynamics.system.signals import NamedValues
from tests.algebra.on_symbols import slopes

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
    return frame.at(
        t,
        np.zeros(0),
        NamedValues({signal.name: signal.start for signal in frame.parameters()} | {"environment.mu": MU}),
    )


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
    dcm_NO, rate = orbital_frame(now.position_N, now.velocity_N)
    assert rate == pytest.approx(now.space.omega[2], rel=1e-13)
    assert np.allclose(dcm_NO, now.space.dcm_NS, rtol=0.0, atol=1e-14)


R0 = 7.0e6
V0 = np.sqrt(MU / R0)
RISING = np.array([2.0, -3.0, 6.0]) / 7.0
NORTH = np.array([0.0, 0.0, 1.0])
# position, velocity, and the elements that their limits are (i, Ω, ω, ν, u of what is stated in `osculating`)
DEGENERATE_ORBITS = {
    "circular, equatorial": ([R0, 0, 0], [0, V0, 0], {"inclination": 0, "raan": 0, "perigee": 0, "true_anomaly": 0}),
    "circular, backward": ([0, R0, 0], [V0, 0, 0], {"inclination": np.pi, "raan": 0, "perigee": 0, "latitude": -np.pi / 2}),
    "circular, polar": ([R0, 0, 0], [0, 0, V0], {"inclination": np.pi / 2, "perigee": 0, "eccentricity": 0}),
    "at rest on the equator": ([R0, 0, 0], [0, 0, 0], {"eccentricity": 1, "inclination": 0, "semi_major_axis": R0 / 2}),
    "at rest": (R0 * RISING, [0, 0, 0], {"eccentricity": 1, "inclination": np.arcsin(6 / 7), "latitude": np.pi / 2}),
    "at rest over the pole": (R0 * NORTH, [0, 0, 0], {"inclination": np.pi / 2, "semi_major_axis": R0 / 2}),
    "radial": (R0 * RISING, 0.7 * V0 * RISING, {"eccentricity": 1, "inclination": np.arcsin(6 / 7)}),
    "radial over the pole": (R0 * NORTH, -V0 * NORTH, {"inclination": np.pi / 2, "semi_major_axis": R0}),
    "parabolic": ([R0, 0, 0], [0, np.sqrt(2.0) * V0, 0], {"eccentricity": 1, "semi_major_axis": R0 / DEGENERATE}),
    "radial and parabolic": ([0, R0, 0], [0, np.sqrt(2.0) * V0, 0], {"semi_major_axis": R0 / DEGENERATE}),
    "hyperbolic": ([R0, 0, 0], [0, 0, 2.0 * V0], {"semi_major_axis": -R0 / 2, "eccentricity": 3}),
}  # fmt: skip


def all_of_it(R, V):
    """Elements, then the orbital frame and its rate, in one array."""
    dcm_NO, rate = orbital_frame(R, V)
    return np.concatenate([list(vars(osculating(MU, R, V)).values()), dcm_NO.ravel(), [rate]])


@pytest.mark.parametrize("case", DEGENERATE_ORBITS)
def test_degenerate_orbits_are_finite_and_so_are_their_derivatives(case):
    """Elements are the stated limits; every derivative is finite, as CasADi writes it for the FMU."""
    R, V, limits = DEGENERATE_ORBITS[case]
    R, V = np.array(R, float), np.array(V, float)
    found = osculating(MU, R, V)
    assert np.all(np.isfinite(all_of_it(R, V)))
    for name, value in limits.items():
        assert getattr(found, name) == pytest.approx(value, rel=1e-12, abs=1e-12), name
    dcm_NO, _ = orbital_frame(R, V)
    assert np.allclose(dcm_NO.T @ dcm_NO, np.eye(3), rtol=0.0, atol=1e-15)
    assert np.allclose(dcm_NO[:, 0], R / np.linalg.norm(R), rtol=0.0, atol=1e-15)
    assert np.all(np.isfinite(slopes(all_of_it, R, V)))


@pytest.mark.parametrize("V", [np.zeros(3), V0 * RISING])
@pytest.mark.parametrize("R", [np.zeros(3), 1e-170 * RISING, 1e-90 * RISING])
def test_in_the_centre_the_frame_keeps_the_axes_of_N(R, V):
    """The first has no direction, the square of the second is 0, that of the third's normal is 0."""
    dcm_NO, rate = orbital_frame(R, V)
    assert np.array_equal(dcm_NO, np.eye(3))
    assert rate == 0.0
    assert np.all(slopes(lambda r, v: orbital_frame(r, v)[0].ravel(), R, V) == 0.0)


def test_a_hair_from_the_centre_the_frame_is_a_rotation():
    for V in (np.zeros(3), V0 * NORTH):
        dcm_NO, _ = orbital_frame(1e-49 * RISING, V)
        assert np.allclose(dcm_NO.T @ dcm_NO, np.eye(3), rtol=0.0, atol=1e-15)
        assert np.allclose(dcm_NO[:, 0], RISING, rtol=0.0, atol=1e-15)


@pytest.mark.parametrize("case", ["at rest on the equator", "at rest", "radial"])
def test_a_radial_orbit_is_the_limit_of_a_start_eastward(case):
    """Independent of the stated rule: a push of 1 mm/s eastward leaves the frame where it is. Measured 1e-10."""
    R, V, _ = DEGENERATE_ORBITS[case]
    R, V = np.array(R, float), np.array(V, float)
    east = np.cross(NORTH, R) / np.linalg.norm(np.cross(NORTH, R))
    pushed, _ = orbital_frame(R, V + 1e-3 * east)
    assert np.allclose(orbital_frame(R, V)[0], pushed, rtol=0.0, atol=1e-8)


def test_the_frame_of_an_equatorial_orbit_has_its_true_derivative():
    """Ω and i are held there, the frame is not: a push northward tilts it. CasADi against central differences, 1e-9 per m/s."""
    R, V = np.array([R0, 0.0, 0.0]), np.array([0.0, V0, 0.0])
    found = slopes(lambda r, v: orbital_frame(r, v)[0].ravel(), R, V)
    for i, step in enumerate([700.0] * 3 + [0.75] * 3):
        moved = np.eye(6)[i] * step
        ahead = orbital_frame(R + moved[:3], V + moved[3:])[0] - orbital_frame(R - moved[:3], V - moved[3:])[0]
        assert np.allclose(found[:, i], ahead.ravel() / (2.0 * step), rtol=0.0, atol=1e-8 / step)


def test_sun_on_the_days_of_the_almanac():
    """Equinox 2026-03-20 14:46 UTC and solstice 2026-06-21 08:25 UTC (Astronomical Almanac): to the formula's 0.01°."""
    for days, expected in ((9575.11528, [1.0, 0.0, 0.0]), (9667.85069, [0.0, np.cos(0.40904), np.sin(0.40904)])):
        sun = ByDate(days)
        direction = sun.direction(0.0, {}, NamedValues({"environment.epoch": days}))
        assert np.linalg.norm(direction) == pytest.approx(1.0, abs=1e-15)
        assert np.degrees(np.arccos(min(1.0, direction @ np.array(expected)))) < 0.02  # measured 0.005, 0.001


def test_shadow():
    """Behind the planet dark, beside it lit, half on the geometric edge, but for what its curvature leaves free (0.2 of σ/tan ρ)."""
    radius, sun = 6378137.0, np.array([1.0, 0.0, 0.0])
    assert sunlit(np.array([-7e6, 0.0, 0.0]), sun, radius) == 0.0
    assert sunlit(np.array([7e6, 0.0, 0.0]), sun, radius) == 1.0
    assert sunlit(np.array([0.0, 7e6, 0.0]), sun, radius) == 1.0
    edge = np.array([-np.sqrt(7e6**2 - radius**2), radius, 0.0])
    assert sunlit(edge, sun, radius) == pytest.approx(
        0.5, abs=3e-4
    )  # measured 2.2e-4; the penumbra by itself: tests/thermal/test_light.py


@pytest.mark.parametrize(
    "R", [[-7e6, 0.0, 0.0], [7e6, 0.0, 0.0], [0.0, 6378137.0, 0.0]], ids=["behind", "before", "on the ground"]
)
def test_shadow_has_derivatives_everywhere(R):
    """In line with the Sun and on the ground, where the angles have kinks."""
    assert np.all(np.isfinite(slopes(lambda r: np.array([sunlit(r, np.eye(3)[0], 6378137.0)]), R)))


@pytest.mark.parametrize("angle", [0.4, 2.0, -1.5, 3.0])
def test_nearly_circular_and_equatorial_orbits_do_not_jump(angle):
    """As e grows from nothing, ω goes from the node to where the perigee is, in small steps; likewise Ω as i does."""
    speed = np.sqrt(MU_EARTH / 7e6)
    sizes = np.geomspace(1e-14, 1e-10, 2000)
    toward = np.array([np.cos(angle), np.sin(angle), 0.0])
    perigees, nodes = [], []
    for size in sizes:
        # V × h/μ − R/R of a circular orbit with a small change of velocity: e = size toward the angle
        R, e = np.array([7e6, 0.0, 0.0]), size * toward
        radial, along = -speed * e[1], speed * (1.0 + e[0] / 2.0)
        perigees.append(osculating(MU_EARTH, R, np.array([radial, along, 0.0])).perigee)
        normal = np.array([size * toward[1], -size * toward[0], 1.0])
        nodes.append(osculating(MU_EARTH, 7e6 * toward, speed * np.cross(normal, toward)).raan)
    for found in (np.unwrap(perigees), np.unwrap(nodes)):
        assert abs(found[0]) < 1e-3
        assert (
            np.max(np.abs(np.diff(found))) < 0.2
        )  # measured 0.18; the whole angle in one step while it was switched on
    assert np.cos(perigees[-1] - angle) == pytest.approx(1.0, abs=1e-6)
    assert np.cos(nodes[-1] - angle) == pytest.approx(1.0, abs=1e-6)
