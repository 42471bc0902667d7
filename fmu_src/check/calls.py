"""Which function may be called in which state of an instance, and a call of each with sound arguments."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_double, c_int, c_size_t, c_ubyte, c_uint, c_void_p
from typing import Any

from .functions import TYPES_3, functions
from .host import ERROR, EventInfo, Fatal
from .rules import NotPossible
from .running import begin, grid, instance, outputs, runnable

# FMI 2.0.5, sections 3.2.3 and 4.2.4; FMI 3.0.2, sections 2.3, 3.2 and 4.2: states in which a function may be called.
# i Instantiated, m Initialization Mode, e Event Mode, c Continuous-Time Mode, s Step Mode, t Terminated, x after an error;
# E, S: Event Mode and Step Mode of a co-simulation with events.
STATES = {
    2: {"ModelExchange": "imectx", "CoSimulation": "imstx"},
    3: {"ModelExchange": "imectx", "CoSimulation": "imsESt"},
}
WORDS = {
    "i": "Instantiated", "m": "Initialization Mode", "e": "Event Mode", "c": "Continuous-Time Mode", "s": "Step Mode", "t": "Terminated",
    "x": "error", "E": "Event Mode of a co-simulation", "S": "Step Mode with events",
}  # fmt: skip
_FMU_STATES = (
    "GetFMUState",
    "SetFMUState",
    "FreeFMUState",
    "SerializedFMUStateSize",
    "SerializeFMUState",
    "DeserializeFMUState",
)
_LEGAL = {
    2: {
        **dict.fromkeys(("GetTypesPlatform", "GetVersion", "SetDebugLogging", "SetFMUstate", "FreeFMUstate", "SerializedFMUstateSize", "SerializeFMUstate", "DeSerializeFMUstate", "Reset"), "imecstx"),
        "SetupExperiment": "i", "EnterInitializationMode": "i", "ExitInitializationMode": "m", "Terminate": "ecs",
        **{f"Get{kind}": "mecstx" for kind in ("Real", "Integer", "Boolean", "String")},
        **{f"Set{kind}": "imes" for kind in ("Integer", "Boolean", "String")}, "SetReal": "imecs",
        "GetFMUstate": "imecstx", "GetDirectionalDerivative": "mecstx",
        "SetRealInputDerivatives": "ims", "GetRealOutputDerivatives": "stx", "DoStep": "s", "CancelStep": "",
        **{f"Get{kind}Status": "s" for kind in ("", "Real", "Integer", "Boolean", "String")},
        "EnterEventMode": "ec", "NewDiscreteStates": "e", "EnterContinuousTimeMode": "e", "CompletedIntegratorStep": "c",
        "SetTime": "c", "SetContinuousStates": "c",
        **{f"Get{name}": "mectx" for name in ("EventIndicators", "ContinuousStates", "Derivatives")}, "GetNominalsOfContinuousStates": "imectx",
    },
    3: {
        **dict.fromkeys(("GetVersion", "SetDebugLogging", "Reset", *_FMU_STATES), "imecsEStx"),
        "EnterInitializationMode": "i", "ExitInitializationMode": "m", "Terminate": "ecsES",
        **{f"Get{kind}": "imecsEStx" for kind in TYPES_3 if kind != "Clock"},
        **{f"Set{kind}": "imesES" for kind in TYPES_3 if kind != "Clock"}, "SetFloat64": "imecsES", "SetFloat32": "imecsES",
        **dict.fromkeys(("GetDirectionalDerivative", "GetAdjointDerivative"), "mecsEStx"),
        "EnterEventMode": "cS", "UpdateDiscreteStates": "eE", "EvaluateDiscreteStates": "eE", "EnterContinuousTimeMode": "e", "EnterStepMode": "E",
        "CompletedIntegratorStep": "c", "SetTime": "c", "SetContinuousStates": "c", "DoStep": "sS", "GetOutputDerivatives": "sStx",
        **dict.fromkeys(("GetContinuousStateDerivatives", "GetEventIndicators", "GetContinuousStates"), "mectx"),
        "GetNominalsOfContinuousStates": "mectx", "GetNumberOfEventIndicators": "ie", "GetNumberOfContinuousStates": "ie",
    },
}  # fmt: skip
# States in which a function is neither listed nor forbidden, or in which many hosts call it: no rule checks these calls.
_EITHER = {
    2: {},
    3: {
        "GetNominalsOfContinuousStates": "i", "GetNumberOfEventIndicators": "mctx", "GetNumberOfContinuousStates": "mctx", "SetTime": "e",
        "GetOutputDerivatives": "E", "SetContinuousStates": "e", "EnterEventMode": "eE",
    },
}  # fmt: skip
_NEEDS = {  # functions that belong to a capability: without the capability their behaviour is undefined
    "canGetAndSetFMUstate": ("GetFMUstate", "SetFMUstate", "FreeFMUstate", *_FMU_STATES[:3]),
    "canSerializeFMUstate": ("SerializedFMUstateSize", "SerializeFMUstate", "DeSerializeFMUstate", *_FMU_STATES[3:]),
    "providesDirectionalDerivative": ("GetDirectionalDerivative",),
    "providesAdjointDerivatives": ("GetAdjointDerivative",),
    "canInterpolateInputs": ("SetRealInputDerivatives",),
    "maxOutputDerivativeOrder": ("GetRealOutputDerivatives", "GetOutputDerivatives"),
    "providesEvaluateDiscreteStates": ("EvaluateDiscreteStates",),
}


def promised(fmu, kind: str, short: str) -> bool:
    for flag, names in _NEEDS.items():
        if short in names:
            return fmu.can(kind, flag) or fmu.kind(kind).get(flag, "0") not in ("0", "false")
    return True


def reach(fmu, it, kind: str, state: str) -> None:
    """Bring a fresh instance into a state."""
    if state == "i":
        return
    it.enter_initialization(begin(fmu))
    if state == "m":
        return
    it.do("ExitInitializationMode")
    if (kind == "ModelExchange" and state in "ctx") or state == "S":
        it.settle()
    if state == "t":
        it.do("Terminate")
    if state == "x" and it.provoke() != ERROR:
        raise NotPossible("no error could be provoked")


def each_call(fmu, legal: bool):
    """(kind, function, state, status) of every call in every state in which it is legal, or is not."""
    for kind in runnable(fmu):
        for state in STATES[fmu.version][kind]:
            if state in "ES" and not fmu.can(kind, "hasEventMode"):
                continue
            for function in functions(fmu.version, kind):
                short = function.removeprefix(fmu.fmi)
                states = _LEGAL[fmu.version].get(short)
                if states is None or state in _EITHER[fmu.version].get(short, "") or (state in states) != legal:
                    continue
                if not promised(fmu, kind, short) or (fmu.version == 3 and short in _OTHERS[kind]):
                    continue
                with instance(fmu, kind, **_hosted(state)) as it:
                    kept = _keep(fmu, it, kind) if "FMU" in function else None
                    reach(fmu, it, kind, state)
                    try:
                        status = _call(fmu, it, short, state, kept)
                    except Fatal:
                        status = 4
                    yield kind, function, state, status
                    if kept:
                        it.call("FreeFMUstate", byref(kept[0]))


def _hosted(state: str) -> dict[str, Any]:
    """Arguments of instantiation that lead to a state."""
    return {"event_mode": True, "early": True} if state in "ES" else {}


# In FMI 3.0 every library exports all functions; no rule checks those of another kind of FMU.
_EXCHANGE = (
    "EnterContinuousTimeMode", "CompletedIntegratorStep", "SetTime", "SetContinuousStates", "GetContinuousStateDerivatives", "GetEventIndicators",
    "GetContinuousStates", "GetNominalsOfContinuousStates", "GetNumberOfEventIndicators", "GetNumberOfContinuousStates",
)  # fmt: skip
_OTHERS: dict[str, tuple] = {
    "ModelExchange": ("DoStep", "EnterStepMode", "GetOutputDerivatives"),
    "CoSimulation": _EXCHANGE,
}


def _call(fmu, it, short: str, state: str, kept):
    """Make one call with valid arguments. Returns its status, or None if the FMU has nothing to pass (such as no variable of the type)."""
    if short in ("GetTypesPlatform", "GetVersion"):
        it.call_library(f"{fmu.fmi}{short}")
        return 0
    base = short[3:]
    if short[:3] in ("Get", "Set") and base in it.ctypes:
        return _value_call(fmu, it, short, base, state)
    if "FMU" in short:
        return _state_call(it, short, kept)
    nx = len(fmu.states)
    vector = (c_double * max(1, nx))()
    real = (fmu.some("output", True, "continuous") or [None])[0]
    given = (fmu.some("input", True, "continuous") or [None])[0]
    if short in ("GetDirectionalDerivative", "GetAdjointDerivative"):
        if not (real and given):
            return None
        return (it.directional if short[3] == "D" else it.adjoint)([real], [given], [1.0])[0]
    if short in ("GetRealOutputDerivatives", "GetOutputDerivatives"):
        return it.output_derivatives([real], 1)[0] if real else None
    if short == "SetRealInputDerivatives":
        return it.call(short, (c_uint * 1)(given.reference), 1, (c_int * 1)(1), (c_double * 1)(0.0)) if given else None
    if short == "SetContinuousStates" and state == "c":
        it.do("GetContinuousStates", vector, nx)
    if short in ("NewDiscreteStates", "UpdateDiscreteStates"):
        return it.update(EventInfo())
    if short == "DoStep":
        return (
            it.plain_step(begin(fmu), grid(fmu)[0]) if fmu.version == 3 else it.step(begin(fmu), grid(fmu)[0], do=False)
        )
    if short == "EnterInitializationMode" and fmu.version == 3:
        return it.enter_initialization(begin(fmu), do=False)
    answer = c_ubyte if fmu.version == 3 else c_int
    plain = {
        "SetDebugLogging": (0, 0, None), "SetupExperiment": (0, 0.0, begin(fmu), 0, 0.0), "SetTime": (begin(fmu),),
        "CompletedIntegratorStep": (1, byref(answer()), byref(answer())),
        "GetEventIndicators": ((c_double * max(1, fmu.indicators))(), fmu.indicators),
        **dict.fromkeys(("SetContinuousStates", "GetContinuousStates", "GetDerivatives", "GetContinuousStateDerivatives", "GetNominalsOfContinuousStates"), (vector, nx)),
        **dict.fromkeys(("GetNumberOfEventIndicators", "GetNumberOfContinuousStates"), (byref(c_size_t()),)),
        "GetStatus": (0, byref(c_int())), "GetRealStatus": (2, byref(c_double())), "GetIntegerStatus": (0, byref(c_int())),
        "GetBooleanStatus": (3, byref(c_int())), "GetStringStatus": (1, byref(ctypes.c_char_p())),
    }  # fmt: skip
    return it.call(short, *plain.get(short, ()))


def _value_call(fmu, it, short: str, base: str, state: str):
    """Read an output, or a start value where outputs are not yet available; set a variable that may be set."""
    if short.startswith("Get"):
        own = [v for v in outputs(fmu, numbers=False) if v.causality == "output" and v.base == base and not v.clocked]
        if state == "i":
            own = [
                v
                for v in fmu.scalars
                if v.base == base and v.start is not None and v.causality in ("parameter", "input")
            ]
        size = own[0].size if own else 0
        return it.read(base, [own[0].reference], size)[0] if own else None
    v = _settable(fmu, base, state)
    return it.set(v, v.start, do=False) if v else None


def _settable(fmu, base: str, state: str):
    """A variable of the type that may be set in the state, or nothing."""
    for v in fmu.scalars:
        if (
            v.base == base
            and v.start is not None
            and v.variability != "constant"
            and v.causality != "structuralParameter"
        ):
            ok = {
                "i": v.initial in ("exact", "approx"),
                "m": v.initial == "exact" or v.causality == "input",
                "c": v.causality == "input" and v.variability == "continuous",
            }.get(state, v.causality == "input" or (v.causality == "parameter" and v.variability == "tunable"))
            if ok and not v.clocked:
                return v
    return None


def _state_call(it, short: str, kept):
    """A call on saved FMU states, with a state saved before the instance entered its present mode."""
    kind = short.lower()
    if kind == "getfmustate":
        state = c_void_p()
        status = it.call(short, byref(state))
        if state.value:
            it.call("FreeFMUstate", byref(state))
        return status
    if kept is None:
        return None
    state, data = kept
    if kind == "setfmustate":
        return it.call(short, state)
    if kind == "freefmustate":
        return it.call(short, byref(c_void_p()))
    if data is None:
        return None
    if kind == "serializedfmustatesize":
        return it.call(short, state, byref(c_size_t()))
    if kind == "serializefmustate":
        return it.call(short, state, ctypes.create_string_buffer(len(data)), len(data))
    other = c_void_p()
    status = it.call(short, data, len(data), byref(other))
    if other.value:
        it.call("FreeFMUstate", byref(other))
    return status


def _keep(fmu, it, kind: str):
    """(state, bytes) saved from a fresh instance, as far as the FMU can."""
    if not fmu.can(kind, "canGetAndSetFMUstate"):
        return None
    state = it.save()
    return state, it.serialize(state) if fmu.can(kind, "canSerializeFMUstate") else None
