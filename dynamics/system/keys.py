"""The keys of a piece in a description, as plain data: the table of keys, the JSON schema and the reference follow from it.

    JOINTS["revolute"] = Declaration("turns about one axis", {"axis": Key("axis", "axis in the joint frame")}, make)

A `Declaration` is one kind of entry: its own keys, and make(table, names), which returns the piece. `table` has the checked values
as attributes; `names` is a `Resolver`. `Kinds` are all kinds of one type of entry, with their common keys.
spacefmu.dynamics.description.declared makes the tables, and lists the types of values (`SORTS`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))  # an orientation
NEEDED: Any = type("Needed", (), {"__repr__": lambda self: "NEEDED"})()


@dataclass(frozen=True, eq=False)
class Keys:
    """A table inside an entry, by the name that it has in the JSON schema."""

    name: str
    text: str
    keys: Mapping[str, Key]


@dataclass(frozen=True)
class Key:
    """`takes`: a type of value, a tuple of choices, or an inner table.

    A key with the `default` None is optional, and then None. `each`: a list with one value per axis, or a single value for all; with the
    default [None], "none" means no value.
    `count`: a list of at least and at most so many values. `least`, `most`: bounds of a number.
    """

    takes: str | tuple[str, ...] | Keys
    text: str
    default: Any = NEEDED
    each: bool = False
    count: tuple[int, int] | None = None
    least: float | None = None
    most: float | None = None


class Resolver(Protocol):
    """Lookup in the rest of the description for the maker of a piece, which also collects its problems."""

    name: str  # of the entry
    signal: str  # prefix of its signals: "thruster.NAME"
    given: Collection[str]  # keys that are given
    environment: Any  # spacefmu.dynamics.environment.Environment, without loads

    def expected(self, key: str, what: str, found: Any = ...) -> None:
        """Note that `key` has a value (its own, or `found`) where `what` was expected."""

    def missing(self, key: str, why: str) -> None:
        """Note that `key` is missing."""

    def refused(self, key: str, why: str) -> None:
        """Note a fault of `key`, as the end of a sentence."""

    def inside(self, key: str, environment: Any) -> Resolver:
        """The same for the table at `key`, with another environment."""

    def does_nothing(self, what: str) -> None:
        """Note that the entry as a whole has no effect where `what` was expected."""

    def file(self, key: str) -> Path:
        """The path of the file at `key`."""

    def curves_of(self, key: str, columns: int) -> tuple[Any, ...] | None:
        """The curves (spacefmu.dynamics.system.formula.Curve) of a file's columns over its first; None where it has something wrong."""

    def node(self, key: str) -> tuple[int, Any] | None:
        """(number of the body, node) of the "body" or "body.node" at `key`; None where it does not exist."""

    def place(self) -> tuple[int, Any] | None:
        """The same of the keys `body` and `place`."""

    def mounted(self, key: str, name: str, kind: type) -> Any:
        """The body of this kind that an earlier entry has mounted under that name of signals; None where it does not exist."""

    def next_link(self) -> int:
        """The number of the link that is mounted next."""

    def shapes(self, body: str) -> list[Any]:
        """The shapes (spacefmu.dynamics.picture.geometry.Shape) of a body."""

    def ends(self) -> tuple[Any, Any]:
        """The ends `a` and `b` of the entry (spacefmu.dynamics.constraints.grip.End)."""

    def formula(self, key: str, text: Any, names: Mapping[str, float]) -> Any:
        """The tree (spacefmu.dynamics.system.formula) of a law by formula at `key`, in `names` with values at the start, the entry's `constants` and `tables`."""

    def axis(self, key: str, text: str) -> tuple[str, str, float] | None:
        """(state name of the coordinate, of its speed, start value) of the joint axis "arm" or "arm[2]"; None where it does not exist."""


@dataclass(frozen=True)
class Declaration:
    """One kind of entry: a one-line description, its own keys, and make(table, names)."""

    text: str
    keys: Mapping[str, Key]
    make: Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Kinds:
    """All kinds of one type of entry.

    `noun` for sentences, the common keys, and one row per `kind`; `default`: the kind without that key. Rows are Declarations, or the data
    from which `declare` makes them.
    """

    name: str
    noun: str
    text: str
    keys: Mapping[str, Key]
    rows: Mapping[str, Any]
    default: str | None = None
    declare: Callable[[Any], Declaration] = lambda row: row

    def declarations(self) -> dict[str, Declaration]:
        return {kind: self.declare(row) for kind, row in self.rows.items()}

    def make(self, table: Any, names: Any) -> Any:
        return self.declare(self.rows[table.kind]).make(table, names)


# where something sits on a body
PLACE = {
    "body": Key("place", "a body, or one of its nodes"),
    "place": Key("vector", "place in the body's frame; not with a node", None),
}
# the two ends of what connects two places
ENDS = {
    "a": Key("place", "first end: a body, one of its nodes, or `space`"),
    "b": Key("place", "second end"),
    "place_a": Key("vector", "place in the frame of body a, or in space; not with a node", None),
    "place_b": Key("vector", "the same for b", None),
}


# curves that formulas may name
TABLES = {
    "tables": Key(
        "files by name", "curves through points of files, as functions of formulas: .csv with two columns", {}
    ),
}
# laws of forces by formulas
CONSTANTS = {"constants": Key("numbers by name", "numbers by name, which are FMU parameters", {}), **TABLES}


def in_km(value: float, least: float) -> str:
    """For sentences: a value in metres that is too small, converted as if it was given in km, if that would be enough."""
    return f"; {value:g} km are {1e3 * value:g} m" if 1e3 * value > least else ""
