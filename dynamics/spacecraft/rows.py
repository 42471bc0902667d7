"""All rows of G of a spacecraft: the connections' own, zero while inactive; then one per axis that is prescribed or locked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..system.layout import Layout
from ..system.signals import Discrete
from .motion import Dynamics
from .route import Connections


@dataclass(frozen=True)
class HeldAxis:
    """A joint axis whose acceleration may be known: index of its speed, its discrete state if it can be locked."""

    speed: int
    prescribed: bool
    locked: Discrete | None = None


class Rows:
    """Their number and owners stay the same in every mode."""

    def __init__(self, dynamics: Dynamics, connections: Connections):
        self.dynamics, self.connections = dynamics, connections
        self.axes = [
            axis for forces, _, v in dynamics.craft.axes(dynamics.tree) for axis in _held_axes(v.start, forces)
        ]
        self.layout = Layout({"connections": dynamics.craft.rows, "axes": len(self.axes)})
        self.count = self.layout.size
        self.owners = (*(c.name for c in connections.all for _ in range(c.rows)), *("an axis" for _ in self.axes))

    def stacked(self, blocks, known):
        """G (m, nv) of the connections' blocks and unit rows of the axes, scaled by `known`."""
        nv = self.dynamics.tree.nv
        units = [(np.eye(nv)[axis.speed] * on).reshape(1, nv) for axis, on in zip(self.axes, known, strict=True)]
        return np.vstack([np.zeros((0, nv)), *blocks, *units])

    def still(self, t, x, u, k, d):
        """Mass matrix, (connection, view, its conditions or None) of all, and v; no forces."""
        dyn = self.dynamics
        bodies, scene = dyn.placed(t, x, u, k, d)
        q, v = dyn.split(x)
        M, V, B = dyn.inertia(bodies, q, v)
        views = self.connections.views(t, bodies, scene, x, u, k, d, V, B)
        return M, [(c, view, c.conditions(view)) for c, view in views], v


def _held_axes(first: int, forces) -> list[HeldAxis]:
    """The axes of one joint that are prescribed or can be locked; its first speed is number `first`."""
    locked = {lock.axis: lock.locked for lock in forces.locks}
    return [
        HeldAxis(first + axis, axis in forces.prescribed, locked.get(axis))
        for axis in sorted(forces.prescribed | set(locked))
    ]
