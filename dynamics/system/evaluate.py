"""A System on floats: what the C runtime does, in NumPy. The reference, and the engine of the Python FMU."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..algebra.newton import cut, newton
from ..bounds import BLUR, DOUBTFUL, RANK_TOLERANCE, ROUND_OFF_ALLOWANCE
from .contract import Projection, Staged, System

EMPTY = np.zeros(0)


class Refused(ValueError):
    """Parameters or a start that no state can satisfy; the message names what is wrong."""


def solve_saddle(M, G, f, gamma, distance=None, watch=None):
    """z, multipliers of  M z = f + Gᵀ multipliers,  G z = gamma;  redundant rows allowed, least-norm multipliers.

    M = L Lᵀ, W = L⁻¹Gᵀ: with y = Lᵀz the first equation reads y = L⁻¹f + W multipliers, the second Wᵀy = gamma.
    So y is L⁻¹f with its part in the range of W replaced by the one that gamma asks for.
    distance: a function that says how far the state is off the manifold; None: it is on it.
    watch: called with how many rows count, and with the weakest of them relative to the strongest; None: nobody asks.
    """
    L = np.linalg.cholesky(M)
    a = np.linalg.solve(L, f)
    if not len(gamma):
        return np.linalg.solve(L.T, a), EMPTY
    W = np.linalg.solve(L, G.T)
    # What elimination leaves of a redundant row is round-off of the largest one, however small the row itself.
    try:
        U, s, Vt = np.linalg.svd(W, full_matrices=False)
    except np.linalg.LinAlgError:
        raise np.linalg.LinAlgError("rows of couplings are not finite numbers at this state") from None
    keep = s > RANK_TOLERANCE * s.max(initial=0.0)
    if watch is not None and keep.any():
        watch(int(keep.sum()), float(s[keep][-1] / s[0]))
    if distance is not None and np.any(s[keep] < DOUBTFUL * s[0]):
        keep &= s > min(BLUR * distance(), DOUBTFUL) * s[0]
    U, s, Vt = U[:, keep], s[keep], Vt[keep]
    change = (Vt @ gamma) / s - U.T @ a
    y = a + U @ change
    multipliers = Vt.T @ (change / s)
    return np.linalg.solve(L.T, y), multipliers


def solved(stage: Staged, *args, distance=None, watch=None):
    """Everything that finish takes: the arguments, and the solve of what assemble makes of them."""
    if stage.assemble is None:
        return (*args, EMPTY, EMPTY, EMPTY)
    M, G, f, gamma, carry = stage.assemble(*args)
    M, f = stage.stiffened(M, G, f, gamma)
    z, multipliers = solve_saddle(M, np.reshape(G, (stage.m, stage.n)), f, gamma, distance, watch)
    return (*args, z, multipliers, carry)


def run(stage: Staged, *args, distance=None):
    """assemble → solve → finish on floats; `distance` as in solve_saddle."""
    return stage.finish(*solved(stage, *args, distance=distance))


def solved_motion(system: System, *point, watch=None):
    """Everything that motion's finish takes at a point (t, x, u, k, d)."""

    def distance():
        return max((residual(projection, *point) for projection in system.projections), default=0.0)

    return solved(system.motion, *point, distance=distance, watch=watch)


def motion(system: System, t, x, u, k, d):
    """ẋ, y, g as float arrays."""
    return tuple(np.asarray(part, float) for part in system.motion.finish(*solved_motion(system, t, x, u, k, d)))


def motion_part(which: int, system: System, t, x, u, k, d):
    """Only one of ẋ, y, g (0, 1, 2): cheaper where the System has it as a function of its own."""
    solved = solved_motion(system, t, x, u, k, d)
    parts = system.motion.parts
    return np.asarray(parts[which](*solved) if parts else system.motion.finish(*solved)[which], float)


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


def project(system: System, t, x, u, k, d, tight=False):
    """x moved onto every manifold; tight: onto those of couplings to round-off."""
    for projection in system.projections:
        x = project_one(projection, t, x, u, k, d, 0.0 if tight and projection.level else projection.tolerance)
    return x


class ProjectionIterate:
    """A state on its way to a projection's manifold, as Newton's method sees it.

    free: (n,) which of the speeds z may move; longest: no entry of a step is longer.
    """

    def __init__(self, projection: Projection, point, free=slice(None), longest=np.inf):
        self.stage, self.point, self.free, self.longest = projection.stage, point, free, longest
        M, G, f, self.gamma, self.carry = projection.stage.assemble(*point)
        self.M, self.f = self.stage.stiffened(M, G, f, self.gamma)
        self.G = np.reshape(G, (self.stage.m, self.stage.n))
        self.size = float(np.max(np.abs(self.gamma), initial=0.0))

    @cached_property
    def step(self):
        """Newton's own: z (n,), multipliers (m,)."""
        return self._solved(None)

    def _solved(self, distance):
        of, z = self.free, np.zeros(self.stage.n)
        z[of], multipliers = solve_saddle(self.M[of][:, of], self.G[:, of], self.f[of], self.gamma, distance)
        return cut(z, self.longest), multipliers

    def moved(self, length: float):
        """Redundant rows are independent by as much as the state is off the manifold: a whole step leaves such rows out, shorter ones do not."""
        z, multipliers = self._solved(lambda: self.size) if length == 1.0 else self.step
        return np.asarray(self.stage.finish(*self.point, length * z, length * multipliers, self.carry), float)


def project_one(projection: Projection, t, x, u, k, d, tolerance):
    """x on the manifold: to the tolerance, or as near as round-off lets it."""
    rounded = ROUND_OFF_ALLOWANCE * projection.tolerance
    x, seen = newton(x, lambda x: ProjectionIterate(projection, (t, x, u, k, d)), tolerance, rounded)
    if seen.size <= rounded:
        return x
    worst = int(np.argmax(np.abs(seen.gamma)))
    if projection.failure:
        raise Refused(f"{projection.rows[worst]} {projection.failure}")
    where = f", the largest in {projection.rows[worst]}" if projection.rows else ""
    raise Refused(
        f"{projection.name}: no state found that satisfies them; residual {seen.size:.3g} (relative to the system's size){where}"
    )


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
    raise Refused(
        f"the event iteration did not converge in {system.update_limit} passes: some conditions keep switching each other"
    )


def start(system: System, t=0.0, x=None, u=None, p=None, d=None):
    """Initial (x, u, k, d) from start values of the table, or the ones given."""
    table = system.signals
    x, u, p, d = (
        np.array(table.starts(group) if given is None else given, float)
        for given, group in ((x, "states"), (u, "inputs"), (p, "parameters"), (d, "discretes"))
    )
    k = constants(system, p)
    try:
        x, d = _initialized(system, t, x, u, k, d)
    except Refused:
        # a System that has asked for too much asks for less in a second try: `initialize` sees the d of the first
        _, d = (np.asarray(part, float) for part in system.initialize(t, x, u, k, d))
        x, d = _initialized(system, t, x, u, k, d)
    return x, u, k, d


def _initialized(system: System, t, x, u, k, d):
    """x, d of one try of a start."""
    x, d = (np.asarray(part, float) for part in system.initialize(t, x, u, k, d))
    return settle(system, t, project(system, t, x, u, k, d), u, k, d)
