"""A System's way through time on floats: step control, event location, events. NumPy alone.

The same algorithms and bounds as the C runtime (fmu_src/native/runtime/integrate.c), so that both flavours of an
FMU take the same steps: they differ by round-off. Proved by tests/python_fmu/test_solver.py and test_flavours.py.
"""

from __future__ import annotations

import math

import numpy as np

from .bounds import (
    BLIND_LENGTH,
    FIRST_GROWTH,
    FIRST_LOOK,
    FIRST_SHARE,
    GROW,
    MANY_STEPS,
    NO_CURVATURE,
    PATIENCE,
    RETRY,
    SAFETY,
    SAME_SHARE,
    SAME_ULPS,
    SHORTEST,
    SHRINK,
    SLIVER,
    SMALL_NORM,
    TRY_LIMIT,
)
from .evaluate import Refused, project, settle, solved_motion
from .methods import METHODS
from .system import System

LOOKS = (0.25, 0.5, 0.75, 1.0)  # shares of a step at which changes of sign are looked for; the last is its end
EPSILON, TINY = np.finfo(float).eps, np.finfo(float).tiny
REMEMBERED = 4  # points whose evaluation is kept: the start and the end of a step are asked for several times


class StepFailed(ArithmeticError):
    """No way on from here; the message says why. The solver stands at the last good point."""


RATES, OUTPUTS, INDICATORS = range(3)
_FAILURES = (StepFailed, Refused, np.linalg.LinAlgError)


