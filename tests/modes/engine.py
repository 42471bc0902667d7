"""Spacecraft of flexible bodies on each other, and their natural frequencies as the engine has them."""

from __future__ import annotations

import numpy as np

from spacefmu.dynamics.algebra.rotation import axis_angle_dcm
from spacefmu.dynamics.bodies.body import FlexibleBody, RigidBody, plain_node
from spacefmu.dynamics.joints import AxesJoint, FreeJoint
from spacefmu.dynamics.joints.forces import AxesForces, NoForces
from spacefmu.dynamics.spacecraft import LinkJoint, Spacecraft, spacecraft_system
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.tree.topology import Link, Tree

TILT = np.asarray(axis_angle_dcm(np.array([0.6, 0.0, 0.8]), 0.7), float)  # of the outer body on the inner one


def on_each_other(inner: RigidBody | FlexibleBody, node: str, outer: FlexibleBody):
    """A System: `inner` free in space, `outer` fixed to its node, tilted."""
    none, still = np.zeros(0), np.zeros(6)
    links = (
        Link(inner, FreeJoint(), -1, plain_node("space", np.zeros(3)), np.eye(3)),
        Link(outer, AxesJoint((), ()), 0, inner.nodes[node], TILT),
    )
    joints = (
        LinkJoint(
            "inner", NoForces(6), np.array([0, 0, 0, 1.0, 0, 0, 0]), still, np.zeros(inner.modes), np.zeros(inner.modes)
        ),
        LinkJoint("mount", AxesForces(()), none, none, np.zeros(outer.modes), np.zeros(outer.modes)),
    )
    return spacecraft_system(Spacecraft("Two", "two bodies", Tree(links), joints))


def natural_frequencies(system) -> np.ndarray:
    """ω [rad/s], ascending, without rigid motion. At rest all rates are 0, so differences of the derivative lose no digits."""
    x, u, k, d = start(system)

    def rate(state):
        return np.asarray(motion(system, 0.0, state, u, k, d)[0], float)

    step = 1e-7
    A = np.array([(rate(x + step * e) - rate(x - step * e)) / (2.0 * step) for e in np.eye(len(x))]).T
    omega = np.sort(np.abs(np.linalg.eigvals(A).imag))[::2]
    return omega[omega > 1e-3 * omega[-1]]
