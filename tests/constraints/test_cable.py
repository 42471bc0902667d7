"""Inextensible cables: slack and taut, every event time against an independent integration; reels; impulses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from tests.constraints.craft import balance, column, drift, point, run

PENDULUM = (
    """
name = "CablePendulum"
[environment]
gravity = "uniform"
acceleration = [0.0, -9.81, 0.0]
"""
    + point("bob", "place", 2.0)
    + """initial = {{ position = [0.0, -1.0, 0.0], rate = [6.0, 0.0, 0.0] }}
[cables.string]
a = "space"
b = "bob"
length = 1.0
restitution = {restitution}
"""
)
G, L, M = 9.81, 1.0, 2.0


def independent_events(place, velocity, taut: bool, stop: float):
    """Times at which a bob on a string goes slack and taut: θ̈ = −g/L sin θ while m(L θ̇² + g cos θ) > 0, else a parabola.

    At the end of a parabola the tangential velocity stays, the radial one is lost. Returns these times and the energy lost.
    """
    t, events, lost = 0.0, [], 0.0
    place, velocity = np.array(place), np.array(velocity)

    def swing(t, s):
        return [s[1], -G / L * np.sin(s[0])]

    def tension(t, s):
        return L * s[1] ** 2 + G * np.cos(s[0])

    tension.terminal, tension.direction = True, -1.0
    while t < stop:
        if taut:
            angle = np.arctan2(place[0], -place[1])
            tangent = np.array([np.cos(angle), np.sin(angle)])
            lost += 0.5 * M * (velocity @ velocity - (velocity @ tangent) ** 2)
            state = [angle, (velocity @ tangent) / L]
            run = solve_ivp(swing, (t, stop), state, "DOP853", events=tension, rtol=1e-13, atol=1e-14)
            if not run.t_events[0].size:
                break
            t, (angle, rate) = run.t_events[0][0], run.y_events[0][0]
            events.append(t)
            place = L * np.array([np.sin(angle), -np.cos(angle)])
            velocity = L * rate * np.array([np.cos(angle), np.sin(angle)])

        def gap(s, place=place, velocity=velocity):
            r = place + velocity * s - np.array([0.0, 0.5 * G * s * s])
            return r @ r - L * L

        probe = np.linspace(1e-3, 2.0, 4000)
        first = next(i for i in range(1, len(probe)) if gap(probe[i - 1]) < 0.0 <= gap(probe[i]))
        flight = brentq(gap, probe[first - 1], probe[first], xtol=1e-15, rtol=1e-15)
        t, taut = t + flight, True
        events.append(t)
        place = place + velocity * flight - np.array([0.0, 0.5 * G * flight**2])
        velocity = velocity - np.array([0.0, G * flight])
    return events, lost


def test_slack_and_taut_again():
    """Bottom speed 6 m/s: over the side, slack, a parabola, taut, and on. All event times to 1e-9 s.

    The engine has one more event a release, where the slack cable begins to watch its length: between release and capture.
    """
    events, lost = independent_events([0.0, -L], [6.0, 0.0], True, 3.0)
    assert len(events) == 2  # it loses so much at the catch that it swings on below
    system, trajectory = run(PENDULUM.format(restitution=0.0), 3.0)
    for expected in events:
        assert min(abs(found - expected) for found in trajectory.events) < 1e-9  # measured 2e-14
    assert len(trajectory.events) == 3
    assert column(system, trajectory, "string.slack_events")[-1] == 1
    assert abs(column(system, trajectory, "string.energy_lost")[-1] - lost) < 1e-9  # measured 3e-12
    assert drift(balance(system, trajectory)) < 1e-9  # measured 8e-12 J
    assert np.max(column(system, trajectory, "string.length")) < 1.0 + 1e-9  # measured 1 + 5e-14


def test_slack_taut_slack():
    """Thrown up inside the circle: slack, caught, over the side and slack again, caught again. Every event time to 1e-9 s."""
    events, lost = independent_events([0.9, 0.0], [0.0, 5.0], False, 1.5)
    assert len(events) == 3
    text = PENDULUM.format(restitution=0.0).replace(
        "[0.0, -1.0, 0.0], rate = [6.0, 0.0, 0.0]", "[0.9, 0.0, 0.0], rate = [0.0, 5.0, 0.0]"
    )
    system, trajectory = run(text, 1.5)
    assert len(trajectory.events) == 4  # and where the slack cable begins to watch its length
    for expected in events:
        assert min(abs(found - expected) for found in trajectory.events) < 1e-9  # measured 4e-13
    assert column(system, trajectory, "string.slack_events")[-1] == 1
    assert abs(column(system, trajectory, "string.energy_lost")[-1] - lost) < 1e-9  # measured 5e-11
    assert drift(balance(system, trajectory)) < 1e-9  # measured 3e-12 J


def test_restitution_bounces():
    """With e = 0.5 the cable gives half of the radial velocity back, again and again, until it holds: more events, less loss at the first."""
    system, trajectory = run(PENDULUM.format(restitution=0.5), 1.5, 151)
    assert len(trajectory.events) > 3
    assert drift(balance(system, trajectory)) < 1e-9  # measured 8e-14
    assert np.max(column(system, trajectory, "string.length")) < 1.0 + 1e-8  # measured 1


PAIR = (
    """
name = "Reeling"
"""
    + point("a", "pa", 3.0)
    + """initial = {{ position = [-2.5, 0.0, 0.0], rate = [0.0, -0.5, 0.0] }}
