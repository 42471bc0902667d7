"""Scalars that record the operations on them: a tape without repeated and trivial operations. recording.py compiles it."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .dual import Dual
from .scalar import FLOATS, contract, contract_twice, spd_reduce

FUNCTIONS = {
    **{name: getattr(math, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "floor", "ceil")},
    **{"arcsin": math.asin, "arccos": math.acos, "arctan": math.atan, "arctan2": math.atan2},
}  # fmt: skip
_COMMUTATIVE = ("+", "*")


class Tape:
    """The operations recorded so far: name → (form, operands), the form with a place {} for each operand.

    `functions`: what forms call beside elementary functions, by name: operations on whole arrays.
    """

    def __init__(self):
        self.operations: dict[str, tuple[str, tuple[str, ...]]] = {}
        self.names: dict[tuple, str] = {}
        self.functions: dict[str, Callable] = {}

    def put(self, form: str, *operands) -> Recorded:
        operation = (form, tuple(map(text_of, operands)))
        name = self.names.get(operation)
        if name is None:
            name = self.names[operation] = f"v{len(self.names)}"
            self.operations[name] = operation
        return Recorded(self, name)

    def put_whole(self, function: Callable, shapes: list[tuple[int, ...]], *arrays) -> list[np.ndarray]:
        """One operation on whole arrays: results of these shapes, each entry a separate scalar."""
        name = f"whole{len(self.functions)}"
        given = [np.shape(array) for array in arrays]
        ends = np.cumsum([0, *map(math.prod, given)]).tolist()

        def call(*entries):
            numbers = np.array(entries, float)
            parts = [numbers[ends[i] : ends[i + 1]].reshape(shape) for i, shape in enumerate(given)]
            return np.concatenate([np.ravel(result) for result in function(*parts)]).tolist()

        self.functions[name] = call
        row = self.put(
            f"{name}({','.join(['{}'] * ends[-1])})", *(entry for array in arrays for entry in np.ravel(array))
        )
        entries = np.empty(sum(map(math.prod, shapes)), dtype=object)
        entries[:] = [self.put(f"{{}}[{i}]", row) for i in range(len(entries))]
        places = np.cumsum([math.prod(shape) for shape in shapes])[:-1]
        return [part.reshape(shape) for part, shape in zip(np.split(entries, places), shapes, strict=True)]

    def inputs(self, name: str, count: int) -> np.ndarray:
        """`count` fresh scalars, the arguments of the recorded function."""
        entries = np.empty(count, dtype=object)
        entries[:] = [Recorded(self, f"{name}{i}") for i in range(count)]
        return entries


def _operator(symbol: str):
    """The method of a binary operator, and the reflected one."""
    return lambda self, other: self._with(symbol, other), lambda self, other: self._with(symbol, other, reflected=True)


class Recorded:
    """A scalar: the name of a line, or a number. Operations that need its value raise, as for any symbol."""

    __slots__ = ("tape", "text", "number")

    def __init__(self, tape: Tape, text: str = "", number: float | None = None):
        if number is not None and number != number:
            raise ValueError("an equation used an undefined number (NaN)")
        self.tape, self.text, self.number = tape, repr(number) if number is not None else text, number

    def _with(self, operator: str, other, reflected: bool = False):
        if isinstance(other, (np.ndarray, Dual)):
            return NotImplemented  # NumPy broadcasts and calls back with scalars; a dual of recorded scalars takes over
        other = other if isinstance(other, Recorded) else Recorded(self.tape, number=float(other))
        a, b = (other, self) if reflected else (self, other)
        known = _simplified(operator, a, b)
        if known is not None:
            return known
        if operator in _COMMUTATIVE:
            a, b = sorted((a, b), key=lambda scalar: scalar.text)
        return self.tape.put(f"{{}}{operator}{{}}", a, b)

    __add__, __radd__ = _operator("+")
    __sub__, __rsub__ = _operator("-")
    __mul__, __rmul__ = _operator("*")
    __truediv__, __rtruediv__ = _operator("/")
    __lt__, __le__, __gt__, __ge__ = (_operator(symbol)[0] for symbol in ("<", "<=", ">", ">="))

    def _call(self, name: str, *others):
        if self.number is not None and not others:
            return Recorded(self.tape, number=float(FUNCTIONS[name](self.number)))
        places = ",".join(["{}"] * (1 + len(others)))
        return self.tape.put(f"{name}({places})", self, *others)

    def __neg__(self):
        return Recorded(self.tape, number=-self.number) if self.number is not None else self.tape.put("-{}", self)

    def __pos__(self):
        return self

    def __pow__(self, power):
        if not isinstance(power, int | float) or power not in (2, 3, 4):
            return self.tape.put("{}**{}", self, power)
        square = self * self
        return {2: square, 3: square * self, 4: square * square}[power]

    def __rpow__(self, base):
        return self.tape.put("{}**{}", base, self)

    def conjugate(self):
        return self

    def select(self, if_true, if_false):
        """This scalar as a condition."""
        if self.number is not None:
            return if_true if self.number else if_false
        return self.tape.put("{1} if {0} else {2}", self, if_true, if_false)

    def contracted(self, table, vector, start):
        """As `spacefmu.dynamics.algebra.scalar.contract`, by NumPy when it runs."""
        (result,) = self.tape.put_whole(lambda v: [contract(table, v, start)], [table.shape[1:]], vector)
        return result

    def as_one(self, function, vector):
        """As `spacefmu.dynamics.algebra.scalar.as_one`, by NumPy when it runs."""
        shape = function(np.ones(len(vector)), FLOATS).shape
        (result,) = self.tape.put_whole(lambda v: [function(v, FLOATS)], [shape], vector)
        return result

    def contracted_twice(self, table, vector, start, rows, column):
        """As `spacefmu.dynamics.algebra.scalar.contract_twice`."""
        shapes = [(len(rows), len(column)), (table.shape[1],)]
        given = (vector, rows, column)
        return self.tape.put_whole(lambda v, r, c: contract_twice(table, v, start, r, c), shapes, *given)

    def reduced(self, matrix, right_side, added):
        """As `spacefmu.dynamics.algebra.scalar.spd_reduce`; NaN of what is not positive definite."""
        k = right_side.shape[1]
        shapes = [right_side.shape, (k, k)]

        def solve(matrix, right_side, *parts):
            try:
                return spd_reduce(matrix, right_side, list(zip(parts[::2], parts[1::2], strict=True)))
            except np.linalg.LinAlgError:
                return [np.full(shape, np.nan) for shape in shapes]

        return self.tape.put_whole(solve, shapes, matrix, right_side, *(part for pair in added for part in pair))

    def _refuse(self, *_):
        raise TypeError(
            "a recorded scalar has no value yet: use spacefmu.dynamics.algebra.scalar (where, maximum, both, ...) in equations"
        )

    __eq__ = __ne__ = __bool__ = __float__ = __int__ = __abs__ = __round__ = _refuse
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _refuse
    __hash__ = None  # type: ignore[assignment]  # not hashable, unlike other objects


for _name in FUNCTIONS:  # NumPy's elementwise functions call the method of the same name on each entry
    setattr(
        Recorded,
        f"__{_name}__" if _name in ("floor", "ceil") else _name,
        lambda self, *others, _n=_name: self._call(_n, *others),
    )


def text_of(value) -> str:
    text = value.text if isinstance(value, Recorded) else repr(float(value))
    return f"({text})" if text[0] == "-" else text


def _simplified(operator: str, a: Recorded, b: Recorded) -> Recorded | None:
    """The result if zeros, ones or two numbers make the operation trivial, else None."""
    x, y = a.number, b.number
    if x is not None and y is not None:
        values = {"+": x + y, "-": x - y, "*": x * y, "<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}
        return Recorded(a.tape, number=float(x / y if operator == "/" else values[operator]))
    if (operator in ("*", "/") and x == 0.0) or (operator == "*" and y == 0.0):
        return Recorded(a.tape, number=0.0)
    if (operator in ("+", "-") and y == 0.0) or (operator in ("*", "/") and y == 1.0):
        return a
    if (operator == "+" and x == 0.0) or (operator == "*" and x == 1.0):
        return b
    if (operator == "-" and x == 0.0) or (operator == "*" and x == -1.0):
        return -b
    return -a if operator == "*" and y == -1.0 else None
