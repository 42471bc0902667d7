"""Exact Jacobians of a System, through its solve: from the same source of the equations as the FMU's.

With z and λ held, the residuals of the solve change by e₁ = f − M z + Gᵀλ and e₂ = γ − G z; so by a change of x or u

    M dz − Gᵀdλ = de₁,   G dz = de₂,      d(ẋ, y) = ∂finish (dx, du, dz, dλ, dcarry).

Where rows of G are redundant, dλ is the minimum-norm solution: ẋ is exact, and forces of redundant rows are exact up to how the rows share them.
"""

from __future__ import annotations

from typing import cast

import casadi
import numpy as np

from spacefmu.dynamics.linearize.reduce import Jacobians
from spacefmu.dynamics.system.contract import System
from spacefmu.dynamics.system.evaluate import solve_saddle, solved_motion

from .fast import fast
from .traces import POINT, Traces, expressions_of

MOVED = ("x", "u")


class ExactDerivatives:
    """Called with a point (t, x, u, k, d): the Jacobians there."""

    def __init__(self, system: System):
        traces = Traces(system)
        self._system, self._fast, motion = system, fast(system, traces), traces.motion
        self._finish = _jacobian(motion.results["rates_outputs"], (*MOVED, "z", "multipliers", "carry"))
        self._assemble = None if motion.assemble is None else _jacobian(_solved_for(motion.assemble, system), MOVED)
        residuals = [cast(casadi.Function, traced.assemble) for traced in traces.projections]  # each has one
        self._residuals = [_jacobian(function, MOVED, ("gamma",)) for function in residuals]

    def __call__(self, t, x, u, k, d) -> Jacobians:
        nx, nu = self._system.nx, self._system.nu
        point = (t, x, u, k, d)
        solved = solved_motion(self._fast, *point)
        z, multipliers = solved[5:7]
        (x_dot, y), J = self._finish(*solved)
        direct, through = J[:, : nx + nu], J[:, nx + nu :]
        if self._assemble is not None:
            _, change = self._assemble(*point, z, multipliers)
            M, G = self._fast.motion.assemble(*point)[:2]
            n, m = len(z), len(multipliers)
            parts = [(*self._system.motion.stiffened(M, G, c[:n], c[n : n + m]), c[n : n + m]) for c in change.T]
            columns = [np.concatenate(solve_saddle(stiff, G, f, gamma)) for stiff, f, gamma in parts]
            direct = direct + through @ np.vstack([np.array(columns).T, change[n + m :]])
        found = [residual(*point) for residual in self._residuals]
        residual = np.concatenate([np.zeros(0), *(-r[0] for r, _ in found)])
        R = np.vstack([np.zeros((0, nx + nu)), *(-part for _, part in found)])
        return Jacobians(
            x_dot, y, residual,
            direct[:nx, :nx], direct[:nx, nx:], direct[nx:, :nx], direct[nx:, nx:], R[:, :nx], R[:, nx:],
        )  # fmt: skip


def _solved_for(assemble: casadi.Function, system: System) -> casadi.Function:
    """(t, x, u, k, d, z, multipliers) → e₁, e₂ and carry, from an assemble; matrices there are row-major."""
    n, m = system.motion.n, system.motion.m
    kind = expressions_of(assemble)
    arguments = [kind.sym(name, assemble.size1_in(name)) for name in POINT]
    z, multipliers = kind.sym("z", n), kind.sym("multipliers", m)
    M, G, f, gamma, carry = assemble.call(arguments, True, False)
    M, G = casadi.reshape(M, n, n), casadi.reshape(G, n, m)  # of row-major matrices: the transposes
    results = [f - M.T @ z + G @ multipliers, gamma - G.T @ z, carry]
    names = ["e1", "e2", "carry"]
    return casadi.Function("solved_for", [*arguments, z, multipliers], results, [*POINT, "z", "multipliers"], names)


def _jacobian(function: casadi.Function, by: tuple[str, ...], of: tuple[str, ...] | None = None):
    """A function of NumPy arrays: (the results, their Jacobian (rows of all of them, columns of all of `by`))."""
    kind = expressions_of(function)
    arguments = {name: kind.sym(name, function.size1_in(name)) for name in function.name_in()}
    found = dict(zip(function.name_out(), function.call(list(arguments.values()), True, False), strict=True))
    results = [found[name] for name in of or found]
    moving = casadi.vertcat(*(arguments[name] for name in by))
    J = casadi.densify(casadi.jacobian(casadi.vertcat(*results), moving))
    whole = casadi.Function("jacobian", list(arguments.values()), [*results, J])

    def call(*values):
        *parts, matrix = whole.call([np.atleast_1d(np.asarray(value, float)) for value in values])
        return [np.array(part, float).ravel() for part in parts], np.array(matrix, float)

    return call
