"""All axes of a spacecraft that can be locked, can stick or have stops: when each is held, and the events of latches, stops and friction."""

from __future__ import annotations

import numpy as np

from ..algebra.scalar import where
from ..joints.axis import Stick
from ..system.layout import Layout
from .motion import Dynamics, Moment
from .route import Connections


class Locks:
    """`all` has (Lock, index of its coordinate in q, index of its speed in v), `stops` (Axis, the same two), in the order of the tree; `sticks`: of `all`.

    Their discrete states, the part "locks" of d, are their "modes"; `_places` says where each lock's is among them.
    `watched`: the parts of their indicators, two per stop and two per axis that sticks.
    """

    def __init__(self, dynamics: Dynamics):
        self.dynamics = dynamics
        axes = dynamics.craft.axes(dynamics.tree)
        self.all = [(lock, q.start + lock.axis, v.start + lock.axis) for forces, q, v in axes for lock in forces.locks]
        self.stops = [
            (axis, q.start + number, v.start + number) for forces, q, v in axes for number, axis in forces.stops
        ]
        modes = [quantity.name for forces, _, _ in axes for quantity in forces.discretes()]
        self._places = [modes.index(lock.locked.name) for lock, _, _ in self.all]
        self._stop_places = [modes.index(axis.touches.name) for axis, _, _ in self.stops]
        self.sticks = [(lock, speed) for lock, _, speed in self.all if isinstance(lock, Stick)]
        self._directions = [modes.index(lock.direction.name) for lock, _ in self.sticks]
        latches = sum(lock.latch is not None for lock, _, _ in self.all)
        self.watched = Layout({"latches": latches, "stops": 2 * len(self.stops), "sticks": 2 * len(self.sticks)})

    @property
    def switching(self) -> bool:
        """Whether events can change any of them."""
        return bool(self.all or self.stops)

    def indicators(self, moment: Moment, holding):
        """Distance of every latch, −1 where it has caught, which gives no further events; then the indicators of stops and friction (ng,).

        holding(speed): the force along an axis that holds it, as its friction would.
        """
        caught = [moment.d[lock.locked] > 0.5 for lock, _, _ in self.all if lock.latch]
        distances = self._distances(moment.q, moment.k)
        latches = [where(held, -1.0, distance) for held, distance in zip(caught, distances, strict=True)]
        touching = [moment.d[axis.touches] for axis, _, _ in self.stops]
        rubbing = [
            g
            for lock, speed in self.sticks
            for g in lock.indicators(moment.k, moment.d, moment.v[speed], holding(speed))
        ]
        return np.array(latches + self._watched(moment.q, moment.v, moment.k, touching) + rubbing)

    def initial(self, x, u, k, d):
        """Modes at the start: locks from the inputs, latches that start beyond their place, stops from the coordinates."""
        u, k, _ = self.dynamics.bags(u, k, d)
        q, v = self.dynamics.split(x)
        locked = self._decide(u, [0.0] * len(self.all), self._distances(q, k))
        touching = [where(delta > 0.0, 1.0, 0.0) for delta in self._watched(q, v, k, [0.0] * len(self.stops))[::2]]
        return self._modes(
            locked, self._watched(q, v, k, touching), [lock.begun(v[speed]) for lock, speed in self.sticks]
        )

    def decide(self, u, k, d, g):
        """Modes from now on, with the indicators `g` (ng,) of the moment."""
        u, _, d = self.dynamics.bags(u, k, d)
        locked = self._decide(u, [d[lock.locked] for lock, _, _ in self.all], g[self.watched["latches"]])
        pairs = g[self.watched["sticks"]].reshape(-1, 2)
        slides = [lock.slides(d, pair) for (lock, _), pair in zip(self.sticks, pairs, strict=True)]
        return self._modes(locked, g[self.watched["stops"]], slides)

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

    def _modes(self, locked, watched, slides):
        """All modes in the order of d: locked axes as given, stops by the signs of their indicators, (held, direction) of axes that stick."""
        modes = [0.0] * (len(self.all) + 2 * len(self.stops) + len(self.sticks))
        held = iter(slides)
        for (lock, _, _), place, value in zip(self.all, self._places, locked, strict=True):
            modes[place] = next(held)[0] if isinstance(lock, Stick) else value
        for place, (_, direction) in zip(self._directions, slides, strict=True):
            modes[place] = direction
        for i, place in enumerate(self._stop_places):
            modes[place], modes[place + 1] = (where(watched[2 * i + j] > 0.0, 1.0, 0.0) for j in (0, 1))
        return np.array(modes)


def watched(connections: Connections, locks: Locks) -> Layout:
    """The parts of the indicators g."""
    return Layout({"connections": connections.indicator_count, "locks": locks.watched.size})
