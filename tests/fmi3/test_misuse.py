"""FMI 3.0 calls out of order, and with arguments that are wrong: fmi3Error and a sentence, never a crash. Also run under sanitizers."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
from ctypes import byref, c_bool, c_double, c_int, c_size_t, c_uint, c_void_p
from pathlib import Path

import numpy as np
import pytest
from fmpy.fmi3 import FMU3Model, FMU3Slave

from spacefmu.fmu_src.native.platforms.compile import fmi_headers
from tests.fmi3.units import fmu3_file
from tests.systems_small import BALL, OSCILLATOR, SAMPLER

OK, WARNING, DISCARD, ERROR = range(4)
UNDER_SANITIZERS = "SPACEFMU_TEST_FMUS" in os.environ
HEADER = fmi_headers(3)["fmi3Functions.h"]
EVERY = {
    name
    for name in re.findall(r"^FMI3_Export\s+\w+\s+(\w+);", HEADER, re.MULTILINE)
    if not re.search("Version|Instan", name)
}
OTHERS = ("Float32", "Int8", "UInt8", "Int16", "UInt16", "UInt32", "UInt64", "String", "Binary")
TYPES = ("Float64", "Int32", "Int64", "Boolean", *OTHERS)


def raw(unit, name: str, *arguments, instance: object = "own") -> int:
    """The status of a call as C makes it: nothing between it and the library."""
    function = getattr(unit.fmu.dll, name)
    function.restype, function.argtypes = c_int, None
    return function(c_void_p(unit.fmu.component) if instance == "own" else instance, *arguments)


def calls(unit) -> dict[str, tuple]:
    """Every function with legal arguments for the oscillator, which has one Float64 each of state, input and output."""
    state, force = ((c_uint * 1)(unit.reference(name)) for name in ("velocity", "force"))
    one, none, numbers, order = c_size_t(1), c_size_t(0), (c_double * 8)(), (c_int * 1)(1)
    size, flags, time, saved = c_size_t(), (c_bool * 8)(), c_double(), c_void_p()
    data = (ctypes.c_ubyte * 65536)()
    no = c_bool(False)
    derivative = (state, one, state, one, numbers, one, numbers, one)
    table: dict[str, tuple] = {
        "fmi3SetDebugLogging": (no, none, None),
        "fmi3EnterInitializationMode": (no, c_double(0.0), c_double(0.0), no, c_double(0.0)),
        "fmi3GetFloat64": (state, one, numbers, one),
        "fmi3SetFloat64": (force, one, numbers, one),
        "fmi3GetDirectionalDerivative": derivative,
        "fmi3GetAdjointDerivative": derivative,
        "fmi3GetNumberOfVariableDependencies": (c_uint(0), byref(size)),
        "fmi3GetVariableDependencies": (c_uint(0), None, None, None, None, none),
        "fmi3GetFMUState": (byref(saved),),
        "fmi3SetFMUState": (None,),
        "fmi3FreeFMUState": (byref(saved),),
        "fmi3SerializedFMUStateSize": (None, byref(size)),
        "fmi3SerializeFMUState": (None, data, c_size_t(len(data))),
        "fmi3DeserializeFMUState": (data, c_size_t(len(data)), byref(saved)),
        "fmi3UpdateDiscreteStates": (*(flags,) * 5, byref(time)),
        "fmi3CompletedIntegratorStep": (no, flags, flags),
        "fmi3SetTime": (c_double(0.0),),
        "fmi3SetContinuousStates": (numbers, c_size_t(3)),
        "fmi3GetContinuousStateDerivatives": (numbers, c_size_t(3)),
        "fmi3GetEventIndicators": (numbers, none),
        "fmi3GetContinuousStates": (numbers, c_size_t(3)),
        "fmi3GetNominalsOfContinuousStates": (numbers, c_size_t(3)),
        "fmi3GetNumberOfEventIndicators": (byref(size),),
        "fmi3GetNumberOfContinuousStates": (byref(size),),
        "fmi3GetOutputDerivatives": (state, one, order, numbers, one),
        "fmi3DoStep": (c_double(0.0), c_double(0.1), no, flags, flags, flags, byref(time)),
        "fmi3ActivateModelPartition": (c_uint(0), c_double(0.0)),
        "fmi3GetBinary": (None, none, None, None, none),
        "fmi3SetBinary": (None, none, None, None, none),
        "fmi3GetClock": (None, none, None),
        "fmi3SetClock": (None, none, None),
    }
    table |= {f"fmi3{verb}{kind}": (None, none, None, none) for verb in ("Get", "Set") for kind in TYPES if kind not in ("Float64", "Binary")}  # fmt: skip
    table |= {f"fmi3{verb}{what}{form}": (None, none, None, None, None) for verb in ("Get", "Set") for what in ("Interval", "Shift") for form in ("Decimal", "Fraction")}  # fmt: skip
    return {name: table.get(name, ()) for name in EVERY}


# FMI 3.0.2, sections 2.3, 3.2.1 and 4.2.1: in which state may what be called. No clocks are named in these calls, which is not a fault.
STATES_OF_FMU = {"fmi3GetFMUState", "fmi3FreeFMUState"}
CLOCKS = {name for name in EVERY if re.search("Clock|Interval|Shift", name)}
ALWAYS = {"fmi3SetDebugLogging", "fmi3Reset"} | STATES_OF_FMU | CLOCKS | {f"fmi3Get{kind}" for kind in TYPES}
SETS = {f"fmi3Set{kind}" for kind in TYPES}
DERIVATIVES = {"fmi3GetDirectionalDerivative", "fmi3GetAdjointDerivative"}
COUNTS = {"fmi3GetNumberOfContinuousStates", "fmi3GetNumberOfEventIndicators"}
SOLVER = COUNTS | {
    "fmi3GetContinuousStateDerivatives",
    "fmi3GetEventIndicators",
    "fmi3GetContinuousStates",
    "fmi3GetNominalsOfContinuousStates",
}
EVENT = {"fmi3Terminate", "fmi3UpdateDiscreteStates", "fmi3EvaluateDiscreteStates"}
ALLOWED = {
    ("cs", "instantiated"): ALWAYS | SETS | {"fmi3EnterInitializationMode"},
    ("cs", "initialization"): ALWAYS | SETS | DERIVATIVES | {"fmi3ExitInitializationMode"},
    ("cs", "step"): ALWAYS | SETS | DERIVATIVES | {"fmi3DoStep", "fmi3Terminate", "fmi3GetOutputDerivatives"},
    ("cs with events", "event"): ALWAYS
    | SETS
    | DERIVATIVES
    | EVENT
    | {"fmi3EnterStepMode", "fmi3GetOutputDerivatives"},
    ("cs with events", "step"): ALWAYS
    | SETS
    | DERIVATIVES
    | {"fmi3DoStep", "fmi3Terminate", "fmi3GetOutputDerivatives", "fmi3EnterEventMode"},
    ("cs", "terminated"): ALWAYS | DERIVATIVES | {"fmi3GetOutputDerivatives"},
    ("cs", "error"): ALWAYS | DERIVATIVES | {"fmi3GetOutputDerivatives"},
    ("me", "instantiated"): ALWAYS | SETS | COUNTS | {"fmi3EnterInitializationMode"},
    ("me", "initialization"): ALWAYS | SETS | DERIVATIVES | SOLVER | {"fmi3ExitInitializationMode"},
    ("me", "event"): ALWAYS
    | SETS
    | DERIVATIVES
    | SOLVER
    | EVENT
    | {"fmi3EnterContinuousTimeMode", "fmi3SetTime"},  # not the standard's: of hosts that come from FMI 2.0
    ("me", "continuous"): ALWAYS
    | DERIVATIVES
    | SOLVER
    | {"fmi3SetFloat64", "fmi3Terminate", "fmi3EnterEventMode", "fmi3CompletedIntegratorStep", "fmi3SetTime"}
    | {"fmi3SetContinuousStates"},
    ("me", "terminated"): ALWAYS | DERIVATIVES | SOLVER,
    ("me", "error"): ALWAYS | DERIVATIVES | SOLVER,
}


def brought_to(unit, kind: str, state: str, system=OSCILLATOR):
    """A fresh instance in a state of the standard's state machine."""
    if kind == "me":
        instance = unit(system, FMU3Model)
    else:
        instance = unit(system, FMU3Slave, eventModeUsed="events" in kind, earlyReturnAllowed="events" in kind)
    if state == "instantiated":
        return instance
    instance.fmu.enterInitializationMode()
    if state == "initialization":
        return instance
    instance.fmu.exitInitializationMode()
    if state == "step" and "events" in kind:
        instance.fmu.updateDiscreteStates()
        instance.fmu.enterStepMode()
    if state == "continuous":
        instance.fmu.updateDiscreteStates()
        instance.fmu.enterContinuousTimeMode()
    if state == "terminated":
        instance.fmu.terminate()
    if state == "error":
        assert raw(instance, "fmi3GetFloat64", (c_uint * 1)(9999), c_size_t(1), (c_double * 1)(), c_size_t(1)) == ERROR
    return instance


