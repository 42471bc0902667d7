"""Elastic and beaded tethers: limits, conservation laws, an independent integration, and cost."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from dynamics.description import load_text
from fmu_src.native.trace import trace_motion
from tests.constraints.craft import balance, column, drift, run

PENDULUM = """
name = "ElasticPendulum"
[environment]
gravity = "uniform"
acceleration = [0.0, -9.81, 0.0]
[bodies.bob]
mass = 2.0
inertia = [0.0, 0.0, 0.0]
[joints.place]
parent = "space"
child = "bob"
kind = "general"
translations = ["x", "y", "z"]
initial = {{ position = [0.0, {y}, 0.0], rate = [1.0, 0.0, 0.0] }}
[cables.string]
a = "space"
b = "bob"
length = 1.0
{more}
"""


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
    assert drift(balance(system, trajectory)) < 1e-7  # measured 1e-08
    assert column(system, trajectory, "chain.tension")[0] > 0.0


def test_beaded_against_newton():
    """A hanging chain fixed at both ends, against Newton's equations of its beads written here."""
    text = """
name = "Hanging"
[environment]
gravity = "uniform"
acceleration = [0.0, -9.81, 0.0]
[bodies.bob]
mass = 2.0
inertia = [0.0, 0.0, 0.0]
[joints.place]
parent = "space"
child = "bob"
kind = "general"
translations = ["x", "y", "z"]
initial = { position = [1.02, 0.0, 0.0] }
[cables.chain]
kind = "beaded"
a = "space"
b = "bob"
length = 1.0
mass = 0.3
beads = 3
stiffness = 200.0
"""
    system, trajectory = run(text, 0.2, 3, rtol=1e-10, atol=1e-10)
    masses = np.array([0.1, 0.1, 0.1, 2.0])

    def rates(t, s):
        r, v = s[:12].reshape(4, 3), s[12:].reshape(4, 3)
        span = np.diff(np.vstack([np.zeros(3), r]), axis=0)
        length = np.linalg.norm(span, axis=1)
        pull = np.maximum(0.0, 800.0 * (length - 0.25))[:, None] * span / length[:, None]
        force = np.vstack([pull[1:], np.zeros(3)]) - pull
        return np.concatenate([v.ravel(), (force / masses[:, None] + np.array([0.0, -9.81, 0.0])).ravel()])

    places = np.outer([0.25, 0.5, 0.75, 1.0], [1.02, 0.0, 0.0])
    independent = solve_ivp(
        rates, (0.0, 0.2), np.concatenate([places.ravel(), np.zeros(12)]), "DOP853", rtol=1e-11, atol=1e-11
    ).y[:, -1]
    found = trajectory.x[-1, system.signals.where("states", "chain.bead_position")]
    np.testing.assert_allclose(found, independent[:9], atol=1e-6)  # measured 1e-11
    np.testing.assert_allclose(
        trajectory.x[-1, system.signals.where("states", "place.position")], independent[9:12], atol=1e-6
    )  # measured 7e-14
    assert drift(balance(system, trajectory)) < 1e-6  # measured 2e-13


@pytest.mark.parametrize("result", ["rates", "outputs", "indicators"])
def test_cost_grows_linearly(result):
    """Operations of the generated expressions for 20, 40 and 80 beads: equal steps, so linear in N."""
    counts = [
        trace_motion(load_text(BEADED.format(beads=n, damping=0.2))).results[result].n_instructions()
        for n in (20, 40, 80)
    ]
    assert abs((counts[2] - counts[1]) / (counts[1] - counts[0]) - 2.0) < 0.05  # measured 0
