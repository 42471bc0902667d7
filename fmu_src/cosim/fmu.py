"""An instance of an FMU in co-simulation: variables by name, errors in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from ctypes import POINTER, c_double, c_int, c_uint
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
from fmpy.fmi2 import FMU2Slave

from ..archive.binaries import check_platform
from ..archive.description import convert, read_description, variables_of
from ..archive.members import unpacked
from ..results.names import resolve
from .fmu_log import FmuLog

# What FMI 2.0 calls a type in its functions, and C
_TYPES: dict[str, tuple[str, Any]] = {
    "Real": ("Real", c_double),
    "Integer": ("Integer", c_int),
    "Enumeration": ("Integer", c_int),
    "Boolean": ("Boolean", c_int),
}


class SimulationError(RuntimeError):
    """An FMU refused a call; the message holds what the FMU said. so_far: the results until then, if there are any."""

    so_far: Any = None


class Slave:
    """One FMU in co-simulation, from instantiation to the end; use it in a `with` block. Between two runs it is `reset`."""

    def __init__(self, name: str, path: Path | str):
        self.name, self.path = name, Path(path)
        self.description = read_description(path)
        if self.description.fmiVersion != "2.0" or self.description.coSimulation is None:
            raise ValueError(f"{path}: is no FMI 2.0 co-simulation FMU, which a system of FMUs is made of")
        check_platform(path)
        self.variables = variables_of(self.description)
        self.said: list[str] = []  # warnings and errors, in their order
        self.warned: list[str] = []  # warnings alone, each once
        self.fmu_log = FmuLog(self.description)

    def __enter__(self) -> Slave:
        with ExitStack() as stack:
            folder = stack.enter_context(unpacked(self.path))
            self._instantiate(folder)
            self._files = stack.pop_all()  # stay until the instance is freed
        return self

    def _instantiate(self, folder: Path) -> None:
        try:
            self._fmu = FMU2Slave(
                guid=self.description.guid,
                unzipDirectory=str(folder),
                modelIdentifier=self.description.coSimulation.modelIdentifier,
                instanceName=self.name,
            )
            self._fmu.instantiate(callbacks=self._callbacks())
            self.fmu_log.ask(self._fmu)
        except Exception as error:
            raise SimulationError(self._sentence("can't be instantiated", error)) from error

    def __exit__(self, *failure) -> None:
        self._fmu.freeInstance()
        self._files.close()

    def reset(self) -> None:
        """Back to where the instance was when new; for the next run."""
        self.said.clear()
        self.warned.clear()
        self.fmu_log.clear()
        self.call("reset")

    def call(self, function: str, *arguments, **named):
        """An FMI function by FMPy's name; what the FMU says when it refuses becomes the error."""
        try:
            return getattr(self._fmu, function)(*arguments, **named)
        except Exception as error:  # FMPy raises FMICallException, and OSError for a crash
            raise SimulationError(self._sentence(f"refused {function}", error)) from error

    def get(self, names: Sequence[str]) -> np.ndarray:
        """Values of variables, as doubles."""
        return Port(self, names).get()

    def set(self, values: Mapping[str, object]) -> None:
        """Set variables, one FMI call a type."""
        Port(self, tuple(values)).set([convert(self.variables[name], value) for name, value in values.items()])

    def resolve(self, name: str) -> list[str]:
        """A variable, or all elements of an array, of this FMU."""
        return resolve(name, self.variables, f"variable of {self.name} ({self.path.name})")

    def _callbacks(self):
        from fmpy.fmi2 import (
            fmi2CallbackAllocateMemoryTYPE,
            fmi2CallbackFreeMemoryTYPE,
            fmi2CallbackFunctions,
            fmi2CallbackLoggerTYPE,
        )

        def hear(environment, instance, status, category, message):
            self.fmu_log.hear(category, message)
            if status > 0 and message:  # 0 is OK
                self.said.append(message.decode("utf-8", "replace"))
            if status == 1 and message and self.said[-1] not in self.warned:
                self.warned.append(self.said[-1])

        callbacks = fmi2CallbackFunctions()
        callbacks.logger = fmi2CallbackLoggerTYPE(hear)
        callbacks.allocateMemory = fmi2CallbackAllocateMemoryTYPE(fmpy.calloc)
        callbacks.freeMemory = fmi2CallbackFreeMemoryTYPE(fmpy.free)
        self._kept = callbacks  # C holds a pointer to it
        return callbacks

    def _sentence(self, what: str, error: Exception) -> str:
        return f"{self.name} ({self.path.name}) {what}: {' / '.join(self.said[-3:]) or error}"

    def fmi(self, function: str, *arguments) -> None:
        """An FMI function by FMI's name, with arguments as C wants them."""
        self.call(function, self._fmu.component, *arguments)


class Port:
    """Some variables of an FMU, ready for many calls: one an FMI type, references and room for values as C wants them."""

    def __init__(self, slave: Slave, names: Sequence[str]):
        self._slave, self._names = slave, names
        self.owner, self.names = slave.name, tuple(names)
        places: dict[str, list[int]] = {}
        for i, name in enumerate(names):
            places.setdefault(slave.variables[name].type, []).append(i)
        self._groups = []
        for kind, own in places.items():
            name, c_type = _TYPES[kind]
            references = [slave.variables[names[i]].valueReference for i in own]
            values = np.zeros(len(own), c_type)
            in_c = values.ctypes.data_as(POINTER(c_type))
            self._groups.append((name, np.array(own), (c_uint * len(own))(*references), values, in_c))

    def get(self) -> np.ndarray:
        """Their values, as doubles."""
        found = np.empty(len(self._names))
        for kind, places, references, values, in_c in self._groups:
            self._slave.fmi(f"fmi2Get{kind}", references, len(places), in_c)
            found[places] = values
        return found

    def set(self, given: Sequence[float] | np.ndarray) -> None:
        """Set them, from numbers in their order."""
        given = np.asarray(given, float)
        if not np.all(np.isfinite(given)):
            bad = int(np.flatnonzero(~np.isfinite(given))[0])
            raise ValueError(f"{self._slave.name}.{self._names[bad]} is {given[bad]}, expected a finite number")
        for kind, places, references, values, in_c in self._groups:
            values[:] = given[places]
            self._slave.fmi(f"fmi2Set{kind}", references, len(places), in_c)
