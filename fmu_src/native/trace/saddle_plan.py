"""The solve of a motion with rows, planned when the C is written: in which order M z = f + Gᵀλ, G z = γ is eliminated without its zeros.

    [M  Gᵀ] [ z]   [f]
    [G  0 ] [−λ] = [γ]   =  P L D Lᵀ Pᵀ (..)

Speeds may be eliminated at any time: their pivots are the masses that the rows eliminated before leave free. A row may be eliminated after speeds in it: its
pivot is minus their mobility along the row. So no 2×2 pivots are needed, and an order of few new entries is chosen among pivots that are
strong at states of the model. Rows that are redundant at these states come last and are left out. The runtime monitors the pivots (runtime/core/planned.h):
where a kept row is weak, or a row left out is not redundant, it uses the rank-revealing solve instead.

M is as it is assembled, without what `stiff` rows add to it (system.contract.Staged), which would fill it. So it may be singular: a speed without mass goes
first, together with the row that ties it to the others, and speeds whose masses are weak wait for rows.
Proved by tests/native/test_saddle_plan.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import casadi
import numpy as np

from spacefmu.dynamics.system.contract import Staged, System
from spacefmu.dynamics.system.evaluate import Refused, project, start

from .dataflow import NoDataflow, dataflow_of
from .traces import Traced, Traces

STRONG = 0.1  # smallest pivot, relative to the mobility along the row with all speeds free
NOTHING = 1e-10  # relative to the same: largest remainder of a redundant row after elimination
WORTH = 0.6  # largest share of the operations of a full solve: a plan with more is not used
MASSIVE = 1e-3  # smallest pivot of a speed, relative to its mass, where M may be singular
ORDERS = (
    (1e-4, 0.0),
    (1e-4, 3.0),
    (1.0, 0.0),
)  # orders that are tried there: (share of what rows add to M that masses and mobilities
# count, weight of new entries); the cheapest is taken among those whose rows keep
CLEAR = 1e-2  # of their own mobility at the states, or the strongest
STATES = 2  # in addition to the start: states at which pivots are chosen,
AWAY = 0.2  # and their distance from it


@dataclass(frozen=True)
class Plan:
    """order: unknowns in the order of elimination, speeds 0…n−1, row j as n+j; left_out: redundant rows, likewise. Patterns: entries that may be nonzero.

    tied: pairs (speed without mass, row), which are eliminated before. stiff: whether M may be singular.
    """

    M: np.ndarray
    G: np.ndarray
    order: tuple[int, ...]
    left_out: tuple[int, ...]
    tied: tuple[tuple[int, int], ...] = ()
    stiff: bool = False


def plan_of(system: System, traces: Traces) -> tuple[Plan | None, tuple[bool, ...]]:
    """The plan of the motion's solve, if it saves enough; and the projections that use it too."""
    motion = system.motion
    n, m, served = motion.n, motion.m, tuple(False for _ in system.projections)
    if not m or traces.motion.assemble is None:
        return None, served
    try:
        own = _patterns(traces.motion, motion)
        alike = [p.stage.n == n and p.stage.m == m for p in system.projections]
        others = [_patterns(t, motion) for t, same in zip(traces.projections, alike, strict=True) if same]
        samples = _samples(system)
    except (NoDataflow, Refused, np.linalg.LinAlgError):
        return None, served
    M, G = (np.any([pair[i] for pair in (own, *others)], axis=0) for i in range(2))
    plan, operations = _planned(M | M.T, G, samples, motion)
    full = n**3 / 3 + n * n * m + 2 * n * m * m
    if traces.motion.assemble.is_a("SXFunction"):
        full = 2 * n * m * m  # only these: the rest of the solve is already unrolled, see factoring.py
    return (plan, tuple(alike)) if plan is not None and operations < WORTH * full else (None, served)


