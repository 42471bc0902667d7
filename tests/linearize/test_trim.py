"""Trim: known equilibria, least change, what is left open, and what has no equilibrium."""

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.linearize.reduce import NotLinearizable, linearized
from spacefmu.dynamics.linearize.trim import trimmed
from spacefmu.dynamics.system.evaluate import start
from spacefmu.fmu_src.native.trace.jacobian import ExactDerivatives
from tests.linearize.test_reduce import FOUR_BAR

PENDULUM = """
name = "Pendulum"
[environment]
gravity = "uniform"
acceleration = [0.0, -9.81, 0.0]
[bodies.bar]
mass = 2.0
mass_center = [0.0, -0.5, 0.0]
inertia = [0.2, 0.01, 0.2]
[joints.pin]
parent = "space"
child = "bar"
kind = "revolute"
axis = "z"
drive = "torque"
initial = { position = 0.7 }
"""


def trim(text, free, drifting=()):
    system = load_text(text) if isinstance(text, str) else text
    derivatives = ExactDerivatives(system)
    x, u, k, d = start(system)
    return system, derivatives, (k, d), trimmed(system, derivatives, 0.0, x, u, k, d, set(free), set(drifting))


def test_a_pendulum_hangs_or_is_held():
    """Free angle: it hangs. Free torque: m g c sin θ holds it where it is. Both free: the nearest of a line of equilibria, one direction open."""
    _, _, _, hanging = trim(PENDULUM, ["pin.angle"])
    assert abs(hanging.x[0]) < 1e-10
    _, _, _, held = trim(PENDULUM, ["pin.torque"])
    assert held.u[0] == pytest.approx(2.0 * 9.81 * 0.5 * np.sin(0.7), rel=1e-10)
    assert held.x[0] == 0.7
    assert not held.open
    _, _, _, both = trim(PENDULUM, ["pin.angle", "pin.torque"])
    assert both.u[0] == pytest.approx(9.81 * np.sin(both.x[0]), abs=1e-10)
    assert len(both.open) == 1


def test_a_loop_that_is_held_by_a_torque():
    """The parallelogram at 0.6 rad: τ = (2 m_r l/2 + m l) g sin θ, and the linear model about it swings."""
    text = FOUR_BAR.replace('drive = "torque"', 'drive = "torque"\ninitial = { position = 0.6 }')
    system, derivatives, (k, d), found = trim(text, ["o.torque"])
    assert found.u[0] == pytest.approx(3.0 * 9.81 * np.sin(0.6), rel=1e-10)
    linear = linearized(system, derivatives, 0.0, found.x, found.u, k, d)
    assert np.max(np.abs(linear.x_dot)) < 1e-10
    inertia = 2.0 * (0.0833 + 0.25) + 2.0
    frequency = max(abs(mode.pole) for mode in linear.modes)
    assert frequency == pytest.approx(np.sqrt(3.0 * 9.81 * np.cos(0.6) / inertia), rel=1e-9)


def test_a_loop_falls_to_its_lowest_place():
    """All angles free: the loop hangs, still closed."""
    text = FOUR_BAR.replace('drive = "torque"', 'drive = "torque"\ninitial = { position = 0.6 }')
    system, _, _, found = trim(text, ["o.angle", "a.angle", "c.angle"])
    assert abs(np.sin(found.x[system.signals.where("states", "o.angle")])) < 1e-9


def test_no_equilibrium_gets_its_sentence():
    with pytest.raises(
        NotLinearizable, match=r"no equilibrium found.*the rate of pin.rate stays at 9.0.*free now: none"
    ):
        trim(PENDULUM, [])
