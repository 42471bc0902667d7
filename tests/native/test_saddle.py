"""The saddle solve in C against NumPy: full and deficient rank, scales, inactive rows, matrices that must be rejected."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from spacefmu.dynamics.system.evaluate import solve_saddle
from spacefmu.fmu_src.native.c.bounds_header import bounds_header
from spacefmu.fmu_src.native.c.names_header import names_header
from spacefmu.fmu_src.native.platforms.compile import CORE


@pytest.fixture(scope="module")
def solve(tmp_path_factory):
    """solve(M, G, f, gamma, v) → rank, z, multipliers, part of v in the null space of Gᵀ."""
    folder = tmp_path_factory.mktemp("saddle")
    (folder / "names.h").write_text(names_header("probe"))
    (folder / "bounds.h").write_text(bounds_header())
    library = folder / "saddle.so"
    sources = [str(CORE / "saddle.c"), str(Path(__file__).with_name("saddle_probe.c"))]
    subprocess.run(
        [
            *(sys.executable, "-m", "ziglang", "cc"),
            "-std=c99",
            "-O2",
            "-shared",
            "-fPIC",
            f"-I{CORE}",
            f"-I{folder}",
            *sources,
            "-lm",
            "-o",
            str(library),
        ],
        check=True,
    )
    probe = ctypes.CDLL(str(library)).saddle_probe

    def call(M, G, f, gamma, v=None):
        n, m = len(f), len(gamma)
        z, multipliers, unfelt = np.zeros(n), np.zeros(m), np.array(np.zeros(m) if v is None else v, float)
        arrays = [np.ascontiguousarray(a, float) for a in (M, G, f, gamma)] + [z, multipliers, unfelt]
        rank = probe(n, m, *(a.ctypes.data_as(ctypes.c_void_p) for a in arrays))
        return rank, z, multipliers, unfelt

    return call


def problem(seed, n=7, m=3, spread=0.0):
    """M positive definite with eigenvalues over `spread` decades, G of full rank, any right sides."""
    random = np.random.default_rng(seed)
    basis = np.linalg.qr(random.normal(size=(n, n)))[0]
    M = basis @ np.diag(10.0 ** np.linspace(0.0, spread, n)) @ basis.T
    return (M + M.T) / 2, random.normal(size=(m, n)), random.normal(size=n), random.normal(size=m)


def agree(found, expected, tolerance=1e-11):
    _, z, multipliers, _ = found
    assert np.allclose(z, expected[0], rtol=tolerance, atol=tolerance)
    assert np.allclose(multipliers, expected[1], rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("n", "m"), [(1, 0), (1, 1), (7, 0), (7, 3), (7, 7), (12, 5)])
def test_full_rank(solve, n, m, seed):
    M, G, f, gamma = problem(seed, n, m)
    expected = np.linalg.solve(np.block([[M, -G.T], [G, np.zeros((m, m))]]), np.concatenate([f, gamma]))
    found = solve(M, G, f, gamma)
    assert found[0] == m
    agree(found, (expected[:n], expected[n:]))


@pytest.mark.parametrize("seed", range(5))
def test_redundant_and_inactive_rows(solve, seed):
    """Rows that are combinations of others, of very different length, and rows of zeros: rank 3 of 7."""
    M, G, f, gamma = problem(seed)
    random = np.random.default_rng(seed + 100)
    mix = np.vstack([np.eye(3), 1e4 * random.normal(size=(1, 3)), np.zeros((1, 3)), random.normal(size=(2, 3))])
    mix = mix[random.permutation(7)]
    found = solve(M, mix @ G, f, mix @ gamma)
    assert found[0] == 3
    agree(found, solve_saddle(M, mix @ G, f, mix @ gamma), 1e-9)
    _, z, multipliers, _ = found
    assert M @ z == pytest.approx(f + (mix @ G).T @ multipliers, abs=1e-10)
    assert G @ z == pytest.approx(gamma, abs=1e-10)
    assert multipliers[~mix.any(axis=1)] == 0.0


@pytest.mark.parametrize("seed", range(3))
def test_inactive_rows_alone(solve, seed):
    """Rows of zeros next to independent ones: their multipliers are zero, and only they are in the null space of Gᵀ."""
    M, G, f, gamma = problem(seed)
    inactive = np.zeros((6, 3))
    inactive[[0, 2, 5]] = np.eye(3)
    found = solve(M, inactive @ G, f, inactive @ gamma, v=np.arange(1.0, 7.0))
    assert found[0] == 3
    agree((*found[:2], inactive.T @ found[2], None), solve_saddle(M, G, f, gamma))
    assert not found[2][[1, 3, 4]].any()
    assert found[3].tolist() == [0.0, 2.0, 0.0, 4.0, 5.0, 0.0]


def test_ill_conditioned_mass_and_scaled_rows(solve):
    """Masses over eight decades and rows over four: residuals stay at round-off of the data's size."""
    M, G, f, gamma = problem(3, spread=8.0)
    scale = np.array([1e-2, 1.0, 1e2])
    rank, z, multipliers, _ = solve(M, scale[:, None] * G, f, scale * gamma)
    assert rank == 3
    assert G @ z == pytest.approx(gamma, abs=1e-9)
    agree((rank, z, multipliers * scale, None), solve_saddle(M, G, f, gamma), 1e-6)


def test_more_rows_than_unknowns(solve):
    M, G, f, gamma = problem(1, n=3, m=3)
    mix = np.random.default_rng(5).normal(size=(6, 3))
    found = solve(M, mix @ G, f, mix @ gamma)
    assert found[0] == 3
    assert found[1] == pytest.approx(np.linalg.solve(G, gamma), rel=1e-10)


def test_unfelt_part_is_the_null_space_of_the_transpose(solve):
    M, G, f, gamma = problem(2)
    mix = np.vstack([np.eye(3), np.random.default_rng(9).normal(size=(2, 3))])
    v = np.arange(1.0, 6.0)
    unfelt = solve(M, mix @ G, f, mix @ gamma, v)[3]
    A = mix @ G
    assert unfelt == pytest.approx(v - A @ np.linalg.pinv(A) @ v, abs=1e-12)
    assert solve(M, G, f, gamma, v[:3])[3] == pytest.approx(np.zeros(3))


@pytest.mark.parametrize("fault", ["indefinite", "singular", "nan mass", "infinite row", "nan row"])
def test_what_cannot_be_solved_is_refused(solve, fault):
    M, G, f, gamma = problem(4)
    if fault == "indefinite":
        M = M - 2.0 * np.eye(7)
    if fault == "singular":
        M = np.outer(f, f)
    if fault == "nan mass":
        M[2, 2] = np.nan
    if fault == "infinite row":
        G[1, 3] = np.inf
    if fault == "nan row":
        G[1, 3] = np.nan
    assert solve(M, G, f, gamma)[0] == -1
