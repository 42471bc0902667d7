"""Gravity on bodies: without cancellation, to second order on deformed bodies, and its laws on an orbit."""

from dataclasses import replace
from decimal import Decimal, getcontext

import numpy as np
import pytest

from spacefmu.dynamics.algebra.rotation import axis_angle_dcm, quaternion_dcm
from spacefmu.dynamics.bodies.integrals import integrals_of_points
from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.environment.frames import InertialFrame
from spacefmu.dynamics.environment.gravity import CentralGravity, Oblateness, differential_attraction
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.system.reference import integrate
from spacefmu.dynamics.system.signals import NamedValues
from spacefmu.dynamics.tree.kinematics import Moving
from spacefmu.fmu_src.native.trace.fast import fast
from tests.environment.craft import HUB, MU, PANEL, A, craft, orbit

N = np.sqrt(MU / A**3)  # rate of the circular test orbit [rad/s]


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3, 1e6])
def test_differential_gravity_without_cancellation(size):
    """Against 50-digit arithmetic, from a millimetre to a thousand kilometres: relative error 3e-15 (measured 2e-16)."""
    getcontext().prec = 50
    R0, r = np.array([5.1e6, -3.3e6, 2.7e6]), size * np.array([0.3, 0.8, -0.52])
    g, U = differential_attraction(MU, R0, r)
    mu, big, small = Decimal(MU), [Decimal(c) for c in R0], [Decimal(c) for c in r]
    there = [a + b for a, b in zip(big, small, strict=True)]
    d0, d = sum(c * c for c in big).sqrt(), sum(c * c for c in there).sqrt()
    exact = np.array([float(mu * b / d0**3 - mu * c / d**3) for b, c in zip(big, there, strict=True)])
    energy = float(-mu / d + mu / d0 - mu * sum(b * c for b, c in zip(big, small, strict=True)) / d0**3)
    assert np.linalg.norm(g - exact) < 3e-15 * np.linalg.norm(exact)
    assert abs(U - energy) < 6e-15 * np.linalg.norm(exact) * size


def points_and_body(seed=3, count=30, modes=3):
    rng = np.random.default_rng(seed)
    rho, mass = rng.uniform(-1.0, 1.0, (count, 3)), rng.uniform(0.5, 2.0, count)
    phi, second = rng.uniform(-0.5, 0.5, (modes, count, 3)), rng.uniform(-0.2, 0.2, (modes, modes, count, 3))
    second = second + np.swapaxes(second, 0, 1)
    return rho, mass, phi, second, rng


def brute_force(pull, rho, mass, phi, second, eta):
    """Force, torque about the frame and modal forces of an acceleration pull(points) (P, 3) on displaced points, all in body axes."""
    moved = rho + np.einsum("npi,n->pi", phi, eta) + 0.5 * np.einsum("mnpi,m,n->pi", second, eta, eta)
    shapes = phi + np.einsum("mnpi,m->npi", second, eta)
    force = mass[:, None] * pull(moved)
    return np.concatenate(
        [force.sum(axis=0), np.cross(moved, force).sum(axis=0), np.einsum("npi,pi->n", shapes, force)]
    )


PLANET = NamedValues({"environment.mu": 1.0, "environment.j2": 0.02, "environment.radius": 100.0})
STRENGTH = 1.5 * 0.02 * 100.0**2  # S of J₂, beside μ R² [m²]


def pulls(field, R, dcm):
    """What a field of PLANET does at points about R, in body axes, each by its own formula in N."""

    def central(points):
        there = R + points
        return -there / np.linalg.norm(there, axis=1)[:, None] ** 3

    def oblate(points):
        there = (R + points) @ dcm.T
        r, z = np.linalg.norm(there, axis=1)[:, None], there[:, 2:]
        return STRENGTH / r**7 * ((5.0 * z**2 - r**2) * there - 2.0 * z * r**2 * np.array([0.0, 0.0, 1.0])) @ dcm

    return central if isinstance(field, CentralGravity) else oblate


FIELDS = [(CentralGravity(mu=1.0), 1.0, 0), (Oblateness(j2=0.02), 10.0 * STRENGTH, 2)]


