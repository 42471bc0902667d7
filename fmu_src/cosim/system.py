"""The description of a system of FMUs: units, connections between their variables, and how time advances.

kind = "system"
name = "AttitudeSlew"
step = 0.1                                   # communication step [s]
stop = 60.0

[units.plant]
model = "HingedPanel"                        # a catalogue name, a description or an .fmu file

[units.controller]
model = "AttitudeController"
start = { "slew.duration" = 40.0 }           # start values, set in the FMU

[connections]                                # input = output; an array's name means all its elements
"controller.quaternion" = "plant.hub.quaternion"
"plant.wheel.x.torque" = { from = "controller.torque[1]", factor = -1.0 }
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, ValidationError

from spacefmu.dynamics.description import DescriptionError
from spacefmu.dynamics.description.errors import read_tables, sentences
from spacefmu.dynamics.description.fields import Name, Number, Positive, Table

from ..results.names import no_unit


@dataclass(frozen=True)
class SignalConnection:
    """target := factor · source; both are names `unit.variable`."""

    source: str
    target: str
    factor: float = 1.0


class UnitTable(Table):
    """One FMU of the system."""

    model: str = Field(description="a catalogue name, a description or an .fmu file")
    start: dict[str, bool | Number | str] = {}
    """start values, set in the FMU"""


class LinkTable(Table):
    """The source of an input with a factor."""

    source: str = Field(alias="from")
    """output that the input follows"""
    factor: Number = 1.0
    """factor on the output"""


def _link(value):
    """A plain output means a link without a factor."""
    if isinstance(value, str):
        return {"from": value}
    if not isinstance(value, dict):
        raise ValueError('expected an output such as "plant.hub.quaternion", or a table { from, factor }')
    return value


class CoupledSystem(Table):
    """A checked system. `algorithm` is how the units exchange values at each communication point:

    gauss_seidel  unit after unit, until no value changes: direct feedthrough is current
    jacobi        all outputs first, then all inputs: units could run in parallel; direct feedthrough lags by one communication step
    monolithic    no exchange: the units become one System, one FMU (monolithic.py), in which connections are equations
    """

    kind: Literal["system"] = "system"
    """kind of description"""
    name: Name
    """of the system"""
    description: str = ""
    """one line: what it is"""
    documentation: str = ""
    """a page of documentation"""
    step: Positive
    """communication step [s]"""
    stop: Positive
    """end of the run [s]"""
    algorithm: Literal["gauss_seidel", "jacobi", "monolithic"] = "gauss_seidel"
    """how units exchange values"""
    units: dict[Name, UnitTable] = Field(min_length=1)
    """the FMUs, by name"""
    connections: dict[str, Annotated[LinkTable, BeforeValidator(_link)]] = {}
    """input = output, as unit.variable"""

    @property
    def links(self) -> tuple[SignalConnection, ...]:
        """The connections, in the order of the file."""
        return tuple(SignalConnection(link.source, target, link.factor) for target, link in self.connections.items())


def read_system(path: Path | str) -> CoupledSystem:
    """The system that a TOML file describes; DescriptionError lists everything that is wrong with it."""
    return checked(read_tables(path), str(path))


def checked(data: dict, source: str) -> CoupledSystem:
    """The system that parsed data describe. source: the file's name, for the sentences."""
    if data.get("kind") != "system" and "units" not in data:
        raise DescriptionError(source, ["is not a system, it has no [units]; spacefmu simulate runs a single model"])
    try:
        system = CoupledSystem.model_validate(data)
    except ValidationError as error:
        raise DescriptionError(source, sentences(error, CoupledSystem, data)) from None
    if problems := strange_ends(system):
        raise DescriptionError(source, problems)
    return system


def strange_ends(system: CoupledSystem) -> list[str]:
    """A sentence for each end of a connection whose unit does not exist."""
    return [
        f"connections: {no_unit(end, system.units)}"
        for link in system.links
        for end in (link.source, link.target)
        if end.split(".", 1)[0] not in system.units
    ]
