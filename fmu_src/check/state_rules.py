"""Saved states: a restored run continues exactly as the original, in the same instance, another instance or another process."""

from __future__ import annotations

from contextlib import contextmanager
from ctypes import byref, c_void_p

import numpy as np

from .host import ERROR, WARNING
from .rules import INTEROPERABILITY, VIOLATION, NotPossible, rule
from .running import cs_run, differs, few, grid, initialized, outputs, runnable, step_through
from .second import SecondFailed, in_another_process

_COPIES = (
    "fmi2SetFMUstate copies the content of the previously copied FMUstate back and uses it as actual new FMU state."
)


def _able(fmu, flag="canGetAndSetFMUstate"):
    fmu.need("CoSimulation")
    runnable(fmu)
    if not fmu.can("CoSimulation", flag):
        raise NotPossible(f"the FMU does not have {flag}")


def _half(fmu) -> int:
    return max(2, few(fmu) // 2)


def _second_half(fmu, it) -> np.ndarray:
    """Outputs of the second half of a short run."""
    return step_through(fmu, it, _half(fmu), first=_half(fmu))


@contextmanager
def _gone_on(fmu):
    """(instance, state saved after half of a short run, all values there, outputs of the second half)."""
    with initialized(fmu, "CoSimulation") as it:
        step_through(fmu, it, _half(fmu))
        state, here = it.save(), it.get(_everything(fmu), do=False)
        yield it, state, here, _second_half(fmu, it)
        it.do("FreeFMUstate", byref(state))


def _everything(fmu) -> list:
    return [v for v in fmu.scalars if v.number_type and not v.clocked]


def _another(fmu, here, there) -> str:
    """The first variable whose value a restored state does not recover."""
    for v, a, b in zip(_everything(fmu), here, there, strict=True):
        if a != b and not (a != a and b != b):
            return f"{v.name} was {a} when the state was saved and is {b} when it is restored"
    return ""


@rule(
    "state-restore",
    VIOLATION,
    "a restored state continues as before",
    "2.1.8",
    _COPIES,
    fmi3=("2.2.7.4", "This function restores the state provided by FMUState."),
)
def restore(fmu):
    _able(fmu)
    with _gone_on(fmu) as (it, state, here, first):
        it.do("SetFMUstate", state)
        there = it.get(_everything(fmu), do=False)
        second = _second_half(fmu, it)
    if said := _another(fmu, here, there):
        yield said
    elif name := differs(fmu, first, second):
        yield f"{name} goes on differently from a restored state"


@rule(
    "state-of-the-start",
    VIOLATION,
    "the initial state can be restored after the whole run, including everything that events have changed",
    "2.1.8",
    _COPIES,
    fmi3=(
        "2.2.7.4",
        "FMUState must contain all information required to allow continuing the simulation from the current FMU state without additional FMI C-API calls.",
    ),
)
def of_the_start(fmu):
    _able(fmu)
    with initialized(fmu, "CoSimulation") as it:
        state, here = it.save(), it.get(_everything(fmu), do=False)
        step_through(fmu, it, grid(fmu)[1])
        it.do("SetFMUstate", state)
        there = it.get(_everything(fmu), do=False)
        again = step_through(fmu, it, few(fmu))
        it.do("FreeFMUstate", byref(state))
    for v, a, b in zip(_everything(fmu), here, there, strict=True):
        if a != b and not (a != a and b != b):
            yield f"{v.name} was {a} when the state was saved and is {b} when it is restored at the end of the run"
            return
    if name := differs(fmu, again, cs_run(fmu)):
        yield f"{name} goes on differently from the state of the start, restored at the end of the run"


@rule(
    "state-again",
    VIOLATION,
    "a saved state can be overwritten by saving again",
    "2.1.8",
    "If *FMUstate != NULL, then *FMUstate points to a previously returned FMUstate that has not been modified since.",
    fmi3=(
        "2.2.7.4",
        "If *FMUState != NULL, then *FMUState points to a previously returned FMUState that is no longer needed and can be overwritten.",
    ),
)
def again(fmu):
    _able(fmu)
    with _gone_on(fmu) as (it, state, _, first):
        it.do("SetFMUstate", state)
        step_through(fmu, it, 1, first=_half(fmu))
        it.do("GetFMUstate", byref(state))  # one step later than before
        here = it.get(_everything(fmu), do=False)
        step_through(fmu, it, 1, first=_half(fmu) + 1)
        it.do("SetFMUstate", state)
        there = it.get(_everything(fmu), do=False)
        if said := _another(fmu, here, there):
            yield f"saved into twice: {said}"
            return
        second = step_through(fmu, it, _half(fmu) - 1, first=_half(fmu) + 1)
    if name := differs(fmu, first[1:], second):
        yield f"{name} goes on differently from a state that was saved into twice"


@rule(
    "state-free",
    VIOLATION,
    "a freed state is a null pointer, and freeing a null pointer has no effect",
    "2.1.8",
    "If a null pointer is provided, the call is ignored. The function returns a null pointer in argument FMUstate.",
    abuse=True,
    fmi3=(
        "2.2.7.4",
        "If a NULL pointer is provided, the call is ignored. The function returns a NULL pointer in argument FMUState.",
    ),
)
def free(fmu):
    _able(fmu)
    with initialized(fmu, "CoSimulation") as it:
        state = it.save()
        it.do("FreeFMUstate", byref(state))
        if state.value is not None:
            yield f"{fmu.fmi}FreeFMUstate leaves the pointer as it was"
        else:
            it.do("FreeFMUstate", byref(state))


@rule(
    "state-serialize",
    VIOLATION,
    "a serialized state continues as before in another instance",
    "2.1.8",
    "fmi2DeSerializeFMUstate deserializes the byte vector serializedState of length size, constructs a copy of the FMU state and returns FMUstate, the pointer to this copy.",
    fmi3=(
        "2.2.7.4",
        "This function deserializes the byte vector serializedState of length size, constructs a copy of the FMU state and returns FMUState, the pointer to this copy.",
    ),
)
def serialize(fmu):
    _able(fmu, "canSerializeFMUstate")
    with _gone_on(fmu) as (it, state, _, first):
        data = it.serialize(state)
    with initialized(fmu, "CoSimulation") as it:
        state = c_void_p()
        it.do("DeSerializeFMUstate", data, len(data), byref(state))
        it.do("SetFMUstate", state)
        second = _second_half(fmu, it)
        it.do("FreeFMUstate", byref(state))
    if name := differs(fmu, first, second):
        yield f"{name} goes on differently from a serialized state"


@rule(
    "state-fresh-process",
    VIOLATION,
    "a serialized state continues as before in another process",
    "2.1.8",
    "Whenever needed, the byte vector can be loaded from file and deserialized, and the simulation can be restarted from this FMU state",
    fmi3=(
        "2.2.7.4",
        "Whenever needed, the byte vector can be loaded from file and deserialized, and the simulation can be restarted from this FMU state",
    ),
)
def fresh_process(fmu):
    _able(fmu, "canSerializeFMUstate")
    with _gone_on(fmu) as (it, state, _, first):
        data = it.serialize(state)
    try:
        found = in_another_process(fmu, "continue", steps=len(first), first=_half(fmu), state=data.hex())
    except SecondFailed as error:
        yield f"in a fresh process: {error}"
        return
    if name := differs(fmu, np.array(found).reshape(-1, len(outputs(fmu))), first):
        yield f"{name} goes on differently in a fresh process"


@rule(
    "state-after-error",
    VIOLATION,
    "a saved state recovers an instance from an error",
    "2.1.3",
    "it can be tried to restart the simulation from a formerly stored FMU state by calling fmi2SetFMUstate",
    abuse=True,
    fmi3=(
        "2.2.4",
        "If a function returns fmi3Error, it is possible to restore a previously retrieved FMU state by calling fmi3SetFMUState",
    ),
)
def after_error(fmu):
    _able(fmu)
    with _gone_on(fmu) as (it, state, _, first):
        if it.provoke() != ERROR:
            raise NotPossible("no error could be provoked")
        if it.call("SetFMUstate", state) > WARNING:
            yield f"{fmu.fmi}SetFMUstate is refused after {fmu.fmi}Error"
            return
        second = _second_half(fmu, it)
    if name := differs(fmu, first, second):
        yield f"{name} goes on differently from a state restored after {fmu.fmi}Error"


@rule("state-foreign", INTEROPERABILITY, "bytes that are not a state of this FMU are refused", abuse=True)
def foreign(fmu):
    _able(fmu, "canSerializeFMUstate")
    for data in (b"", b"no state", bytes(64)):
        with initialized(fmu, "CoSimulation") as it:
            state = c_void_p()
            if it.call("DeSerializeFMUstate", data, len(data), byref(state)) <= WARNING:
                yield f"{fmu.fmi}DeSerializeFMUstate takes {len(data)} bytes that are not a state"
                return
