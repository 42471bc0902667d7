"""The functions of FMI 2.0 through ctypes, and instances."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_size_t, c_uint, c_void_p
from typing import Any

from .host import POISON, CheckedInstance, EventInfo, Library, references_of, text_of

KINDS = {"ModelExchange": 0, "CoSimulation": 1}
LAST_SUCCESSFUL_TIME = 2  # of fmi2StatusKind
CTYPES: dict[str, type[Any]] = {"Real": c_double, "Integer": c_int, "Boolean": c_int, "String": c_char_p}


class EventInfo2(ctypes.Structure):
    """fmi2EventInfo."""

    _fields_ = [*((name, c_int) for name in EventInfo.FLAGS), ("nextEventTime", c_double)]


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
    "fmi2NewDiscreteStates": [_C, POINTER(EventInfo2)],
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
RESULTS = {"fmi2GetTypesPlatform": c_char_p, "fmi2GetVersion": c_char_p, "fmi2Instantiate": c_void_p, "fmi2FreeInstance": None}  # fmt: skip


class Instance2(CheckedInstance):
    """memory: give allocateMemory and freeMemory. finished: give stepFinished.

    spoil: overwrite the arguments of instantiation right after it, because an FMU must copy those that it needs later.
    """

    fmi, ctypes, real = "fmi2", CTYPES, "Real"
    renamed: dict[str, str] = {}

    def __init__(
        self, library: Library, guid: str, resources: str, name: str = "checked", logging=False, memory=True, finished=False, spoil=False
    ):  # fmt: skip
        super().__init__(library, name)
        self._kept = (_LOGGER(self.hear), _ALLOCATE(self._allocate), _FREE(self._release), _FINISHED(lambda *_: None))
        nothing = (_ALLOCATE(), _FREE())
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

    def _allocate(self, count, size):
        if count * size > 1 << 30:
            return None
        self.allocations += 1
        block = ctypes.create_string_buffer(max(1, count * size))
        self.live[ctypes.addressof(block)] = block
        return ctypes.addressof(block)

    def _release(self, address) -> None:
        self.live.pop(address, None)

    def read(self, base, references, size, poison=None, out=True):
        room = (CTYPES[base] * max(1, size))(*([poison] * size if poison is not None else []))
        count = size if references is None else len(references)
        status = self.call(f"Get{base}", references_of(references), count, room if out else None)
        return status, list(room[:size])

    def write(self, base, references, values):
        room = None if values is None else (CTYPES[base] * max(1, len(values)))(*values)
        return self.call(f"Set{base}", references_of(references), len(references or ()), room)

    def set(self, variable, value, do=True) -> int:
        before = len(self.said)
        status = self.write(
            variable.base, [variable.reference], [text_of(value) if variable.base == "String" else value]
        )
        return self.accept(f"Set{variable.base}", status, before) if do else status

    def directional(self, unknowns, knowns, seeds):
        n, k = len(unknowns), len(knowns)
        out = (c_double * max(1, n))(*[float("nan")] * n)
        status = self.call(
            "GetDirectionalDerivative",
            references_of([u.reference for u in unknowns]), n, references_of([v.reference for v in knowns]), k, (c_double * max(1, k))(*seeds), out,
        )  # fmt: skip
        return status, list(out[:n])

    def output_derivatives(self, outputs: Sequence, order: int):
        n = len(outputs)
        out = (c_double * n)(*[float("nan")] * n)
        references = (c_uint * n)(*(v.reference for v in outputs))
        return self.call("GetRealOutputDerivatives", references, n, (c_int * n)(*[order] * n), out), list(out)

    def enter_initialization(self, start=0.0, stop=None, tolerance=None, do=True) -> int:
        asked = (int(tolerance is not None), tolerance or 0.0, start, int(stop is not None), stop or 0.0)
        if do:
            self.do("SetupExperiment", *asked)
            return self.do("EnterInitializationMode")
        return max(self.call("SetupExperiment", *asked), self.call("EnterInitializationMode"))

    def step(self, time: float, size: float, do=True) -> int:
        return (self.do if do else self.call)("DoStep", time, size, 1)

    def update(self, info: EventInfo) -> int:
        own = EventInfo2(*[POISON] * len(EventInfo.FLAGS), float("nan"))
        status = self.call("NewDiscreteStates", byref(own))
        for name, *_ in EventInfo2._fields_:
            setattr(info, name, getattr(own, name))
        return status

    def completed(self) -> tuple[int, int]:
        enter, end = c_int(POISON), c_int(POISON)
        self.do("CompletedIntegratorStep", 1, byref(enter), byref(end))
        return enter.value, end.value
