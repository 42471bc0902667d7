"""Equations as straight-line Python: run once on scalars that record, then compiled, far faster than on arrays.

NumPy's overhead is per call, and the arrays of a body are tiny: a tree of a few bodies spends a millisecond on a
few thousand multiplications. Recorded, each of them is one operation of a function that Python compiles: equal ones
are done once, what zeros and ones make trivial or no result needs is left out, and what is used once stands where it is
used. The Python FMU runs on this. Needs numpy alone. Recorded = plain to round-off: tests/python_fmu/test_recording.py.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from .scalar import contract, contract_twice, spd_reduce
from .system import Staged, System

_FUNCTIONS = {
    **{name: getattr(math, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "floor", "ceil")},
    **{"arcsin": math.asin, "arccos": math.acos, "arctan": math.atan, "arctan2": math.atan2},
}  # fmt: skip
_NUMPY_FUNCTIONS = {name: getattr(np, name) for name in _FUNCTIONS}
_COMMUTATIVE = ("+", "*")
_NESTED = 20  # levels of parentheses in one line; Python's parser knows 200


class Tape:
    """The operations recorded so far: name → (form, operands), the form with a place {} for each operand.

    `functions`: what forms call beside elementary functions, by name: operations on whole arrays.
    """

    def __init__(self):
        self.operations: dict[str, tuple[str, tuple[str, ...]]] = {}
        self.names: dict[tuple, str] = {}
        self.functions: dict[str, Callable] = {}

    def put(self, form: str, *operands) -> Recorded:
        operation = (form, tuple(map(_text, operands)))
        name = self.names.get(operation)
        if name is None:
            name = self.names[operation] = f"v{len(self.names)}"
            self.operations[name] = operation
        return Recorded(self, name)

    def put_whole(self, function: Callable, shapes: list[tuple[int, ...]], *arrays) -> list[np.ndarray]:
        """An operation that stays one, on arrays: results of these shapes, each entry a scalar of its own."""
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
        if operator in _COMMUTATIVE:
            a, b = sorted((a, b), key=lambda scalar: scalar.text)
        return self.tape.put(f"{{}}{operator}{{}}", a, b)

    def _call(self, name: str, *others):
        if self.number is not None and not others:
            return Recorded(self.tape, number=float(_FUNCTIONS[name](self.number)))
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
        """This scalar read as a condition."""
        if self.number is not None:
            return if_true if self.number else if_false
        return self.tape.put("{1} if {0} else {2}", self, if_true, if_false)

    def contracted(self, table, vector, start):
        """As `dynamics.scalar.contract`, by NumPy when it runs."""
        (result,) = self.tape.put_whole(lambda v: [contract(table, v, start)], [table.shape[1:]], vector)
        return result

    def contracted_twice(self, table, vector, start, rows, column):
        """As `dynamics.scalar.contract_twice`."""
        shapes = [(len(rows), len(column)), (table.shape[1],)]
        given = (vector, rows, column)
        return self.tape.put_whole(lambda v, r, c: contract_twice(table, v, start, r, c), shapes, *given)

    def reduced(self, matrix, right_side, added):
        """As `dynamics.scalar.spd_reduce`; NaN of what is not positive definite."""
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


def _uses(tape: Tape, results: list[str]) -> Counter:
    """How often each scalar is used on the way to the results; what they do not need is not in it."""
    uses, left = Counter(results), [name for name in set(results) if name in tape.operations]
    while left:
        for operand in tape.operations[left.pop()][1]:
            uses[operand] += 1
            if uses[operand] == 1 and operand in tape.operations:
                left.append(operand)
    return uses


def _straight_line(tape: Tape, results: list[str]) -> tuple[list[str], list[str]]:
    """Assignments, and the expressions that stand for the results after them.

    What is used once becomes part of the expression that uses it. A variable whose value has been used for the last
    time is assigned anew: few numbers are alive at once, so that Python need not go to the heap for each.
    """
    uses = _uses(tape, results)
    lines, free, made = [], [], 0
    text: dict[str, str] = {}  # of a scalar: its variable, or its expression in parentheses
    depth: dict[str, int] = {}  # of such an expression
    inside: dict[str, list[str]] = {}  # the scalars in it that have variables
    left = {name: uses[name] for name in tape.operations if name in uses}
    for name in left.copy():
        form, operands = tape.operations[name]
        expression = form.format(*(text.get(operand, operand) for operand in operands))
        level = 1 + max(depth.get(operand, 0) for operand in operands)
        held = [each for operand in operands for each in inside.get(operand, [operand])]
        if uses[name] == 1 and level < _NESTED:
            text[name], depth[name], inside[name] = f"({expression})", level, held
            continue
        for each in (each for each in held if each in left):
            left[each] -= 1
            if left[each] == 0:
                free.append(text[each])
        if not free:
            free, made = [f"v{made}"], made + 1
        text[name] = free.pop()
        lines.append(f"{text[name]}={expression}")
    return lines, [text.get(result, result) for result in results]


def record(function, sizes: dict[str, int], apart: bool = False):
    """The recorded function of one that takes arrays of these sizes ("t" a scalar), as floats; results keep their shapes.

    apart: a tuple of functions instead, one a result, each with what that result needs alone.
    A division by zero or the root of a negative number, at which Python stops, gives what NumPy makes of it: inf or NaN in
    the results that it reaches, and in no other.
    """
    tape = Tape()
    arrays = {name: tape.inputs(name, size) for name, size in sizes.items()}
    found = function(*(array[0] if name == "t" else array for name, array in arrays.items()))
    if apart:
        return tuple(_compiled(tape, sizes, [part], True) for part in found)
    single = not isinstance(found, tuple | list)
    return _compiled(tape, sizes, [found] if single else found, single)


def needed(function, sizes: dict[str, int]) -> tuple[list[set[tuple[str, int]]], ...]:
    """Of each entry of each result: the entries (name, place) of the arguments it depends on. TypeError as for `record`."""
    tape = Tape()
    arrays = {name: tape.inputs(name, size) for name, size in sizes.items()}
    found = function(*(array[0] if name == "t" else array for name, array in arrays.items()))
    places = {f"{name}{i}": (name, i) for name, size in sizes.items() for i in range(size)}
    return tuple(
        [{places[name] for name in _uses(tape, [_text(entry)]) if name in places} for entry in np.ravel(part)]
        for part in found
    )


def _compiled(tape: Tape, sizes: dict[str, int], found, single: bool):
    """The function that computes these results; a single one is returned by itself."""
    results = [np.asarray(part) for part in found]
    shapes = [part.shape for part in results]
    lines, texts = _straight_line(tape, [_text(entry) for part in results for entry in part.ravel()])
    given = [f"{','.join(f'{name}{i}' for i in range(size))}, = {name}" for name, size in sizes.items() if size]
    source = f"def recorded({','.join(sizes)}):\n " + "\n ".join([*given, *lines, f"return [{', '.join(texts)}]"])
    code = compile(source, "recorded", "exec")

    def defined(functions):
        scope = dict(functions, **tape.functions, inf=math.inf)
        exec(code, scope)
        return scope["recorded"]

    run, ends = defined(_FUNCTIONS), np.cumsum([0, *map(math.prod, shapes)]).tolist()
    places = [(slice(*ends[i : i + 2]), shape) for i, shape in enumerate(shapes)]

    def call(*arguments):
        try:
            flat = run(*[(a,) if n == "t" else a.tolist() for n, a in zip(sizes, arguments, strict=True)])
        except (ArithmeticError, ValueError):  # the same lines on NumPy's numbers, which never raise
            with np.errstate(all="ignore"):
                flat = defined(_NUMPY_FUNCTIONS)(*map(np.atleast_1d, arguments))
        values = np.array(flat, float)
        parts = [values[place].reshape(shape) for place, shape in places]
        return parts[0] if single else tuple(parts)

    return call


def recorded(system: System) -> System:
    """The same System on recorded equations, for floats only."""
    point = {"t": 1, "x": system.nx, "u": system.nu, "k": system.nk, "d": system.nd}

    def staged(stage: Staged, sizes, apart=False) -> Staged:
        solved = sizes | {"z": stage.n, "multipliers": stage.m, "carry": stage.carry}
        assemble = stage.assemble and record(stage.assemble, sizes)
        finish = record(stage.finish, solved, apart)
        if not apart:
            return replace(stage, assemble=assemble, finish=finish)
        return replace(stage, assemble=assemble, finish=lambda *a: tuple(part(*a) for part in finish), parts=finish)

    return replace(
        system,
        motion=staged(system.motion, point, apart=True),
        update=system.update and staged(system.update, point | {"g": system.ng}),
        projections=tuple(replace(p, stage=staged(p.stage, point)) for p in system.projections),
    )
