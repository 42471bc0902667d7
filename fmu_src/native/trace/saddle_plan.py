"""The solve of a motion with rows, planned when the C is written: in which order M z = f + Gᵀλ, G z = γ is eliminated without its zeros.

    [M  Gᵀ] [ z]   [f]
    [G  0 ] [−λ] = [γ]   =  P L D Lᵀ Pᵀ (..)

Speeds may be eliminated at any time: their pivots are the masses that the rows eliminated before leave free. A row may be eliminated after speeds in it: its
pivot is minus their mobility along the row. So no 2×2 pivots are needed, and an order of few new entries is chosen among pivots that are
strong at states of the model. Rows that are redundant at these states come last and are left out. The runtime monitors the pivots (runtime/core/planned.h):
where a kept row is weak, or a row left out is not redundant, it uses the rank-revealing solve instead.
Proved by tests/native/test_saddle_plan.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
STATES = 2  # in addition to the start: states at which pivots are chosen,
AWAY = 0.2  # and their distance from it


@dataclass(frozen=True)
class Plan:
    """order: unknowns in the order of elimination, speeds 0…n−1, row j as n+j; left_out: redundant rows, likewise. Patterns: entries that may be nonzero."""

    M: np.ndarray
    G: np.ndarray
    order: tuple[int, ...]
    left_out: tuple[int, ...]


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
    plan, operations = _planned(M | M.T, G, samples)
    full = n**3 / 3 + n * n * m + 2 * n * m * m
    if traces.motion.assemble.is_a("SXFunction"):
        full = 2 * n * m * m  # only these: the rest of the solve is already unrolled, see factoring.py
    return (plan, tuple(alike)) if operations < WORTH * full else (None, served)


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

    def __init__(self, M: np.ndarray, G: np.ndarray, samples: Sequence[tuple[np.ndarray, np.ndarray]]):
        self.n, self.m = len(M), len(G)
        zeros = np.zeros((self.m, self.m))
        self.filled = np.block([[M, G.T], [G, zeros.astype(bool)]]).astype(bool)
        self.numbers = np.array([np.block([[m, g.T], [g, zeros]]) for m, g in samples])
        self.mobility = np.array([np.einsum("ij,ji->i", g, np.linalg.solve(m, g.T)) for m, g in samples])
        self.left = np.ones(self.n + self.m, bool)
        self.operations = 0

    def strong(self, row: int) -> bool:
        """Whether a row may be eliminated now."""
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

    def take(self, unknown: int) -> None:
        self.left[unknown] = False
        near = self.neighbours(unknown)
        self.operations += len(near) * (len(near) + 6)
        block = np.ix_(near, near)
        self.filled[block] = True
        for K in self.numbers:
            if K[unknown, unknown]:
                K[block] -= np.outer(K[near, unknown], K[unknown, near]) / K[unknown, unknown]


def _planned(M: np.ndarray, G: np.ndarray, samples: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[Plan, int]:
    """By smallest degree among the unknowns that may be eliminated; remaining rows follow after the last speed, the strongest first."""
    work, order = _Elimination(M, G, samples), []
    n = work.n
    while True:
        degrees = (work.filled & work.left).sum(1)
        waiting = sorted(np.flatnonzero(work.left).tolist(), key=lambda i: (degrees[i], i))
        chosen = next((i for i in waiting if i < n or work.strong(i)), None)
        if chosen is None:
            rows = {i: float(np.min(work.pivots(i) / np.fmax(work.mobility[:, i - n], 1e-300))) for i in waiting}
            chosen = max(rows, key=lambda i: rows[i]) if rows else None
            if chosen is None or rows[chosen] < NOTHING:
                break
        work.take(chosen)
        order.append(chosen)
    left_out = tuple(waiting)
    return Plan(M, G, tuple(order), left_out), work.operations + 2 * len(left_out) * work.operations // max(
        1, len(order)
    )


def planned_solve(plan: Plan) -> casadi.Function:
    """{M, G, f, gamma} → {z, multipliers, seen}: the solve written out.

    seen: the weakest pivot of a row that counts and the largest mobility along one, both with speeds held that come later; the same of the rows
    that are left out, at their weakest; how many rows count. Rows of zeros are inactive: their multipliers are zero.
    """
    n, m = len(plan.M), len(plan.G)
    given = {"M": n * n, "G": m * n, "f": n, "gamma": m}
    M, G, f, gamma = arguments = [casadi.SX.sym(name, size) for name, size in given.items()]
    entries = {(i, j): M[i * n + j] for i, j in zip(*np.nonzero(np.tril(plan.M)), strict=True)}
    entries |= {(n + i, j): G[i * n + j] for i, j in zip(*np.nonzero(plan.G), strict=True)}
    factors = _Factors(plan, entries)
    right = [*(f[i] for i in range(n)), *(gamma[j] for j in range(m))]
    found = factors.solved(dict(enumerate(right)))
    multipliers = _least(factors, {i: found[i] for i in plan.order if i >= n}, plan.left_out)
    results = [
        casadi.vertcat(*(-found[i] for i in range(n))),
        casadi.vertcat(*(multipliers[n + j] for j in range(m))),
        factors.seen(plan.left_out),
    ]
    names = ["z", "multipliers", "seen"]
    return casadi.Function(
        "planned", arguments, [casadi.densify(r) for r in results], list(given), names, {"cse": True}
    )


class _Factors:
    """−L and −1/D of the unknowns in order, as symbols; rows that are left out have their part of L too."""

    def __init__(self, plan: Plan, entries: dict[tuple[int, int], casadi.SX]):
        self.n, self.order = len(plan.M), plan.order
        place = {unknown: i for i, unknown in enumerate((*plan.order, *plan.left_out))}
        columns: dict[int, dict[int, casadi.SX]] = {i: {} for i in place}
        for (i, j), entry in entries.items():
            first, last = sorted((i, j), key=place.__getitem__)
            columns[first][last] = entry
        self.least = {i: self.n * float(np.finfo(float).eps) * entries[i, i] for i in range(self.n)}
        self.below: dict[int, dict[int, casadi.SX]] = {}
        self.inverse: dict[int, casadi.SX] = {}
        self.mobile: dict[int, casadi.SX] = {}
        self.pivot: dict[int, casadi.SX] = {}
        for unknown in plan.order:
            self._eliminate(unknown, columns, place)
        self.rest = {row: columns[row].get(row, casadi.SX(0)) for row in plan.left_out}

    def _eliminate(self, unknown: int, columns: dict[int, dict[int, casadi.SX]], place: dict[int, int]) -> None:
        """Written so that CasADi generates divisions and changes of sign only for the pivots."""
        own = columns.pop(unknown)
        pivot = own.pop(unknown, casadi.SX(0))
        if unknown < self.n:  # not a number where M is not positive definite
            enough = pivot > self.least[unknown]
            self.inverse[unknown] = casadi.if_else(enough, -1.0, 0.0) / (enough * pivot)
        else:  # 0 of rows of zeros
            counts = self.mobile.setdefault(unknown, casadi.SX(0)) > 0.0
            self.inverse[unknown] = counts / ((1.0 - counts) - pivot)
            self.pivot[unknown] = casadi.if_else(counts, -pivot, casadi.inf)
        near = sorted(own, key=place.__getitem__)
        self.below[unknown] = {i: own[i] * self.inverse[unknown] for i in near}
        for a, i in enumerate(near):
            if i >= self.n and unknown < self.n:
                self.mobile[i] = self.mobile.get(i, casadi.SX(0)) - self.below[unknown][i] * own[i]
            for j in near[a:]:
                before = columns[i].get(j, casadi.SX(0))
                columns[i][j] = before + self.below[unknown][i] * own[j]

    def solved(self, right: dict[int, casadi.SX]) -> dict[int, casadi.SX]:
        """Minus the solution."""
        for unknown in self.order:
            for i, factor in self.below[unknown].items():
                right[i] = right[i] + factor * right[unknown]
        return self._backward({unknown: right[unknown] * self.inverse[unknown] for unknown in self.order})

    def _backward(self, found: dict[int, casadi.SX]) -> dict[int, casadi.SX]:
        for unknown in reversed(self.order):
            for i, factor in self.below[unknown].items():
                if i in found:
                    found[unknown] = found[unknown] + factor * found[i]
        return found

    def combination(self, row: int) -> dict[int, casadi.SX]:
        """Coefficients of minus a row that is left out, as a combination of the kept rows."""
        shares = self._backward({unknown: self.below[unknown].get(row, casadi.SX(0)) for unknown in self.order})
        return {i: share for i, share in shares.items() if i >= self.n}

    def seen(self, left_out: Iterable[int]) -> casadi.SX:
        kept = [i for i in self.order if i >= self.n]
        weakest, strongest, rest, count = casadi.SX(casadi.inf), casadi.SX(0), casadi.SX(0), casadi.SX(0)
        for i in kept:
            weakest, strongest = casadi.fmin(weakest, self.pivot[i]), casadi.fmax(strongest, self.mobile[i])
            count = count + (self.mobile[i] > 0.0)
        for i in left_out:
            rest = casadi.fmax(rest, casadi.fabs(self.rest[i]))
        return casadi.vertcat(weakest, strongest, rest, count)


def _least(factors: _Factors, found: dict[int, casadi.SX], left_out: tuple[int, ...]) -> dict[int, casadi.SX]:
    """Multipliers of least norm: with left-out rows −C of those that count, (1 + C Cᵀ) λ' = −C λ are theirs, and λ + Cᵀλ' the others'."""
    C = {row: factors.combination(row) for row in left_out}
    left = [[sum((C[a][i] * C[b][i] for i in found), casadi.SX(float(a == b))) for b in left_out] for a in left_out]
    right = [-sum((C[a][i] * found[i] for i in found), casadi.SX(0)) for a in left_out]
    for k in range(len(left_out)):  # positive definite: no pivoting
        for i in range(k + 1, len(left_out)):
            factor = left[i][k] / left[k][k]
            left[i] = [a - factor * b for a, b in zip(left[i], left[k], strict=True)]
            right[i] = right[i] - factor * right[k]
    theirs: dict[int, casadi.SX] = {}
    for k, row in reversed(list(enumerate(left_out))):
        rest = right[k] - sum((left[k][j] * theirs[left_out[j]] for j in range(k + 1, len(left_out))), casadi.SX(0))
        theirs[row] = rest / left[k][k]
    ours = {i: value + sum((C[row][i] * theirs[row] for row in left_out), casadi.SX(0)) for i, value in found.items()}
    return ours | theirs
