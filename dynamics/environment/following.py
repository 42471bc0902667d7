"""Attitudes of frames that are given by position and velocity only, as quaternions that never jump.

A rotation matrix gives q or −q. Here the sign is that of a reference r, a discrete state: q·r ≥ 0. Where q·r falls below ½, at a turn
by 120° from r, an event makes r = q, which changes no output. So q is exact over any number of turns, without integration. At the start its scalar part is not
negative.

A followed frame is a connection without ends and without forces; pieces that output attitudes name theirs in `watches`.
Proved by tests/environment/test_following.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.rotation import dcm_quaternion
from ..algebra.scalar import where
from ..constraints.connection import Decision, View
from ..constraints.watch import Watch
from ..system.pieces import discrete
from .kepler import orbital_frame

FAR = 0.5  # q·r at a turn by 120°
NEAR_FAR = 0.6  # an event that finds q·r below this renews r: hosts may stop a little before FAR


@dataclass(frozen=True)
class Following(Watch):
    """`frame(view)`: the matrix whose quaternion is followed, (3, 3)."""

    name: str = ""

    reference = discrete("attitude of {self.text} when its quaternion's sign was last noted", "1", (1.0, 0.0, 0.0, 0.0), output=False, calculated=True)  # fmt: skip

    text = "the frame"

    def frame(self, view: View):
        raise NotImplementedError

    def quaternion(self, dcm, d):
        """Of the frame's matrix, on the side of the reference (4,)."""
        q = dcm_quaternion(dcm)
        return q * where(q @ d[self.reference] < 0.0, -1.0, 1.0)

    def initial(self, view: View):
        return dcm_quaternion(self.frame(view))

    def indicators(self, view: View, multipliers):
        return np.array([self.quaternion(self.frame(view), view.d) @ view.d[self.reference] - FAR])

    def decide(self, view: View, g, rate) -> Decision:
        q, r = self.quaternion(self.frame(view), view.d), view.d[self.reference]
        return Decision(where(q @ r < NEAR_FAR, q, r), active=0.0)


@dataclass(frozen=True)
class FollowedOrbit(Following):
    """q_NO of an orbital frame whose origin is integrated."""

    name: str = "environment.orbit"
    text = "O relative to N"

    def frame(self, view: View):
        return view.scene.space.dcm_NS


@dataclass(frozen=True)
class FollowedLocal(Following):
    """q_SL of the craft's own orbital frame L (LVLH), spanned by position and velocity of its mass centre."""

    name: str = "system.orbit"
    text = "L, the craft's orbital frame, relative to the frame of the roots"

    def frame(self, view: View):
        scene, total = view.scene, view.whole()
        R, V = scene.position_N + total.mass_center, scene.velocity_N + total.momentum / total.mass
        return scene.space.dcm_NS.T @ orbital_frame(R, V)[0]


FOLLOWED_ORBIT = FollowedOrbit()
FOLLOWED_LOCAL = FollowedLocal()
