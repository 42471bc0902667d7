"""The rows G of closed loops at a point, by their singular values; and the gap around a change point, where the weakest vanish. NumPy alone.

At a change point rows lose rank and branches of the motion meet: positions alone do not tell where it goes on, its smoothness does. Close to it an
error ε of the position turns the direction that a row of singular value σ forbids by ε/σ². So within a short gap the weak rows
are polynomials of time, through instants before it at which they are known well:

    P(t) v = b(t),   so   P v̇ = ḃ − Ṗ v

Reactions along P do no work where b = 0, and push nothing that G does not reach.
The same as the C runtime's (fmu_src/native/runtime/core/rows_seen.c). Proved by tests/constraints/test_change_points.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..bounds import ENTRY, MOST_WEAK, NODES, RANK_TOLERANCE, STILL_STRONG, WEAK
from ..system.contract import System
from ..system.evaluate import Refused

UNTIL, RANK, COUNT, TIMES = 0, 1, 2, 3  # where a gap's numbers begin; its rows stand behind the times of its nodes


@dataclass(frozen=True)
class Loops:
    """What is known of a System's rows whatever its state: (m,) owners of the rows, and (n,) where the speeds are in x."""

    owners: tuple[str, ...]
    speeds: tuple[int, ...]

    def scales(self, lengths):
        """(m,) by which rows are multiplied: the largest row of each owner has length 1, its others stay as they are to it."""
        least = RANK_TOLERANCE * lengths.max(initial=0.0)
        largest: dict[str, float] = {}
        for owner, length in zip(self.owners, lengths, strict=True):
            largest[owner] = max(largest.get(owner, 0.0), length)
        return np.array([1.0 / largest[owner] if largest[owner] > least else 0.0 for owner in self.owners])

    @property
    def weak_shape(self) -> tuple[int, int, int]:
        """Of a gap's rows: P and, behind each of them, b."""
        return NODES, min(MOST_WEAK, len(self.owners)), len(self.speeds) + 1

    @property
    def gap_size(self) -> int:
        return TIMES + NODES + int(np.prod(self.weak_shape)) if self.owners else 0


def loops_of(system: System) -> Loops | None:
    """None where the rows of the motion are not those of couplings."""
    braking = [p for p in system.projections if p.level == "rates"]
    sizes = [sum(getattr(p.stage, size) for p in braking) for size in ("n", "m")]
    if not braking or sizes != [system.motion.n, system.motion.m]:
        return None
    table = system.signals
    u, p, d = (np.array(table.starts(group)) for group in ("inputs", "parameters", "discretes"))
    k, speeds = np.asarray(system.derive(p), float), []
    for projection in braking:  # z of a projection of rates is what speeds change by: a number of its own marks each
        stage = projection.stage
        marks, none = 1.0 + np.arange(stage.n), np.zeros(stage.m)
        moved = stage.finish(0.0, np.zeros(system.nx), u, k, d, marks, none, np.zeros(stage.carry))
        speeds += [int(np.flatnonzero(np.asarray(moved, float) == mark)[0]) for mark in marks]
    return Loops(tuple(owner for p in braking for owner in p.rows), tuple(speeds))


def indicator_count(system: System) -> int:
    """Of its FMUs: in model exchange closed loops have one more, for change points (runtime/core/loop_events.h)."""
    return system.ng + (loops_of(system) is not None)


class Seen:
    """The rows at a point:  S G = U diag(s) V Lᵀ,  M = L Lᵀ,  S the scales of rows; s (rank,) falls, U (m, rank), V (rank, n).

    rank: how many rows count; None: as many as there are directions.
    """

    def __init__(self, system: System, loops: Loops, point, rank: int | None = None):
        self.loops, self.v = loops, point[1][list(loops.speeds)]
        M, G, self.f, gamma, self.carry = system.motion.assemble(*point)
        self.L = np.linalg.cholesky(M)
        W = np.linalg.solve(self.L, np.reshape(G, (system.motion.m, system.motion.n)).T)
        self.scales = loops.scales(np.linalg.norm(W, axis=0))
        self.gamma = self.scales * gamma
        V, s, Ut = np.linalg.svd(W * self.scales, full_matrices=False)
        rank = int(np.sum(s > RANK_TOLERANCE * s.max(initial=0.0))) if rank is None else rank
        self.s, self.U, self.V = s[:rank], Ut[:rank].T, V[:, :rank].T

    @property
    def rank(self) -> int:
        return len(self.s)

    @property
    def weakest(self) -> float:
        """Smallest singular value, relative to the largest."""
        return float(self.s[-1] / self.s[0]) if self.rank else 1.0

    @property
    def rows(self):
        """(rank, n): V Lᵀ, rows in the directions of G's."""
        return self.V @ self.L.T

    @property
    def duals(self):
        """(n, rank): L⁻ᵀVᵀ, the motions that only one of the rows feels, by 1."""
        return np.linalg.solve(self.L.T, self.V.T)

    def name(self, row: int = -1) -> str:
        """Of the coupling that has the largest part in a direction, the weakest if none is given."""
        return self.loops.owners[int(np.argmax(np.abs(self.U[:, row])))] if self.rank else "a coupling"

    def follows(self, before: Seen) -> float:
        """How surely these rows are those of `before`, moved on: 1 the same, 0 or less: a singular value may have changed its sign."""
        if self.rank != before.rank:
            return 0.0
        turned = (self.U.T @ before.U) @ (self.rows @ before.duals).T
        return float(np.linalg.eigvalsh(0.5 * (turned + turned.T)).min(initial=1.0))


def weights(times, t):
    """Lagrange's polynomials of the nodes and their rates, at a time."""
    value, slope = np.zeros(len(times)), np.zeros(len(times))
    for i, node in enumerate(times):
        others = np.delete(times, i)
        factors = (t - others) / (node - others)
        value[i] = np.prod(factors)
        slope[i] = sum(np.prod(np.delete(factors, j)) / (node - others[j]) for j in range(len(others)))
    return value, slope


def solved_in_gap(system: System, loops: Loops, gap, point):
    """Everything that motion's finish takes, in a gap: the strong rows as they are, the weak ones by their polynomials."""
    rank, count = int(gap[RANK]), int(gap[COUNT])
    seen, strong = Seen(system, loops, point, rank), rank - count
    if strong and seen.s[strong - 1] < STILL_STRONG * WEAK * seen.s[0]:
        raise Refused(f"the linkage of {seen.name(strong - 1)} passes a change point beside another one")
    nodes = gap[TIMES + NODES :].reshape(loops.weak_shape)[:, :count]
    value, slope = (np.tensordot(w, nodes, 1) for w in weights(gap[TIMES : TIMES + NODES], point[0]))
    P, P_dot, b_dot = value[:, :-1], slope[:, :-1], slope[:, -1]
    A = np.vstack([seen.V[:strong], np.linalg.solve(seen.L, P.T).T])
    wanted = np.concatenate([(seen.U[:, :strong].T @ seen.gamma) / seen.s[:strong], b_dot - P_dot @ seen.v])
    a = np.linalg.solve(seen.L, seen.f)
    push = A.T @ np.linalg.solve(A @ A.T, wanted - A @ a)
    sizes = np.maximum(
        seen.s, ENTRY * seen.s[0]
    )  # forces of rows that vanish have no bound: as large as where gaps begin
    multipliers = seen.scales * (seen.U @ ((seen.V @ push) / sizes))
    return (*point, np.linalg.solve(seen.L.T, a + push), multipliers, seen.carry)
