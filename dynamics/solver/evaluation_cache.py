"""Evaluations of a System on floats, cached at the last few points: the start and the end of a step are needed several times."""

from __future__ import annotations

import numpy as np

from ..system.contract import System
from ..system.evaluate import solved_motion
from .step_length import StepFailed

KEPT = 4  # points
RATES, OUTPUTS, INDICATORS = range(3)


class EvaluationCache:
    """u, k, d: the current inputs, constants and discrete states, from the class that extends this one. evaluations: points that were not cached."""

    u: np.ndarray
    k: np.ndarray
    d: np.ndarray

    def __init__(self, system: System):
        self.system, self.evaluations = system, 0
        self._known: dict = {}

    def _forget(self) -> None:
        self._known.clear()

    def evaluate(self, t: float, x):
        """ẋ, y, g at a point with the current inputs and discrete states; the last few points are cached."""
        return self._motion(self.system, t, x, self.u, self.k, self.d)

    def _motion(self, system, *point):
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
                    why = self.system.without_rates if index == RATES else ""
                    raise StepFailed(f"at time {t:.17g} {self._value_name(index, bad[0])} is not finite{why}")
            values |= {index: np.asarray(part, float) for index, part in found.items()}
        return values[which]

    def _solve(self, point):
        return solved_motion(self.system, *point)

    def _value_name(self, which: int, index: int) -> str:
        if which == INDICATORS:
            return f"event indicator {index + 1}"
        signals = self.system.signals
        return (
            f"the derivative of {signals.states[index].name}"
            if which == RATES
            else f"the output {signals.outputs[index].name}"
        )

    def _here(self, which: int, t, x):
        return self._value(which, (t, x, self.u, self.k, self.d))
