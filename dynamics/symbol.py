"""The symbol: one CasADi scalar in an opaque box, safe inside NumPy object arrays.

Raw `casadi.SX` objects in arrays are dangerous: assigned into a float array they silently become NaN,
and products decay to SX matrices. A Symbol raises on everything that would need its value
(`float()`, `bool()`, `==`, `int()`, indexing), so that a mistake in an equation is an error, never a NaN.

Only what makes C imports this module: equations themselves need numpy alone.
"""

from __future__ import annotations

import casadi
import numpy as np

_NUMBERS = (int, float, np.integer, np.floating, np.bool_, bool)


def _box(value) -> casadi.SX:
    """The SX behind a Symbol or a finite-or-infinite number; anything else is an error."""
    if isinstance(value, Symbol):
        return value.sx
    if isinstance(value, _NUMBERS):
        number = float(value)
        if number != number:
            raise ValueError("NaN met a symbol: an equation used an undefined number")
        return casadi.SX(number)
    raise TypeError(f"a symbol can't be combined with {type(value).__name__} {value!r}")


def _binary(operation):
    def method(self, other):
        if isinstance(other, np.ndarray):
            return NotImplemented  # NumPy broadcasts and calls back with scalars
        return Symbol(operation(self.sx, _box(other)))

    return method


def _reflected(operation):
    def method(self, other):
        if isinstance(other, np.ndarray):
            return NotImplemented
        return Symbol(operation(_box(other), self.sx))

    return method


def _quick(operation, trivial):
    """A binary operation with answers for plain floats that make it trivial."""

    def method(self, other):
        if type(other) is float and other in trivial:
            return trivial[other](self)
        if isinstance(other, np.ndarray):
            return NotImplemented
        return Symbol(operation(self.sx, _box(other)))

    return method


def _unary(operation):
    return lambda self: Symbol(operation(self.sx))


def _refuse(what):
    def method(self, *_):
        raise TypeError(f"a symbol has no {what}: use dynamics.scalar (where, maximum, both, ...) in equations")

    return method


class Symbol:
    """A scalar expression. Behaves like a float under arithmetic and NumPy's elementwise functions."""

    __slots__ = ("sx",)

    def __init__(self, sx: casadi.SX):
        object.__setattr__(self, "sx", sx)

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
        return Symbol(casadi.if_else(self.sx, _box(if_true), _box(if_false)))

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
        return f"Symbol({self.sx})"


def symbols(name: str, count: int) -> tuple[np.ndarray, casadi.SX]:
    """`count` fresh symbols as an array for equations, and as the SX column for CasADi."""
    column = casadi.SX.sym(name, count)
    entries = np.empty(count, dtype=object)
    for i in range(count):
        entries[i] = Symbol(column[i])
    return entries, column


def to_sx(values) -> casadi.SX:
    """Dense SX column of an array of symbols and numbers, row-major."""
    entries = np.asarray(values, dtype=object).ravel()
    return casadi.densify(casadi.vertcat(*[_box(entry) for entry in entries])) if entries.size else casadi.SX(0, 1)
