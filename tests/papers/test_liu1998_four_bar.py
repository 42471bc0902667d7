"""[liu1998] Fig. 1: a spatial four-bar by three points, 9 coordinates and 8 quadratic conditions, against the tree engine.

Hinges A and B on the ground, a ball joint C, a cylindrical joint along the line through D and E; thin bars A–C, C–D and B–E. The engine needs
three bodies, 5 joint coordinates and a coupling for the same; a spin of thin bars about themselves has to have some inertia there.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from spacefmu.dynamics.algebra.rotation import dcm_quaternion
from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.natural.carriers import DotCondition, Form
from spacefmu.dynamics.system.evaluate import solve_saddle
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.native.trace.fast import fast

A, B = np.zeros(3), np.array([1.0, 0.1, -0.2])
AXIS_A, AXIS_B = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
CRANK, COUPLER, ROCKER = (2.0, 0.4), (3.0, 1.1), (2.5, 0.7)  # mass [kg], length [m]
SPIN = 1e-7  # inertia of the engine's bars about themselves [kg m²]


def free(i):
    return Form(np.eye(3)[i], np.zeros(3))


def fixed(vector):
    return Form(np.zeros(3), np.asarray(vector))


C, D, E = free(0), free(1), free(2)
AC, BE = C.plus(fixed(A), -1.0), E.plus(fixed(B), -1.0)
CD, DE = D.plus(C, -1.0), E.plus(D, -1.0)
CONDITIONS = [
    DotCondition(AC, AC, CRANK[1] ** 2, 0),
    DotCondition(AC, fixed(AXIS_A), 0.0, 0),
    DotCondition(BE, BE, ROCKER[1] ** 2, 2),
    DotCondition(BE, fixed(AXIS_B), 0.0, 2),
    DotCondition(DE, fixed(AXIS_B), 0.0, 2),
    DotCondition(DE, BE, 0.0, 2),
    DotCondition(CD, CD, COUPLER[1] ** 2, 1),
    DotCondition(CD, DE, 0.0, 1),
]
# A thin bar between two points: m/3 at each and m/6 between them
MASS = np.kron(
    np.diag([CRANK[0] / 3, 0.0, ROCKER[0] / 3])
    + COUPLER[0] / 6 * np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 0.0]]),
    np.eye(3),
)


def rows(X):
    return np.array([condition.row(X) for condition in CONDITIONS])


def closed(angle):
    """X with the crank at an angle: the rocker's angle by a root search, D where C's normal meets the line."""
    tip = A + CRANK[1] * np.array([np.cos(angle), np.sin(angle), 0.0])

    def points(turned):
        end = B + ROCKER[1] * np.array([np.cos(turned), 0.0, np.sin(turned)])
        line = np.array([-np.sin(turned), 0.0, np.cos(turned)])
        return np.array([tip, end - (end - tip) @ line * line, end])

    def excess(turned):
        X = points(turned)
        return np.linalg.norm(X[1] - X[0]) - COUPLER[1]

    return points(brentq(excess, 0.3, 1.3, xtol=1e-15))


def moving(X, crank_rate):
    """Ẋ: the conditions' rates are zero, and C goes round A."""
    swept = np.cross(crank_rate * AXIS_A, X[0] - A)
    G = np.vstack([rows(X)[2:], np.hstack([np.eye(3), np.zeros((3, 6))])])
    return np.linalg.solve(G, np.concatenate([np.zeros(6), swept]))


