"""The functions of FMI 3.0: arrays and their counts, event mode and early return, derivatives, states, refusals."""

from __future__ import annotations

import ctypes
import zipfile

import fmpy
import numpy as np
import pytest
from fmpy.fmi3 import FMU3Model
from fmpy.model_description import read_build_description

from spacefmu.dynamics.solver.rows_seen import indicator_count
from tests.catalogue_fmus import fmu_file, system_of
from tests.fmi3.units import Unit3, fmu3_file


def test_arrays_are_set_and_read_whole(unit):
    craft = unit("FlexibleSatellite")
    craft.set("hub.force", [1.0, -2.0, 3.0])
    craft.initialize()
    np.testing.assert_array_equal(craft.get("hub.force"), [1.0, -2.0, 3.0])
    both = craft.get("hub.position", "hub.quaternion")
    np.testing.assert_array_equal(both, np.concatenate([craft.get("hub.position"), craft.get("hub.quaternion")]))


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda u: u.fmu.getFloat64([u.reference("hub.position")], 2), "fmi3GetFloat64: 2 values, expected 3"),
        (lambda u: u.fmu.setFloat64([u.reference("hub.force")], [1.0]), "fmi3SetFloat64: 1 values, expected 3"),
        (lambda u: u.fmu.getFloat64([99999], 1), "value reference 99999 is unknown"),
        (
            lambda u: u.fmu.getInt32([u.reference("hub.mass")], 1),
            "fmi3GetInt32: hub.mass is of type real, not integer or enumeration",
        ),
        (lambda u: u.fmu.getUInt8([u.reference("hub.mass")], 1), "hub.mass is of type real"),
        (lambda u: u.fmu.setInt64([u.reference("solver.method")], [9]), "expected a value from 1 to 6"),
        (lambda u: u.fmu.enterConfigurationMode(), "there are no structural parameters"),
        (lambda u: u.fmu.enterEventMode(), "eventModeUsed = false"),
        (lambda u: u.fmu.setClock([3], [True]), "has no clocks"),
        (lambda u: u.fmu.doStep(0.0, 0.1), "not allowed in co-simulation"),
    ],
)
def test_what_is_wrong_is_refused_by_name(unit, call, message):
    craft = unit("FlexibleSatellite")
    if "SetFloat64" not in message and "1 to 6" not in message and "not allowed" not in message:
        craft.initialize()
    with pytest.raises(Exception, match="fmi3"):
        call(craft)
    assert message in craft.log[-1][2], craft.log


def test_a_step_ends_at_an_event_if_the_host_wants(unit):
    """TetheredPair, slack and taut: with event mode and early return the host gets the events that the log of FMI 2.0 has."""
    stop, step = 1800.0, 20.0
    tether = unit("TetheredPair", eventModeUsed=True, earlyReturnAllowed=True)
    tether.initialize(stop)
    again, *_ = tether.fmu.updateDiscreteStates()
    assert not again
    tether.fmu.enterStepMode()
    taut, events, t = tether.reference("tether.taut"), [], 0.0
    before = tether.fmu.getBoolean([taut])
    while t < stop - 1e-9:
        end = min((np.floor(t / step + 1e-9) + 1.0) * step, stop)
        needed, terminate, early, reached = tether.fmu.doStep(t, end - t)
        assert not terminate
        assert reached == pytest.approx(end, abs=1e-9) or early
        t = reached
        if needed:
            tether.fmu.enterEventMode()
            tether.fmu.updateDiscreteStates()
            if tether.fmu.getBoolean([taut]) != before:
                before = tether.fmu.getBoolean([taut])
                events.append(t)
            tether.fmu.enterStepMode()
    plain = fmpy.simulate_fmu(
        str(fmu_file("TetheredPair")), stop_time=stop, output_interval=step, output=["first.position[1]"],
        relative_tolerance=system_of("TetheredPair").about.experiment["tolerance"], logger=lambda *_: None,
    )  # fmt: skip
    exchange = fmpy.simulate_fmu(
        str(fmu_file("TetheredPair")), fmi_type="ModelExchange", stop_time=stop, output_interval=step, output=["tether.taut"],
        relative_tolerance=1e-10, logger=lambda *_: None,
    )  # fmt: skip
    switched = exchange["time"][1:][exchange["tether.taut"][1:] != exchange["tether.taut"][:-1]]
    np.testing.assert_allclose(events, switched, atol=1e-3)
    assert tether.get("first.position")[0] == pytest.approx(plain["first.position[1]"][-1], rel=1e-6)


