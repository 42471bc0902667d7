"""Finding variables by name: exact ones, whole arrays, and suggestions for what was meant."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection


class UnknownName(KeyError, ValueError):
    """A name that nothing has (`name`, if one was looked for); the message suggests what may have been meant."""

    def __init__(self, message: str, name: str = ""):
        super().__init__(message)
        self.name = name

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would show the message in quotation marks


def resolve(name: str, known: Collection[str], what: str = "variable") -> list[str]:
    """The names that `name` stands for: itself, or all elements of an array, in the order of `known`."""
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
    """hub.position of hub.position[1]; what is not an element has its own name."""
    return re.sub(r"\[[0-9,]+\]$", "", name)


def suggestion(name: str, known: Collection[str]) -> str:
    """'; did you mean …?' with the nearest names, or what there is."""
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
