"""Integrates a System over time on floats: step control, event location, events. NumPy only.

The same algorithms and bounds as the C runtime (fmu_src/native/runtime/core/integrate.c), so that both flavours of an
FMU take the same steps: they differ by round-off. Proved by tests/solver/test_loop.py and test_flavours.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..bounds import (
    BOUND_EVENTS,
    EVALUATION_LIMIT,
    FIRST_LOOK,
    MANY_STEPS,
    OVERRUN,
    RETRY,
    SAFETY,
    SHORTEST,
    STRAIGHT,
    TRY_LIMIT,
)
from ..system.contract import System
from ..system.evaluate import Refused, settle
from .change_points import ChangePoints, Crossed
from .clock import Clock, time_slack
from .evaluation_cache import INDICATORS, RATES
from .location import Watched
from .methods import DENSE_ROWS, Step, between, end_rates
from .rows_seen import UNTIL
from .step_length import EPSILON, FAILURES, StepControl, StepFailed
from .stiffness import Choice


class Solver(ChangePoints, StepControl):
    """t, x, u, k, d: the current point. method: one of spacefmu.dynamics.solver.methods.METHODS, counted from 1.

    steps, rejections, events, evaluations: statistics; to_points, to_events, to_limits: steps that ended at communication
    points, at events, at the longest length that is allowed.
    on_try: callback after each try of a step, with its pair, its length and whether it is accepted; or None.
    taken: events of the last `advance`: time, d before and after.
    disturbed: a value was changed since the last `advance`, or may have been.
    ahead_from, ahead_to: times of a step that reached beyond the last target, equal: none; ahead_event: it ends at an
    event; x_from, x_to, dense: its ends and the rows of its interpolant. It is valid until something is disturbed.
    missed: the first sample strictly within the last `advance`, with the start and end of that `advance`; empty: there was none.
    lates: events that did not fit into the bounded work of their communication step; late: those of the last `advance`.
    """

    def __init__(self, system: System, method: int = 1, tolerance: float = 1e-8, max_step: float = 0.0):
        ChangePoints.__init__(self, system)
        StepControl.__init__(self, system.signals.states, method, tolerance, max_step)
        self.clock, self.missed = Clock(), ()
        self._watches = system.ng > 0 and not system.slow_indicators
        self.steps, self.rejections, self.events = 0, 0, 0
        self.to_points, self.to_events, self.to_limits = 0, 0, 0
        self.lates, self.late, self._splits, self._work_before = 0, 0, 0, 0
        self.disturbed, self.ahead_from, self.ahead_to, self.ahead_event = True, 0.0, 0.0, False
        self.x_from, self.x_to, self.dense = np.zeros(system.nx), np.zeros(system.nx), np.zeros((DENSE_ROWS, system.nx))
        self._tries, self._start, self._length = 0, 0.0, 0.0
        self.on_try: Callable[[int, float, bool], None] | None = None
        self.taken: list[tuple[float, np.ndarray, np.ndarray]] = []
        self._f_end: np.ndarray | None = None  # rates at the current point, if known

    def place(self, t: float, x, u, k, d) -> None:
        """Put the solver at a point."""
        self.t, self.x, self.u, self.k, self.d = t, x, u, k, d
        self.disturbed = True
        self.clock = Clock()
        self.norm.begin_run(x)
        self.choice = Choice()
        self.gap[:], self.weakness[:] = 0.0, 0.0
        self._forget()

    def settle_start(self) -> None:
        """At a start: if a linkage is at a change point, outputs are those of its branch. Raises `Refused` if its rates are on no branch."""
        if self.loops.owners and not self.method.bounded:
            self._starts_in_gap(self._from)

    def retune(self, k) -> None:
        """Use other constants, or the same ones derived again."""
        self.k = k
        self._forget()

    def advance(self, end: float, stop: float = math.inf) -> None:
        """From the current time to `end` through all events before it; no step passes `stop`."""
        with np.errstate(all="ignore"):  # overflow gives non-finite values, then a shorter step is tried
            try:
                self._advance(end, stop)
            except (Refused, np.linalg.LinAlgError) as error:
                raise StepFailed(f"at time {self.t:.17g}: {error}") from error

    def _advance(self, end, stop):
        slack = time_slack(self.t, end - self.t)
        undisturbed = not self.disturbed
        calm = undisturbed and self.method.pairs[0].dense_work > 0
        farthest = min(self.t + OVERRUN * (end - self.t), stop) if calm else end
        self._tries, self._start, self._length, self._f_end = 0, self.t, end - self.t, None
        self.late, self._splits, self._work_before = 0, 0, self.evaluations
        self.clock.begin(self.t, self._length)
        self.disturbed, self.taken, self.missed = False, [], ()
        next_event = self._next_time(self.t)
        due = next_event <= self.t or self.clock.meets(next_event, self.t, self._length)
        if not calm or due:
            self._forget_ahead()
        if not self._is_ahead() and (due or not undisturbed):
            self._settle(due)
            next_event = self._next_time(self.t)
        while self.t < end:
            if self._is_ahead():
                event = self._follow_ahead(end)
                in_time = event and self.t == next_event
            else:
                t, at_end = self.t, self.clock.meets(next_event, end, self._length)
                before_end = next_event < end and not at_end and self._may_split()
                target = next_event if before_end else end
                event = self._step_towards(
                    target, target if before_end or at_end else max(end, min(next_event, farthest))
                )
                in_time = (before_end and self.t == next_event) or self._is_late(next_event)
                if self._is_ahead():
                    self.ahead_event = self.ahead_event or self.ahead_to == next_event
                    self._count_end(self.ahead_to - t, self.ahead_event, self.ahead_to == farthest, slack)
                else:
                    self._count_end(self.t - t, event or in_time, self.t == end, slack)
            if self.in_gap and self.t >= self.gap[UNTIL]:
                self._leave_gap()
                self._f_end = None
            if in_time and self.clock.meets(next_event, end, self._length):
                continue  # it waits for the inputs of that point
            if in_time:
                self._count_split(self._is_late(next_event))
            if in_time and self.system.samples:
                self.missed = self.missed or (self.t, self._start, end)
            if event or in_time:
                self._settle(False)
                next_event = self._next_time(self.t)
        if self.clock.meets(next_event, end, self._length):
            self.clock.early = max(next_event - end, 0.0)

    # ---- bounded work, as in runtime/core/bounded.c

    def _may_split(self) -> bool:
        """Whether one more event of this communication step may end a step at its time."""
        return not self.method.bounded or self._splits < BOUND_EVENTS

    def _is_late(self, next_event) -> bool:
        return self.method.bounded and next_event < self.t

    def _count_split(self, late: bool) -> None:
        self.late, self.lates, self._splits = self.late + late, self.lates + late, self._splits + (not late)

    def _count_end(self, h, event, point, slack) -> None:
        """Counts the reason that ended a step of length h."""
        limited = self.method.pairs[0].order == 0.0 or (self.max_step > 0.0 and h > self.max_step - slack)
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

    # ---- a step that reaches beyond the target

    def _is_ahead(self) -> bool:
        return self.ahead_to > self.ahead_from

    def _forget_ahead(self) -> None:
        self.ahead_from = self.ahead_to = 0.0

    def _follow_ahead(self, end) -> bool:
        """Follow the step ahead, to its end or to `end` if that is earlier; true when it ended in an event."""
        if self.ahead_to <= end:
            self._f_end = end_rates(self.dense, self.ahead_to - self.ahead_from)
            self.t, self.x = self.ahead_to, self.x_to
            self._forget_ahead()
            return self.ahead_event
        x = between(self.x_from, self.dense, (end - self.ahead_from) / (self.ahead_to - self.ahead_from))
        try:
            self.x = self._projected(end, x)
            self.t = end
        except FAILURES:  # then by a step that ends there
            self._forget_ahead()
        return False

    def stiffness(self) -> str:
        """A message on the last communication step if an implicit method may be faster; else empty."""
        if self._tries <= MANY_STEPS or self.method.name != "explicit":
            return ""
        return f"steps of {(self.t - self._start) / self._tries:.1g} s at time {self.t:g}; solver.method = automatic may help"

    # ---- events in time

    def _next_time(self, t) -> float:
        system = self.system
        return math.inf if system.next_time is None else float(system.next_time(t, self.x, self.u, self.k, self.d))

    def _settle(self, due) -> None:
        """Event iteration at the current time. due: it is the communication point that the next time event belongs to, so the event counts as due now."""
        event = self._next_time(self.t)
        due = due or event <= self.t + time_slack(self.t, self._length)
        instant = max(event, self.t) if due else self.t
        x, d = settle(self.system, instant, self.x, self.u, self.k, self.d, self._motion)
        if self.t == self._start and due:
            self.clock.note(event, self.t, self._length)
        if not (np.array_equal(x, self.x) and np.array_equal(d, self.d)):
            self._settled(x, d)
            self.taken.append((instant, self.d, d))
            if not due or not np.array_equal(x, self.x):
                self._forget_lengths()
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
            self._count_try()
            self.steps += 1
            self.t = target
            return False
        begun = self._begin()
        bound, gap = self._bound(begun[0].f, self._from)
        if gap:
            begun = self._begin()
        target, far = min(target, bound), min(far, bound)
        if self.asked.stiff and self.choice.is_due and not (self.in_gap or self.weakness[2]):
            begun = self._by_less_work(begun, target - self.t, self.asked.stiff)
        if not self.method.pairs[0].dense_work:
            far = min(far, target)
        rest, before = target - self.t, self._here(INDICATORS, self.t, self.x) if self.system.ng else None
        whole, x_new, rows = self._successful(begun, target, far)
        h, x_new, event = self._located(begun, before, whole, x_new, rows, whole > rest)
        self.steps += 1
        self.choice.note_step(h)
        if h > rest:
            self.x_from, self.x_to, self.dense = self.x, x_new, rows if h == whole else begun[0].dense(h, x_new)
            self.ahead_from, self.ahead_event = self.t, event
            self.ahead_to = far if h == far - self.t else self.t + h
            return False
        self.x = x_new
        self.t = target if h == rest else self.t + h
        if event:
            self._forget_lengths()
        return event

    def _begin(self) -> list[Step]:
        """Steps from the current point by a pair of the method."""
        self.norm.note_motion(self.x)
        first, f = not self.step[0] > 0.0, self._f_end
        if f is None:
            f = self._rates(self.t, self.x)
        self._f_end = None
        return [pair.begin(self._rates, self._norm, self.t, self.x, f, first) for pair in self.method.pairs]

    def _from(self, t, x) -> Step:
        """Steps of the method's first pair from any point."""
        return self.method.pairs[0].begin(self._rates, self._norm, t, x, self._rates(t, x))

    def _rates(self, t, x):
        return self._here(RATES, t, x)

    def _out_of_work(self) -> bool:
        """Whether the communication step takes too much work: TRY_LIMIT internal steps or EVALUATION_LIMIT evaluations, or FIRST_LOOK steps if at this pace
        those limits would be exceeded."""
        done = (self.t - self._start) / self._length
        spent = self.evaluations - self._work_before > EVALUATION_LIMIT
        return self._tries > TRY_LIMIT or spent or (self._tries > FIRST_LOOK and done * TRY_LIMIT < self._tries)

    def _count_try(self) -> None:
        self._tries += 1
        if self._out_of_work():
            raise StepFailed(
                f"at time {self.t:.17g} the communication step by {self._length:g} has taken {self._tries - 1} internal steps; "
                "it needs too many more"
            )

    def _to(self, begun, h):
        """A step of length h onto the manifolds: x_new, error."""
        self._count_try()
        self.choice.note_try(self._work(self._order, 1.0, 1.0))
        self._tried.clear()
        if not len(self.x):
            return self.x, 0.0
        x_new, error = begun.to(h)
        if self.method.pairs[0].order == 0.0:  # a fixed step has no error control
            error = 0.0
        if self._order > 0:  # its share of the error of order 8 in its longer step
            error *= max(1.0, self.step[0] / h)
        if not np.isfinite(x_new).all():
            raise StepFailed(f"at time {self.t:.17g} a step is not finite")
        if error <= 1.0:
            x_new = self._kept(self.t + h, x_new)
        return x_new, error

    def _successful(self, begun, target, far):
        """Repeats until a step meets the tolerance: its length, its end, and the rows of its interpolant if it ends beyond the target.

        Such a step is used through its interpolant, which must meet the tolerance as its end does.
        """
        adaptive = self.method.pairs[0].order > 0.0
        smallest = SHORTEST * EPSILON * max(abs(self.t), abs(target))
        rejected, reason = False, None
        while True:
            h = self._length_towards(begun, target, far)
            step, rows, between_ends, reason = begun[self._order], None, 0.0, None
            try:
                x_new, error = self._to(step, h)
                if error <= 1.0 and h > target - self.t:
                    rows = step.dense(h, x_new)
                    between_ends = step.dense_error(rows, x_new)
            except FAILURES as failure:
                error, reason = math.inf, failure
            worst = max(error, between_ends)
            if self.on_try:
                self.on_try(self._order, h, worst <= 1.0)
            if worst <= 1.0:
                self._note_weakness()
                if adaptive:
                    self._lengthen(step, h, error, worst, rejected)
                return h, x_new, rows
            if not adaptive or self._out_of_work():
                raise reason
            self.rejections += 1
            if error <= 1.0:
                self._shorten_within(step, h, error, worst)
                continue
            if isinstance(reason, Crossed) and error == math.inf:
                # a change point limits this step, which gives no prediction for later lengths
                far = self.t + RETRY * h
                target = min(target, far)
                if RETRY * h <= smallest:
                    raise reason
                continue
            rejected = True
            h *= min(self._change(step, error), SAFETY) if math.isfinite(error) else RETRY
            self.step[self._order] = h
            if h <= smallest:
                raise reason or StepFailed(
                    f"at time {self.t:.17g} the step size fell below its minimum at tolerance {self.tolerance:.3g}"
                )

    # ---- events in state

    def _located(self, begun, before, h, x_new, rows, ahead):
        """Length, end and whether an event ended it: right after the first change of (g > 0) in the step to x_new.

        before: g at its beginning, None without indicators; ahead: the step reaches beyond its target, and needs its pair's dense output.
        """
        if before is None:
            return h, x_new, False
        own, keeps = self._order, ahead

        def between_ends(share):
            nonlocal rows
            if share == 1.0:
                return self._here(INDICATORS, self.t + h, x_new)
            if rows is None:
                rows = begun[own].dense(h, x_new) if len(self.x) else self.dense
            return self._here(INDICATORS, self.t + share * h, between(self.x, rows, share))

        met = None  # the last true step: its length, end and rates there

        def after(length):
            nonlocal met
            if met and not ahead and self._is_straight(begun[own].f, met, length):
                x = self._projected(self.t + length, met[1] + (length - met[0]) * met[2])
            else:
                x = stepped(length)
                met = length, x, self._rates(self.t + length, x)
            return x, self._here(INDICATORS, self.t + length, x)

        def stepped(length):
            """A step by the cheapest pair whose predicted step size is long enough, else by the current step's own pair."""
            nonlocal keeps
            self._order = own if keeps else self._cheapest(length)
            x, error = self._to(begun[self._order], length)
            if error > 1.0 and self._order != own:
                self._order, keeps = own, True
                x, _ = self._to(begun[own], length)
            self._order = own
            return x

        watched = Watched(before, h, between_ends, after, self.t + h, self.tolerance)
        if self.method.bounded:
            if not watched.changes_at_end():
                return h, x_new, False
            late = not self._may_split()
            self._count_split(late)
            return (h, x_new, True) if late else (*watched.bounded_event(), True)
        found = watched.first_event(self.system.slow_indicators)
        return (*found, True) if found else (h, x_new, False)

    def _is_straight(self, f, met, length) -> bool:
        """Whether the motion from the end of a true step to another length is its tangent, to a share of the tolerance. f: the rates at the start."""
        known, x, f_there = met
        shift = length - known
        return self._norm(0.5 * shift * shift / known * (f_there - f), x) <= STRAIGHT
