"""Parts of a C text: functions with their callees, and tables of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .operations import number

MARK = "@"  # after the name of a called function, which may have a second version (wide.py)
EXPRESSION = "const real **arg, real **res, real *w"  # arguments of every function in the table of the model


@dataclass(frozen=True)
class CFunction:
    """A void function. lines: of its body, with MARK after the names of called functions."""

    name: str
    arguments: str
    lines: Sequence[str]
    calls: frozenset[str] = frozenset()
    comment: str = ""

    def text(self, before: str = "", suffix: str = "") -> str:
        """before: the words before `static`; suffix: of its own name and of called functions."""
        comment = f"/* {self.comment} */\n" if self.comment else ""
        body = "".join(f"  {line}\n" for line in self.lines).replace(MARK, suffix)
        return f"{comment}{before}static void {self.name}{suffix}({self.arguments}) {{\n{body}}}\n"


@dataclass
class Tables:
    """Static arrays by their content, each once."""

    _names: dict[tuple[str, tuple], str] = field(default_factory=dict)

    def numbers(self, values: Iterable[float]) -> str:
        return self._name("real", tuple(values))

    def doubles(self, values: Iterable[float]) -> str:
        """Numbers that are the same in all lanes."""
        return self._name("double", tuple(map(float, values)))

    def integers(self, values: Iterable[int]) -> str:
        return self._name("int", tuple(values))

    def _name(self, kind: str, values: tuple) -> str:
        return self._names.setdefault((kind, tuple(map(repr, values))), f"table_{len(self._names)}")

    def text(self) -> str:
        return "".join(
            f"static const {kind} {name}[] = {{{_wrapped(_entries(kind, values))}}};\n"
            for (kind, values), name in self._names.items()
        )


def _entries(kind: str, values: tuple[str, ...]) -> tuple[str, ...]:
    """The entries in C syntax; those of `real` are as many numbers as it has lanes."""
    if kind == "double":
        return tuple(number(float(value)) for value in values)
    if kind == "int":
        return values
    return tuple(f"ENTRY({number(float(value))})" for value in values)


def _wrapped(values: tuple[str, ...], width: int = 8) -> str:
    return ",\n  ".join(", ".join(values[i : i + width]) for i in range(0, len(values), width))


def reached_from(names: Iterable[str], functions: Iterable[CFunction]) -> set[str]:
    """Names of functions and of all that they call."""
    known = {function.name: function for function in functions}
    reached: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += known[name].calls
    return reached


def arrays(names: Iterable[tuple[str, int]], kind: str, source: str) -> list[str]:
    """Lines that give names to arguments or results, (name, number) each."""
    return [f"{kind}{name} = {source}[{i}];" for name, i in names]


def unused(*names: str) -> list[str]:
    """A line for unused arguments, which compilers warn about."""
    return [f"{', '.join(f'(void){name}' for name in names)};"] if names else []
