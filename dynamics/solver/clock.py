"""The communication point that a time event belongs to: the nearest one, if the host's points are meant to coincide with it. Without NumPy.

A host that computes its time by t += h drifts from the grid of its own steps by round-off of the additions: n²ε/2 steps after n of them, a hundred
after 10⁹. A sample that was meant for a communication point then lies slightly off it. The offset is known from the last one that coincided, up to the
round-off of the steps since. Time events that are farther off, such as the end of a thruster's pulse, are handled at their own time. The same as the C
runtime's (fmu_src/native/runtime/core/clock.c). Proved by tests/solver/test_host_clocks.py.
"""

from __future__ import annotations

import math

from ..bounds import CLOCK_ULPS, SAME_SHARE, SAME_ULPS

EPSILON = 2.0**-52


def time_slack(t: float, h: float) -> float:
    """Times closer than this are the same within a communication step of length h."""
    return SAME_SHARE * h + SAME_ULPS * EPSILON * abs(t)


class Clock:
    """offset: from the last time event that met a communication point to that point [s];
    doubt: by how much the offset may have changed since, by round-off; below 0: no step was taken yet;
    early: from the present communication point to the time event that belongs to it, 0: none does, or it is not ahead.
    """

    def __init__(self) -> None:
        self.offset, self.doubt, self.early = 0.0, -1.0, 0.0

    def begin(self, t: float, h: float) -> None:
        """A communication step of length h begins. A host that starts at a later time may have computed it by adding such steps."""
        counted = abs(t) / h if self.doubt < 0.0 else CLOCK_ULPS
        self.doubt, self.early = max(self.doubt, 0.0) + counted * EPSILON * abs(t), 0.0

    def meets(self, event: float, point: float, h: float) -> bool:
        """Does a time event belong to a communication point, steps around which have length h?"""
        apart = abs(point - event)
        return apart <= time_slack(point, h) or (apart <= 0.5 * h and self._fits(event, point, h))

    def note(self, event: float, point: float, h: float) -> None:
        """Record that a time event coincided with a communication point."""
        if self._fits(event, point, h):
            self.offset, self.doubt = point - event, 0.0

    def _fits(self, event, point, h) -> bool:
        """Whether the offset equals the last one, modulo whole steps: half a step before one point is half a step after the previous one."""
        changed = math.remainder(point - event - self.offset, h)
        return abs(changed) <= time_slack(point, h) + self.doubt
