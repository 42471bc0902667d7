"""Gaps around change points: from nodes before an approaching change point, or on both sides of one at which the motion starts. NumPy only.

The same as the C runtime's (fmu_src/native/runtime/core/gaps.c). Proved by tests/constraints/test_change_points.py and test_starts_at_change_points.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..bounds import (
    AT_START,
    GAP_BEGINS,
    LEAST_ENTRY,
    MOST_TURNED,
    MOST_WEAK,
    NODES,
    OFF_BRANCH,
    PROBE,
    SLOW,
    START_PASSES,
    TINY,
    WEAK,
)
from ..system.contract import System
from ..system.evaluate import Refused, project
from .rows_seen import COUNT, RANK, TIMES, UNTIL, Loops, Seen, in_gap

AROUND = (1, -1, 2, -2, 3, -3)  # nodes of a start's gap, in units of its length
assert len(AROUND) == NODES


@dataclass(frozen=True)
class Linkage:
    """The loops of a System at any time and state, with the current inputs, constants and discrete states."""

    system: System
    loops: Loops
    u: np.ndarray
    k: np.ndarray
    d: np.ndarray

    def seen(self, t: float, x, rank: int | None = None) -> Seen:
        return Seen(self.system, self.loops, (t, x, self.u, self.k, self.d), rank)

    def on_manifolds(self, t: float, x):
        """x projected on the manifolds, to round-off."""
        return project(self.system, t, x, self.u, self.k, self.d, tight=True)

    def gap(self, seen: Seen, nodes, until: float) -> np.ndarray:
        """A gap until a time, from the rows at nodes (t, x); seen: the rows at the first node."""
        weak, duals = seen.s < WEAK * seen.s[0], seen.duals
        if sum(weak) > MOST_WEAK:
            raise Refused(
                f"the linkage of {seen.name()} is at a change point where it loses {sum(weak)} conditions; at most {MOST_WEAK} are supported"
            )
        gap = np.zeros(self.loops.gap_size)
        kept = gap[TIMES + NODES :].reshape(self.loops.weak_shape)
        for i, (t, x) in enumerate(nodes):
            seen = self.seen(t, x, len(weak)) if i else seen
            rows = np.linalg.solve(seen.rows @ duals, seen.rows)[weak]
            gap[TIMES + i] = t
            kept[i, : sum(weak)] = np.column_stack([rows, rows @ seen.v])
        gap[[UNTIL, RANK, COUNT]] = until, len(weak), sum(weak)
        return gap


@dataclass(frozen=True)
class Start:
    """The start of a motion: its time, state and rates ẋ there; moving(gap) → the motion through a gap (time after the start → state), and ẋ at the start."""

    t: float
    x: np.ndarray
    f: np.ndarray
    moving: Callable[[np.ndarray], tuple[Callable[[float], Any], np.ndarray]]


def gap_of_start(linkage: Linkage, start: Start) -> tuple[np.ndarray, tuple] | None:
    """The gap of a motion that starts at a change point, and its first node (t, x); None if it does not start at one. Raises `Refused` if the start's rates are
    on no branch.

    Rows that vanish there are evaluated on both sides of it: first along the initial rates, then along the motion in the gap found by these.
    """
    (t, x), speeds = (start.t, start.x), list(linkage.loops.speeds)
    here, speed = linkage.seen(t, x), float(np.linalg.norm(x[speeds]))
    if not speed > 0.0:
        return None
    along = np.array(start.f)
    along[speeds] = 0.0
    length, ahead = PROBE / speed, here
    for _ in range(2):
        try:
            ahead = linkage.seen(t + length, linkage.on_manifolds(t + length, x + length * along))
        except Refused:  # a guard looks at the steps
            return None
        if ahead.rank <= here.rank and here.weakest >= AT_START * GAP_BEGINS:
            return None
        length *= GAP_BEGINS / ahead.weakest
    gap, path, shortest = np.zeros(0), lambda time: x + time * along, LEAST_ENTRY / GAP_BEGINS * length
    for passed in range(START_PASSES):
        times = [t + share * length for share in AROUND]
        nodes = [(time, linkage.on_manifolds(time, path(time - t))) for time in times]
        first = linkage.seen(*nodes[0], ahead.rank)
        gap = linkage.gap(first, nodes, t + length)
        path, rates = start.moving(gap)
        turning = float(np.linalg.norm(rates[speeds]))
        if passed == 0:  # a slow one has a shorter gap
            length = min(length, max(SLOW * speed / max(turning, TINY), shortest))
        if turning * length > MOST_TURNED * speed:
            raise Refused(
                f"the linkage of {first.name()} is almost at rest at a change point, where its couplings do not determine how it continues; "
                "start it faster, or elsewhere"
            )
    parts = in_gap(linkage.loops, gap, t)[0] * np.append(x[speeds], -1.0)  # of P v − b
    if np.any(np.abs(parts.sum(axis=1)) > OFF_BRANCH * np.abs(parts).sum(axis=1)):
        raise Refused(
            f"the linkage of {first.name()} starts at a change point with rates that fit none of its branches; change its initial rates"
        )
    return gap, nodes[0]
