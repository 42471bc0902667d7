"""Joint reactions where couplings and cables act too: against a coupling in place of the joint, and against total momentum."""

from __future__ import annotations

import numpy as np

from spacefmu.dynamics.algebra.rotation import quaternion_dcm
from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.system.signals import Bag
from spacefmu.fmu_src.native.trace.fast import fast
from tests.constraints.craft import BOOM, column, run

# A hub, an arm hinged to it, and a load that hangs on the arm's end by a coupling and on the hub by an elastic cable.
BODIES = """
name = "Reactions"
[bodies.hub]
mass = 9.0
mass_center = [0.1, -0.2, 0.05]
inertia = { xx = 1.1, yy = 1.4, zz = 1.7, xy = 0.1, xz = -0.2, yz = 0.05 }
nodes = { eye = [-0.3, 0.6, 0.1] }
forces_at = ["frame"]
initial = { angular_velocity = [0.3, -0.2, 0.5] }
[bodies.arm]
mass = 3.0
mass_center = [0.5, 0.1, 0.0]
inertia = { xx = 0.3, yy = 0.5, zz = 0.6, xy = -0.05, xz = 0.02, yz = 0.04 }
nodes = { end = [1.0, 0.0, 0.2] }
ARM
[bodies.load]
mass = 2.0
inertia = [0.2, 0.3, 0.25]
nodes = { eye = [0.0, 0.3, 0.0] }
initial = { position = [1.5, 0.4, 0.2], angular_velocity = [0.1, 0.4, -0.3] }
[couplings.socket]
kind = "spherical"
a = "arm.end"
b = "load"
[cables.rope]
kind = "elastic"
a = "hub.eye"
b = "load.eye"
length = 1.2
stiffness = 40.0
"""
JOINT = """
[joints.pin]
parent = "hub"
child = "arm"
place = [0.5, 0.4, 0.0]
kind = "revolute"
axis = [0.0, 0.6, 0.8]
initial = { rate = 0.7 }
reaction = true
"""
COUPLING = """
[couplings.pin]
kind = "revolute"
a = "hub"
place_a = [0.5, 0.4, 0.0]
b = "arm"
axis = [0.0, 0.6, 0.8]
"""


def test_a_joint_carries_what_a_coupling_in_its_place_does():
    """The same three bodies, the arm once in the tree and once on a coupling: the same force and torque on the arm at the pin.

    Axes of hub, arm and N coincide at the start; velocities of the free arm are those of the hinged one.
    """
    push = np.array([1.0, -2.0, 0.5, 0.3, 0.2, -0.4])
    tree = load_text(BODIES.replace("ARM", "") + JOINT)
    x, u, k, d = start(tree, u=push)
    y = Bag(tree.signals, "outputs", motion(tree, 0.0, x, u, k, d)[1])
    omega, velocity = y["arm.angular_velocity"], y["arm.velocity"]
    arm = f"initial = {{ position = [0.5, 0.4, 0.0], velocity = {velocity.tolist()}, angular_velocity = {omega.tolist()} }}"
    loop = load_text(BODIES.replace("ARM", arm) + COUPLING)
    states = np.array(loop.signals.starts("states"))
    for name in (
        "hub.position",
        "hub.velocity",
        "hub.angular_velocity",
        "load.position",
        "load.velocity",
        "load.angular_velocity",
    ):
        states[loop.signals.where("states", name)] = x[tree.signals.where("states", name)]
    peer = Bag(loop.signals, "outputs", motion(loop, 0.0, *start(loop, x=states, u=push))[1])
    np.testing.assert_allclose(y["socket.force"], peer["socket.force"], atol=1e-10)  # measured 1e-14: the same motion
    np.testing.assert_allclose(y["pin.reaction_force"], peer["pin.force"], atol=1e-10)  # measured 4e-15
    np.testing.assert_allclose(y["pin.reaction_torque"], peer["pin.torque"], atol=1e-10)  # measured 4e-15
    assert np.linalg.norm(y["pin.reaction_force"]) > 1.0
    assert abs(y["pin.reaction_torque"] @ [0.0, 0.6, 0.8]) < 1e-12  # nothing along the free axis; measured 6e-16


STAND = (
    """
name = "Stand"
[bodies.base]
mass = 5.0
inertia = [0.5, 0.5, 0.5]
nodes = { eye = [0.0, 0.5, 0.0] }
"""
    + BOOM
    + """[bodies.boom.nodes]
tip = 1.0
[bodies.strut]
mass = 1.0
mass_center = [0.5, 0.0, 0.0]
inertia = [0.01, 0.08, 0.08]
nodes = { end = [1.0, 0.0, 0.0] }
[joints.mount]
parent = "space"
child = "base"
kind = "fixed"
place = [0.1, 0.2, 0.3]
orientation = [0.4, -0.3, 0.2]
reaction = true
[joints.hinge]
parent = "base"
child = "boom"
place = [0.2, 0.0, 0.0]
kind = "revolute"
axis = "z"
initial = { rate = 0.8 }
[joints.crank]
parent = "base"
child = "strut"
place = [0.2, 1.0, 0.0]
kind = "revolute"
axis = "z"
initial = { position = "-40 deg", rate = 0.5 }
[relations.gear]
terms = { hinge = 1.0, crank = -2.0 }
offset = "80 deg"
[cables.chain]
kind = "beaded"
a = "strut.end"
b = "boom.tip"
length = 1.0
mass = 0.2
beads = 3
stiffness = 30.0
"""
)


def rates(system, x, u, k, d):
    return motion(system, 0.0, x, u, k, d)[0]


def test_what_carries_everything_balances_all_momentum():
    """A boom that bends, geared to a strut, a beaded chain between them: all inner forces. So the mount's reaction is dP/dt.

    By central differences of the total momentum, beads included, over 2e-4 s: error 1e-8 times third derivatives of order 10³.
    """
    system, trajectory = run(STAND, 0.2, 2, rtol=1e-11, atol=1e-11)
    quick, (x, d) = fast(system), (trajectory.x[-1], trajectory.d[-1])
    _, u, k, _ = start(system)
    y = Bag(system.signals, "outputs", motion(quick, 0.0, x, u, k, d)[1])
    h, span = 1e-4, system.signals.where("outputs", "system.momentum")

    def momentum(time):
        """After a short time, forward or back, by one step of the classical Runge-Kutta method."""
        slopes = [rates(quick, x, u, k, d)]
        for share in (0.5, 0.5, 1.0):
            slopes.append(rates(quick, x + share * time * slopes[-1], u, k, d))
        moved = x + time / 6.0 * (slopes[0] + 2.0 * slopes[1] + 2.0 * slopes[2] + slopes[3])
        return motion(quick, 0.0, moved, u, k, d)[1][span]

    rate = (momentum(h) - momentum(-h)) / (2.0 * h)
    base = quaternion_dcm(y["base.quaternion"])
    np.testing.assert_allclose(base @ y["mount.reaction_force"], rate, atol=1e-5)  # measured 7e-7, of 3.3 N
    assert np.linalg.norm(rate) > 1.0
    assert column(system, trajectory, "chain.tension")[-1] > 0.1
