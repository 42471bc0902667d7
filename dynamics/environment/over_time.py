"""Columns over time as piecewise polynomials, all pieces of the same length: places of third bodies, orbits and attitudes from tables.

    t → value, first, second … derivative [per s, s², …]       s = 2 (t − begin)/length − 1 − 2i  from −1 to 1 over piece i

In C and Python one row of a table is looked up and evaluated by Horner's scheme, so the cost does not depend on the number of pieces. Before the first piece
and after the last the values are constant; derivatives keep those of the end. Made at build. Proved by tests/environment/test_over_time.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from math import factorial

import numpy as np

from ..algebra.scalar import as_one

DEGREE = 10  # of pieces that are fitted
MOST_PIECES = 20000


@dataclass(frozen=True, eq=False)
class OverTime:
    """`table` (n, degree + 1, m): coefficients, highest power first; `derivatives`: how many are needed in addition to the value."""

    begin: float
    length: float
    table: np.ndarray
    derivatives: int = 1

    def __repr__(self) -> str:
        return f"{self.begin} {self.length} {self.derivatives} {self.table.shape} {sha256(self.table.tobytes()).hexdigest()}"

    @property
    def end(self) -> float:
        return self.begin + len(self.table) * self.length

    def at(self, t):
        """Value (m,) and derivatives (m,) at time t."""
        m = self.table.shape[2]
        found = as_one(self, np.array([t]))
        return tuple(found[i * m : (i + 1) * m] for i in range(self.derivatives + 1))

    def __call__(self, t, arrays):
        n, terms, m = self.table.shape
        place = arrays.minimum(arrays.maximum((t[0] - self.begin) * (1.0 / self.length), 0.0), float(n))
        piece = arrays.minimum(arrays.floor(place), n - 1.0)
        s = 2.0 * (place - piece) - 1.0
        row = arrays.row(self.table.reshape(n, terms * m), piece)
        sums = [row[:m]]  # the k-th: derivative/k!
        for i in range(1, terms):
            rates = [below * s + value for value, below in pairwise(sums)] + [sums[-1]]
            sums = [sums[0] * s + row[i * m : (i + 1) * m], *rates[: self.derivatives]]
        scales = [factorial(k) * (2.0 / self.length) ** k for k in range(self.derivatives + 1)]
        return arrays.join([scale * each for scale, each in zip(scales, sums, strict=True)])


def fitted(place: Callable[[float], np.ndarray], begin: float, end: float, good: float) -> OverTime:
    """Through place(t) (m,) from begin to end, of as many pieces as make it `good` of its largest value."""
    nodes = np.cos(np.pi * (np.arange(DEGREE + 1) + 0.5) / (DEGREE + 1))
    between = np.linspace(-1.0, 1.0, 8)
    fit, seen = np.linalg.inv(np.vander(nodes, DEGREE + 1)), np.vander(between, DEGREE + 1)
    pieces = 1
    while True:
        length = (end - begin) / pieces
        centers = begin + length * (np.arange(pieces) + 0.5)
        values = np.array([[place(center + 0.5 * length * x) for x in nodes] for center in centers])
        table = np.einsum("ij,pjm->pim", fit, values)
        probed = centers[:: max(pieces // 20, 1)]
        there = np.array([[place(center + 0.5 * length * x) for x in between] for center in probed])
        error = np.abs(np.einsum("ij,pjm->pim", seen, table[:: max(pieces // 20, 1)]) - there).max()
        if error < good * np.abs(values).max() or 2 * pieces > MOST_PIECES:
            return OverTime(begin, length, table)
        pieces *= 2
