"""The FMI 2.0 functions of a library through ctypes, and instances of it; every call is watched."""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Sequence
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_size_t, c_uint, c_void_p
from pathlib import Path
from typing import Any

from .binary_rules import COMMON, OF_KIND
from .rules import Unreadable

OK, WARNING, DISCARD, ERROR, FATAL, PENDING = range(6)
STATUS = ("fmi2OK", "fmi2Warning", "fmi2Discard", "fmi2Error", "fmi2Fatal", "fmi2Pending")
LAST_SUCCESSFUL_TIME = 2  # of fmi2StatusKind
KINDS = {"ModelExchange": 0, "CoSimulation": 1}
CTYPES: dict[str, type[Any]] = {"Real": c_double, "Integer": c_int, "Boolean": c_int, "String": c_char_p}


class EventInfo(ctypes.Structure):
    """fmi2EventInfo."""

    _fields_ = [
        (name, c_int)
        for name in (
            "newDiscreteStatesNeeded",
            "terminateSimulation",
            "nominalsOfContinuousStatesChanged",
            "valuesOfContinuousStatesChanged",
            "nextEventTimeDefined",
        )
    ] + [("nextEventTime", c_double)]


_LOGGER = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_int, c_char_p, c_char_p)
_ALLOCATE = ctypes.CFUNCTYPE(c_void_p, c_size_t, c_size_t)
_FREE = ctypes.CFUNCTYPE(None, c_void_p)
_FINISHED = ctypes.CFUNCTYPE(None, c_void_p, c_int)


class Callbacks(ctypes.Structure):
    """fmi2CallbackFunctions."""

    _fields_ = [
        ("logger", _LOGGER),
        ("allocateMemory", _ALLOCATE),
        ("freeMemory", _FREE),
        ("stepFinished", _FINISHED),
        ("componentEnvironment", c_void_p),
    ]


_VR, _C = POINTER(c_uint), c_void_p
_VALUES = {f"fmi2{do}{kind}": [_C, _VR, c_size_t, POINTER(t)] for do in ("Get", "Set") for kind, t in CTYPES.items()}
_VECTOR = [_C, POINTER(c_double), c_size_t]
_STATE = POINTER(c_void_p)
SIGNATURES = _VALUES | {
    "fmi2GetTypesPlatform": [], "fmi2GetVersion": [],
    "fmi2SetDebugLogging": [_C, c_int, c_size_t, POINTER(c_char_p)],
    "fmi2Instantiate": [c_char_p, c_int, c_char_p, c_char_p, c_void_p, c_int, c_int],
    "fmi2FreeInstance": [_C],
    "fmi2SetupExperiment": [_C, c_int, c_double, c_double, c_int, c_double],
    **{f"fmi2{name}": [_C] for name in ("EnterInitializationMode", "ExitInitializationMode", "Terminate", "Reset", "EnterEventMode", "EnterContinuousTimeMode", "CancelStep")},
    "fmi2GetFMUstate": [_C, _STATE], "fmi2SetFMUstate": [_C, c_void_p], "fmi2FreeFMUstate": [_C, _STATE],
    "fmi2SerializedFMUstateSize": [_C, c_void_p, POINTER(c_size_t)],
    "fmi2SerializeFMUstate": [_C, c_void_p, c_char_p, c_size_t],
    "fmi2DeSerializeFMUstate": [_C, c_char_p, c_size_t, _STATE],
    "fmi2GetDirectionalDerivative": [_C, _VR, c_size_t, _VR, c_size_t, POINTER(c_double), POINTER(c_double)],
    "fmi2NewDiscreteStates": [_C, POINTER(EventInfo)],
    "fmi2CompletedIntegratorStep": [_C, c_int, POINTER(c_int), POINTER(c_int)],
    "fmi2SetTime": [_C, c_double],
    **{f"fmi2{name}": _VECTOR for name in ("SetContinuousStates", "GetDerivatives", "GetEventIndicators", "GetContinuousStates", "GetNominalsOfContinuousStates")},
    "fmi2SetRealInputDerivatives": [_C, _VR, c_size_t, POINTER(c_int), POINTER(c_double)],
    "fmi2GetRealOutputDerivatives": [_C, _VR, c_size_t, POINTER(c_int), POINTER(c_double)],
    "fmi2DoStep": [_C, c_double, c_double, c_int],
    "fmi2GetStatus": [_C, c_int, POINTER(c_int)], "fmi2GetRealStatus": [_C, c_int, POINTER(c_double)],
    "fmi2GetIntegerStatus": [_C, c_int, POINTER(c_int)], "fmi2GetBooleanStatus": [_C, c_int, POINTER(c_int)],
    "fmi2GetStringStatus": [_C, c_int, POINTER(c_char_p)],
}  # fmt: skip
_RESULTS = {"fmi2GetTypesPlatform": c_char_p, "fmi2GetVersion": c_char_p, "fmi2Instantiate": c_void_p, "fmi2FreeInstance": None}  # fmt: skip


