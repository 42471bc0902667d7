"""Motion of nodes on a beam in segments: elastic displacement and rotation are those of the whole beam, from its frame."""

from __future__ import annotations

from dataclasses import dataclass

from ..algebra.rotation import (
    dcm_quaternion,
    quaternion_conjugate,
    quaternion_product,
    quaternion_vector,
    vector_quaternion,
)
from ..bodies.body import Node
from ..bodies.segments import SegmentNode
from ..system.frame_text import FrameText
from .outputs import Instant, NodeMotion


@dataclass(frozen=True)
class SegmentNodeMotion(NodeMotion):
    """`root`: number of the beam's first segment. The rotation vector is continuous up to a full turn."""

    root: int = 0

    def elastic(self, instant: Instant, place):
        node: SegmentNode = self.node  # type: ignore[assignment]
        moment = instant.moment
        root, q = moment.bodies[self.root], moment.attitudes
        bent = quaternion_product(q[self.body], vector_quaternion(node.vector(moment.bodies[self.body].eta)))
        turned = quaternion_product(quaternion_conjugate(q[self.root]), bent)
        from_rest = quaternion_product(turned, quaternion_conjugate(dcm_quaternion(node.dcm)))
        at = root.dcm_NB.T @ (place.position_N - root.position_N)
        return at - node.place, quaternion_vector(from_rest)


def node_motion(number: int, body: str, node: Node, frame: FrameText) -> NodeMotion:
    """Of a node of the body whose first link has this number."""
    if isinstance(node, SegmentNode):
        return SegmentNodeMotion(number + node.link, body, node, frame, number)
    return NodeMotion(number, body, node, frame)
