"""The catalogue's Separation as FMUs: release by time and by input, event mode, model exchange, saved states, reset; linear models of both modes."""

from __future__ import annotations

import fmpy
import numpy as np
import pytest
from fmpy.fmi2 import FMU2Slave

from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src import api
from spacefmu.fmu_src.native.trace.fast import fast
from spacefmu.fmu_src.native.trace.jacobian import ExactDerivatives
from tests.catalogue_fmus import fmu_file, open_fmu, system_of
from tests.constraints.craft import column
from tests.fmi3.units import Unit3, fmu3_file

STATES = ["satellite.position[3]", "satellite.velocity[3]", "satellite.angular_velocity[2]", "stage.velocity[3]"]
OPENED = 2.0


@pytest.fixture(scope="module")
def opened():
    """STATES at 4 s, opened by the input at 2 s, and the times of the springs' ends, by the reference."""
    system = system_of("Separation")
    u = np.array(system.signals.starts("inputs"))
    release = system.signals.where("inputs", "clamp.release")

    def inputs(t):
        u[release] = float(t >= OPENED)
        return u.copy()

    trajectory = integrate(fast(system), np.array([0.0, OPENED, 4.0]), u=inputs, rtol=1e-12, atol=1e-13)
    ends = [time for time in trajectory.events if time > OPENED]
    return np.array([np.ravel(column(system, trajectory, name)[-1])[0] for name in STATES]), ends


class Host:
    """A co-simulation instance, stepped by t += h."""

    def __init__(self, **start):
        self.fmu, self.references = open_fmu("Separation", FMU2Slave)
        self.begin(**start)

    def begin(self, **start):
        self.t = 0.0
        self.fmu.setupExperiment(tolerance=1e-12, startTime=0.0)
        for name, value in start.items():
            self.fmu.setReal([self.references[name.replace("__", ".")]], [value])
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()

    def to(self, end: float, h: float = 0.1):
        while self.t < end - 0.5 * h:
            self.fmu.doStep(self.t, h)
            self.t += h
        return self

    def release(self, value: bool):
        self.fmu.setBoolean([self.references["clamp.release"]], [value])

    @property
    def closed(self) -> bool:
        return bool(self.fmu.getBoolean([self.references["clamp.closed"]])[0])

    def real(self, names=STATES):
        return np.array(self.fmu.getReal([self.references[name] for name in names]))


@pytest.fixture
def host():
    hosts = []

    def create(**start):
        hosts.append(Host(**start))
        return hosts[-1]

    yield create
    for each in hosts:
        each.fmu.terminate()
        each.fmu.freeInstance()


def test_release_by_input_for_good(host, opened):
    """Opened by a pulse of the input: the reference's states to round-off of the tolerance."""
    run = host().to(OPENED)
    run.release(True)
    assert run.to(3.0).closed is False
    run.release(False)
    np.testing.assert_allclose(run.to(4.0).real(), opened[0], rtol=0.0, atol=1e-10)  # measured 3e-13
    assert run.closed is False


@pytest.mark.parametrize("time", [OPENED, 2.0 - 1e-3 / 3.0])
def test_release_time_is_a_parameter(host, opened, time):
    """At a communication point of a host that adds up its steps, and between two: the motion is that from the event on."""
    run = host(clamp__release_time=time).to(4.0 if time == OPENED else 1.9)
    if time == OPENED:
        np.testing.assert_allclose(run.real(), opened[0], rtol=0.0, atol=1e-10)  # measured 3e-13
        return
    speed = run.to(4.0).real(["clamp.velocity[3]"])
    other = host(clamp__release_time=OPENED).to(4.0).real(["clamp.velocity[3]", "clamp.position[3]"])
    np.testing.assert_allclose(speed, other[0], rtol=1e-6)
    # it has flown longer by the difference of the two times
    np.testing.assert_allclose(run.real(["clamp.position[3]"]), other[1] + speed * (OPENED - time), rtol=1e-7)