class CallRefused(Exception):
    """A legal call returned something worse than fmi2Warning."""

    def __init__(self, function: str, status: int, said: str):
        self.function, self.status = function, status
        super().__init__(
            f"{function} returned {STATUS[status] if 0 <= status < 6 else status}{f': {said}' if said else ''}"
        )


class Fatal(Exception):
    """fmi2Fatal: nothing more may be called."""


class FloatingPoint:
    """The processor's floating-point environment: exceptions raised, rounding, traps. glibc on x86-64 alone."""

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
    """A loaded library. watch(call): told the name of every call before it is made, and "" after it."""

    def __init__(self, path: Path, kind: str, watch):
        self.kind, self._watch, self.float = kind, watch, FloatingPoint()
        self.exceptions: dict[str, str] = {}  # function → floating-point exception it raised
        self.settings: dict[str, str] = {}  # function → setting it left changed
        watch("loading the library")
        try:
            self._library = ctypes.CDLL(str(path))
        except OSError as error:
            raise Unreadable(f"the library can't be loaded here: {error}") from None
        for name in (*COMMON, *OF_KIND[kind]):
            function = getattr(self._library, name, None)
            if function is None:
                raise Unreadable(f"the library has no {name}")
            function.argtypes, function.restype = SIGNATURES[name], _RESULTS.get(name, c_int)
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


