"""Trim: states and inputs at which nothing changes, by damped Gauss–Newton on the constraint manifold.

Unknowns are the free entries w of the chart s and of the inputs u; the equations are F = (r(t, x), rates of s) = 0. Every step has least
norm, δw = −J⁺F, so directions that the equations leave open do not change: the null space of J at the end is reported.
Proved by tests/linearize/test_trim.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.newton import newton
from ..system.contract import System
from .linear import VectorEntry
from .reduce import Chart, Derivatives, NotLinearizable

AT_REST = 1e-11  # largest |F| of an equilibrium, in SI units, or by the largest rate at the beginning
PASSES, SHORTEST = 200, 0.5**30  # of Newton's method: tries, and share of a step
RANK = 1e-9  # singular values of J by the largest: those below are left open


@dataclass(frozen=True)
class Trimmed:
    """The point (x, u), the largest |rate| there, and the directions that the equations leave open (names of the largest entries, vector)."""

    x: np.ndarray
    u: np.ndarray
    remaining: float
    open: tuple[tuple[tuple[str, ...], np.ndarray], ...]


def trimmed(system: System, derivatives: Derivatives, t, x, u, k, d, free, drifting=()) -> Trimmed:
    """The equilibrium nearest to (x, u). free: names of entries of s and u that may move; drifting: names of entries of s that may change with time."""

    def look(point) -> Point:
        x, u = point
        return Point(system, x, u, derivatives(t, x, u, k, d), free, drifting)

    point = np.array(x, float), np.array(u, float)
    F = look(point).F
    enough = AT_REST * max(1.0, float(np.max(np.abs(F), initial=0.0)))
    rounded = np.sqrt(len(F)) * enough  # every |F| up to `enough`
    (x, u), found = newton(point, look, enough, rounded, PASSES, SHORTEST)
    if found.size <= rounded:
        return Trimmed(
            x, u, float(np.max(np.abs(found.F), initial=0.0)), _left_open(found.J, found.moves, found.entries)
        )
    rates = np.abs(found.F[len(found.at.residual) :])
    worst = found.entries[found.still[int(np.argmax(rates))]].name if len(rates) else "a constraint"
    raise NotLinearizable(
        f"{system.name}: no equilibrium found near this point; the rate of {worst} stays at {np.max(rates, initial=0.0):.3g}; "
        f"free unknowns that can make it zero (free now: {', '.join(sorted(free)) or 'none'})"
    )


class Point:
    """(x, u) as Newton's method sees it: F, and J by the free unknowns."""

    def __init__(self, system: System, x, u, at, free, drifting):
        self.system, self.x, self.u, self.at = system, x, u, at
        self.chart = chart = Chart.at(system, x, at.x_dot)
        inputs = [VectorEntry(s.name, s.unit) for s in system.signals.inputs]
        self.entries = (*chart.entries, *inputs)
        self.moves = [i for i, entry in enumerate(self.entries) if entry.name in free]
        self.still = [i for i, entry in enumerate(chart.entries) if entry.name not in drifting]
        rates = np.hstack([chart.P_inverse @ at.A @ chart.P, chart.P_inverse @ at.B])[self.still]
        self.F = np.concatenate([at.residual, (chart.P_inverse @ at.x_dot)[self.still]])
        self.J = np.vstack([np.hstack([at.R @ chart.P, at.R_u]), rates])[:, self.moves]
        self.size = float(np.linalg.norm(self.F))

    def moved(self, length: float):
        ns, step = len(self.chart.entries), np.zeros(len(self.entries))
        step[self.moves] = -length * np.linalg.lstsq(self.J, self.F, rcond=RANK)[0]
        return _unit(self.system, self.x + self.chart.P @ step[:ns]), self.u + step[ns:]


def _unit(system: System, x):
    for attitude in system.attitudes:
        span = slice(attitude.quaternion, attitude.quaternion + 4)
        x[span] = x[span] / np.linalg.norm(x[span])
    return x


def _left_open(J, moves, entries):
    """Directions of the free unknowns along which the equations do not change."""
    _, sizes, Vt = np.linalg.svd(J) if J.size else (None, np.zeros(0), np.eye(len(moves)))
    rank = int(np.sum(sizes > RANK * np.max(sizes, initial=0.0)))
    found = []
    for vector in Vt[rank:]:
        largest = np.max(np.abs(vector))
        found.append((tuple(entries[moves[i]].name for i in np.flatnonzero(np.abs(vector) > 0.3 * largest)), vector))
    return tuple(found)
