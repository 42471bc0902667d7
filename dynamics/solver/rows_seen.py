"""The rows G of closed loops at a point, by their singular values; and the gap around a change point, where the weakest vanish. NumPy only.

At a change point rows lose rank and branches of the motion meet: positions do not determine the continuation, smoothness does. Close to it a position error ε
rotates the direction that a row of singular value σ constrains by ε/σ². So within a short gap the weak rows are polynomials of time, through earlier nodes at
which they are known well:

    P(t) v = b(t),   so   P v̇ = ḃ − Ṗ v

Reactions along P do no work where b = 0, and act only on speeds in G.
The same as the C runtime's (fmu_src/native/runtime/core/rows_seen.c). Proved by tests/constraints/test_change_points.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..bounds import GAP_BEGINS, MOST_WEAK, NODES, RANK_TOLERANCE, STILL_STRONG, WEAK
from ..system.contract import System
from ..system.evaluate import Refused, solved_motion

UNTIL, RANK, COUNT, TIMES = 0, 1, 2, 3  # where a gap's numbers begin; its rows follow the times of its nodes


@dataclass(frozen=True)
class Loops:
    """The properties of the rows of couplings that do not depend on the state: (m,) their owners, (n,) the places of their speeds in x; and the places of both
    in the motion's solve.

    alone: the motion has no other rows. Additional rows of an inverse problem are in separate blocks.
    """

    owners: tuple[str, ...]
    speeds: tuple[int, ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    alone: bool = True

    def scales(self, lengths):
        """(m,) factors of the rows: the largest row of each owner gets length 1, its other rows are scaled by the same factor."""
        least = RANK_TOLERANCE * lengths.max(initial=0.0)
        largest: dict[str, float] = {}
        for owner, length in zip(self.owners, lengths, strict=True):
            largest[owner] = max(largest.get(owner, 0.0), length)
        return np.array([1.0 / largest[owner] if largest[owner] > least else 0.0 for owner in self.owners])

    @property
    def weak_shape(self) -> tuple[int, int, int]:
        """The shape of a gap's rows: P with b appended to each."""
        return NODES, min(MOST_WEAK, len(self.owners)), len(self.speeds) + 1

    @property
    def gap_size(self) -> int:
        return TIMES + NODES + int(np.prod(self.weak_shape)) if self.owners else 0


NO_LOOPS = Loops((), (), (), ())


def loops_of(system: System) -> Loops | None:
    """The Loops of a System; None if no row of the motion belongs to a coupling."""
    owners, speeds = system.motion.owners, system.motion.speeds
    if not owners:
        return None
    rows = tuple(i for i, owner in enumerate(owners) if owner)
    columns = tuple(j for j, place in enumerate(speeds) if place >= 0)
    return Loops(
        tuple(owners[i] for i in rows), tuple(speeds[j] for j in columns), rows, columns, len(rows) == len(owners)
    )


def indicator_count(system: System) -> int:
    """Of its FMUs: in model exchange closed loops have one more, for change points (runtime/core/loop_events.h)."""
    return system.ng + (loops_of(system) is not None)


class Seen:
    """The rows at a point:  S G = U diag(s) V Lᵀ,  M = L Lᵀ,  S the scales of rows; s (rank,) falls, U (m, rank), V (rank, n).

    rank: the number of independent rows; None: as many as there are directions.
    """

    def __init__(self, system: System, loops: Loops, point, rank: int | None = None):
        self.loops, self.v = loops, point[1][list(loops.speeds)]
        M, G, f, gamma, self.carry = system.motion.assemble(*point)
        M, f = system.motion.stiffened(M, G, f, gamma)
        rows, columns = list(loops.rows), list(loops.columns)
        self.f, self.L = f[columns], np.linalg.cholesky(M[np.ix_(columns, columns)])
        W = np.linalg.solve(self.L, np.reshape(G, (system.motion.m, system.motion.n))[np.ix_(rows, columns)].T)
        self.scales = loops.scales(np.linalg.norm(W, axis=0))
        self.gamma = self.scales * gamma[rows]
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
        """(n, rank): L⁻ᵀVᵀ, motions that change one row each, by 1."""
        return np.linalg.solve(self.L.T, self.V.T)

    def name(self, row: int = -1) -> str:
        """Of the coupling that has the largest part in a direction, the weakest if none is given."""
        return self.loops.owners[int(np.argmax(np.abs(self.U[:, row])))] if self.rank else "a coupling"

    def follows(self, before: Seen) -> float:
        """Agreement of these rows with those of `before`: 1 the same; 0 or less: a singular value may have changed sign."""
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


def in_gap(loops: Loops, gap, t):
    """P and, behind each row, b (count, n + 1) at a time, and their rates."""
    nodes = gap[TIMES + NODES :].reshape(loops.weak_shape)[:, : int(gap[COUNT])]
    return tuple(np.tensordot(w, nodes, 1) for w in weights(gap[TIMES : TIMES + NODES], t))


def solved_in_gap(system: System, loops: Loops, gap, point):
    """The arguments of the motion's finish in a gap: strong rows unchanged, weak rows by their polynomials."""
    rank, count = int(gap[RANK]), int(gap[COUNT])
    seen, strong = Seen(system, loops, point, rank), rank - count
    if strong and seen.s[strong - 1] < STILL_STRONG * WEAK * seen.s[0]:
        raise Refused(f"the linkage of {seen.name(strong - 1)} passes two change points at once")
    value, slope = in_gap(loops, gap, point[0])
    P, P_dot, b_dot = value[:, :-1], slope[:, :-1], slope[:, -1]
    A = np.vstack([seen.V[:strong], np.linalg.solve(seen.L, P.T).T])
    wanted = np.concatenate([(seen.U[:, :strong].T @ seen.gamma) / seen.s[:strong], b_dot - P_dot @ seen.v])
    a = np.linalg.solve(seen.L, seen.f)
    push = A.T @ np.linalg.solve(A @ A.T, wanted - A @ a)
    sizes = np.maximum(
        seen.s, GAP_BEGINS * seen.s[0]
    )  # forces of vanishing rows are unbounded: limited to their size where gaps begin
    z, multipliers = np.zeros(system.motion.n), np.zeros(system.motion.m)
    if not loops.alone:
        *_, z, multipliers, _ = solved_motion(system, *point)
    z[list(loops.columns)] = np.linalg.solve(seen.L.T, a + push)
    multipliers[list(loops.rows)] = seen.scales * (seen.U @ ((seen.V @ push) / sizes))
    return (*point, z, multipliers, seen.carry)
