"""All axes of a spacecraft that can be locked: when they are, and the event indicators of their latches."""

from __future__ import annotations

import numpy as np

from ..scalar import where
from .motion import Dynamics, Moment


class Locks:
    """`all` has (Lock, index of its coordinate in q, index of its speed in v), in the order of the tree.

    So do the discrete states of locks, which stand first in d.
    """

    def __init__(self, dynamics: Dynamics):
        tree = dynamics.tree
        self.dynamics = dynamics
        self.all = [
            (lock, tree.joint_q[i].start + lock.axis, tree.joint_v[i].start + lock.axis)
            for i, joint in enumerate(dynamics.craft.joints)
            for lock in joint.forces.locks
        ]
        self.indicator_count = sum(lock.latch is not None for lock, _, _ in self.all)

    def indicators(self, moment: Moment):
        """Distance of every latch (ng,), −1 where it has caught: nothing is left to happen there."""
        caught = [moment.d[lock.locked] > 0.5 for lock, _, _ in self.all if lock.latch]
        distances = self._distances(moment.q, moment.k)
        return np.array([where(held, -1.0, distance) for held, distance in zip(caught, distances, strict=True)])

    def initial(self, x, u, k, d):
        """Locked (n,) at the start: as the inputs say, and latches that start beyond their place."""
        u, k, _ = self.dynamics.bags(u, k, d)
        q, _ = self.dynamics.split(x)
        return self._decide(u, [0.0] * len(self.all), self._distances(q, k))

    def decide(self, u, k, d, g):
        """Locked (n,) from now on, with the indicators `g` (ng,) of the moment."""
        u, _, d = self.dynamics.bags(u, k, d)
        return self._decide(u, [d[lock.locked] for lock, _, _ in self.all], g)

    def by_speed(self, locked) -> dict:
        """Index of a speed → its entry of `locked` (n,)."""
        return {speed: on for (_, _, speed), on in zip(self.all, locked, strict=True)}

    def _distances(self, q, k) -> list:
        return [lock.distance(k, q[place]) for lock, place, _ in self.all if lock.latch]

    def _decide(self, u, locked, distances):
        left = iter(distances)
        pairs = zip(self.all, locked, strict=True)
        return np.array([lock.decide(u, before, next(left) if lock.latch else None) for (lock, _, _), before in pairs])
