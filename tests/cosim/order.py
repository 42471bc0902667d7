"""Two continuous partners, a mass and a damper behind a lag, and how far each way of coupling them is from the monolithic System."""

from __future__ import annotations

from ctypes import c_double, c_int, c_uint
from pathlib import Path

import numpy as np
from fmpy import extract
from fmpy.fmi2 import FMU2Slave

from spacefmu.fmu_src import api, cosim
from tests.catalogue_fmus import close_fmu, open_unpacked

MASS = '''
from spacefmu.dynamics.blocks.block import Block
from spacefmu.dynamics.system.signals import Signal


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
from spacefmu.dynamics.blocks.block import Block
from spacefmu.dynamics.system.signals import Signal


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
STOP, COARSEST = 2.0, 0.1  # [s]


class Pair:
    """The two FMUs, and the monolithic run at the points of the coarsest step. Errors: the largest of the mass's position there [m]."""

    def __init__(self, folder: Path):
        self.folder = folder
        (folder / "mass.py").write_text(MASS)
        (folder / "filter.py").write_text(FILTER)
        self.fmus = {unit: api.build(folder / f"{unit}.py", folder / f"{unit}.fmu") for unit in ("mass", "filter")}
        self.unpacked = {unit: Path(extract(str(path), str(folder / unit))) for unit, path in self.fmus.items()}
        self.exact = api.cosimulate(self._system(COARSEST, "monolithic"))["mass.position"]

    def _system(self, step: float, algorithm: str) -> Path:
        path = self.folder / "system.toml"
        path.write_text(SYSTEM.format(step=step, algorithm=algorithm))
        return path

    def with_held_inputs(self, step: float, algorithm: str) -> float:
        run = cosim.cosimulate(cosim.read_system(self._system(step, algorithm)), self.fmus)
        return np.abs(run["mass.position"][:: round(COARSEST / step)] - self.exact).max()

    def with_input_derivatives(self, step: float) -> float:
        """fmi2SetRealInputDerivatives with the derivative that the other unit shows: the input is a line over the step."""
        units = {unit: open_unpacked(where, FMU2Slave) for unit, where in self.unpacked.items()}
        for fmu, _ in units.values():
            fmu.setupExperiment(tolerance=1e-11, startTime=0.0)
            fmu.enterInitializationMode()
            fmu.exitInitializationMode()
        (mass, m), (lag, f) = units["mass"], units["filter"]
        positions = []
        for n in range(round(STOP / step) + 1):
            velocity, force = mass.getReal([m["velocity"]]), lag.getReal([f["force"]])
            lag.setReal([f["velocity"]], velocity)
            mass.setReal([m["force"]], force)
            if n % round(COARSEST / step) == 0:
                positions += mass.getReal([m["position"]])
            slopes = mass.getReal([m["der(velocity)"]]), lag.getReal([f["der(force)"]])
            lag.fmi2SetRealInputDerivatives(lag.component, *_derivative(f["velocity"], slopes[0][0]))
            mass.fmi2SetRealInputDerivatives(mass.component, *_derivative(m["force"], slopes[1][0]))
            for fmu in (mass, lag):
                fmu.doStep(currentCommunicationPoint=n * step, communicationStepSize=step)
        for fmu in (mass, lag):
            close_fmu(fmu)
        return np.abs(np.array(positions) - self.exact).max()


def slope(steps, errors) -> float:
    """The order: how steep the errors are over the steps, both as logarithms."""
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


def _derivative(reference, value):
    return (c_uint * 1)(reference), 1, (c_int * 1)(1), (c_double * 1)(value)
