"""Starts that are given at a node: `initial = { at = "tip", position = …, velocity = … }` of a free or a carried body.

Newton's iteration moves what the description leaves open, as little as possible in the metric of the kinetic energy, until
the node is there; then speeds likewise: M z = Gᵀλ, G z = what is missing, with G the node's partial velocities.
A free body is shifted and keeps its attitude. Proved by tests/description/test_node_start.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..bodies.body import Node
from ..constraints.grip import End, grip
from ..evaluate import solve_saddle
from ..rotation import cross
from ..spacecraft import Spacecraft
from ..spacecraft.motion import Dynamics
from ..spacecraft.signals import signal_table
from .errors import Problems
from .start import Given, started

STEPS = 60
CLOSE = 1e-12  # of the system's size
LONGEST_STEP = 0.5  # [m or rad]: far guesses stay on their branch


@dataclass(frozen=True)
class NodeStart:
    """Where a node of a body shall start, and how fast, relative to the frame of the roots; None: not said."""

    path: str
    body: int
    node: Node
    position: tuple[float, ...] | None
    velocity: tuple[float, ...] | None
    free: bool = False  # of a body that no joint carries: one step is exact


def placed_start(craft: Spacecraft, given: list[Given], wanted: list[NodeStart], problems: Problems) -> Spacecraft:
    """The spacecraft with its nodes where they are wanted; `given` says what stays."""
    table = signal_table(craft, [])
    dynamics = Dynamics(craft, table)
    x, u, k, d = (np.array(table.starts(group)) for group in ("states", "inputs", "parameters", "discretes"))
    x = dynamics.begun(0.0, x, k)
    nq, nv = craft.tree.nq, craft.tree.nv

    def solved(x, one: NodeStart, level: int):
        """Speeds (nv,) that bring the node nearer, and what is missing (3,) of its position or velocity, in N."""
        moment = dynamics.moment(0.0, x, u, k, d)
        M, _, V, B = dynamics.kane(moment)
        held = grip(End(one.body, one.node), moment.bodies, moment.scene.space, V, B, nv)
        space = moment.scene.space
        if level == 0:
            missing = space.dcm_NS @ np.array(one.position) - held.position
        else:
            swept = cross(space.omega, space.dcm_NS.T @ held.position)
            missing = space.dcm_NS @ (np.array(one.velocity) + swept) - held.velocity
        open_ = np.array([not flag for kept in given for flag in (kept.positions, kept.rates)[level]])
        open_ = np.concatenate([open_, np.zeros(nv - len(open_), bool)])  # wheels
        z = np.zeros(nv)
        if np.any(open_):
            z[open_] = solve_saddle(M[np.ix_(open_, open_)], held.rows[:3, open_], np.zeros(open_.sum()), missing)[0]
        return z, missing

    for one in wanted:
        for level, target in enumerate((one.position, one.velocity)):
            if target is None:
                continue
            for _ in range(STEPS):
                z, missing = solved(x, one, level)
                if np.max(np.abs(missing)) <= CLOSE * max(craft.size, np.max(np.abs(target)), 1.0):
                    break
                if level == 0:
                    if not one.free:
                        z = z * min(1.0, LONGEST_STEP / max(np.max(np.abs(z)), 1e-300))
                    q = x[:nq] + dynamics.coordinate_rates(x[:nq], z)
                    x = dynamics.with_unit_quaternions(np.concatenate([q, x[nq:]]))
                else:
                    x = np.concatenate([x[:nq], x[nq : nq + nv] + z, x[nq + nv :]])
            else:
                key = ("position", "velocity")[level]
                problems.add(f"{one.path}.{key}", list(target), f"one that the joints can give to this node; {np.max(np.abs(missing)):.3g} is missing")  # fmt: skip
    return started(craft, x)
