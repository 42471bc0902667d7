"""Equations as straight-line Python: run once on scalars that record, then compiled, ten times faster than on arrays.

NumPy's overhead is per call, and the arrays of a body are tiny: a tree of a few bodies spends a millisecond on a
few thousand multiplications. Recorded, each of them is one line `v7 = v3*v5` of a function that Python compiles;
equal lines are written once, and what zeros and ones make trivial is left out. The Python FMU runs on this.
Needs numpy alone. Recorded = plain to round-off: tests/python_fmu/test_recording.py.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from .system import Staged, System

_FUNCTIONS = {
    **{name: getattr(math, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "floor", "ceil")},
    **{"arcsin": math.asin, "arccos": math.acos, "arctan": math.atan, "arctan2": math.atan2},
}  # fmt: skip
_COMMUTATIVE = ("+", "*")


class Tape:
    """The lines recorded so far."""

    def __init__(self):
        self.lines: list[str] = []
        self.names: dict[str, str] = {}

    def put(self, expression: str) -> Recorded:
        name = self.names.get(expression)
        if name is None:
            name = self.names[expression] = f"v{len(self.lines)}"
            self.lines.append(f"{name}={expression}")
        return Recorded(self, name)

    def inputs(self, name: str, count: int) -> np.ndarray:
        """`count` fresh scalars, the arguments of the recorded function."""
        entries = np.empty(count, dtype=object)
        entries[:] = [Recorded(self, f"{name}{i}") for i in range(count)]
        return entries


class Recorded:
    """A scalar: the name of a line, or a number. Whatever would need its value raises, as for any symbol."""

    __slots__ = ("tape", "text", "number")

    def __init__(self, tape: Tape, text: str = "", number: float | None = None):
        if number is not None and number != number:
            raise ValueError("an equation used an undefined number (NaN)")
        self.tape, self.text, self.number = tape, repr(number) if number is not None else text, number

    def _with(self, operator: str, other, reflected: bool = False):
        if isinstance(other, np.ndarray):
            return NotImplemented  # NumPy broadcasts and calls back with scalars
        other = other if isinstance(other, Recorded) else Recorded(self.tape, number=float(other))
        a, b = (other, self) if reflected else (self, other)
        known = _simplified(operator, a, b)
        if known is not None:
            return known
        left, right = sorted((a.text, b.text)) if operator in _COMMUTATIVE else (a.text, b.text)
        return self.tape.put(f"{left}{operator}{right}" if right[0] != "-" else f"{left}{operator}({right})")

    def _call(self, name: str, *others):
        if self.number is not None and not others:
            return Recorded(self.tape, number=float(_FUNCTIONS[name](self.number)))
        others = [_text(other) for other in others]
        return self.tape.put(f"{name}({','.join([self.text, *others])})")

    def __neg__(self):
        return Recorded(self.tape, number=-self.number) if self.number is not None else self.tape.put(f"-{self.text}")

    def __pos__(self):
        return self

    def __pow__(self, power):
        if not isinstance(power, int | float) or power not in (2, 3, 4):
            return self.tape.put(f"({self.text})**{_text(power)}")
        square = self * self
        return {2: square, 3: square * self, 4: square * square}[power]

    def __rpow__(self, base):
        return self.tape.put(f"{_text(base)}**{self.text}")

    def conjugate(self):
        return self

    def select(self, if_true, if_false):
        """This scalar read as a condition."""
        if self.number is not None:
            return if_true if self.number else if_false
        return self.tape.put(f"{_text(if_true)} if {self.text} else {_text(if_false)}")

    def _refuse(self, *_):
        raise TypeError(
            "a recorded scalar has no value yet: use dynamics.scalar (where, maximum, both, ...) in equations"
        )

    __eq__ = __ne__ = __bool__ = __float__ = __int__ = __abs__ = __round__ = _refuse
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _refuse
    __hash__ = None


def _operator(symbol: str):
    return lambda self, other: self._with(symbol, other), lambda self, other: self._with(symbol, other, reflected=True)


Recorded.__add__, Recorded.__radd__ = _operator("+")
Recorded.__sub__, Recorded.__rsub__ = _operator("-")
Recorded.__mul__, Recorded.__rmul__ = _operator("*")
Recorded.__truediv__, Recorded.__rtruediv__ = _operator("/")
Recorded.__lt__, Recorded.__le__, Recorded.__gt__, Recorded.__ge__ = (_operator(s)[0] for s in ("<", "<=", ">", ">="))
for _name in _FUNCTIONS:  # NumPy's elementwise functions call the method of the same name on each entry
    setattr(
        Recorded,
        f"__{_name}__" if _name in ("floor", "ceil") else _name,
        lambda self, *others, _n=_name: self._call(_n, *others),
    )


def _text(value) -> str:
    text = value.text if isinstance(value, Recorded) else repr(float(value))
    return f"({text})" if text[0] == "-" else text


def _simplified(operator: str, a: Recorded, b: Recorded) -> Recorded | None:
    """What zeros, ones and pairs of numbers make trivial; None if there is something left to compute."""
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


def record(function, sizes: dict[str, int]):
    """The recorded function of one that takes arrays of these sizes ("t" a scalar), as floats; results keep their shapes.

    What NumPy would answer with inf or NaN (a division by zero, the root of a negative number) gives NaN in every result.
    """
    tape = Tape()
    arrays = {name: tape.inputs(name, size) for name, size in sizes.items()}
    found = function(*(array[0] if name == "t" else array for name, array in arrays.items()))
    single = not isinstance(found, tuple | list)
    results = [np.asarray(part) for part in ([found] if single else found)]
    lines = [f"{','.join(f'{name}{i}' for i in range(size))}, = {name}" for name, size in sizes.items() if size]
    lines += [
        *tape.lines,
        f"return [{', '.join('[' + ','.join(_text(e) for e in part.ravel()) + ']' for part in results)}]",
    ]
    scope = dict(_FUNCTIONS, inf=math.inf)
    exec(f"def recorded({','.join(sizes)}):\n " + "\n ".join(lines), scope)
    run, shapes = scope["recorded"], [part.shape for part in results]

    def call(*arguments):
        try:
            parts = run(*((a,) if n == "t" else a.tolist() for n, a in zip(sizes, arguments, strict=True)))
        except (ArithmeticError, ValueError):
            parts = [[math.nan] * math.prod(shape) for shape in shapes]
        parts = [np.array(part, float).reshape(shape) for part, shape in zip(parts, shapes, strict=True)]
        return parts[0] if single else tuple(parts)

    return call


def recorded(system: System) -> System:
    """The same System on recorded equations, for floats only."""
    point = {"t": 1, "x": system.nx, "u": system.nu, "k": system.nk, "d": system.nd}

    def staged(stage: Staged, sizes) -> Staged:
        solved = {"z": stage.n, "multipliers": stage.m, "carry": stage.carry}
        assemble = stage.assemble and record(stage.assemble, sizes)
        return replace(stage, assemble=assemble, finish=record(stage.finish, sizes | solved))

    return replace(
        system,
        motion=staged(system.motion, point),
        update=system.update and staged(system.update, point | {"g": system.ng}),
        projections=tuple(replace(p, stage=staged(p.stage, point)) for p in system.projections),
    )
