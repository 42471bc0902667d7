"""Samples late in a long run, where a sample time's slack is less than the resolution of time, and steps of very many samples."""

import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import FMU2Slave

from spacefmu.dynamics.blocks.attitude_controller import AttitudeController
from spacefmu.dynamics.blocks.partner import partner_system
from spacefmu.dynamics.solver.loop import Solver, StepFailed
from spacefmu.dynamics.system.evaluate import start
from tests.catalogue_fmus import close_fmu, fmu_of, open_unpacked

PERIOD = 0.1
CONTROLLER = AttitudeController(name="C", sample_time=PERIOD, stiffness=(4.0, 8.0, 6.0), damping=(9.0, 18.0, 14.0))
# 2²¹ s: from here on 1e-9 sample times are less than half of the resolution of time (found by `spacefmu check`); a year; a century
LATE = [2.0**21 - 1.0, 1e7, 3.2e7, 3.2e9]


@pytest.mark.parametrize("begin", LATE)
def test_one_sample_a_period_however_late(begin):
    """Counted by the tick, which tells the next one; the first is taken at the start, which is on the grid."""
    solver = Solver(partner_system(CONTROLLER))
    solver.place(begin, *start(solver.system, begin))
    first = solver.d[0]
    assert first == np.round(begin / PERIOD) + 1.0
    for i in range(1, 101):
        solver.advance(begin + PERIOD * i)
        assert abs(solver.d[0] - first - i) <= 1.0  # a sample at the end of a step belongs to the next one


@pytest.mark.parametrize("flavour", ["native", "python"])
@pytest.mark.parametrize("begin", LATE)
def test_fmus_of_controllers_go_on_however_late(flavour, begin):
    fmu, reference = open_unpacked(fmu_of("AttitudeController", flavour), FMU2Slave)
    fmu.setupExperiment(startTime=begin)
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    seen = []
    for i in range(60):
        fmu.setReal([reference["angular_velocity[3]"]], [1e-3 * i])
        fmu.doStep(begin + 0.1 * i, 0.1)
        seen.append(fmu.getReal([reference["torque[3]"]])[0])
    next_sample = np.prod(
        fmu.getReal([reference["tick"], reference["sample_time"]])
    )  # of the last, 3.2e10 ticks are no Integer
    close_fmu(fmu)
    assert next_sample == pytest.approx(begin + 6.0, abs=0.3)
    assert len(set(seen)) >= 30  # every sample sees another rate; the catalogue's samples every 0.1 or 0.2 s


@pytest.mark.slow
def test_a_step_of_too_many_samples_is_refused():
    solver = Solver(partner_system(CONTROLLER))
    solver.place(0.0, *start(solver.system, 0.0))
    with pytest.raises(StepFailed, match="internal steps and needs too many more"):
        solver.advance(1e9)
    assert solver.t < 1e9


def test_a_native_fmu_refuses_it_too():
    fmu, _ = open_unpacked(fmu_of("AttitudeController"), FMU2Slave)
    fmu.setupExperiment(startTime=0.0)
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    with pytest.raises(FMICallException):
        fmu.doStep(0.0, 1e9)
    fmu.freeInstance()
