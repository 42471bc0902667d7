"""The planned solve of a motion with rows (saddle_plan.py), written out: the elimination as expressions, without zeros."""

from __future__ import annotations

from collections.abc import Iterable

import casadi
import numpy as np

from .saddle_plan import Plan

GUARDED = 1e-5  # smallest pivot of a speed, relative to its mass, at run time, where M may be singular: else the plan gives NaN


def planned_solve(plan: Plan) -> casadi.Function:
    """{M, G, f, gamma} → {z, multipliers, seen}: the solve written out.

    seen: the weakest pivot of a row that counts and the largest mobility along one, both with speeds held that come later; the same of the rows
    that are left out, at their weakest; how many rows count. Where M may be singular, pivots are relative to the row's own mobility.
    Rows of zeros are inactive: their multipliers are zero.
    """
    n, m = len(plan.M), len(plan.G)
    given = {"M": n * n, "G": m * n, "f": n, "gamma": m}
    M, G, f, gamma = arguments = [casadi.SX.sym(name, size) for name, size in given.items()]
    entries = {(i, j): M[i * n + j] for i, j in zip(*np.nonzero(np.tril(plan.M)), strict=True)}
    entries |= {(n + i, j): G[i * n + j] for i, j in zip(*np.nonzero(plan.G), strict=True)}
    factors = _Factors(plan, entries)
    right = [*(f[i] for i in range(n)), *(gamma[j] for j in range(m))]
    found = factors.solved(dict(enumerate(right)))
    kept = [*plan.order, *(row for _, row in plan.tied)]
    multipliers = _least(factors, {i: found[i] for i in kept if i >= n}, plan.left_out)
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
        least = GUARDED if plan.stiff else self.n * float(np.finfo(float).eps)
        self.stiff = plan.stiff
        self.least = {i: least * entries.get((i, i), casadi.SX(0)) for i in range(self.n)}
        self.ties: list[_Tie] = []
        for speed, row in plan.tied:
            self.ties.append(_Tie(speed, row, entries))
        columns: dict[int, dict[int, casadi.SX]] = {i: {} for i in place}
        for (i, j), entry in entries.items():
            first, last = sorted((i, j), key=place.__getitem__)
            columns[first][last] = entry
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
        for tie in self.ties:
            tie.forward(right)
        found = self._eliminated(right)
        for tie in reversed(self.ties):
            tie.backward(found, right)
        return found

    def _eliminated(self, right: dict[int, casadi.SX]) -> dict[int, casadi.SX]:
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
        for tie in reversed(self.ties):
            tie.backward(shares, tie.column(row))
        return {i: share for i, share in shares.items() if i >= self.n}

    def seen(self, left_out: Iterable[int]) -> casadi.SX:
        kept = [i for i in self.order if i >= self.n]
        weakest, strongest, rest, count = casadi.SX(casadi.inf), casadi.SX(0), casadi.SX(0), casadi.SX(0)
        for i in kept:
            weakest = casadi.fmin(weakest, self.pivot[i] / self.mobile[i] if self.stiff else self.pivot[i])
            strongest = casadi.fmax(strongest, self.mobile[i])
            count = count + (self.mobile[i] > 0.0)
        for i in left_out:
            rest = casadi.fmax(rest, casadi.fabs(self.rest[i]) / (self.mobile[i] if self.stiff else 1.0))
        return casadi.vertcat(weakest, casadi.SX(1) if self.stiff else strongest, rest, count + len(self.ties))


class _Tie:
    """A speed s without mass and the row r that ties it to others, eliminated together: of K, only K_rs stands where both meet.

    entries: of K, one of each pair; of what is left afterwards: K − (k_s k_rᵀ + k_r k_sᵀ)/K_rs.
    """

    def __init__(self, speed: int, row: int, entries: dict[tuple[int, int], casadi.SX]):
        self.speed, self.row = speed, row
        self.inverse = 1.0 / entries.pop((row, speed) if (row, speed) in entries else (speed, row))
        self.beside, self.along = _column(speed, entries), _column(row, entries)
        for a, beside in self.beside.items():
            for b, along in self.along.items():
                pair = (a, b) if (a, b) in entries else (b, a)
                change = self.inverse * beside * along
                entries[pair] = entries.get(pair, casadi.SX(0)) - (2.0 * change if a == b else change)

    def forward(self, right: dict[int, casadi.SX]) -> None:
        for column, value in ((self.beside, right[self.row]), (self.along, right[self.speed])):
            for a, entry in column.items():
                right[a] = right[a] - entry * self.inverse * value

    def backward(self, found: dict[int, casadi.SX], right: dict[int, casadi.SX]) -> None:
        """found: minus the solution."""
        for unknown, column, value in (
            (self.speed, self.along, right[self.row]),
            (self.row, self.beside, right[self.speed]),
        ):
            rest = sum((entry * found[a] for a, entry in column.items() if a in found), value)
            found[unknown] = -self.inverse * rest

    def column(self, unknown: int) -> dict[int, casadi.SX]:
        """Of another unknown, as a right side."""
        return {self.row: self.along.get(unknown, casadi.SX(0)), self.speed: self.beside.get(unknown, casadi.SX(0))}


def _column(unknown: int, entries: dict[tuple[int, int], casadi.SX]) -> dict[int, casadi.SX]:
    """The entries of an unknown with others, which are taken out."""
    own = [pair for pair in entries if unknown in pair]
    return {sum(pair) - unknown: entries.pop(pair) for pair in own}


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