class Solver:
    """t, x, u, k, d: the present point. method: one of dynamics.methods.METHODS, counted from 1.

    step: length the step control would try next, 0: to be estimated. max_step: 0 = no limit.
    steps, rejections, events, evaluations: statistics; to_points, to_events, to_limits: steps that ended at communication
    points, at events, at the longest length that is allowed.
    """

    def __init__(self, system: System, method: int = 1, tolerance: float = 1e-8, max_step: float = 0.0):
        self.system = system
        self.configure(method, tolerance, max_step)
        self.step, self.steps, self.rejections, self.events, self.evaluations = 0.0, 0, 0, 0, 0
        self.to_points, self.to_events, self.to_limits = 0, 0, 0
        states = system.signals.states
        self._nominal = np.array([state.nominal or 1.0 for state in states])
        self._judged = np.array([not state.quadrature for state in states], bool)
        self._known: dict = {}
        self._tries, self._start, self._length = 0, 0.0, 0.0

    def configure(self, method: int, tolerance: float, max_step: float) -> None:
        self.method, self.tolerance, self.max_step = METHODS[method - 1], tolerance, max_step

    def place(self, t: float, x, u, k, d) -> None:
        """Put the solver at a point."""
        self.t, self.x, self.u, self.k, self.d = t, x, u, k, d
        self._known.clear()

    def evaluate(self, t: float, x):
        """ẋ, y, g at a point with the present inputs and discrete states; the last few points are remembered."""
        return self._motion(self.system, t, x, self.u, self.k, self.d)

    def _motion(self, system, *point):
        return tuple(self._value(which, point) for which in (RATES, OUTPUTS, INDICATORS))

    def _value(self, which: int, point):
        """One of ẋ, y, g at a point (t, x, u, k, d)."""
        t, x, u, _, d = point
        key = (t, x.tobytes(), u.tobytes(), d.tobytes())
        if key not in self._known:
            self.evaluations += 1
            solved = solved_motion(self.system, *point)
            if len(self._known) == REMEMBERED:
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

    def advance(self, end: float) -> None:
        """From the present to `end` through all events before it."""
        with np.errstate(all="ignore"):  # what overflows is seen as not finite, and tried again with a shorter step
            try:
                self._advance(end)
            except (Refused, np.linalg.LinAlgError) as error:
                raise StepFailed(f"at time {self.t:.17g}: {error}") from error

    def _advance(self, end):
        slack = time_slack(self.t, end - self.t)
        self._tries, self._start, self._length = 0, self.t, end - self.t
        self._settle(slack)
        while self.t < end:
            t, next_event = self.t, self._next_time(self.t)
            before_end = next_event < end - slack
            event = self._step_towards(next_event if before_end else end) or (before_end and self.t == next_event)
            self._count_end(self.t - t, event, self.t == end, slack)
            if event:
                self._settle(slack)

    def _count_end(self, h, event, point, slack) -> None:
        """Counts what ended a step of length h."""
        limited = self.method.order == 0.0 or (self.max_step > 0.0 and h > self.max_step - slack)
        if event:
            self.to_events += 1
        elif point:
            self.to_points += 1
        elif limited:
            self.to_limits += 1

    @property
    def by_tolerance(self) -> int:
        """Steps that ended where the tolerance, or the method's stability, ended them."""
        return self.steps - self.to_points - self.to_events - self.to_limits

    def stiffness(self) -> str:
        """What to say of the last communication step, if an implicit method may do better; else nothing."""
        if self._tries <= MANY_STEPS or self.method.name != "dop853":
            return ""
        return f"steps of {(self.t - self._start) / self._tries:.1g} s at time {self.t:g}; solver.method = rodas5p may help"

    # ---- events in time

    def _next_time(self, t) -> float:
        system = self.system
        return math.inf if system.next_time is None else float(system.next_time(t, self.x, self.u, self.k, self.d))

    def _settle(self, slack) -> None:
        """Event iteration at the present. A time event that is due within the slack counts as due now."""
        due = self._next_time(self.t)
        instant = max(due, self.t) if due <= self.t + slack else self.t
        x, d = settle(self.system, instant, self.x, self.u, self.k, self.d, self._motion)
        if not (np.array_equal(x, self.x) and np.array_equal(d, self.d)):
            self.x, self.d = x, d
            self.events += 1
            self.step = 0.0
        due = self._next_time(instant)
        if not due > instant:
            raise StepFailed(f"at time {instant:.17g} the next time event is at {due:.17g}, expected a later time")

    # ---- steps

    def _step_towards(self, target) -> bool:
        """One step; true when an event ended it."""
        begun = self.method.begin(self._rates, self._norm, self.t, self.x, not self.step > 0.0)
        rest = target - self.t
        whole, x_new = self._successful(begun, target)
        h, x_new, event = self._located(begun, whole, x_new)
        self.x = x_new
        self.t = target if h == rest else self.t + h
        self.steps += 1
        if h < whole:
            self.step = 0.0
        return event

    def _rates(self, t, x):
        return self._here(RATES, t, x)

    def _norm(self, v, x_new) -> float:
        """Root mean square of v over tolerance · (nominal + |x|); quadratures are left out."""
        scaled = v / (self.tolerance * (self._nominal + np.maximum(np.abs(self.x), np.abs(x_new))))
        scaled = scaled[self._judged]
        return float(np.sqrt(np.mean(scaled * scaled))) if len(scaled) else 0.0

    def _out_of_work(self) -> bool:
        """Work that suits the communication step: TRY_LIMIT internal steps, or FIRST_LOOK where at this pace those would not do."""
        done = (self.t - self._start) / self._length
        return self._tries > TRY_LIMIT or (self._tries > FIRST_LOOK and done * TRY_LIMIT < self._tries)

    def _to(self, begun, h):
        """A step of length h onto the manifolds: x_new, error."""
        self._tries += 1
        if self._out_of_work():
            raise StepFailed(
                f"at time {self.t:.17g} the communication step by {self._length:g} has taken {self._tries - 1} internal steps, "
                "and needs too many more"
            )
        if not len(self.x):
            return self.x, 0.0
        x_new, error = begun.to(h)
        if not np.isfinite(x_new).all():
            raise StepFailed(f"at time {self.t:.17g} a step is not finite")
        if error <= 1.0:
            x_new = project(self.system, self.t + h, x_new, self.u, self.k, self.d)
        return x_new, error

    def _successful(self, begun, target):
        """Tries until a step holds the tolerance: its length and end."""
        adaptive = self.method.order > 0.0
        h = self._length_towards(begun, target)
        smallest = SHORTEST * EPSILON * max(abs(self.t), abs(target))
        rejected, reason = False, None
        while True:
            try:
                x_new, error = self._to(begun, h)
            except _FAILURES as failure:
                error, reason = math.inf, failure
            if error <= 1.0:
                if adaptive:
                    self._lengthen(begun, h, error, rejected)
                return h, x_new
            if not adaptive or self._out_of_work():
                raise reason
            self.rejections += 1
            rejected = True
            h *= min(self._change(begun, error), SAFETY) if math.isfinite(error) else RETRY
            self.step = h
            if h <= smallest:
                raise reason or StepFailed(f"at time {self.t:.17g} no step holds the tolerance {self.tolerance:.3g}")

    def _length_towards(self, begun, target) -> float:
        """Length to try: rk4's equal parts, or the step control's, without a sliver before the target."""
        rest, limit = target - self.t, self.max_step
        if not len(self.x):
            return rest
        if self.method.order == 0.0:
            return rest / math.ceil(rest / limit * (1.0 - SLIVER)) if limit > 0.0 else rest
        if not self.step > 0.0:
            self.step = self._first_length(begun)
        h = min(self.step, limit) if limit > 0.0 else self.step
        return rest if h >= rest else 0.5 * rest if h > 0.5 * rest else h

    def _first_length(self, begun) -> float:
        """[hairer1993] section II.4: a step whose first-order error, by an Euler step, is a hundredth of the tolerance."""
        size, slope = self._norm(self.x, self.x), self._norm(begun.f, self.x)
        h = BLIND_LENGTH if size < SMALL_NORM or slope < SMALL_NORM else FIRST_SHARE * (size / slope)
        if not (h > 0.0 and math.isfinite(h)):
            h = BLIND_LENGTH
        try:
            change = (self._rates(self.t + h, self.x + h * begun.f) - begun.f) / h
        except _FAILURES:
            return h
        largest = max(slope, self._norm(change, self.x))
        flat = largest <= NO_CURVATURE
        second = max(BLIND_LENGTH, 1e-3 * h) if flat else (FIRST_SHARE / largest) ** (1.0 / self._order(begun))
        return max(min(FIRST_GROWTH * h, second), SHORTEST * EPSILON * max(abs(self.t), h))

    def _order(self, begun) -> float:
        return self.method.first_order if begun.first else self.method.order

    def _change(self, begun, error) -> float:
        """safety · error^(−1/order), within bounds."""
        factor = SAFETY * error ** (-1.0 / self._order(begun)) if error > 0.0 else GROW
        return min(max(factor, SHRINK), GROW)

    def _lengthen(self, begun, h, error, rejected) -> None:
        """The length to try after success. A step cut short to meet a target says little: it never lowers it."""
        change = self._change(begun, error)
        wanted = h * (min(change, 1.0) if rejected else change)
        self.step = max(wanted, self.step) if h < self.step else wanted

    # ---- events in state

    def _located(self, begun, h, x_new):
        """Length, end and whether an event ended it: right after the first change of (g > 0) in the step to x_new."""
        if not self.system.ng:
            return h, x_new, False
        side = np.where(self._here(INDICATORS, self.t, self.x) > 0.0, 1.0, -1.0)

        def margin_at(t, x) -> float:
            """min side·g: positive as long as no indicator has changed its side. Zero is the side of the negative."""
            values = side * self._here(INDICATORS, t, x)
            return float(np.min(np.where((values == 0.0) & (side < 0.0), TINY, values)))

        def after(length):
            """The true step of that length, which is what the simulation continues from, and its margin."""
            x, _ = self._to(begun, length)
            return x, margin_at(self.t + length, x)

        between = begun.interpolant(h, x_new) if len(self.x) else lambda share: self.x
        at_start = margin_at(self.t, self.x)
        for share in LOOKS:
            if margin_at(self.t + share * h, x_new if share == 1.0 else between(share)) > 0.0:
                continue
            _, value = after(share * h)
            if value <= 0.0:
                return (*self._close_in(after, at_start, share * h, value), True)
        return h, x_new, False

    def _close_in(self, after, at_low, high, at_high):
        """Root of the margin in (0, high]: secant steps that keep the bracket, the value at an end that stays halved so that
        the other moves too (Illinois), a bisection after PATIENCE steps that did not halve it, down to the resolution of
        time. Gives the length right after the root, and x there."""
        low, last, slow = 0.0, 0, 0
        resolution = EPSILON * abs(self.t + high)
        while high - low > 2.0 * resolution:
            width = high - low
            trial = high - at_high * width / (at_high - at_low) if slow < PATIENCE else low + 0.5 * width
            trial = min(max(trial, low + resolution), high - resolution)
            _, value = after(trial)
            if value > 0.0:
                low, at_low, at_high = trial, value, 0.5 * at_high if last > 0 else at_high
            else:
                high, at_high, at_low = trial, value, 0.5 * at_low if last < 0 else at_low
            last = 1 if value > 0.0 else -1
            slow = 0 if high - low <= 0.5 * width else slow + 1
        return high, after(high)[0]


def time_slack(t: float, h: float) -> float:
    """Times closer than this mean the same instant within a communication step of length h."""
    return SAME_SHARE * h + SAME_ULPS * EPSILON * abs(t)
