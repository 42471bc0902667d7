"""The dataflow of a function by scalar values: which step computes each value, and from which other values.

A large System's functions are calls of one function per kind of joint or body (sharing.py). Between the calls CasADi concatenates and splits columns; per
scalar value this only moves data and needs no operation. Dependencies, the values that are needed, and C without copies (rolling.py) follow call by call: each
kind of function is analysed once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

import casadi
import numpy as np

Value = (
    int | float
)  # a value that is computed or given is identified by its number (int); a constant is its own value (float)


class NoDataflow(Exception):
    """The function contains more than calls of flat functions and elementwise operations."""


@dataclass(frozen=True)
class Flat:
    """A flat function of columns, with the entries of its arguments on which each entry of its results depends."""

    function: casadi.Function

    @cached_property
    def depends(self) -> list[tuple[int, ...]]:
        """For each entry of the results (all results concatenated), the sorted entries of the concatenated arguments on which it depends."""
        f = self.function
        starts = np.cumsum([0, *(f.nnz_in(i) for i in range(f.n_in()))]).tolist()
        masks: list[int] = [0] * f.sz_w()
        found: list[list[int]] = [[0] * f.nnz_out(o) for o in range(f.n_out())]
        for i in range(f.n_instructions()):
            operation, given, made = f.instruction_id(i), f.instruction_input(i), f.instruction_output(i)
            if operation == casadi.OP_INPUT:
                masks[made[0]] = 1 << (starts[given[0]] + given[1])
            elif operation == casadi.OP_OUTPUT:
                found[made[0]][made[1]] = masks[given[0]]
            elif operation == casadi.OP_CONST:
                masks[made[0]] = 0
            elif operation == casadi.OP_CALL:
                raise NoDataflow(f"{f.name()} calls another function")
            else:
                masks[made[0]] = masks[given[0]] | masks[given[-1]]
        return [bits(mask) for column in found for mask in column]

    @cached_property
    def _reads(self) -> dict[tuple[int, ...], tuple[int, ...]]:
        return {}

    def reads(self, outputs: tuple[int, ...]) -> tuple[int, ...]:
        """The entries of the arguments, in order, that some entries of the results depend on; cached, because steps of one kind repeat the same query."""
        found = self._reads.get(outputs)
        if found is None:
            found = tuple(sorted({place for output in outputs for place in self.depends[output]}))
            self._reads[outputs] = found
        return found


def bits(mask: int) -> tuple[int, ...]:
    """The places of the ones in a number, smallest first."""
    return tuple(i for i, digit in enumerate(reversed(bin(mask))) if digit == "1")


@dataclass(frozen=True)
class FlowStep:
    """One call of a flat function: its input values, and its computed values, which have consecutive numbers."""

    flat: Flat
    inputs: list[Value]
    outputs: range

    @property
    def name(self) -> str:
        return self.flat.function.name()

    def used(self, wanted: Sequence[int]) -> tuple[int, ...]:
        """The sorted places of the inputs on which the wanted outputs depend."""
        first = self.outputs.start
        return self.flat.reads(tuple([output - first for output in wanted]))


@dataclass(frozen=True)
class Dataflow:
    """All steps of a function in a valid order of execution; arguments and results as values."""

    function: casadi.Function
    arguments: list[range]
    steps: list[FlowStep]
    results: list[list[Value]]

    def wanted(self) -> list[list[int]]:
        """The outputs of each step that a result depends on."""
        needed = {value for column in self.results for value in column if isinstance(value, int)}
        found: list[list[int]] = []
        for step in reversed(self.steps):
            found.append([value for value in step.outputs if value in needed])
            inputs = (step.inputs[place] for place in step.used(found[-1]))
            needed.update(value for value in inputs if isinstance(value, int))
        return found[::-1]

    def sent_through(self, masks: Sequence[Sequence[int]]) -> list[list[int]]:
        """For each entry of the results the knowns on which it depends, as the bits of a number, given the same for each entry of the arguments."""
        known: list[int] = [mask for column in masks for mask in column]
        for step in self.steps:
            given = [known[value] if isinstance(value, int) else 0 for value in step.inputs]
            for places in step.flat.depends:
                mask = 0
                for place in places:
                    mask |= given[place]
                known.append(mask)
        return [[known[value] if isinstance(value, int) else 0 for value in column] for column in self.results]


def dataflow_of(function: casadi.Function) -> Dataflow:
    """The dataflow of a function; NoDataflow if it contains operations on whole matrices."""
    return _Tracer(function).read()


@dataclass
class _Tracer:
    function: casadi.Function
    steps: list[FlowStep] = field(default_factory=list)
    known: dict[int, Flat] = field(default_factory=dict)  # the dependencies of each flat function are found once

    def read(self) -> Dataflow:
        f = self.function
        sizes = [f.nnz_in(i) for i in range(f.n_in())]
        starts = np.cumsum([0, *sizes]).tolist()
        self.arguments = [range(start, start + size) for start, size in zip(starts, sizes, strict=False)]
        self.number = starts[-1]  # of the next value
        self.results: list[list[Value]] = [[] for _ in range(f.n_out())]
        if f.is_a("SXFunction"):
            made = self._step(self._flat(f), [value for argument in self.arguments for value in argument])
            ends = np.cumsum([f.nnz_out(i) for i in range(f.n_out())]).tolist()
            self.results = [list(made[end - f.nnz_out(i) : end]) for i, end in enumerate(ends)]
        else:
            self.columns: dict[int, list[Value]] = {}
            for i in range(f.n_instructions()):
                self._instruction(i, f.instruction_id(i))
        return Dataflow(f, self.arguments, self.steps, self.results)

    def _flat(self, function: casadi.Function) -> Flat:
        if not function.is_a("SXFunction"):
            raise NoDataflow(f"{function.name()} is not flat")
        return self.known.setdefault(function.__hash__(), Flat(function))

    def _step(self, flat: Flat, inputs: list[Value]) -> range:
        flat.depends  # noqa: B018 NoDataflow here and not later
        size = len(flat.depends)
        outputs = range(self.number, self.number + size)
        self.number += size
        self.steps.append(FlowStep(flat, inputs, outputs))
        return outputs

    def _instruction(self, i: int, operation: int) -> None:
        f = self.function
        given, made = f.instruction_input(i), f.instruction_output(i)
        if operation == casadi.OP_INPUT:
            node = f.instruction_MX(i)
            start = node.info()["offset"]
            self.columns[made[0]] = list(self.arguments[given[0]][start : start + node.nnz()])
            return
        columns = [self.columns[slot] for slot in given]
        if operation == casadi.OP_OUTPUT:
            self.results[made[0]] += columns[0]
        elif operation == casadi.OP_CALL:
            called = f.instruction_MX(i).which_function()
            outputs = self._step(self._flat(called), [value for column in columns for value in column])
            self._split(outputs, made, [called.nnz_out(o) for o in range(called.n_out())])
        elif operation in _PUT_TOGETHER:
            self.columns[made[0]] = [value for column in columns for value in column]
        elif operation == casadi.OP_VERTSPLIT:
            offset = f.instruction_MX(i).info()["offset"]
            if len(columns[0]) != offset[-1]:
                raise NoDataflow(f"{f.name()} splits a matrix")
            self._split(columns[0], made, np.diff(offset).tolist())
        elif operation == casadi.OP_CONST:
            self.columns[made[0]] = [float(number) for number in f.instruction_MX(i).to_DM().nonzeros()]
        elif operation == casadi.OP_GETNONZEROS:
            places = f.instruction_MX(i).mapping().nonzeros()
            self.columns[made[0]] = [columns[0][int(place)] if place >= 0 else 0.0 for place in places]
        elif operation in _PROJECTIONS:
            node = f.instruction_MX(i)
            before = dict(zip(node.dep(0).sparsity().find(), columns[0], strict=True))
            self.columns[made[0]] = [before.get(place, 0.0) for place in node.sparsity().find()]
        elif operation in _ON_EACH:
            flat = _on_each(operation, tuple(map(len, columns)))
            self.columns[made[0]] = list(self._step(flat, [value for column in columns for value in column]))
        else:
            raise NoDataflow(f"{f.name()} has an operation {operation} that is not on each entry")

    def _split(self, values: Sequence[Value], slots: Sequence[int], sizes: Sequence[int]) -> None:
        start = 0
        for slot, size in zip(slots, sizes, strict=True):
            if slot >= 0:
                self.columns[slot] = list(values[start : start + size])
            start += size


_PUT_TOGETHER = {casadi.OP_VERTCAT, casadi.OP_HORZCAT, casadi.OP_RESHAPE}  # of columns and their entries, in order
_PROJECTIONS = {casadi.OP_PROJECT}
_ONE = "NEG EXP LOG SQRT SQ TWICE SIN COS TAN ASIN ACOS ATAN SINH COSH TANH FLOOR CEIL FABS SIGN NOT INV"
_TWO = "ADD SUB MUL DIV POW CONSTPOW ATAN2 LT LE EQ NE AND OR FMIN FMAX IF_ELSE_ZERO"
_ON_EACH = {getattr(casadi, f"OP_{name}") for name in f"{_ONE} {_TWO}".split()}


@cache
def _on_each(operation: int, sizes: tuple[int, ...]) -> Flat:
    """An elementwise operation on columns; a column with one entry is broadcast."""
    columns: list[casadi.SX] = [casadi.SX.sym(f"a{i}", size) for i, size in enumerate(sizes)]
    result = (casadi.SX.unary if len(sizes) == 1 else casadi.SX.binary)(operation, *columns)
    name = "_".join(map(str, ("each", operation, *sizes)))
    return Flat(casadi.Function(name, columns, [casadi.densify(result)]))
