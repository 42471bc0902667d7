"""Quantities: everything that an FMU exposes of a System, each declared once, with its shape.

A System's values live in five arrays of doubles, `x` (continuous states), `u` (inputs), `p` (parameters),
`d` (discrete states) and `y` (outputs). The table says what each entry is. Booleans are 0/1, integers and enumerations whole numbers
(enumerations count from 1): the type is only relevant for FMI.

A quantity is a scalar or an array of any shape; its shape is that of its start. FMI 2.0 has its entries, `hub.position[2]`, row by row. Equations read whole quantities: k[self.stiffness], x[self.bead_position] (n, 3).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from .layout import Layout

# FMI 2.0, section 2.2.9 (structured names), narrowed to what is safe in C, XML and file names as well.
_PART = r"[A-Za-z][A-Za-z0-9_]*(\[[0-9]+(,[0-9]+)*\])?"
_NAME = re.compile(rf"{_PART}(\.{_PART})*|der\({_PART}(\.{_PART})*\)")
_INDEX = re.compile(r"\[[0-9,]+\]$")

SMALLEST = float(np.finfo(float).tiny)  # `min` of quantities that must be positive
KINDS = ("real", "integer", "boolean", "enumeration")

Start = Any  # a number, or an array of numbers


@dataclass(frozen=True)
class Terminal:
    """Quantities that a host connects together: a wheel, a thruster, a joint (FMI 3.0, section 2.4.9).

    kind: as in spacefmu.fmu_src.interface.terminals; rule: of matching, "bus" (some members may be left open) or "plug" (none).
    """

    kind: str
    name: str
    rule: str = "bus"


@dataclass(frozen=True)
class Quantity:
    """An input or an output, or what all groups share. Units are SI; `unit` is a key of spacefmu.fmu_src.interface.units ("" = no unit)."""

    name: str
    description: str
    unit: str = ""
    start: Start = 0.0
    kind: str = "real"
    min: float | None = None
    max: float | None = None
    nominal: float | None = None
    items: tuple[str, ...] = ()  # of an enumeration, first item = 1
    sampled: bool = False  # of an input or output: a real that changes only at events
    terminal: Terminal | None = None  # of inputs and outputs: the terminal to which they belong
    notice: str = ""  # of a Boolean output: the FMU's log message, once, when it is false at the beginning of a step

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"signal name {self.name!r} is not a structured FMI name such as panel.mode[2].rate")
        if self.kind not in KINDS:
            raise ValueError(f"{self.name}: kind is {self.kind!r}, expected one of {', '.join(KINDS)}")
        if not np.all(np.isfinite(self.start)):
            raise ValueError(f"{self.name}: start is {self.start}, expected a finite number")
        if self.notice and self.kind != "boolean":
            raise ValueError(f"{self.name}: it has a notice and is of kind {self.kind!r}, expected 'boolean'")

    @property
    def shape(self) -> tuple[int, ...]:
        return np.shape(self.start)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def array(self) -> str:
        """The name without the index at its end."""
        return _INDEX.sub("", self.name)

    def entries(self) -> tuple[Self, ...]:
        """Its scalars name[1], name[2], … or name[1,1], …, row by row; "{i}" and "{j}" in the description become the indices."""
        if not self.shape:
            return (self,)
        starts = np.asarray(self.start, float)
        return tuple(self._entry(place, float(starts[place])) for place in np.ndindex(self.shape))

    def _entry(self, place: tuple[int, ...], start: float) -> Self:
        text = self.description.replace("{i}", str(place[0] + 1)).replace("{j}", str(place[-1] + 1))
        return replace(self, name=self.name + _index(place), description=text, start=start)


@dataclass(frozen=True)
class Parameter(Quantity):
    """`tunable`: may change during the run. `constant`: is shown and can't be set (spacefmu.dynamics.system.fold)."""

    tunable: bool = False
    constant: bool = False


@dataclass(frozen=True)
class Discrete(Quantity):
    """A discrete state.

    output        shown as an FMI output (else local)
    calculated    its start follows from the rest of the initial state
    approximate   assembly, jumps or a sample at the start may change the given start
    """

    output: bool = True
    calculated: bool = False
    approximate: bool = False


