"""Frequencies and time constants of a System near a state: the poles of its linear model (dynamics/linearize)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..linearize.reduce import Derivatives, linearized
from ..system.contract import System

SLOWEST = 1e-4  # [rad/s]: below is free motion, whose poles are zero except for round-off
STIFF = 100.0  # ratio to the frequencies of interest: an explicit method would waste steps on faster decay


@dataclass(frozen=True)
class Vibration:
    """frequency [Hz], undamped; damping ratio (−1 … 1; 1: a decay, whose time constant is 1/(2π frequency))."""

    frequency: float
    damping: float


def modes(system: System, derivatives: Derivatives, x, u, k, d) -> list[Vibration]:
    """Of the linear model about x in independent coordinates, one of each conjugate pair, lowest frequency first.

    Raises NotLinearizable if there is no linear model. Proved by tests/overview/test_overview.py.
    """
    found = [mode for mode in linearized(system, derivatives, 0.0, x, u, k, d).modes if abs(mode.pole) > SLOWEST]
    return sorted(
        (Vibration(abs(mode.pole) / (2 * np.pi), mode.damping) for mode in found),
        key=lambda mode: (mode.frequency, mode.damping),
    )


def solver_for(found: list[Vibration], stop: float) -> str:
    """The suitable solver.method: rodas5p if something decays far faster than any oscillation."""
    decays = [mode.frequency for mode in found if mode.damping > 0.7]
    swings = [mode.frequency for mode in found if abs(mode.damping) <= 0.7]
    follow = max([*swings, 1.0 / (2 * np.pi * stop)])
    return "rodas5p" if decays and max(decays) > STIFF * follow else "explicit"
