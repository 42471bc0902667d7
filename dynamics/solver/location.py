"""Locates the first change of sign of an indicator within a step: on the interpolant first, then by a few true steps. NumPy only.

The same as the C runtime's (fmu_src/native/runtime/core/locate.c). Proved by tests/constraints/test_stops.py and
tests/solver/test_loop.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..bounds import BOUND_TRIES, CLEAR, COARSE, LATE, PATIENCE

LOOKS = (0.25, 0.5, 0.75, 1.0)  # shares of a step at which changes of sign are looked for; the last is its end
EPSILON, TINY = np.finfo(float).eps, np.finfo(float).tiny


@dataclass(frozen=True)
class Watched:
    """The indicators along the current step. Lengths are from its beginning.

    before: g (ng,) at its beginning;  length: of the whole step;
    between: share of the step → g on its interpolant, or at its end;
    after: length → (x, g) of a true step of that length, which is what the simulation continues from;
    end: time at its end;  tolerance: relative.
    """

    before: np.ndarray
    length: float
    between: Callable[[float], np.ndarray]
    after: Callable[[float], tuple[np.ndarray, np.ndarray]]
    end: float
    tolerance: float

    def first_event(self, slow: bool) -> tuple[float, np.ndarray] | None:
        """Length and end of the true step that ends just after the first event, if there is one. slow: only the whole step's end is checked."""
        last = self._margins(self.between(1.0))
        if slow and last.min() > 0.0:
            return None
        start, middle = self._margins(self.before), self._margins(self.between(0.5))
        if _excluded(start, middle, last):
            return None
        low, at_low = 0.0, start.min()
        for high in LOOKS:
            at_high = {0.5: middle, 1.0: last}.get(high)
            at_high = self._margin_between(high) if at_high is None else at_high.min()
            if at_high <= 0.0:
                found = self._located(Bracket(low, at_low, high, at_high))
                if found:
                    return found
            else:
                low, at_low = high, at_high
        return None

    def changes_at_end(self) -> bool:
        """Whether an indicator has changed sign at the end of the whole step; steps of bounded work check only this."""
        return bool(self._margins(self.between(1.0)).min() <= 0.0)

    def bounded_event(self) -> tuple[float, np.ndarray]:
        """Length and end of a true step that ends after the event found by `changes_at_end`; takes at most BOUND_TRIES + 1 true steps."""
        start, value, resolution = (
            float(self._margins(self.before).min()),
            self._margin_between(1.0),
            EPSILON * abs(self.end),
        )
        b = Bracket(0.0, start, self.length, value)
        for _ in range(BOUND_TRIES):
            if b.high - b.low <= 2.0 * resolution:
                break
            far = (2.0 if value > 0.0 else 1.0) * (b.root - b.low)  # after a try before it, twice as far is past it
            trial = min(max(b.low + far, b.low + resolution), b.high - resolution)
            _, value = self._after(trial)
            b = replace(b, low=trial, at_low=value) if value > 0.0 else replace(b, high=trial, at_high=value)
        return b.high, self._after(b.high)[0]

    def _margins(self, g):
        """side·g: positive as long as an indicator has not changed sign. Zero counts as negative."""
        side = np.where(self.before > 0.0, 1.0, -1.0)
        values = side * g
        return np.where((values == 0.0) & (side < 0.0), TINY, values)

    def _margin_between(self, share) -> float:
        return float(self._margins(self.between(share)).min())

    def _after(self, length):
        x, g = self.after(length)
        return x, float(self._margins(g).min())

    def _located(self, bracket):
        """Length and end of the true step just after the event in a bracket of shares; None: the indicator only touches zero, within the interpolant's error.

        True steps start from the interpolant's root and slope; where these fail, a search by true steps only follows.
        """
        resolution, enough = EPSILON * abs(self.end), LATE * self.tolerance * self.length
        close = bracket.narrowed(self._margin_between, COARSE)
        slope, length = close.slope / self.length, close.root * self.length + resolution
        high, low = bracket.high * self.length, (0.0, float(self._margins(self.before).min()))
        before, near = None, 0
        for _ in range(2 * PATIENCE):
            x, value = self._after(length)
            if (
                before and not near and (value - before[1]) * (length - before[0]) < 0.0
            ):  # the margin decreases, as it does before an event
                slope = (value - before[1]) / (length - before[0])
            late = value / slope
            if value > 0.0 and length < high:
                low = length, value
            if value <= 0.0 and (near or late <= 2.0 * resolution):
                return length, x
            before = length, value
            # near the event one more secant step leaves only round-off of the indicator or of time: twice as far is past it, or `enough`
            length += enough if near > 1 else 2.0 * (resolution - late) if near else resolution - late
            near += near > 0 or abs(late) <= enough
            if not 0.0 < length <= self.length:
                break
        _, value = self._after(high)
        if value > 0.0:
            return None
        # from where true steps were before it: right at the start margins may be round-off, of the last event
        length = Bracket(*low, high, value).narrowed(lambda length: self._after(length)[1], resolution).high
        return length, self._after(length)[0]


def _excluded(start, middle, end) -> bool:
    """Whether no indicator can have changed sign twice: each stays farther from zero than it moves and bends."""
    seen = np.array([start, middle, end])
    moved = np.ptp(seen, axis=0) + np.abs(start - 2.0 * middle + end)
    return bool(np.all(seen.min(axis=0) > CLEAR * moved))


@dataclass(frozen=True)
class Bracket:
    """The margin is positive at `low` and not at `high`."""

    low: float
    at_low: Any
    high: float
    at_high: Any

    @property
    def slope(self) -> float:
        return (self.at_high - self.at_low) / (self.high - self.low)

    @property
    def root(self) -> float:
        """The root of the secant."""
        return self.high - self.at_high / self.slope

    def narrowed(self, margin: Callable[[float], float], resolution: float) -> Bracket:
        """Secants that keep the bracket, the value at an end that stays halved so that the other moves too (Illinois), a
        bisection after PATIENCE steps that did not halve it, down to the resolution."""
        low, at_low, high, at_high = self.low, self.at_low, self.high, self.at_high
        weigh_low, weigh_high, last, slow = 1.0, 1.0, 0, 0
        while high - low > 2.0 * resolution:
            width, a, b = high - low, weigh_low * at_low, weigh_high * at_high
            trial = high - b * width / (b - a) if slow < PATIENCE else low + 0.5 * width
            trial = min(max(trial, low + resolution), high - resolution)
            value = margin(trial)
            if value > 0.0:
                low, at_low, weigh_low, weigh_high = trial, value, 1.0, 0.5 * weigh_high if last > 0 else weigh_high
            else:
                high, at_high, weigh_high, weigh_low = trial, value, 1.0, 0.5 * weigh_low if last < 0 else weigh_low
            last = 1 if value > 0.0 else -1
            slow = 0 if high - low <= 0.5 * width else slow + 1
        return Bracket(low, at_low, high, at_high)
