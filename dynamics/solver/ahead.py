"""A step that reached beyond the last communication point: later points are read from its interpolant. NumPy only."""

from __future__ import annotations

import numpy as np

from .methods import DENSE_ROWS, between, end_rates


class StepAhead:
    """begins, ends: its times, equal: there is none;  event: it ends at an event;  x_from, x_to (nx,): its ends;  dense: rows of its interpolant.

    It is valid until something is disturbed. All of it is part of the FMU's state.
    """

    def __init__(self, nx: int):
        self.begins, self.ends, self.event = 0.0, 0.0, False
        self.x_from, self.x_to, self.dense = np.zeros(nx), np.zeros(nx), np.zeros((DENSE_ROWS, nx))

    def __bool__(self) -> bool:
        return bool(self.ends > self.begins)

    def forget(self) -> None:
        self.begins = self.ends = 0.0

    def keep(self, t: float, ends: float, event: bool, x_from, x_to, dense) -> None:
        self.begins, self.ends, self.event = t, ends, event
        self.x_from, self.x_to, self.dense = x_from, x_to, dense

    def at(self, t: float):
        """The state at a time within it, by its interpolant."""
        return between(self.x_from, self.dense, (t - self.begins) / (self.ends - self.begins))

    def end_rates(self):
        return end_rates(self.dense, self.ends - self.begins)
