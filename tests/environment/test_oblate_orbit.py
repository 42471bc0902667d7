"""J₂ on the orbital frame: O falls in the oblate planet's gravity, and the differential gravity relative to it has a closed form without cancellation."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from spacefmu.dynamics.environment import Oblateness, OblateOrbitFrame
from spacefmu.dynamics.environment.attraction import (
    differential_attraction,
    differential_oblateness,
    oblateness_strength,
)
from spacefmu.dynamics.environment.planet import J2_EARTH, MU_EARTH, RADIUS_EARTH
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.native.trace.fast import fast
from tests.environment.craft import HUB, PANEL, craft, orbit

STRENGTH = oblateness_strength(MU_EARTH, J2_EARTH, RADIUS_EARTH)


class Starts(dict):
    """The Earth's constants; every other quantity has its start."""

    def __missing__(self, quantity):
        earth = {"environment.mu": MU_EARTH, "environment.radius": RADIUS_EARTH, "environment.j2": J2_EARTH}
        return earth.get(quantity.name, quantity.start)


ELEMENTS = {"eccentricity": 0.08, "inclination": 0.9, "raan": 0.3, "perigee": 1.1, "mean_anomaly": 0.6}
SPHERE = "[bodies.hub]\nmass = 5.0\ninertia = [2.0, 2.0, 2.0]\n"
START = "[bodies.hub.initial]\nposition = {position}\nvelocity = {velocity}\nangular_velocity = [1e-3, 2e-3, -1e-3]\n"


def oblate(**elements) -> str:
    return orbit(**elements).replace('gravity = "central"', 'gravity = "central"\nj2 = true')


def point_mass(R):
    """U and g of a point mass from the definition, on Decimals."""
    r = sum(c * c for c in R).sqrt()
    mu = Decimal(MU_EARTH)
    return -mu / r, [-mu * c / r**3 for c in R]


def oblate_planet(R):
    """U of J₂ = S/3 (3z²/r⁵ − 1/r³), and g = −∂U/∂R by the product rule, on Decimals."""
    r = sum(c * c for c in R).sqrt()
    S, z = Decimal(STRENGTH), R[2]
    slope = [S / 3 * (3 * c / r**5 - 15 * z * z * c / r**7) for c in R]
    slope[2] += S / 3 * 6 * z / r**5
    return S / 3 * (3 * z * z / r**5 - 1 / r**3), [-c for c in slope]


@pytest.mark.parametrize("size", [1e-6, 1e-3, 1.0, 1e3, 1e6, 2e7])
@pytest.mark.parametrize("closed, definition", [(differential_attraction, point_mass), (differential_oblateness, oblate_planet)])  # fmt: skip
def test_differential_gravity_has_no_cancellation(closed, definition, size):
    """Against 60 digits of the difference itself: measured 1e-15 of g and 6e-14 of U, from a micrometre to 20,000 km."""
    rng = np.random.default_rng(3)
    strength = MU_EARTH if closed is differential_attraction else STRENGTH
    for _ in range(5):
        R0, r = 7e6 * _unit(rng), size * _unit(rng)
        g, U = closed(strength, R0, r)
        with localcontext() as context:
            context.prec = 60
            there = [Decimal(a) + Decimal(b) for a, b in zip(R0, r, strict=True)]
            U1, g1 = definition(there)
            U0, g0 = definition([Decimal(a) for a in R0])
            exact_g = np.array([float(a - b) for a, b in zip(g1, g0, strict=True)])
            exact_U = float(U1 - U0 + sum(a * Decimal(b) for a, b in zip(g0, r, strict=True)))
        assert np.linalg.norm(g - exact_g) < 2e-14 * np.linalg.norm(exact_g)
        assert abs(U - exact_U) < 5e-14 * strength / 7e6 * (size / 7e6) ** 2 * (1.0 if closed is differential_attraction else 7e6**-2)  # fmt: skip


def _unit(rng):
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def frame_and_constants():
    return OblateOrbitFrame(7e6, **ELEMENTS), Starts()