def test_the_table_is_whole():
    assert len(EVERY) == 70
    assert set().union(*ALLOWED.values()) <= EVERY


@pytest.mark.parametrize(("kind", "state"), ALLOWED, ids=lambda part: part.replace(" ", "_"))
def test_every_call_in_every_state(unit, kind, state):
    """Allowed calls return fmi3OK; the others fmi3Error, a sentence with their name, and the instance is over."""
    for name in sorted(EVERY):
        instance = brought_to(unit, kind, state)
        said = len(instance.log)
        status = raw(instance, name, *calls(instance)[name])
        if name in ALLOWED[kind, state]:
            assert status == OK, (name, instance.log)
        else:
            assert status == ERROR, name
            assert instance.log[said:], name
            assert instance.log[-1][2].startswith(f"{name}: ")
            assert raw(instance, "fmi3Terminate") == ERROR
            assert raw(instance, "fmi3Reset") == OK


def test_no_instance_is_no_crash(unit):
    table = calls(unit(OSCILLATOR))
    assert {raw(unit(OSCILLATOR), name, *arguments, instance=None) for name, arguments in table.items()} == {ERROR}


@pytest.mark.parametrize(("kind", "state"), [("cs", "step"), ("cs with events", "event"), ("me", "continuous")])
def test_arguments_that_are_null(unit, kind, state):
    """Each pointer of each call in its turn: fmi3Error, or fmi3OK of those that may be NULL, and no crash."""
    may = {"fmi3FreeFMUState", "fmi3GetEventIndicators"}  # the oscillator has no indicators
    for name in sorted(ALLOWED[kind, state]):
        count = len(calls(unit(OSCILLATOR))[name])
        for place in range(count):
            instance = brought_to(unit, kind, state)
            arguments = list(calls(instance)[name])
            if isinstance(arguments[place], c_bool | c_double | c_int | c_uint | c_size_t) or arguments[place] is None:
                continue
            arguments[place] = None
            assert raw(instance, name, *arguments) == (OK if name in may else ERROR), (name, place)
            if name not in may:
                assert name in instance.log[-1][2]


