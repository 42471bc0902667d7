"""The symbol: one CasADi scalar in an opaque box, safe inside NumPy object arrays.

The scalar is an SX (a graph of scalar operations) or an MX (the same with calls of functions in it, for large systems).
Raw `casadi.SX` objects in arrays are dangerous: assigned into a float array they silently become NaN,
and products decay to SX matrices. A Symbol raises on everything that would need its value
(`float()`, `bool()`, `==`, `int()`, indexing), so that a mistake in an equation is an error, never a NaN.

Only what makes C imports this module: equations themselves need numpy alone.
"""

from __future__ import annotations

import casadi
import numpy as np

from .dual import Dual

_OUTER = (np.ndarray, Dual)
_NUMBERS = (int, float, np.integer, np.floating, np.bool_, bool)


def _box(value):
    """The expression of a Symbol, or a number that is not NaN; anything else is an error."""
    if isinstance(value, Symbol):
        return value.expression
    if isinstance(value, _NUMBERS):
        number = float(value)
        if number != number:
            raise ValueError("NaN met a symbol: an equation used an undefined number")
        return number
    raise TypeError(f"a symbol can't be combined with {type(value).__name__} {value!r}")


def _binary(operation):
    def method(self, other):
        if isinstance(other, _OUTER):
            return NotImplemented  # NumPy broadcasts and calls back with scalars; a dual of symbols takes over
        return Symbol(operation(self.expression, _box(other)))

    return method


def _reflected(operation):
    def method(self, other):
        if isinstance(other, _OUTER):
            return NotImplemented
        return Symbol(operation(_box(other), self.expression))

    return method


def _quick(operation, trivial):
    """A binary operation with answers for plain floats that make it trivial."""

    def method(self, other):
        if type(other) is float and other in trivial:
            return trivial[other](self)
        if isinstance(other, _OUTER):
            return NotImplemented
        return Symbol(operation(self.expression, _box(other)))

    return method


def _unary(operation):
    return lambda self: Symbol(operation(self.expression))


def _refuse(what):
    def method(self, *_):
        raise TypeError(f"a symbol has no {what}: use dynamics.scalar (where, maximum, both, ...) in equations")

    return method


class Symbol:
    """A scalar expression. Behaves like a float under arithmetic and NumPy's elementwise functions."""

    __slots__ = ("expression", "place")

    def __init__(self, expression: casadi.SX | casadi.MX, place: tuple | None = None):
        object.__setattr__(self, "expression", expression)
        object.__setattr__(self, "place", place)  # (column, index) of an entry of a column

    def __setattr__(self, name, value):
        raise AttributeError("symbols are immutable")

    # Zeros and ones are most of what small matrices hold: they never reach CasADi, which makes tracing several times faster.
    __add__ = __radd__ = _quick(lambda a, b: a + b, {0.0: lambda self: self})
    __sub__, __rsub__ = _quick(lambda a, b: a - b, {0.0: lambda self: self}), _reflected(lambda a, b: a - b)
    __mul__ = __rmul__ = _quick(lambda a, b: a * b, {0.0: lambda self: 0.0, 1.0: lambda self: self})
    __truediv__, __rtruediv__ = _binary(lambda a, b: a / b), _reflected(lambda a, b: a / b)
    __pow__, __rpow__ = _binary(casadi.power), _reflected(casadi.power)
    __neg__, __pos__ = _unary(lambda a: -a), lambda self: self

    __lt__, __le__ = _binary(lambda a, b: a < b), _binary(lambda a, b: a <= b)
    __gt__, __ge__ = _binary(lambda a, b: a > b), _binary(lambda a, b: a >= b)

    # NumPy's elementwise functions call the method of the same name on each entry of an object array.
    sin, cos, tan = _unary(casadi.sin), _unary(casadi.cos), _unary(casadi.tan)
    arcsin, arccos, arctan = _unary(casadi.asin), _unary(casadi.acos), _unary(casadi.atan)
    sinh, cosh, tanh = _unary(casadi.sinh), _unary(casadi.cosh), _unary(casadi.tanh)
    exp, log, sqrt = _unary(casadi.exp), _unary(casadi.log), _unary(casadi.sqrt)
    __floor__, __ceil__ = _unary(casadi.floor), _unary(casadi.ceil)  # np.floor and np.ceil call these
    arctan2 = _binary(casadi.atan2)

    def conjugate(self):
        return self

    def select(self, if_true, if_false):
        """This symbol read as a condition: the one alternative where it is non-zero, else the other."""
        return Symbol(casadi.if_else(self.expression, _box(if_true), _box(if_false)))

    __eq__ = _refuse("==")
    __ne__ = _refuse("!=")
    __bool__ = _refuse("truth value")
    __float__ = _refuse("float value")
    __int__ = _refuse("int value")
    __abs__ = _refuse("abs()")
    __round__ = _refuse("round()")
    __floordiv__ = __rfloordiv__ = _refuse("//")
    __mod__ = __rmod__ = _refuse("%")
    __hash__ = None

    def __repr__(self):
        return f"Symbol({self.expression})"


def symbols(name: str, count: int, kind: type = casadi.SX) -> tuple[np.ndarray, casadi.SX | casadi.MX]:
    """`count` fresh symbols as an array for equations, and as a column for CasADi."""
    column = kind.sym(name, count)
    return entries_of(column), column


def entries_of(column: casadi.SX | casadi.MX) -> np.ndarray:
    """The entries of a dense column as symbols."""
    entries = np.empty(column.numel(), dtype=object)
    if entries.size:
        entries[:] = [Symbol(entry, (column, i)) for i, entry in enumerate(casadi.vertsplit(column))]
    return entries


def to_column(values, kind: type = casadi.SX) -> casadi.SX | casadi.MX:
    """Dense column of an array of symbols and numbers, row-major; a slice of a column is read as one."""
    entries = np.asarray(values, dtype=object).ravel()
    if not entries.size:
        return kind(0, 1)
    column, start = getattr(entries[0], "place", None) or (None, 0)
    if column is not None and all(
        isinstance(entry, Symbol) and entry.place is not None and entry.place[0] is column and entry.place[1] == i
        for i, entry in enumerate(entries, start)
    ):
        return column[start : start + len(entries)]
    return casadi.densify(kind(casadi.vertcat(*map(_box, entries))))
