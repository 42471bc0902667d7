"""One step from the current point, tried until it meets the tolerance. NumPy only.

The same as the C runtime's (fmu_src/native/runtime/core/integrate.c). Proved by tests/solver/test_steps.py, which compares every try.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..bounds import EVALUATION_LIMIT, FIRST_LOOK, RETRY, SAFETY, SHORTEST, TRY_LIMIT
from .change_points import ChangePoints, Crossed
from .evaluation_cache import RATES
from .methods import Step
from .point import CurrentPoint
from .step_length import EPSILON, FAILURES, StepControl, StepFailed


class Attempts:
    """rejections: of the whole run;  tries: of the current communication step, which began at `start` and has the length control.span.

    on_try: callback after each try of a step, with its pair, its length and whether it is accepted; or None.
    """

    def __init__(self, now: CurrentPoint, changes: ChangePoints, control: StepControl):
        self._now, self._changes, self._control = now, changes, control
        self.rejections, self.tries, self.start, self._work_before = 0, 0, 0.0, 0
        self.on_try: Callable[[int, float, bool], None] | None = None

    def begin_span(self) -> None:
        """A communication step begins at the current time."""
        self.tries, self.start, self._work_before = 0, self._now.t, self._changes.cache.evaluations

    def rates(self, t: float, x):
        return self._changes.cache.here(RATES, t, x)

    def begin(self, f) -> list[Step]:
        """Steps from the current point by each pair of the method. f: rates there, None if not known."""
        now, control = self._now, self._control
        control.norm.note_motion(now.x)
        first = not control.step[0] > 0.0
        if f is None:
            f = self.rates(now.t, now.x)
        return [pair.begin(self.rates, control.error_size, now.t, now.x, f, first) for pair in control.method.pairs]

    def begin_at(self, t: float, x) -> Step:
        """Steps of the method's first pair from any point."""
        pair = self._control.method.pairs[0]
        return pair.begin(self.rates, self._control.error_size, t, x, self.rates(t, x))

    def _out_of_work(self) -> bool:
        """Whether the communication step takes too much work: TRY_LIMIT internal steps or EVALUATION_LIMIT evaluations, or FIRST_LOOK steps if at this pace
        those limits would be exceeded."""
        done = (self._now.t - self.start) / self._control.span
        spent = self._changes.cache.evaluations - self._work_before > EVALUATION_LIMIT
        return self.tries > TRY_LIMIT or spent or (self.tries > FIRST_LOOK and done * TRY_LIMIT < self.tries)

    def count(self) -> None:
        self.tries += 1
        if self._out_of_work():
            raise self._too_long(self.tries - 1)

    def _too_long(self, tries: int) -> StepFailed:
        return StepFailed(
            f"at time {self._now.t:.17g} the communication step of {self._control.span:g} s has taken {tries} internal steps "
            "and needs too many more; use shorter communication steps"
        )

    def to(self, begun: Step, h: float):
        """A step of length h onto the manifolds: x_new, error."""
        now, control = self._now, self._control
        self.count()
        control.choice.note_try(control.work(control.order, 1.0, 1.0))
        self._changes.begin_try()
        if not len(now.x):
            return now.x, 0.0
        x_new, error = begun.to(h)
        if control.method.pairs[0].order == 0.0:  # a fixed step has no error control
            error = 0.0
        if control.order > 0:  # its share of the error of order 8 in its longer step
            error *= max(1.0, control.step[0] / h)
        if not np.isfinite(x_new).all():
            raise StepFailed(
                f"at time {now.t:.17g} an internal step leads to states that are not finite; check inputs and parameters"
            )
        if error <= 1.0:
            x_new = self._changes.kept(now.t + h, x_new)
        return x_new, error

    def successful(self, begun: list[Step], target: float, far: float):
        """Repeats until a step meets the tolerance: its length, its end, and the rows of its interpolant if it ends beyond the target.

        Such a step is used through its interpolant, which must meet the tolerance as its end does.
        """
        now, control = self._now, self._control
        adaptive = control.method.pairs[0].order > 0.0
        smallest = SHORTEST * EPSILON * max(abs(now.t), abs(target))
        rejected = False
        reason: Exception | None
        while True:
            h = control.length_towards(begun, target, far)
            step, rows, between_ends, reason = begun[control.order], None, 0.0, None
            try:
                x_new, error = self.to(step, h)
                if error <= 1.0 and h > target - now.t:
                    rows = step.dense(h, x_new)
                    between_ends = step.dense_error(rows, x_new)
            except FAILURES as failure:
                error, reason = math.inf, failure
            worst = max(error, between_ends)
            if self.on_try:
                self.on_try(control.order, h, worst <= 1.0)
            if worst <= 1.0:
                self._changes.note_weakness()
                if adaptive:
                    control.lengthen(step, h, error, worst, rejected)
                return h, x_new, rows
            if not adaptive or self._out_of_work():
                raise reason or self._too_long(self.tries)
            self.rejections += 1
            if error <= 1.0:
                control.shorten_within(step, h, error, worst)
                continue
            if isinstance(reason, Crossed) and error == math.inf:
                # a change point limits this step, which gives no prediction for later lengths
                far = now.t + RETRY * h
                target = min(target, far)
                if RETRY * h <= smallest:
                    raise reason
                continue
            rejected = True
            h *= min(control.change(step, error), SAFETY) if math.isfinite(error) else RETRY
            control.step[control.order] = h
            if h <= smallest:
                raise reason or StepFailed(
                    f"at time {now.t:.17g} the step size fell below its minimum at tolerance {control.tolerance:.3g}; "
                    "use a looser tolerance, or look for a singular configuration"
                )
