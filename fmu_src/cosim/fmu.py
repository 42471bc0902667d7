"""An instance of an FMU in co-simulation: variables by name, errors as sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from ctypes import POINTER, c_bool, c_double, c_int, c_int64, c_uint
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave

from ..archive.binaries import check_platform
from ..archive.description import (
    convert,
    elements_of,
    read_description,
    scalars_of,
    starts_of,
    type_in_calls,
    variables_of,
)
from ..archive.members import unpacked
from ..results.names import resolve
from .fmu_log import FmuLog

# C types of FMI's functions
_TYPES: dict[str, dict[str, Any]] = {
    "2.0": {"Real": c_double, "Integer": c_int, "Boolean": c_int},
    "3.0": {"Float64": c_double, "Int32": c_int, "Int64": c_int64, "Boolean": c_bool},
}


class SimulationError(RuntimeError):
    """An FMU refused a call; the message includes the FMU's own. so_far: the results up to that time, if any."""

    so_far: Any = None


class Slave:
    """One FMU in co-simulation, from instantiation to the end; use it in a `with` block. Between two runs it is `reset`."""

    def __init__(self, name: str, path: Path | str):
        self.name, self.path = name, Path(path)
        self.description = read_description(path)
        if self.description.fmiVersion not in _TYPES or self.description.coSimulation is None:
            raise ValueError(f"{path}: is not a co-simulation FMU of FMI 2.0 or 3.0, as a system requires")
        check_platform(path)
        self.third = self.description.fmiVersion == "3.0"
        self.variables = scalars_of(self.description)
        self.arrays: dict[int, np.ndarray] = {}  # of FMI 3.0, by reference: values set last
        self.said: list[str] = []  # warnings and errors, in their order
        self.warned: list[str] = []  # only warnings, each once
        self.fmu_log = FmuLog(self.description)

    def __enter__(self) -> Slave:
        with ExitStack() as stack:
            folder = stack.enter_context(unpacked(self.path))
            self._instantiate(folder)
            self._files = stack.pop_all()  # stay until the instance is freed
        return self

    def _instantiate(self, folder: Path) -> None:
        try:
            self._fmu = (FMU3Slave if self.third else FMU2Slave)(
                guid=self.description.guid,
                unzipDirectory=str(folder),
                modelIdentifier=self.description.coSimulation.modelIdentifier,
                instanceName=self.name,
            )
            self._fmu.instantiate(**self._listening())
            self.fmu_log.ask(self._fmu)
        except Exception as error:
            raise SimulationError(self._sentence("can't be instantiated", error)) from error

    def __exit__(self, *failure) -> None:
        self._fmu.freeInstance()
        self._files.close()

    def reset(self) -> None:
        """Return the instance to its initial state, for the next run."""
        self.said.clear()
        self.warned.clear()
        self.fmu_log.clear()
        self.arrays.clear()
        self.call("reset")

    def enter_initialization(self, tolerance: float | None) -> None:
        """Set up a run from time 0, in the calls of each FMI version."""
        if self.third:
            self.call("enterInitializationMode", tolerance=tolerance, startTime=0.0)
        else:
            self.call("setupExperiment", tolerance=tolerance, startTime=0.0)
            self.call("enterInitializationMode")

    def call(self, function: str, *arguments, **named):
        """Call an FMI function by FMPy's name; if the FMU refuses, its message becomes the error."""
        try:
            return getattr(self._fmu, function)(*arguments, **named)
        except Exception as error:  # FMPy raises FMICallException, and OSError for a crash
            raise SimulationError(self._sentence(f"refused {function}", error)) from error

    def get(self, names: Sequence[str]) -> np.ndarray:
        """Values of variables, as doubles."""
        return Port(self, names).get()

    def set(self, values: Mapping[str, object]) -> None:
        """Set variables, one FMI call per type."""
        Port(self, tuple(values)).set([convert(self.variables[name], value) for name, value in values.items()])

    def resolve(self, name: str) -> list[str]:
        """A variable, or all elements of an array, of this FMU."""
        return resolve(name, self.variables, f"variable of {self.name} ({self.path.name})")

    def _listening(self) -> dict[str, Any]:
        from fmpy.fmi2 import (
            fmi2CallbackAllocateMemoryTYPE,
            fmi2CallbackFreeMemoryTYPE,
            fmi2CallbackFunctions,
            fmi2CallbackLoggerTYPE,
        )

        def hear(*told):
            status, category, message = told[-3:]  # FMI 2.0 names the instance before these
            self.fmu_log.hear(category, message)
            if status > 0 and message:  # 0 is OK
                self.said.append(message.decode("utf-8", "replace"))
            if status == 1 and message and self.said[-1] not in self.warned:
                self.warned.append(self.said[-1])

        if self.third:
            return {"logMessage": hear, "loggingOn": True}
        callbacks = fmi2CallbackFunctions()
        callbacks.logger = fmi2CallbackLoggerTYPE(hear)
        callbacks.allocateMemory = fmi2CallbackAllocateMemoryTYPE(fmpy.calloc)
        callbacks.freeMemory = fmi2CallbackFreeMemoryTYPE(fmpy.free)
        self._kept = callbacks  # C holds a pointer to it
        return {"callbacks": callbacks}

    def last_set(self, variable) -> np.ndarray:
        """The values of an array that were set last, or its start values."""
        if variable.valueReference not in self.arrays:
            self.arrays[variable.valueReference] = np.array(starts_of(variable))
        return self.arrays[variable.valueReference]

    def _sentence(self, what: str, error: Exception) -> str:
        return f"{self.name} ({self.path.name}) {what}: {' / '.join(self.said[-3:]) or error}"

    def fmi(self, function: str, *arguments) -> None:
        """Call an FMI function by its FMI name, with C arguments."""
        self.call(function, self._fmu.component, *arguments)


