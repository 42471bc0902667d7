"""What no host should do, and some do: wrong values, null pointers, calls in the wrong state, endless steps."""

from __future__ import annotations

import ctypes
import math
from ctypes import byref, c_double, c_int, c_size_t, c_uint, c_void_p

from .binary_rules import COMMON, OF_KIND
from .host import ERROR, WARNING, CallRefused, EventInfo, Fatal, arguments
from .rules import ROBUSTNESS, VIOLATION, NotPossible, rule
from .running import begin, grid, initialized, instance, outputs, runnable, settle

# Sections 3.2.3 and 4.2.4: states in which a function may be called. i instantiated, m Initialization Mode, e Event Mode,
# c Continuous-Time Mode, s step complete, t terminated, x error.
_ALWAYS = "imecstx"
_LEGAL = {
    **{f"fmi2{name}": _ALWAYS for name in ("GetTypesPlatform", "GetVersion", "SetDebugLogging", "SetFMUstate", "FreeFMUstate", "SerializedFMUstateSize", "SerializeFMUstate", "DeSerializeFMUstate")},
    "fmi2Reset": "imecstx", "fmi2SetupExperiment": "i", "fmi2EnterInitializationMode": "i", "fmi2ExitInitializationMode": "m", "fmi2Terminate": "ecs",
    **{f"fmi2Get{kind}": "mecstx" for kind in ("Real", "Integer", "Boolean", "String")},
    **{f"fmi2Set{kind}": "imes" for kind in ("Integer", "Boolean", "String")}, "fmi2SetReal": "imecs",
    "fmi2GetFMUstate": "imecstx", "fmi2GetDirectionalDerivative": "mecstx",
    "fmi2SetRealInputDerivatives": "ims", "fmi2GetRealOutputDerivatives": "stx", "fmi2DoStep": "s", "fmi2CancelStep": "",
    **{f"fmi2Get{kind}Status": "s" for kind in ("", "Real", "Integer", "Boolean", "String")},
    "fmi2EnterEventMode": "ec", "fmi2NewDiscreteStates": "e", "fmi2EnterContinuousTimeMode": "e", "fmi2CompletedIntegratorStep": "c",
    "fmi2SetTime": "c", "fmi2SetContinuousStates": "c",
    **{f"fmi2Get{name}": "mectx" for name in ("EventIndicators", "ContinuousStates", "Derivatives")}, "fmi2GetNominalsOfContinuousStates": "imectx",
}  # fmt: skip
_NEEDS = {  # functions that are there for a capability: without it they may do anything
    "canGetAndSetFMUstate": ("fmi2GetFMUstate", "fmi2SetFMUstate", "fmi2FreeFMUstate"),
    "canSerializeFMUstate": ("fmi2SerializedFMUstateSize", "fmi2SerializeFMUstate", "fmi2DeSerializeFMUstate"),
    "providesDirectionalDerivative": ("fmi2GetDirectionalDerivative",),
    "canInterpolateInputs": ("fmi2SetRealInputDerivatives",),
    "maxOutputDerivativeOrder": ("fmi2GetRealOutputDerivatives",),
}
_STATES = {"ModelExchange": "imectx", "CoSimulation": "imstx"}
_WORDS = {"i": "instantiated", "m": "Initialization Mode", "e": "Event Mode", "c": "Continuous-Time Mode", "s": "step complete", "t": "terminated", "x": "error"}  # fmt: skip


def _promised(fmu, kind, function) -> bool:
    for flag, functions in _NEEDS.items():
        if function in functions:
            return fmu.can(kind, flag) or fmu.kind(kind).get(flag, "0") not in ("0", "false")
    return True


def _reach(fmu, it, kind, state) -> None:
    """Bring a fresh instance into a state."""
    if state == "i":
        return
    it.setup(begin(fmu))
    it.do("EnterInitializationMode")
    if state == "m":
        return
    it.do("ExitInitializationMode")
    if kind == "ModelExchange" and state in "ctx":
        settle(it)
    if state == "t":
        it.do("Terminate")
    if state == "x" and it.provoke() != ERROR:
        raise NotPossible("no error could be provoked")


def _settable(fmu, base, state):
    """A variable of the type that may be set in the state, or nothing."""
    for v in fmu.variables:
        if v.base == base and v.start is not None and v.variability != "constant":
            ok = {
                "i": v.initial in ("exact", "approx"),
                "m": v.initial == "exact" or v.causality == "input",
                "c": v.causality == "input" and v.variability == "continuous",
            }.get(state, v.causality == "input" or (v.causality == "parameter" and v.variability == "tunable"))
            if ok:
                return v
    return None


