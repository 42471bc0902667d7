"""The model description of an FMU: read by FMPy, looked up by name."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
from fmpy.model_description import ModelDescription, ScalarVariable

from spacefmu.dynamics.limits import xml_fault

from ..results.names import resolve
from .members import XML, opened, read_xml


def read_description(path: Path | str) -> ModelDescription:
    """The model description of an FMU file; ValueError if the file is not an FMU."""
    try:
        with opened(path) as archive:
            if XML not in archive.namelist():
                raise ValueError(f"{path}: is not an FMU: the archive has no {XML}")
            try:
                read_xml(archive, XML)
            except ValueError as error:
                raise ValueError(f"{path}: {error}") from None
        return fmpy.read_model_description(str(path), validate=False)
    except (ValueError, FileNotFoundError):
        raise
    except Exception as error:  # FMPy raises bare exceptions
        raise ValueError(f"{path}: its {XML} can't be read: {xml_fault(error)}") from error


def variables_of(description: ModelDescription) -> dict[str, ScalarVariable]:
    """All variables by name."""
    return {variable.name: variable for variable in description.modelVariables}


def elements_of(variables: Mapping[str, ScalarVariable]) -> dict[str, tuple[ScalarVariable, tuple[int, ...]]]:
    """Every scalar of an FMU by its FMI 2.0 name, with its index in its variable: arrays of FMI 3.0 have name[1], name[1,2], …"""
    return {
        name + (f"[{','.join(str(i + 1) for i in place)}]" if place else ""): (variable, place)
        for name, variable in variables.items()
        for place in np.ndindex(*(variable.shape or ()))
    }


def scalars_of(description: ModelDescription) -> dict[str, ScalarVariable]:
    """All variables by the FMI 2.0 names of their scalars; the elements of an FMI 3.0 array share one variable."""
    return {name: variable for name, (variable, _) in elements_of(variables_of(description)).items()}


def type_in_calls(description: ModelDescription, variable: ScalarVariable) -> str:
    """The type of a variable as named by its getters and setters: Integer in fmi2GetInteger, Int64 in fmi3GetInt64 for an enumeration."""
    if variable.type == "Enumeration":
        return "Int64" if description.fmiVersion.startswith("3.") else "Integer"
    return variable.type


def unit_of(variable: ScalarVariable) -> str:
    """The unit, also when it is stated in the declared type."""
    return variable.unit or (variable.declaredType.unit if variable.declaredType is not None else None) or ""


def convert(variable: ScalarVariable, text) -> float | int | bool:
    """A value for the variable from a number or a text, in the variable's own type."""
    name, kind = variable.name, variable.type
    if kind == "Boolean":
        truth = {"true": True, "false": False, "1": True, "0": False, "1.0": True, "0.0": False}.get(
            str(text).strip().lower()
        )
        if truth is None:
            raise ValueError(f"{name} is {text!r}, expected true or false")
        return truth
    expected = "a finite number"
    if kind == "Enumeration" and variable.declaredType is not None:
        items = {item.name: int(item.value) for item in variable.declaredType.items}
        if str(text) in items:
            return items[str(text)]
        expected = f"one of {', '.join(items)}, or its number"
    try:
        number = float(text)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number):
        raise ValueError(f"{name} is {text!r}, expected {expected}")
    if kind == "Enumeration" or "Int" in kind:  # Integer; Int8 … UInt64 of FMI 3.0
        if number != int(number):
            raise ValueError(f"{name} is {text!r}, expected a whole number")
        return int(number)
    return number


def cannot_be_set(variable: ScalarVariable, of: str) -> str:
    """Why a variable of the FMU `of` has no settable start value: the end of a sentence, or empty."""
    if variable.variability == "constant":
        return f"it is a constant of {of}; name it in [parameters] live of the description, or build without --fold"
    if variable.causality not in ("parameter", "input") and variable.initial not in ("exact", "approx"):
        return f"it is calculated by {of}"
    return ""


def start_values_of(of: str, variables: Mapping[str, ScalarVariable], given: Mapping[str, object]) -> dict[str, object]:
    """Values by name (of a variable, a whole array or an element) → values in the variables' types, FMI 3.0 arrays whole.

    ValueError names what can't be set.
    """
    elements = elements_of(variables)
    values: dict[str, Any] = {}
    for key, value in given.items():
        for name in resolve(key, elements, f"variable of {of}"):
            variable, place = elements[name]
            if why := cannot_be_set(variable, of):
                raise ValueError(f"{name} can't be set: {why}")
            number = _within(variable, convert(variable, value))
            if not place:
                values[name] = number
                continue
            whole = values.setdefault(variable.name, starts_of(variable))
            whole[np.ravel_multi_index(place, variable.shape)] = number
    return values


def start_of(variable: ScalarVariable, place: tuple[int, ...]):
    """The stated start value at an index of the variable; None if there is none."""
    if not place or variable.start is None:
        return variable.start
    return starts_of(variable)[np.ravel_multi_index(place, variable.shape)]


def starts_of(variable: ScalarVariable) -> list:
    """The start values of an array, zeros where none are stated."""
    stated = str(variable.start or "").split()
    return [convert(variable, text) for text in stated or ["0"] * int(np.prod(variable.shape))]


def _within(variable: ScalarVariable, value):
    """The value, if it is within the variable's bounds."""
    low = -np.inf if variable.min is None else float(variable.min)
    high = np.inf if variable.max is None else float(variable.max)
    if not low <= value <= high:
        wanted = "greater than 0" if (low, high) == (sys.float_info.min, np.inf) else f"from {low:g} to {high:g}"
        raise ValueError(f"{variable.name} is {value:g}, expected a number {wanted}")
    return value
