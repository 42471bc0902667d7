"""C of a function of columns and matrices (CasADi's MX): its instruction list as loops, and calls of runtime/core/matrices.h.

A value of one entry is a variable, a longer one is in the work array. Arguments and tables are read in place: only computed values are
written. The order of operations is that of CasADi's virtual machine, also of the sums in products.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import casadi
import numpy as np

from .flat import Called, Lines
from .operations import NotWritten, number, operation
from .storage import Storage
from .text import MARK, Tables

FEW = 4  # entries up to which a copy is written out


@dataclass
class Whole:
    """The instructions of one function, taken one after the other."""

    function: casadi.Function
    given: list[str]  # arrays of its arguments,
    left: list[str]  # and of its results
    tables: Tables
    called: Called
    found: Lines = field(default_factory=Lines)

    def lines(self) -> Lines:
        f = self.function
        self._instructions = [
            (f.instruction_id(i), f.instruction_input(i), f.instruction_output(i), f.instruction_MX(i))
            for i in range(f.n_instructions())
        ]
        self._reserve()
        self.places: dict[int, Storage] = {}
        self.filled: dict[int, int] = {}
        self.written: set[int] = set()  # slots; of others parts of arguments are read in place
        for op, given, made, node in self._instructions:
            self._instruction(op, given, made, node)
        variables = [place.array for slot, place in self.own.items() if place.variable and slot in self.written]
        self.found.lines[:0] = [f"real {', '.join(variables[i : i + 40])};" for i in range(0, len(variables), 40)]
        return self.found

    def _reserve(self) -> None:
        """A separate place for each slot of the list in which something is computed, and room for unused results: slot -1."""
        sizes: dict[int, int] = {}
        unwanted = 0
        for op, _, made, node in self._instructions:
            if op in (casadi.OP_OUTPUT, casadi.OP_INPUT) or (op == casadi.OP_CONST and node.nnz() > 1):
                continue
            if op == casadi.OP_CALL:
                function = node.which_function()
                each = [function.nnz_out(i) for i in range(function.n_out())]
            elif op == casadi.OP_VERTSPLIT:
                each = np.diff(node.info()["offset"]).tolist()
            else:
                each = [node.nnz()]
            for slot, size in zip(made, each, strict=True):
                if slot >= 0:
                    sizes[slot] = max(size, sizes.get(slot, 0))
            unwanted = max(unwanted, sum(size for slot, size in zip(made, each, strict=True) if slot < 0))
        self.own: dict[int, Storage] = {}
        start = unwanted
        for slot, size in sorted(sizes.items()):
            variable = size == 1
            self.own[slot] = Storage(f"v{slot}", 0, 1, variable=True) if variable else Storage("w", start, size)
            start += 0 if variable else size
        self.used = self.found.room = start

    def _instruction(self, op: int, given: list[int], made: list[int], node: casadi.MX) -> None:
        if op == casadi.OP_INPUT:
            self.places[made[0]] = Storage(self.given[given[0]], node.info()["offset"], node.nnz(), fixed=True)
            return
        values = [self.places[slot] for slot in given]
        if op in _PLACED:
            _PLACED[op](self, values, made, node)
            return
        target = self._made(made[0], node.nnz())
        if op in _WRITTEN:
            _WRITTEN[op](self, values, target, node)
        else:
            text = operation(op, self.function)
            self._each(target, lambda i: text.format(*(value.entry(i) for value in values)))

    def _each(self, target: Storage, expression: Callable[[int | str], str]) -> None:
        """Every entry of the target by an expression of its index."""
        loop = f"for (int i = 0; i < {target.size}; i++) " if target.size != 1 else ""
        i = "i" if loop else 0
        self.found.lines.append(f"{loop}{target.entry(i)} = {expression(i)};")

    # ---- instructions that place their results themselves: values, slots, node

    def _output(self, values: list[Storage], made: list[int], node: casadi.MX) -> None:
        """Results are in order, in parts."""
        place = Storage(self.left[made[0]], self.filled.get(made[0], 0), values[0].size)
        self.filled[made[0]] = place.start + place.size
        self._copy(values[0], place)

    def _call(self, values: list[Storage], made: list[int], node: casadi.MX) -> None:
        function = node.which_function()
        results, unwanted = [], 0
        for i, slot in enumerate(made):
            size = function.nnz_out(i)
            results.append(self._made(slot, size) if slot >= 0 else Storage("w", unwanted, size))
            unwanted += 0 if slot >= 0 else size
        pointers = [*(place.pointer for place in (*values, *results)), f"w + {self.used}"]
        self.found.lines.append(f"{function.name()}{MARK}({', '.join(pointers)});")
        self.found.calls.add(function.name())
        self._room(self.called(function))

    def _split(self, values: list[Storage], made: list[int], node: casadi.MX) -> None:
        value, offset = values[0], node.info()["offset"]
        if value.size != offset[-1]:
            raise NotWritten(f"{self.function.name()} splits a matrix")
        for slot, start, stop in zip(made, offset[:-1], offset[1:], strict=True):
            if slot < 0:
                continue
            part = value.part(start, stop - start)
            if value.fixed:
                self.places[slot] = part
            else:
                self._copy(part, self._made(slot, part.size))

    def _constant(self, values: list[Storage], made: list[int], node: casadi.MX) -> None:
        numbers = [float(value) for value in node.to_DM().nonzeros()]
        if len(numbers) == 1:
            self.found.lines.append(f"{self._made(made[0], 1).entry(0)} = NUMBER({number(numbers[0])});")
        elif numbers:
            self.places[made[0]] = Storage(self.tables.numbers(numbers), 0, len(numbers), fixed=True)
        else:
            self.places[made[0]] = Storage("w", 0, 0)

    def _taken(self, values: list[Storage], made: list[int], node: casadi.MX) -> None:
        self._gather(values[0], made[0], [int(place) for place in node.mapping().nonzeros()])

    def _projected(self, values: list[Storage], made: list[int], node: casadi.MX) -> None:
        """Onto another pattern."""
        before = {place: i for i, place in enumerate(node.dep(0).sparsity().find())}
        self._gather(values[0], made[0], [before.get(place, -1) for place in node.sparsity().find()])

    def _transposed(self, values: list[Storage], made: list[int], node: casadi.MX) -> None:
        if not node.is_dense():
            self._gather(values[0], made[0], node.dep(0).sparsity().transpose(False)[1])
            return
        rows, columns = node.dep(0).size()
        target = self._made(made[0], node.nnz())
        self.found.lines.append(f"transpose({values[0].pointer}, {rows}, {columns}, {target.pointer});")

    # ---- instructions whose result has a place: values, target, node

    def _joined(self, values: list[Storage], target: Storage, node: casadi.MX) -> None:
        if node.op() == casadi.OP_VERTCAT and not node.is_column():
            raise NotWritten(f"{self.function.name()} puts matrices above each other")
        start = 0
        for value in values:
            self._copy(value, target.part(start, value.size))
            start += value.size

    def _dot(self, values: list[Storage], target: Storage, node: casadi.MX) -> None:
        product = f"{values[0].entry('i')} * {values[1].entry('i')}"
        self.found.lines += [
            f"{target.entry(0)} = NUMBER(0.0);",
            f"for (int i = 0; i < {values[0].size}; i++) {target.entry(0)} += {product};",
        ]

    def _added(self, values: list[Storage], target: Storage, node: casadi.MX) -> None:
        """Reverse mode: what was taken out of a value adds to it."""
        self._copy(values[0], target)
        places = [int(place) for place in node.mapping().nonzeros()]
        self.found.lines += [f"{target.entry(to)} += {values[1].entry(i)};" for i, to in enumerate(places) if to >= 0]

    def _same(self, values: list[Storage], target: Storage, node: casadi.MX) -> None:
        self._copy(values[0], target)

    def _picked(self, values: list[Storage], target: Storage, node: casadi.MX) -> None:
        table, index = values
        picked = f"{target.entry('i')} = PICK({table.pointer}, {index.entry('i')});"
        self.found.lines.append(f"for (int i = 0; i < {target.size}; i++) {picked}")

    def _made(self, slot: int, size: int) -> Storage:
        place = self.own[slot]
        self.written.add(slot)
        self.places[slot] = place if place.variable else place.part(0, size)
        return self.places[slot]

    def _copy(self, value: Storage, to: Storage) -> None:
        if value == to or not to.size:
            return
        if to.size <= FEW:
            self.found.lines += [f"{to.entry(i)} = {value.entry(i)};" for i in range(to.size)]
        else:
            self.found.lines.append(f"memcpy({to.pointer}, {value.pointer}, {to.size} * sizeof(real));")

    def _gather(self, value: Storage, slot: int, entries: list[int]) -> None:
        """Entries of a value, in any order; -1: zero."""
        first, size = entries[0] if entries else 0, len(entries)
        if entries == list(range(first, first + size)) and first >= 0:
            if value.fixed:
                self.places[slot] = value.part(first, size)
            else:
                self._copy(value.part(first, size), self._made(slot, size))
            return
        target = self._made(slot, size)
        if size <= FEW or -1 in entries:
            self.found.lines += [
                f"{target.entry(i)} = {value.entry(entry) if entry >= 0 else 'NUMBER(0.0)'};"
                for i, entry in enumerate(entries)
            ]
        else:
            table = self.tables.integers(entries)
            self.found.lines.append(
                f"for (int i = 0; i < {size}; i++) {target.entry('i')} = ({value.pointer})[{table}[i]];"
            )

    def _room(self, more: int) -> None:
        self.found.room = max(self.found.room, self.used + more)

    def _product(self, values: list[Storage], target: Storage, node: casadi.MX) -> None:
        """target = z + x y."""
        z, x, y = values
        self._copy(z, target)
        rows, inner = node.dep(1).size()
        columns = node.dep(2).size2()
        if node.dep(1).is_dense() and node.dep(2).is_dense() and node.is_dense():
            line = f"add_product({x.pointer}, {rows}, {inner}, {y.pointer}, {columns}, {target.pointer});"
        elif node.dep(2).is_dense() and node.is_dense():
            sizes = f"{rows}, {inner}, {y.pointer}, {columns}"
            line = f"add_sparse_product({x.pointer}, {self._pattern(node.dep(1))}, {sizes}, {target.pointer});"
        elif node.dep(1).is_dense() and node.is_dense():
            factor = f"{y.pointer}, {self._pattern(node.dep(2))}"
            line = f"add_product_of_sparse({x.pointer}, {rows}, {factor}, {columns}, {target.pointer});"
        else:
            self.found.lines += _sparse_product(x, y, target, node)
            return
        self.found.lines.append(line)

    def _pattern(self, matrix: casadi.MX) -> str:
        """Starts of columns, and rows of entries, as arguments."""
        pattern = matrix.sparsity()
        return f"{self.tables.integers(pattern.colind())}, {self.tables.integers(pattern.row())}"

    def _solve(self, values: list[Storage], target: Storage, node: casadi.MX) -> None:
        """target = A⁻¹ b of a symmetric A, as CasADi's "ldl" does: its order of elimination, its pattern of the factor."""
        b, a = values
        self._copy(b, target)
        pattern = node.dep(1).sparsity()
        factor, order = pattern.ldl()
        n, columns, entries = pattern.size1(), node.size2(), factor.nnz()
        tables = (pattern.colind(), pattern.row(), factor.colind(), factor.row(), order)
        names = ", ".join(self.tables.integers(table) if table else "NULL" for table in tables)
        room = ", ".join(f"w + {self.used + start}" for start in (0, entries, entries + n))
        self.found.lines.append(f"ldl_solve({n}, {a.pointer}, {names}, {room}, {target.pointer}, {columns});")
        self._room(entries + 2 * n)


