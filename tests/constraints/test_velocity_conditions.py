"""Conditions by velocities ([stroe] 2.3) against equations written down independently of the engine."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

from tests.constraints.craft import balance, column, drift, run

SLEIGH = """
name = "Sleigh"
[bodies.sled]
mass = 4.0
mass_center = [0.3, 0.0, 0.0]
inertia = [0.2, 0.4, 0.5]
[joints.ice]
parent = "space"
child = "sled"
kind = "planar"
axis = "z"
initial = { rate = [0.8, 0.6, 1.2] }
[couplings.blade]
kind = "knife_edge"
a = "space"
b = "sled"
axis = "y"
"""


def test_knife_edge_is_chaplygins_sleigh():
    """A blade at the frame's origin, mass centre a = 0.3 m ahead: v̇ = a ω², ω̇ = −m a v ω/(J + m a²), no power.

    S. A. Chaplygin 1911; integrated here with x, y, heading.
    """
    system, trajectory = run(SLEIGH, 5.0)
    states = system.signals
    place = trajectory.x[:, states.where("states", "ice.position")]
    angle = column(system, trajectory, "ice.angle[1]")
    rates = trajectory.x[0, states.where("states", "ice.velocity")]
    along = np.array([np.cos(angle[0]), np.sin(angle[0])])
    # the planar joint's own axes: two translations square to z
    axes = np.array(system.made_by[1].tree.links[0].joint.translations)
    v0 = (rates @ axes)[:2] @ along
    w0 = column(system, trajectory, "ice.rate[1]")[0]
    m, a, J = 4.0, 0.3, 0.5

    def sleigh(t, s):
        _x, _y, heading, v, w = s
        return [v * np.cos(heading), v * np.sin(heading), w, a * w * w, -m * a * v * w / (J + m * a * a)]

    start = [*(place[0] @ axes)[:2], angle[0], v0, w0]
    independent = solve_ivp(sleigh, (0.0, 5.0), start, "DOP853", trajectory.time, rtol=1e-13, atol=1e-13).y
    np.testing.assert_allclose((place @ axes)[:, :2], independent[:2].T, atol=1e-9)  # measured 2e-13
    assert drift(balance(system, trajectory)) < 1e-11  # measured 2e-13


TURNTABLE = """
name = "Turntable"
[bodies.table]
mass = 30.0
inertia = [4.0, 4.0, 8.0]
[bodies.ball]
mass = 0.5
inertia = [0.002, 0.002, 0.002]         # (2/5) m r² with r = 0.1 m
[bodies.ball.initial]
position = [0.7, 0.1, 0.1]
velocity = [0.1, -0.2, 0.0]
[joints.shaft]
parent = "space"
child = "table"
kind = "revolute"
axis = "z"
drive = "acceleration"
initial = { rate = 2.0 }
[couplings.contact]
kind = "rolling_ball"
a = "table"
b = "ball"
radius = 0.1
"""


def test_ball_on_a_turntable_runs_in_circles():
    """A ball rolling on a table that turns at Ω: its centre obeys r̈ = (2/7) Ω ẑ × ṙ, a circle at 2Ω/7 (any text on rolling).

    The table turns at a prescribed rate, so its drive does work; the balance holds with it.
    """
    system, trajectory = run(TURNTABLE, 10.0)
    place, speed = (
        trajectory.x[:, system.signals.where("states", f"ball.{name}")] for name in ("position", "velocity")
    )
    w = 2.0 / 7.0 * 2.0
    x0, v0 = place[0, :2] + 0.0, speed[0, :2]
    t = trajectory.time[:, None]
    turned = np.array([-v0[1], v0[0]])
    circle = x0 + (v0 * np.sin(w * t) - turned * (np.cos(w * t) - 1.0)) / w
    np.testing.assert_allclose(place[:, :2], circle, atol=1e-10)  # measured 8e-12
    assert np.max(np.abs(place[:, 2] - 0.1)) < 1e-13  # it stays on the table; measured 0
    assert drift(balance(system, trajectory)) < 1e-11  # measured 2e-13


TWO_SPINNING = """
name = "Spinning"
[bodies.j]
mass = 5.0
inertia = { xx = 1.1, yy = 1.4, zz = 1.7, xy = 0.1, xz = -0.2, yz = 0.05 }
[bodies.j.initial]
angular_velocity = [0.3, -0.8, 0.5]
[bodies.i]
mass = 2.0
inertia = [0.4, 0.5, 0.6]
[bodies.i.initial]
position = [2.0, 1.0, 0.5]
angular_velocity = [-0.6, 0.4, 0.9]
[couplings.condition]
kind = "rotation_about_two"
a = "j"
b = "i"
axis = [0.36, 0.48, 0.8]
"""


def test_relative_rotation_condition():
    """[stroe] (25): e·(ω_i − ω_j) = 0, e fixed in j, against Euler's equations of both bodies with the multiplier eliminated by hand."""
    system, trajectory = run(TWO_SPINNING, 10.0)
    Jj = np.array([[1.1, 0.1, -0.2], [0.1, 1.4, 0.05], [-0.2, 0.05, 1.7]])
    Ji, e = np.diag([0.4, 0.5, 0.6]), np.array([0.36, 0.48, 0.8])
    table = system.signals
    wj, wi = (trajectory.x[:, table.where("states", f"{name}.angular_velocity")] for name in "ji")

    def rates(t, s):
        wj, wi, R = s[:3], s[3:6], s[6:].reshape(3, 3)  # R maps i's axes to j's
        free_j, free_i = -np.linalg.solve(Jj, np.cross(wj, Jj @ wj)), -np.linalg.solve(Ji, np.cross(wi, Ji @ wi))
        e_i = R.T @ e
        relative = R @ wi - wj
        # d/dt e·(R ω_i − ω_j), with Ṙ = (R ω_i − ω_j)~ R
        bias = e_i @ free_i - e @ free_j + e @ np.cross(relative, R @ wi)
        effective = e_i @ np.linalg.solve(Ji, e_i) + e @ np.linalg.solve(Jj, e)
        force = -bias / effective
        spin = np.cross(np.eye(3), relative)  # the matrix of relative ×
        return np.concatenate(
            [free_j - force * np.linalg.solve(Jj, e), free_i + force * np.linalg.solve(Ji, e_i), (spin @ R).ravel()]
        )

    start = np.concatenate([wj[0], wi[0], np.eye(3).ravel()])
    independent = solve_ivp(rates, (0.0, 10.0), start, "DOP853", trajectory.time, rtol=1e-13, atol=1e-13).y
    np.testing.assert_allclose(wj, independent[:3].T, atol=1e-9)  # measured 6e-13
    np.testing.assert_allclose(wi, independent[3:6].T, atol=1e-9)  # measured 7e-12
    assert drift(column(system, trajectory, "system.angular_momentum")) < 1e-11  # measured 2e-12
    assert drift(balance(system, trajectory)) < 1e-11  # measured 3e-13


