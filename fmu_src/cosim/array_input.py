"""Tables that drive inputs of an FMU, including arrays of FMI 3.0; FMPy's `Input` takes only arrays of one shape."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import c_uint32
from types import SimpleNamespace
from typing import Any

import fmpy.simulation
from fmpy.model_description import ModelDescription
from fmpy.simulation import Input

from ..archive.description import elements_of, variables_of


class ArrayInput(Input):
    """FMPy's rules for the values, one column of the table per element; an array is set whole, so all its elements have columns."""

    continuous: list[Any]
    discrete: list[Any]

    def __init__(self, fmu, modelDescription: ModelDescription, signals, set_input_derivatives: bool = False):
        elements = []
        for name, (variable, _) in elements_of(variables_of(modelDescription)).items():
            elements.append(copy.copy(variable))
            elements[-1].name = name
        super().__init__(fmu, SimpleNamespace(modelVariables=elements), signals, set_input_derivatives)
        if signals is not None:
            self.continuous = [own._replace(vrs=_each_once(own.vrs)) for own in self.continuous]
            self.discrete = [own._replace(vrs=_each_once(own.vrs)) for own in self.discrete]


@contextmanager
def inputs_by_element() -> Iterator[None]:
    """FMPy's own loops take inputs by element within this block."""
    kept, fmpy.simulation.Input = fmpy.simulation.Input, ArrayInput
    try:
        yield
    finally:
        fmpy.simulation.Input = kept


def _each_once(references):
    """Elements of an array share its reference and follow each other."""
    unique = list(dict.fromkeys(references))
    return (c_uint32 * len(unique))(*unique)
