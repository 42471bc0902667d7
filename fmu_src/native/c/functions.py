"""C functions of CasADi functions, from their instruction lists: those of a model, and those that they call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import casadi

from spacefmu.dynamics.algebra.scalar import Routine
from spacefmu.dynamics.algebra.symbol import ROUTINES

from .flat import Lines, flat_lines
from .text import EXPRESSION, CFunction, Tables, arrays, unused
from .whole import Whole

# by the prefix that CasADi adds to the name of a function: its value; its directional derivative along g2, with g1 its value; the gradient of its value
# weighted by g2
WAYS = {
    "": "{name}(0, {given}, g0, g0, l0, w);",
    "fwd1_": "{name}(1, {given}, g0, g2, l0, w);",
    "adj1_": "{name}_back({given}, g0, g2, l0, w);",
}


@dataclass
class Functions:
    """All functions so far, callees before callers; tables; the work space of each in w."""

    tables: Tables = field(default_factory=Tables)
    written: dict[str, CFunction] = field(default_factory=dict)
    rooms: dict[str, int] = field(default_factory=dict)

    def expressions(self, functions: Iterable[casadi.Function]) -> list[CFunction]:
        """The functions, with all arguments and all results in arrays."""
        for function in functions:
            lines = self._lines(function)
            given = [(f"g{i}", i) for i in range(function.n_in()) if function.nnz_in(i)]
            left = [(f"l{i}", i) for i in range(function.n_out()) if function.nnz_out(i)]
            read = [*arrays(given, "const real *", "arg"), *arrays(left, "real *restrict ", "res")]
            ignored = [*unused(*(name for name, _ in given)), *unused("arg", "res", "w")]
            self._keep(function, EXPRESSION, Lines([*read, *ignored, *lines.lines], lines.calls, lines.room))
        return list(self.written.values())

    def call(self, function: casadi.Function) -> int:
        """Ensures that a called function exists, and returns its work space. It has one pointer per argument and result."""
        if function.name() not in self.written:
            lines = self._lines(function)
            given = [f"const real *g{i}" for i in range(function.n_in())]
            left = [f"real *restrict l{i}" for i in range(function.n_out())]
            ignored = unused(
                *(f"g{i}" for i in range(function.n_in())), *(f"l{i}" for i in range(function.n_out())), "w"
            )
            lines.lines[:0] = ignored
            self._keep(function, ", ".join([*given, *left, "real *w"]), lines)
        return self.rooms[function.name()]

    def _lines(self, function: casadi.Function) -> Lines:
        for way, text in WAYS.items():
            routine = ROUTINES.get(function.name().removeprefix(way)) if function.name().startswith(way) else None
            if routine is not None:
                return self._routine(routine, text, function)
        if function.is_a("SXFunction"):
            return flat_lines(function, lambda a, i: f"g{a}[{i}]", lambda r, i: f"l{r}[{i}]", self.call)
        given, left = ([f"{x}{i}" for i in range(n)] for x, n in (("g", function.n_in()), ("l", function.n_out())))
        return Whole(function, given, left, self.tables, self.call).lines()

    def _routine(self, routine: Routine, text: str, function: casadi.Function) -> Lines:
        """A call of the runtime's own function."""
        numbers = ", ".join(map(repr, routine.numbers))
        line = text.format(name=routine.name, given=f"{numbers}, {self.tables.doubles(routine.table)}")
        return Lines([line], room=routine.room)

    def _keep(self, function: casadi.Function, arguments: str, lines: Lines) -> None:
        name = function.name()
        self.written[name] = CFunction(name, arguments, lines.lines, frozenset(lines.calls))
        self.rooms[name] = lines.room