ENGINE = f"""
name = "FourBarInSpace"
[bodies.crank]
mass = {CRANK[0]}
mass_center = [{CRANK[1] / 2}, 0.0, 0.0]
inertia = [{SPIN}, {CRANK[0] * CRANK[1] ** 2 / 12}, {CRANK[0] * CRANK[1] ** 2 / 12}]
[bodies.coupler]
mass = {COUPLER[0]}
mass_center = [{COUPLER[1] / 2}, 0.0, 0.0]
inertia = [{SPIN}, {COUPLER[0] * COUPLER[1] ** 2 / 12}, {COUPLER[0] * COUPLER[1] ** 2 / 12}]
nodes = {{ d = [{COUPLER[1]}, 0.0, 0.0] }}
[bodies.rocker]
mass = {ROCKER[0]}
mass_center = [{ROCKER[1] / 2}, 0.0, 0.0]
inertia = [{SPIN}, {ROCKER[0] * ROCKER[1] ** 2 / 12}, {ROCKER[0] * ROCKER[1] ** 2 / 12}]
nodes = {{ e = [{ROCKER[1]}, 0.0, 0.0] }}
[joints.hinge_a]
parent = "space"
child = "crank"
kind = "revolute"
axis = "z"
initial = {{ position = %.17g, rate = 1.0 }}
[joints.ball]
parent = "crank"
child = "coupler"
place = [{CRANK[1]}, 0.0, 0.0]
kind = "spherical"
initial = {{ orientation = %s, guess = true }}
[joints.hinge_b]
parent = "space"
child = "rocker"
place = [{B[0]}, {B[1]}, {B[2]}]
kind = "revolute"
axis = "y"
initial = {{ position = %.17g, guess = true }}
[couplings.slider]
kind = "cylindrical"
a = "rocker.e"
b = "coupler.d"
axis = "z"
"""


def engine(angle, X):
    """The same mechanism as a tree with a coupling: it closes where the points are."""
    to_crank = np.array([[np.cos(angle), np.sin(angle), 0.0], [-np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
    bar, line = to_crank @ (X[1] - X[0]) / COUPLER[1], to_crank @ (X[2] - X[1])
    line /= np.linalg.norm(line)
    rocker = X[2] - B
    turned = -np.arctan2(rocker[2], rocker[0])
    z = np.array([np.sin(turned), 0.0, np.cos(turned)])  # the rocker's own z, along or against E − D
    if z @ (X[2] - X[1]) < 0.0:
        line = -line
    dcm = np.column_stack([bar, np.cross(line, bar), line])
    return load_text(ENGINE % (angle, list(map(float, dcm_quaternion(dcm))), turned))


def test_counts():
    """9 coordinates less 8 conditions that are independent: one degree of freedom."""
    X = closed(1.0)
    assert X.size - len(CONDITIONS) == 1
    assert np.linalg.matrix_rank(rows(X)) == 8
    assert max(abs(condition.residual(X)) for condition in CONDITIONS) < 1e-13


def test_the_motion_is_the_engines():
    """Crank angle over 3 s; the bars' spin inertia leaves a difference of its own size, and the energy stays."""
    X = closed(1.0)

    def rates(t, state):
        places, speeds = state[:9].reshape(3, 3), state[9:]
        gamma = -np.array([condition.bias(speeds.reshape(3, 3)) for condition in CONDITIONS])
        # bars have no mass between D and E: the condition rows make the matrix of motions positive definite
        G = rows(places)
        z, _ = solve_saddle(MASS + G.T @ G, G, G.T @ gamma, gamma)
        return np.concatenate([speeds, z])

    start = np.concatenate([X.ravel(), moving(X, 1.0)])
    times = np.linspace(0.0, 3.0, 31)
    run = solve_ivp(rates, (0.0, 3.0), start, method="DOP853", t_eval=times, rtol=1e-12, atol=1e-13)
    energy = 0.5 * np.einsum("it,ij,jt->t", run.y[9:], MASS, run.y[9:])
    assert np.ptp(energy) < 1e-10 * energy[0]
    system = engine(1.0, X)
    found = integrate(fast(system), times, rtol=1e-10, atol=1e-11)
    angle = found.x[:, system.signals.where("states", "hinge_a.angle")]
    expected = np.unwrap(np.arctan2(run.y[1], run.y[0]))
    assert np.ptp(expected) > 2.0
    assert angle == pytest.approx(expected, abs=1e-6)
