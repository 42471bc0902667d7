"""Pieces of large functions (rolling.py): equal pieces share one C function."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import casadi

from ..trace.dataflow import FlowStep, Value
from .flat import flat_lines
from .text import CFunction, unused


@dataclass(frozen=True, eq=False)
class Template:
    """The computation of equal pieces: results from given values.

    varying: (given, own constants) → values; constants: given → its own constants, and those that others need. None: nothing to compute.
    """

    number: int
    kinds: str
    varying: casadi.Function | None
    constants: casadi.Function | None
    used: dict[str, list[int]]  # indices of the given values that each of them reads


@dataclass(frozen=True)
class CodePiece:
    """Some steps as one call: their given values, and the results that others need, varying or constant."""

    given: list[int]
    varying: list[int]
    constant: list[int]
    template: Template


class Pieces:
    """The templates so far, and a C function of each for every memory order of its values."""

    def __init__(self) -> None:
        self._templates: dict[Any, Template] = {}
        self._named: dict[Any, str] = {}

    def piece(
        self, steps: list[tuple[FlowStep, list[int]]], given: list[int], needed: Collection, constant: set
    ) -> CodePiece:
        """Steps with their required outputs and given values, as a piece that equals others if possible."""
        left = [value for _, outputs in steps for value in outputs if value in needed]
        varying, still = [v for v in left if v not in constant], [v for v in left if v in constant]
        places: dict[Value, str] = {value: f"given {i}" for i, value in enumerate(given)}
        kinds = []
        for i, (step, outputs) in enumerate(steps):
            places |= {value: f"made {i} {value - step.outputs.start}" for value in outputs}
            inputs = tuple(repr(v) if isinstance(v := step.inputs[p], float) else places[v] for p in step.used(outputs))
            kinds.append((step.name, inputs, tuple(value - step.outputs.start for value in outputs)))
        flags = tuple(value in constant for value in given)
        key = (tuple(kinds), tuple(places[v] for v in varying), tuple(places[v] for v in still), flags)
        if key not in self._templates:
            self._templates[key] = _template(len(self._templates) + 1, steps, given, varying, still, flags)
        return CodePiece(given, varying, still, self._templates[key])

    def named(self, template: Template, part: str, reached: tuple[tuple[int, int], ...]) -> str:
        """The C function of a template whose given values are (pointer, offset) each."""
        key = (template, part, reached)
        if key not in self._named:
            name = f"piece_{template.number}" + ("_constants" if part == "constants" else "")
            before = sum(t is template and p == part for t, p, _ in self._named)
            self._named[key] = f"{name}_{before + 1}" if before else name
        return self._named[key]

    def functions(self) -> list[CFunction]:
        return [_c_function(name, *key) for key, name in self._named.items()]


def _template(number: int, steps, given, varying, still, flags) -> Template:
    """The steps on symbols; values that follow only from constants are separate."""
    constants, others = casadi.SX.sym("c", sum(flags)), casadi.SX.sym("v", len(flags) - sum(flags))
    queues = {True: iter(casadi.vertsplit(constants)), False: iter(casadi.vertsplit(others))}
    symbols: list[casadi.SX] = [next(queues[flag]) for flag in flags]
    values: dict[Value, casadi.SX] = dict(zip(given, symbols, strict=True))
    for step, outputs in steps:
        function, reads = step.flat.function, set(step.used(outputs))
        entries = iter(values[v] if i in reads and isinstance(v, int) else casadi.SX(v if i in reads else 0.0) for i, v in enumerate(step.inputs))  # fmt: skip
        columns = [casadi.vertcat(*(next(entries) for _ in range(function.nnz_in(i)))) for i in range(function.n_in())]
        made = casadi.vertsplit(casadi.vertcat(*function.call(columns, True, False)))
        values |= {value: made[value - step.outputs.start] for value in outputs}
    all_given = casadi.vertcat(*symbols)
    left, own = casadi.vertcat(*(values[v] for v in varying)), casadi.SX(0, 1)
    hoisted: list[casadi.SX] = []
    if any(flags) and varying:
        (left,), extracted, hoisted = casadi.extract_parametric([casadi.cse([left])[0]], constants, {})
        own = casadi.vertcat(*extracted)
    kept = casadi.vertcat(*hoisted, *(values[v] for v in still))
    kinds, options = ", ".join(dict.fromkeys(step.name for step, _ in steps)), {"cse": True}
    parts = {
        "varying": casadi.Function(f"piece_{number}", [all_given, own], [casadi.densify(left)], options),
        "constants": casadi.Function(f"piece_{number}_constants", [all_given], [casadi.densify(kept)], options),
    }
    parts = {name: function for name, function in parts.items() if function.nnz_out(0)}
    used = {name: _read(function) for name, function in parts.items()}
    return Template(number, kinds, parts.get("varying"), parts.get("constants"), used)


def _read(function: casadi.Function) -> list[int]:
    """The entries of its first argument that a function reads."""
    inputs = (i for i in range(function.n_instructions()) if function.instruction_id(i) == casadi.OP_INPUT)
    return sorted(place for argument, place in map(function.instruction_input, inputs) if argument == 0)


def _c_function(name: str, template: Template, part: str, reached: tuple[tuple[int, int], ...]) -> CFunction:
    """The C of a template, which reads and writes values in place."""
    at = dict(zip(template.used[part], reached, strict=True))

    def given(argument: int, entry: int) -> str:
        return f"own[{entry}]" if argument else "p{}[{}]".format(*at[entry])

    function = template.varying if part == "varying" else template.constants
    assert function is not None
    lines = flat_lines(function, given, lambda _, entry: f"left[{entry}]", _never)
    pointers = [f"const real *restrict p{i}" for i in range(1 + max((p for p, _ in reached), default=-1))]
    if part == "varying" and template.constants is not None:
        pointers.append("const real *restrict own")
        lines.lines[:0] = unused("own")  # some constants are for other pieces
    return CFunction(name, ", ".join([*pointers, "real *restrict left"]), lines.lines, comment=template.kinds)


def _never(function: casadi.Function) -> int:
    raise AssertionError(f"{function.name()} is called in a piece, whose steps are flat")
