"""Fields by spherical harmonics, of gravity and of magnetism: one routine, without a singular pole.

A potential over a planet of radius a, with fully normalized coefficients (Montenbruck, Gill, Satellite Orbits, section 3.2.4, after Cunningham),

    Φ(R) = Σ_n Σ_m C_nm V_nm(R) + S_nm W_nm(R),   V_nm + i W_nm = A_nm(R) (ξ_m + i η_m)

with x, y, z the components of R in the planet's own axes, r = |R|, and

    ξ_0 = a/r,  η_0 = 0,   ξ_m + i η_m = f_m (x + i y) (a/r²) (ξ + i η)_{m−1},   f_m = √((2m + 1)/(2m)), times √2 for m = 1
    A_mm = 1,   A_nm = α_nm (a z/r²) A_{n−1,m} − β_nm (a/r)² A_{n−2,m}
    α_nm = √((2n + 1)(2n − 1)/((n − m)(n + m))),   β_nm = √((2n + 1)(n + m − 1)(n − m − 1)/((2n − 3)(n + m)(n − m)))

The derivative of a solid harmonic along an axis is solid harmonics of the next degree, over a (eq. (3.33) there, unnormalized). So every derivative of Φ is
another set of coefficients for the same V and W: a table of numbers (`HarmonicField`), times one vector (`SolidHarmonics`).
The cost grows with the square of the degree; the order of the coefficients bounds it too. C has a routine of its own for gradients and second derivatives,
with a scaling that needs no table of derivatives (runtime/core/harmonics.h). Proved by tests/environment/test_harmonics.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property
from hashlib import sha256
from math import factorial

import numpy as np

from ..algebra.scalar import Routine, as_one

FIRST = ((0,), (1,), (2,))  # derivatives by axes
SECOND = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2))  # second ones; the trace is zero
FOUR = 4  # orders that C sums at once


@dataclass(frozen=True)
class Coefficients:
    """C and S (n + 1, n + 1) by degree and order, fully normalized, dimensionless or in the unit of the field's source; of a planet of `radius` [m]."""

    radius: float
    C: np.ndarray
    S: np.ndarray

    @property
    def degree(self) -> int:
        return len(self.C) - 1

    @property
    def order(self) -> int:
        """The highest order that has a coefficient."""
        return int(np.max(np.nonzero(self.C.any(axis=0) | self.S.any(axis=0)), initial=0))

    def cut(self, degree: int, order: int) -> Coefficients:
        """Those up to a degree and order."""
        m = np.arange(degree + 1)
        kept = (m[None, :] <= np.minimum(m[:, None], order)).astype(float)
        return Coefficients(
            self.radius, kept * self.C[: degree + 1, : degree + 1], kept * self.S[: degree + 1, : degree + 1]
        )

    def along(self, axis: int) -> Coefficients:
        """a ∂Φ/∂x_axis as coefficients of the next degree."""
        n = self.degree
        C, S = np.zeros((n + 2, n + 2)), np.zeros((n + 2, n + 2))
        up, down, level = _ladder(n)
        if axis == 2:
            C[1:, :-1], S[1:, :-1] = level * self.C, level * self.S
        else:
            # V_nm → −V_{n+1,m+1} + V_{n+1,m−1} along x; −W_{n+1,m+1} − W_{n+1,m−1} along y; of W the same with V and −W exchanged
            first, second = (self.C, self.S) if axis == 0 else (-self.S, self.C)
            C[1:, 1:], S[1:, 1:] = -up * first, -up * second
            below_C, below_S = (self.C, self.S) if axis == 0 else (self.S, -self.C)
            C[1:, :-2] += down[:, 1:] * below_C[:, 1:]
            S[1:, 1:-2] += down[:, 2:] * below_S[:, 2:]
        return Coefficients(self.radius, C, S)

    def for_c(self, order: int) -> np.ndarray:
        """The table that runtime/core/harmonics.h reads: coefficients of (n − m)! V and W without a norm, four orders side by side."""
        both = np.zeros((self.degree + 1, order + 1, 2))
        for n, m in zip(*np.tril_indices(self.degree + 1, 0, order + 1), strict=True):
            both[n, m] = _norm(int(n), int(m)) * np.array([self.C[n, m], self.S[n, m]])
        both = np.pad(both, ((0, 0), (0, -(order + 1) % FOUR), (0, 0)))
        blocks = (both[block:, block : block + FOUR] for block in range(0, order + 1, FOUR))
        return np.concatenate([part.transpose(0, 2, 1).ravel() for part in blocks])


def _ladder(n: int):
    """Factors (n + 1, n + 1) of ∂ from degree i and order m to i + 1 and m + 1, m − 1, m."""
    i, m = np.arange(n + 1.0)[:, None], np.arange(n + 1.0)[None, :]
    i = np.broadcast_to(i, (n + 1, n + 1))
    inside = np.where(m <= i, (2 * i + 1) / (2 * i + 3), 0.0)
    up = 0.5 * np.sqrt(inside * (i + m + 2) * (i + m + 1)) * np.where(m == 0, np.sqrt(2.0), 1.0)
    down = 0.5 * np.sqrt(inside * np.maximum((i - m + 2) * (i - m + 1), 0.0)) * np.where(m == 1, np.sqrt(2.0), 1.0)
    level = -np.sqrt(inside * np.maximum((i + m + 1) * (i - m + 1), 0.0))
    return up, down, level


