"""A System on floats: what the C runtime does, in NumPy. The reference, and the engine of the Python FMU."""

from __future__ import annotations

import numpy as np

from .system import Staged, System

EMPTY = np.zeros(0)
RANK_TOLERANCE = 1e-10


class Refused(ValueError):
    """Parameters or a start that no state can satisfy; the message names what is wrong."""


def solve_saddle(M, G, f, gamma):
    """z, multipliers of  M z = f + Gᵀ multipliers,  G z = gamma;  redundant rows allowed, least-norm multipliers.

    M = L Lᵀ, W = L⁻¹Gᵀ: with y = Lᵀz the first equation reads y = L⁻¹f + W multipliers, the second Wᵀy = gamma.
    So y is L⁻¹f with its part in the range of W replaced by the one that gamma asks for.
    """
    L = np.linalg.cholesky(M)
    a = np.linalg.solve(L, f)
    if not len(gamma):
        return np.linalg.solve(L.T, a), EMPTY
    W = np.linalg.solve(L, G.T)
    # Rows of one size each decide the rank; a row that is zero but for round-off asks for nothing.
    size = np.linalg.norm(W, axis=0)
    unit = np.where(size > RANK_TOLERANCE * size.max(initial=0.0), 1.0 / np.where(size > 0.0, size, 1.0), 0.0)
    U, s, Vt = np.linalg.svd(W * unit, full_matrices=False)
    keep = s > RANK_TOLERANCE * s.max(initial=0.0)
    U, s, Vt = U[:, keep], s[keep], Vt[keep]
    wanted = (Vt @ (gamma * unit)) / s
    y = a - U @ (U.T @ a) + U @ wanted
    multipliers = np.linalg.pinv(W, rcond=RANK_TOLERANCE) @ (y - a)
    return np.linalg.solve(L.T, y), multipliers


def run(stage: Staged, *args):
    """assemble → solve → finish on floats."""
    if stage.assemble is None:
        return stage.finish(*args, EMPTY, EMPTY, EMPTY)
    M, G, f, gamma, carry = stage.assemble(*args)
    z, multipliers = solve_saddle(M, np.reshape(G, (stage.m, stage.n)), f, gamma)
    return stage.finish(*args, z, multipliers, carry)


def motion(system: System, t, x, u, k, d):
    """ẋ, y, g as float arrays."""
    return tuple(np.asarray(part, float) for part in run(system.motion, t, x, u, k, d))


def constants(system: System, p):
    """k of legal parameters; `Refused` names the law that is broken."""
    p = np.asarray(p, float)
    for sentence, value in zip(system.laws, np.asarray(system.check(p), float), strict=True):
        if not value > 0.0:
            raise Refused(sentence)
    return np.asarray(system.derive(p), float)


def residual(projection, t, x, u, k, d) -> float:
    """max|residual| of one projection."""
    gamma = projection.stage.assemble(t, x, u, k, d)[3]
    return float(np.max(np.abs(gamma), initial=0.0))


def project(system: System, t, x, u, k, d, limit: int = 20):
    """x moved onto every manifold. Newton until the tolerance, or until round-off stops the descent."""
    for projection in system.projections:
        stage, last = projection.stage, np.inf
        for _ in range(limit):
            M, G, f, gamma, carry = stage.assemble(t, x, u, k, d)
            size = float(np.max(np.abs(gamma), initial=0.0))
            if size <= projection.tolerance or (size >= last and size < 1e-9):
                break
            last = size
            z, multipliers = solve_saddle(M, np.reshape(G, (stage.m, stage.n)), f, gamma)
            x = np.asarray(stage.finish(t, x, u, k, d, z, multipliers, carry), float)
        else:
            raise Refused(f"{projection.name}: no state found that satisfies them; residual {size:.3g} (relative to the system's size)")
    return x


def settle(system: System, t, x, u, k, d):
    """Event iteration: x, d after `update` has nothing left to change."""
    if system.update is None:
        return x, d
    for _ in range(system.update_limit):
        _, _, g = motion(system, t, x, u, k, d)
        x_new, d_new = (np.asarray(part, float) for part in run(system.update, t, x, u, k, d, g))
        if np.array_equal(x_new, x) and np.array_equal(d_new, d):
            return x, d
        x, d = project(system, t, x_new, u, k, d_new), d_new
    raise Refused(f"events at t = {t} do not come to rest within {system.update_limit} iterations")


def start(system: System, t=0.0, x=None, u=None, p=None, d=None):
    """Initial (x, u, k, d) from start values of the table, or the ones given."""
    table = system.signals
    x, u, p, d = (
        np.array(table.starts(group) if given is None else given, float)
        for given, group in ((x, "states"), (u, "inputs"), (p, "parameters"), (d, "discretes"))
    )
    k = constants(system, p)
    x, d = (np.asarray(part, float) for part in system.initialize(t, x, u, k, d))
    x = project(system, t, x, u, k, d)
    x, d = settle(system, t, x, u, k, d)
    return x, u, k, d