@pytest.mark.parametrize("kind", TYPES)
def test_wrong_types_references_and_counts(unit, kind):
    other = "right" if kind == "Float64" else "position"
    sizes = () if kind != "Binary" else ((c_size_t * 4)(),)
    for verb in ("Get", "Set"):
        for references, count, values in (
            ([9999], 1, 1),
            ([2**32 - 1], 1, 1),
            (None, 1, 1),
            ([other], 1, 1),
            (["position"], 1, 0),
            (["position"], 1, 2),
            ([], 0, 1),
            (None, 2**31, 2**31),
        ):
            osc = brought_to(unit, "cs", "step")
            numbers = [osc.reference(each) if isinstance(each, str) else each for each in references or ()]
            pointer = None if references is None else (c_uint * max(len(numbers), 1))(*numbers)
            room = (c_double * 4)()
            assert raw(osc, f"fmi3{verb}{kind}", pointer, c_size_t(count), *sizes, room, c_size_t(values)) == ERROR
            assert f"fmi3{verb}{kind}: " in osc.log[-1][2]


@pytest.mark.parametrize(
    "call, message",
    [
        (("fmi3SetContinuousStates", c_size_t(2)), "2 values, expected 3"),
        (("fmi3GetContinuousStateDerivatives", c_size_t(4)), "4 values, expected 3"),
        (("fmi3GetEventIndicators", c_size_t(1)), "1 values, expected 0"),
        (("fmi3GetNominalsOfContinuousStates", c_size_t(0)), "0 values, expected 3"),
    ],
)
def test_counts_of_the_solvers_arrays(unit, call, message):
    osc = brought_to(unit, "me", "continuous")
    name, count = call
    assert raw(osc, name, (c_double * 8)(), count) == ERROR
    assert osc.log[-1][2] == f"{name}: {message}"


