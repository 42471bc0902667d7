"""pythonfmu's traps, one by one, with FMPy: what a Python FMU of ours does instead. Other masters: test_masters.py."""

import math
import subprocess
import sys

import fmpy
import pytest
from fmpy.validation import validate_fmu

from spacefmu.fmu_src.build import build_python
from spacefmu.fmu_src.python.limits import LIMITS
from tests.catalogue_fmus import system_of
from tests.python_fmu.units import BROKEN, DISCARD, ERROR, GYRO, OK, ROOT, status_of


def test_an_own_block_validates_too_and_has_units(own_fmu):
    folder = own_fmu(GYRO)
    assert validate_fmu(str(folder.parent / "Own.fmu")) == []
    units = {v.name: v.unit for v in fmpy.read_model_description(str(folder)).modelVariables}
    assert (units["rate"], units["bandwidth"], units["der(filtered)"]) == ("rad/s", "Hz", "rad/s2")


def test_what_the_wrapper_cannot_carry_is_declared_as_unsupported(python_fmu):
    interface = fmpy.read_model_description(str(python_fmu("HingedPanel"))).coSimulation
    assert not interface.providesDirectionalDerivative
    assert not interface.canInterpolateInputs
    assert interface.maxOutputDerivativeOrder == 0
    assert interface.needsExecutionTool
    assert fmpy.read_model_description(str(python_fmu("HingedPanel"))).modelExchange is None


def test_a_sampled_block_gives_what_its_equations_say(own_fmu, unit):
    """1 − e^(−2π·0.5·0.8): the last sample before t = 1 is at 0.8, and the sample of t = 1 is taken by the next step."""
    gyro = unit(own_fmu(GYRO)).start(rate=1.0).run(0, 10)
    assert gyro["measured"] == pytest.approx(1.0 - math.exp(-math.pi * 0.8) + 0.001, abs=1e-8)  # measured 7e-13


def test_saved_states_are_complete_and_bit_exact(unit):
    """TetheredMasses goes slack → taut at t ≈ 8.6: saved before, run over the event twice, serialized in between."""
    craft = unit("TetheredMasses").start().run(0, 80)
    state = craft.fmu.getFMUState()
    data = craft.fmu.serializeFMUState(state)
    first = craft.run(80, 100).everything()
    craft.fmu.setFMUState(state)
    assert craft.run(80, 100).everything() == first
    other = unit("TetheredMasses")  # nothing but the bytes passes over, not even initialization
    other.fmu.setFMUState(other.fmu.deserializeFMUState(data))
    assert other.run(80, 100).everything() == first
    craft.fmu.freeFMUState(state)


def test_a_reset_instance_is_a_fresh_one(unit):
    craft = unit("TetheredMasses").start(tether__length0=9.0).run(0, 20)
    craft.fmu.reset()
    assert craft.start().run(0, 20).everything() == unit("TetheredMasses").start().run(0, 20).everything()


def test_states_of_others_and_damaged_ones_are_refused(unit):
    craft = unit("TetheredMasses").start()
    data = bytearray(craft.fmu.serializeFMUState(craft.fmu.getFMUState()))
    data[100] ^= 1
    craft.fmu.setFMUState(craft.fmu.deserializeFMUState(bytes(data)))
    assert craft.logged("the state is damaged, or belongs to another FMU")
    assert status_of(craft.fmu.doStep, 0.0, 0.1) == DISCARD


def test_an_exception_is_logged_with_its_traceback_and_answered_with_discard(own_fmu, unit):
    gyro = unit(own_fmu(BROKEN)).start().run(0, 6)
    assert status_of(gyro.fmu.doStep, 0.6, 0.1) == DISCARD
    assert gyro.logged("Traceback", "ZeroDivisionError", "in sample", "1.0 / 0.0")
    assert gyro["bias"] == 0.001  # still answers,
    assert status_of(gyro.fmu.doStep, 0.6, 0.1) == DISCARD
    gyro.fmu.reset()  # and begins anew
    assert gyro.start().run(0, 6)["measured"] == 0.0