def test_frame_turns_as_it_says():
    """ω and α of O by differentiating its axes along a trajectory that SciPy integrates from U alone: measured 5e-13 and 6e-14."""
    frame, k = frame_and_constants()

    def pull(R):
        def U(R):
            r = np.linalg.norm(R)
            return -MU_EARTH / r + STRENGTH / 3.0 * (3.0 * R[2] ** 2 / r**5 - 1.0 / r**3)

        return -np.array([(U(R + h) - U(R - h)) / 200.0 for h in 100.0 * np.eye(3)])

    def at(t, x):
        return frame.at(t, x, k, falling=(Oblateness(J2_EARTH, orbiting=True),))

    x0 = frame.initial(0.0, k)
    assert np.allclose(at(0.0, x0).acceleration_N, pull(x0[:3]), rtol=0.0, atol=1e-7 * np.linalg.norm(pull(x0[:3])))
    t, h = 2234.5, 0.5
    times = t + h * np.arange(-2, 3)
    path = solve_ivp(
        lambda t, x: frame.rates(x, at(t, x)), (0.0, times[-1]), x0, "DOP853", times, rtol=1e-13, atol=1e-6
    )
    scenes = [at(t, x) for t, x in zip(times, path.y.T, strict=True)]
    weights = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) / (12.0 * h)
    dcm_rate = sum(w * scene.space.dcm_NS for w, scene in zip(weights, scenes, strict=True))
    omega_rate = sum(w * scene.space.omega for w, scene in zip(weights, scenes, strict=True))
    space = scenes[2].space
    turning = space.dcm_NS.T @ dcm_rate
    omega = np.array([turning[2, 1], turning[0, 2], turning[1, 0]])
    assert np.linalg.norm(omega - space.omega) < 1e-9 * np.linalg.norm(space.omega)
    assert np.linalg.norm(omega_rate - space.alpha) < 1e-7 * np.linalg.norm(space.alpha)
    assert abs(space.omega[0]) > 1e-4 * space.omega[2], "the plane of the test precesses"
    assert abs(space.alpha[0]) > 1e-4 * abs(space.alpha[2])


def test_a_point_at_the_origin_stays_there():
    """60,000 s on a tilted ellipse; it was 695 km away when O fell without J₂. Measured 6e-21 m."""
    system = fast(craft(oblate(**ELEMENTS), SPHERE))
    run = integrate(system, np.linspace(0.0, 60000.0, 5), rtol=1e-10, atol=1e-10)
    for name in ("position", "velocity"):
        assert np.max(np.abs(run.x[:, system.signals.where("states", f"hub.{name}")])) < 1e-9


def test_orbit_frame_and_inertial_frame_agree():
    """One motion described twice, some km from O, a flexible panel: measured 2e-8 m of 31 km."""
    start = START.format(position=[3000.0, -6000.0, 2000.0], velocity=[2.0, -3.0, 1.0])
    relative = fast(craft(oblate(**ELEMENTS), HUB, start, PANEL))
    times = np.linspace(0.0, 2000.0, 5)
    run = integrate(relative, times, rtol=1e-13, atol=1e-12)
    inertial = fast(craft('[environment]\ngravity = "central"\nj2 = true\n', HUB, PANEL))
    x = np.array(inertial.signals.starts("states"))
    for name in ("position", "velocity", "quaternion", "angular_velocity"):
        at_start = run.y[0][relative.signals.where("outputs", f"hub.inertial.{name}")]
        x[inertial.signals.where("states", f"hub.{name}")] = at_start
    other = integrate(inertial, times, x=x, rtol=1e-13, atol=1e-12)
    size = np.max(np.abs(run.x[:, relative.signals.where("states", "hub.position")]))
    for name, scale in (("position", size), ("velocity", 1e-3 * size)):
        a = run.y[:, relative.signals.where("outputs", f"hub.inertial.{name}")]
        b = other.x[:, inertial.signals.where("states", f"hub.{name}")]
        assert np.max(np.abs(a - b)) < 1e-9 * scale
    for i in range(1, 4):
        name = f"panel.mode[{i}].amplitude"
        a, b = run.x[:, relative.signals.where("states", name)], other.x[:, inertial.signals.where("states", name)]
        assert np.max(np.abs(a - b)) < 1e-9


def test_energy_and_angular_momentum_about_the_pole():
    """Of the absolute motion, per mass: J₂ leaves both constant. Ten revolutions, 1e-11 (measured 3e-13, 1e-13)."""
    start = START.format(position=[30.0, -60.0, 20.0], velocity=[0.02, -0.03, 0.01])
    system = fast(craft(oblate(**ELEMENTS), SPHERE, start))
    run = integrate(system, np.linspace(0.0, 58000.0, 21), rtol=1e-13, atol=1e-12)
    R, V = (run.y[:, system.signals.where("outputs", f"hub.inertial.{name}")] for name in ("position", "velocity"))
    r = np.linalg.norm(R, axis=1)
    energy = 0.5 * np.sum(V * V, axis=1) - MU_EARTH / r + STRENGTH / 3.0 * (3.0 * R[:, 2] ** 2 / r**5 - 1.0 / r**3)
    polar = R[:, 0] * V[:, 1] - R[:, 1] * V[:, 0]
    assert np.ptp(energy) < 1e-11 * abs(energy[0])
    assert np.ptp(polar) < 1e-11 * abs(polar[0])
    assert np.max(np.abs(run.x[:, system.signals.where("states", "hub.position")])) < 2e4