@pytest.mark.parametrize("stiffening", [False, True])
@pytest.mark.parametrize("field, strength, power", FIELDS, ids=["point mass", "J2"])
def test_load_on_a_deformed_body_to_second_order(field, strength, power, stiffening):
    """Brute force over points: the error falls as the neglected third-order terms do, R⁻⁵ for the force and R⁻⁴ for
    torque and modes: by 32 and 16 when R doubles, with J₂ by 4 times that. Points with H: small η, for H is kept to second order itself."""
    rho, mass, phi, second, _rng = points_and_body()
    second = second * stiffening
    eta = np.array([0.2, -0.3, 0.25]) * (1e-4 if stiffening else 1.0)
    body_integrals = integrals_of_points(rho, mass, phi, second=second)
    dcm = axis_angle_dcm(np.array([0.6, 0.0, 0.8]), 0.7)
    scene = InertialFrame().at(0.0, np.zeros(0), {})
    errors = []
    for distance in (200.0, 400.0):
        R = distance * np.array([0.48, 0.6, 0.64])
        none = np.zeros(3)
        body = Moving(dcm @ R, dcm, none, none, eta, 0.0 * eta, none, none, none, body_integrals)
        exact = brute_force(pulls(field, R, dcm), rho, mass, phi, second, eta)
        error = field.load(body, scene, PLANET) - exact
        errors.append([np.linalg.norm(error[:3]), np.linalg.norm(error[3:6]), np.linalg.norm(error[6:])])
        third = strength * mass.sum() * 2.0**3 / distance ** (4 + power)  # m s³/R⁴ with s ≈ 2 m
        assert np.all(np.array(errors[-1]) < third * np.array([20.0 / distance, 4.0, 4.0]))
    ratios = np.array(errors[0]) / np.array(errors[1])
    # measured 32.07–32.09, 15.95–15.98, 16.03–16.04, with J₂ 128.0–128.3, 63.9–64.4
    assert np.allclose(ratios, np.array([32.0, 16.0, 16.0]) * 2**power, rtol=0.03)


@pytest.mark.parametrize("field", [CentralGravity(mu=1.0), Oblateness(j2=0.02), CentralGravity(mu=1.0, orbiting=True), Oblateness(j2=0.02, orbiting=True)])  # fmt: skip
def test_the_load_is_the_gradient_of_the_potential(field):
    """Along places, turns and amplitudes, in N and beside a falling point: differences of V to 1e-8 (measured 2e-10 of the largest)."""
    rho, mass, phi, second, _rng = points_and_body()
    integrals, none = integrals_of_points(rho, mass, phi, second=1e-4 * second), np.zeros(3)
    dcm, eta = axis_angle_dcm(np.array([0.6, 0.0, 0.8]), 0.7), np.array([0.2, -0.3, 0.25])
    R0 = np.array([3.0, -2.0, 4.0])
    scene = replace(InertialFrame().at(0.0, none, {}), position_N=R0 * field.orbiting)
    place = np.array([5.0, 7.0, -6.0])

    def potential(step):
        moved, turned, bent = np.split(step, [3, 6])
        angle = np.linalg.norm(turned)
        R = dcm if angle == 0.0 else dcm @ axis_angle_dcm(turned / angle, angle)
        body = Moving(place + dcm @ moved, R, none, none, eta + bent, 0.0 * eta, none, none, none, integrals)
        return field.potential(body, scene, PLANET)

    h = 1e-3
    slopes = [
        (8.0 * (potential(h * e) - potential(-h * e)) - potential(2 * h * e) + potential(-2 * h * e)) / (12.0 * h)
        for e in np.eye(9)
    ]
    body = Moving(place, dcm, none, none, eta, 0.0 * eta, none, none, none, integrals)
    load = field.load(body, scene, PLANET)
    assert np.max(np.abs(load + slopes)) < 1e-8 * np.max(np.abs(load))


NODES = "nodes = { left = [-1.0, -1.0, 0.5], right = [1.0, 1.0, -0.5] }\n"
WHOLE = f"[bodies.hub]\n{NODES}mass = 60.0\ninertia = [20.0, 520.0, 540.0]\n"
HALVES = f"""
[bodies.hub]
{NODES}mass = 30.0
mass_center = [-2.0, 0.0, 0.0]
inertia = [10.0, 140.0, 150.0]
[bodies.other]
mass = 30.0
mass_center = [2.0, 0.0, 0.0]
inertia = [10.0, 140.0, 150.0]
[joints.cut]
parent = "hub"
child = "other"
kind = "fixed"
"""
TILTED = "[bodies.hub.initial]\norientation = [0.3, 0.5, -0.4]\n"


