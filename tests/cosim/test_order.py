"""Order of accuracy of the exchanges, on continuous partners: error against the monolithic System over the communication step."""

from ctypes import c_double, c_int, c_uint
from pathlib import Path

import numpy as np
import pytest
from fmpy import extract
from fmpy.fmi2 import FMU2Slave

from fmu_src import api, cosim
from tests.catalogue_fmus import open_unpacked

MASS = '''
from dynamics.blocks.block import Block
from dynamics.signals import Signal


class Mass(Block):
    """x'' = −4 x + u."""

    inputs = (Signal("force", "per mass", "m/s2"),)
    states = (
        Signal("position", "of the mass", "m", 1.0, derivative="velocity"),
        Signal("velocity", "of the mass", "m/s", 0.0, derivative_unit="m/s2"),
    )
    outputs = (Signal("energy", "per mass", "m2/s2"),)
    experiment = {"stop": 2.0, "step": 0.1, "tolerance": 1e-11}

    def rates(self, now):
        return {"position": now.velocity, "velocity": now.force - 4.0 * now.position}

    def results(self, now):
        return {"energy": 0.5 * now.velocity**2 + 2.0 * now.position**2}
'''
FILTER = '''
from dynamics.blocks.block import Block
from dynamics.signals import Signal


class Filter(Block):
    """A damper behind a lag: f' = 2 (−v − f)."""

    inputs = (Signal("velocity", "of the mass", "m/s"),)
    states = (Signal("force", "lagged", "m/s2", derivative_unit="m/s3"),)
    experiment = {"stop": 2.0, "step": 0.1, "tolerance": 1e-11}

    def rates(self, now):
        return {"force": 2.0 * (-now.velocity - now.force)}
'''
SYSTEM = """
kind = "system"
name = "Pair"
step = {step}
stop = 2.0
algorithm = "{algorithm}"
[units.mass]
model = "mass.py"
[units.filter]
model = "filter.py"
[connections]
"filter.velocity" = "mass.velocity"
"mass.force" = "filter.force"
"""
STEPS = np.array([0.1, 0.05, 0.025])


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """fmus by unit, and the monolithic run at the coarsest points."""
    folder = tmp_path_factory.mktemp("pair")
    (folder / "mass.py").write_text(MASS)
    (folder / "filter.py").write_text(FILTER)
    (folder / "system.toml").write_text(SYSTEM.format(step=0.1, algorithm="monolithic"))
    fmus = {unit: api.build(folder / f"{unit}.py", folder / f"{unit}.fmu") for unit in ("mass", "filter")}
    return fmus, api.cosimulate(folder / "system.toml"), folder


def slope(errors):
    return np.polyfit(np.log(STEPS), np.log(errors), 1)[0]


@pytest.mark.parametrize("algorithm", ["jacobi", "gauss_seidel"])
def test_held_inputs_are_of_first_order(pair, algorithm):
    fmus, exact, folder = pair
    errors = []
    for step in STEPS:
        (folder / "run.toml").write_text(SYSTEM.format(step=step, algorithm=algorithm))
        run = cosim.cosimulate(cosim.read_system(folder / "run.toml"), fmus)
        errors.append(np.abs(run["mass.position"][:: round(0.1 / step)] - exact["mass.position"]).max())
    assert errors[0] > 1e-3
    assert slope(errors) == pytest.approx(1.0, abs=0.15)


def test_input_derivatives_are_of_second_order(pair):
    """fmi2SetRealInputDerivatives with the derivative that the other unit shows: the input is a line over the step."""
    fmus, exact, folder = pair
    folders = {unit: extract(str(path), str(folder / f"{unit}_files")) for unit, path in fmus.items()}
    errors = []
    for step in STEPS:
        units = {unit: open_unpacked(Path(where), FMU2Slave) for unit, where in folders.items()}
        for fmu, _ in units.values():
            fmu.setupExperiment(tolerance=1e-11, startTime=0.0)
            fmu.enterInitializationMode()
            fmu.exitInitializationMode()
        (mass, m), (lag, f) = units["mass"], units["filter"]
        rows = []
        for n in range(round(2.0 / step) + 1):
            velocity, force = mass.getReal([m["velocity"]]), lag.getReal([f["force"]])
            lag.setReal([f["velocity"]], velocity)
            mass.setReal([m["force"]], force)
            if n % round(0.1 / step) == 0:
                rows.append(mass.getReal([m["position"]])[0])
            slopes = mass.getReal([m["der(velocity)"]]), lag.getReal([f["der(force)"]])
            lag.fmi2SetRealInputDerivatives(lag.component, *_derivative(f["velocity"], slopes[0][0]))
            mass.fmi2SetRealInputDerivatives(mass.component, *_derivative(m["force"], slopes[1][0]))
            for fmu in (mass, lag):
                fmu.doStep(currentCommunicationPoint=n * step, communicationStepSize=step)
        for fmu in (mass, lag):
            fmu.terminate()
            fmu.freeInstance()
        errors.append(np.abs(np.array(rows) - exact["mass.position"]).max())
    assert slope(errors) == pytest.approx(2.0, abs=0.2)


def _derivative(reference, value):
    return (c_uint * 1)(reference), 1, (c_int * 1)(1), (c_double * 1)(value)