def _call(fmu, it, function, state, kept):
    """Make one call with sound arguments; its status, or None if there is nothing to call it with."""
    short, nx = function.removeprefix("fmi2"), len(fmu.states)
    if function in ("fmi2GetTypesPlatform", "fmi2GetVersion"):
        it.call_library(function)
        return 0
    if short in ("GetReal", "GetInteger", "GetBoolean", "GetString"):
        own = [v for v in outputs(fmu, numbers=False) if v.causality == "output" and v.base == short[3:]]
        return it.call(short, *_read(own)) if own else None
    if short in ("SetReal", "SetInteger", "SetBoolean", "SetString"):
        v = _settable(fmu, short[3:], state)
        return it.call(short, *arguments(v, v.start)) if v else None
    if "FMUstate" in short:
        return _state_call(it, short, kept)
    real = (fmu.some("output", "Real", "continuous") or [None])[0]
    given = fmu.some("input", "Real", "continuous")[:1]
    vector = (c_double * max(1, nx))()
    plain = {
        "SetDebugLogging": (0, 0, None), "SetupExperiment": (0, 0.0, begin(fmu), 0, 0.0), "NewDiscreteStates": (EventInfo(),),
        "CompletedIntegratorStep": (1, byref(c_int()), byref(c_int())), "SetTime": (begin(fmu),), "DoStep": (begin(fmu), grid(fmu)[0], 1),
        "GetEventIndicators": ((c_double * 1000)(), int(fmu.fmi2.get("numberOfEventIndicators", 0) or 0)),
        **dict.fromkeys(("GetContinuousStates", "GetDerivatives", "GetNominalsOfContinuousStates"), (vector, nx)),
        "GetStatus": (0, byref(c_int())), "GetRealStatus": (2, byref(c_double())), "GetIntegerStatus": (0, byref(c_int())),
        "GetBooleanStatus": (3, byref(c_int())), "GetStringStatus": (1, byref(ctypes.c_char_p())),
    }  # fmt: skip
    if short == "SetContinuousStates":
        if state == "c":
            it.do("GetContinuousStates", vector, nx)
        return it.call(short, vector, nx)
    if short == "GetDirectionalDerivative":
        if not (real and given):
            return None
        return it.call(short, (c_uint * 1)(real.reference), 1, (c_uint * 1)(given[0].reference), 1, (c_double * 1)(1.0), (c_double * 1)())  # fmt: skip
    if short in ("SetRealInputDerivatives", "GetRealOutputDerivatives"):
        v = (given[0] if given else None) if short.startswith("Set") else real
        return it.call(short, (c_uint * 1)(v.reference), 1, (c_int * 1)(1), (c_double * 1)(0.0)) if v else None
    return it.call(short, *plain.get(short, ()))


def _read(variables):
    n = len(variables)
    ctype = {"Real": c_double, "String": ctypes.c_char_p}.get(variables[0].base, c_int)
    return (c_uint * n)(*(v.reference for v in variables)), n, (ctype * n)()


def _state_call(it, short, kept):
    """A call about saved states, with a state that was saved before the instance came into its present one."""
    if short == "GetFMUstate":
        state = c_void_p()
        status = it.call(short, byref(state))
        if state.value:
            it.call("FreeFMUstate", byref(state))
        return status
    if kept is None:
        return None
    state, data = kept
    if short == "SetFMUstate":
        return it.call(short, state)
    if short == "FreeFMUstate":
        return it.call(short, byref(c_void_p()))
    if data is None:
        return None
    if short == "SerializedFMUstateSize":
        return it.call(short, state, byref(c_size_t()))
    if short == "SerializeFMUstate":
        return it.call(short, state, ctypes.create_string_buffer(len(data)), len(data))
    other = c_void_p()
    status = it.call(short, data, len(data), byref(other))
    if other.value:
        it.call("FreeFMUstate", byref(other))
    return status


def _keep(fmu, it, kind):
    """(state, bytes) saved from a fresh instance, as far as the FMU can."""
    if not fmu.can(kind, "canGetAndSetFMUstate"):
        return None
    state, size = c_void_p(), c_size_t()
    it.do("GetFMUstate", byref(state))
    if not fmu.can(kind, "canSerializeFMUstate"):
        return state, None
    it.do("SerializedFMUstateSize", state, byref(size))
    data = ctypes.create_string_buffer(size.value)
    it.do("SerializeFMUstate", state, data, size)
    return state, data.raw