def test_a_sample_at_the_end_of_a_step_waits_for_event_mode(unit):
    """A sampled controller: its sample sees inputs that are set in event mode at the same instant, and outputs are fresh then."""
    controller = unit("AttitudeController", eventModeUsed=True, earlyReturnAllowed=True)
    controller.initialize()
    *_, defined, first = controller.fmu.updateDiscreteStates()
    assert defined
    controller.fmu.enterStepMode()
    needed, _, early, reached = controller.fmu.doStep(0.0, first)
    assert (needed, early) == (True, False)
    assert reached == first
    controller.fmu.enterEventMode()
    old = controller.get("torque")
    controller.set("quaternion", [np.cos(0.2), np.sin(0.2), 0.0, 0.0])
    *_, after = controller.fmu.updateDiscreteStates()
    assert after > first
    assert np.linalg.norm(controller.get("torque") - old) > 1e-6
    controller.fmu.enterStepMode()


def test_adjoint_is_the_transpose_of_directional(unit):
    craft = unit("FlexibleSatellite", FMU3Model)
    craft.set("hub.force", [0.3, 0.2, -0.1])
    craft.initialize()
    craft.fmu.updateDiscreteStates()
    craft.fmu.enterContinuousTimeMode()
    knowns, unknowns = (
        ["hub.velocity", "hub.angular_velocity", "hub.force"],
        ["hub.acceleration", "hub.angular_acceleration"],
    )
    rng = np.random.default_rng(5)
    seed, weight = rng.normal(size=9), rng.normal(size=6)
    forward = craft.fmu.getDirectionalDerivative(*_references(craft, unknowns, knowns), seed.tolist(), 6)
    backward = craft.fmu.getAdjointDerivative(*_references(craft, unknowns, knowns), weight.tolist(), 9)
    assert weight @ forward == pytest.approx(seed @ backward, rel=1e-13)
    with pytest.raises(Exception, match="fmi3GetAdjointDerivative"):
        craft.fmu.getAdjointDerivative(*_references(craft, unknowns, knowns), weight.tolist(), 8)
    assert "6 seeds and 8 sensitivities, expected 6 and 9" in craft.log[-1][2]


def _references(unit: Unit3, *groups) -> list[list[int]]:
    return [[unit.reference(name) for name in names] for names in groups]


@pytest.mark.parametrize("name", ["FourBar", "TetheredPair"])
def test_states_restore_serialize_and_reset(unit, name):
    plant = unit(name)
    plant.initialize()
    shown = [v.name for v in plant.description.modelVariables if v.causality == "output" and v.type == "Float64"]

    def steps(count, start=0.0, h=0.05):
        for i in range(count):
            plant.fmu.doStep(start + i * h, h)
        return plant.get(*shown)

    steps(10)
    state = plant.fmu.getFMUState()
    data = plant.fmu.serializeFMUState(state)
    first = steps(10, 0.5)
    plant.fmu.setFMUState(state)
    np.testing.assert_array_equal(steps(10, 0.5), first)
    plant.fmu.freeFMUState(state)
    copy = plant.fmu.deserializeFMUState(data)
    plant.fmu.setFMUState(copy)
    plant.fmu.freeFMUState(copy)
    np.testing.assert_array_equal(steps(10, 0.5), first)
    plant.fmu.reset()
    plant.initialize()
    steps(10)
    np.testing.assert_array_equal(steps(10, 0.5), first)


def test_indicators_are_variables_and_states_are_counted(unit):
    tether = unit("TetheredPair", FMU3Model)
    tether.initialize()
    tether.fmu.updateDiscreteStates()
    tether.fmu.enterContinuousTimeMode()
    system = system_of("TetheredPair")
    count = ctypes.c_size_t()
    tether.fmu.fmi3GetNumberOfEventIndicators(tether.fmu.component, ctypes.byref(count))
    assert count.value == indicator_count(system) == tether.size("event_indicators")
    values = (ctypes.c_double * count.value)()
    tether.fmu.fmi3GetEventIndicators(tether.fmu.component, values, count.value)
    np.testing.assert_array_equal(tether.get("event_indicators"), values)
    assert len(tether.states()) == system.nx


def test_sources_say_how_they_are_built():
    """buildDescription.xml lists every C file in sources/, and libraries lie in folders of FMI 3.0's names."""
    file = fmu3_file("FourBar")
    (configuration,) = read_build_description(str(file), validate=True)
    listed = sorted(name for group in configuration.sourceFileSets for name in group.sourceFiles)
    with zipfile.ZipFile(file) as archive:
        members = archive.namelist()
    assert listed == sorted(
        name.removeprefix("sources/") for name in members if name.startswith("sources/") and name.endswith(".c")
    )
    assert [name.split("/")[1] for name in members if name.startswith("binaries/")] == ["x86_64-linux"]
    assert "terminalsAndIcons/icon.png" in members