@pytest.mark.parametrize("formulation", ["tree", "natural"])
@pytest.mark.parametrize("frame", ["orbit", "inertial"])
def test_a_body_cut_in_two_feels_the_same_gradient(frame, formulation):
    """With J₂: two nodes accelerate relative to each other as on the whole if the body is two halves on a fixed joint, to 1e-8.

    Measured 4e-13 on the orbit and 7e-10 in N, of 7 m/s²; 6.3e-4 where J₂ is uniform over each body.
    """
    oblate = orbit(inclination=0.9, mean_anomaly=0.8).replace('gravity = "central"', 'gravity = "central"\nj2 = true')
    initial = TILTED
    if frame == "inertial":
        oblate = '[environment]\ngravity = "central"\nj2 = true\n'
        initial += "position = [3.1e6, 4.2e6, 4.6e6]\nvelocity = [-6e3, 3e3, 3e3]\n"
    turning = []
    for bodies in (WHOLE + initial, HALVES.replace("[bodies.other]", initial + "[bodies.other]")):
        system = craft(f'formulation = "{formulation}"\n' * (formulation == "natural"), oblate, bodies)
        x, u, k, d = start(system)
        _, y, _ = motion(system, 0.0, x, u, k, d)
        ends = [y[system.signals.where("outputs", f"hub.{node}.acceleration")] for node in ("left", "right")]
        turning.append(ends[1] - ends[0])
    assert np.linalg.norm(turning[0] - turning[1]) < 1e-8 * np.linalg.norm(turning[0])


def linear(system, names, scale=1e-4):
    """Matrix of the accelerations of the named coordinates' speeds with respect to the coordinates, at the start."""
    x, u, k, d = start(system)
    index = [system.signals.where("states", name) for name in names]
    rates = [system.signals.where("states", system.signals.states[i].derivative) for i in index]
    columns = []
    for i in index:
        up, down = x.copy(), x.copy()
        up[i], down[i] = x[i] + scale, x[i] - scale
        columns.append(
            (motion(system, 0.0, up, u, k, d)[0][rates] - motion(system, 0.0, down, u, k, d)[0][rates]) / (2 * scale)
        )
    return np.array(columns).T


def test_pitch_libration_frequency():
    """A rigid body held on a circular orbit, free in pitch: ω = n √(3 (I_roll − I_yaw)/I_pitch); x is yaw, y roll, z pitch."""
    yaw, roll, pitch = 20.0, 90.0, 100.0
    system = craft(
        orbit(inclination=0.5),
        f"[bodies.hub]\nmass = 50.0\ninertia = [{yaw}, {roll}, {pitch}]\n",
        '[joints.pitch]\nparent = "space"\nchild = "hub"\nkind = "revolute"\naxis = "z"\n',
    )
    expected = N * np.sqrt(3.0 * (roll - yaw) / pitch)
    assert np.sqrt(-linear(system, ["pitch.angle"])[0, 0]) == pytest.approx(expected, rel=1e-7)


def pitch_angle(quaternion):
    return 2.0 * np.arctan2(quaternion[:, 3], quaternion[:, 0])


def test_free_body_librates_in_pitch():
    """The same of a free body, integrated: small pitch follows cos(ωt). Amplitude 1e-3 rad; nonlinear terms 1e-6 of it."""
    system = fast(
        craft(
            orbit(),
            "[bodies.hub]\nmass = 50.0\ninertia = [20.0, 90.0, 100.0]\n[bodies.hub.initial]\norientation = [0.0, 0.0, 1e-3]\n",
        )
    )
    times = np.linspace(0.0, 6000.0, 25)
    run = integrate(system, times)
    angle = pitch_angle(run.x[:, system.signals.where("states", "hub.quaternion")])
    expected = 1e-3 * np.cos(N * np.sqrt(3.0 * 70.0 / 100.0) * times)
    assert np.max(np.abs(angle - expected)) < 5e-9  # measured 2.0e-9: the frequency falls with amplitude²
    # the mass centre is pushed by the second-order force alone: 3μI/(2R⁴)/m ≈ 3e-13 m/s²
    assert np.max(np.abs(run.x[:, system.signals.where("states", "hub.position")])) < 2e-5  # measured 8e-6 m


FREE = """
[bodies.hub.initial]
position = [30.0, -60.0, 20.0]
velocity = [0.02, -0.03, 0.01]
angular_velocity = [0.002, -0.004, 0.003]
"""


