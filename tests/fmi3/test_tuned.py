"""Parameters that the host changes in mid-run: FMI 3.0 goes on as FMI 2.0 does, bit for bit, in co-simulation and in model exchange."""

from __future__ import annotations

import ctypes

import fmpy
import numpy as np
import pytest
from fmpy.fmi2 import FMU2Model, FMU2Slave
from fmpy.fmi3 import FMU3Model, FMU3Slave

from tests.catalogue_fmus import close_fmu, fmu_file, open_fmu

STEPS, TUNED = 20, 10  # the parameters change after step TUNED


class Two:
    """An instance of FMI 2.0 that is initialized; real variables by their names."""

    update, derivatives = "newDiscreteStates", "getDerivatives"

    def __init__(self, name: str, stepped: bool):
        self.fmu, self.references = open_fmu(name, FMU2Slave if stepped else FMU2Model)
        self.fmu.setupExperiment(tolerance=1e-8)
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()

    def get(self, names) -> list[float]:
        return self.fmu.getReal([self.references[name] for name in names])

    def set(self, names, values) -> None:
        self.fmu.setReal([self.references[name] for name in names], values)


class Three:
    """One of FMI 3.0: entries of an array are read and set together."""

    update, derivatives = "updateDiscreteStates", "getContinuousStateDerivatives"

    def __init__(self, unit, name: str, stepped: bool):
        self.unit = unit(name, FMU3Slave if stepped else FMU3Model)
        self.fmu = self.unit.fmu
        self.unit.initialize(tolerance=1e-8)

    def _whole(self, names) -> list[str]:
        known = self.unit.variables
        return list(dict.fromkeys(name if name in known else name.partition("[")[0] for name in names))

    def get(self, names) -> list[float]:
        return self.unit.get(*self._whole(names)).tolist()

    def set(self, names, values) -> None:
        self.fmu.setFloat64([self.unit.reference(name) for name in self._whole(names)], values)


def vector(fmu, call: str, values: np.ndarray) -> np.ndarray:
    getattr(fmu, call)(values.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), len(values))
    return values


def go_on(side, stepped: bool, states: int, step: int) -> None:
    """A communication step of 50 ms, or an explicit Euler step of 1 ms."""
    if stepped:
        side.fmu.doStep(0.05 * step, 0.05)
        return
    x, rates = (vector(side.fmu, call, np.zeros(states)) for call in ("getContinuousStates", side.derivatives))
    side.fmu.setTime(0.001 * (step + 1))
    vector(side.fmu, "setContinuousStates", x + 0.001 * rates)


def settle(side) -> None:
    getattr(side.fmu, side.update)()
    side.fmu.enterContinuousTimeMode()


def rows(side, stepped: bool, states: int, tunable, shown) -> np.ndarray:
    """Outputs after each step; tunable parameters, if any are named, change in mid-run."""
    found = []
    if not stepped:
        settle(side)
    for step in range(STEPS):
        if step == TUNED and tunable:
            if not stepped:
                side.fmu.enterEventMode()
            side.set(tunable, [1.1 * value + 0.3 for value in side.get(tunable)])
            if not stepped:
                settle(side)
        go_on(side, stepped, states, step)
        found.append(side.get(shown))
    return np.array(found)


@pytest.mark.parametrize("stepped", [True, False], ids=["cosimulation", "exchange"])
@pytest.mark.parametrize("name", ["FourBar", "TetheredMasses"])
def test_equal_bit_for_bit(name, stepped, unit):
    description = fmpy.read_model_description(str(fmu_file(name)))
    real = [v for v in description.modelVariables if v.type == "Real"]
    tunable = [v.name for v in real if (v.causality, v.variability) == ("parameter", "tunable")]
    shown = [v.name for v in real if v.causality == "output"]
    assert len(tunable) > 8
    states = description.numberOfContinuousStates
    old = Two(name, stepped)
    expected = rows(old, stepped, states, tunable, shown)
    close_fmu(old.fmu)
    found = rows(Three(unit, name, stepped), stepped, states, tunable, shown)
    np.testing.assert_array_equal(found, expected)
    left = rows(Three(unit, name, stepped), stepped, states, [], shown)
    np.testing.assert_array_equal(left[:TUNED], expected[:TUNED])
    assert np.abs(left[TUNED:] - expected[TUNED:]).max() > 1e-5
