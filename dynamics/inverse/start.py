"""The motion of a node at the start, relative to the frame of the roots: start values of paths that are inputs."""

from __future__ import annotations

import numpy as np

from ..algebra.rotation import cross
from ..bodies.body import Node
from ..spacecraft.motion import Dynamics
from ..tree.kinematics import place_on


def node_at_start(dynamics: Dynamics, body: int, node: Node):
    """position (3,), velocity (3,) in the frame S of the roots, dcm_SP (3, 3), and angular velocity (3,) relative to S in S."""
    x, u, k, d = (np.array(dynamics.table.starts(group)) for group in ("states", "inputs", "parameters", "discretes"))
    moment = dynamics.moment(0.0, dynamics.begun(0.0, x, k), u, k, d)
    space, place = moment.scene.space, place_on(moment.bodies[body], node)
    dcm_SP = space.dcm_NS.T @ place.dcm_NP
    position = space.dcm_NS.T @ place.position_N
    return position, dcm_SP @ place.velocity - cross(space.omega, position), dcm_SP, dcm_SP @ place.omega - space.omega
