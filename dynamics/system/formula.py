"""Formulas as data: small trees that are evaluated together with their derivative in time.

    tree = 2.5                              a number
         | "arm.angle"                      a variable
         | ("sin", tree) | ("*", tree, tree) | …    an operation of OPERATIONS on its arguments
         | ("sum", tree, tree, …)           any number of terms: a long sum is not a deep tree
         | (Curve, tree)                    a curve through points of a table

The derivative follows by the chain rule, d f(a, b)/dt = f_a ȧ + f_b ḃ, from the slopes that stand beside each operation.
spacefmu.dynamics.description.formula reads them from text. Proved by tests/constraints/test_formula.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..algebra.scalar import absolute, maximum, minimum, where
from .signals import Parameter


@dataclass(frozen=True)
class Operation:
    """`value` of the arguments, and `slopes`: one partial derivative an argument."""

    arguments: int | None  # None: any number
    value: Callable
    slopes: Callable


def _function(value, slope) -> Operation:
    """A function of one argument."""
    return Operation(1, value, lambda a: (slope(a),))


def _power_slopes(base, exponent):
    """The exponent is a number, never a variable: so its own slope does not matter, and it may be asked for its value."""
    return (exponent * np.power(base, exponent - 1.0) if exponent else 0.0, 0.0)


def _atan2(y, x):
    return np.arctan2(x - x + y, x)  # x − x makes a symbol of a number y beside a symbol x


OPERATIONS = {
    "+": Operation(2, lambda a, b: a + b, lambda a, b: (1.0, 1.0)),
    "-": Operation(2, lambda a, b: a - b, lambda a, b: (1.0, -1.0)),
    "*": Operation(2, lambda a, b: a * b, lambda a, b: (b, a)),
    "/": Operation(2, np.divide, lambda a, b: (np.divide(1.0, b), -np.divide(a, b * b))),
    "**": Operation(2, np.power, _power_slopes),
    "sum": Operation(None, lambda *terms: sum(terms[1:], terms[0]), lambda *terms: (1.0,) * len(terms)),
    "negative": _function(lambda a: -a, lambda a: -1.0),
    "sin": _function(np.sin, np.cos),
    "cos": _function(np.cos, lambda a: -np.sin(a)),
    "tan": _function(np.tan, lambda a: 1.0 + np.tan(a) * np.tan(a)),
    "asin": _function(np.arcsin, lambda a: 1.0 / np.sqrt(1.0 - a * a)),
    "acos": _function(np.arccos, lambda a: -1.0 / np.sqrt(1.0 - a * a)),
    "atan": _function(np.arctan, lambda a: 1.0 / (1.0 + a * a)),
    "sinh": _function(np.sinh, np.cosh),
    "cosh": _function(np.cosh, np.sinh),
    "tanh": _function(np.tanh, lambda a: 1.0 - np.tanh(a) * np.tanh(a)),
    "exp": _function(np.exp, np.exp),
    "log": _function(np.log, lambda a: np.divide(1.0, a)),
    "sqrt": _function(np.sqrt, lambda a: np.divide(0.5, np.sqrt(a))),
    "atan2": Operation(2, _atan2, lambda y, x: (x / (x * x + y * y), -y / (x * x + y * y))),
    "abs": _function(absolute, lambda a: where(a > 0.0, 1.0, -1.0)),
    "max": Operation(2, maximum, lambda a, b: (where(a > b, 1.0, 0.0), where(a > b, 0.0, 1.0))),
    "min": Operation(2, minimum, lambda a, b: (where(a > b, 0.0, 1.0), where(a > b, 1.0, 0.0))),
}
KINKED = ("abs", "max", "min")  # for laws of forces: what is held has to be smooth


@dataclass(frozen=True)
class Curve:
    """A cubic spline as an operation: knots (n + 1,) increasing, coefficients (n, 4) of x − knot, highest power first; beyond its ends it is straight."""

    knots: tuple[float, ...]
    coefficients: np.ndarray
    arguments = 1

    def value(self, x):
        return self._at(x)[0]

    def slopes(self, x):
        return (self._at(x)[1],)

    def parts(self, x):
        """Value, slope and second slope; beyond the ends the last is zero."""
        return self._at(x)

    def _at(self, x):
        first, last = self.knots[0], self.knots[-1]
        inside = where(x < first, first, where(x > last, last, x))
        piece, begin = list(self.coefficients[0]), self.knots[0]
        for knot, row in zip(self.knots[1:-1], self.coefficients[1:], strict=True):
            beyond = inside >= knot
            piece, begin = (
                [where(beyond, c, old) for c, old in zip(row, piece, strict=True)],
                where(beyond, knot, begin),
            )
        s, (a, b, c, d) = inside - begin, piece
        slope = (3.0 * a * s + 2.0 * b) * s + c
        bend = where(x < first, 0.0, where(x > last, 0.0, 6.0 * a * s + 2.0 * b))
        return ((a * s + b) * s + c) * s + d + slope * (x - inside), slope, bend


def evaluate(tree, look: Callable):
    """(value, derivative in time) of a tree; look(name) gives the same pair of a variable."""
    if isinstance(tree, float):
        return tree, 0.0
    if isinstance(tree, str):
        return look(tree)
    name, *arguments = tree
    operation, pairs = operation_of(name), [evaluate(argument, look) for argument in arguments]
    values = [value for value, _ in pairs]
    slopes = operation.slopes(*values)
    return operation.value(*values), sum(slope * rate for slope, (_, rate) in zip(slopes, pairs, strict=True))


def value_of(tree, look: Callable):
    """Only the value; look(name) gives that of a variable."""
    if isinstance(tree, float):
        return tree
    if isinstance(tree, str):
        return look(tree)
    return operation_of(tree[0]).value(*(value_of(argument, look) for argument in tree[1:]))


def operation_of(name) -> Operation | Curve:
    return name if isinstance(name, Curve) else OPERATIONS[name]


def law_constants(name: str, constants: tuple[tuple[str, float], ...]) -> dict[str, Parameter]:
    """The FMU parameters of a law's constants, by the names that its formula has for them."""
    return {
        own: Parameter(f"{name}.{own}", f"constant {own} of the law of {name}", "1", value) for own, value in constants
    }


def names_in(tree) -> set[str]:
    """The variables of a tree."""
    if isinstance(tree, float):
        return set()
    return {tree} if isinstance(tree, str) else set().union(*map(names_in, tree[1:]))
