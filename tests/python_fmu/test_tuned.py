"""A tunable parameter of a spacecraft changed in mid-run: both flavours, and a run that starts there with the new value."""

import numpy as np
import pytest
from fmpy.fmi2 import FMU2Slave

from tests.catalogue_fmus import close_fmu, fmu_of, open_unpacked, system_of

NAME, STEP, BEFORE, AFTER = "HingedPanel", 0.1, 50, 50  # communication steps before and after the change
STIRRED = {"panel.mode[1].amplitude": 0.05, "sadm.angle": 0.3, "hub.angular_velocity[2]": 0.02}
TUNED = {"sadm.stiffness": 45.0, "sadm.damping": 2.0}
BOUND = 1e-9  # of each state's largest value, at least 1; measured 3.6e-15 between flavours, 3.2e-11 to the run that starts there


def trajectory(flavour: str, starts: dict, changes: dict, steps: int) -> list[np.ndarray]:
    """States at communication points; `changes`: step → values that are set before it."""
    states = [state.name for state in system_of(NAME).signals.states]
    fmu, reference = open_unpacked(fmu_of(NAME, flavour), FMU2Slave)

    def put(values):
        fmu.setReal([reference[name] for name in values], list(values.values()))

    fmu.setupExperiment(startTime=0.0)
    put(starts)
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    seen = []
    for i in range(steps):
        put(changes.get(i, {}))
        fmu.doStep(i * STEP, STEP)
        seen.append(np.array(fmu.getReal([reference[name] for name in states])))
    close_fmu(fmu)
    return seen


def apart(first, second) -> float:
    first, second = np.array(first), np.array(second)
    return float((np.abs(first - second).max(0) / np.maximum(1.0, np.abs(first).max(0))).max())


@pytest.mark.parametrize("flavour", ["native", "python"])
def test_a_parameter_tuned_in_mid_run_acts_from_there_on(flavour):
    """As if a new run started at that state with it: no step ahead, constant or first stage of before is left over."""
    states = [state.name for state in system_of(NAME).signals.states]
    tuned = trajectory(flavour, STIRRED, {BEFORE: TUNED}, BEFORE + AFTER)
    plain = trajectory(flavour, STIRRED, {}, BEFORE + AFTER)
    assert np.array_equal(tuned[:BEFORE], plain[:BEFORE])
    assert apart(plain[BEFORE:], tuned[BEFORE:]) > 1e-3
    anew = trajectory(flavour, dict(zip(states, tuned[BEFORE - 1], strict=True)) | TUNED, {}, AFTER)
    assert apart(anew, tuned[BEFORE:]) < BOUND


def test_flavours_agree_on_a_tuned_parameter():
    native, python = (trajectory(flavour, STIRRED, {BEFORE: TUNED}, BEFORE + AFTER) for flavour in ("native", "python"))
    assert apart(native, python) < BOUND
