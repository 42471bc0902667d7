"""The topology of the tree: how bodies are connected, and the parts of the arrays q and v of each.

Bodies are numbered from 0 so that a parent comes before its children; −1 is inertial space N.
Coordinates of body i: its joint's q, then its modal η; speeds: its joint's v, then η̇.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..bodies.body import FlexibleBody, Node, WithoutModes
from ..joints.kinds import Joint
from ..system.pieces import Piece, parameter


@dataclass(frozen=True)
class Link(Piece):
    """A body with the joint that carries it.

    parent   number of the parent body, −1 for space
    place    the node of the joint on the parent (`name` of the joint, if its position is a parameter)
    mount    (3, 3) dcm from the joint frame J to the axes of the place
    """

    body: WithoutModes | FlexibleBody
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
    """All links, and the places of their coordinates in q and v."""

    links: tuple[Link, ...]

    @cached_property
    def joint_q(self) -> tuple[slice, ...]:
        """The places of each joint's coordinates in q."""
        return _spans(self.links, lambda link: (link.joint.nq, link.body.modes))[0]

    @cached_property
    def mode_q(self) -> tuple[slice, ...]:
        """The place of each body's η in q."""
        return _spans(self.links, lambda link: (link.joint.nq, link.body.modes))[1]

    @cached_property
    def joint_v(self) -> tuple[slice, ...]:
        """The places of each joint's speeds in v."""
        return _spans(self.links, lambda link: (link.joint.nv, link.body.modes))[0]

    @cached_property
    def mode_v(self) -> tuple[slice, ...]:
        """The place of each body's η̇ in v."""
        return _spans(self.links, lambda link: (link.joint.nv, link.body.modes))[1]

    @cached_property
    def nq(self) -> int:
        return sum(link.joint.nq + link.body.modes for link in self.links)

    @cached_property
    def nv(self) -> int:
        return sum(link.joint.nv + link.body.modes for link in self.links)

    def quaternions(self) -> list[slice]:
        """The places of the unit quaternions of all joints in q."""
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


def _spans(links, sizes: Callable[[Link], tuple[int, int]]) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """The places of joints' and bodies' coordinates, link by link; `sizes`: how many each link has."""
    joints, modes, start = [], [], 0
    for link in links:
        of_joint, of_body = sizes(link)
        joints.append(slice(start, start + of_joint))
        modes.append(slice(start + of_joint, start + of_joint + of_body))
        start += of_joint + of_body
    return tuple(joints), tuple(modes)
