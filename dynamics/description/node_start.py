"""Starts that are given at a node: `initial = { at = "tip", position = …, velocity = … }` of a free or a carried body.

Newton's iteration moves the coordinates that the description leaves open, as little as possible in the metric of the kinetic energy, until
the node is at its place; then speeds likewise: M z = Gᵀλ, G z = remaining difference, with G the node's partial velocities.
A free body is shifted and keeps its attitude. Proved by tests/description/test_node_start.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from ..algebra.newton import cut, newton
from ..algebra.rotation import cross
from ..bodies.body import Node
from ..constraints.grip import End, grip
from ..spacecraft import Spacecraft
from ..spacecraft.motion import Dynamics
from ..system.evaluate import solve_saddle
from .errors import Problems
from .start import LONGEST_STEP, PASSES, Given, started

CLOSE = 1e-12  # of the system's size


@dataclass(frozen=True)
class NodeStart:
    """The given start position and velocity of a node, relative to the frame of the roots; None: not given."""

    path: str
    body: int
    node: Node
    position: tuple[float, ...] | None
    velocity: tuple[float, ...] | None
    free: bool = False  # of a free body: one step is exact


def placed_start(dynamics: Dynamics, given: list[Given], wanted: list[NodeStart], problems: Problems) -> Spacecraft:
    """The spacecraft with its nodes at their given places; `given`: the values that are kept."""
    craft, table = dynamics.craft, dynamics.table
    x, u, k, d = (np.array(table.starts(group)) for group in ("states", "inputs", "parameters", "discretes"))
    x = dynamics.begun(0.0, x, k)
    for one in wanted:
        for level, target in enumerate((one.position, one.velocity)):
            if target is None:
                continue
            open_ = [not flag for kept in given for flag in (kept.positions, kept.rates)[level]]
            free = np.flatnonzero(open_)  # without wheels, which are last
            longest = np.inf if one.free or level else LONGEST_STEP
            enough = CLOSE * max(craft.size, np.max(np.abs(target)), 1.0)
            look = partial(NodeSeen, dynamics, one, level, (u, k, d), free, longest)
            x, seen = newton(x, look, enough, passes=PASSES if len(free) else 1)
            if seen.size > enough:
                key = ("position", "velocity")[level]
                problems.add(f"{one.path}.{key}", list(target), f"one that the joints can give to this node; {seen.size:.3g} is missing")  # fmt: skip
    return started(dynamics, x)


class NodeSeen:
    """A start for Newton's method: the remaining difference (3,) of the node's position (level 0) or velocity (1), in N."""

    def __init__(self, dynamics: Dynamics, one: NodeStart, level: int, constant, free, longest: float, x):
        self.dynamics, self.level, self.free, self.longest, self.x = dynamics, level, free, longest, x
        moment = dynamics.moment(0.0, x, *constant)
        self.M, _, V, B = dynamics.kane(moment)
        space = moment.scene.space
        held = grip(End(one.body, one.node), moment.bodies, space, V, B, dynamics.tree.nv)
        assert held.rows is not None  # V is given
        self.rows = held.rows[:3]
        if level == 0:
            self.missing = space.dcm_NS @ np.array(one.position) - held.position
        else:
            swept = cross(space.omega, space.dcm_NS.T @ held.position)
            self.missing = space.dcm_NS @ (np.array(one.velocity) + swept) - held.velocity
        self.size = float(np.max(np.abs(self.missing)))

    def moved(self, length: float):
        dynamics, free = self.dynamics, self.free
        z = np.zeros(dynamics.tree.nv)
        z[free] = solve_saddle(self.M[np.ix_(free, free)], self.rows[:, free], np.zeros(len(free)), self.missing)[0]
        z, x = length * cut(z, self.longest), self.x
        q, v = dynamics.split(x)
        if self.level == 0:
            moved = dynamics.states.replaced(x, coordinates=q + dynamics.coordinate_rates(q, z))
            return dynamics.with_unit_quaternions(moved)
        return dynamics.states.replaced(x, speeds=v + z)