def _each_call(fmu, legal: bool):
    """(kind, function, state, status) of every call in every state in which it is legal, or is not."""
    for kind in runnable(fmu):
        for state in _STATES[kind]:
            for function in (*COMMON, *OF_KIND[kind]):
                if function in ("fmi2Instantiate", "fmi2FreeInstance") or not _promised(fmu, kind, function):
                    continue
                if (state in _LEGAL[function]) != legal:
                    continue
                with instance(fmu, kind) as it:
                    kept = _keep(fmu, it, kind) if "FMUstate" in function else None
                    _reach(fmu, it, kind, state)
                    try:
                        status = _call(fmu, it, function, state, kept)
                    except Fatal:
                        status = 4
                    yield kind, function, state, status
                    if kept:
                        it.call("FreeFMUstate", byref(kept[0]))


@rule(
    "legal-calls",
    VIOLATION,
    "every call works in every state in which it is allowed",
    "3.2.3, 4.2.4",
    "The allowed function calls in the respective states are summarized in the following table",
)
def legal_calls(fmu):
    for kind, function, state, status in _each_call(fmu, legal=True):
        discard = function.endswith("Status") and status == 2
        if status is not None and status > WARNING and not discard:
            yield f"{kind}: {function} is refused in the state {_WORDS[state]!r}"


@rule("illegal-calls", ROBUSTNESS, "no call in the wrong state takes the host down", abuse=True)
def illegal_calls(fmu):
    for kind, function, state, status in _each_call(fmu, legal=False):
        if status == 4:
            yield f"{kind}: {function} returns fmi2Fatal in the state {_WORDS[state]!r}"


@rule("null-pointers", ROBUSTNESS, "null pointers for values do not take the host down", abuse=True)
def null_pointers(fmu):
    for kind in runnable(fmu):
        with initialized(fmu, kind) as it:
            references = (c_uint * 1)(outputs(fmu)[0].reference)
            it.call(f"Get{outputs(fmu)[0].base}", references, 1, None)
        with initialized(fmu, kind) as it:
            it.call("GetReal", None, 1, (c_double * 1)())
    return
    yield


@rule("null-component", ROBUSTNESS, "a null pointer for the instance does not take the host down", abuse=True)
def null_component(fmu):
    for kind in runnable(fmu):
        with initialized(fmu, kind) as it:
            it.call_library("fmi2GetReal", None, (c_uint * 1)(0), 1, (c_double * 1)())
            it.call_library("fmi2Reset", None)
            it.call_library("fmi2Terminate", None)
    return
    yield


@rule("not-numbers", ROBUSTNESS, "inputs that are no finite numbers are refused, or at least survived", abuse=True)
def not_numbers(fmu):
    inputs = fmu.some("input", "Real")
    if not inputs or "CoSimulation" not in runnable(fmu):
        raise NotPossible("there is no Real input, or no CoSimulation")
    size = grid(fmu)[0]
    for value in (math.nan, math.inf, -math.inf, 1e300):
        for v in inputs[:5]:
            with initialized(fmu, "CoSimulation") as it:
                try:
                    statuses = [it.set(v, value, do=False)]
                    if statuses[0] <= WARNING:
                        statuses.append(it.step(begin(fmu), size, do=False))
                    if max(statuses) <= WARNING and any(not math.isfinite(float(y)) for y in it.get(outputs(fmu))):
                        yield f"{v.name} = {value} is taken, and outputs are no finite numbers any more, with fmi2OK"
                    elif statuses[0] == 2 and not it.said:
                        yield f"{v.name} = {value} is discarded without a message"
                    if max(statuses) >= ERROR:  # the way back
                        it.do("Reset")
                        it.initialize(begin(fmu))
                        it.step(begin(fmu), size)
                except Fatal:
                    yield f"{v.name} = {value} makes it return fmi2Fatal: the process is lost for all instances"
                except CallRefused as error:
                    yield f"after {v.name} = {value}, fmi2Reset does not bring it back: {error}"


@rule("work-bounded", ROBUSTNESS, "a step that is far too long is refused, or its work is bounded", abuse=True)
def work_bounded(fmu):
    if "CoSimulation" not in runnable(fmu):
        raise NotPossible("the FMU has no CoSimulation")
    with initialized(fmu, "CoSimulation") as it:
        it.step(begin(fmu), 1e9 * grid(fmu)[0], do=False)
    return
    yield


@rule("wrong-steps", ROBUSTNESS, "steps of no length, backward and from the wrong time are survived", abuse=True)
def wrong_steps(fmu):
    if "CoSimulation" not in runnable(fmu):
        raise NotPossible("the FMU has no CoSimulation")
    size = grid(fmu)[0]
    for time, length in (
        (begin(fmu), -size),
        (begin(fmu), math.nan),
        (math.nan, size),
        (begin(fmu) + 100 * size, size),
    ):
        with initialized(fmu, "CoSimulation") as it:
            if it.step(time, length, do=False) <= WARNING and not length >= 0.0:
                yield f"a step of {length} s is taken with fmi2OK"