def test_saved_states_and_reset(host, opened):
    """A state saved before the release brings the clamp back; reset gives the fresh instance."""
    run = host().to(1.0)
    saved, begun = run.fmu.getFMUstate(), run.t
    run.to(OPENED).release(True)
    first = run.to(4.0).real()
    assert run.closed is False
    run.fmu.setFMUstate(saved)
    run.t = begun
    assert run.closed is True
    run.to(OPENED).release(True)
    np.testing.assert_array_equal(run.to(4.0).real(), first)
    run.fmu.setFMUstate(saved)
    run.fmu.freeFMUstate(saved)
    run.fmu.reset()
    run.begin()
    assert run.closed is True
    run.to(OPENED).release(True)
    np.testing.assert_array_equal(run.to(4.0).real(), first)


def test_event_mode_of_fmi_3(opened):
    """Released in event mode at 2 s; every spring's end returns early, at its own time."""
    unit = Unit3("Separation", fmpy.fmi3.FMU3Slave, eventModeUsed=True, earlyReturnAllowed=True)
    unit.initialize(4.0, 1e-12)
    unit.fmu.updateDiscreteStates()
    unit.fmu.enterStepMode()
    *_, t = unit.fmu.doStep(0.0, OPENED)
    unit.fmu.enterEventMode()
    unit.fmu.setBoolean([unit.reference("clamp.release")], [True])
    assert unit.fmu.getBoolean([unit.reference("clamp.closed")]) == [True]
    unit.fmu.updateDiscreteStates()
    assert unit.fmu.getBoolean([unit.reference("clamp.closed")]) == [False]
    unit.fmu.enterStepMode()
    ends = []
    while t < 4.0:
        needed, _, _, t = unit.fmu.doStep(t, 4.0 - t)
        if needed:
            ends.append(t)
            unit.fmu.enterEventMode()
            unit.fmu.updateDiscreteStates()
            unit.fmu.enterStepMode()
    np.testing.assert_allclose(ends, opened[1], rtol=0.0, atol=1e-10)  # measured 1e-12
    found = unit.get("satellite.position", "satellite.velocity", "satellite.angular_velocity", "stage.velocity")
    np.testing.assert_allclose(found[[2, 5, 7, 11]], opened[0], rtol=0.0, atol=1e-10)
    unit.free()


@pytest.mark.parametrize("version", [2, 3])
def test_model_exchange(opened, version):
    """FMPy's CVode, with the time as a parameter."""
    file = (fmu_file if version == 2 else fmu3_file)("Separation")
    arrays = version == 3
    result = fmpy.simulate_fmu(
        str(file), fmi_type="ModelExchange", stop_time=4.0, output_interval=0.5, relative_tolerance=1e-9,
        start_values={"clamp.release_time": OPENED}, output=["satellite.velocity"] if arrays else STATES[1:2], logger=lambda *_: None,
    )  # fmt: skip
    found = result["satellite.velocity"][-1][2] if arrays else result[STATES[1]][-1]
    assert found == pytest.approx(opened[0][1], abs=1e-6)  # measured 3e-9


def test_linear_models_of_both_modes():
    """While the clamp holds, six speeds and six coordinates fewer are independent."""
    system = system_of("Separation")
    exact = {"derivatives": ExactDerivatives(system)}
    held, apart = api.linearize(system, **exact), api.linearize(system, after=12.0, **exact)
    assert len(apart.states) - len(held.states) == 12
    # after it, a force on the stage moves the stage alone: the satellite's rates do not depend on it
    names = [entry.name for entry in apart.inputs]
    force = apart.B[:, names.index("stage.force[1]")]
    satellite = [i for i, name in enumerate(apart.states) if name.name.startswith("satellite.")]
    assert np.max(np.abs(force[satellite])) == 0.0
    assert np.max(np.abs(force)) > 1e-4
