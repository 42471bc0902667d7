"""Prescribed paths: a value with its first and second derivative in time, (rows,) each.

As inputs of the FMU, as formulas of time, or as splines through waypoints. All have the same interface:

inputs()        the FMU's inputs, if any
at(t, u)        value, rate and second rate
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.dual import Dual
from ..algebra.scalar import both, where
from ..system.formula import evaluate
from ..system.signals import Bag, Quantity


@dataclass(frozen=True)
class NoPath:
    """A constant path."""

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
                f"path of {self.name}: prescribed {self.name}.{quantity}, relative to the same frame, in the same axes",
                unit,
                start,
            )
            for quantity, unit, start in zip(self.quantities, self.units, starts, strict=True)
        ]

    def at(self, t, u: Bag):
        return tuple(u[quantity] for quantity in self.inputs())


@dataclass(frozen=True)
class FormulaPath:
    """Trees of spacefmu.dynamics.system.formula, one row each, of `time` only."""

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

    Before the first knot and after the last the path is constant.
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
