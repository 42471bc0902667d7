"""Paths that motions follow: a value with its first and second derivative in time, (rows,) each.

As inputs of the FMU, as formulas of time, or as splines through waypoints. All answer the same questions:

inputs()        the FMU's inputs, if any
at(t, u)        value, rate and second rate
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..constraints.formula import evaluate
from ..dual import Dual
from ..scalar import both, where
from ..signals import Bag, Quantity

SPLINE_ORDER = 5  # quintic: continuous to the fourth derivative


@dataclass(frozen=True)
class NoPath:
    """Of tasks that stand still."""

    def inputs(self):
        return []


@dataclass(frozen=True)
class InputPath:
    """Inputs NAME.path.position, .velocity and .acceleration (or .angle …); starts are those of the motion itself."""

    name: str
    quantities: tuple[str, str, str]
    units: tuple[str, str, str]
    start: tuple[tuple[float, ...], tuple[float, ...]]  # value and rate at the start, (rows,) each

    def inputs(self):
        starts = (*self.start, (0.0,) * len(self.start[0]))
        return [
            Quantity(
                f"{self.name}.path.{quantity}",
                f"path of {self.name}: what {self.name}.{quantity} is to be, relative to the same frame, in the same axes",
                unit,
                start,
            )
            for quantity, unit, start in zip(self.quantities, self.units, starts, strict=True)
        ]

    def at(self, t, u: Bag):
        return tuple(u[quantity] for quantity in self.inputs())


@dataclass(frozen=True)
class FormulaPath:
    """Trees of dynamics.constraints.formula, a row each, of `time` alone."""

    trees: tuple

    def inputs(self):
        return []

    def at(self, t, u: Bag):
        # evaluated on pairs of duals, so that value and rate come with derivatives of their own
        pairs = [evaluate(tree, lambda _: (Dual(t, 1.0), Dual(1.0, 0.0))) for tree in self.trees]
        parts = [(_part(value, 0), _part(value, 1), _part(rate, 1)) for value, rate in pairs]
        return tuple(np.array(column) for column in zip(*parts, strict=True))


def _part(number, which: int):
    if isinstance(number, Dual):
        return number.rate if which else number.value
    return 0.0 if which else number


@dataclass(frozen=True)
class SplinePath:
    """Piecewise polynomials: knots (n + 1,) [s], coefficients (n, order + 1, rows), highest power first, of t − knot.

    Before the first knot and after the last the path stands still at its ends.
    """

    knots: tuple[float, ...]
    coefficients: np.ndarray

    def inputs(self):
        return []

    def at(self, t, u: Bag):
        inside = where(t < self.knots[0], self.knots[0], where(t > self.knots[-1], self.knots[-1], t))
        chosen, begin = self.coefficients[0], self.knots[0]
        for knot, piece in zip(self.knots[1:-1], self.coefficients[1:], strict=True):
            chosen, begin = where(inside >= knot, piece, chosen), where(inside >= knot, knot, begin)
        s, degree = inside - begin, len(self.coefficients[0]) - 1
        value, rate, second = 0.0, 0.0, 0.0
        for power, row in zip(range(degree, -1, -1), chosen, strict=True):
            value = value * s + row
            rate = rate * s + power * row if power >= 1 else rate
            second = second * s + power * (power - 1) * row if power >= 2 else second
        moving = where(both(t >= self.knots[0], t <= self.knots[-1]), 1.0, 0.0)
        return value, rate * moving, second * moving


def spline_through(times, values, start_rate=None) -> SplinePath:
    """The quintic spline through waypoints, times (n,) increasing and values (n, rows).

    It starts at rest (or with `start_rate` (rows,)), ends at rest, without acceleration at both ends, and is continuous to the fourth derivative.
    """
    from scipy.interpolate import PPoly, make_interp_spline

    times, values = np.asarray(times, float), np.asarray(values, float)
    none = np.zeros(values.shape[1])
    first = none if start_rate is None else np.asarray(start_rate, float)
    curve = make_interp_spline(times, values, SPLINE_ORDER, bc_type=([(1, first), (2, none)], [(1, none), (2, none)]))
    pieces = [PPoly.from_spline((curve.t, curve.c[:, row], SPLINE_ORDER)) for row in range(values.shape[1])]
    knots = pieces[0].x
    real = np.flatnonzero(np.diff(knots) > 0.0)  # the spline repeats its first and last knot
    coefficients = np.stack([piece.c[:, real].T for piece in pieces], axis=-1)
    return SplinePath((*(float(knots[i]) for i in real), float(knots[real[-1] + 1])), coefficients)
