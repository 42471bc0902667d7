"""Trim: states and inputs at which nothing changes, by damped Gauss–Newton on the constraint manifold.

Unknown are the free entries w of the chart s and of the inputs u; asked for is F = (r(t, x), rates of s) = 0. Every step is the one of
least norm, δw = −J⁺F, so that what the equations leave open stays where it was: the null space of J at the end is reported.
Proved by tests/linearize/test_trim.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..system import System
from .linear import Named
from .reduce import Chart, Derivatives, NotLinearizable

AT_REST = 1e-11  # largest |F| of an equilibrium, in SI units, or by the largest rate at the beginning
PASSES, HALVINGS = 60, 30
RANK = 1e-9  # singular values of J by the largest: those below are left open


@dataclass(frozen=True)
class Trimmed:
    """The point (x, u), the largest |rate| there, and what the equations leave open: directions (names of the largest entries, vector)."""

    x: np.ndarray
    u: np.ndarray
    remaining: float
    open: tuple[tuple[tuple[str, ...], np.ndarray], ...]


def trimmed(system: System, derivatives: Derivatives, t, x, u, k, d, free, drifting=()) -> Trimmed:
    """The equilibrium nearest to (x, u). free: names of entries of s and u that may move; drifting: names of entries of s that may change with time."""
    x, u = np.array(x, float), np.array(u, float)
    at = derivatives(t, x, u, k, d)
    chart = Chart.at(system, x, at.x_dot)
    inputs = [Named(s.name, s.unit) for s in system.signals.inputs]
    moves = [i for i, entry in enumerate((*chart.entries, *inputs)) if entry.name in free]
    still = [i for i, entry in enumerate(chart.entries) if entry.name not in drifting]
    ns = len(chart.entries)

    def asked(at, chart):
        F = np.concatenate([at.residual, (chart.P_inverse @ at.x_dot)[still]])
        rates = np.hstack([chart.P_inverse @ at.A @ chart.P, chart.P_inverse @ at.B])[still]
        return F, np.vstack([np.hstack([at.R @ chart.P, at.R_u]), rates])[:, moves]

    F, J = asked(at, chart)
    enough = AT_REST * max(1.0, float(np.max(np.abs(F), initial=0.0)))
    for _ in range(PASSES):
        if np.max(np.abs(F), initial=0.0) <= enough:
            return Trimmed(x, u, float(np.max(np.abs(F), initial=0.0)), _left_open(J, moves, (*chart.entries, *inputs)))
        change = np.zeros(ns + len(u))
        change[moves] = -np.linalg.lstsq(J, F, rcond=RANK)[0]
        for halving in range(HALVINGS):
            step = change * 0.5**halving
            x_new, u_new = _unit(system, x + chart.P @ step[:ns]), u + step[ns:]
            at_new = derivatives(t, x_new, u_new, k, d)
            chart_new = Chart.at(system, x_new, at_new.x_dot)
            F_new, J_new = asked(at_new, chart_new)
            if np.all(np.isfinite(F_new)) and np.linalg.norm(F_new) < np.linalg.norm(F):
                break
        else:
            break
        x, u, chart, F, J = x_new, u_new, chart_new, F_new, J_new
    rates = np.abs(F[len(at.residual) :])
    worst = chart.entries[still[int(np.argmax(rates))]].name if len(rates) else "a constraint"
    raise NotLinearizable(
        f"{system.name}: no equilibrium found near this point; the rate of {worst} stays at {np.max(rates, initial=0.0):.3g}, "
        f"expected free unknowns that can make it zero (free are {', '.join(sorted(free)) or 'none'})"
    )


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
