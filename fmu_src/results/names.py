"""Lookup of variables by name: exact names, whole arrays, and suggestions for misspelt ones."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection


class UnknownName(KeyError, ValueError):
    """An unknown name (`name`, if one was looked up); the message suggests similar ones."""

    def __init__(self, message: str, name: str = ""):
        super().__init__(message)
        self.name = name

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would show the message in quotation marks


def resolve(name: str, known: Collection[str], what: str = "variable") -> list[str]:
    """The names that `name` selects: itself, or all elements of an array, in the order of `known`."""
    if name in known:
        return [name]
    element = re.compile(re.escape(name) + r"\[[0-9,]+\]")
    elements = [candidate for candidate in known if element.fullmatch(candidate)]
    if not elements:
        raise UnknownName(
            f"{name!r} is not {'an' if what[0] in 'aeiou' else 'a'} {what}{suggestion(name, known)}", name
        )
    return elements


def array_name(name: str) -> str:
    """hub.position for hub.position[1]; other names are unchanged."""
    return re.sub(r"\[[0-9,]+\]$", "", name)


def suggestion(name: str, known: Collection[str]) -> str:
    """'; did you mean …?' with the nearest names, or a list of the known ones."""
    arrays = dict.fromkeys(map(array_name, known))
    near = difflib.get_close_matches(name, dict.fromkeys([*known, *arrays]), n=3, cutoff=0.6)
    if near:
        return f"; did you mean {' or '.join(repr(candidate) for candidate in near)}?"
    few = list(arrays)[:8]
    more = ", …" if len(arrays) > len(few) else ""
    return f"; there are {', '.join(few)}{more}" if few else ""


def no_unit(name: str, units: Collection[str]) -> str:
    """A sentence on a variable of a system, `unit.variable`, whose unit does not exist."""
    unit = name.partition(".")[0]
    return f"{name!r}: [units] has no {unit!r}{suggestion(unit, units) or '; it has ' + ', '.join(units)}"
