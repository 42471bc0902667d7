"""What a piece takes from a description, as plain data: its table of keys, the JSON schema and the reference follow from it.

    JOINTS["revolute"] = Row("turns about one axis", {"axis": Key("axis", "in the joint frame")}, make)

A `Row` is one kind of entry: the keys of its own, and make(table, names), which gives the piece. `table` has the checked values as
attributes; `names` is a `Resolver`. spacefmu.dynamics.description.declared makes the tables, and lists the sorts of values (`SORTS`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

NEEDED: Any = type("Needed", (), {"__repr__": lambda self: "NEEDED"})()


@dataclass(frozen=True, eq=False)
class Keys:
    """A table inside an entry, by the name that it has in the JSON schema."""

    name: str
    text: str
    keys: Mapping[str, Key]


@dataclass(frozen=True)
class Key:
    """`takes`: a sort of value, a tuple of choices, or an inner table. A `default` of None may be left out, and is then None.

    `each`: a list with one value per axis, for which a single value may stand; a default of [None] lets "none" stand for no value.
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
    """What the maker of a piece asks of the rest of the description, and where it notes what it can't accept."""

    name: str  # of the entry
    given: Collection[str]  # keys that are written

    def expected(self, key: str, what: str, found: Any = ...) -> None:
        """Note that `key` has a value (its own, or `found`) where `what` was expected."""

    def missing(self, key: str, why: str) -> None:
        """Note that `key` is missing."""


@dataclass(frozen=True)
class Row:
    """One kind of entry: one line of what it is, the keys of its own, and make(table, names)."""

    text: str
    keys: Mapping[str, Key]
    make: Callable[[Any, Any], Any]
