"""Motion of nodes on a beam in segments: elastic displacement and rotation are those of the whole beam, from its frame."""

from __future__ import annotations

from dataclasses import dataclass

from ..bodies.body import Node
from ..bodies.segments import SegmentNode
from ..system.frame_text import FrameText
from ..tree.bent import bent
from .outputs import Instant, NodeMotion


@dataclass(frozen=True)
class SegmentNodeMotion(NodeMotion):
    """`root`: number of the beam's first segment. The rotation vector is continuous up to a full turn."""

    root: int = 0

    def elastic(self, instant: Instant, place):
        return bent(instant.moment, self.root, self.body, self.node, place)  # type: ignore[arg-type]


def node_motion(number: int, body: str, node: Node, frame: FrameText) -> NodeMotion:
    """Of a node of the body whose first link has this number."""
    if isinstance(node, SegmentNode):
        return SegmentNodeMotion(number + node.link, body, node, frame, number)
    return NodeMotion(number, body, node, frame)
