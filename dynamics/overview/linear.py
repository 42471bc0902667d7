"""Frequencies and time constants of a System near a state, from differences of its own equations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..evaluate import motion, project
from ..system import System

STEP = 1e-5  # of a difference, relative to max(1, |x|): round-off 1e-11, curvature 1e-10
SLOWEST = 1e-4  # [rad/s]: a double zero, as of free motion, is off by the root of the differences' error
STIFF = 100.0  # times faster than what is to be followed: an explicit method would follow it in vain


@dataclass(frozen=True)
class Mode:
    """frequency [Hz], undamped; damping ratio (−1 … 1; 1: a decay, whose time constant is 1/(2π frequency))."""

    frequency: float
    damping: float


def modes(system: System, x, u, k, d) -> list[Mode]:
    """Eigenvalues λ of ẋ = f(x) near x: frequency |λ|/2π, damping −Re λ/|λ|; one of each pair, the slowest first.

    States move on a manifold (unit quaternions, closed loops), x → P(x): B spans its tangent, the range of ∂P/∂x, and what counts is
    Bᵀ (∂f(P(x))/∂x) B. Integrals that nothing depends on (work done) are left out. Proved by tests/overview/test_overview.py.
    """
    moving = [i for i, state in enumerate(system.signals.states) if not state.quadrature]
    n = len(moving)
    tangent, rates = np.empty((n, n)), np.empty((n, n))
    for column, i in enumerate(moving):
        step = STEP * max(1.0, abs(x[i]))
        points = [project(system, 0.0, x + sign * step * np.eye(len(x))[i], u, k, d) for sign in (1.0, -1.0)]
        ahead, behind = (motion(system, 0.0, point, u, k, d)[0] for point in points)
        tangent[:, column] = (points[0] - points[1])[moving] / (2.0 * step)
        rates[:, column] = (ahead - behind)[moving] / (2.0 * step)
    if not np.all(np.isfinite(rates)):
        return []
    U, s, _ = np.linalg.svd(tangent)
    B = U[:, s > 1e-6]
    values = np.linalg.eigvals(B.T @ rates @ B)
    kept = [v for v in values if abs(v) > max(SLOWEST, 1e-9 * np.abs(values).max()) and v.imag >= 0.0]
    found = [Mode(float(abs(v) / (2 * np.pi)), float(-v.real / abs(v))) for v in kept]
    return sorted(found, key=lambda mode: (mode.frequency, mode.damping))


def solver_for(found: list[Mode], stop: float) -> str:
    """The method of solver.method that suits: rodas5p where something decays far faster than anything swings."""
    decays = [mode.frequency for mode in found if mode.damping > 0.7]
    swings = [mode.frequency for mode in found if abs(mode.damping) <= 0.7]
    follow = max([*swings, 1.0 / (2 * np.pi * stop)])
    return "rodas5p" if decays and max(decays) > STIFF * follow else "dop853"
