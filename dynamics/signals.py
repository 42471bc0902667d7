"""The signal table: everything an FMU shows of a System, in one place.

A System's values live in five arrays of doubles, `x` (continuous states), `u` (inputs), `p` (parameters),
`d` (discrete states) and `y` (outputs). The table says what each entry is. Booleans are 0/1, integers and
enumerations whole numbers (enumerations count from 1): the type matters only at the FMI edge.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

# FMI 2.0, section 2.2.9 (structured names), narrowed to what is safe in C, XML and file names as well.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*(\[[0-9]+(,[0-9]+)*\])?(\.[A-Za-z][A-Za-z0-9_]*(\[[0-9]+(,[0-9]+)*\])?)*")

KINDS = ("real", "integer", "boolean", "enumeration")


@dataclass(frozen=True)
class Signal:
    """One scalar of a System. Units are SI; `unit` is a key of fmu_src.interface.units ("" = no unit)."""

    name: str
    description: str
    unit: str = ""
    start: float = 0.0
    kind: str = "real"
    min: float | None = None
    max: float | None = None
    nominal: float | None = None
    items: tuple[str, ...] = ()  # of an enumeration, first item = 1
    output: bool = True  # states and discrete states: shown as an FMI output (else local)
    tunable: bool = False  # parameters: may change during the run
    discrete: bool = False  # inputs and outputs: changes only at events (implied by non-real kinds)
    derivative: str = ""  # states: name of the signal that is its time derivative, a state or a new one
    derivative_unit: str = ""  # states: unit of a new derivative signal
    derivative_description: str = ""
    reinit: bool = False  # states: may jump at events
    approximate: bool = False  # states: assembly and jumps at the start may move the start that is given
    calculated: bool = False  # states and discrete states: the start follows from the rest of the initial state
    quadrature: bool = False  # states: a mere integral (work done): left out of error control

    def __post_init__(self):
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"signal name {self.name!r} is not a structured FMI name such as panel.mode[2].rate")
        if self.kind not in KINDS:
            raise ValueError(f"{self.name}: kind is {self.kind!r}, expected one of {', '.join(KINDS)}")
        if not math.isfinite(self.start):
            raise ValueError(f"{self.name}: start is {self.start}, expected a finite number")


def vector(name: str, description: str, starts, unit: str = "", **more) -> list[Signal]:
    """Signals name[1] … name[n] that share everything but the start value.

    A `derivative` of "other" becomes "other[i]", so that arrays of states point at arrays of derivatives.
    """
    derivative = more.pop("derivative", "")
    return [
        Signal(
            f"{name}[{i}]",
            description,
            unit,
            float(start),
            derivative=_indexed(derivative, i),
            **more,
        )
        for i, start in enumerate(starts, 1)
    ]


def _indexed(name: str, i: int) -> str:
    if not name:
        return ""
    return f"der({name[4:-1]}[{i}])" if name.startswith("der(") else f"{name}[{i}]"


@dataclass(frozen=True)
class SignalTable:
    """All signals of a System, grouped as its arrays are; the order here is the order in the arrays."""

    states: tuple[Signal, ...] = ()
    inputs: tuple[Signal, ...] = ()
    parameters: tuple[Signal, ...] = ()
    discretes: tuple[Signal, ...] = ()
    outputs: tuple[Signal, ...] = ()
    _index: dict = field(default_factory=dict, init=False, repr=False, compare=False)

    GROUPS = ("states", "inputs", "parameters", "discretes", "outputs")

    def __post_init__(self):
        seen: set[str] = set()
        for group in self.GROUPS:
            index = self._index[group] = {}
            for i, signal in enumerate(getattr(self, group)):
                if signal.name in seen:
                    raise ValueError(f"two signals are named {signal.name!r}")
                seen.add(signal.name)
                index.setdefault(signal.name, i)
                index.setdefault(re.sub(r"\[[0-9,]+\]$", "", signal.name), []) if signal.name.endswith("]") else None
            for i, signal in enumerate(getattr(self, group)):
                if signal.name.endswith("]"):
                    index[re.sub(r"\[[0-9,]+\]$", "", signal.name)].append(i)
        for state in self.states:
            if not state.derivative:
                raise ValueError(f"state {state.name} names no derivative signal")
            if state.derivative in seen and state.derivative not in self._index["states"]:
                raise ValueError(f"{state.derivative}, the derivative of {state.name}, is also another kind of signal")

    def starts(self, group: str) -> list[float]:
        """Start values of one group, in the order of its array."""
        return [signal.start for signal in getattr(self, group)]

    def where(self, group: str, name: str):
        """Index of a scalar signal, or list of indices of an array signal, in the group's array."""
        try:
            return self._index[group][name]
        except KeyError:
            raise KeyError(f"no signal {name!r} among the {group}") from None

    def derivative_signals(self) -> list[tuple[int, Signal]]:
        """(state index, signal) of each derivative that is not itself a state."""
        return [
            (
                i,
                Signal(
                    state.derivative,
                    state.derivative_description or f"time derivative of {state.name}",
                    state.derivative_unit,
                )
                if not state.derivative.startswith("der(")
                else _derivative_of(state),
            )
            for i, state in enumerate(self.states)
            if state.derivative not in self._index["states"]
        ]


def _derivative_of(state: Signal) -> Signal:
    """The signal der(name): FMI's own spelling of a derivative, which the name pattern does not cover."""
    signal = Signal(
        state.name, state.derivative_description or f"time derivative of {state.name}", state.derivative_unit
    )
    object.__setattr__(signal, "name", state.derivative)
    return signal


class Bag:
    """An array read by signal name: bag["hub.mass"] is a scalar, bag["hub.position"] an array of three."""

    __slots__ = ("_table", "_group", "values")

    def __init__(self, table: SignalTable, group: str, values):
        self._table, self._group, self.values = table, group, values

    def __getitem__(self, name: str):
        return self.values[self._table.where(self._group, name)]

    def index(self, name: str):
        """Where the signal stands in its array."""
        return self._table.where(self._group, name)
