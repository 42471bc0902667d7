"""The plan of a sweep: the model, its parameters, how they vary, and the metrics of each run. Data only.

kind = "sweep"
name = "SlewSpread"
model = "AttitudeSlew"                     # an .fmu file, a description, a system of FMUs, or a catalogue name
method = "latin_hypercube"                 # or random, sobol; grid and list need neither runs nor seed
runs = 1000
seed = 1

[parameters]
"plant.panel.frequency" = { distribution = "normal", mean = 1.0, deviation = 0.05, relative = true }

[metrics]
error = { of = "controller.error", kind = "largest", after = 110.0, unit = "deg" }
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, cast

import numpy as np
from pydantic import BeforeValidator, Field, ValidationError, model_validator

from spacefmu.dynamics.description import DescriptionError
from spacefmu.dynamics.description.errors import read_tables, sentences
from spacefmu.dynamics.description.fields import Count, Name, Number, NumberOrFlag, Positive, Table

from ..results.names import suggestion
from .distributions import Distribution, SweptQuantity, ordered
from .metrics import Metric

RESERVED = ("run", "status", "reason", "time")  # columns of the results


class Points(SweptQuantity):
    """Values of a grid: the `values` themselves, or `count` of them from low to high, with equal steps or equal ratios."""

    values: list[NumberOrFlag] | None = Field(None, min_length=1)
    low: Number | None = None
    high: Number | None = None
    count: Annotated[Count, Field(ge=2)] | None = None
    spacing: Literal["linear", "log"] = "linear"

    @model_validator(mode="after")
    def _range(self):
        spaced = [part is not None for part in (self.low, self.high, self.count)]
        if not (all(spaced) if self.values is None else not any(spaced)):
            raise ValueError("expected values, or low, high and count")
        if self.spacing == "log" and self.low is not None and self.low <= 0.0:
            raise ValueError(f"expected low, {self.low:g}, above 0 for logarithmic spacing")
        return ordered(self, "low", "high")

    def points(self) -> np.ndarray:
        """The values (n,)."""
        if self.values is not None:
            return np.array(self.values, float)
        low, high, count = cast(tuple[float, float, int], (self.low, self.high, self.count))  # see _range
        return (np.geomspace if self.spacing == "log" else np.linspace)(low, high, count)


def _short(value):
    """A list is a table with these values."""
    return {"values": value} if isinstance(value, list) else value


class TracesTable(Table):
    """Variables kept over time in every run; `every` [s] apart, default every step."""

    variables: list[str] = Field(min_length=1)
    every: Positive | None = None


class Common(Table):
    """Keys of every plan."""

    kind: Literal["sweep"]
    name: Name
    description: str = ""
    model: str
    algorithm: Literal["gauss_seidel", "jacobi", "monolithic"] | None = None
    stop: Positive | None = None
    step: Positive | None = None
    limit: Positive | None = None
    lanes: bool = False
    input: str | None = None
    set: dict[str, NumberOrFlag] = {}
    metrics: dict[Name, Metric] = {}
    traces: TracesTable | None = None


class Grid(Common):
    """Every combination of the values; the last parameter varies fastest."""

    method: Literal["grid"]
    parameters: dict[str, Annotated[Points, BeforeValidator(_short)]] = Field(min_length=1)


class ListedRuns(Common):
    """One run per line of a CSV file, whose header names the parameters; `parameters` may give units of columns."""

    method: Literal["list"]
    file: str
    parameters: dict[str, SweptQuantity] = {}


class Drawn(Common):
    """Random draws, Latin-hypercube or Sobol: the same seed gives the same draws, on every machine."""

    method: Literal["random", "latin_hypercube", "sobol"]
    runs: Count
    seed: Annotated[int, Field(ge=0, strict=True)]
    parameters: dict[str, Distribution] = Field(min_length=1)


Plan = Grid | ListedRuns | Drawn
METHODS: dict[str, type[Plan]] = {
    "grid": Grid,
    "list": ListedRuns,
    "random": Drawn,
    "latin_hypercube": Drawn,
    "sobol": Drawn,
}


def read_plan(path: Path | str) -> Plan:
    """The plan that a TOML file holds; DescriptionError lists everything that is wrong with it."""
    data = read_tables(path)
    method = data.get("method")
    if method is None:
        raise DescriptionError(str(path), [f"method is missing, expected one of {', '.join(METHODS)}"])
    if method not in METHODS:
        raise DescriptionError(str(path), [f"{method!r} is not a method{suggestion(str(method), METHODS)}"])
    try:
        plan = METHODS[method].model_validate(data)
    except ValidationError as error:
        raise DescriptionError(str(path), sentences(error, METHODS[method], data)) from None
    taken = [*RESERVED, *plan.parameters]
    problems = [f"metrics.{name}: the name is reserved; choose another one" for name in plan.metrics if name in taken]
    problems += [f"{name} is both in parameters and in set" for name in plan.parameters if name in plan.set]
    if problems:
        raise DescriptionError(str(path), problems)
    return plan
