"""Calls out of order and bad arguments: the status of the standard, a message, and the calls that work afterwards."""

from __future__ import annotations

import ctypes

import pytest
from fmpy import calloc, free
from fmpy.fmi2 import (
    FMU2Slave,
    fmi2CallbackAllocateMemoryTYPE,
    fmi2CallbackFreeMemoryTYPE,
    fmi2CallbackFunctions,
    fmi2EventInfo,
    fmi2FMUstate,
)

from tests.fmi.units import ERROR, OK, bring_to, status_of, with_pointer
from tests.systems_small import BALL, OSCILLATOR


def calls(unit) -> dict[str, tuple]:
    """Every FMI function with legal arguments for the oscillator: name → (function, arguments)."""
    fmu = unit.fmu
    reference = with_pointer(unit.references("position"), ctypes.c_uint)
    number, numbers = ctypes.c_double(), (ctypes.c_double * 8)()
    order = with_pointer([1], ctypes.c_int)
    state, flags = fmi2FMUstate(), (ctypes.c_int * 8)()
    force = with_pointer(unit.references("force"), ctypes.c_uint)
    tables = {
        "fmi2SetDebugLogging": (0, 0, None),
        "fmi2SetupExperiment": (0, 0.0, 0.0, 0, 0.0),
        "fmi2EnterInitializationMode": (),
        "fmi2ExitInitializationMode": (),
        "fmi2Terminate": (),
        "fmi2Reset": (),
        "fmi2GetReal": (reference, 1, numbers),
        "fmi2GetInteger": (None, 0, None),
        "fmi2GetBoolean": (None, 0, None),
        "fmi2GetString": (None, 0, None),
        "fmi2SetReal": (force, 1, numbers),
        "fmi2SetInteger": (None, 0, None),
        "fmi2SetBoolean": (None, 0, None),
        "fmi2SetString": (None, 0, None),
        "fmi2GetFMUstate": (ctypes.byref(state),),
        "fmi2FreeFMUstate": (ctypes.byref(state),),
        "fmi2GetDirectionalDerivative": (reference, 1, reference, 1, numbers, numbers),
    }
    if hasattr(fmu, "doStep"):
        tables |= {
            "fmi2DoStep": (0.0, 0.1, 1),
            "fmi2CancelStep": (),
            "fmi2SetRealInputDerivatives": (force, 1, order, numbers),
            "fmi2GetRealOutputDerivatives": (reference, 1, order, numbers),
            "fmi2GetRealStatus": (2, ctypes.byref(number)),
            "fmi2GetBooleanStatus": (3, flags),
        }
    else:
        tables |= {
            "fmi2EnterEventMode": (),
            "fmi2NewDiscreteStates": (ctypes.byref(fmi2EventInfo()),),
            "fmi2EnterContinuousTimeMode": (),
            "fmi2CompletedIntegratorStep": (1, flags, flags),
            "fmi2SetTime": (0.0,),
            "fmi2SetContinuousStates": (numbers, 3),
            "fmi2GetDerivatives": (numbers, 3),
            "fmi2GetEventIndicators": (numbers, 0),
            "fmi2GetContinuousStates": (numbers, 3),
            "fmi2GetNominalsOfContinuousStates": (numbers, 3),
        }
    return {name: (getattr(fmu, name), (fmu.component, *arguments)) for name, arguments in tables.items()}


# FMI 2.0.4, sections 3.2.3 and 4.2.4: in which state may what be called.
ALWAYS = {"fmi2SetDebugLogging", "fmi2Reset", "fmi2GetFMUstate", "fmi2FreeFMUstate"}
GETS = {"fmi2GetReal", "fmi2GetInteger", "fmi2GetBoolean", "fmi2GetString", "fmi2GetDirectionalDerivative"}
SETS = {"fmi2SetReal", "fmi2SetInteger", "fmi2SetBoolean", "fmi2SetString"}
SOLVER = {
    "fmi2GetDerivatives",
    "fmi2GetEventIndicators",
    "fmi2GetContinuousStates",
    "fmi2GetNominalsOfContinuousStates",
}
ALLOWED = {
    ("cs", "instantiated"): ALWAYS
    | SETS
    | {"fmi2SetupExperiment", "fmi2EnterInitializationMode", "fmi2SetRealInputDerivatives"},
    ("cs", "initialization"): ALWAYS | SETS | GETS | {"fmi2ExitInitializationMode", "fmi2SetRealInputDerivatives"},
    ("cs", "step complete"): ALWAYS
    | SETS
    | GETS
    | {"fmi2DoStep", "fmi2Terminate", "fmi2SetRealInputDerivatives", "fmi2GetRealOutputDerivatives"}
    | {"fmi2GetRealStatus", "fmi2GetBooleanStatus"},
    ("cs", "step failed"): ALWAYS
    | GETS
    | {"fmi2Terminate", "fmi2GetRealOutputDerivatives", "fmi2GetRealStatus", "fmi2GetBooleanStatus"},
    ("cs", "terminated"): ALWAYS | GETS | {"fmi2GetRealOutputDerivatives", "fmi2GetRealStatus", "fmi2GetBooleanStatus"},
    ("cs", "error"): ALWAYS | GETS | {"fmi2GetRealOutputDerivatives"},
    ("me", "instantiated"): ALWAYS
    | SETS
    | {"fmi2SetupExperiment", "fmi2EnterInitializationMode", "fmi2GetNominalsOfContinuousStates"},
    ("me", "initialization"): ALWAYS | SETS | GETS | SOLVER | {"fmi2ExitInitializationMode"},
    ("me", "event"): ALWAYS
    | SETS
    | GETS
    | SOLVER
    | {"fmi2Terminate", "fmi2EnterEventMode", "fmi2NewDiscreteStates", "fmi2EnterContinuousTimeMode", "fmi2SetTime"},
    ("me", "continuous"): ALWAYS
    | GETS
    | SOLVER
    | {"fmi2SetReal", "fmi2Terminate", "fmi2EnterEventMode", "fmi2CompletedIntegratorStep", "fmi2SetTime"}
    | {"fmi2SetContinuousStates"},
    ("me", "terminated"): ALWAYS | GETS | SOLVER,
    ("me", "error"): ALWAYS | GETS | SOLVER,
}