@dataclass(frozen=True)
class State(Discrete):
    """A continuous state.

    derivative       name of the quantity that is its time derivative, a state or a new one; "" = der(name)
    derivative_unit, derivative_description, derivative_nominal  of a new one
    reinit           may jump at events
    quadrature       an integral on which nothing depends (work done): left out of error control
    tied             rows tie it to the other tied states: natural coordinates
    """

    derivative: str = ""
    derivative_unit: str = ""
    derivative_description: str = ""
    derivative_nominal: float | None = None
    reinit: bool = False
    quadrature: bool = False
    tied: bool = False

    def entries(self) -> tuple[Self, ...]:
        """As for all quantities; each names its derivative."""
        return tuple(e if e.derivative else replace(e, derivative=f"der({e.name})") for e in super().entries())

    def _entry(self, place: tuple[int, ...], start: float) -> Self:
        return replace(super()._entry(place, start), derivative=_indexed(self.derivative, _index(place)))

    def rate(self) -> Quantity:
        """Of an entry: its time derivative as a separate quantity."""
        text = self.derivative_description or f"time derivative of {self.name}"
        return Quantity(self.derivative, text, self.derivative_unit, nominal=self.derivative_nominal)


@dataclass(frozen=True)
class Signal(State):
    """A quantity of any group."""

    tunable: bool = False
    constant: bool = False


def vector(name: str, description: str, starts: Any, unit: str = "", **more: Any) -> list[Signal]:
    """Signals name[1] … name[n] that share everything except the start value."""
    return list(Signal(name, description, unit, tuple(float(start) for start in starts), **more).entries())


def _index(place: tuple[int, ...]) -> str:
    return f"[{','.join(str(i + 1) for i in place)}]"


def _indexed(name: str, index: str) -> str:
    """The name of an entry of the array `name`, or of der(array)."""
    if not name:
        return ""
    return f"der({name[4:-1]}{index})" if name.startswith("der(") else name + index


class SignalTable:
    """All quantities of a System, grouped as its arrays are; the order here is the order in the arrays.

    states, inputs, parameters, discretes, outputs: the entries (scalars) of each group's array, in order.
    quantities(group): as they were declared, with their shapes.
    layouts: named parts of a group's array, where there are any (in_parts).
    """

    GROUPS: ClassVar = ("states", "inputs", "parameters", "discretes", "outputs")

    def __init__(
        self,
        states: Sequence[State] = (),
        inputs: Sequence[Quantity] = (),
        parameters: Sequence[Parameter] = (),
        discretes: Sequence[Discrete] = (),
        outputs: Sequence[Quantity] = (),
    ):
        declared = (states, inputs, parameters, discretes, outputs)
        self._quantities = {group: tuple(given) for group, given in zip(self.GROUPS, declared, strict=True)}
        self.states: tuple[State, ...] = _entries(states)
        self.inputs: tuple[Quantity, ...] = _entries(inputs)
        self.parameters: tuple[Parameter, ...] = _entries(parameters)
        self.discretes: tuple[Discrete, ...] = _entries(discretes)
        self.outputs: tuple[Quantity, ...] = _entries(outputs)
        self._spans = {group: _spans(self._quantities[group]) for group in self.GROUPS}
        self._names = {group: _names(getattr(self, group)) for group in self.GROUPS}
        self.layouts: Mapping[str, Layout] = {}
        self._check()

    def _check(self) -> None:
        for group, layout in self.layouts.items():
            if layout.size != (found := len(getattr(self, group))):
                raise ValueError(f"the parts of the {group} have {layout.size} entries, expected {found}")
        seen: set[str] = set()
        for group in self.GROUPS:
            for entry in getattr(self, group):
                if entry.name in seen:
                    raise ValueError(f"two signals are named {entry.name!r}")
                seen.add(entry.name)
        states = {state.name for state in self.states}
        for state in self.states:
            if state.derivative in seen and state.derivative not in states:
                raise ValueError(f"{state.derivative}, the derivative of {state.name}, is also another kind of signal")

    def quantities(self, group: str) -> tuple[Any, ...]:
        """The quantities of a group as they were declared."""
        return self._quantities[group]

    def with_group(self, group: str, quantities: Sequence[Quantity]) -> SignalTable:
        """The same table with another group of quantities."""
        other, entries = copy(self), _entries(quantities)
        setattr(other, group, entries)
        other._quantities = {**self._quantities, group: tuple(quantities)}
        other._spans = {**self._spans, group: _spans(quantities)}
        other._names = {**self._names, group: _names(entries)}
        other._check()
        return other

    def in_parts(self, layouts: Mapping[str, Layout]) -> SignalTable:
        """The same table with named parts of some groups' arrays."""
        other = copy(self)
        other.layouts = dict(layouts)
        other._check()
        return other

    def starts(self, group: str) -> list[float]:
        """Start values of one group, in the order of its array."""
        return [float(entry.start) for entry in getattr(self, group)]

    def where(self, group: str, name: str) -> Any:
        """Index of an entry, or list of indices of an array, in the group's array, by a name that the user gave."""
        try:
            return self._names[group][name]
        except KeyError:
            raise KeyError(f"no signal {name!r} among the {group}") from None

    def span(self, group: str, quantity: Quantity) -> int | slice:
        """The place of a quantity in the group's array: an index, or a slice of its entries row by row."""
        try:
            return self._spans[group][quantity.name]
        except KeyError:
            raise KeyError(f"{quantity.name} is not among the {group}") from None

    def booked(self) -> list[tuple[int, int, int]]:
        """(state of work, outputs of kinetic and potential energy) of each spacecraft: an energy change by tuning a parameter counts as work."""
        states: dict[str, Any] = self._names["states"]
        outputs: dict[str, Any] = self._names["outputs"]
        ending = "system.work"
        units = [name.removesuffix(ending) for name in states if name == ending or name.endswith(f".{ending}")]
        rows = [tuple(f"{unit}system.{kind}_energy" for kind in ("kinetic", "potential")) for unit in units]
        return [
            (states[f"{unit}{ending}"], outputs[kinetic], outputs[potential])
            for unit, (kinetic, potential) in zip(units, rows, strict=True)
            if kinetic in outputs and potential in outputs
        ]

    def notices(self) -> list[tuple[int, Quantity]]:
        """(place, entry) of each output with a notice."""
        return [(i, entry) for i, entry in enumerate(self.outputs) if entry.notice]

    def derivative_signals(self) -> list[tuple[int, Quantity]]:
        """(state index, quantity) of each derivative that is not itself a state."""
        states = {state.name for state in self.states}
        return [(i, state.rate()) for i, state in enumerate(self.states) if state.derivative not in states]


