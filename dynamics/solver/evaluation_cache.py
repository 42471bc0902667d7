"""Evaluations of a System on floats, cached at the last few points: the start and the end of a step are needed several times."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..system.contract import CHECK_VALUES, System
from .point import CurrentPoint
from .step_length import StepFailed

KEPT = 4  # points
RATES, OUTPUTS, INDICATORS = range(3)


class EvaluationCache:
    """solve(point) → the solved motion there;  evaluations: points that were not cached."""

    def __init__(self, system: System, now: CurrentPoint, solve: Callable[[tuple], tuple]):
        self.system, self.evaluations = system, 0
        self._now, self._solve = now, solve
        self._known: dict = {}

    def forget(self) -> None:
        self._known.clear()

    def here(self, which: int, t: float, x):
        """One of ẋ, y, g at a time and state, with the current inputs and discrete states."""
        return self._value(which, self._now.at(t, x))

    def motion(self, system, *point):
        """ẋ, y, g at a point (t, x, u, k, d)."""
        return tuple(self._value(which, point) for which in (RATES, OUTPUTS, INDICATORS))

    def _value(self, which: int, point):
        """One of ẋ, y, g at a point (t, x, u, k, d)."""
        t, x, u, _, d = point
        key = (t, x.tobytes(), u.tobytes(), d.tobytes())
        if key not in self._known:
            self.evaluations += 1
            solved = self._solve(point)
            if len(self._known) == KEPT:
                del self._known[next(iter(self._known))]
            self._known[key] = solved, {}
        solved, values = self._known[key]
        if which not in values:
            motion = self.system.motion
            found = {which: motion.parts[which](*solved)} if motion.parts else dict(enumerate(motion.finish(*solved)))
            for index, part in found.items():
                bad = np.flatnonzero(~np.isfinite(part))
                if len(bad):
                    why = (self.system.without_rates if index == RATES else "") or CHECK_VALUES
                    raise StepFailed(f"at time {t:.17g} {self._value_name(index, bad[0])} is not finite{why}")
            values |= {index: np.asarray(part, float) for index, part in found.items()}
        return values[which]

    def _value_name(self, which: int, index: int) -> str:
        if which == INDICATORS:
            return f"event indicator {index + 1}"
        signals = self.system.signals
        return (
            f"the derivative of {signals.states[index].name}"
            if which == RATES
            else f"the output {signals.outputs[index].name}"
        )