@pytest.mark.parametrize(("kind", "state"), ALLOWED, ids=lambda part: part.replace(" ", "_"))
def test_every_call_in_every_state(unit, kind, state):
    """Allowed calls return fmi2OK; the others fmi2Error, a message with their name and the state, and the error state."""
    for name in calls(unit(OSCILLATOR, kind)):
        instance = unit(OSCILLATOR, kind)
        bring_to(instance, state)
        function, arguments = calls(instance)[name]
        status = status_of(function, *arguments)
        if name in ALLOWED[kind, state]:
            assert status == OK, name
        else:
            assert status == ERROR, name
            assert name in instance.log[-1][2]
            assert status_of(instance.fmu.terminate) == ERROR  # in the error state now
            assert status_of(instance.fmu.reset) == OK


@pytest.mark.parametrize("kind", ["Real", "Integer", "Boolean", "String"])
def test_wrong_types_references_and_nulls(unit, kind):
    """A reference that is unknown, one of another type, and arrays that are NULL."""
    other = {"Real": "right", "Integer": "position", "Boolean": "position", "String": "position"}[kind]
    for verb in ("Get", "Set"):
        for count, references in ((1, [9999]), (1, None), (1, "other"), (2**31, None)):
            osc = unit(OSCILLATOR).initialize()
            if references == "other":
                references = osc.references(other)
            pointer = None if references is None else with_pointer(references, ctypes.c_uint)
            buffer = ctypes.cast((ctypes.c_double * 4)(), ctypes.c_void_p)
            raw = getattr(osc.fmu.dll, f"fmi2{verb}{kind}")
            raw.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
            assert raw(osc.fmu.component, pointer, count, buffer) == ERROR
            assert f"fmi2{verb}{kind}" in osc.log[-1][2]


def test_no_instance_is_no_crash(unit):
    """Every function with NULL for the instance returns fmi2Error."""
    for kind in ("cs", "me"):
        for function, arguments in calls(unit(OSCILLATOR, kind)).values():
            assert status_of(function, None, *arguments[1:]) == ERROR


def test_a_wrong_guid_makes_no_instance(unit):
    with pytest.raises(Exception, match="instantiate"):
        unit(OSCILLATOR, guid="{00000000-0000-0000-0000-000000000000}")


def test_messages_are_complete_sentences_for_any_host(unit):
    """The host formats a message once more: a % or # in it is doubled, as the standard requires."""
    osc = unit(OSCILLATOR)
    assert status_of(osc.fmu.setReal, osc.references("mass"), [-1.0]) == OK
    assert status_of(osc.fmu.setupExperiment) == OK
    assert status_of(osc.fmu.enterInitializationMode) == OK
    assert status_of(osc.fmu.exitInitializationMode) == ERROR
    status, category, message = osc.log[-1]
    assert message.endswith("mass must be positive, 100 %% of it (law ##2)")
    assert (status, category) == (ERROR, "logStatusError")


def test_log_categories(unit):
    ball = unit(BALL).initialize()
    assert ball.run(0.5, 0.5).log == []
    ball.fmu.setDebugLogging(True, ["logEvents"])
    ball.run(1.5, 0.5, start=0.5)
    assert {category for _, category, _ in ball.log} == {"logEvents"}
    ball.fmu.setDebugLogging(False, [])
    ball.fmu.terminate()
    assert {category for _, category, _ in ball.log} == {"logEvents"}
    assert status_of(ball.fmu.setDebugLogging, True, ["logNonsense"]) == ERROR


def test_memory_comes_from_the_callbacks(built):
    """Each instance is one allocation by the host's function, freed once."""
    taken: list = []

    def allocate(count, size):
        taken.append(calloc(count, size))
        return taken[-1]

    def release(pointer):
        taken.remove(pointer)
        free(pointer)

    callbacks = fmi2CallbackFunctions()
    callbacks.allocateMemory = fmi2CallbackAllocateMemoryTYPE(allocate)
    callbacks.freeMemory = fmi2CallbackFreeMemoryTYPE(release)
    made = built(OSCILLATOR)
    fmu = FMU2Slave(guid=made.guid, unzipDirectory=str(made.folder), modelIdentifier=made.identifier, instanceName="a")
    fmu.instantiate(callbacks=callbacks)
    assert len(taken) == 1
    state = fmu.getFMUstate()
    assert len(taken) == 2
    fmu.freeFMUstate(state)
    fmu.freeInstance()
    assert taken == []
