"""The closed loop of the catalogue's FourBar against a planar model in minimal coordinates, and what multipliers must keep.

Minimal model: q = (x, y, θ, φ) of bar 1 and the crank. Bars 3 and 4 follow from the loop's geometry: their common end D
is where the circles of radius 1.1 about C (end of the crank) and 0.9 about A (start of bar 1) meet. Kinetic energy of
four planar rods, Lagrange's equations by automatic differentiation. No multipliers, no 3-D, nothing from `dynamics`.
"""

import functools

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from spacefmu.dynamics.description import load
from spacefmu.dynamics.system import evaluate, reference
from spacefmu.fmu_src.native.trace.fast import fast
from tests.compare import relative
from tests.laws.balance import assert_laws

CATALOGUE = "fmu_src/catalogue/FourBar.toml"
BARS = [(1.0, 4.0, 0.3383), (0.5, 2.0, 0.04667), (1.1, 4.4, 0.4487), (0.9, 3.6, 0.248)]  # length, mass, inertia about z


def torque(t):
    """Of the motor in the crank's hinge: back and forth, so that the linkage does not spin up [N m]."""
    return 0.4 * np.cos(2.0 * t)


TIMES = np.linspace(0.0, 20.0, 41)


def turned(angle, length):
    return length * ca.vertcat(ca.cos(angle), ca.sin(angle))


@functools.cache
def minimal_model():
    """(q, q̇) → M, h of M q̈ + h = (0, 0, 0, τ), and the absolute angles of the four bars."""
    q, rate = ca.SX.sym("q", 4), ca.SX.sym("rate", 4)
    A, theta, crank = q[:2], q[2], q[2] + q[3]
    B = A + turned(theta, 1.0)
    C = B + turned(crank, 0.5)
    # D on both circles, to the left of the way from A to C (the branch that the description starts on)
    AC = C - A
    distance = ca.norm_2(AC)
    along = (distance**2 + 0.9**2 - 1.1**2) / (2 * distance)
    across = ca.sqrt(0.9**2 - along**2)
    unit = AC / distance
    D = A + along * unit + across * ca.vertcat(-unit[1], unit[0])
    angles = ca.vertcat(theta, crank, ca.atan2(D[1] - C[1], D[0] - C[0]), ca.atan2(A[1] - D[1], A[0] - D[0]))
    energy = 0
    for start, angle, (length, mass, inertia) in zip((A, B, C, D), ca.vertsplit(angles), BARS, strict=True):
        v = ca.jtimes(start + turned(angle, length / 2), q, rate)
        energy += 0.5 * mass * ca.dot(v, v) + 0.5 * inertia * ca.jtimes(angle, q, rate) ** 2
    conjugate = ca.gradient(energy, rate)
    bias = ca.jtimes(conjugate, q, rate) - ca.gradient(energy, q)
    return ca.Function("four_bar", [q, rate], [ca.jacobian(conjugate, rate), bias, angles])


def minimal_rates(t, state):
    M, h, _ = minimal_model()(state[:4], state[4:])
    load = np.array([0.0, 0.0, 0.0, torque(t)])
    return np.concatenate([state[4:], np.linalg.solve(np.array(M), load - np.array(h).ravel())])


@functools.cache
def four_bar():
    system = load(CATALOGUE)
    return system, fast(system)


def read(system, x, name):
    return x[..., system.signals.where("states", name)]


def planar(system, x):
    """(x, y, θ, φ) and rates of bar 1 and the crank, from the engine's state."""
    place, q = read(system, x, "bar1.position"), read(system, x, "bar1.quaternion")
    speed, omega = read(system, x, "bar1.velocity"), read(system, x, "bar1.angular_velocity")
    theta = 2.0 * np.arctan2(q[3], q[0])
    return np.array(
        [*place[:2], theta, read(system, x, "hinge1.angle"), *speed[:2], omega[2], read(system, x, "hinge1.rate")]
    )


def test_start_is_assembled():
    """The rounded start angles of the description close exactly: the engine's are those of the circles. Measured 1e-15."""
    system, _ = four_bar()
    x = evaluate.start(system)[0]
    state = planar(system, x)
    angles = np.array(minimal_model()(state[:4], state[4:])[2]).ravel()
    hinges = np.array([read(system, x, f"hinge{i}.angle") for i in (1, 2, 3)])
    assert relative(np.mod(np.diff(angles), 2.0 * np.pi), hinges) < 1e-13


@functools.cache
def run():
    """20 s with the motor on, the crank goes round."""
    return reference.integrate(four_bar()[1], TIMES, u=lambda t: np.array([torque(t)]), rtol=1e-12, atol=1e-13)


def test_trajectory():
    """20 s of the engine's run = the minimal model's. Measured 2e-11."""
    system, _ = four_bar()
    found = run()
    first = planar(system, found.x[0])
    expected = solve_ivp(minimal_rates, (0.0, 20.0), first, "DOP853", TIMES, rtol=1e-12, atol=1e-13).y.T
    states = np.array([planar(system, x) for x in found.x])
    states[:, 2] = np.unwrap(states[:, 2])
    assert relative(states, expected) < 1e-9


def test_stays_planar_and_closed():
    """Position and velocity residuals at every output, and what leaves the plane. Tolerance of the projections: 1e-13."""
    system, quick = four_bar()
    found = run()
    k = evaluate.constants(system, system.signals.starts("parameters"))
    for t, x, d in zip(found.time, found.x, found.d, strict=True):
        for projection in quick.projections:
            assert evaluate.residual(projection, t, x, np.array([torque(t)]), k, d) < 1e-12
    out_of_plane = [read(system, found.x, "bar1.position")[:, 2], *read(system, found.x, "bar1.angular_velocity").T[:2]]
    assert np.max(np.abs(out_of_plane)) < 1e-12


def test_what_does_not_fit_is_named():
    """A compiled function says which of its arguments has the wrong size."""
    _, quick = four_bar()
    x, u, k, _ = evaluate.start(quick)
    with pytest.raises(ValueError, match=r"assemble: size of d: 1, not 0$"):
        evaluate.residual(quick.projections[0], 0.0, x, u, k, np.zeros(0))


def test_conservation():
    """The motor is inside: momentum and angular momentum stay, and the energy is the motor's work. Measured 5e-13."""
    system, _ = four_bar()
    assert_laws(system, run())


def test_redundant_row_carries_nothing():
    """The loop's row along the hinges is redundant: rank 2 of 3, least-norm multiplier zero; M z = f + Gᵀλ holds."""
    system, _ = four_bar()
    x, u, k, d = evaluate.start(system)
    M, G, f, gamma, _ = system.motion.assemble(0.0, x, u, k, d)
    z, multipliers = evaluate.solve_saddle(M, G, f, gamma)
    assert np.linalg.matrix_rank(G, tol=1e-9) == 2
    assert relative(M @ z, f + G.T @ multipliers, floor=1.0) < 1e-12
    assert relative(G @ z, gamma, floor=1.0) < 1e-12
    assert abs(multipliers[2]) < 1e-12
