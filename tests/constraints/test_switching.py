"""Couplings that close, latch and open during the run: jumps conserve momentum and angular momentum, and lose energy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from spacefmu.dynamics.algebra.rotation import quaternion_dcm
from spacefmu.dynamics.constraints import KINDS
from spacefmu.dynamics.description import load
from spacefmu.dynamics.system.evaluate import residual, start
from tests.constraints.craft import TWO_BODIES, balance, column, drift, run
from tests.constraints.test_conditions import AS_COUPLING, SLED

DOCKING = (
    TWO_BODIES
    + """
[bodies.base.initial]
angular_velocity = [0.05, 0.1, -0.08]
[bodies.arm.initial]
position = [3.0, 0.85, 0.0]
orientation = ["20 deg", "-10 deg", "35 deg"]
velocity = [-0.5, 0.02, 0.01]
angular_velocity = [0.1, -0.3, 0.2]
[couplings.dock]
kind = "KIND"
a = "base.grip"
b = "arm.grip"
switched = true
closed = true
capture = 0.6
"""
)


def check_conserved(system, trajectory):
    assert drift(column(system, trajectory, "system.momentum")) < 1e-11  # measured 4e-13
    assert drift(column(system, trajectory, "system.angular_momentum")) < 1e-11  # measured 2e-13 N m s
    assert drift(balance(system, trajectory)) < 1e-10  # measured 3e-13


def test_docking_captures_what_it_finds():
    """Bodies drift together; within 0.6 m the dock closes as they are: one rigid body from then on."""
    system, trajectory = run(DOCKING.replace("KIND", "fixed"), 8.0, 33)
    closed = column(system, trajectory, "dock.closed")
    assert closed[0] == 0.0
    assert closed[-1] == 1.0
    assert len(trajectory.events) == 1
    check_conserved(system, trajectory)
    assert column(system, trajectory, "dock.energy_lost")[-1] > 0.05
    after = trajectory.time > trajectory.events[0]
    place = (
        trajectory.x[:, system.signals.where("states", "arm.position")]
        - trajectory.x[:, system.signals.where("states", "base.position")]
    )
    assert np.ptp(np.linalg.norm(place[after], axis=1)) < 1e-11  # rigid; measured 4e-16
    assert 0.59 < np.linalg.norm(trajectory.d[-1, system.signals.where("discretes", "dock.found")]) <= 0.6


def test_grasp_by_a_hinge_and_release():
    """A ball grip closes within reach and opens when its input says so: free again, without a jump."""
    text = DOCKING.replace("KIND", "spherical")
    system, trajectory = run(text, 10.0, 41, u=lambda t: np.array([1.0 if t < 8.0 else 0.0]))
    closed = column(system, trajectory, "dock.closed")
    assert closed[28] == 1.0
    assert closed[-1] == 0.0
    check_conserved(system, trajectory)
    force = trajectory.y[:, system.signals.where("outputs", "dock.force")]
    assert np.max(np.abs(force[-1])) == 0.0


EXTRA = {"universal": 'axis_b = "x"', "rolling_ball": "radius = 0.3", "rolling_disc": 'radius = 0.3\naxis_b = "x"'}


def grasped(kind: str):
    """DOCKING closed by its input at 0.25 s, wherever the bodies are; opened at 0.75 s."""
    text = (
        DOCKING.replace("KIND", kind).replace("closed = true\ncapture = 0.6", EXTRA.get(kind, ""))
        + "axis = [0.36, 0.48, 0.8]\n"
    )
    return run(text, 1.0, 9, u=lambda t: np.array([1.0 if 0.25 <= t < 0.75 else 0.0]), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_switched(kind):
    """Momentum, angular momentum and energy less losses stay through the closing jump and the opening; rows hold in between."""
    system, trajectory = grasped(kind)
    closed = column(system, trajectory, "dock.closed")
    np.testing.assert_array_equal(closed, [0, 0, 0, 1, 1, 1, 1, 0, 0])  # rows show an instant before its jump
    check_conserved(system, trajectory)
    assert (
        column(system, trajectory, "dock.energy_lost")[-1] > 1e-4
    )  # measured from 1.2e-3 J (knife_edge) to 0.33 J (fixed)
    _, _, k, _ = start(system)
    for i in np.flatnonzero(closed):
        assert max(residual(p, 0.0, trajectory.x[i], [1.0], k, trajectory.d[i]) for p in system.projections) < 1e-12


def test_a_switched_universal_coupling_keeps_its_axes():
    """e on the base; f on the arm, less its part along e when it closes: e·f = 0 from then on, and both other angles move."""
    system, trajectory = grasped("universal")
    base, arm = (
        np.array([quaternion_dcm(q) for q in trajectory.x[:, system.signals.where("states", f"{name}.quaternion")]])
        for name in ("base", "arm")
    )
    turned = trajectory.d[3, system.signals.where("discretes", "dock.turned")].reshape(3, 3)  # arm's axes to the base's
    e, x = np.array([0.36, 0.48, 0.8]), np.array([1.0, 0.0, 0.0])
    e_arm = turned.T @ e
    f = (x - e_arm * (e_arm @ x)) / np.sqrt(1.0 - (e_arm @ x) ** 2)
    square = np.einsum("tij,j,tik,k->t", base, e, arm, f)
    closed = column(system, trajectory, "dock.closed") > 0.5
    assert np.max(np.abs(square[closed])) < 1e-12  # measured 1e-16
    assert np.max(np.abs(square[~closed])) > 1e-3  # measured 0.11
    relative = np.einsum("tji,tjk->tik", base, arm)[closed]
    assert np.max(np.abs(relative - relative[0])) > 0.05  # measured 0.11
    jump = trajectory.x[3] - trajectory.x[2]
    assert np.max(np.abs(jump[system.signals.where("states", "arm.angular_velocity")])) > 0.01  # measured 0.40 rad/s


def test_a_switched_blade_keeps_its_own_direction():
    """A blade let down at 0.25 s, heading 0.7 rad: from then on no velocity across it, whatever the axes of the ice are."""
    text = SLED + AS_COUPLING + "switched = true\n"
    _, trajectory = run(text, 1.0, 9, u=lambda t: np.array([1.0 if t >= 0.25 else 0.0]))
    heading, vx, vy = trajectory.x[:, 2:5].T
    across = np.cos(heading) * vy - np.sin(heading) * vx
    assert np.max(np.abs(across[3:])) < 1e-12  # measured 1e-16
    assert np.min(np.abs(across[:3])) > 0.05  # measured 0.056 m/s


def test_deployment_latch():
    """The catalogue's DeployableFourBar: the spring unfolds it, hinge 1 latches at 90 degrees and stays."""
    system, trajectory = run(load(Path("fmu_src/catalogue/DeployableFourBar.toml")), 6.0, 31)
    angle = column(system, trajectory, "hinge1.angle")
    assert len(trajectory.events) == 1
    assert np.max(np.abs(angle[trajectory.time > trajectory.events[0]] - np.pi / 2)) < 1e-9  # measured 2e-15
    check_conserved(system, trajectory)
    assert column(system, trajectory, "latch.energy_lost")[-1] > 1.0


