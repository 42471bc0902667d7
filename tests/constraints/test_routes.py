"""Forces between bodies keep the O(n) recursion; the route with multipliers gives the same motion, events and reactions."""

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.spacecraft.coupled import Coupled
from spacefmu.dynamics.spacecraft.motion import Dynamics
from spacefmu.dynamics.spacecraft.outputs import SystemTotals
from spacefmu.dynamics.system.evaluate import run, start

# A free hub with a flexible boom on a sprung hinge that can be locked, an elastic or beaded cable from the boom's tip to the hub,
# another to space: forces on modes, on two bodies of one chain, and on one body alone.
CRAFT = """
name = "Stayed"
[bodies.hub]
mass = 50.0
inertia = [8.0, 9.0, 10.0]
nodes = { corner = [0.3, -0.4, 0.2] }
[bodies.hub.initial]
velocity = [0.1, -0.2, 0.05]
angular_velocity = [0.05, 0.02, -0.1]
[bodies.boom]
beam = { length = 3.0, mass = 4.0, bending_y = 60.0, bending_z = 80.0, modes = { bending_y = 2, bending_z = 1 } }
damping = 0.01
nodes = { tip = 1.0 }
initial = { amplitudes = [0.02, -0.005, 0.01] }
[joints.hinge]
parent = "hub"
child = "boom"
kind = "revolute"
place = [0.5, 0.0, 0.0]
axis = [0.0, 0.0, 1.0]
stiffness = 5.0
lock = true
reaction = true
initial = { position = 0.4, rate = 0.2 }
[cables.stay]
kind = "elastic"
a = "hub.corner"
b = "boom.tip"
length = 2.5
stiffness = 40.0
damping = 2.0
reel = { rate = 0.1 }
[cables.line]
kind = "beaded"
a = "space"
place_a = [-2.0, 0.0, 0.0]
b = "hub"
length = 1.5
stiffness = 100.0
damping = 1.0
mass = 0.2
beads = 3
"""


@pytest.fixture(scope="module")
def system():
    return load_text(CRAFT)


def moments(system, count=4):
    """States near the start with inputs and modes of cables at random."""
    rng = np.random.default_rng(5)
    x, u, k, d = start(system)
    for _ in range(count):
        moved = x + 0.01 * rng.normal(size=x.size)
        moved[3:7] /= np.linalg.norm(moved[3:7])
        yield 0.3, moved, 0.2 * rng.normal(size=u.size), k, rng.integers(0, 2, d.size).astype(float)


def other_route(system) -> Coupled:
    craft = system.made_by[1]
    return Coupled(Dynamics(craft, system.signals), (SystemTotals(), *craft.sensors))


def test_cables_that_only_pull_need_no_solve(system):
    assert system.made_by[1].rows == 0
    assert system.motion.assemble is None
    assert system.motion.n == system.motion.m == 0


def test_both_routes_move_alike(system):
    """ẋ, y (energies and the hinge's reaction among them) and indicators."""
    coupled = other_route(system)
    for at in moments(system):
        for found, expected in zip(run(system.motion, *at), run(coupled.motion(), *at), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12 * np.max(np.abs(expected), initial=1.0))


def test_both_routes_decide_alike(system):
    """New discrete states and jumps, as the hinge locks and cables tighten, slacken and lose what they store."""
    coupled, changed = other_route(system), 0
    for t, x, u, k, d in moments(system, 8):
        u[system.signals.where("inputs", "hinge.lock")] = 1.0
        d[system.signals.where("discretes", "hinge.locked")] = 0.0  # a locked axis would be at rest
        g = np.asarray(run(system.motion, t, x, u, k, d)[2], float)
        (x_new, d_new), (x_other, d_other) = (
            run(stage, t, x, u, k, d, g) for stage in (system.update, coupled.update())
        )
        np.testing.assert_array_equal(d_new, d_other)
        np.testing.assert_allclose(x_new, x_other, rtol=1e-11, atol=1e-12)
        changed += bool(np.any(d_new != d))
    assert changed


def test_starts_are_alike(system):
    x, u, k, d = start(system)
    for found, expected in zip(
        system.initialize(0.0, x, u, k, d), other_route(system).initialize(0.0, x, u, k, d), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-14)