@cache
def _norm(n: int, m: int) -> float:
    """√((2 − δ_0m)(2n + 1)/((n − m)! (n + m)!)): fully normalized coefficients times it are those of (n − m)! P_nm."""
    return float((Decimal((2 - (m == 0)) * (2 * n + 1)) / (factorial(n - m) * factorial(n + m))).sqrt())


@dataclass(frozen=True)
class SolidHarmonics:
    """R (3,) [m] in the planet's axes → V_n0 … V_nm, W_n1 … W_nm of one degree n behind the other, m up to `order`, at most n."""

    radius: float
    degree: int
    order: int

    def __call__(self, R, arrays):
        x, y, z = R[0], R[1], R[2]
        over = self.radius / (x * x + y * y + z * z)
        x, y, z, shrink = x * over, y * over, z * over, self.radius * over
        A, before = arrays.numbers([1.0]), None
        cosine, sine = [arrays.sqrt(shrink)], []
        found = [cosine[0]]
        for n in range(1, self.degree + 1):
            top = min(n, self.order + 1)  # orders below n that are kept
            m = np.arange(top)
            alpha = np.sqrt((2 * n + 1) * (2 * n - 1) / ((n - m) * (n + m)))
            grown = z * (arrays.numbers(alpha) * A[:top])
            kept = min(n - 1, top)
            if kept:
                k = m[:kept]
                beta = np.sqrt((2 * n + 1) * (n + k - 1) * (n - k - 1) / ((2 * n - 3) * (n + k) * (n - k)))
                less = shrink * (arrays.numbers(beta) * before[:kept])
                grown = grown - less if kept == top else arrays.join([grown[:kept] - less, grown[kept:]])
            before, A = A, grown
            if n <= self.order:
                A = arrays.join([A, arrays.numbers([1.0])])
                c, s = cosine[-1], sine[-1] if sine else None
                f = np.sqrt((2 * n + 1) / (2 * n) * (2.0 if n == 1 else 1.0))
                cosine.append(f * x * c if s is None else f * (x * c - y * s))
                sine.append(f * y * c if s is None else f * (x * s + y * c))
                xi, eta = arrays.join(cosine), arrays.join(sine) if sine else None
            found.append(A * xi if self.order else A * cosine[0])
            if self.order:
                found.append(A[1:] * eta)
        return arrays.join(found)

    def row(self, C, S):
        """Coefficients in the order of the result."""
        parts = []
        for n in range(self.degree + 1):
            top = min(n, self.order)
            parts += [C[n, : top + 1], S[n, 1 : top + 1]]
        return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class HarmonicField:
    """Derivatives of potentials as one contraction: `kinds` are () for Φ, (i,) and (i, j) for derivatives by axes, by a and a²; those of one of the `sets` behind those of the other."""

    sets: tuple[Coefficients, ...]  # of one radius, degree and order
    kinds: tuple[tuple[int, ...], ...]

    def __repr__(self) -> str:
        return f"{self.kinds} {self.basis} {sha256(self.table.tobytes()).hexdigest()}"

    @cached_property
    def basis(self) -> SolidHarmonics:
        most, first = max(map(len, self.kinds)), self.sets[0]
        return SolidHarmonics(first.radius, first.degree + most, max(each.order for each in self.sets) + most)

    @cached_property
    def table(self) -> np.ndarray:
        """(sets × kinds, entries of the basis)."""
        return np.stack([self._row(each, kind) for each in self.sets for kind in self.kinds])

    def _row(self, derived: Coefficients, kind: tuple[int, ...]) -> np.ndarray:
        for axis in kind:
            derived = derived.along(axis)
        lacking = self.basis.degree - derived.degree
        C, S = (np.pad(each, ((0, lacking), (0, lacking))) for each in (derived.C, derived.S))
        return self.basis.row(C, S)

    @cached_property
    def routine(self) -> Routine | None:
        """In C: what it takes beside the kind of call, R and the rest (runtime/core/harmonics.h)."""
        if self.kinds not in (FIRST, (*FIRST, *SECOND)):
            return None
        most = len(self.kinds[-1])
        order = self.basis.order - most
        tables = [each.for_c(order) for each in self.sets]
        numbers = (most - 1, self.basis.degree - most, order, len(self.sets), len(tables[0]), self.basis.radius)
        room = 2 * (self.basis.degree + 1) * (self.basis.order + 8) + 4 * (self.basis.order + 6) + len(self.table)
        return Routine("harmonic_field", numbers, np.concatenate(tables), room)

    def at(self, R):
        """All kinds at R (3,) [m] in the planet's own axes, set by set."""
        return as_one(self, R)

    def __call__(self, R, arrays):
        return arrays.product(arrays.numbers(self.table), self.basis(R, arrays))
