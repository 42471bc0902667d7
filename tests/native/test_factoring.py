"""The first part of the solve in generated C (native/trace/factoring.py) against the assembled equations: M = LᵀL, LᵀW = Gᵀ, Lᵀa = f."""

import casadi
import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.fmu_src.native.trace.factoring import factored
from spacefmu.fmu_src.native.trace.traces import Traces
from tests.catalogue_fmus import system_of
from tests.large_crafts import mixed_chain


def _triangle(packed, n):
    """L of its rows up to the diagonal, where 1/L_ii stands."""
    lower = np.zeros((n, n))
    lower[np.tril_indices(n)] = packed
    lower[np.diag_indices(n)] = 1.0 / lower[np.diag_indices(n)]
    return lower


@pytest.mark.parametrize("name", ["closed chain", "FourBar", "TetheredPair"])
def test_factors_are_those_of_what_is_assembled(name):
    system = load_text(mixed_chain(4, closed=True)) if name == "closed chain" else system_of(name)
    rng = np.random.default_rng(7)
    n, m = system.motion.n, system.motion.m
    assemble = Traces(system).motion.assemble
    point = {name: rng.uniform(0.1, 0.9, assemble.size1_in(name)) for name in assemble.name_in()}
    point["k"] = np.array(system.derive(np.array(system.signals.starts("parameters"))), float)
    M, G, f, gamma, carry = (np.array(part).ravel() for part in assemble.call(list(point.values())))
    L, W, a, same, kept = (np.array(part).ravel() for part in factored(assemble, n, m).call(list(point.values())))
    M, G, lower, W = M.reshape(n, n), G.reshape(m, n), _triangle(L, n), W.reshape(m, n)
    assert np.allclose(lower.T @ lower, M, rtol=1e-13, atol=1e-13 * np.abs(M).max())
    assert np.allclose(W @ lower, G, rtol=1e-11, atol=1e-11)  # rows of W are its columns
    assert np.allclose(lower.T @ a, f, rtol=1e-11, atol=1e-11 * np.abs(f).max())
    assert np.array_equal(same, gamma)
    assert np.array_equal(kept, carry)


def _assembling(M, x):
    """A function of x that assembles M (n, n), and ones."""
    n = M.shape[0]
    column, ones = casadi.vertcat(*(M[i, j] for i in range(n) for j in range(n))), casadi.SX.ones(n)
    return casadi.Function("assemble", [x], [column, ones, ones, casadi.SX(1), casadi.SX(0, 1)], ["x"], list("MGfgc"))


def test_zeros_between_branches_are_not_computed():
    """Speeds 1 and 2 depend on speed 0, each on a separate branch: L_21 is the number zero."""
    x = casadi.SX.sym("x")
    M = casadi.SX([[4, 0, 0], [0, 2, 0], [0, 0, 3]])
    M[1, 0] = M[0, 1] = M[2, 0] = M[0, 2] = x
    made = factored(_assembling(M, x), 3, 1)
    assert made.sparsity_out(0).is_dense()
    assert made.jac_sparsity(0, 0).nnz() == 3  # 1/L_00, L_10, L_20


@pytest.mark.parametrize("least", [0.0, 1e-17, -1.0])
def test_a_matrix_that_is_not_positive_definite_gives_nan(least):
    x = casadi.SX.sym("x")
    M = casadi.SX([[1, 0], [0, 1]])
    M[0, 0] = 1.0 + x
    M[1, 0] = M[0, 1] = 1.0
    L = np.array(factored(_assembling(M, x), 2, 1)(least)[0]).ravel()
    assert np.isnan(L[0])
