"""Integrates a System over time on floats: step control, event location, events. NumPy only.

The same algorithms and bounds as the C runtime (fmu_src/native/runtime/core/integrate.c), so that both flavours of an
FMU take the same steps: they differ by round-off. Proved by tests/solver/test_loop.py, test_steps.py and tests/python_fmu/test_flavours.py.
"""

from __future__ import annotations

import math

import numpy as np

from ..bounds import MANY_STEPS, OVERRUN
from ..system.contract import System
from ..system.evaluate import Refused, settle
from .ahead import StepAhead
from .attempts import Attempts
from .bounded import SplitCount
from .change_points import ChangePoints
from .clock import Clock, time_slack
from .crossings import Crossings
from .point import CurrentPoint
from .rows_seen import UNTIL
from .step_length import FAILURES, StepControl, StepFailed


def _of(part: str, name: str) -> property:
    """An attribute of a part as one of the solver."""
    return property(
        lambda solver: getattr(getattr(solver, part), name),
        lambda solver, value: setattr(getattr(solver, part), name, value),
    )


class Solver:
    """now: the current point, t, x, u, k, d. method: one of spacefmu.dynamics.solver.methods.METHODS, counted from 1.

    Parts: changes (change points of linkages, and the cache of evaluations), control (step lengths), attempts (tries of a step),
    crossings (events in state), ahead (a step beyond the last target), splits (bounded work), clock (events at communication points).
    steps, rejections, events, evaluations: statistics; to_points, to_events, to_limits: steps that ended at communication
    points, at events, at the longest length that is allowed.
    taken: events of the last `advance`: time, d before and after.
    disturbed: a value was changed since the last `advance`, or may have been.
    missed: the first sample strictly within the last `advance`, with the start and end of that `advance`; empty: there was none.
    """

    t, x, u, k, d = (_of("now", name) for name in ("t", "x", "u", "k", "d"))
    rejections, on_try = _of("attempts", "rejections"), _of("attempts", "on_try")
    late, lates = _of("splits", "late"), _of("splits", "lates")

    def __init__(self, system: System, method: int = 1, tolerance: float = 1e-8, max_step: float = 0.0):
        self.system = system
        self.now = now = CurrentPoint(0.0, *(np.zeros(n) for n in (system.nx, system.nu, 0, system.nd)))
        self.changes = ChangePoints(system, now)
        watches = system.ng > 0 and not system.slow_indicators
        self.control = StepControl(now, system.signals.states, lambda t, x: self.attempts.rates(t, x), watches)
        self.attempts, self.splits = Attempts(now, self.changes, self.control), SplitCount()
        self.crossings = Crossings(system, now, self.changes, self.control, self.attempts, self.splits)
        self.ahead, self.clock, self.missed = StepAhead(system.nx), Clock(), ()
        self.steps, self.events = 0, 0
        self.to_points, self.to_events, self.to_limits = 0, 0, 0
        self.disturbed = True
        self.taken: list[tuple[float, np.ndarray, np.ndarray]] = []
        self._f_end: np.ndarray | None = None  # rates at the current point, if known
        self.configure(method, tolerance, max_step)

    @property
    def evaluations(self) -> int:
        return self.changes.cache.evaluations

    def configure(self, method: int, tolerance: float, max_step: float) -> None:
        self.control.configure(method, tolerance, max_step)

    def evaluate(self, t: float, x):
        """ẋ, y, g at a time and state with the current inputs and discrete states; the last few points are cached."""
        return self.changes.cache.motion(self.system, *self.now.at(t, x))

    def place(self, t: float, x, u, k, d) -> None:
        """Put the solver at a point."""
        self.t, self.x, self.u, self.k, self.d = t, x, u, k, d
        self.disturbed = True
        self.clock = Clock()
        self.control.begin_run(x)
        self.changes.begin_run()

    def settle_start(self) -> None:
        """At a start: if a linkage is at a change point, outputs are those of its branch. Raises `Refused` if its rates are on no branch."""
        if self.changes.loops.owners and not self.control.method.bounded:
            self.changes.starts_in_gap(self.attempts.begin_at)

    def retune(self, k) -> None:
        """Use other constants, or the same ones derived again."""
        self.k = k
        self.changes.cache.forget()

    def advance(self, end: float, stop: float = math.inf) -> None:
        """From the current time to `end` through all events before it; no step passes `stop`."""
        with np.errstate(all="ignore"):  # overflow gives non-finite values, then a shorter step is tried
            try:
                self._advance(end, stop)
            except (Refused, np.linalg.LinAlgError) as error:
                raise StepFailed(f"at time {self.t:.17g} {error}") from error

    def _advance(self, end, stop):
        slack = time_slack(self.t, end - self.t)
        undisturbed = not self.disturbed
        calm = undisturbed and self.control.method.pairs[0].dense_work > 0
        farthest = min(self.t + OVERRUN * (end - self.t), stop) if calm else end
        self.control.span = span = end - self.t
        self._f_end = None
        self.attempts.begin_span()
        self.splits.begin()
        self.clock.begin(self.t, span)
        self.disturbed, self.taken, self.missed = False, [], ()
        next_event = self._next_time(self.t)
        due = next_event <= self.t or self.clock.meets(next_event, self.t, span)
        if not calm or due:
            self.ahead.forget()
        if not self.ahead and (due or not undisturbed):
            self._settle(due)
            next_event = self._next_time(self.t)
        while self.t < end:
            if self.ahead:
                event = self._follow_ahead(end)
                in_time = event and self.t == next_event
            else:
                t, at_end = self.t, self.clock.meets(next_event, end, span)
                before_end = next_event < end and not at_end and self._may_split()
                target = next_event if before_end else end
                event = self._step_towards(
                    target, target if before_end or at_end else max(end, min(next_event, farthest))
                )
                in_time = (before_end and self.t == next_event) or self._is_late(next_event)
                if self.ahead:
                    self.ahead.event = self.ahead.event or self.ahead.ends == next_event
                    self._count_end(self.ahead.ends - t, self.ahead.event, self.ahead.ends == farthest, slack)
                else:
                    self._count_end(self.t - t, event or in_time, self.t == end, slack)
            if self.changes.in_gap and self.t >= self.changes.gap[UNTIL]:
                self.changes.leave_gap()
                self._f_end = None
            if in_time and self.clock.meets(next_event, end, span):
                continue  # it waits for the inputs of that point
            if in_time:
                self.splits.add(self._is_late(next_event))
            if in_time and self.system.samples:
                self.missed = self.missed or (self.t, self.attempts.start, end)
            if event or in_time:
                self._settle(False)
                next_event = self._next_time(self.t)
        if self.clock.meets(next_event, end, span):
            self.clock.early = max(next_event - end, 0.0)

    def _may_split(self) -> bool:
        """Whether one more event of this communication step may end a step at its time."""
        return not self.control.method.bounded or self.splits.room

    def _is_late(self, next_event) -> bool:
        return self.control.method.bounded and next_event < self.t

    def _count_end(self, h, event, point, slack) -> None:
        """Counts the reason that ended a step of length h."""
        control = self.control
        limited = control.method.pairs[0].order == 0.0 or (control.max_step > 0.0 and h > control.max_step - slack)
        if event:
            self.to_events += 1
        elif point:
            self.to_points += 1
        elif limited:
            self.to_limits += 1

    @property
    def by_tolerance(self) -> int:
        """Number of steps whose length was limited by the tolerance or by the method's stability."""
        return self.steps - self.to_points - self.to_events - self.to_limits

    def _follow_ahead(self, end) -> bool:
        """Follow the step ahead, to its end or to `end` if that is earlier; true when it ended in an event."""
        ahead = self.ahead
        if ahead.ends <= end:
            self._f_end = ahead.end_rates()
            self.t, self.x = ahead.ends, ahead.x_to
            ahead.forget()
            return ahead.event
        try:
            self.x = self.changes.projected(end, ahead.at(end))
            self.t = end
        except FAILURES:  # then by a step that ends there
            ahead.forget()
        return False

    def stiffness(self) -> str:
        """A message on the last communication step if an implicit method may be faster; else empty."""
        tries, start = self.attempts.tries, self.attempts.start
        if tries <= MANY_STEPS or self.control.method.name != "explicit":
            return ""
        return f"internal steps of {(self.t - start) / tries:.1g} s at time {self.t:g}: the model may be stiff; try solver.method = automatic"

    # ---- events in time

    def _next_time(self, t) -> float:
        system = self.system
        return math.inf if system.next_time is None else float(system.next_time(t, self.x, self.u, self.k, self.d))

    def _settle(self, due) -> None:
        """Event iteration at the current time. due: it is the communication point that the next time event belongs to, so the event counts as due now."""
        event = self._next_time(self.t)
        due = due or event <= self.t + time_slack(self.t, self.control.span)
        instant = max(event, self.t) if due else self.t
        x, d = settle(self.system, instant, self.x, self.u, self.k, self.d, self.changes.cache.motion)
        if self.t == self.attempts.start and due:
            self.clock.note(event, self.t, self.control.span)
        if not (np.array_equal(x, self.x) and np.array_equal(d, self.d)):
            self.changes.settled(x, d)
            self.taken.append((instant, self.d, d))
            if not due or not np.array_equal(x, self.x):
                self.control.forget_lengths()
            self.x, self.d = x, d
            self.events += 1
            self._f_end = None
        event = self._next_time(instant)
        if not event > instant:
            raise StepFailed(f"at time {instant:.17g} the next time event is at {event:.17g}, expected a later time")

    # ---- steps

    def _step_towards(self, target, far) -> bool:
        """One step; true when an event ended it. One that ends beyond the target, `far` at most, is kept as the step ahead."""
        if not self.system.nx and not self.system.ng:  # no states and no indicators
            self.attempts.count()
            self.steps += 1
            self.t = target
            return False
        begun = self._begin()
        bounded = self.control.method.bounded
        bound, gap = self.changes.bound(begun[0].f, self.attempts.begin_at, bounded)
        if gap:
            begun = self._begin()
        control, target, far = self.control, min(target, bound), min(far, bound)
        if control.is_due and not (self.changes.in_gap or self.changes.first_pair_alone):
            begun = control.by_less_work(begun, target - self.t)
        if not control.method.pairs[0].dense_work:
            far = min(far, target)
        control.orders = 1 if self.changes.first_pair_alone else len(begun)
        rest, before = target - self.t, self.crossings.before()
        whole, x_new, rows = self.attempts.successful(begun, target, far)
        h, x_new, event = self.crossings.first(begun, before, whole, x_new, rows, whole > rest)
        self.steps += 1
        control.choice.note_step(h)
        if h > rest:
            rows = rows if h == whole else begun[0].dense(h, x_new)
            self.ahead.keep(self.t, far if h == far - self.t else self.t + h, event, self.x, x_new, rows)
            return False
        self.x = x_new
        self.t = target if h == rest else self.t + h
        if event:
            control.forget_lengths()
        return event

    def _begin(self):
        f, self._f_end = self._f_end, None
        return self.attempts.begin(f)