def test_start_values_can_be_read_before_initialization(unit):
    """Section 2.3.2: in Instantiated the start values, also those that were set; of what is computed there is no value yet."""
    osc = unit(OSCILLATOR)
    np.testing.assert_array_equal(osc.get("position", "velocity", "frequency", "force"), [1.0, 0.0, 2.0, 0.0])
    osc.set("position", 3.0)
    assert osc.get("position") == [3.0]
    with pytest.raises(Exception, match="fmi3GetFloat64"):
        osc.get("energy")
    assert osc.log[-1][2] == "fmi3GetFloat64: energy has no start value; enter initialization mode before you read it"


def test_states_are_set_one_by_one_in_continuous_time(unit):
    """Section 3.2.1: fmi3SetFloat64 takes continuous states there, and event mode too; co-simulation does not after its start."""
    osc = brought_to(unit, "me", "continuous")
    osc.set("position", 0.25)
    np.testing.assert_array_equal(osc.states(), [0.25, 0.0, 0.0])
    assert osc.get("acceleration") == [-4.0 * 0.25]
    stepped = brought_to(unit, "cs with events", "event")
    with pytest.raises(Exception, match="fmi3SetFloat64"):
        stepped.set("position", 0.25)
    assert (
        "position can't be set in state 'event mode'; set it in 'instantiated' or 'initialization mode'"
        in stepped.log[-1][2]
    )


def test_a_discarded_step_leaves_all_as_it_was(unit):
    """Section 4.2.1: fmi3Discard of fmi3DoStep means the state before the call, from which a shorter step may go on."""
    ball = unit(BALL)
    ball.set("solver.tolerance", 1e-60)  # no step can keep it
    ball.initialize()
    before = ball.fmu.serializeFMUState(ball.fmu.getFMUState())
    assert raw(ball, "fmi3DoStep", *calls(unit(OSCILLATOR))["fmi3DoStep"]) == DISCARD
    assert ball.log[-1][:2] == (DISCARD, "logStatusDiscard")
    assert ball.fmu.serializeFMUState(ball.fmu.getFMUState()) == before
    assert raw(ball, "fmi3Terminate") == OK


def test_states_of_others_are_refused(unit):
    """Of model exchange, of event mode in an instance without it, of another FMU, of FMI 2.0, and bytes that are damaged."""
    plain = brought_to(unit, "cs", "step", BALL)

    def refused(data: bytes, message: str):
        plain.fmu.reset()
        room, saved = (ctypes.c_ubyte * len(data)).from_buffer_copy(data), c_void_p()
        assert raw(plain, "fmi3DeserializeFMUState", room, c_size_t(len(data)), byref(saved)) == ERROR
        assert message in plain.log[-1][2]

    def saved_by(instance) -> bytes:
        return instance.fmu.serializeFMUState(instance.fmu.getFMUState())

    refused(saved_by(brought_to(unit, "me", "continuous", BALL)), "of the other FMI type")
    refused(saved_by(brought_to(unit, "cs with events", "event", BALL)), "mode is 4 in the saved state")
    own = saved_by(brought_to(unit, "cs", "step", BALL))
    other = saved_by(brought_to(unit, "cs", "step", SAMPLER))
    refused(other + bytes(max(0, len(own) - len(other))), "another GUID")
    refused(own[:-8], "bytes, expected")
    refused(own[:-1] + b"\x01", "checksum")
    if not UNDER_SANITIZERS:
        refused(_saved_by_fmi2() + bytes(64), "another GUID")


