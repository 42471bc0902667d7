"""The FMI 3.0 variables of a System: whole arrays, one value reference each, made of the scalars of FMI 2.0 (variables.py).

A state and its derivative must have the same dimensions; if their declarations differ, both become scalars.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from spacefmu.dynamics.solver.rows_seen import indicator_count
from spacefmu.dynamics.system.contract import System
from spacefmu.dynamics.system.signals import Quantity

from .variables import Group, Variable, variables_of

_INDEX = re.compile(r"\[\d+(?:,\d+)*\]")
INDICATORS = "event_indicators"
_GROUPS = {
    Group.STATE: "states",
    Group.INPUT: "inputs",
    Group.OUTPUT: "outputs",
    Group.DISCRETE: "discretes",
    Group.PARAMETER: "parameters",
}


@dataclass(frozen=True)
class Array:
    """One variable of FMI 3.0. members: its scalars, row by row; shape: () of a scalar; derivative_of: the reference of its state."""

    reference: int
    name: str
    description: str
    shape: tuple[int, ...]
    members: tuple[Variable, ...]
    derivative_of: int | None = None

    @property
    def first(self) -> Variable:
        return self.members[0]

    @property
    def signal(self) -> Quantity:
        return self.first.signal


def scalars_of(system: System) -> tuple[Variable, ...]:
    """The scalars of the arrays: those of FMI 2.0, then the event indicators, which are variables in FMI 3.0."""
    known = variables_of(system)
    rows = Quantity(
        INDICATORS, "event indicator {i}: an event is a change of its sign", start=(0.0,) * indicator_count(system)
    )
    entries = rows.entries() if rows.size else ()
    shown = (
        Variable(len(known) + i, entry, Group.INDICATOR, i, "local", "continuous", "calculated")
        for i, entry in enumerate(entries)
    )
    return (*known, *shown)


def arrays_of(system: System, scalars: Sequence[Variable], whole: bool = True) -> tuple[Array, ...]:
    """The variables of FMI 3.0, in the order of the XML; value references are positions in it. With whole = False: one variable per entry."""
    pieces: list[Piece] = _pieces(system, scalars) if whole else [(scalar,) for scalar in scalars]
    while (fitting := _fitting(pieces)) != pieces:
        pieces = fitting
    places = {member.reference: number for number, piece in enumerate(pieces) for member in piece}
    shapes = [_shape(system, piece) if whole else () for piece in pieces]
    return tuple(
        Array(
            number,
            _whole_name(piece[0]) if shape else piece[0].name,
            _text(piece),
            shape,
            piece,
            None if piece[0].derivative_of is None else places[piece[0].derivative_of],
        )
        for number, (piece, shape) in enumerate(zip(pieces, shapes, strict=True))
    )


Piece = tuple[Variable, ...]


def _pieces(system: System, scalars: Sequence[Variable]) -> list[Piece]:
    """Scalars grouped by declared quantity; derivatives as their states; indicators as one array."""
    owners: dict[tuple[Group, int], Any] = {
        (group, i): (group, number)
        for group, name in _GROUPS.items()
        for number, quantity in enumerate(system.signals.quantities(name))
        for i in _places(system, name, quantity)
    }
    owners |= {(Group.DERIVATIVE, i): ("rate", owner) for (group, i), owner in owners.items() if group == Group.STATE}

    def owner(variable: Variable) -> Any:
        if variable.group == Group.INDICATOR:
            return INDICATORS
        return owners.get((variable.group, variable.index), variable.reference)

    return [tuple(piece) for _, piece in groupby(scalars, owner)]


def _places(system: System, group: str, quantity: Quantity) -> range:
    span = system.signals.span(group, quantity)
    return range(span.start, span.stop) if isinstance(span, slice) else range(span, span + 1)


def _fitting(pieces: list[Piece]) -> list[Piece]:
    """Groups whose states do not form a group themselves are split into scalars, and so are those states."""
    whole = {tuple(member.reference for member in piece) for piece in pieces}
    torn: set[int] = set()
    for piece in pieces:
        states = tuple(member.derivative_of for member in piece if member.derivative_of is not None)
        if states and (len(states) < len(piece) or states not in whole):
            torn |= {member.reference for member in piece} | set(states)
    cut: list[Piece] = []
    for piece in pieces:
        if len(piece) > 1 and any(member.reference in torn for member in piece):
            cut += [(member,) for member in piece]
        else:
            cut.append(piece)
    return cut


def _whole_name(member: Variable) -> str:
    """The name of an array by its first entry: hub.position of hub.position[1], der(hub.attitude) of der(hub.attitude[1])."""
    name = member.name
    return f"der({name[4:-1].rpartition('[')[0]})" if name.startswith("der(") else member.signal.array


def _text(piece: Piece) -> str:
    """The description of an array: that of its entries without their indices, if they then agree."""
    first, last = piece[0].signal.description, piece[-1].signal.description
    if first == last:
        return first
    plain = {_INDEX.sub("", text) for text in (first, last)}
    return plain.pop() if len(plain) == 1 else f"{first} … {last}"


def _shape(system: System, piece: Piece) -> tuple[int, ...]:
    """The declared shape; a derivative has its state's. Entries of split groups are scalars."""
    group, index = piece[0].group, piece[0].index
    if group == Group.INDICATOR:
        return (len(piece),)
    name = _GROUPS.get(Group.STATE if group == Group.DERIVATIVE else group)
    if name is None:
        return ()
    quantity = next(each for each in system.signals.quantities(name) if index in _places(system, name, each))
    return tuple(quantity.shape) if quantity.size == len(piece) else ()
