"""Events in state within a step: the indicators on its interpolant and after true steps, as `location` asks for them. NumPy only."""

from __future__ import annotations

from ..bounds import STRAIGHT
from ..system.contract import System
from .attempts import Attempts
from .bounded import SplitCount
from .change_points import ChangePoints
from .evaluation_cache import INDICATORS
from .location import Watched
from .methods import Step, between
from .point import CurrentPoint
from .step_length import StepControl


class Crossings:
    """Where an indicator first changes sign within a step. The parts are those of the solver."""

    def __init__(
        self,
        system: System,
        now: CurrentPoint,
        changes: ChangePoints,
        control: StepControl,
        attempts: Attempts,
        splits: SplitCount,
    ):
        self._now, self._changes, self._control, self._attempts, self._splits = now, changes, control, attempts, splits
        self._slow, self._any = system.slow_indicators, system.ng > 0

    def before(self):
        """The indicators at the beginning of a step; None without any."""
        return self._indicators(self._now.t, self._now.x) if self._any else None

    def _indicators(self, t: float, x):
        return self._changes.cache.here(INDICATORS, t, x)

    def first(self, begun: list[Step], before, h: float, x_new, rows, ahead: bool):
        """Length, end and whether an event ended it: right after the first change of (g > 0) in the step to x_new.

        before: g at its beginning;  rows: of its interpolant, None: not known;
        ahead: the step reaches beyond its target, and needs its pair's dense output.
        """
        if before is None:
            return h, x_new, False
        now, control = self._now, self._control
        own, keeps = control.order, ahead

        def between_ends(share):
            nonlocal rows
            if share == 1.0 or not len(now.x):
                return self._indicators(now.t + share * h, x_new)
            if rows is None:
                rows = begun[own].dense(h, x_new)
            return self._indicators(now.t + share * h, between(now.x, rows, share))

        met = None  # the last true step: its length, end and rates there

        def after(length):
            nonlocal met
            if met and not ahead and self._is_straight(begun[own].f, met, length):
                x = self._changes.projected(now.t + length, met[1] + (length - met[0]) * met[2])
            else:
                x = stepped(length)
                met = length, x, self._attempts.rates(now.t + length, x)
            return x, self._indicators(now.t + length, x)

        def stepped(length):
            """A step by the cheapest pair whose predicted step size is long enough, else by the current step's own pair."""
            nonlocal keeps
            control.order = own if keeps else control.cheapest(length)
            x, error = self._attempts.to(begun[control.order], length)
            if error > 1.0 and control.order != own:
                control.order, keeps = own, True
                x, _ = self._attempts.to(begun[own], length)
            control.order = own
            return x

        watched = Watched(before, h, between_ends, after, now.t + h, control.tolerance)
        if control.method.bounded:
            if not watched.changes_at_end():
                return h, x_new, False
            late = not self._splits.room
            self._splits.add(late)
            return (h, x_new, True) if late else (*watched.bounded_event(), True)
        found = watched.first_event(self._slow)
        return (*found, True) if found else (h, x_new, False)

    def _is_straight(self, f, met, length: float) -> bool:
        """Whether the motion from the end of a true step to another length is its tangent, to a share of the tolerance. f: the rates at the start."""
        known, x, f_there = met
        shift = length - known
        return self._control.error_size(0.5 * shift * shift / known * (f_there - f), x) <= STRAIGHT
