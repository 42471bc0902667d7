"""The functions of FMI 3.0 through ctypes, and instances."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from ctypes import (
    POINTER,
    byref,
    c_bool,
    c_char_p,
    c_double,
    c_float,
    c_int,
    c_int8,
    c_int16,
    c_int32,
    c_int64,
    c_size_t,
    c_ubyte,
    c_uint8,
    c_uint16,
    c_uint32,
    c_uint64,
    c_void_p,
)  # fmt: skip
from dataclasses import replace
from typing import Any

from .host import POISON, WARNING, CheckedInstance, EventInfo, Library, StepInfo, places_of, references_of, text_of

_LOGGER = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_char_p, c_char_p)
UPDATE = ctypes.CFUNCTYPE(None, c_void_p, c_double, c_bool, c_bool, c_bool, c_bool, POINTER(c_bool), POINTER(c_double))
CTYPES: dict[str, type[Any]] = {
    "Float64": c_double, "Float32": c_float, "Int64": c_int64, "Int32": c_int32, "Int16": c_int16, "Int8": c_int8, "UInt64": c_uint64,
    "UInt32": c_uint32, "UInt16": c_uint16, "UInt8": c_uint8, "Boolean": c_bool, "String": c_char_p, "Binary": c_void_p, "Clock": c_bool,
}  # fmt: skip
_VR, _C, _D, _N = POINTER(c_uint32), c_void_p, POINTER(c_double), c_size_t
_FLAG = POINTER(c_ubyte)  # a Boolean that is written to: what is left as it was is seen
_DERIVATIVE = [_C, _VR, _N, _VR, _N, _D, _N, _D, _N]
_INSTANTIATE = [c_char_p, c_char_p, c_char_p, c_bool, c_bool]
_COUNTS = POINTER(c_uint64)
SIGNATURES: dict[str, list] = {
    "GetVersion": [], "SetDebugLogging": [_C, c_bool, _N, POINTER(c_char_p)], "FreeInstance": [_C],
    "InstantiateModelExchange": [*_INSTANTIATE, c_void_p, _LOGGER],
    "InstantiateCoSimulation": [*_INSTANTIATE, c_bool, c_bool, _VR, _N, c_void_p, _LOGGER, UPDATE],
    "InstantiateScheduledExecution": [*_INSTANTIATE, c_void_p, _LOGGER, c_void_p, c_void_p, c_void_p],
    "EnterInitializationMode": [_C, c_bool, c_double, c_double, c_bool, c_double],
    **{name: [_C] for name in ("ExitInitializationMode", "EnterEventMode", "Terminate", "Reset", "EnterConfigurationMode", "ExitConfigurationMode", "EvaluateDiscreteStates", "EnterContinuousTimeMode", "EnterStepMode")},
    **{f"{do}{kind}": [_C, _VR, _N, POINTER(t), _N] for do in ("Get", "Set") for kind, t in CTYPES.items()},
    **{f"{do}Binary": [_C, _VR, _N, POINTER(_N), POINTER(c_void_p), _N] for do in ("Get", "Set")},
    **{f"{do}Clock": [_C, _VR, _N, POINTER(c_bool)] for do in ("Get", "Set")},
    "GetNumberOfVariableDependencies": [_C, c_uint32, POINTER(_N)],
    "GetVariableDependencies": [_C, c_uint32, POINTER(_N), _VR, POINTER(_N), POINTER(c_int), _N],
    "GetFMUState": [_C, POINTER(c_void_p)], "SetFMUState": [_C, c_void_p], "FreeFMUState": [_C, POINTER(c_void_p)],
    "SerializedFMUStateSize": [_C, c_void_p, POINTER(_N)], "SerializeFMUState": [_C, c_void_p, c_char_p, _N],
    "DeserializeFMUState": [_C, c_char_p, _N, POINTER(c_void_p)],
    "GetDirectionalDerivative": _DERIVATIVE, "GetAdjointDerivative": _DERIVATIVE,
    "GetIntervalDecimal": [_C, _VR, _N, _D, POINTER(c_int)], "GetIntervalFraction": [_C, _VR, _N, _COUNTS, _COUNTS, POINTER(c_int)],
    "GetShiftDecimal": [_C, _VR, _N, _D], "GetShiftFraction": [_C, _VR, _N, _COUNTS, _COUNTS],
    "SetIntervalDecimal": [_C, _VR, _N, _D], "SetIntervalFraction": [_C, _VR, _N, _COUNTS, _COUNTS],
    "SetShiftDecimal": [_C, _VR, _N, _D], "SetShiftFraction": [_C, _VR, _N, _COUNTS, _COUNTS],
    "UpdateDiscreteStates": [_C, *[_FLAG] * 5, _D], "CompletedIntegratorStep": [_C, c_bool, _FLAG, _FLAG], "SetTime": [_C, c_double],
    **{name: [_C, _D, _N] for name in ("SetContinuousStates", "GetContinuousStateDerivatives", "GetEventIndicators", "GetContinuousStates", "GetNominalsOfContinuousStates")},
    **{name: [_C, POINTER(_N)] for name in ("GetNumberOfEventIndicators", "GetNumberOfContinuousStates")},
    "GetOutputDerivatives": [_C, _VR, _N, POINTER(c_int32), _D, _N],
    "DoStep": [_C, c_double, c_double, c_bool, _FLAG, _FLAG, _FLAG, _D], "ActivateModelPartition": [_C, c_uint32, c_double],
}  # fmt: skip
SIGNATURES = {f"fmi3{name}": arguments for name, arguments in SIGNATURES.items()}
RESULTS = {"fmi3GetVersion": c_char_p, "fmi3FreeInstance": None} | {
    f"fmi3Instantiate{kind}": c_void_p for kind in ("ModelExchange", "CoSimulation", "ScheduledExecution")
}
_BYTE = POISON & 0xFF


def flag(byte: c_ubyte) -> int:
    """A Boolean that the FMU has written; POISON if it has not."""
    return POISON if byte.value == _BYTE else int(byte.value != 0)


class Instance3(CheckedInstance):
    """event_mode, early: what the host says it can do in co-simulation. required: variables of intermediate update,
    updated(time, set requested, get allowed, step finished, can return early): called for each; if it returns a time, that requests an early return.

    spoil: overwrite the arguments of instantiation right after it, because an FMU must copy those that it needs later.
    """

    fmi, ctypes, real = "fmi3", CTYPES, "Float64"
    renamed = {
        "GetFMUstate": "GetFMUState", "SetFMUstate": "SetFMUState", "FreeFMUstate": "FreeFMUState", "SerializedFMUstateSize": "SerializedFMUStateSize",
        "SerializeFMUstate": "SerializeFMUState", "DeSerializeFMUstate": "DeserializeFMUState", "NewDiscreteStates": "UpdateDiscreteStates",
        "GetDerivatives": "GetContinuousStateDerivatives",
    }  # fmt: skip

    def __init__(
        self, library: Library, token: str, resources: str | None, name: str = "checked", logging=False, event_mode=False, early=False,
        required: Sequence[int] = (), updated: Callable[..., float | None] | None = None, spoil=False,
    ):  # fmt: skip
        super().__init__(library, name)
        self.event_mode = event_mode
        self._held: dict[int, list] = {}  # values of arrays, as far as they were set
        self._updated = updated
        self._kept = (_LOGGER(lambda *said: self.hear(said[0], name.encode(), *said[1:])), UPDATE(self._update))
        texts = [None if t is None else ctypes.create_string_buffer(t.encode()) for t in (name, token, resources)]
        common = [*(t if t is None else ctypes.cast(t, c_char_p) for t in texts), False, logging]
        environment = ctypes.addressof(self._environment)
        if library.kind == "CoSimulation":
            wanted = (c_uint32 * max(1, len(required)))(*required)
            own = (event_mode, early, wanted if required else None, len(required), environment, self._kept[0])
            self._given: tuple = (texts, wanted)
            self.component = library(
                "fmi3InstantiateCoSimulation", *common, *own, self._kept[1] if updated else UPDATE()
            )
        else:
            self._given = (texts, None)
            self.component = library("fmi3InstantiateModelExchange", *common, environment, self._kept[0])
        for text in [t for t in texts if t is not None] if spoil else []:
            ctypes.memset(text, ord("?"), max(0, len(text) - 1))

    def _update(self, environment, time, wanted, allowed, finished, early, requested, when) -> None:
        assert self._updated is not None
        self.from_elsewhere += environment != ctypes.addressof(self._environment)
        answer = self._updated(time, wanted, allowed, finished, early)
        requested[0] = answer is not None
        when[0] = answer if answer is not None else 0.0

    def read(self, base, references, size, poison=None, out=True):
        room = (CTYPES[base] * max(1, size))(*([poison] * size if poison is not None else []))
        count, given = len(references or ()), references_of(references)
        values = room if out else None
        if base == "Binary":
            sizes = (c_size_t * max(1, size))()
            status = self.call("GetBinary", given, count, sizes, values, size)
            return status, [
                ctypes.string_at(at or 0, n) if n and status <= WARNING else b""
                for at, n in zip(room, sizes, strict=True)
            ][:size]
        counts = () if base == "Clock" else (size,)
        status = self.call(f"Get{base}", given, count, values, *counts)
        return status, [int(v) if base in ("Boolean", "Clock") else v for v in room[:size]]

    def write(self, base, references, values):
        n, count = len(values or ()), len(references or ())
        if base == "Binary":
            blocks = [ctypes.create_string_buffer(bytes(v), max(1, len(v))) for v in values or ()]
            room = (c_void_p * max(1, n))(*(ctypes.addressof(block) for block in blocks))
            sizes = (c_size_t * max(1, n))(*(len(v) for v in values or ()))
            return self.call("SetBinary", references_of(references), count, sizes, room, n)
        room = None if values is None else (CTYPES[base] * max(1, n))(*values)
        return self.call(f"Set{base}", references_of(references), count, room, *(() if base == "Clock" else (n,)))

    def set(self, variable, value, do=True) -> int:
        value = text_of(value) if variable.base == "String" else value
        values = [value]
        if variable.offset is not None:
            start = [
                value if v.start is None else text_of(v.start) if v.base == "String" else v.start
                for v in _whole(variable)
            ]
            values = self._held.setdefault(variable.reference, start)
            values[variable.offset] = value
        before = len(self.said)
        status = self.write(variable.base, [variable.reference], values)
        return self.accept(f"Set{variable.base}", status, before) if do else status

    def call(self, name: str, *arguments) -> int:
        if name == "Reset":
            self._held.clear()
        return super().call(name, *arguments)

    # --- derivatives

    def _derivative(self, name: str, unknowns, knowns, seeds, seeded, found):
        """(status, sensitivities of the entries `found`) along seeds of the entries `seeded`: both of whole arrays."""
        given, given_size = places_of(seeded)
        wanted, size = places_of(found)
        seed = (c_double * max(1, given_size))()
        for v, value in zip(seeded, seeds, strict=True):
            seed[given[v.reference] + (v.offset or 0)] = value
        out = (c_double * max(1, size))(*[math.nan] * size)
        lists = [list(places_of(of)[0]) for of in (unknowns, knowns)]
        status = self.call(name, references_of(lists[0]), len(lists[0]), references_of(lists[1]), len(lists[1]), seed, given_size, out, size)  # fmt: skip
        return status, [out[wanted[v.reference] + (v.offset or 0)] for v in found]

    def directional(self, unknowns, knowns, seeds):
        return self._derivative("GetDirectionalDerivative", unknowns, knowns, seeds, knowns, unknowns)

    def adjoint(self, unknowns, knowns, seeds):
        """(status, of each known the derivatives of the unknowns, weighted by the seeds)."""
        return self._derivative("GetAdjointDerivative", unknowns, knowns, seeds, unknowns, knowns)

    def output_derivatives(self, outputs, order: int):
        places, size = places_of(outputs)
        out = (c_double * max(1, size))(*[math.nan] * size)
        n = len(places)
        status = self.call(
            "GetOutputDerivatives", references_of(list(places)), n, (c_int32 * max(1, n))(*[order] * n), out, size
        )
        return status, [out[places[v.reference] + (v.offset or 0)] for v in outputs]

    # --- the life cycle

    def enter_initialization(self, start=0.0, stop=None, tolerance=None, do=True) -> int:
        asked = (tolerance is not None, tolerance or 0.0, start, stop is not None, stop or 0.0)
        return (self.do if do else self.call)("EnterInitializationMode", *asked)

    def plain_step(self, time: float, size: float) -> int:
        """One call of fmi3DoStep; its results are in `info`, POISON and NaN where the FMU has written nothing."""
        flags, last = [c_ubyte(_BYTE) for _ in range(3)], c_double(math.nan)
        status = self.call("DoStep", time, size, True, *(byref(f) for f in flags), byref(last))
        self.info = StepInfo(flag(flags[0]), flag(flags[1]), flag(flags[2]), last.value)
        return status

    def step(self, time: float, size: float, do=True) -> int:
        """To the end of the step; events within it are handled if the instance was created with event mode."""
        end, before = time + size, len(self.said)
        for _ in range(1000):
            status = self.plain_step(time, size)
            if status > WARNING or not self.event_mode or not (self.info.event == 1 or self.info.early == 1):
                break
            if self.info.event == 1:
                self.do("EnterEventMode")
                self.settle()
            time, size = self.info.time, end - self.info.time
            if not size > 1e-12 * max(1.0, abs(end)):
                break
        return self.accept("DoStep", status, before) if do else status

    def update(self, info: EventInfo) -> int:
        flags, when = [c_ubyte(_BYTE) for _ in EventInfo.FLAGS], c_double(math.nan)
        status = self.call("NewDiscreteStates", *(byref(f) for f in flags), byref(when))
        for name, byte in zip(EventInfo.FLAGS, flags, strict=True):
            setattr(info, name, flag(byte))
        info.nextEventTime = when.value
        return status

    def completed(self) -> tuple[int, int]:
        enter, end = c_ubyte(_BYTE), c_ubyte(_BYTE)
        self.do("CompletedIntegratorStep", True, byref(enter), byref(end))
        return flag(enter), flag(end)


def _whole(entry) -> list:
    """All entries of the array that an entry is of."""
    return [replace(entry, offset=offset) for offset in range(entry.size)]
