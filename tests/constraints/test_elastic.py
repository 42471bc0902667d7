"""Elastic and beaded tethers: limits, conservation laws, an independent integration, and cost."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from spacefmu.dynamics.description import load_text
from spacefmu.fmu_src.native.trace.traces import Traces
from tests.constraints.craft import balance, column, drift, point, run

PENDULUM = (
    """
name = "ElasticPendulum"
[environment]
gravity = "uniform"
acceleration = [0.0, -9.81, 0.0]
"""
    + point("bob", "place", 2.0)
    + """initial = {{ position = [0.0, {y}, 0.0], rate = [1.0, 0.0, 0.0] }}
[cables.string]
a = "space"
b = "bob"
length = 1.0
{more}
"""
)


def test_elastic_tends_to_inextensible():
    """Started with the stretch T/k of its tension, the elastic pendulum differs from the inextensible one by O(1/k): order measured."""

    def angle(y, more):
        system, trajectory = run(PENDULUM.format(y=y, more=more), 1.0, 2, rtol=1e-10, atol=1e-10)
        place = trajectory.x[-1, system.signals.where("states", "place.position")]
        return np.arctan2(place[0], -place[1])

    rigid = angle(-1.0, "")
    stretch = 2.0 * (9.81 + 1.0)
    errors = [abs(angle(-1.0 - stretch / k, f'kind = "elastic"\nstiffness = {k}') - rigid) for k in (1e4, 1e5)]
    order = np.log10(errors[0] / errors[1])
    assert 0.9 < order < 1.1  # measured 0.999
    assert errors[1] < 1e-3  # measured 1.1e-4


def test_elastic_events_and_loss_against_newton():
    """A bob dropped on a damped cable: s = 0 going down, k s + c ṡ = 0 going up, s = 0 again; the cable never pushes.

    Between, m s̈ = m g − (k s + c ṡ) or free fall, integrated here with its own event location.
    """
    text = PENDULUM.format(y=-0.7, more='kind = "elastic"\nstiffness = 300.0\ndamping = 8.0').replace(
        "[1.0, 0.0, 0.0]", "[0.0, 0.0, 0.0]"
    )
    system, trajectory = run(text, 1.2, 13)
    m, k, c, g = 2.0, 300.0, 8.0, 9.81

    def force(t, s):
        return k * s[0] + c * s[1]

    def tightens(t, s):
        return s[0]

    def relaxes(t, s):
        return s[0]

    def hanging(t, s):
        return [s[1], g - force(t, s) / m, c * s[1] ** 2]

    def falling(t, s):
        return [s[1], g, 0.0]

    force.terminal = tightens.terminal = relaxes.terminal = True
    force.direction, tightens.direction, relaxes.direction = -1.0, 1.0, -1.0
    t, state, events = 0.0, [-0.3, 0.0, 0.0], []  # stretch, its rate, energy lost in the damper
    for law, event in ((falling, tightens), (hanging, force), (falling, relaxes), (falling, tightens)):
        part = solve_ivp(law, (t, 1.2), state, "DOP853", events=event, rtol=1e-13, atol=1e-13)
        t, state = part.t_events[0][0], part.y_events[0][0]
        events.append(t)
        if event is force:
            state = state + [0.0, 0.0, 0.5 * k * state[0] ** 2]  # what is left in the spring is lost as well
    for expected in events:
        assert min(abs(found - expected) for found in trajectory.events) < 1e-9  # measured 7e-14
    before = np.searchsorted(trajectory.time, events[-1]) - 1  # slack again, not yet caught again
    assert abs(column(system, trajectory, "system.dissipated_energy")[before] - state[2]) < 1e-9  # measured 5e-13
    assert column(system, trajectory, "string.slack_events")[before] == 1
    assert drift(balance(system, trajectory)) < 1e-10  # measured 6e-13


BEADED = """
name = "Beaded"
[bodies.a]
mass = 3.0
inertia = [0.3, 0.3, 0.3]
nodes = {{ tip = [0.0, 0.2, 0.0] }}
[bodies.b]
mass = 1.0
inertia = [0.1, 0.2, 0.2]
nodes = {{ tip = [-0.1, 0.0, 0.0] }}
[bodies.b.initial]
position = [4.3, 0.2, 0.0]
velocity = [0.1, 0.9, 0.2]
[cables.chain]
kind = "beaded"
a = "a.tip"
b = "b.tip"
length = 4.0
mass = 0.6
beads = {beads}
stiffness = 60.0
damping = {damping}
"""


def test_beaded_conserves():
    """Momentum, angular momentum and energy plus losses of bodies and beads together."""
    system, trajectory = run(BEADED.format(beads=4, damping=0.2), 1.0, 3, rtol=1e-10, atol=1e-10)
    assert drift(column(system, trajectory, "system.momentum")) < 1e-9  # measured 2e-16
    assert drift(column(system, trajectory, "system.angular_momentum")) < 1e-9  # measured 3e-15
    assert drift(balance(system, trajectory)) < 1e-9  # measured 9e-12
    assert column(system, trajectory, "chain.tension")[0] > 0.0


def test_beaded_against_newton():
    """A hanging chain fixed at both ends, against Newton's equations of its beads written here."""
    text = (
        """
name = "Hanging"
[environment]
gravity = "uniform"
acceleration = [0.0, -9.81, 0.0]
"""
        + point("bob", "place", 2.0)
        + """initial = { position = [1.02, 0.0, 0.0] }
[cables.chain]
kind = "beaded"
a = "space"
b = "bob"
length = 1.0
mass = 0.3
beads = 3
stiffness = 200.0
"""
    )
    system, trajectory = run(text, 0.2, 3, rtol=1e-10, atol=1e-10)
    masses, pieces = np.array([0.1, 0.1, 0.1, 2.0]), np.array([6.0, 3.0, 3.0, 6.0])

    def rates(t, s):
        r, v = s[:12].reshape(4, 3), s[12:].reshape(4, 3)
        span = np.diff(np.vstack([np.zeros(3), r]), axis=0)
        length = np.linalg.norm(span, axis=1)
        pull = np.maximum(0.0, 200.0 * pieces * (length - 1.0 / pieces))[:, None] * span / length[:, None]
        force = np.vstack([pull[1:], np.zeros(3)]) - pull
        return np.concatenate([v.ravel(), (force / masses[:, None] + np.array([0.0, -9.81, 0.0])).ravel()])

    places = np.outer([1 / 6, 0.5, 5 / 6, 1.0], [1.02, 0.0, 0.0])
    independent = solve_ivp(
        rates, (0.0, 0.2), np.concatenate([places.ravel(), np.zeros(12)]), "DOP853", rtol=1e-11, atol=1e-11
    ).y[:, -1]
    found = trajectory.x[-1, system.signals.where("states", "chain.bead_position")]
    np.testing.assert_allclose(found, independent[:9], atol=1e-6)  # measured 1e-11
    np.testing.assert_allclose(
        trajectory.x[-1, system.signals.where("states", "place.position")], independent[9:12], atol=1e-6
    )  # measured 7e-14
    assert drift(balance(system, trajectory)) < 1e-11  # measured 2e-13


