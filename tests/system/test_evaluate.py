"""The saddle-point solve of spacefmu.dynamics.system.evaluate: against dense solves, with redundant and inactive rows."""

import numpy as np
import pytest

from spacefmu.dynamics.system.contract import Staged
from spacefmu.dynamics.system.evaluate import Refused, constants, project, residual, run, settle, solve_saddle, start
from tests.compare import relative
from tests.systems_small import BALL, LATCH, OSCILLATOR, PENDULUM

MIX = np.random.default_rng(5).normal(size=(5, 3))


def problem(n, m):
    rng = np.random.default_rng(n)
    root = rng.normal(size=(n, n))
    return root @ root.T + np.eye(n), rng.normal(size=(m, n)), rng.normal(size=n), rng.normal(size=m)


@pytest.mark.parametrize("n, m", [(1, 0), (3, 1), (6, 3), (9, 9), (20, 7)])
def test_full_rank_against_a_dense_solve(n, m):
    """[[M, −Gᵀ], [G, 0]] (z, λ) = (f, γ) by LU. Measured 2e-13 (9 × 9)."""
    M, G, f, gamma = problem(n, m)
    z, multipliers = solve_saddle(M, G, f, gamma)
    dense = np.linalg.solve(np.block([[M, -G.T], [G, np.zeros((m, m))]]), np.concatenate([f, gamma]))
    assert relative(np.concatenate([z, multipliers]), dense) < 1e-12


def test_redundant_rows_give_the_least_norm():
    """Rows that repeat others: z is that of the independent rows, λ the shortest of all that fit. Measured 1e-15."""
    M, G, f, gamma = problem(6, 3)
    z, multipliers = solve_saddle(M, MIX @ G, f, MIX @ gamma)
    z_own, own = solve_saddle(M, G, f, gamma)
    assert np.allclose(z, z_own, rtol=0.0, atol=1e-12)
    shortest = np.linalg.pinv((MIX @ G).T, rcond=1e-12) @ (M @ z - f)
    assert np.allclose(multipliers, shortest, rtol=0.0, atol=1e-12)
    assert np.allclose((MIX @ G).T @ multipliers, G.T @ own, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_rows_of_very_different_size(scale):
    """A row in other units is the same condition: the rank does not depend on the units. Measured 2e-10 at 1e±6."""
    M, G, f, gamma = problem(6, 3)
    sizes = np.array([1.0, scale, 1.0])
    z, multipliers = solve_saddle(M, G * sizes[:, None], f, gamma * sizes)
    z_own, own = solve_saddle(M, G, f, gamma)
    assert np.allclose(z, z_own, rtol=0.0, atol=1e-9)
    assert np.allclose(multipliers * sizes, own, rtol=0.0, atol=1e-9)


def test_zero_rows_are_inactive():
    """A row of zeros asks for nothing and pulls with nothing."""
    M, G, f, gamma = problem(6, 3)
    z, multipliers = solve_saddle(M, G * [[1.0], [0.0], [1.0]], f, gamma * [1.0, 0.0, 1.0])
    z_own, own = solve_saddle(M, G[[0, 2]], f, gamma[[0, 2]])
    assert multipliers[1] == 0.0
    assert np.allclose(z, z_own, rtol=0.0, atol=1e-13)
    assert np.allclose(multipliers[[0, 2]], own, rtol=0.0, atol=1e-12)


def test_only_zero_rows():
    M, G, f, gamma = problem(4, 2)
    z, multipliers = solve_saddle(M, 0.0 * G, f, 0.0 * gamma)
    assert np.allclose(z, np.linalg.solve(M, f), rtol=0.0, atol=1e-13)
    assert not np.any(multipliers)


def test_run_without_a_solve():
    assert run(Staged(lambda t, z, multipliers, carry: (t, z.size, multipliers.size, carry.size)), 3.0) == (
        3.0,
        0,
        0,
        0,
    )


def test_projection_reaches_round_off():
    """A pendulum off its circle by 20 % comes back in both levels, redundant and inactive rows included."""
    k = constants(PENDULUM, PENDULUM.signals.starts("parameters"))
    x = np.array([0.5, -0.6, 0.3, 0.4])
    moved = project(PENDULUM, 0.0, x, np.zeros(1), k, np.zeros(0))
    assert all(residual(p, 0.0, moved, np.zeros(1), k, np.zeros(0)) <= p.tolerance for p in PENDULUM.projections)
    assert np.allclose(moved[:2], x[:2] / np.linalg.norm(x[:2]), rtol=0.0, atol=1e-13)  # metric m E: the nearest point


def test_broken_law_is_named():
    with pytest.raises(Refused, match="frequency must be positive"):
        start(OSCILLATOR, p=[-1.0, 3.0])


def test_settle_leaves_a_quiet_state_alone():
    x, u, k, d = start(BALL)
    assert all(np.array_equal(a, b) for a, b in zip(settle(BALL, 0.0, x, u, k, d), (x, d), strict=True))


def test_settle_conserves_momentum_in_a_jump():
    """Two masses that met: one velocity afterwards, same momentum: (1·2 + 3·0)/4 = 0.5 m/s."""
    x, u, k, d = start(LATCH)
    x, d = settle(LATCH, 0.5, np.array([1.0, 1.0, 2.0, 0.0]), u, k, d)
    assert np.allclose(x, [1.0, 1.0, 0.5, 0.5], rtol=0.0, atol=1e-15)
    assert d[0] == 1.0


def test_rows_that_are_not_finite_are_told_in_words():
    """NumPy said "SVD did not converge"."""
    with pytest.raises(np.linalg.LinAlgError, match="rows of couplings are not finite numbers"):
        solve_saddle(np.eye(2), np.array([[np.nan, 1.0]]), np.zeros(2), np.zeros(1))
