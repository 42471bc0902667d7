"""One-step methods on floats: Runge–Kutta and Rosenbrock steps from a given point, with error and dense output.

The same formulas and coefficients as the C runtime (fmu_src/native/runtime). Proved by tests/solver/test_loop.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from .tableau import CASH_KARP, DOP853, RK4, RK4_JUDGED, RODAS3, RODAS5P, STABILIZED, Explicit, Rosenbrock


class Step:
    """Steps of any length from (t, x); their common parts are computed once.

    rates(t, x) → ẋ (nx,);   norm(v, x_new) → size of v (nx,) relative to the tolerance;   f = ẋ at the beginning;
    first: after a start or an event.
    """

    def __init__(self, rates, norm, t: float, x: np.ndarray, f: np.ndarray, first: bool = False):
        self.rates, self.norm, self.t, self.x, self.f, self.first = rates, norm, t, x, f, first

    def to(self, h: float) -> tuple[np.ndarray, float]:
        """x_new after a step of length h, and its error relative to the tolerance."""
        raise NotImplementedError

    def dense(self, h: float, x_new: np.ndarray) -> np.ndarray:
        """Rows F of the interpolant of the step of length h to x_new, for `between`.

        Source: [hairer1993] section II.6. Three rows make the cubic through x, ẋ at both ends; a method may have more.
        """
        f_new = self.rates(self.t + h, x_new)
        move = x_new - self.x
        return np.array([move, h * self.f - move, 2.0 * move - h * (f_new + self.f), *self._more_rows(h, f_new)])

    def dense_error(self, rows: np.ndarray, x_new: np.ndarray) -> float:
        """Estimated error of the interpolant within the step, relative to the tolerance: the contribution of its last row, typically about seven times the
        error.

        After a motion has decayed, a long step may be accurate at its end but not inside.
        """
        last = len(rows) - 1
        return _largest_factor(last) * self.norm(rows[last], x_new)

    def _more_rows(self, h, f_new):
        return []


def _largest_factor(row: int) -> float:
    """Of a row within the step: q^a (1 − q)^b, in all row + 1 of them, is largest at q = a / (row + 1)."""
    a, b = row // 2 + 1, (row + 1) // 2
    q = a / (a + b)
    return q**a * (1.0 - q) ** b


def between(x: np.ndarray, rows: np.ndarray, share: float) -> np.ndarray:
    """x at a share q of the step that began at x:  x + q (F₀ + (1 − q) (F₁ + q (F₂ + (1 − q) (F₃ + …))))."""
    total = np.zeros_like(x)
    for i, row in reversed(list(enumerate(rows))):
        total = (total + row) * (1.0 - share if i % 2 else share)
    return x + total


def end_rates(rows: np.ndarray, h: float) -> np.ndarray:
    """ẋ at the end of a step of length h, from the rows of its interpolant: h ẋ = F₀ − F₁ − F₂."""
    return (rows[0] - rows[1] - rows[2]) / h


class RungeKuttaStep(Step):
    """K_i = f(t + c_i h, x + h Σ_j a_ij K_j),  x_new = x + h Σ_i b_i K_i."""

    def __init__(self, tableau: Explicit, rates, norm, t, x, f, first=False):
        super().__init__(rates, norm, t, x, f, first)
        self.tableau = tableau
        self.K = np.zeros((len(tableau.a), len(x)))
        self.K[0] = self.f

    def to(self, h: float):
        """x_new and the error relative to the tolerance (0 for a method without an estimate)."""
        steps = len(self.tableau.b)
        self._run(h, 1, steps)
        x_new = self.x + h * (self.tableau.b @ self.K[:steps])
        return x_new, self._error(h, x_new)

    def _run(self, h, first, last):
        for i in range(first, last):
            x = self.x + h * (self.tableau.a[i, :i] @ self.K[:i])
            self.K[i] = self.rates(self.t + self.tableau.c[i] * h, x)

    def _error(self, h, x_new) -> float:
        """Two estimates of order 5 and 3 make one of order 8: e₅² / √(e₅² + 0.01 e₃²), [hairer1993] section II.10.

        It assumes that errors decrease from order to order equally in all states. This fails for a motion that starts at a few states and spreads, as along a
        chain of beads: a first step that e₅ correctly rejects would pass. So a first step uses e₅.
        """
        errors = [self.norm(h * (row @ self.K[: len(row)]), x_new) for row in self.tableau.errors]
        if len(errors) < 2:
            return errors[0] if errors else 0.0
        e5, e3 = errors
        return e5 if self.first or e5 == 0.0 else e5 * e5 / np.sqrt(e5 * e5 + 0.01 * e3 * e3)

    def _more_rows(self, h, f_new):
        steps, stages = len(self.tableau.b), len(self.tableau.a)
        if not len(self.tableau.dense):
            return []
        self.K[steps] = f_new
        self._run(h, steps + 1, stages)
        return h * (self.tableau.dense @ self.K)


class RosenbrockStep(Step):
    """(1/(hγ) − J) U_i = f(t + α_i h, x + Σ a_ij U_j) + Σ c_ij/h U_j + γ_i h f_t,  x_new = x + Σ b_i U_i.

    Source: [hairer1996] section IV.7. J = ∂f/∂x and f_t by central differences: exact to about 1e-10, where the
    native flavour has exact derivatives; the loss of accuracy matters only for tolerances below 1e-10.
    """

    def __init__(self, tableau: Rosenbrock, rates, norm, t, x, f, first=False):
        super().__init__(rates, norm, t, x, f, first)
        self.tableau = tableau
        self.J = np.column_stack([self._slope(np.eye(len(x))[i], max(abs(x[i]), 1.0), 0.0) for i in range(len(x))])
        self.f_t = self._slope(np.zeros_like(x), max(abs(t), 1.0), 1.0)

    def _slope(self, dx, size, dt):
        """Change of f along (dx, dt), by a central difference over a distance at which round-off and curvature balance."""
        distance = np.cbrt(np.finfo(float).eps) * size
        ahead = self.rates(self.t + dt * distance, self.x + dx * distance)
        behind = self.rates(self.t - dt * distance, self.x - dx * distance)
        return (ahead - behind) / (2.0 * distance)

    def to(self, h: float):
        """x_new and the error; stiffly accurate: the last stage is the error."""
        table, U = self.tableau, np.zeros((len(self.tableau.b), len(self.x)))
        matrix = np.linalg.inv(np.eye(len(self.x)) / (h * table.gamma) - self.J)
        for i in range(len(U)):
            f = self.rates(self.t + table.alpha[i] * h, self.x + table.a[i, :i] @ U[:i])
            U[i] = matrix @ (f + table.c[i, :i] @ U[:i] / h + table.gammas[i] * h * self.f_t)
        x_new = self.x + table.b @ U
        return x_new, self.norm(U[-1], x_new)


@dataclass(frozen=True)
class Pair:
    """begin(rates, norm, t, x, f, first) → Step; the error of a step is of this order in its length, 0: no error control.

    first_order: the same for a first step, which may have another error estimate.
    work: evaluations of a step;  dense_work: with those of its dense output, 0: it has none but the cubic one.
    """

    order: float
    first_order: float
    begin: partial
    work: int = 1
    dense_work: int = 0


def _explicit(order: float, first_order: float, tableau: Explicit) -> Pair:
    dense_work = len(tableau.a) if len(tableau.dense) else 0
    return Pair(order, first_order, partial(RungeKuttaStep, tableau), len(tableau.b), dense_work)


@dataclass(frozen=True)
class Method:
    """Pairs of different order, the one with dense output first and then by work, among which each step chooses.

    bounded: the evaluations of a communication step have a bound, whatever happens in it; events that do not fit are late.
    stiff: the method that replaces it where the model is stiff (stiffness.py); None: it is used throughout.
    """

    name: str
    pairs: tuple[Pair, ...]
    bounded: bool = False
    stiff: Method | None = None


EXPLICIT = Method(
    "explicit",
    (
        _explicit(8.0, 6.0, DOP853),
        _explicit(4.0, 4.0, STABILIZED),
        _explicit(5.0, 5.0, CASH_KARP),
        _explicit(3.0, 3.0, RK4_JUDGED),
    ),
)
IMPLICIT = Method("rodas5p", (Pair(5.0, 5.0, partial(RosenbrockStep, RODAS5P)),))

# In the order of solver.method.
METHODS = (
    EXPLICIT,
    Method("rk4", (_explicit(0.0, 0.0, RK4),)),
    IMPLICIT,
    Method("real_time", (_explicit(0.0, 0.0, RK4),), bounded=True),
    Method("real_time_stiff", (Pair(0.0, 0.0, partial(RosenbrockStep, RODAS3)),), bounded=True),
    Method("automatic", EXPLICIT.pairs, stiff=IMPLICIT),
)
N_ORDERS = max(len(method.pairs) for method in METHODS)
DENSE_ROWS = 3 + len(DOP853.dense)
