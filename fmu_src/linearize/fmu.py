"""A, B, C, D of any FMU of FMI 2.0 or 3.0 that provides directional derivatives: the plain Jacobian at the state of an instance, with all states."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import FMU2Model, FMU2Slave
from fmpy.fmi3 import FMU3Model, FMU3Slave

from spacefmu.dynamics.linearize.linear import Linear, VectorEntry

from ..archive.binaries import check_platform
from ..archive.description import elements_of, read_description, start_values_of, type_in_calls
from ..archive.members import unpacked

_CLASSES = {"2.0": (FMU2Model, FMU2Slave), "3.0": (FMU3Model, FMU3Slave)}  # of model exchange, of co-simulation


def refuse(path: Path | str, description, interface=None) -> None:
    """Refuse an FMU that can't be linearized; interface: the kind to run (FMPy's), default: model exchange if the FMU has it."""
    if description.fmiVersion not in _CLASSES:
        raise ValueError(f"{path}: is an FMU of FMI {description.fmiVersion}; only FMI 2.0 and 3.0 are supported")
    interface = interface or description.modelExchange or description.coSimulation
    if (
        description.fmiVersion == "2.0" and not interface.providesDirectionalDerivative
    ):  # FMPy does not read it of FMI 3.0
        raise ValueError(
            f"{path}: provides no directional derivatives (providesDirectionalDerivative), which linearization needs"
        )


def linearized_fmu(path: Path | str, time: float, values: Mapping[str, object]) -> tuple[Linear, int]:
    """The linear model, outputs before states, and the number of outputs."""
    description = read_description(path)
    refuse(path, description)
    check_platform(path)
    with unpacked(path) as folder:
        return _linearized(path, description, str(folder), time, values)


def _linearized(path, description, folder, time, values) -> tuple[Linear, int]:
    exchange, third = description.modelExchange is not None, description.fmiVersion == "3.0"
    interface = description.modelExchange if exchange else description.coSimulation
    fmu = _CLASSES[description.fmiVersion][0 if exchange else 1](
        guid=description.guid,
        unzipDirectory=folder,
        modelIdentifier=interface.modelIdentifier,
        instanceName="linearize",
    )
    variables = {variable.name: variable for variable in description.modelVariables}
    try:
        fmu.instantiate()
        if not third:
            fmu.setupExperiment(startTime=time)
        for name, value in start_values_of(Path(path).name, variables, values).items():
            setter = getattr(fmu, f"set{type_in_calls(description, variables[name])}")
            setter([variables[name].valueReference], value if isinstance(value, list) else [value])
        fmu.enterInitializationMode(**({"startTime": time} if third else {}))
        fmu.exitInitializationMode()
        if exchange:
            while (fmu.updateDiscreteStates if third else fmu.newDiscreteStates)()[0]:  # the FMU states the size itself
                pass
            fmu.enterContinuousTimeMode()
        return of_instance(fmu, description, time)
    except FMICallException as error:
        raise ValueError(f"{path}: {error}") from error
    finally:
        if fmu.component:
            fmu.freeInstance()


def of_instance(fmu, description, time: float) -> tuple[Linear, int]:
    """The linear model at the state of an instance (FMPy's), outputs before states, and the number of outputs."""
    real = {"2.0": "Real", "3.0": "Float64"}[description.fmiVersion]
    rates = [unknown.variable for unknown in description.derivatives]
    states = [rate.derivative for rate in rates]
    inputs = [v for v in description.modelVariables if v.causality == "input" and v.type == real]
    outputs = [unknown.variable for unknown in description.outputs if unknown.variable.type == real]
    outputs = [v for v in outputs if v not in states and v.variability != "discrete"]

    def along(unknowns, known, seed):
        count = (_length(unknowns),) if real == "Float64" else ()  # arrays of FMI 3.0: more values than references
        return fmu.getDirectionalDerivative(_references(unknowns), [known.valueReference], seed, *count)

    def matrix(unknowns, knowns):
        rows, columns = _length(unknowns), _length(knowns)
        if not rows or not columns:
            return np.zeros((rows, columns))
        return np.array([along(unknowns, v, seed) for v in knowns for seed in np.eye(_length([v])).tolist()], float).T

    def values(group):
        count = (_length(group),) if real == "Float64" else ()
        return np.array(getattr(fmu, f"get{real}")(_references(group), *count), float) if group else np.zeros(0)

    A, B, C, D = (matrix(unknowns, knowns) for unknowns in (rates, outputs) for knowns in (states, inputs))
    x, u, y, x_dot = (values(group) for group in (states, inputs, outputs, rates))
    n, m = len(x), len(u)
    named = [
        tuple(VectorEntry(name, v.unit or "") for name, (v, _) in elements_of({v.name: v for v in group}).items())
        for group in (states, inputs, outputs)
    ]
    model = Linear(
        description.modelName, A, B, np.vstack([C, np.eye(n)]), np.vstack([D, np.zeros((n, m))]),
        named[0], named[1], (*named[2], *named[0]), float(time), x, u, np.concatenate([y, x]), x_dot,
    )  # fmt: skip
    return model, len(y)


def _references(group) -> list[int]:
    return [v.valueReference for v in group]


def _length(group) -> int:
    """The total number of scalars of the variables."""
    return sum(int(np.prod(v.shape or ())) for v in group)