def _patterns(stage: Traced, motion: Staged) -> tuple[np.ndarray, np.ndarray]:
    """Which entries of M (n, n) and G (m, n) may be other than zero."""
    function = stage.assemble
    assert function is not None
    if function.is_a("SXFunction"):
        made = function.call([casadi.SX.sym(name, function.size1_in(name)) for name in function.name_in()], True, False)
        entries = [[not column[i].is_zero() for i in range(column.numel())] for column in made[:2]]
    else:
        entries = [[value != 0.0 or isinstance(value, int) for value in r] for r in dataflow_of(function).results[:2]]
    return np.array(entries[0], bool).reshape(motion.n, motion.n), np.array(entries[1], bool).reshape(
        motion.m, motion.n
    )


def _samples(system: System) -> list[tuple[np.ndarray, np.ndarray]]:
    """M, G at states near the start that satisfy all conditions; at the start itself if there are none."""
    x, u, k, d = start(system)
    random, found = np.random.default_rng(1), []
    scale = np.array([max(1.0, abs(value)) for value in x])
    for _ in range(STATES):
        try:
            near = project(system, 0.0, x + AWAY * scale * random.uniform(-1.0, 1.0, len(x)), u, k, d, tight=True)
            found.append(_numbers(system.motion, near, u, k, d))
        except (Refused, np.linalg.LinAlgError):
            continue
    return found or [_numbers(system.motion, x, u, k, d)]


def _numbers(motion: Staged, x, u, k, d) -> tuple[np.ndarray, np.ndarray]:
    assert motion.assemble is not None
    M, G, *_ = motion.assemble(0.0, x, u, k, d)
    return np.array(M, float), np.array(G, float).reshape(motion.m, motion.n)


class _Elimination:
    """The matrix during elimination: its pattern, and its values at some states."""

    def __init__(
        self, M: np.ndarray, G: np.ndarray, samples: Sequence[tuple[np.ndarray, np.ndarray]], motion: Staged, share=0.0
    ):
        self.n, self.m, self.stiff = len(M), len(G), bool(motion.stiff)
        zeros = np.zeros((self.m, self.m))
        self.filled = np.block([[M, G.T], [G, zeros.astype(bool)]]).astype(bool)
        self.numbers = np.array([np.block([[m, g.T], [g, zeros]]) for m, g in samples])
        self.left = np.ones(self.n + self.m, bool)
        self.operations = 0
        self.tied = tuple(self._ties(motion.stiff))
        self.mobile, self.weakest = np.zeros((len(samples), self.m)), 1.0
        added = share * motion.stiffness
        self.masses = np.array([np.diag(m) + added * np.sum(g[: motion.stiff] ** 2, axis=0) for m, g in samples])
        self.mobility = np.array([self._mobilities(K, motion.stiff, added) for K in self.numbers])

    def _ties(self, stiff: int) -> Iterator[tuple[int, int]]:
        """Speeds without mass, each with the first row that ties it, which may be none other's; both are eliminated."""
        n = self.n
        for i in np.flatnonzero(~self.filled[:n, :n].any(1)).tolist() if stiff else ():
            rows = [n + j for j in range(stiff) if self.left[n + j] and np.all(self.numbers[:, n + j, i])]
            row = next((j for j in rows if not self.filled[j, n:].any()), None)
            if row is None:
                continue
            yield i, row
            self.left[[i, row]] = False
            beside, along = (np.flatnonzero(self.filled[j] & self.left) for j in (i, row))
            self.operations += 2 * len(beside) * len(along) + 4 * (len(beside) + len(along))
            for a, b in ((beside, along), (along, beside)):
                self.filled[np.ix_(a, b)] = True
            for K in self.numbers:
                change = np.outer(K[:, i], K[row]) / K[row, i]
                K[np.ix_(self.left, self.left)] -= (change + change.T)[np.ix_(self.left, self.left)]

    def _mobilities(self, K: np.ndarray, stiff: int, added: float) -> np.ndarray:
        """Of all rows with all speeds free that are left."""
        free = self.left[: self.n]
        G = K[self.n :, : self.n][:, free]
        R = G[:stiff][self.left[self.n : self.n + stiff]]
        M = K[: self.n, : self.n][np.ix_(free, free)] + added * (R.T @ R)
        return np.einsum("ij,ji->i", G, np.linalg.solve(M, G.T))

    def strong(self, unknown: int) -> bool:
        """Whether a speed or a row may be eliminated now."""
        if unknown < self.n:
            pivots = self.numbers[:, unknown, unknown]
            return not self.stiff or bool(np.all((pivots > 0.0) & (pivots >= MASSIVE * self.masses[:, unknown])))
        return self._strong_row(unknown)

    def _strong_row(self, row: int) -> bool:
        if self.filled[row, : self.n][self.left[: self.n]].any() and not self.mobility[:, row - self.n].all():
            return (
                False  # it is inactive at a state: its pivot there is not known until all of its speeds are eliminated
            )
        return bool(np.all(self.pivots(row) >= STRONG * self.mobility[:, row - self.n]))

    def pivots(self, row: int) -> np.ndarray:
        return -self.numbers[:, row, row]

    def neighbours(self, unknown: int) -> np.ndarray:
        found = self.filled[unknown] & self.left
        found[unknown] = False
        return np.flatnonzero(found)

    def new_entries(self, unknown: int) -> int:
        near = self.neighbours(unknown)
        return int(np.sum(~self.filled[np.ix_(near, near)]))

    def take(self, unknown: int) -> None:
        self.left[unknown] = False
        near = self.neighbours(unknown)
        self.operations += len(near) * (len(near) + 6)
        self._note(unknown, near)
        block = np.ix_(near, near)
        self.filled[block] = True
        for K in self.numbers:
            if K[unknown, unknown]:
                K[block] -= np.outer(K[near, unknown], K[unknown, near]) / K[unknown, unknown]

    def _note(self, unknown: int, near: np.ndarray) -> None:
        """What rows keep of their mobility with the speeds before them free: as the runtime sees it."""
        if not self.stiff:
            return
        if unknown >= self.n:
            kept = self.pivots(unknown) / np.fmax(self.mobile[:, unknown - self.n], 1e-300)
            self.weakest = min(self.weakest, *kept[self.mobility[:, unknown - self.n] > 0.0].tolist())
            return
        rows = near[near >= self.n]
        self.mobile[:, rows - self.n] += self.numbers[:, unknown, rows] ** 2 / self.numbers[:, unknown, unknown, None]


