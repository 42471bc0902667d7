"""How the solver passes change points of linkages: it predicts them, crosses a short gap around each, and never changes branch. NumPy only.

The same as the C runtime's (fmu_src/native/runtime/core/change_points.c). Proved by tests/constraints/test_change_points.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..bounds import (
    APPROACH,
    BESIDE,
    CLEAR_OF_ZERO,
    CROSSED,
    DIP,
    GAP_BEGINS,
    LAST_ENTRY,
    LEAST_ENTRY,
    MOST_CORRECTED,
    NEAR,
    NODES,
    SLOW,
    SMALL_SHIFT,
    TINY,
    TRAVEL,
)
from ..system.contract import System
from ..system.evaluate import Refused, project, project_one, solved_motion
from .evaluation_cache import RATES, EvaluationCache
from .gaps import Linkage, Start, gap_of_start
from .point import CurrentPoint
from .rows_seen import COUNT, NO_LOOPS, RANK, UNTIL, Seen, loops_of, solved_in_gap


class Crossed(Refused):
    """A step may have passed a change point; try a shorter one."""


@dataclass(frozen=True)
class Outlook:
    """For each row (rank,): its singular value relative to the largest, its rate of decrease, and the relative change of its speeds per second [1/s]."""

    weakness: np.ndarray
    falls: np.ndarray
    turning: np.ndarray

    @property
    def times(self):
        """Times until each singular value is zero."""
        return np.where(self.falls > 0.0, self.weakness / np.maximum(self.falls, TINY), math.inf)

    def length(self, least: float) -> float:
        """The length of a gap at whose end no singular value is close to zero."""
        for time in np.sort(self.times):
            if least / CLEAR_OF_ZERO < time < CLEAR_OF_ZERO * least:
                least = 2.0 * time
        return least


class ChangePoints:
    """now: the current point;  cache: evaluations with the rows of the current gap, which it forgets where a gap begins or ends.

    gap: the current or last gap (spacefmu.dynamics.solver.rows_seen); all zeros: none so far.
    weakness (3,): of the rows, the largest so far and the least in the last step, as the solve of the motion sees them; 0: nothing is known;
    and 1 once a change point was near.
    """

    def __init__(self, system: System, now: CurrentPoint):
        self.system, self.now, self.loops = system, now, loops_of(system) or NO_LOOPS
        self.cache = EvaluationCache(system, now, self._solve)
        self.gap, self.weakness = np.zeros(self.loops.gap_size), np.zeros(3)
        self._before: Seen | None = None  # the rows at the start of the current step
        self._near = False  # the step began close to a change point
        self._noted = 0.0, 0.0  # weakness after that step
        self._tried: list[tuple[int, float]] = []  # rank and weakness at the points of the current step

    # ---- interface of the solver

    @property
    def in_gap(self) -> bool:
        return bool(self.loops.owners) and self.gap[COUNT] > 0.0

    @property
    def first_pair_alone(self) -> bool:
        """The error of lower-order pairs is as large as their estimate, that of order 8 far smaller: a linkage that passes change points uses only order 8."""
        return bool(self.weakness[2])

    def begin_run(self) -> None:
        self.gap[:], self.weakness[:] = 0.0, 0.0
        self.cache.forget()

    def begin_try(self) -> None:
        self._tried.clear()

    def _solve(self, point):
        if self.in_gap:
            return solved_in_gap(self.system, self.loops, self.gap, point)
        return solved_motion(self.system, *point, watch=lambda *seen: self._tried.append(seen))

    def projected(self, t, x):
        """x projected on the manifolds; close to a change point to round-off. In a gap the constraints of couplings are not projected."""
        more = (self.now.u, self.now.k, self.now.d)
        if not self.in_gap:
            return project(self.system, t, x, *more, tight=self._near)
        for projection in self.system.projections:
            if not projection.level:
                x = project_one(projection, t, x, *more, projection.tolerance)
        return x

    def bound(self, f, begin, bounded: bool) -> tuple[float, bool]:
        """The latest end of the step from the current point, and whether a gap begins here. f: rates;  begin(t, x) → Step.

        bounded: a step of bounded work ends before a change point instead of crossing it.
        """
        self._before, self._near = None, False
        if bounded or not self.loops.owners:
            return math.inf, False
        most, last, _ = self.weakness
        if not most > 0.0 and self.starts_in_gap(begin):
            self.weakness[:] = self._start_weakness
            return self.gap[UNTIL], True
        if self.in_gap:
            return self.gap[UNTIL], False
        if self.loops.alone and most > 0.0 and last >= DIP * most:  # with other rows the solve gives the weakest of all
            return math.inf, False
        seen = self._before = self._seen(self.now.t, self.now.x)
        if not most > 0.0:
            own = solved_weakness(self.system, self.now.at(self.now.t, self.now.x))
            self.weakness[:2] = own * max(1.0, NEAR / max(seen.weakest, GAP_BEGINS)), own
        self._near = seen.weakest < NEAR
        self.weakness[2] = max(self.weakness[2], self._near)
        outlook = self._outlook(seen, f)
        i = int(np.argmin(outlook.times)) if seen.rank else 0
        if not (seen.rank and outlook.times[i] < math.inf):
            return math.inf, False
        time, sigma = outlook.times[i], outlook.weakness[i]
        if sigma > NEAR:
            return self.now.t + time * (1.0 - APPROACH * NEAR / sigma), False
        if sigma <= 1.1 * GAP_BEGINS and self._may_enter(outlook, i):
            self._enter(seen, outlook.length(2.0 * time), begin)
            return self.gap[UNTIL], True
        turned = time * outlook.turning[i]
        if sigma < LEAST_ENTRY and 0.5 * SLOW <= turned < 1.0:
            raise Refused(
                f"the linkage of {seen.name(i)} comes to rest at a change point, where its couplings do not determine how it continues"
            )
        if sigma < LAST_ENTRY:
            raise Refused(f"the linkage of {seen.name(i)} passes change points too close to each other")
        ahead = 1.0 - GAP_BEGINS / sigma
        return self.now.t + time * (min(APPROACH, ahead) if ahead > 0.1 else APPROACH), False

    def kept(self, t, x):
        """x at the end of a step, projected; `Refused` if it may have passed a change point and be on another branch."""
        x = self.projected(t, x)
        if not self.loops.owners or self.in_gap:
            return x
        ranks, values = ([seen[i] for seen in self._tried] for i in (0, 1))
        least, most = min(values, default=1.0), max(values, default=0.0)
        self._noted = max(most, self.weakness[0]), least
        if self.loops.alone and not self._near and least >= DIP * self._noted[0] and len(set(ranks)) < 2:
            return x
        before = self._before = self._before or self._seen(self.now.t, self.now.x)
        after = self._seen(t, x)
        if not after.follows(before) > CROSSED:
            raise Crossed(
                f"the linkage of {before.name()} is at a change point, where its couplings lose rank and do not determine the branch of the motion"
            )
        if after.weakest < NEAR and not self._near:
            return project(self.system, t, x, self.now.u, self.now.k, self.now.d, tight=True)
        return x

    def note_weakness(self) -> None:
        """Record the weakness after the step that `kept` checked last."""
        if self.loops.owners and not self.in_gap:
            self.weakness[:2] = self._noted

    def settled(self, x, d) -> None:
        """An event changes the current state to x, d; raises `Refused` if it changes the motion or its rows in a gap."""
        if not self.in_gap:
            self.weakness[:] = 0.0
            return
        rank = int(self.gap[RANK])
        before = self._seen(self.now.t, self.now.x, rank)
        after = Seen(self.system, self.loops, (self.now.t, self.now.x, self.now.u, self.now.k, d), rank)
        if not (np.array_equal(x, self.now.x) and np.array_equal(before.s, after.s)):
            raise Refused(
                f"an event falls on a change point of the linkage of {before.name()}, where its couplings do not determine how it continues"
            )

    def leave_gap(self) -> None:
        """At the end of a gap: project back on the manifolds, a very small correction."""
        name = self._seen(self.now.t, self.now.x, int(self.gap[RANK])).name()
        self.gap[COUNT] = 0.0
        self.cache.forget()
        moved = project(self.system, self.now.t, self.now.x, self.now.u, self.now.k, self.now.d, tight=True)
        speeds = list(self.loops.speeds)
        if np.linalg.norm((moved - self.now.x)[speeds]) > MOST_CORRECTED * np.linalg.norm(self.now.x[speeds]):
            raise Refused(f"the linkage of {name} has left its branch at a change point; a smaller tolerance may help")
        self.now.x = moved

    # ---- parts

    @property
    def _linkage(self) -> Linkage:
        return Linkage(self.system, self.loops, self.now.u, self.now.k, self.now.d)

    def _seen(self, t, x, rank=None) -> Seen:
        return self._linkage.seen(t, x, rank)

    def _outlook(self, seen: Seen, f) -> Outlook:
        speeds = np.array(self.loops.speeds)
        moving = [speeds[row != 0.0] for row in seen.rows]
        size = np.array([np.linalg.norm(self.now.x[own]) for own in moving])
        weakness = seen.s / seen.s[:1]
        if not size.any():
            return Outlook(weakness, np.zeros(seen.rank), np.full(seen.rank, math.inf))
        shift = SMALL_SHIFT / size.max()
        later = self._seen(self.now.t + shift, self.now.x + shift * f, seen.rank)
        turning = np.array([np.linalg.norm(f[own]) for own in moving]) / np.maximum(size, TINY)
        return Outlook(weakness, (weakness - later.s / later.s[0]) / shift, turning)

    def _may_enter(self, outlook: Outlook, i: int) -> bool:
        """Whether a gap may begin for row i: it must be short compared with the change of its motion, the time since the last gap, and the decrease of other
        rows that also reach zero."""
        length = 2.0 * outlook.times[i]
        passed = self.now.t - self.gap[UNTIL] if self.gap[RANK] else math.inf
        beside = outlook.falls[outlook.times < BESIDE * length]
        return (
            length * outlook.turning[i] < SLOW
            and (NODES - 1) * length <= passed
            and bool(np.all(beside * length <= TRAVEL * GAP_BEGINS))
        )

    def _enter(self, seen: Seen, length: float, begin) -> None:
        """Start a gap of this length here, from its rows here and at earlier times, spaced by this length."""
        t, x = self.now.t, self.now.x
        nodes = [(t, x)]
        for _ in range(NODES - 1):
            back, _ = begin(t, x).to(-length)
            t, x = t - length, self._linkage.on_manifolds(t - length, back)
            nodes.append((t, x))
        self._take(self._linkage.gap(seen, nodes, self.now.t + length))

    def _take(self, gap) -> None:
        self.gap = gap
        self.cache.forget()

    def starts_in_gap(self, begin) -> bool:
        """Whether the motion starts at a change point; then a gap begins here. begin(t, x) → Step."""
        self._take(np.zeros_like(self.gap))

        def moving(gap):
            self._take(gap)
            step = begin(self.now.t, self.now.x)
            return lambda time: step.to(time)[0], step.f

        found = gap_of_start(
            self._linkage, Start(self.now.t, self.now.x, self.cache.here(RATES, self.now.t, self.now.x), moving)
        )
        if found is None:
            return False
        own = solved_weakness(self.system, self.now.at(*found[1]))
        self._start_weakness = own * NEAR / GAP_BEGINS, own, 1.0
        return True


def solved_weakness(system: System, point) -> float:
    """The weakness of rows, as seen by the solve of the motion."""
    found = [1.0]
    solved_motion(system, *point, watch=lambda _, weakest: found.append(weakest))
    return found[-1]
