"""Equations as straight-line Python: run once on scalars that record, then compiled, far faster than on arrays.

NumPy's overhead is per call, and the arrays of a body are tiny: a tree of a few bodies spends a millisecond on a
few thousand multiplications. Recorded, each of them is one operation of a function that Python compiles: equal ones are done once,
operations that are trivial (with zeros and ones) or unused are left out, and values used once are inlined. The Python FMU runs on this.
Needs only numpy. Recorded = plain to round-off: tests/system/test_recording.py.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np

from ..algebra.tape import FUNCTIONS, Tape, text_of
from .contract import Staged, System

_NUMPY_FUNCTIONS = {name: getattr(np, name) for name in FUNCTIONS}
_NESTED = 20  # levels of parentheses in one line; Python's parser allows 200


def _uses(tape: Tape, results: list[str]) -> Counter:
    """How often each scalar is used for the results; unused ones are not included."""
    uses, left = Counter(results), [name for name in set(results) if name in tape.operations]
    while left:
        for operand in tape.operations[left.pop()][1]:
            uses[operand] += 1
            if uses[operand] == 1 and operand in tape.operations:
                left.append(operand)
    return uses


def _straight_line(tape: Tape, results: list[str]) -> tuple[list[str], list[str]]:
    """Assignments, and then the expressions of the results.

    Values used once become part of the expression that uses them. A variable is reused after the last use of its value: few numbers are
    alive at the same time, which saves heap allocations in Python.
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

    apart: a tuple of functions instead, one per result, each with only the operations of that result. A division by zero or the root of a
    negative number, for which Python raises, gives NumPy's result: inf or NaN in the results that depend on it, and in no others.
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
        [{places[name] for name in _uses(tape, [text_of(entry)]) if name in places} for entry in np.ravel(part)]
        for part in found
    )


def _compiled(tape: Tape, sizes: dict[str, int], found, single: bool):
    """The function that computes these results; a single one is returned by itself."""
    results = [np.asarray(part) for part in found]
    shapes = [part.shape for part in results]
    lines, texts = _straight_line(tape, [text_of(entry) for part in results for entry in part.ravel()])
    given = [f"{','.join(f'{name}{i}' for i in range(size))}, = {name}" for name, size in sizes.items() if size]
    source = f"def recorded({','.join(sizes)}):\n " + "\n ".join([*given, *lines, f"return [{', '.join(texts)}]"])
    code = compile(source, "recorded", "exec")

    def defined(functions):
        scope = dict(functions, **tape.functions, inf=math.inf)
        exec(code, scope)
        return scope["recorded"]

    run, ends = defined(FUNCTIONS), np.cumsum([0, *map(math.prod, shapes)]).tolist()
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