"""
    + point("b", "pb", 1.0)
    + """initial = {{ position = [7.5, 0.0, 0.0], rate = [0.0, 1.5, 0.0] }}
[cables.tether]
a = "a"
b = "b"
length = 10.0
reel = {{ rate = -0.2 }}
{more}
"""
)


def test_reel_does_the_work():
    """Reeled in from 10 m to 8 m, a spinning pair keeps H = m_r L² ω: ω = 0.2 (10/8)² rad/s; the reel's work is the energy gained."""
    system, trajectory = run(PAIR.format(more=""), 10.0)
    place, speed = (
        trajectory.x[:, system.signals.where("states", f"pb.{q}")]
        - trajectory.x[:, system.signals.where("states", f"pa.{q}")]
        for q in ("position", "velocity")
    )
    np.testing.assert_allclose(
        np.linalg.norm(place, axis=1), 10.0 - 0.2 * trajectory.time, rtol=1e-10
    )  # measured 2e-15
    omega = np.cross(place, speed)[:, 2] / np.sum(place * place, axis=1)
    np.testing.assert_allclose(omega, 0.2 * (10.0 / np.linalg.norm(place, axis=1)) ** 2, rtol=1e-10)  # measured 1e-15
    assert drift(column(system, trajectory, "system.angular_momentum")) < 1e-11  # measured 2e-14
    assert drift(balance(system, trajectory)) < 1e-10  # measured 2e-14 J
    assert column(system, trajectory, "system.work")[-1] > 0.5


def test_elastic_reel_does_the_work():
    """The same with an elastic tether: the balance of reel, spring and damper closes."""
    system, trajectory = run(PAIR.format(more='kind = "elastic"\nstiffness = 40.0\ndamping = 3.0'), 10.0)
    assert drift(balance(system, trajectory)) < 1e-9  # measured 1e-13
    assert abs(column(system, trajectory, "tether.length")[-1] - 8.0) < 0.05  # measured 0.01


def test_capture_conserves_momentum():
    """Two masses part until the cable catches them: momentum and angular momentum stay; loss ½ m_r ṙ² = ½·0.75·0.4²·(1 − e²)."""
    text = (
        PAIR.format(more="")
        .replace("reel = { rate = -0.2 }", "restitution = 0.0")
        .replace("[7.5, 0.0, 0.0]", "[5.5, 0.0, 0.0]")
    )
    text = text.replace("rate = [0.0, 1.5, 0.0]", "rate = [0.4, 0.0, 0.0]").replace(
        "rate = [0.0, -0.5, 0.0]", "rate = [0.0, 0.0, 0.0]"
    )
    system, trajectory = run(text, 8.0)
    assert abs(trajectory.events[0] - 5.0) < 1e-9  # 2 m at 0.4 m/s; measured 2e-15
    np.testing.assert_allclose(
        column(system, trajectory, "tether.energy_lost")[-1], 0.5 * 0.75 * 0.16, rtol=1e-10
    )  # measured 1e-16
    assert drift(column(system, trajectory, "system.momentum")) < 1e-13  # measured 1e-16
    assert drift(column(system, trajectory, "system.angular_momentum")) < 1e-13  # measured 0
    assert drift(balance(system, trajectory)) < 1e-13  # measured 1e-17


FLEXIBLE = """
name = "OnABoom"
[bodies.hub]
mass = 20.0
inertia = [3.0, 4.0, 5.0]
initial = { angular_velocity = [0.02, 0.05, 0.1] }
[bodies.boom]
damping = 0.01
[bodies.boom.beam]
length = 3.0
mass = 1.5
axis = "x"
second_axis = "y"
bending_y = 60.0
bending_z = 90.0
modes = { bending_y = 2, bending_z = 1 }
[bodies.boom.nodes]
tip = 1.0
[joints.root]
parent = "hub"
child = "boom"
place = [0.5, 0.0, 0.0]
kind = "fixed"
[bodies.load]
mass = 2.0
inertia = [0.1, 0.2, 0.2]
nodes = { eye = [0.0, -0.3, 0.1] }
initial = { position = [3.5, 1.7, 0.0], velocity = [0.1, 0.8, 0.3], angular_velocity = [0.2, 0.0, 0.1] }
[cables.line]
a = "boom.tip"
b = "load.eye"
length = 2.0
"""


@pytest.mark.parametrize(
    "kind", ["", 'kind = "elastic"\nstiffness = 80.0', 'kind = "beaded"\nstiffness = 80.0\nmass = 0.3\nbeads = 3']
)
def test_a_cable_from_a_flexible_body(kind):
    """From the tip of a boom that bends to a node of a free load, which drifts off until the cable tightens."""
    system, trajectory = run(FLEXIBLE + kind, 2.0, 11, rtol=1e-11, atol=1e-11)
    assert column(system, trajectory, "line.tension")[0] == 0.0
    assert np.max(column(system, trajectory, "line.tension")) > 0.3  # measured 1.3, 1.8, 2.3 N
    assert (
        np.ptp(column(system, trajectory, "boom.mode[1].amplitude")) > 1e-3
    )  # it bends the boom; measured 0.13 m and more
    assert drift(column(system, trajectory, "system.momentum")) < 1e-10  # measured 1e-12
    assert drift(column(system, trajectory, "system.angular_momentum")) < 1e-9  # measured 9e-13
    assert drift(balance(system, trajectory)) < 1e-9  # measured 7e-11