class CheckedInstance:
    """One instance, and all it says. `with` frees it at the end.

    memory: give allocateMemory and freeMemory. finished: give stepFinished.
    spoil: overwrite what is handed over at instantiation right after it: an FMU has to copy what it needs later.
    """

    def __init__(
        self, library: Library, guid: str, resources: str, name: str = "checked", logging=False, memory=True, finished=False, spoil=False
    ):  # fmt: skip
        self.call_library, self.name = library, name
        self.said: list[tuple[str, int, str | None, str]] = []  # instance, status, category, message
        self.live: dict[int, ctypes.Array] = {}  # memory that the FMU holds
        self.allocations = 0
        self._kept = (_LOGGER(self._hear), _ALLOCATE(self._allocate), _FREE(self._release), _FINISHED(lambda *_: None))
        nothing = (_ALLOCATE(), _FREE())
        self._environment = ctypes.create_string_buffer(b"ours")
        self.from_elsewhere = 0  # messages that came without our environment
        environment = ctypes.addressof(self._environment)
        own = Callbacks(self._kept[0], *(self._kept[1:3] if memory else nothing), self._kept[3] if finished else _FINISHED(), environment)  # fmt: skip
        texts = [ctypes.create_string_buffer(text.encode()) for text in (name, guid, resources)]
        self.component = library(
            "fmi2Instantiate", texts[0], KINDS[library.kind], texts[1], texts[2], byref(own), 0, int(logging)
        )
        self._given = (own, texts)  # an FMU may still point to it
        if spoil:
            for text in texts:
                ctypes.memset(text, ord("?"), max(0, len(text) - 1))
            ctypes.memset(byref(own), 0, ctypes.sizeof(own))

    def _hear(self, environment, instance, status, category, message) -> None:
        self.from_elsewhere += environment != ctypes.addressof(self._environment)
        if len(self.said) < 10_000:
            texts = [
                None if text is None else text.decode("utf-8", "replace")[:500]
                for text in (instance, category, message)
            ]
            self.said.append((texts[0] or "", status, texts[1], texts[2] or ""))

    def _allocate(self, count, size):
        if count * size > 1 << 30:
            return None
        self.allocations += 1
        block = ctypes.create_string_buffer(max(1, count * size))
        self.live[ctypes.addressof(block)] = block
        return ctypes.addressof(block)

    def _release(self, address) -> None:
        self.live.pop(address, None)

    def __enter__(self) -> CheckedInstance:
        if not self.component:
            reason = self.said[-1][3] if self.said else "nothing was said"
            raise CallRefused("fmi2Instantiate", ERROR, reason)
        return self

    def __exit__(self, failure, *_) -> None:
        if self.component and failure is not Fatal:
            self.call_library("fmi2FreeInstance", self.component)
            self.component = None

    def call(self, name: str, *arguments) -> int:
        """Status of a call."""
        status = self.call_library(f"fmi2{name}", self.component, *arguments)
        if status == FATAL:
            raise Fatal(f"fmi2{name} returned fmi2Fatal")
        return status

    def do(self, name: str, *arguments) -> int:
        """A call that is legal: Refused if it fails."""
        before = len(self.said)
        status = self.call(name, *arguments)
        if status > WARNING:
            raise CallRefused(f"fmi2{name}", status, self.said[-1][3] if len(self.said) > before else "")
        return status

    def provoke(self) -> int:
        """Status of a call that is wrong in any state, and should be fmi2Error: no variable has this reference."""
        return self.call("GetReal", (c_uint * 1)(0xFFFFFFF0), 1, (c_double * 1)())

    # --- values

    def get(self, variables: Sequence, do=True) -> list:
        """Values, in order; None for all of a type whose call fails (with do: Refused)."""
        values: list = [None] * len(variables)
        for base in CTYPES:
            places = [i for i, v in enumerate(variables) if v.base == base]
            if places:
                references = (c_uint * len(places))(*(variables[i].reference for i in places))
                out = (CTYPES[base] * len(places))()
                status = (self.do if do else self.call)(f"Get{base}", references, len(places), out)
                for i, value in zip(places, out, strict=True):
                    values[i] = value if status <= WARNING else None
        return values

    def set(self, variable, value, do=True) -> int:
        return (self.do if do else self.call)(f"Set{variable.base}", *arguments(variable, value))

    def vector(self, name: str, length: int) -> list[float]:
        """GetDerivatives and its like."""
        out = (c_double * max(1, length))()
        self.do(name, out, length)
        return list(out[:length])

    def set_states(self, time: float, states: Sequence[float]) -> None:
        self.do("SetTime", time)
        if len(states):
            self.do("SetContinuousStates", (c_double * len(states))(*states), len(states))

    # --- the life cycle

    def setup(self, start=0.0, stop=None, tolerance=None) -> None:
        self.do(
            "SetupExperiment", int(tolerance is not None), tolerance or 0.0, start, int(stop is not None), stop or 0.0
        )

    def initialize(self, start=0.0, stop=None, tolerance=None) -> None:
        self.setup(start, stop, tolerance)
        self.do("EnterInitializationMode")
        self.do("ExitInitializationMode")

    def step(self, time: float, size: float, do=True) -> int:
        return (self.do if do else self.call)("DoStep", time, size, 1)


def arguments(variable, value) -> tuple:
    """(references, 1, values) of one variable, for a set function."""
    if variable.base == "String" and not isinstance(value, bytes):
        value = str(value).encode()
    return (c_uint * 1)(variable.reference), 1, (CTYPES[variable.base] * 1)(value)
