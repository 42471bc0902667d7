"""A System on floats: what the C runtime does, in NumPy. The reference, and the engine of the Python FMU."""

from __future__ import annotations

import numpy as np

from .system import Projection, Staged, System

EMPTY = np.zeros(0)
RANK_TOLERANCE = 1e-8
NEWTON_LIMIT = 20  # Newton's method on a manifold is quadratic: more passes mean that it does not converge
ROUND_OFF_ALLOWANCE = 1e4  # a large system may stay that far above its tolerance, by round-off


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
    # What elimination leaves of a redundant row is round-off of the largest one, however small the row itself.
    U, s, Vt = np.linalg.svd(W, full_matrices=False)
    keep = s > RANK_TOLERANCE * s.max(initial=0.0)
    U, s, Vt = U[:, keep], s[keep], Vt[keep]
    change = (Vt @ gamma) / s - U.T @ a
    y = a + U @ change
    multipliers = Vt.T @ (change / s)
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


def project(system: System, t, x, u, k, d):
    """x moved onto every manifold."""
    for projection in system.projections:
        x = _project_one(projection, t, x, u, k, d)
    return x


def _project_one(projection: Projection, t, x, u, k, d):
    """Newton until the tolerance, or until round-off stops the descent; the last step that did no good is undone."""
    stage, x_before, before = projection.stage, x, np.inf
    for _ in range(NEWTON_LIMIT + 1):
        M, G, f, gamma, carry = stage.assemble(t, x, u, k, d)
        size = float(np.max(np.abs(gamma), initial=0.0))
        if size <= projection.tolerance:
            return x
        if not size < before:
            break
        x_before, before = x, size
        z, multipliers = solve_saddle(M, np.reshape(G, (stage.m, stage.n)), f, gamma)
        x = np.asarray(stage.finish(t, x, u, k, d, z, multipliers, carry), float)
    if not before <= ROUND_OFF_ALLOWANCE * projection.tolerance:
        raise Refused(
            f"{projection.name}: no state found that satisfies them; residual {before:.3g} (relative to the system's size)"
        )
    return x_before


def settle(system: System, t, x, u, k, d, motion=motion):
    """Event iteration: x, d after `update` has nothing left to change. `motion` may be one that remembers."""
    if system.update is None:
        return x, d
    for _ in range(system.update_limit):
        _, _, g = motion(system, t, x, u, k, d)
        x_new, d_new = (np.asarray(part, float) for part in run(system.update, t, x, u, k, d, g))
        x_moved, d_moved = not np.array_equal(x_new, x), not np.array_equal(d_new, d)
        if not x_moved and not d_moved:
            return x, d
        x, d = project(system, t, x_new, u, k, d_new) if x_moved else x_new, d_new
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
