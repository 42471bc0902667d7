"""C of a large function: its steps (trace/dataflow.py) grouped into pieces, one C function for all equal pieces, called for each body.

A piece reads values in place (in arguments, or in the work array where another piece has written them) through a few pointers, and writes
its own: no value is copied. Steps that repeat in the same order, as along a chain of bodies, are cut into pieces at that period, and a
piece is written flat: one C function has all computations of a pass for one body.
The same operations on the same values as in flat C: results are the same bit for bit (tests/native/test_rolling.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from ..trace.dataflow import Dataflow, FlowStep, Value
from .pieces import CodePiece, Pieces
from .text import EXPRESSION, MARK, CFunction, arrays, unused

SMALL, LARGE = (
    60,
    400,
)  # operations: pieces have as many periods as the first requires; steps without a period are cut at the second
PERIOD = 400  # steps of the longest detected period
NEAR = 16  # entries of an argument that are no further apart are reached by one pointer
RUN = 4  # number of adjacent results from which they are copied together

Call = tuple[str, list[tuple[str, int]]]  # a C function, and (array, first entry) of each of its pointers
Place = tuple[
    str, int, int
]  # of a value: array, entry, and the entry from which its neighbours are reached by the same pointer


class Rolled:
    """One function as C. With `hoists_from`, the used entries of k, values that follow only from k are stored after them."""

    def __init__(self, flow: Dataflow, pieces: Pieces, hoists_from: int | None = None):
        self.flow, self.name = flow, flow.function.name()
        self._pieces, self._hoists = pieces, hoists_from is not None
        self._origin = [
            (name, value - argument.start)
            for name, argument in zip(flow.function.name_in(), flow.arguments, strict=True)
            for value in argument
        ]
        self._places: dict[int, Place] = {}
        self.sz_w, self.k_until = 0, hoists_from or 0
        self._calls: list[Call] = []
        self._constant_calls: list[Call] = []
        for piece in self._cut_into_pieces():
            self._place(piece)

    def _cut_into_pieces(self) -> Iterator[CodePiece]:
        wanted = self.flow.wanted()
        steps = [(step, outputs) for step, outputs in zip(self.flow.steps, wanted, strict=True) if outputs]
        names, sizes = [step.name for step, _ in steps], [step.flat.function.n_instructions() for step, _ in steps]
        groups = [steps[start:stop] for start, stop in cut(names, sizes)]
        given = [_given(group) for group in groups]
        needed = {value for column in self.flow.results for value in column}.union(*given)
        constant = self._constant(steps)
        for group, values in zip(groups, given, strict=True):
            yield self._pieces.piece(group, values, needed, constant)

    def _constant(self, steps: Iterable[tuple[FlowStep, list[int]]]) -> set[Value]:
        """All values that follow only from the argument k."""
        if not self._hoists:
            return set()
        found: set[Value] = set(self.flow.arguments[self.flow.function.index_in("k")])
        for step, outputs in steps:
            for value in outputs:
                inputs = (step.inputs[i] for i in step.used([value]))
                if all(type(i) is float or i in found for i in inputs):
                    found.add(value)
        return found

    def _place(self, piece: CodePiece) -> None:
        """Space for the results of a piece, and its calls."""
        start, template = self.k_until, piece.template
        if template.constants is not None:
            self.k_until += template.constants.nnz_out(0)
            first = self.k_until - len(piece.constant)
            self._places |= {value: ("k", first + i, start) for i, value in enumerate(piece.constant)}
            self._constant_calls.append(self._call(piece, "constants", ("k", start)))
        if template.varying is not None:
            self._places |= {value: ("w", self.sz_w + i, self.sz_w) for i, value in enumerate(piece.varying)}
            own = [("k", start)] if template.constants is not None else []
            self._calls.append(self._call(piece, "varying", *own, ("w", self.sz_w)))
            self.sz_w += len(piece.varying)

    def _call(self, piece: CodePiece, part: str, *more: tuple[str, int]) -> Call:
        used = piece.template.used[part]
        pointers: dict[tuple[str, int], int] = {}
        reached = []
        for array, entry, base in self._found([piece.given[i] for i in used]):
            reached.append((pointers.setdefault((array, base), len(pointers)), entry - base))
        name = self._pieces.named(piece.template, part, tuple(reached))
        return name + MARK, [*pointers, *more]

    def _found(self, values: list[int]) -> list[Place]:
        """The places of values; nearby entries of an argument are reached by one pointer."""
        found: dict[int, Place] = {}
        before: Place = ("", 0, 0)
        for value in sorted(value for value in values if value not in self._places):
            array, entry = self._origin[value]
            near = array == before[0] and entry - before[1] <= NEAR
            found[value] = before = (array, entry, before[2] if near else entry)
        return [found.get(value) or self._places[value] for value in values]

    def functions(self, more: Iterable[str] = ()) -> list[CFunction]:
        """The C function, with more lines at its end, and before it the one of its constants."""
        results = [line for o, column in enumerate(self.flow.results) for line in self._copied(o, column)]
        touched = {array for _, pointers in self._calls for array, _ in pointers}
        touched |= {self._result(v)[0] for column in self.flow.results for v in column if not isinstance(v, float)}
        names = [(name, i) for i, name in enumerate(self.flow.function.name_in()) if name in touched]
        lines = [
            *unused("arg", "res", "w"),
            *arrays(names, "const real *", "arg"),
            *looped(self._calls),
            *results,
            *more,
        ]
        calls = frozenset(name.removesuffix(MARK) for name, _ in self._calls)
        found = [CFunction(self.name, EXPRESSION, lines, calls)]
        if self._constant_calls:
            comment, lines = (
                f"Values of {self.name} that follow only from constants.",
                list(looped(self._constant_calls)),
            )
            found.insert(0, CFunction(f"{self.name}_constants", "real *k", lines, comment=comment))
        return found

    @property
    def constants(self) -> str:
        """A call that computes the values stored after k; empty if there are none."""
        return f"{self.name}_constants(res[0]);" if self._constant_calls else ""

    def _copied(self, o: int, column: list[Value]) -> Iterator[str]:
        """A result assembled from its parts; contiguous entries are copied together."""
        places = [value if isinstance(value, float) else self._result(value) for value in column]
        start = 0
        while start < len(places):
            first, stop = places[start], start + 1
            if isinstance(first, float):
                yield f"res[{o}][{start}] = NUMBER({first!r});"
            else:
                array, entry = first
                while stop < len(places) and places[stop] == (array, entry + stop - start):
                    stop += 1
                if stop - start < RUN:
                    stop = start + 1
                    yield f"res[{o}][{start}] = {array}[{entry}];"
                else:
                    yield f"memcpy(res[{o}] + {start}, {array} + {entry}, {stop - start} * sizeof(real));"
            start = stop

    def _result(self, value: int) -> tuple[str, int]:
        return self._places[value][:2] if value in self._places else self._origin[value]


def _given(group: list[tuple[FlowStep, list[int]]]) -> list[int]:
    """The values that some steps need and do not compute, each once, in the order of first use."""
    made = {value for step, _ in group for value in step.outputs}
    found: dict[int, None] = {}
    for step, outputs in group:
        for place in step.used(outputs):
            value = step.inputs[place]
            if isinstance(value, int) and value not in made:
                found[value] = None
    return list(found)


def looped(calls: list[Call]) -> Iterator[str]:
    """C of calls; calls of one function whose pointers advance evenly become a loop."""
    start = 0
    while start < len(calls):
        name, pointers = calls[start]
        moves = _moves(calls, start)
        stop = start + 1
        while stop < len(calls) and _moves(calls, stop - 1) == moves is not None:
            stop += 1
        if stop - start < 3:
            stop, moves = start + 1, [0] * len(pointers)
        ends = (f" {'-' if move < 0 else '+'} {abs(move)} * i" if move else "" for move in moves or [])
        given = ", ".join(f"{array} + {entry}{end}" for (array, entry), end in zip(pointers, ends, strict=True))
        loop = f"for (int i = 0; i < {stop - start}; i++) " if stop - start > 1 else ""
        yield f"{loop}{name}({given});"
        start = stop


def _moves(calls: list[Call], i: int) -> list[int] | None:
    """The advance of each pointer from one call to the next; None if that has another function or other arrays."""
    if i + 1 == len(calls):
        return None
    (name, before), (other, after) = calls[i], calls[i + 1]
    if name != other or any(a != b for (a, _), (b, _) in zip(before, after, strict=True)):
        return None
    return [b - a for (_, a), (_, b) in zip(before, after, strict=True)]


def cut(names: list[str], sizes: list[int]) -> Iterator[tuple[int, int]]:
    """Steps cut into pieces, (start, stop) of each: at every period, or several, where names repeat.

    Elsewhere large steps of a frequent kind are separate pieces, and the steps between them are grouped up to some size.
    """
    often = {name for name, times in Counter(names).items() if times >= 3}
    start = loose = 0
    while start < len(names):
        period, times = _period(names, start)
        size = sum(sizes[start : start + period])
        alone = sizes[start] >= SMALL and names[start] in often
        if times >= 3 and times * size >= LARGE:
            together, stop = period * min(times, -(-SMALL // size)), start + period * times
        elif alone or sum(sizes[loose : start + 1]) >= LARGE:
            start, together, stop = (start, 1, start + 1) if alone else (loose, start + 1 - loose, start + 1)
        else:
            start += 1
            continue
        if loose < start:
            yield loose, start
        for piece in range(start, stop, together):
            yield piece, min(piece + together, stop)
        start = loose = stop
    if loose < start:
        yield loose, start


def _period(names: list[str], start: int) -> tuple[int, int]:
    """(length, how many times) of the period from a step on that covers the most steps; the shortest of such."""
    best = (1, 1)
    for period in range(1, min(PERIOD, (len(names) - start) // 2) + 1):
        if not period % best[0] and best[1] > 1:
            continue  # the same period again
        stop = start
        while stop + period < len(names) and names[stop] == names[stop + period]:
            stop += 1
        times = (stop - start) // period + 1
        if times > 1 and times * period > best[0] * best[1]:
            best = (period, times)
    return best
