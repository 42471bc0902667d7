"""Motion of a place on a beam in segments: displacement and rotation from the unloaded beam, in axes of the frame at its root."""

from __future__ import annotations

from ..algebra.rotation import (
    dcm_quaternion,
    quaternion_conjugate,
    quaternion_product,
    quaternion_vector,
    vector_quaternion,
)
from ..bodies.segments import SegmentNode


def bent(moment, root: int, number: int, node: SegmentNode, place):
    """(3,) [m] and rotation vector (3,) [rad], which is continuous up to a full turn. `root`, `number`: links of the first segment and of the node's own."""
    first, q = moment.bodies[root], moment.attitudes
    turned = quaternion_product(q[number], vector_quaternion(node.vector(moment.bodies[number].eta)))
    seen = quaternion_product(quaternion_conjugate(q[root]), turned)
    from_rest = quaternion_product(seen, quaternion_conjugate(dcm_quaternion(node.dcm)))
    at = first.dcm_NB.T @ (place.position_N - first.position_N)
    return at - node.place, quaternion_vector(from_rest)
