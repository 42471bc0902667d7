"""Positions and attitudes of bodies, without velocities, for pictures of a motion: a tenth of the work of `kinematics.move`."""

from __future__ import annotations

import numpy as np

from ..algebra.rotation import quaternion_dcm, vector_quaternion
from ..bodies.body import Node
from .kinematics import Space
from .topology import Tree

Pose = tuple[np.ndarray, np.ndarray]  # position (3,) from the origin of S, and the dcm to N


def poses(tree: Tree, q, k, space: Space) -> list[Pose]:
    """position_N and dcm_NB of every body, as `kinematics.move` has them; q (nq,), k the constants."""
    found: list[Pose] = []
    for i, link in enumerate(tree.links):
        rho = link.place.position if link.moved_place is None else k[link.moved_place]
        if link.parent < 0:
            at, dcm = space.dcm_NS @ rho, space.dcm_NS
        else:
            at, dcm = pose_on(found[link.parent], link.place, q[tree.mode_q[link.parent]], rho)
        dcm = dcm @ link.mount
        s, dcm_JC = link.joint.pose(q[tree.joint_q[i]])
        found.append((at + dcm @ s, dcm @ dcm_JC))
    return found


def pose_on(body: Pose, node: Node, eta, rho=None) -> Pose:
    """The frame at a node of a body: ρ + Φη + ½ηᵀHη, turned by exp((Ψη)~)."""
    position, dcm = body
    at = position + dcm @ ((node.position if rho is None else rho) + node.displacement(eta))
    return at, dcm @ quaternion_dcm(vector_quaternion(node.vector(eta))) if node.turn.size else dcm
