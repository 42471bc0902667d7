"""What a partner says in its log when it meets something that it survives: a quaternion of zeros, with which FMPy's SSP master starts."""

import fmpy
import numpy as np
import pytest
from fmpy.fmi2 import FMU2Model, FMU2Slave, fmi2CallbackFunctions, fmi2CallbackLoggerTYPE

from spacefmu.dynamics.blocks.partner import partner_system
from spacefmu.dynamics.blocks.sensors import StarTracker
from spacefmu.dynamics.system.signals import Signal
from spacefmu.fmu_src import api
from tests.catalogue_fmus import fmu_of, unpack

WARNING = (1, "logStatusWarning")
CONTROLLER = "attitude_valid is false at time 0: the measured quaternion is not an attitude"


@pytest.fixture
def opened():
    """Opens an unpacked FMU with logging on: the instance, its references by name, its log so far."""
    units = []

    def open_logged(folder, kind=FMU2Slave):
        description = fmpy.read_model_description(str(folder))
        log, callbacks = [], fmi2CallbackFunctions()
        callbacks.logger = fmi2CallbackLoggerTYPE(lambda _, __, s, c, m: log.append((s, c.decode(), m.decode())))
        fmu = kind(
            guid=description.guid,
            unzipDirectory=str(folder),
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName="partner",
        )
        fmu.instantiate(callbacks=callbacks, loggingOn=True)
        units.append((fmu, callbacks))
        fmu.setupExperiment(startTime=0.0)
        return fmu, {v.name: v.valueReference for v in description.modelVariables}, log

    yield open_logged
    for fmu, _ in units:
        fmu.freeInstance()


def warnings(log):
    return [message for status, category, message in log if (status, category) == WARNING]


def quaternion(fmu, references, value):
    fmu.setReal([references[f"quaternion[{i}]"] for i in (1, 2, 3, 4)], list(value))


@pytest.mark.parametrize("flavour", ["native", "python"])
def test_a_controller_without_an_attitude_says_so_once(opened, flavour):
    fmu, references, log = opened(fmu_of("SlewController", flavour))
    quaternion(fmu, references, np.zeros(4))
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    fmu.doStep(0.0, 0.1)
    [said] = warnings(log)
    assert said.startswith(CONTROLLER)
    quaternion(fmu, references, [1.0, 0.0, 0.0, 0.0])
    fmu.doStep(0.1, 0.1)
    quaternion(fmu, references, np.zeros(4))
    fmu.doStep(0.2, 0.1)
    assert warnings(log) == [said]


@pytest.mark.parametrize("flavour", ["native", "python"])
def test_a_controller_with_an_attitude_is_silent(opened, flavour):
    fmu, _, log = opened(fmu_of("SlewController", flavour))
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    fmu.doStep(0.0, 0.1)
    assert warnings(log) == []


def test_it_says_so_in_model_exchange_and_after_a_reset(opened):
    fmu, references, log = opened(fmu_of("SlewController"), FMU2Model)
    for times in (1, 2):
        quaternion(fmu, references, np.zeros(4))
        fmu.enterInitializationMode()
        fmu.exitInitializationMode()
        while fmu.newDiscreteStates()[0]:
            pass
        fmu.enterContinuousTimeMode()
        assert [said.startswith(CONTROLLER) for said in warnings(log)] == [True] * times
        fmu.terminate()
        fmu.reset()
        fmu.setupExperiment(startTime=0.0)


@pytest.mark.parametrize(("value", "count"), [((0.0, 0.0, 0.0, 0.0), 1), ((1.0, 0.0, 0.0, 0.0), 0)])
def test_a_star_tracker_speaks_of_zeros_and_not_of_its_delay(opened, value, count):
    system = partner_system(StarTracker(name="Tracker", delay=3))
    fmu, references, log = opened(unpack(lambda s, path, _: api.build(s, path), system))
    quaternion(fmu, references, value)
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    fmu.doStep(0.0, 0.1)
    assert [said.startswith("true_valid is false at time 0") for said in warnings(log)] == [True] * count


def test_only_a_boolean_has_a_notice():
    with pytest.raises(ValueError, match="level: it has a notice and is of kind 'real', expected 'boolean'"):
        Signal("level", "of water", "m", notice="the tank is empty")