def test_jacobi_integral():
    """Flexible spacecraft on a circular orbit, tumbling: constant to 1e-10 of the relative energy over a third of it."""
    system = fast(
        craft(orbit(inclination=0.9), HUB, FREE, PANEL, "[bodies.panel.initial]\namplitudes = [0.05, 0.02, 0.01]\n")
    )
    run = integrate(system, np.linspace(0.0, 2000.0, 7), rtol=1e-13, atol=1e-13)
    jacobi = run.y[:, system.signals.where("outputs", "system.jacobi_integral")]
    kinetic = run.y[:, system.signals.where("outputs", "system.kinetic_energy")]
    assert np.max(np.abs(jacobi - jacobi[0])) < 1e-10 * np.max(kinetic)  # measured 2e-14 J of 21 J
    # the elastic and tidal parts matter: they are what would be lost if a load were not the gradient of its energy
    potential = run.y[:, system.signals.where("outputs", "system.potential_energy")]
    assert np.ptp(potential) > 1e-3 * np.max(kinetic)


def test_orbit_frame_and_inertial_frame_agree():
    """One motion described twice, elliptic orbit, a third of a revolution: to 1e-9 of the relative motion (measured 3e-13 in position, 6e-13 in velocity)."""
    elements = {"eccentricity": 0.08, "inclination": 0.9, "raan": 0.3, "perigee": 1.1, "mean_anomaly": 0.6}
    free = FREE.replace("30.0, -60.0, 20.0", "3000.0, -6000.0, 2000.0").replace("0.02, -0.03, 0.01", "2.0, -3.0, 1.0")
    relative = fast(craft(orbit(**elements), HUB, free, PANEL))
    times = np.linspace(0.0, 2000.0, 5)
    run = integrate(relative, times, rtol=1e-13, atol=1e-12)
    names = ("position", "velocity", "quaternion", "angular_velocity")
    first = {name: run.y[0][relative.signals.where("outputs", f"hub.inertial.{name}")] for name in names}
    inertial = craft('[environment]\ngravity = "central"\n', HUB, PANEL)
    x = np.array(inertial.signals.starts("states"))
    for name, value in first.items():
        x[inertial.signals.where("states", f"hub.{name}")] = value
    other = integrate(fast(inertial), times, x=x, rtol=1e-13, atol=1e-12)
    size = np.max(np.linalg.norm(run.x[:, relative.signals.where("states", "hub.position")], axis=1))
    for name, scale in (("position", size), ("velocity", size * N)):
        a = run.y[:, relative.signals.where("outputs", f"hub.inertial.{name}")]
        b = other.x[:, inertial.signals.where("states", f"hub.{name}")]
        assert np.max(np.abs(a - b)) < 1e-9 * scale
    for a, b in zip(run.y, other.x, strict=True):
        q = a[relative.signals.where("outputs", "hub.inertial.quaternion")]
        p = b[inertial.signals.where("states", "hub.quaternion")]
        assert np.max(np.abs(quaternion_dcm(q) - quaternion_dcm(p))) < 1e-8  # measured 5e-11
    panel = [f"panel.mode[{i}].amplitude" for i in range(1, 4)]
    for name in panel:
        i, j = relative.signals.where("states", name), inertial.signals.where("states", name)
        assert np.max(np.abs(run.x[:, i] - other.x[:, j])) < 1e-9
    # the orbital outputs of the inertial description: attitude relative to the osculating frame of the mass centre
    elements_of = [
        relative.signals.where("outputs", f"system.orbit.{n}") for n in ("semi_major_axis", "inclination", "raan")
    ]
    same = [inertial.signals.where("outputs", f"system.orbit.{n}") for n in ("semi_major_axis", "inclination", "raan")]
    assert np.allclose(run.y[:, elements_of], other.y[:, same], rtol=1e-12)


def test_nodal_regression_by_j2():
    """Ω̇ = −(3/2) n J₂ (a_E/p)² cos i (textbook mean rate, first order in J₂, of mean elements): over six revolutions to 0.5 %."""
    inclination, j2, radius = 0.9, 1.08262668e-3, 6378137.0
    text = orbit(inclination=inclination, raan=1.0).replace('gravity = "central"', 'gravity = "central"\nj2 = true')
    system = fast(craft(text, "[bodies.hub]\nmass = 50.0\ninertia = [20.0, 90.0, 100.0]\n"))
    times = np.linspace(0.0, 12.0 * np.pi / N, 121)
    run = integrate(system, times, rtol=1e-9, atol=1e-6)
    raan, a = (
        run.y[:, system.signals.where("outputs", f"system.orbit.{name}")] for name in ("raan", "semi_major_axis")
    )
    rate, mean_a = np.polyfit(times, raan, 1)[0], np.mean(a[:-1])
    expected = -1.5 * np.sqrt(MU / mean_a**3) * j2 * (radius / mean_a) ** 2 * np.cos(inclination)
    assert rate == pytest.approx(
        expected, rel=5e-3
    )  # measured 3.1e-3: osculating elements differ from mean ones by some J₂


