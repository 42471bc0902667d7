"""Step control: which of a method's pairs takes the next step, and its length. NumPy only.

The same as the C runtime's (fmu_src/native/runtime/core/step_length.c). Proved by tests/solver/test_order_and_overrun.py and
tests/solver/test_loop.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..bounds import (
    BLIND_LENGTH,
    FIRST_GROWTH,
    FIRST_SHARE,
    GROW,
    NO_CURVATURE,
    RECALL,
    SAFETY,
    SETTLED,
    SHORTEST,
    SHRINK,
    SLIVER,
    SMALL_NORM,
)
from ..system.evaluate import Refused
from .error_norm import ErrorNorm
from .methods import METHODS, N_ORDERS, Method, Step
from .point import CurrentPoint
from .stiffness import Choice, price_of, spectral_radius

EPSILON = np.finfo(float).eps


class StepFailed(ArithmeticError):
    """The integration can't continue; the message gives the reason. The solver is at the last valid point."""


FAILURES = (StepFailed, Refused, np.linalg.LinAlgError)


def fitted(h: float, rest: float) -> float:
    """A length that does not leave a tiny last step before a target at the distance `rest`."""
    return rest if h >= rest else 0.5 * rest if h > 0.5 * rest else h


class StepControl:
    """step (N_ORDERS,): length that would be tried next, one per pair of the method; 0: to be estimated, below: after an event. max_step: 0 = no limit.

    choice: between explicit and implicit steps, if solver.method leaves it open.
    now: the current point;  rates(t, x);  watches: indicators are watched within steps.
    within: share of the first pair's length at which its dense output meets the tolerance too.
    order: the pair of the current step;  orders: how many pairs may be used;  span: length of the communication step.
    """

    def __init__(self, now: CurrentPoint, states, rates: Callable[[float, np.ndarray], np.ndarray], watches: bool):
        self.choice = Choice()
        self.configure(1, 1e-8, 0.0)
        self.step, self.within, self.order, self._reach = np.zeros(N_ORDERS), 1.0, 0, 0.0
        self.orders, self.span = 1, 0.0
        self._now, self._rates, self._watches = now, rates, watches
        self.norm = ErrorNorm(states)

    def configure(self, method: int, tolerance: float, max_step: float) -> None:
        self.asked, self.tolerance, self.max_step = METHODS[method - 1], tolerance, max_step

    def begin_run(self, x) -> None:
        self.norm.begin_run(x)
        self.choice = Choice()

    @property
    def method(self) -> Method:
        """The method in force: that of solver.method, or where the model is stiff the one that replaces it."""
        return self.asked.stiff if self.asked.stiff and self.choice.implicit else self.asked

    def error_size(self, v, x_new) -> float:
        return self.norm(v, x_new, self.tolerance)

    def forget_lengths(self) -> None:
        """After an event lengths are below zero: the first step is estimated anew, and is no longer than the last would have been."""
        self.step = -np.abs(self.step)

    def equal_part(self, rest: float) -> float:
        """The longest equal parts of a distance that max_step allows."""
        return rest / math.ceil(rest / self.max_step * (1.0 - SLIVER)) if self.max_step > 0.0 else rest

    @property
    def is_due(self) -> bool:
        """Whether it is time for a look at the stiffness."""
        return self.asked.stiff is not None and self.choice.is_due

    def by_less_work(self, begun: list[Step], rest: float) -> list[Step]:
        """A look at the stiffness: steps from the current point by the method that takes less work over the rest of the way, which is in force from then on."""
        choice, step, price, (t, x) = self.choice, begun[0], price_of(len(self._now.x)), (self._now.t, self._now.x)
        try:
            radius = spectral_radius(lambda x: self._rates(t, x), step.f, x, self.norm.nominal)
        except FAILURES:
            radius = 0.0
        if choice.implicit:
            if not choice.returns(price, radius):
                return begun
            self._take_lengths(choice.length)
            return [pair.begin(self._rates, self.error_size, t, x, step.f) for pair in self.method.pairs]
        h = choice.length_to_try(price, rest, radius)
        if not h or self.asked.stiff is None:
            return begun
        try:
            tried = self.asked.stiff.pairs[0].begin(self._rates, self.error_size, t, x, step.f)
            choice.decide(tried.to(h)[1] <= 1.0)
        except FAILURES:
            choice.decide(False)
        if not choice.implicit:
            return begun
        self._take_lengths(h)
        return [tried]

    def _take_lengths(self, h: float) -> None:
        """Of the method in force, which has just changed, only a length of its first pair is known."""
        self.step[:], self.within = 0.0, 1.0
        self.step[0] = h

    def length_towards(self, begun, target, far) -> float:
        """Length to try towards a target, or beyond it up to `far`: equal parts of a fixed step, or the step control's."""
        rest = target - self._now.t
        self.order = 0
        if not len(self._now.x):
            return rest
        if self.method.pairs[0].order == 0.0:
            return self.equal_part(rest)
        if not self.step[0] > 0.0:
            self.step[0] = min(self._first_length(begun[0]), -self.step[0] or math.inf)
        self._reach = far - self._now.t
        return self._length_of_least_work(rest)

    def _length_of_least_work(self, rest) -> float:
        """Chooses the order that reaches a target at the distance `rest` with the fewest evaluations, and its length.

        Steps of order 8 may pass targets: the dense output then gives the values there. They do so if a communication step takes fewer evaluations that way.
        """
        believed = np.minimum(self.step, self.max_step) if self.max_step > 0.0 else self.step
        orders, length = range(self.orders), self.span
        ahead = fitted(self.within * believed[0], self._reach)
        self.order = 0
        if self._reach > rest and self._work_ahead(ahead, length) < SAFETY * min(
            self.work(order, believed[order], length) for order in orders
        ):
            return ahead if ahead > rest else min(believed[0], rest)
        self.order = min(orders, key=lambda order: self.work(order, believed[order], rest))
        return fitted(believed[self.order], rest)

    def work(self, order, h, time) -> float:
        """Evaluations of a pair over a time span, by steps of length h that end with it; h = 0: not tried yet.

        Indicators are watched on the dense output, so then it belongs to every step.
        """
        pair = self.method.pairs[order]
        evaluations = max(pair.work, pair.dense_work - 1) if self._watches else pair.work
        return evaluations * math.ceil(time / h) if h > 0.0 else math.inf

    def _work_ahead(self, h, time) -> float:
        """The same by steps of order 8 that need not end with the span: those that pass its end have a dense output.

        Its first stage is that of the next step, and is not counted.
        """
        pair = self.method.pairs[0]
        dense = max(pair.dense_work - 1 - pair.work, 0)
        return pair.work * time / h + dense * (time / h if self._watches else min(time / h, 1.0))

    def cheapest(self, length: float) -> int:
        """The pair of lowest order whose predicted step size is long enough, or which has not been tried."""
        believed = self.step[1 : self.orders]
        return max([0, *(1 + np.flatnonzero((believed >= length) | (believed <= 0.0)))])

    def _first_length(self, begun) -> float:
        """[hairer1993] section II.4: a step whose first-order error, by an Euler step, is a hundredth of the tolerance."""
        size, slope = self.error_size(self._now.x, self._now.x), self.error_size(begun.f, self._now.x)
        h = BLIND_LENGTH if size < SMALL_NORM or slope < SMALL_NORM else FIRST_SHARE * (size / slope)
        if not (h > 0.0 and math.isfinite(h)):
            h = BLIND_LENGTH
        try:
            change = (self._rates(self._now.t + h, self._now.x + h * begun.f) - begun.f) / h
        except FAILURES:
            return h
        largest = max(slope, self.error_size(change, self._now.x))
        flat = largest <= NO_CURVATURE
        second = max(BLIND_LENGTH, 1e-3 * h) if flat else (FIRST_SHARE / largest) ** (1.0 / self._estimate_order(begun))
        return max(min(FIRST_GROWTH * h, second), SHORTEST * EPSILON * max(abs(self._now.t), h))

    def _estimate_order(self, begun) -> float:
        pair = self.method.pairs[self.order]
        return pair.first_order if begun.first else pair.order

    def change(self, begun, error) -> float:
        """safety · error^(−1/order), within bounds."""
        factor = SAFETY * error ** (-1.0 / self._estimate_order(begun)) if error > 0.0 else GROW
        return min(max(factor, SHRINK), GROW)

    def lengthen(self, begun, h, error, worst, rejected) -> None:
        """The lengths to try after success, with the error at the step's end and the worst of that and of its interpolant.

        A step that was shortened to meet a target never lowers the prediction of its pair.
        Predictions of other orders are outdated: they grow from step to step until these orders are tried. After a
        start or an event they are not tried before the length of order 8 is known: its first lengths are guesses, mostly far too short, at which the cheapest
        pair would be chosen and kept.
        """
        change, own = self.change(begun, error), self.step[self.order]
        wanted = h * (min(change, 1.0) if rejected else change)
        whole = own if worst == error else self.within * own
        own = max(wanted, own) if h < whole else wanted
        if worst > error and self.change(begun, worst) < GROW:
            self.within = self.change(begun, worst) / change
        believed = np.maximum(self.step, np.minimum(RECALL * self.step, GROW * h))
        known = change < SETTLED or own >= GROW * self.span
        self.step = np.where(self.step <= 0.0, own if known else self.step, believed)
        self.step[self.order] = own

    def shorten_within(self, begun, h, error, worst) -> None:
        """Shorten after a step that is accurate at its end but not inside."""
        change = self.change(begun, error)
        self.step[0] = h * change
        self.within = min(self.change(begun, worst), SAFETY) / change