def _saved_by_fmi2() -> bytes:
    from tests.fmi.units import Unit, unpack
    from tests.session import session_folder

    old = Unit(unpack(BALL, session_folder() / "small" / BALL.name)).initialize()
    data = old.fmu.serializeFMUstate(old.fmu.getFMUstate())
    old.free()
    return data


def test_states_of_event_mode_are_restored(unit):
    """Saved in event mode, restored in step mode; and a state with event indicators passes inspection."""
    ball = brought_to(unit, "cs with events", "event", BALL)
    state = ball.fmu.getFMUState()
    ball.fmu.updateDiscreteStates()
    ball.fmu.enterStepMode()
    ball.fmu.doStep(0.0, 0.3)
    ball.fmu.setFMUState(state)
    ball.fmu.freeFMUState(state)
    assert ball.get("time") == [0.0]
    assert raw(ball, "fmi3EnterStepMode") == OK


def test_any_byte_is_a_boolean(unit):
    """A host's true need not be 1."""
    osc = brought_to(unit, "cs", "step")
    locked = (c_uint * 1)(osc.reference("locked"))
    assert raw(osc, "fmi3SetBoolean", locked, c_size_t(1), (ctypes.c_ubyte * 1)(7), c_size_t(1)) == OK
    assert osc.fmu.getBoolean([osc.reference("locked")]) == [True]


def test_messages_double_the_sign_of_variables(unit):
    """#12# stands for a variable in a message: # arrives doubled, % as it is."""
    osc = unit(OSCILLATOR)
    osc.set("mass", -1.0)
    osc.fmu.enterInitializationMode()
    assert raw(osc, "fmi3ExitInitializationMode") == ERROR
    assert osc.log[-1][2].endswith("mass must be positive, 100 % of it (law ##2)")


@pytest.mark.parametrize("name", [None, b"", b" \t\n"])
def test_an_instance_needs_a_name(unit, name):
    craft = unit(OSCILLATOR)
    token = craft.description.guid.encode()
    make = craft.fmu.dll.fmi3InstantiateModelExchange
    make.restype, make.argtypes = c_void_p, None
    no = c_bool(False)
    assert make(name, token, None, no, no, None, craft.fmu.logMessage) is None
    assert craft.log[-1][2] == "fmi3Instantiate: instanceName is empty"
    assert make(b"a", None, None, no, no, None, None) is None


@pytest.mark.ci  # 20 s of CPU: builds three Systems again
@pytest.mark.skipif(UNDER_SANITIZERS, reason="this is the run under sanitizers itself")
def test_all_of_it_passes_under_sanitizers(tmp_path, monkeypatch):
    """AddressSanitizer and UBSan watch every test of this file."""
    options = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]
    monkeypatch.setenv("SPACEFMU_CC", " ".join(["gcc", *options]))
    monkeypatch.setenv("SPACEFMU_TEST_FMUS", str(tmp_path / "fmus"))
    for system in (OSCILLATOR, BALL, SAMPLER):
        fmu3_file(system)
    libraries = (["gcc", f"-print-file-name={name}"] for name in ("libasan.so", "libubsan.so"))
    paths = [subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() for command in libraries]  # fmt: skip
    environment = os.environ | {
        "LD_PRELOAD": " ".join(paths),
        "ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", __file__, f"--basetemp={tmp_path / 'inner'}"]  # fmt: skip
    root = Path(__file__).parents[2]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=root, check=False)
    assert result.returncode == 0, result.stdout[-5000:] + result.stderr[-3000:]