TWO_AXES = """
name = "TwoAxes"
[bodies.hub]
mass = 10.0
inertia = [1.0, 1.0, 1.0]
[bodies.dish]
mass = 2.0
inertia = [0.1, 0.15, 0.2]
[joints.gimbal]
parent = "hub"
child = "dish"
place = [0.4, 0.0, 0.0]
kind = "universal"
axes = ["y", "z"]
initial = { rate = [0.3, 0.5] }
[couplings.catch]
kind = "fixed"
a = "hub"
b = "dish"
switched = true
closed = true
latch = { joint = "gimbal[2]", at = 0.4 }
"""


def test_a_latch_on_one_axis_of_several():
    """The second axis gets to 0.4 rad: there both stop, and stay."""
    system, trajectory = run(TWO_AXES, 2.0, 21)
    angle = column(system, trajectory, "gimbal.angle")
    assert len(trajectory.events) == 1
    after = trajectory.time > trajectory.events[0]
    assert np.max(np.abs(angle[after, 1] - 0.4)) < 1e-9  # measured 1e-14
    assert np.max(np.ptp(angle[after], axis=0)) < 1e-9
    check_conserved(system, trajectory)


GEAR = """
name = "Gear"
[bodies.hub]
mass = 10.0
inertia = [1.0, 1.0, 1.0]
[bodies.small]
mass = 1.0
inertia = [0.01, 0.01, 0.02]
[bodies.large]
mass = 2.0
inertia = [0.1, 0.1, 0.18]
[joints.fast]
parent = "hub"
child = "small"
place = [0.3, 0.0, 0.0]
kind = "revolute"
axis = "z"
drive = "torque"
[joints.slow]
parent = "hub"
child = "large"
place = [-0.3, 0.0, 0.0]
kind = "revolute"
axis = "z"
[relations.gear]
terms = { fast = 1.0, slow = 3.0 }
"""


def test_gear_ratio():
    """fast + 3 slow = 0 all along; balance and angular momentum hold under a motor torque."""
    system, trajectory = run(GEAR, 4.0, u=np.array([0.05]))
    angle = column(system, trajectory, "fast.angle") + 3.0 * column(system, trajectory, "slow.angle")
    assert np.max(np.abs(angle)) < 1e-12  # measured 5e-15
    assert abs(column(system, trajectory, "slow.angle")[-1]) > 1.0
    check_conserved(system, trajectory)
