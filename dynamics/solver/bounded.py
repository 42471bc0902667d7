"""Events of methods with bounded work: a communication step may split few of its internal steps; further events are late.

The same as the C runtime's (fmu_src/native/runtime/core/bounded.c). Proved by tests/solver/test_real_time.py.
"""

from __future__ import annotations

from ..bounds import BOUND_EVENTS


class SplitCount:
    """lates: events that did not fit into their communication step;  late: those of the current one."""

    def __init__(self) -> None:
        self.lates, self.late, self._splits = 0, 0, 0

    def begin(self) -> None:
        """A communication step begins."""
        self.late, self._splits = 0, 0

    @property
    def room(self) -> bool:
        """Whether one more event of this communication step may end a step at its time."""
        return self._splits < BOUND_EVENTS

    def add(self, late: bool) -> None:
        self.late, self.lates, self._splits = self.late + late, self.lates + late, self._splits + (not late)