CALLS = {  # what is called, on what, and what the log says of it
    "step before initialization": (False, lambda u: u.fmu.doStep(0.0, 0.1), "fmi2DoStep: not allowed in co-simulation, instance is in state 'instantiated'; legal in 'step complete'"),
    "read before initialization": (False, lambda u: u["bias"], "fmi2GetReal: not allowed"),
    "initialize twice": (True, lambda u: u.fmu.enterInitializationMode(), "fmi2EnterInitializationMode: not allowed"),
    "experiment during the run": (True, lambda u: u.fmu.setupExperiment(), "fmi2SetupExperiment: not allowed"),
    "terminate twice": (True, lambda u: (u.fmu.terminate(), u.fmu.terminate()), "fmi2Terminate: not allowed"),
    "fixed parameter set late": (True, lambda u: u.set(period=0.1), "period can't be set in state 'step complete'; set it in 'instantiated' or 'initialization mode'"),
    "output set": (True, lambda u: u.set(measured=0.1), "measured can't be set"),
    "parameter out of range": (True, lambda u: u.set(bandwidth=-1.0), "bandwidth = -1, expected a value from 0"),
    "input not finite": (True, lambda u: u.set(rate=math.nan), "rate = nan, expected a finite number"),
    "negative step": (True, lambda u: u.fmu.doStep(0.0, -0.1), "the step is not positive"),
    "step not finite": (True, lambda u: u.fmu.doStep(0.0, math.nan), "the communication point or the step is not finite"),
    "step from elsewhere": (True, lambda u: u.fmu.doStep(5.0, 0.1), "the communication point is not where"),
    "step past the stop time": (True, lambda u: u.fmu.doStep(0.0, 100.0), "past the stop time"),
    "unknown reference": (True, lambda u: u.fmu.getReal([999]), "value reference 999 is unknown"),
    "wrong type": (True, lambda u: u.fmu.getReal([u.variables["solver.method"].valueReference]), "is of type enumeration"),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_calls_against_the_rules_are_refused(own_fmu, unit, call, capfd):
    started, action, sentence = CALLS[call]
    gyro = unit(own_fmu(GYRO))
    if started:
        gyro.start(stop=10.0)
    assert status_of(action, gyro) in (OK, DISCARD)  # never fmi2Fatal, which the wrapper does not survive
    assert gyro.logged(sentence)
    assert sentence in capfd.readouterr().err  # for hosts that have not turned on logging
    assert status_of(gyro.fmu.doStep, 0.0, 0.1) == DISCARD
    gyro.fmu.reset()
    assert status_of(gyro.start().fmu.doStep, 0.0, 0.1) == OK


UNSUPPORTED = {
    "fmi2SetRealInputDerivatives": lambda u: u.fmu.setRealInputDerivatives([u.variables["rate"].valueReference], [1], [1.0]),
    "fmi2GetRealOutputDerivatives": lambda u: u.fmu.getRealOutputDerivatives([u.variables["measured"].valueReference], [1]),
    "fmi2GetDirectionalDerivative": lambda u: u.fmu.getDirectionalDerivative([u.variables["der(filtered)"].valueReference], [u.variables["filtered"].valueReference], [1.0]),
    "fmi2CancelStep": lambda u: u.fmu.cancelStep(),
}  # fmt: skip


@pytest.mark.parametrize("call", UNSUPPORTED)
def test_what_is_not_supported_answers_an_error_and_does_no_harm(own_fmu, unit, call):
    """The limits say so by name (fmu_src/python/limits.py); they never reach the slave, whose run goes on."""
    gyro = unit(own_fmu(GYRO)).start(rate=1.0).run(0, 5)
    assert status_of(UNSUPPORTED[call], gyro) == ERROR
    assert any(call in limit.text for limit in LIMITS)
    assert gyro.run(5, 10).everything() == unit(own_fmu(GYRO)).start(rate=1.0).run(0, 10).everything()


def test_bad_parameters_are_refused_by_their_law(unit):
    craft = unit("HingedPanel")
    craft.start(hub__inertia__xx=1e-6)
    assert craft.logged("hub.inertia must be that of a real body")
    assert status_of(craft.fmu.doStep, 0.0, 0.1) == DISCARD


def in_a_fresh_python(script: str, *arguments: str) -> str:
    result = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout + result.stderr


MANY = """
import sys
from pathlib import Path
from tests.python_fmu.units import Unit
for i in range(60):
    unit = Unit(Path(sys.argv[1]))
    value = unit.start(rate=1.0).run(0, 3)["filtered"]
    unit.fmu.freeInstance()
print(value, sum(sys.argv[1] in entry for entry in sys.path))
"""


def test_many_instances_in_one_process(own_fmu):
    """The wrapper gives back one reference too many to the slave module's globals each time, and adds to sys.path.

    Measured with pythonfmu 0.7.0: the same module without a function of its own fails at its second instantiation.
    """
    assert in_a_fresh_python(MANY, own_fmu(GYRO)).split()[1] == "0"


BARE = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in sys.argv[2].split(","):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
sys.path.insert(0, sys.argv[1])
module = __import__(open(sys.argv[1] + "/slavemodule.txt").read())
craft = getattr(module, sys.argv[3])(instance_name="a", resources=sys.argv[1])
craft.setup_experiment(0.0, None, None)
craft.enter_initialization_mode()
craft.exit_initialization_mode()
assert craft.do_step(0.0, 0.1)
print("stepped to", craft.get_real([0]), sys.argv[1] in sys.path)
"""
ELSEWHERE = "scipy,casadi,pydantic,fmpy,pythonfmu,dynamics,fmu_src,matplotlib,typer,rich"


@pytest.mark.parametrize("name", ["AttitudeController", "HingedPanel", "FourBar"])
def test_the_host_needs_numpy_alone(python_fmu, tmp_path, name):
    fmpy.extract(str(python_fmu(name)), str(tmp_path))
    assert "stepped to [0.1] False" in in_a_fresh_python(BARE, tmp_path / "resources", ELSEWHERE, name)


def test_a_missing_numpy_is_named(python_fmu, tmp_path):
    fmpy.extract(str(python_fmu("AttitudeController")), str(tmp_path))
    command = [sys.executable, "-c", BARE, str(tmp_path / "resources"), ELSEWHERE + ",numpy", "AttitudeController"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "AttitudeController needs numpy (resources/requirements.txt) in the host's Python" in result.stderr


def test_the_same_system_gives_the_same_bytes(python_fmu, tmp_path):
    again = build_python(system_of("HingedPanel"), tmp_path / "again.fmu")
    assert again.read_bytes() == python_fmu("HingedPanel").read_bytes()