DRIVEN = """
name = "Driven"
[bodies.left]
mass = 3.0
inertia = [0.0, 0.0, 0.0]
[bodies.right]
mass = 1.0
inertia = [0.0, 0.0, 0.0]
[joints.l]
parent = "space"
child = "left"
kind = "general"
translations = ["x", "y", "z"]
[joints.r]
parent = "space"
child = "right"
kind = "general"
translations = ["x", "y", "z"]
initial = { position = [2.0, 0.0, 0.0] }
[couplings.rod]
kind = "distance"
a = "left"
b = "right"
length = 2.0
driven = { rate = 0.0 }
"""


def test_driven_rod_is_rheonomic():
    """A rod whose length grows at s̈ = 0.1 m/s²: s = 2 + 0.05 t², force m_r s̈ = 0.075 N, and its drive does all the work."""
    system, trajectory = run(DRIVEN, 4.0, u=np.array([0.1]))
    apart = (
        trajectory.x[:, system.signals.where("states", "r.position")]
        - trajectory.x[:, system.signals.where("states", "l.position")]
    )
    np.testing.assert_allclose(
        np.linalg.norm(apart, axis=1), 2.0 + 0.05 * trajectory.time**2, rtol=1e-12
    )  # measured 7e-16
    np.testing.assert_allclose(
        trajectory.y[:, system.signals.where("outputs", "rod.force")][:, 0], 0.075, rtol=1e-12
    )  # measured 2e-16
    assert drift(balance(system, trajectory)) < 1e-12  # measured 1e-17
    assert column(system, trajectory, "system.work")[-1] > 0.05