def _planned(
    M: np.ndarray, G: np.ndarray, samples: Sequence[tuple[np.ndarray, np.ndarray]], motion: Staged
) -> tuple[Plan | None, int]:
    """The plan with the fewest operations, and these."""
    if not motion.stiff:
        return _ordered(_Elimination(M, G, samples, motion), M, G, 0.0)
    tried = [(_Elimination(M, G, samples, motion, share), filling) for share, filling in ORDERS]
    found = [(*_ordered(work, M, G, filling), min(work.weakest, CLEAR)) for work, filling in tried]
    plan, operations, _ = min(found, key=lambda each: (each[0] is None, -each[2], each[1]))
    return plan, operations


def _ordered(work: _Elimination, M: np.ndarray, G: np.ndarray, filling: float) -> tuple[Plan | None, int]:
    """By smallest degree among the unknowns that may be eliminated, or by its square with new entries weighed in;
    remaining rows follow after the last speed, the strongest first. None if speeds remain."""
    n, order = work.n, []
    while True:
        degrees = (work.filled & work.left).sum(1)
        weights = {
            i: degrees[i] ** 2 + filling * work.new_entries(i) if filling else degrees[i]
            for i in np.flatnonzero(work.left).tolist()
        }
        waiting = sorted(weights, key=lambda i: (weights[i], i))
        chosen = next((i for i in waiting if work.strong(i)), None)
        if chosen is None:
            rows = {
                i: float(np.min(work.pivots(i) / np.fmax(work.mobility[:, i - n], 1e-300))) for i in waiting if i >= n
            }
            chosen = max(rows, key=lambda i: rows[i]) if rows else None
            if chosen is None or rows[chosen] < NOTHING:
                break
        work.take(chosen)
        order.append(chosen)
    left_out, operations = tuple(waiting), work.operations
    if left_out and min(left_out) < n:
        return None, operations
    plan = Plan(M, G, tuple(order), left_out, work.tied, work.stiff)
    return plan, operations + 2 * len(left_out) * operations // max(1, len(order))
