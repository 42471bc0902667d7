"""Singular values by rotations: one-sided Jacobi, which also runs on symbols: a fixed number of sweeps without a branch.

Columns of A are rotated in pairs until all are orthogonal; their lengths are then the singular values. Convergence is quadratic: for
up to a dozen columns eight sweeps leave round-off. Proved by tests/inverse/test_singular.py against LAPACK.
"""

from __future__ import annotations

import numpy as np

from ..algebra.scalar import absolute, minimum, shared, where

SWEEPS = 8


def smallest_singular_value(A):
    """σ_min of A (m, n): the smallest length to which a unit vector of the smaller side is mapped. Entries should be of similar size."""
    columns = A if A.shape[0] >= A.shape[1] else A.T
    columns = [columns[:, j] for j in range(columns.shape[1])]
    for _ in range(SWEEPS if len(columns) > 1 else 0):
        for i in range(len(columns) - 1):
            for j in range(i + 1, len(columns)):
                columns[i], columns[j] = _squared(columns[i], columns[j])
    smallest = columns[0] @ columns[0]
    for column in columns[1:]:
        smallest = minimum(smallest, column @ column)
    return np.sqrt(smallest)


@shared
def _squared(a, b):
    """Two columns rotated in their plane until a·b = 0: tan 2θ = 2 a·b/(a·a − b·b), the smaller of the two angles."""
    product = a @ b
    small = absolute(product) < 1e-300
    ratio = (b @ b - a @ a) / (2.0 * where(small, 1.0, product))
    tangent = where(ratio >= 0.0, 1.0, -1.0) / (absolute(ratio) + np.sqrt(1.0 + ratio * ratio))
    tangent = where(small, 0.0, tangent)
    cosine = 1.0 / np.sqrt(1.0 + tangent * tangent)
    sine = cosine * tangent
    return cosine * a - sine * b, sine * a + cosine * b
