"""FMUs of the small Systems, built once for this machine, and instances with access by name instead of value reference."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import (
    FMU2Model,
    FMU2Slave,
    fmi2CallbackAllocateMemoryTYPE,
    fmi2CallbackFreeMemoryTYPE,
    fmi2CallbackFunctions,
    fmi2CallbackLoggerTYPE,
)

from spacefmu.dynamics.system.contract import System
from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.interface.variables import Group, Variable, variables_of
from tests.session import once, session_folder

OK, WARNING, DISCARD, ERROR = range(4)
GETTERS = {"real": "Real", "enumeration": "Integer", "integer": "Integer", "boolean": "Boolean"}


@dataclass(frozen=True)
class Built:
    """An FMU on disk, unpacked."""

    system: System
    folder: Path
    guid: str
    identifier: str
    variables: dict[str, Variable]

    @property
    def library(self) -> Path:
        return next((self.folder / "binaries").glob("*/*"))


class Unit:
    """One instance. `kind` is "cs" or "me"; parameters are set before initialization, the log is kept."""

    def __init__(self, built: Built, kind: str = "cs", name: str = "unit", guid: str | None = None):
        self.built, self.log = built, []
        self.callbacks = fmi2CallbackFunctions()
        self.callbacks.logger = fmi2CallbackLoggerTYPE(self._logged)
        self.callbacks.allocateMemory = fmi2CallbackAllocateMemoryTYPE(fmpy.calloc)
        self.callbacks.freeMemory = fmi2CallbackFreeMemoryTYPE(fmpy.free)
        self.memory(self.callbacks)
        cls = FMU2Slave if kind == "cs" else FMU2Model
        self.fmu = cls(
            guid=guid or built.guid,
            unzipDirectory=str(built.folder),
            modelIdentifier=built.identifier,
            instanceName=name,
        )
        self.fmu.instantiate(callbacks=self.callbacks)

    def memory(self, callbacks) -> None:
        """A subclass may wrap the host's functions."""

    def _logged(self, environment, name, status, category, message):
        self.log.append((status, category.decode(), message.decode()))

    def initialize(
        self, start: float = 0.0, tolerance: float | None = None, stop: float | None = None, **values
    ) -> Unit:
        """Through initialization mode; names in `values` have __ for dots."""
        self.set({name.replace("__", "."): value for name, value in values.items()})
        self.fmu.setupExperiment(startTime=start, tolerance=tolerance, stopTime=stop)
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()
        return self

    def references(self, *names: str) -> list[int]:
        return [self.built.variables[name].reference for name in names]

    def set(self, values: dict[str, float]):
        for name, value in values.items():
            kind = GETTERS[self.built.variables[name].signal.kind]
            getattr(self.fmu, f"set{kind}")(self.references(name), [value if kind == "Real" else int(value)])

    def __getitem__(self, name: str) -> float:
        kind = GETTERS[self.built.variables[name].signal.kind]
        return getattr(self.fmu, f"get{kind}")(self.references(name))[0]

    def array(self, group: Group) -> np.ndarray:
        """All values of a group, in the order of the System's array."""
        members = sorted((v for v in self.built.variables.values() if v.group == group), key=lambda v: v.index)
        return np.array([self[v.name] for v in members], float)

    def everything(self) -> bytes:
        """All values of all variables, bit for bit."""
        return np.array([self[name] for name in self.built.variables], float).tobytes()

    def run(self, until: float, step: float, start: float = 0.0, before=None):
        """Steps of equal length; `before(t)` is called ahead of each."""
        count = round((until - start) / step)
        for i in range(count):
            t = start + i * step
            if before:
                before(t)
            self.fmu.doStep(t, (start + (i + 1) * step) - t)
        return self

    def free(self):
        self.fmu.freeInstance()


def status_of(call, *arguments) -> int:
    """The status a call returns (fmpy raises what is worse than a warning)."""
    try:
        call(*arguments)
    except FMICallException as error:
        return error.status
    return OK


def with_pointer(values, kind=ctypes.c_double):
    return (kind * len(values))(*values)


def unpack(system: System, folder: Path) -> Built:
    """The FMU of a System for this host, built and unpacked in the folder unless it is there already."""
    once(folder, lambda path: fmpy.extract(str(build_native(system, path.with_suffix(".fmu"), ["host"])), str(path)))
    description = fmpy.read_model_description(str(folder))
    variables = {variable.name: variable for variable in variables_of(system)}
    return Built(system, folder, description.guid, description.coSimulation.modelIdentifier, variables)


@pytest.fixture(scope="session")
def built():
    """built(system): its FMU for this host; each is made once. SPACEFMU_TEST_FMUS names a folder with ready ones."""
    folder = Path(os.environ.get("SPACEFMU_TEST_FMUS") or session_folder() / "small")
    made: dict[str, Built] = {}

    def build(system: System) -> Built:
        if system.name not in made:
            made[system.name] = unpack(system, folder / system.name)
        return made[system.name]

    return build


@pytest.fixture
def unit(built):
    """unit(system, kind): a fresh instance, freed after the test."""
    units: list[Unit] = []

    def create(system: System, kind: str = "cs", **more) -> Unit:
        units.append(Unit(built(system), kind, **more))
        return units[-1]

    yield create
    for each in units:
        each.free()


def bring_to(instance, state: str):
    """From a fresh instance to a state of the standard's state machine."""
    fmu = instance.fmu
    if state == "instantiated":
        return
    if state == "step failed":
        instance.set({"solver.tolerance": 1e-60})
    fmu.setupExperiment()
    fmu.enterInitializationMode()
    if state == "initialization":
        return
    fmu.exitInitializationMode()
    if state == "step failed":
        assert status_of(fmu.doStep, 0.0, 0.1) == DISCARD
    if state == "continuous":
        fmu.newDiscreteStates()
        fmu.enterContinuousTimeMode()
    if state == "terminated":
        fmu.terminate()
    if state == "error":
        assert status_of(fmu.getReal, [9999]) == ERROR
