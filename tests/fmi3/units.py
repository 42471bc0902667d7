"""FMI 3.0 FMUs of catalogue entries, built once per session, and instances of them in FMPy."""

from __future__ import annotations

import ctypes
import math
import os
from functools import cache
from pathlib import Path

import fmpy
import numpy as np
from fmpy.fmi3 import FMU3Model, FMU3Slave

from spacefmu.dynamics.system.contract import System
from spacefmu.fmu_src.build import build_native
from tests.catalogue_fmus import system_of
from tests.session import once, session_folder


def fmu3_file(of: str | System, scalars: bool = False) -> Path:
    """The .fmu file of a catalogue entry, or of a small System, as FMI 3.0, with arrays or cut into scalars. Not to be written to: others use it.

    SPACEFMU_TEST_FMUS names a folder with ready ones, for runs under sanitizers.
    """
    system = system_of(of) if isinstance(of, str) else of
    folder = Path(os.environ.get("SPACEFMU_TEST_FMUS") or session_folder() / "fmi3")
    name = f"{system.name}{'_scalars' if scalars else ''}.fmu"
    return once(folder / name, lambda path: build_native(system, path, ["host"], fmi=3, scalars=scalars))


@cache
def _description(folder: str):
    return fmpy.read_model_description(folder)


class Unit3:
    """An instance of a catalogue entry's or a small System's FMI 3.0 FMU, with its variables by name."""

    def __init__(self, of: str | System, kind: type[FMU3Model] | type[FMU3Slave], **options):
        file = fmu3_file(of)
        self.folder = once(file.with_suffix(""), lambda path: fmpy.extract(str(file), str(path)))
        self.description = _description(str(self.folder))
        self.variables = {variable.name: variable for variable in self.description.modelVariables}
        self.log: list[tuple[int, str, str]] = []
        interface = self.description.modelExchange if kind is FMU3Model else self.description.coSimulation
        self.fmu = kind(
            guid=self.description.guid,
            unzipDirectory=str(self.folder),
            modelIdentifier=interface.modelIdentifier,
            instanceName="unit",
        )
        self.fmu.instantiate(logMessage=self._logger(), **{"loggingOn": True} | options)

    def _logger(self):
        from fmpy.fmi3 import fmi3LogMessageCallback

        def note(environment, status, category, message):
            self.log.append((status, category.decode(), message.decode()))

        self._kept = fmi3LogMessageCallback(note)
        return self._kept

    def reference(self, name: str) -> int:
        return self.variables[name].valueReference

    def size(self, name: str) -> int:
        return math.prod(int(each.start) for each in self.variables[name].dimensions)

    def get(self, *names: str) -> np.ndarray:
        """Values of Float64 variables, arrays flat, one after the other."""
        total = sum(self.size(name) for name in names)
        return np.array(self.fmu.getFloat64([self.reference(name) for name in names], total))

    def set(self, name: str, values) -> None:
        self.fmu.setFloat64([self.reference(name)], np.ravel(values).tolist())

    def initialize(self, stop: float | None = None, tolerance: float | None = None) -> None:
        self.fmu.enterInitializationMode(tolerance=tolerance, startTime=0.0, stopTime=stop)
        self.fmu.exitInitializationMode()

    def states(self) -> np.ndarray:
        count = ctypes.c_size_t()
        self.fmu.fmi3GetNumberOfContinuousStates(self.fmu.component, ctypes.byref(count))
        values = (ctypes.c_double * count.value)()
        self.fmu.fmi3GetContinuousStates(self.fmu.component, values, count.value)
        return np.array(values)

    def free(self) -> None:
        self.fmu.freeInstance()