# CasADi's operations → what writes them
_PLACED = {
    casadi.OP_OUTPUT: Whole._output,
    casadi.OP_CALL: Whole._call,
    casadi.OP_VERTSPLIT: Whole._split,
    casadi.OP_CONST: Whole._constant,
    casadi.OP_GETNONZEROS: Whole._taken,
    casadi.OP_PROJECT: Whole._projected,
    casadi.OP_TRANSPOSE: Whole._transposed,
}
_WRITTEN = {
    casadi.OP_VERTCAT: Whole._joined,
    casadi.OP_HORZCAT: Whole._joined,
    casadi.OP_DOT: Whole._dot,
    casadi.OP_ADDNONZEROS: Whole._added,
    casadi.OP_RESHAPE: Whole._same,
    casadi.OP_SPARSITY_CAST: Whole._same,
    casadi.OP_GETNONZEROS_PARAM: Whole._picked,
    casadi.OP_MTIMES: Whole._product,
    casadi.OP_SOLVE: Whole._solve,
}


def _sparse_product(x: Storage, y: Storage, target: Storage, node: casadi.MX) -> list[str]:
    """target += x y entry by entry, in the order of CasADi's casadi_mtimes: columns of y, its entries in each, those of x in that column."""
    left, right, whole = node.dep(1).sparsity(), node.dep(2).sparsity(), node.sparsity()
    (x_begins, x_rows), (y_begins, y_rows) = ((each.colind(), each.row()) for each in (left, right))
    begins, rows = whole.colind(), whole.row()
    lines = []
    for column in range(right.size2()):
        places = {rows[k]: k for k in range(begins[column], begins[column + 1])}
        for j in range(y_begins[column], y_begins[column + 1]):
            for i in range(x_begins[y_rows[j]], x_begins[y_rows[j] + 1]):
                if x_rows[i] in places:
                    lines.append(f"{target.entry(places[x_rows[i]])} += {x.entry(i)} * {y.entry(j)};")
    return lines