Q = TypeVar("Q", bound=Quantity)


def _entries(quantities: Sequence[Q]) -> tuple[Q, ...]:
    return tuple(entry for quantity in quantities for entry in quantity.entries())


def _spans(quantities: Sequence[Quantity]) -> dict[str, int | slice]:
    spans: dict[str, int | slice] = {}
    start = 0
    for quantity in quantities:
        spans[quantity.name] = slice(start, start + quantity.size) if quantity.shape else start
        start += quantity.size
    return spans


def _names(entries: Sequence[Quantity]) -> dict[str, int | list[int]]:
    """Index of each entry; and of arrays, by the name without indices, the list of theirs."""
    names: dict[str, int | list[int]] = {}
    arrays: dict[str, list[int]] = {}
    for i, entry in enumerate(entries):
        names.setdefault(entry.name, i)
        if entry.name.endswith("]"):
            arrays.setdefault(entry.array, []).append(i)
    return names | {name: found for name, found in arrays.items() if name not in names}


class NamedValues(dict):
    """Values by name, read as a Bag is."""

    def __getitem__(self, quantity: Quantity | str) -> Any:
        return super().__getitem__(quantity.name if isinstance(quantity, Quantity) else quantity)


class Bag:
    """An array read by quantity: bag[hub.mass] is a scalar, bag[hub.position] an array of its shape, a tuple of quantities an array.

    A text reads the same by name, for names that users give: results, tests, formulas.
    """

    __slots__ = ("_table", "_group", "values")

    def __init__(self, table: SignalTable, group: str, values: Any):
        self._table, self._group, self.values = table, group, values

    def __getitem__(self, quantity: Quantity | str | tuple[Quantity, ...]) -> Any:
        if isinstance(quantity, Quantity):
            found = self.values[self._table.span(self._group, quantity)]
            return found.reshape(quantity.shape) if len(quantity.shape) > 1 else found
        if isinstance(quantity, tuple):
            return np.array([self[each] for each in quantity])
        return self.values[self._table.where(self._group, quantity)]

    def index(self, quantity: Quantity | str) -> Any:
        """Its place in its array."""
        if isinstance(quantity, Quantity):
            return self._table.span(self._group, quantity)
        return self._table.where(self._group, quantity)
