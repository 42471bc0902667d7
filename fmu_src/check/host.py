"""A library and its instances through ctypes, in any version of FMI; every call is monitored. host2.py, host3.py: the two interfaces."""

from __future__ import annotations

import ctypes
import math
import platform
from abc import ABC, abstractmethod
from collections.abc import Sequence
from ctypes import byref, c_double, c_int, c_size_t, c_uint, c_void_p
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .rules import Unreadable

OK, WARNING, DISCARD, ERROR, FATAL, PENDING = range(6)
STATUS = ("OK", "Warning", "Discard", "Error", "Fatal", "Pending")
POISON = 0x5A5A5A5A  # what a structure holds before the FMU has written to it


@dataclass
class EventInfo:
    """Results of fmi2NewDiscreteStates and fmi3UpdateDiscreteStates; POISON where the FMU has written nothing."""

    newDiscreteStatesNeeded: int = POISON
    terminateSimulation: int = POISON
    nominalsOfContinuousStatesChanged: int = POISON
    valuesOfContinuousStatesChanged: int = POISON
    nextEventTimeDefined: int = POISON
    nextEventTime: float = math.nan

    FLAGS = (
        "newDiscreteStatesNeeded",
        "terminateSimulation",
        "nominalsOfContinuousStatesChanged",
        "valuesOfContinuousStatesChanged",
        "nextEventTimeDefined",
    )


@dataclass
class StepInfo:
    """Results of fmi3DoStep; for fmi2DoStep, which has none, only the time of the step's end."""

    event: int = 0
    terminate: int = 0
    early: int = 0
    time: float = math.nan


class CallRefused(Exception):
    """A legal call returned something worse than Warning."""

    def __init__(self, function: str, status: int, said: str):
        self.function, self.status = function, status
        word = f"{function[:4]}{STATUS[status]}" if 0 <= status < 6 else str(status)
        super().__init__(f"{function} returned {word}{f': {said}' if said else ''}")


class Fatal(Exception):
    """fmi2Fatal, fmi3Fatal: nothing more may be called."""


class FloatingPoint:
    """The processor's floating-point environment: raised exceptions, rounding, traps. Only for glibc on x86-64."""

    NAMES = {1: "invalid operation", 4: "division by zero", 8: "overflow"}

    def __init__(self):
        self.known = platform.system() == "Linux" and platform.machine() == "x86_64"
        if self.known:
            self._m = ctypes.CDLL("libm.so.6")

    def clear(self) -> None:
        if self.known:
            self._m.feclearexcept(0x3D)

    def raised(self) -> int:
        return self._m.fetestexcept(1 | 4 | 8) if self.known else 0

    def settings(self) -> tuple[int, int]:
        """(rounding, traps), both 0 in a fresh process."""
        return (self._m.fegetround(), self._m.fegetexcept()) if self.known else (0, 0)

    def restore(self) -> None:
        self._m.fesetround(0)
        self._m.fedisableexcept(0x3D)


class Library:
    """A loaded library. watch(call) receives the name of every call before it is made, and "" after it."""

    def __init__(self, path: Path, kind: str, watch, signatures: dict[str, list], results: dict[str, Any]):
        self.kind, self._watch, self.float = kind, watch, FloatingPoint()
        self.exceptions: dict[str, str] = {}  # function → floating-point exception it raised
        self.settings: dict[str, str] = {}  # function → setting it left changed
        watch("loading the library")
        try:
            self._library = ctypes.CDLL(str(path))
        except OSError as error:
            raise Unreadable(f"the library can't be loaded here: {error}") from None
        for name, arguments in signatures.items():
            function = getattr(self._library, name, None)
            if function is None:
                raise Unreadable(f"the library has no {name}")
            function.argtypes, function.restype = arguments, results.get(name, c_int)
        watch("")

    def __call__(self, name: str, *arguments):
        function = getattr(self._library, name)
        self._watch(name)
        self.float.clear()
        result = function(*arguments)
        raised, settings = self.float.raised(), self.float.settings()
        self._watch("")
        if raised:
            words = [word for bit, word in FloatingPoint.NAMES.items() if raised & bit]
            self.exceptions.setdefault(name, " and ".join(words))
        if settings != (0, 0):
            self.settings.setdefault(name, "the rounding mode" if settings[0] else "the floating-point traps")
            self.float.restore()
        return result