def test_uniform_gravity_pendulum():
    """A beam on a hinge under 9.81 m/s²: small swings at √(m g c/J), and energy conserved to 1e-12."""
    text = '[environment]\ngravity = "uniform"\nacceleration = [0.0, 0.0, -9.81]\n'
    bar = "[bodies.bar]\nmass = 2.0\nmass_center = [0.0, 0.0, -0.5]\ninertia = [0.2, 0.2, 0.01]\n"
    hinge = (
        '[joints.pin]\nparent = "space"\nchild = "bar"\nkind = "revolute"\naxis = "x"\ninitial = { position = 1.0 }\n'
    )
    system = craft(text, bar, hinge)
    x, u, k, d = start(system)
    rate = motion(system, 0.0, x, u, k, d)[0][system.signals.where("states", "pin.rate")]
    assert rate == pytest.approx(-2.0 * 9.81 * 0.5 * np.sin(1.0) / (0.2 + 2.0 * 0.25), rel=1e-14)
    run = integrate(system, np.linspace(0.0, 5.0, 6))
    energy = sum(
        run.y[:, system.signals.where("outputs", f"system.{part}_energy")] for part in ("kinetic", "potential")
    )
    assert np.ptp(energy) < 1e-10  # measured 1e-12 J


def test_weight_of_an_unbalanced_wheel():
    """On a bench, wheel axis level: the imbalance b, along y at θ = 0, is a pendulum with J θ̈ = −b g cos θ.

    Both to 1e-10: measured 2e-16 of b g/J, and the energy 4e-13 of b g.
    """
    b, J, g = 0.02, 0.01, 9.81
    text = f"""
name = "Bench"
[environment]
gravity = "uniform"
acceleration = [0.0, 0.0, {-g}]
[bodies.hub]
mass = 5.0
inertia = [1.0, 1.0, 1.0]
[joints.bench]
parent = "space"
child = "hub"
kind = "fixed"
[wheels.x]
body = "hub"
axis = "x"
spin_inertia = {J}
imbalance = {b}
"""
    system = fast(load_text(text))
    run = integrate(system, np.linspace(0.0, 3.0, 61))
    _, u, k, d = start(system)
    angle, speed = (system.signals.where("states", f"wheel.x.{name}") for name in ("angle", "speed"))
    found = np.array([motion(system, 0.0, x, u, k, d)[0][speed] for x in run.x])
    assert np.max(np.abs(found + b * g / J * np.cos(run.x[:, angle]))) < 1e-10 * b * g / J
    energy = sum(
        run.y[:, system.signals.where("outputs", f"system.{name}_energy")] for name in ("kinetic", "potential")
    )
    assert np.ptp(energy) < 1e-10 * b * g


def test_symbols_and_floats_agree():
    """Everything on: the traced equations give what NumPy gives, to round-off."""
    text = orbit(eccentricity=0.05, inclination=0.9).replace('gravity = "central"', 'gravity = "central"\nj2 = true')
    more = "[environment.sun]\ndate = 2026-03-20\n[environment.air]\ndensity = 1e-9\nheight = 6e5\nscale_height = 6e4\n[environment.magnetic]\n"
    system = craft(
        text,
        more,
        HUB,
        FREE,
        PANEL,
        '[surfaces.side]\nbody = "hub"\nnormal = "x"\narea = 3.0\n[dipoles.coil]\nbody = "hub"\n',
    )
    quick = fast(system)
    x, u, k, d = start(system)
    rng = np.random.default_rng(1)
    for _ in range(3):
        state = x + rng.normal(0.0, 0.1, len(x))
        u = rng.normal(0.0, 1.0, len(u))
        for a, b in zip(motion(system, 100.0, state, u, k, d), motion(quick, 100.0, state, u, k, d), strict=True):
            assert np.allclose(a, b, rtol=1e-11, atol=1e-11)
