"""Attitudes as continuous quaternions: the product of all rotations from S to a body, each continuous in its coordinates.

For a quaternion derived from a rotation matrix a sign must be chosen, and it jumps where the choice changes.
Proved by tests/environment/test_frames.py.
"""

from __future__ import annotations

import numpy as np

from ..algebra.rotation import dcm_quaternion, quaternion_product, vector_quaternion
from ..algebra.scalar import shared
from .topology import Tree


def attitudes(tree: Tree, q) -> list[np.ndarray]:
    """q_SB (4,) of every body, unit, from all coordinates q (nq,)."""
    out: list[np.ndarray] = []
    for i, link in enumerate(tree.links):
        mounted = dcm_quaternion(link.mount)
        if link.parent >= 0:
            bent = link.place.vector(q[tree.mode_q[link.parent]]) if np.any(link.place.turn) else np.zeros(3)
            mounted = _mounted(out[link.parent], bent, mounted)
        out.append(_turned(mounted, link.joint, q[tree.joint_q[i]]))
    return out


@shared
def _mounted(inner, bent, mount):
    """q_SJ of a joint's frame on a body with q_SB `inner`, at a place that the modes rotate by the vector `bent`."""
    return quaternion_product(quaternion_product(inner, vector_quaternion(bent)), mount)


@shared
def _turned(mounted, joint, q):
    return quaternion_product(mounted, joint.attitude(q))