REELED = (
    """
name = "Reeled"
"""
    + point("a", "pa", 3.0)
    + """initial = { position = [-2.55, 0.0, 0.0], rate = [0.0, -1.5, 0.0] }
"""
    + point("b", "pb", 1.0)
    + """initial = { position = [7.65, 0.0, 0.0], rate = [0.0, 4.5, 0.0] }
[cables.chain]
kind = "beaded"
a = "a"
b = "b"
length = 10.0
mass = 0.6
beads = 3
stiffness = 20.0
damping = 0.5
reel = { rate = -0.2 }
"""
)


def test_a_reel_on_beads_against_newton():
    """A chain that spins at 0.6 rad/s is wound in: Newton's equations of all five masses, written here, with L = 10 − 0.2 t + 0.02 t².

    The reel's work is ∫ −Σ T_i L̇_i dt, each segment with its share of L̇, and energy less work plus losses is constant.
    """
    system, trajectory = run(REELED, 3.0, 7, u=np.array([0.04]))
    masses, pieces = np.array([3.0, 0.2, 0.2, 0.2, 1.0]), np.array([6.0, 3.0, 3.0, 6.0])

    def rates(t, s):
        r, v = s[:15].reshape(5, 3), s[15:30].reshape(5, 3)
        reeling = -0.2 + 0.04 * t
        span, relative = np.diff(r, axis=0), np.diff(v, axis=0)
        length = np.linalg.norm(span, axis=1)
        n = span / length[:, None]
        stretch = length - (10.0 - 0.2 * t + 0.02 * t * t) / pieces
        stretching = np.sum(n * relative, axis=1) - reeling / pieces
        pull = np.where(stretch > 0.0, np.maximum(0.0, pieces * (20.0 * stretch + 0.5 * stretching)), 0.0)
        force = np.vstack([pull[:, None] * n, np.zeros(3)]) - np.vstack([np.zeros(3), pull[:, None] * n])
        return np.concatenate([v.ravel(), (force / masses[:, None]).ravel(), [-np.sum(pull / pieces) * reeling]])

    along = np.array([0.0, 1 / 6, 0.5, 5 / 6, 1.0])[:, None]
    places = (1.0 - along) * np.array([-2.55, 0.0, 0.0]) + along * np.array([7.65, 0.0, 0.0])
    speeds = (1.0 - along) * np.array([0.0, -1.5, 0.0]) + along * np.array([0.0, 4.5, 0.0])
    begin = np.concatenate([places.ravel(), speeds.ravel(), [0.0]])
    independent = solve_ivp(rates, (0.0, 3.0), begin, "DOP853", trajectory.time, rtol=1e-12, atol=1e-12).y.T
    found = trajectory.x[:, system.signals.where("states", "chain.bead_position")]
    np.testing.assert_allclose(found, independent[:, 3:12], atol=1e-9)  # measured 3e-13
    work = column(system, trajectory, "system.work")
    np.testing.assert_allclose(work, independent[:, 30], atol=1e-9)  # measured 5e-15
    assert work[-1] > 0.5  # measured 1.3 J
    assert drift(balance(system, trajectory)) < 1e-10  # measured 7e-14, of 14 J
    assert drift(column(system, trajectory, "system.angular_momentum")) < 1e-10  # measured 1e-13
    assert column(system, trajectory, "chain.slack_events")[-1] == 0.0


@pytest.mark.parametrize("result", ["rates", "outputs", "indicators"])
def test_cost_grows_linearly(result):
    """Operations of the generated expressions for 20, 40 and 80 beads: equal steps, so linear in N."""
    counts = [
        Traces(load_text(BEADED.format(beads=n, damping=0.2))).motion.results[result].n_instructions()
        for n in (20, 40, 80)
    ]
    assert abs((counts[2] - counts[1]) / (counts[1] - counts[0]) - 2.0) < 0.05  # measured 0
