"""The places of the natural coordinates in q and v, with the interface of a Tree for routes.

    q = (X flat, axes)      v = (Ẋ flat, rates of axes, speeds of wheels)

Axes are the joint coordinates beside X (angles, slides): forces, stops, locks and drives act along them as in the tree, and they count full turns, unlike
points and vectors. Conditions tie them to X (rigid.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..joints.kinds import AxesJoint, SpinJoint
from ..system.layout import Layout
from .carriers import Carriers


@dataclass(frozen=True)
class CartesianLayout:
    """Sizes and places for a tree's carriers."""

    carriers: Carriers

    @property
    def links(self):
        return self.carriers.tree.links

    @property
    def points(self) -> int:
        """3n, the number of entries of X."""
        return 3 * self.carriers.count

    @property
    def coordinates(self) -> Layout:
        """The parts of q."""
        return Layout({"points": self.points, "axes": sum(self._axes())})

    @property
    def speeds(self) -> Layout:
        """The parts of v."""
        return self.coordinates.followed_by("wheels", sum(self._wheels()))

    def _axes(self) -> list[int]:
        """How many axes each joint has among the coordinates."""
        return [link.joint.nv if isinstance(link.joint, AxesJoint) else 0 for link in self.links]

    def _wheels(self) -> list[int]:
        return [int(isinstance(link.joint, SpinJoint)) for link in self.links]

    @property
    def axes(self) -> int:
        return sum(self._axes())

    @property
    def wheels(self) -> int:
        return sum(self._wheels())

    @property
    def nq(self) -> int:
        return self.coordinates.size

    @property
    def nv(self) -> int:
        return self.speeds.size

    @property
    def joint_q(self) -> list[slice]:
        """Axes of each joint in q; empty for joints without."""
        return _spans(self.coordinates["axes"].start, self._axes())

    @property
    def joint_v(self) -> list[slice]:
        """Rates of each joint's axes, or the speed of a wheel, in v; empty for joints without."""
        wheels = _spans(self.speeds["wheels"].start, self._wheels())
        return [w if w.stop > w.start else a for w, a in zip(wheels, self.joint_q, strict=True)]

    def quaternions(self) -> list[slice]:
        return []

    def split(self, q, v):
        """X, Ẋ (n, 3) and the speeds of the wheels."""
        X, _ = self.coordinates.parts(q).values()
        X_dot, _, wheels = self.speeds.parts(v).values()
        return np.reshape(X, (-1, 3)), np.reshape(X_dot, (-1, 3)), wheels


def _spans(first: int, counts: list[int]) -> list[slice]:
    return [slice(a, b) for a, b in pairwise(np.cumsum([first, *counts]).tolist())]