class Port:
    """Some variables of an FMU, prepared for many calls: per FMI type, C arrays of references and values.

    An array of FMI 3.0 is read and set whole: entries that are not named keep their values.
    """

    def __init__(self, slave: Slave, names: Sequence[str]):
        self._slave, self._names = slave, names
        self.owner, self.names = slave.name, tuple(names)
        elements = elements_of(variables_of(slave.description))
        kinds: dict[str, list[int]] = {}
        for i, name in enumerate(names):
            kinds.setdefault(type_in_calls(slave.description, slave.variables[name]), []).append(i)
        self._groups = []
        for kind, own in kinds.items():
            wholes = {slave.variables[names[i]].valueReference: slave.variables[names[i]] for i in own}
            first, total = {}, 0
            for reference, variable in wholes.items():
                first[reference], total = total, total + int(np.prod(variable.shape or ()))
            places = [_place(*elements[names[i]]) + first[slave.variables[names[i]].valueReference] for i in own]
            values = np.zeros(total, c_type := _TYPES[slave.description.fmiVersion][kind])
            sizes = (total,) if slave.third else ()
            arguments = ((c_uint * len(wholes))(*wholes), len(wholes), values.ctypes.data_as(POINTER(c_type)), *sizes)
            self._groups.append((kind, np.array(own), np.array(places), values, arguments, list(wholes.values())))

    def get(self) -> np.ndarray:
        """Their values, as doubles."""
        found = np.empty(len(self._names))
        for kind, own, places, values, arguments, _ in self._groups:
            self._slave.fmi(f"fmi{3 if self._slave.third else 2}Get{kind}", *arguments)
            found[own] = values[places]
        return found

    def set(self, given: Sequence[float] | np.ndarray) -> None:
        """Set them, from numbers in their order."""
        given = np.asarray(given, float)
        if not np.all(np.isfinite(given)):
            bad = int(np.flatnonzero(~np.isfinite(given))[0])
            raise ValueError(f"{self._slave.name}.{self._names[bad]} is {given[bad]}, expected a finite number")
        for kind, own, places, values, arguments, wholes in self._groups:
            if len(values) > len(wholes):
                values[:] = np.concatenate([self._slave.last_set(variable) for variable in wholes])
            values[places] = given[own]
            self._slave.fmi(f"fmi{3 if self._slave.third else 2}Set{kind}", *arguments)
            if len(values) > len(wholes):
                ends = np.cumsum([int(np.prod(variable.shape or ())) for variable in wholes])[:-1]
                for variable, now in zip(wholes, np.split(values.copy(), ends), strict=True):
                    self._slave.arrays[variable.valueReference] = now


def _place(variable, place: tuple[int, ...]) -> int:
    return int(np.ravel_multi_index(place, variable.shape)) if place else 0
