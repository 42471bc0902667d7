"""The tree itself: which body hangs where, and which part of the arrays q and v belongs to whom.

Bodies are numbered from 0 so that a parent comes before its children; −1 is inertial space N.
Coordinates of body i: its joint's q, then its modal η; speeds: its joint's v, then η̇.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..bodies.body import FlexibleBody, Node, RigidBody
from ..joints.kinds import Joint
from ..pieces import Piece, parameter


@dataclass(frozen=True)
class Link(Piece):
    """A body with the joint that carries it.

    parent   number of the parent body, −1 for space
    place    the node of the parent where the joint sits (`name` of the joint, if its position is a parameter)
    mount    (3, 3) dcm from the joint frame J to the axes of the place
    """

    body: RigidBody | FlexibleBody
    joint: Joint
    parent: int
    place: Node
    mount: np.ndarray
    name: str = ""

    moved_place = parameter(
        "place of joint {self.name} from the frame of its parent, in axes of the parent",
        "m",
        lambda self: self.place.position,
        name="place",
        when=lambda self: self.name,
    )


@dataclass(frozen=True)
class Tree:
    """All links, and where each one's coordinates stand in q and v."""

    links: tuple[Link, ...]

    def __post_init__(self):
        joint_q, mode_q, joint_v, mode_v = [], [], [], []
        nq = nv = 0
        for link in self.links:
            joint, modes = link.joint, link.body.modes
            joint_q.append(slice(nq, nq + joint.nq))
            mode_q.append(slice(nq + joint.nq, nq + joint.nq + modes))
            joint_v.append(slice(nv, nv + joint.nv))
            mode_v.append(slice(nv + joint.nv, nv + joint.nv + modes))
            nq, nv = nq + joint.nq + modes, nv + joint.nv + modes
        for name, value in (("joint_q", joint_q), ("mode_q", mode_q), ("joint_v", joint_v), ("mode_v", mode_v)):
            object.__setattr__(self, name, tuple(value))
        object.__setattr__(self, "nq", nq)
        object.__setattr__(self, "nv", nv)

    def quaternions(self) -> list[slice]:
        """Where the unit quaternions of all joints stand in q."""
        found = ((self.joint_q[i].start, link.joint.quaternion) for i, link in enumerate(self.links))
        return [slice(first + span.start, first + span.stop) for first, span in found if span is not None]

    def speeds_of(self, i: int) -> slice:
        """All speeds of body i: joint and modes."""
        return slice(self.joint_v[i].start, self.mode_v[i].stop)

    def inner_body(self, j: int) -> int:
        """σ(j), the inner-body function of [jin1991]: the body that carries j, −1 for space."""
        return self.links[j].parent

    def path_matrix(self) -> np.ndarray:
        """S (n, n) of [jin1991]: S[j, i] = 1 if body j is on the direct path from space to body i, else 0."""
        n = len(self.links)
        s = np.zeros((n, n), dtype=int)
        for i in range(n):
            j = i
            while j >= 0:
                s[j, i] = 1
                j = self.inner_body(j)
        return s
