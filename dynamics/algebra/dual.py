"""Dual numbers: a value and its rate of change, carried through equations together (forward differentiation).

An equation that runs on floats and on symbols also runs on dual numbers. Each entry then has its exact derivative along the rates of the
arguments' rates say. Value and rate are floats or symbols alike, or duals again for second derivatives.
Proved by tests/algebra/test_dual.py against central differences.
"""

from __future__ import annotations

import numpy as np

from .scalar import where


class Dual:
    """value + ε rate, ε² = 0."""

    __slots__ = ("rate", "value")

    def __init__(self, value, rate):
        self.value, self.rate = value, rate

    def _with(self, value, slope):
        return Dual(value, slope * self.rate)

    def __add__(self, other):
        if isinstance(other, np.ndarray):
            return NotImplemented
        value, rate = _parts(other)
        return Dual(self.value + value, self.rate + rate)

    __radd__ = __add__

    def __neg__(self):
        return Dual(-self.value, -self.rate)

    def __pos__(self):
        return self

    def __sub__(self, other):
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self + (-other)

    def __rsub__(self, other):
        return (-self) + other

    def __mul__(self, other):
        if isinstance(other, np.ndarray):
            return NotImplemented
        value, rate = _parts(other)
        return Dual(self.value * value, self.rate * value + self.value * rate)

    __rmul__ = __mul__

    def __truediv__(self, other):
        if isinstance(other, np.ndarray):
            return NotImplemented
        value, rate = _parts(other)
        quotient = self.value / value
        return Dual(quotient, (self.rate - quotient * rate) / value)

    def __rtruediv__(self, other):
        value, rate = _parts(other)
        quotient = value / self.value
        return Dual(quotient, (rate - quotient * self.rate) / self.value)

    def __pow__(self, exponent):
        """`exponent` is a number."""
        return self._with(self.value**exponent, exponent * self.value ** (exponent - 1.0) if exponent else 0.0)

    def sin(self):
        return self._with(np.sin(self.value), np.cos(self.value))

    def cos(self):
        return self._with(np.cos(self.value), -np.sin(self.value))

    def tan(self):
        return self.sin() / self.cos()

    def arcsin(self):
        return self._with(np.arcsin(self.value), 1.0 / np.sqrt(1.0 - self.value * self.value))

    def arccos(self):
        return self._with(np.arccos(self.value), -1.0 / np.sqrt(1.0 - self.value * self.value))

    def arctan(self):
        return self._with(np.arctan(self.value), 1.0 / (1.0 + self.value * self.value))

    def sinh(self):
        return self._with(np.sinh(self.value), np.cosh(self.value))

    def cosh(self):
        return self._with(np.cosh(self.value), np.sinh(self.value))

    def tanh(self):
        value = np.tanh(self.value)
        return self._with(value, 1.0 - value * value)

    def exp(self):
        value = np.exp(self.value)
        return self._with(value, value)

    def log(self):
        return self._with(np.log(self.value), 1.0 / self.value)

    def sqrt(self):
        value = np.sqrt(self.value)
        return self._with(value, 0.5 / value)

    def arctan2(self, other):
        x, x_rate = _parts(other)
        square = self.value * self.value + x * x
        return Dual(np.arctan2(self.value, x), (x * self.rate - self.value * x_rate) / square)

    def __lt__(self, other):
        return _Choice(self.value < _parts(other)[0])

    def __le__(self, other):
        return _Choice(self.value <= _parts(other)[0])

    def __gt__(self, other):
        return _Choice(self.value > _parts(other)[0])

    def __ge__(self, other):
        return _Choice(self.value >= _parts(other)[0])

    def conjugate(self):
        return self


class _Choice:
    """A comparison of duals: spacefmu.dynamics.algebra.scalar.where picks value and rate of the same alternative."""

    __slots__ = ("condition",)

    def __init__(self, condition):
        self.condition = condition

    def select(self, if_true, if_false):
        (a, a_rate), (b, b_rate) = _parts(if_true), _parts(if_false)
        return Dual(where(self.condition, a, b), where(self.condition, a_rate, b_rate))


def _parts(number):
    return (number.value, number.rate) if isinstance(number, Dual) else (number, 0.0)


def duals(values, rates) -> np.ndarray:
    """An array of duals of two arrays of the same shape."""
    values, rates = np.asarray(values), np.asarray(rates)
    out = np.empty(values.shape, dtype=object)
    for place in np.ndindex(values.shape):
        out[place] = Dual(values[place], rates[place])
    return out


def rates_of(array) -> np.ndarray:
    """The rates of an array of duals and plain numbers, which have none."""
    return _each(array, lambda number: _parts(number)[1])


def values_of(array) -> np.ndarray:
    """The values of an array of duals and plain numbers."""
    return _each(array, lambda number: _parts(number)[0])


def _each(array, part):
    array = np.asarray(array)
    found = [part(number) for number in array.reshape(-1)]
    out = np.array(found if found else np.zeros(0))
    return out.reshape(array.shape)
