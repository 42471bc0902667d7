"""The first part of a motion's solve in generated C: M = LᵀL, and with it L⁻ᵀGᵀ and L⁻ᵀf, fully unrolled and without zeros.

    y = L z,  W = L⁻ᵀGᵀ,  a = L⁻ᵀf:    y = a + W multipliers,   Wᵀy = gamma

The runtime (runtime/core/saddle.h) makes the decisions: which rows of G are independent. Its loops over matrices of nine rows took two thirds of the evaluation
time of a four-bar linkage. Elimination goes from the last speed to the first, as there: zeros between two branches of a tree stay zeros.
Proved by tests/native/test_factoring.py.
"""

from __future__ import annotations

import casadi
import numpy as np


def factored(assemble: casadi.Function, n: int, m: int) -> casadi.Function:
    """{M, G, f, gamma, carry} → {rows of L up to the diagonal, with 1/L_ii there; columns of W; a; gamma; carry}, of a flat function."""
    arguments = [casadi.SX.sym(name, assemble.size1_in(name)) for name in assemble.name_in()]
    M, G, f, gamma, carry = assemble.call(arguments, True, False)
    lower = _cholesky([[M[i * n + j] for j in range(i + 1)] for i in range(n)])
    columns = [_inward(lower, [G[j * n + i] for i in range(n)]) for j in range(m)]
    results = {
        "L": [entry for row in lower for entry in row],
        "W": [entry for column in columns for entry in column],
        "a": _inward(lower, [f[i] for i in range(n)]),
    }
    stacked = [casadi.densify(casadi.vertcat(casadi.SX(0, 1), *entries)) for entries in results.values()]
    return casadi.Function(
        assemble.name(),
        arguments,
        [*stacked, gamma, carry],
        assemble.name_in(),
        [*results, "gamma", "carry"],
        {"cse": True},
    )


def _cholesky(left: list[list[casadi.SX]]) -> list[list[casadi.SX]]:
    """Rows of L of the lower triangle of M, 1/L_ii on the diagonal: NaN where M is not positive definite."""
    n = len(left)
    least = [n * float(np.finfo(float).eps) * left[i][i] for i in range(n)]
    for i in reversed(range(n)):
        row = left[i]
        enough = row[i] > least[i]
        row[i] = casadi.sqrt(enough / (enough * row[i]))
        row[:i] = [entry * row[i] for entry in row[:i]]
        for k in _filled(row[:i]):
            for j in _filled(row[: k + 1]):
                left[k][j] = left[k][j] - row[k] * row[j]
    return left


def _inward(lower: list[list[casadi.SX]], v: list[casadi.SX]) -> list[casadi.SX]:
    """L⁻ᵀ v."""
    for i in reversed(range(len(v))):
        v[i] = v[i] * lower[i][i]
        for j in _filled(lower[i][:i]):
            v[j] = v[j] - lower[i][j] * v[i]
    return v


def _filled(entries: list[casadi.SX]) -> list[int]:
    return [j for j, entry in enumerate(entries) if not entry.is_zero()]
