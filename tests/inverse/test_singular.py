"""Smallest singular values against LAPACK, on floats and on symbols."""

from __future__ import annotations

import casadi
import numpy as np
import pytest

from dynamics.inverse.singular import smallest_singular_value
from dynamics.symbol import symbols, to_column


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (3, 3), (6, 6), (3, 7), (6, 7), (9, 4)])
def test_random_matrices(shape):
    rng = np.random.default_rng(sum(shape))
    for _ in range(20):
        A = rng.normal(size=shape)
        values = np.linalg.svd(A, compute_uv=False)
        assert smallest_singular_value(A) == pytest.approx(values[-1], abs=1e-13 * values[0])


def test_singular_and_diagonal_ones():
    A = np.random.default_rng(0).normal(size=(5, 5))
    A[:, 4] = A[:, :4] @ [1.0, -2.0, 0.5, 0.3]
    assert smallest_singular_value(A) < 1e-14
    assert smallest_singular_value(np.diag([3.0, 2.0, 5.0])) == 2.0
    assert smallest_singular_value(np.zeros((3, 3))) == 0.0


def test_on_symbols():
    entries, column = symbols("a", 16)
    found = casadi.Function("f", [column], [to_column([smallest_singular_value(entries.reshape(4, 4))])])
    A = np.random.default_rng(8).normal(size=(4, 4))
    assert float(found(A.ravel())) == pytest.approx(np.linalg.svd(A, compute_uv=False)[-1], rel=1e-12)
