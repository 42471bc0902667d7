"""All axes of a spacecraft that can be locked or have stops: when they are locked, and the events of latches and stops."""

from __future__ import annotations

import numpy as np

from ..scalar import where
from .motion import Dynamics, Moment


class Locks:
    """`all` has (Lock, index of its coordinate in q, index of its speed in v), `stops` (Axis, the same two), in the order of the tree.

    Their discrete states, which stand first in d, are their "modes"; `_places` says where each lock's is among them.
    Indicators are those of the latches, then two a stop.
    """

    def __init__(self, dynamics: Dynamics):
        tree, self.dynamics = dynamics.tree, dynamics
        joints = list(zip(dynamics.craft.joints, tree.joint_q, tree.joint_v, strict=True))
        self.all = [
            (lock, q.start + lock.axis, v.start + lock.axis) for joint, q, v in joints for lock in joint.forces.locks
        ]
        self.stops = [
            (axis, q.start + number, v.start + number) for joint, q, v in joints for number, axis in joint.forces.stops
        ]
        modes = [quantity.name for joint in dynamics.craft.joints for quantity in joint.forces.discretes()]
        self._places = [modes.index(lock.locked.name) for lock, _, _ in self.all]
        self._stop_places = [modes.index(axis.touches.name) for axis, _, _ in self.stops]
        self._latches = sum(lock.latch is not None for lock, _, _ in self.all)
        self.indicator_count = self._latches + 2 * len(self.stops)

    @property
    def switching(self) -> bool:
        """Whether events can change any of them."""
        return bool(self.all or self.stops)

    def indicators(self, moment: Moment):
        """Distance of every latch, −1 where it has caught: nothing is left to happen there; then what stops watch (ng,)."""
        caught = [moment.d[lock.locked] > 0.5 for lock, _, _ in self.all if lock.latch]
        distances = self._distances(moment.q, moment.k)
        latches = [where(held, -1.0, distance) for held, distance in zip(caught, distances, strict=True)]
        touching = [moment.d[axis.touches] for axis, _, _ in self.stops]
        return np.array(latches + self._watched(moment.q, moment.v, moment.k, touching))

    def initial(self, x, u, k, d):
        """Modes at the start: locked as the inputs say, latches that start beyond their place, stops as they are found."""
        u, k, _ = self.dynamics.bags(u, k, d)
        q, v = self.dynamics.split(x)
        locked = self._decide(u, [0.0] * len(self.all), self._distances(q, k))
        touching = [where(delta > 0.0, 1.0, 0.0) for delta in self._watched(q, v, k, [0.0] * len(self.stops))[::2]]
        return self._modes(locked, self._watched(q, v, k, touching))

    def decide(self, u, k, d, g):
        """Modes from now on, with the indicators `g` (ng,) of the moment."""
        u, _, d = self.dynamics.bags(u, k, d)
        locked = self._decide(u, [d[lock.locked] for lock, _, _ in self.all], g[: self._latches])
        return self._modes(locked, g[self._latches :])

    def by_speed(self, modes) -> dict:
        """Index of a speed → 1 where it is locked."""
        return {speed: modes[place] for (_, _, speed), place in zip(self.all, self._places, strict=True)}

    def _distances(self, q, k) -> list:
        return [lock.distance(k, q[place]) for lock, place, _ in self.all if lock.latch]

    def _watched(self, q, v, k, touching) -> list:
        """Indicators of the stops, two each."""
        pairs = zip(self.stops, touching, strict=True)
        return [g for (axis, i, j), on in pairs for g in axis.stop_indicators(k, on, q[i], v[j])]

    def _decide(self, u, locked, distances) -> list:
        left = iter(distances)
        pairs = zip(self.all, locked, strict=True)
        return [lock.decide(u, before, next(left) if lock.latch else None) for (lock, _, _), before in pairs]

    def _modes(self, locked, watched):
        """All modes in the order of d: locked axes as told, stops by the signs of what they watch."""
        modes = [0.0] * (len(self.all) + 2 * len(self.stops))
        for place, value in zip(self._places, locked, strict=True):
            modes[place] = value
        for i, place in enumerate(self._stop_places):
            modes[place], modes[place + 1] = (where(watched[2 * i + j] > 0.0, 1.0, 0.0) for j in (0, 1))
        return np.array(modes)
