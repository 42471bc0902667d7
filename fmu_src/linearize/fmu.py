"""A, B, C, D of any FMI 2.0 FMU that provides directional derivatives: the plain Jacobian where an instance is, all states as they are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import FMU2Model, FMU2Slave

from spacefmu.dynamics.linearize.linear import Linear, Named

from ..archive.binaries import check_platform
from ..archive.description import read_description, start_values_of
from ..archive.members import unpacked


def refuse(path: Path | str, description, interface=None) -> None:
    """An FMU that can't be linearized; interface: the kind of it (FMPy's) that is to be run, default model exchange if it has that."""
    if description.fmiVersion != "2.0":
        raise ValueError(f"{path}: is of FMI {description.fmiVersion}, expected FMI 2.0")
    interface = interface or description.modelExchange or description.coSimulation
    if not interface.providesDirectionalDerivative:
        raise ValueError(
            f"{path}: provides no directional derivatives (providesDirectionalDerivative), which its matrices are made of"
        )


def linearized_fmu(path: Path | str, time: float, values: Mapping[str, object]) -> tuple[Linear, int]:
    """The linear model, outputs before states, and how many outputs there are."""
    description = read_description(path)
    refuse(path, description)
    check_platform(path)
    with unpacked(path) as folder:
        return _linearized(path, description, str(folder), time, values)


def _linearized(path, description, folder, time, values) -> tuple[Linear, int]:
    interface, kind = (
        (description.modelExchange, FMU2Model) if description.modelExchange else (description.coSimulation, FMU2Slave)
    )
    fmu = kind(
        guid=description.guid,
        unzipDirectory=folder,
        modelIdentifier=interface.modelIdentifier,
        instanceName="linearize",
    )
    variables = {variable.name: variable for variable in description.modelVariables}
    try:
        fmu.instantiate()
        fmu.setupExperiment(startTime=time)
        for name, value in start_values_of(Path(path).name, variables, values).items():
            kind_of = {"Enumeration": "Integer"}.get(variables[name].type, variables[name].type)
            getattr(fmu, f"set{kind_of}")([variables[name].valueReference], [value])
        fmu.enterInitializationMode()
        fmu.exitInitializationMode()
        if kind is FMU2Model:
            while fmu.newDiscreteStates()[0]:  # the FMU says itself how long
                pass
            fmu.enterContinuousTimeMode()
        return of_instance(fmu, description, time)
    except FMICallException as error:
        raise ValueError(f"{path}: {error}") from error
    finally:
        if fmu.component:
            fmu.freeInstance()


def of_instance(fmu, description, time: float) -> tuple[Linear, int]:
    """The linear model where an instance (FMPy's) is, outputs before states, and how many outputs there are."""
    rates = [unknown.variable for unknown in description.derivatives]
    states = [rate.derivative for rate in rates]
    inputs = [v for v in description.modelVariables if v.causality == "input" and v.type == "Real"]
    outputs = [unknown.variable for unknown in description.outputs if unknown.variable.type == "Real"]
    outputs = [v for v in outputs if v not in states and v.variability != "discrete"]

    def along(unknowns, known):
        references = [unknown.valueReference for unknown in unknowns]
        return fmu.getDirectionalDerivative(references, [known.valueReference], [1.0]) if unknowns else []

    matrices = [
        np.array([along(unknowns, known) for known in knowns], float).reshape(len(knowns), len(unknowns)).T
        for unknowns in (rates, outputs)
        for knowns in (states, inputs)
    ]
    at = [
        np.array(fmu.getReal([v.valueReference for v in group]), float) if group else np.zeros(0)
        for group in (states, inputs, outputs, rates)
    ]
    A, B, C, D = matrices
    x, u, y, x_dot = at
    n, m = len(states), len(inputs)
    named = [tuple(Named(v.name, v.unit or "") for v in group) for group in (states, inputs, outputs)]
    model = Linear(
        description.modelName, A, B, np.vstack([C, np.eye(n)]), np.vstack([D, np.zeros((n, m))]),
        named[0], named[1], (*named[2], *named[0]), float(time), x, u, np.concatenate([y, x]), x_dot,
    )  # fmt: skip
    return model, len(outputs)