class CheckedInstance(ABC):
    """One instance, with its messages. `with` frees it at the end. Functions are named without the prefix of the FMI version."""

    fmi: str  # with which names of functions begin
    ctypes: dict[str, type[Any]]  # type of values → of C
    renamed: dict[str, str]  # FMI 2.0's name of a function → this version's, where that is another
    event_mode = False

    def __init__(self, library: Library, name: str):
        self.call_library, self.name = library, name
        self.said: list[tuple[str, int, str | None, str]] = []  # instance, status, category, message
        self.live: dict[int, ctypes.Array] = {}  # memory that the FMU holds
        self.allocations = 0
        self._environment = ctypes.create_string_buffer(b"ours")
        self.from_elsewhere = 0  # messages without the componentEnvironment that the host passed
        self.component: int | None = None
        self.info = StepInfo()

    def hear(self, environment, instance, status, category, message) -> None:
        self.from_elsewhere += environment != ctypes.addressof(self._environment)
        if len(self.said) < 10_000:
            texts = [
                None if text is None else text.decode("utf-8", "replace")[:500]
                for text in (instance, category, message)
            ]
            self.said.append((texts[0] or "", status, texts[1], texts[2] or ""))

    def __enter__(self):
        if not self.component:
            reason = self.said[-1][3] if self.said else "nothing was said"
            raise CallRefused(f"{self.fmi}Instantiate", ERROR, reason)
        return self

    def __exit__(self, failure, *_) -> None:
        if self.component and failure is not Fatal:
            self.call_library(f"{self.fmi}FreeInstance", self.component)
            self.component = None

    def function(self, name: str) -> str:
        """The whole name of a function."""
        return f"{self.fmi}{self.renamed.get(name, name)}"

    def call(self, name: str, *arguments) -> int:
        """Status of a call."""
        status = self.call_library(self.function(name), self.component, *arguments)
        if status == FATAL:
            raise Fatal(f"{self.function(name)} returned {self.fmi}Fatal")
        return status

    def do(self, name: str, *arguments) -> int:
        """Make a legal call; raises CallRefused if it fails."""
        before = len(self.said)
        return self.accept(name, self.call(name, *arguments), before)

    def accept(self, name: str, status: int, before: int = 0) -> int:
        if status > WARNING:
            raise CallRefused(self.function(name), status, self.said[-1][3] if len(self.said) > before else "")
        return status

    def provoke(self) -> int:
        """Status of a call that is illegal in every state and should return an error: no variable has this value reference."""
        return self.read(self.real, [0xFFFFFFF0], 1)[0]

    # --- values

    real: str  # the type of most numbers

    @abstractmethod
    def read(
        self, base: str, references: Sequence[int] | None, size: int, poison=None, out: bool = True
    ) -> tuple[int, list]:
        """(status, values) of references of a type, which have `size` values together; without `out` the place for values is NULL."""

    @abstractmethod
    def write(self, base: str, references: Sequence[int] | None, values: Sequence | None) -> int:
        """Status of setting references of a type."""

    def get(self, variables: Sequence, do=True) -> list:
        """Values, in order; None for all of a type whose call fails (with do: raises CallRefused)."""
        values: list = [None] * len(variables)
        for base in self.ctypes:
            own = [(i, v) for i, v in enumerate(variables) if v.base == base]
            if not own:
                continue
            places, size = places_of(
                [v for _, v in own]
            )  # an array is read once, however many of its entries are asked for
            before = len(self.said)
            status, found = self.read(base, list(places), size)
            if do:
                self.accept(f"Get{base}", status, before)
            for i, v in own:
                values[i] = found[places[v.reference] + (v.offset or 0)] if status <= WARNING else None
        return values

    @abstractmethod
    def set(self, variable, value, do=True) -> int:
        """Set a scalar, or an entry of an array whose others stay as they are."""

    def vector(self, name: str, length: int) -> list[float]:
        """Result of GetDerivatives or a similar function."""
        out = (c_double * max(1, length))()
        self.do(name, out, length)
        return list(out[:length])

    def set_states(self, time: float, states: Sequence[float]) -> None:
        self.do("SetTime", time)
        if len(states):
            self.do("SetContinuousStates", (c_double * len(states))(*states), len(states))

    @abstractmethod
    def directional(self, unknowns: Sequence, knowns: Sequence, seeds: Sequence[float]) -> tuple[int, list[float]]:
        """(status, derivatives of the unknowns along the seeds of the knowns); both are entries."""

    @abstractmethod
    def output_derivatives(self, outputs: Sequence, order: int) -> tuple[int, list[float]]:
        """(status, derivatives of outputs by time)."""

    # --- saved states

    def save(self, state: c_void_p | None = None) -> c_void_p:
        state = state or c_void_p()
        self.do("GetFMUstate", byref(state))
        return state

    def serialize(self, state: c_void_p) -> bytes:
        size = c_size_t()
        self.do("SerializedFMUstateSize", state, byref(size))
        data = ctypes.create_string_buffer(b"\xa5" * size.value, size.value)  # shows what the FMU does not write
        self.do("SerializeFMUstate", state, data, size)
        return data.raw

    # --- the life cycle

    @abstractmethod
    def enter_initialization(self, start=0.0, stop=None, tolerance=None, do=True) -> int:
        """Set up the experiment and enter Initialization Mode; returns the status."""

    def initialize(self, start=0.0, stop=None, tolerance=None) -> None:
        self.enter_initialization(start, stop, tolerance)
        self.do("ExitInitializationMode")

    @abstractmethod
    def step(self, time: float, size: float, do=True) -> int:
        """Status of a step; its other results are in `info`."""

    @abstractmethod
    def update(self, info: EventInfo) -> int:
        """Status of one pass of the event iteration."""

    @abstractmethod
    def completed(self) -> tuple[int, int]:
        """(enter event mode, terminate) of CompletedIntegratorStep; POISON where nothing was written."""

    def settle(self) -> EventInfo:
        """Iterate events until no new iteration is needed, and leave event mode."""
        for _ in range(1000):
            info = EventInfo()
            self.accept("NewDiscreteStates", self.update(info))
            if info.newDiscreteStatesNeeded != 1 or info.terminateSimulation == 1:
                break
        self.do("EnterStepMode" if self.event_mode else "EnterContinuousTimeMode")
        return info


def references_of(references: Sequence[int] | None):
    return None if references is None else (c_uint * max(1, len(references)))(*references)


def text_of(value) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


def places_of(entries: Sequence) -> tuple[dict[int, int], int]:
    """(place of each variable's first value, number of values) of a call for all variables that have these entries."""
    places: dict[int, int] = {}
    size = 0
    for v in entries:
        if v.reference not in places:
            places[v.reference], size = size, size + v.size
    return places, size
