"""Choice between explicit and implicit steps by measured stiffness: solver.method = automatic. NumPy only.

A look, each `patience` tries, compares what a second of motion takes:

    explicit   pace = evaluations / time, counted since the last look
    implicit   price / h,   price = STAGES_WORK + COLUMN_WORK · states, what an implicit step counts as

ρ, the spectral radius of ∂ẋ/∂x, by the power method on differences of rates, tells what limits explicit steps: if ρ times their length is below STABILITY,
it is not stability, and they stay. Otherwise one implicit step is tried, of the length at which it takes a GAIN-th of their work. If its error exceeds the tolerance,
nothing has changed but the time until the next look, which doubles. If not, steps are implicit from then on.

Implicit steps end when they take more work than explicit ones would: these are limited by stability, so their pace has changed as ρ has. GAIN is the hysteresis.
If they end at their first look, the time until the next trial also doubles.

The cost depends only on the number of states, so both flavours change at the same steps. It is that of a full matrix: for a sparse one implicit steps cost less.

The same as the C runtime's (fmu_src/native/runtime/core/stiffness.c). Proved by tests/solver/test_stiffness.py.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..bounds import (
    COLUMN_WORK,
    GAIN,
    LONGEST_LOOK,
    LOOK,
    RADIUS_PASSES,
    RADIUS_SHIFT,
    STABILITY,
    STAGES_WORK,
)


class Choice:
    """implicit: 1 if steps are implicit now, else 0.

    Since the last look: tries, steps that were accepted, their time `span` [s], and `work`, the evaluations that the tries count as.
    patience: tries up to the next look. When steps became implicit: pace [evaluations/s], radius ρ [1/s] and mean length [s] of the explicit ones.
    taken: implicit steps of the run.
    """

    def __init__(self) -> None:
        self.implicit, self.patience = 0.0, LOOK
        self.pace = self.radius = self.length = self.taken = 0.0
        self._begin_window()

    def _begin_window(self) -> None:
        self.tries = self.steps = self.span = self.work = 0.0

    def note_try(self, work: float) -> None:
        self.tries, self.work = self.tries + 1.0, self.work + work

    def note_step(self, h: float) -> None:
        self.steps, self.span, self.taken = self.steps + 1.0, self.span + h, self.taken + self.implicit

    @property
    def is_due(self) -> bool:
        return self.tries >= (LOOK if self.implicit else self.patience) and self.steps > 0.0

    def length_to_try(self, price: float, rest: float, radius: float) -> float:
        """The length of an implicit step that takes a GAIN-th of the work of explicit ones; 0: none within the rest [s], or other things limit those."""
        pace, mean = self.work / self.span, self.span / self.steps
        self._begin_window()
        if not mean * radius >= STABILITY or pace * rest < GAIN * price:
            return 0.0
        self.pace, self.radius, self.length = pace, radius, mean
        return GAIN * price / pace

    def decide(self, holds: bool) -> None:
        """After the trial: it holds the tolerance."""
        self.implicit = float(holds)
        if not holds:
            self.patience = min(2.0 * self.patience, LONGEST_LOOK)

    def returns(self, price: float, radius: float) -> bool:
        """Whether explicit steps, limited by stability, would take less work than the implicit ones since the last look."""
        work, span = price * self.tries, self.span
        self._begin_window()
        if not radius > 0.0 or work <= span * self.pace * radius / self.radius:
            self.patience = LOOK  # they have paid
            return False
        self.implicit, self.patience = 0.0, min(2.0 * self.patience, LONGEST_LOOK)
        self.length *= self.radius / radius
        return True


def price_of(states: int) -> float:
    """Evaluations that an implicit step counts as."""
    return STAGES_WORK + COLUMN_WORK * states


def spectral_radius(rates: Callable, f: np.ndarray, x: np.ndarray, nominal: np.ndarray) -> float:
    """ρ of ∂ẋ/∂x [1/s] at x (nx,), rates(x) → ẋ, f = rates(x):  (‖Jⁿv‖ / ‖Jᵐv‖)^(1/(n − m)),  ‖v‖ = |v / nominal|,  n = RADIUS_PASSES, m = n/2.

    The mean over several passes, because one pass of an undamped vibration has ω² or 1, by the units of its states.
    """
    v = nominal * np.where(np.arange(len(x)) % 2, -1.0, 1.0) * (1.0 + np.arange(len(x)) * 7 % 5)
    size, product, kept = _size(v, nominal), 1.0, RADIUS_PASSES // 2
    for i in range(RADIUS_PASSES):
        v = (rates(x + (RADIUS_SHIFT / size) * v) - f) / RADIUS_SHIFT
        size = _size(v, nominal)
        if not 0.0 < size < np.inf:
            return 0.0
        if i >= RADIUS_PASSES - kept:
            product *= size ** (1.0 / kept)
    return product


def _size(v, nominal) -> float:
    return float(np.sqrt(np.sum((v / nominal) ** 2)))
