"""An FMU file and an instance of it in co-simulation: variables by name, errors in sentences."""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import fmpy
import numpy as np
from fmpy.fmi2 import FMU2Slave
from fmpy.model_description import ModelDescription, ScalarVariable

from ..results.names import resolve

_GETTERS = {"Real": "getReal", "Integer": "getInteger", "Enumeration": "getInteger", "Boolean": "getBoolean"}
_SETTERS = {"Real": "setReal", "Integer": "setInteger", "Enumeration": "setInteger", "Boolean": "setBoolean"}


class SimulationError(RuntimeError):
    """An FMU refused a call; the message holds what the FMU said."""


def read_description(path: Path | str) -> ModelDescription:
    """The model description of an FMU file; ValueError if it is none."""
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file")
    if not zipfile.is_zipfile(path):
        raise ValueError(f"{path}: is not an FMU: an FMU is a zip archive, and this file is none")
    try:
        with zipfile.ZipFile(path) as archive:
            if "modelDescription.xml" not in archive.namelist():
                raise ValueError(f"{path}: is not an FMU: the archive has no modelDescription.xml")
        return fmpy.read_model_description(str(path), validate=False)
    except ValueError:
        raise
    except Exception as error:  # FMPy raises bare exceptions
        raise ValueError(f"{path}: its modelDescription.xml can't be read: {error}") from error


def platforms_of(path: Path | str) -> list[str]:
    """FMI's names of the platforms that the FMU has libraries for."""
    with zipfile.ZipFile(path) as archive:
        folders = {name.split("/")[1] for name in archive.namelist() if re.match(r"binaries/[^/]+/[^/]+", name)}
    return sorted(folders)


def check_platform(path: Path | str) -> None:
    """ValueError if the FMU has no library for this machine, by FMI 2.0's name of it or FMI 3.0's."""
    platforms = platforms_of(path)
    if not {fmpy.platform, fmpy.platform_tuple} & set(platforms):
        raise ValueError(
            f"{path}: has no library for this platform, {fmpy.platform}; it has {', '.join(platforms) or 'none'}"
        )


def variables_of(description: ModelDescription) -> dict[str, ScalarVariable]:
    """All variables by name."""
    return {variable.name: variable for variable in description.modelVariables}


def unit_of(variable: ScalarVariable) -> str:
    """The unit, also when it is stated in the declared type."""
    return variable.unit or (variable.declaredType.unit if variable.declaredType is not None else None) or ""


def convert(variable: ScalarVariable, text) -> float | int | bool:
    """A value for the variable from a number or a text, in the variable's own type."""
    name, kind = variable.name, variable.type
    if kind == "Boolean":
        truth = {"true": True, "false": False, "1": True, "0": False}.get(str(text).strip().lower())
        if truth is None:
            raise ValueError(f"{name} is {text!r}, expected true or false")
        return truth
    if kind == "Enumeration" and variable.declaredType is not None:
        items = {item.name: int(item.value) for item in variable.declaredType.items}
        if str(text) in items:
            return items[str(text)]
    try:
        number = float(text)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number):
        raise ValueError(f"{name} is {text!r}, expected a finite number")
    if kind == "Enumeration" or "Int" in kind:  # Integer; Int8 … UInt64 of FMI 3.0
        if number != int(number):
            raise ValueError(f"{name} is {text!r}, expected a whole number")
        return int(number)
    return number


class Slave:
    """One FMU in co-simulation, from instantiation to the end; use it in a `with` block."""

    def __init__(self, name: str, path: Path | str):
        self.name, self.path = name, Path(path)
        self.description = read_description(path)
        if self.description.fmiVersion != "2.0" or self.description.coSimulation is None:
            raise ValueError(f"{path}: is no FMI 2.0 co-simulation FMU, which a system of FMUs is made of")
        check_platform(path)
        self.variables = variables_of(self.description)
        self.said: list[str] = []

    def __enter__(self) -> Slave:
        self._folder = fmpy.extract(str(self.path))
        try:
            self._fmu = FMU2Slave(
                guid=self.description.guid,
                unzipDirectory=self._folder,
                modelIdentifier=self.description.coSimulation.modelIdentifier,
                instanceName=self.name,
            )
            self._fmu.instantiate(callbacks=self._callbacks())
        except Exception as error:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise SimulationError(self._sentence("can't be instantiated", error)) from error
        return self

    def __exit__(self, *failure) -> None:
        try:
            if failure[0] is None:
                self.call("terminate")
        finally:
            self._fmu.freeInstance()
            shutil.rmtree(self._folder, ignore_errors=True)

    def call(self, function: str, **arguments):
        """An FMI function by FMPy's name; what the FMU says when it refuses becomes the error."""
        try:
            return getattr(self._fmu, function)(**arguments)
        except Exception as error:  # FMPy raises FMICallException, and OSError for a crash
            raise SimulationError(self._sentence(f"refused {function}", error)) from error

    def get(self, names: Sequence[str]) -> np.ndarray:
        """Values of variables, as doubles."""
        values = np.empty(len(names))
        for kind, places in self._by_type(names).items():
            references = [self.variables[names[i]].valueReference for i in places]
            values[places] = [float(value) for value in self.call(_GETTERS[kind], vr=references)]
        return values

    def set(self, values: Mapping[str, object]) -> None:
        """Set variables, one FMI call a type."""
        names = list(values)
        for kind, places in self._by_type(names).items():
            variables = [self.variables[names[i]] for i in places]
            given = [convert(variable, values[variable.name]) for variable in variables]
            self.call(_SETTERS[kind], vr=[variable.valueReference for variable in variables], value=given)

    def resolve(self, name: str) -> list[str]:
        """A variable, or all elements of an array, of this FMU."""
        return resolve(name, self.variables, f"variable of {self.name} ({self.path.name})")

    def _by_type(self, names: Sequence[str]) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for i, name in enumerate(names):
            places.setdefault(self.variables[name].type, []).append(i)
        return places

    def _callbacks(self):
        from fmpy.fmi2 import (
            fmi2CallbackAllocateMemoryTYPE,
            fmi2CallbackFreeMemoryTYPE,
            fmi2CallbackFunctions,
            fmi2CallbackLoggerTYPE,
        )

        def hear(environment, instance, status, category, message):
            if status > 0 and message:  # 0 is OK
                self.said.append(message.decode("utf-8", "replace"))

        callbacks = fmi2CallbackFunctions()
        callbacks.logger = fmi2CallbackLoggerTYPE(hear)
        callbacks.allocateMemory = fmi2CallbackAllocateMemoryTYPE(fmpy.calloc)
        callbacks.freeMemory = fmi2CallbackFreeMemoryTYPE(fmpy.free)
        self._kept = callbacks  # C holds a pointer to it
        return callbacks

    def _sentence(self, what: str, error: Exception) -> str:
        return f"{self.name} ({self.path.name}) {what}: {' / '.join(self.said[-3:]) or error}"
