"""A plan and its model, checked against each other: everything that a run needs.

A parameter's number becomes start values by linear maps:    variable := scale · number + offset
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from spacefmu.dynamics.description import DescriptionError

from ..batch.library import BatchModel
from ..results.names import UnknownName, resolve
from .distributions import SweptQuantity
from .metrics import Measure, Metric, OwnMetrics
from .model import Model, PlanVariable
from .plan import RESERVED, Plan


@dataclass(frozen=True)
class SweptParameter:
    """One column of the draws: the variables that it sets, and their maps."""

    name: str
    unit: str
    variables: tuple[str, ...]
    types: tuple[str, ...]
    scale: tuple[float, ...]
    offset: tuple[float, ...]

    def settings(self, number: float) -> dict[str, float | int | bool]:
        """Start values of the variables."""
        values = np.multiply(self.scale, number) + self.offset
        return {
            name: _TYPED.get(kind, int)(value)
            for name, kind, value in zip(self.variables, self.types, values, strict=True)
        }


BLOCK, RECORDED_BLOCK = (
    256,
    32,
)  # runs in lanes that are sorted and done together; fewer with values over time, which take memory
Draws = tuple[tuple[str, ...], np.ndarray]
_TYPED = {"Real": float, "Float32": float, "Float64": float, "Boolean": bool}


@dataclass(frozen=True)
class Study:
    """A sweep that can be run: the model, values (runs, parameters), the metrics and the recorded variables.

    limit: [s] of wall clock after which a run counts as hanging. batch: the model for runs in lanes; None: each run by its FMU.
    block: number of runs that are done together.
    """

    model: Model
    parameters: tuple[SweptParameter, ...]
    values: np.ndarray
    measures: Mapping[str, Measure]
    own: OwnMetrics | None
    record: tuple[str, ...]
    traces: tuple[str, ...]
    every: float | None
    limit: float | None = None
    batch: BatchModel | None = None
    block: int = 1

    @property
    def records(self) -> bool:
        """Whether values over time are needed in addition to the plan's metrics."""
        return bool(self.own or self.traces)

    @property
    def metric_names(self) -> tuple[str, ...]:
        return (*self.measures, *(self.own.functions if self.own else ()))

    def settings(self, row: np.ndarray) -> dict[str, object]:
        """Start values of the run that has these numbers (parameters,)."""
        return {key: value for p, x in zip(self.parameters, row, strict=True) for key, value in p.settings(x).items()}


def study(
    plan: Plan,
    source: str,
    model: Model,
    own: OwnMetrics | None,
    table: Callable[[], Draws],
    batch: BatchModel | None = None,
) -> Study:
    """The study of a plan; DescriptionError lists everything that the model does not have or accept.

    source: the plan's file, for the sentences. table: returns names of the parameters and values (runs, parameters).
    """
    known = model.variables()
    problems: list[str] = []
    stop, _ = model.experiment()
    names, values = _told(problems, table) or ((), np.zeros((0, 0)))
    parameters = [
        found
        for name in names
        if (
            found := _told(
                problems, lambda n=name: _parameter(n, plan.parameters.get(n, SweptQuantity()), known, model)
            )
        )
    ]
    for parameter, column in zip(parameters, values.T, strict=False):
        problems += _outside(parameter, column, known)
    problems += _set_twice(parameters)
    for name in plan.set:
        _told(problems, lambda n=name: _settable(n, n, known, model, "set"))
    measures = {
        name: found
        for name, metric in plan.metrics.items()
        if (found := _told(problems, lambda n=name, m=metric: _measure(n, m, known, model, stop)))
    }
    traces = plan.traces.variables if plan.traces else []
    kept = [n for name in traces for n in _told(problems, lambda n=name: _recorded("traces", n, known, model)) or ()]
    if own:
        taken = {*RESERVED, *names, *plan.metrics}
        problems += [f"{own.name}: the name of the function {n} is already in use" for n in own.functions if n in taken]
    if not plan.metrics and not own and not kept:
        problems.append("nothing is measured; add [metrics], [traces], or a file of your own metrics")
    if problems:
        raise DescriptionError(source, problems)
    outputs = model.outputs() if own else []
    record = dict.fromkeys([*outputs, *(n for measure in measures.values() for n in measure.names), *kept])
    every = plan.traces.every if plan.traces else None
    block = 1 if batch is None else RECORDED_BLOCK if own or kept else BLOCK
    return Study(
        model, tuple(parameters), values, measures, own, tuple(record), tuple(kept), every, plan.limit, batch, block
    )


def _told(problems: list[str], question):
    """The answer, or None with the reason among the problems."""
    try:
        return question()
    except (ValueError, OSError) as error:
        problems.append(str(error))
        return None


def _find(where: str, name: str, known: Mapping[str, PlanVariable], model: Model) -> list[str]:
    try:
        return resolve(name, known, f"variable of {model.name}")
    except UnknownName as error:
        raise UnknownName(f"{where}: {error}") from None


def _settable(label: str, name: str, known: Mapping[str, PlanVariable], model: Model, table: str) -> list[str]:
    names = _find(f"{table}.{label}", name, known, model)
    for each in names:
        if why := known[each].cannot_be_set(model.name):
            raise ValueError(f"{table}.{label}: {each} can't be set: {why}")
    return names


def _parameter(name: str, given: SweptQuantity, known: Mapping[str, PlanVariable], model: Model) -> SweptParameter:
    names = [n for v in given.variables or [name] for n in _settable(name, v, known, model, "parameters")]
    chosen = [known[n] for n in names]
    if given.relative:
        starts = [model.set.get(n, v.start) for n, v in zip(names, chosen, strict=True)]
        if None in starts:
            missing = names[starts.index(None)]
            raise ValueError(f"parameters.{name}: {missing} has no start value that the numbers could be relative to")
        scale = np.array(starts, float).tolist()
        if not any(scale):
            raise ValueError(f"parameters.{name}: every start value is 0, so relative numbers change nothing")
        shown, maps = "", [(s, 0.0) for s in scale]
    else:
        shown = given.unit or chosen[0].unit
        maps = []
        for n, v in zip(names, chosen, strict=True):
            factor, offset = _unit(f"parameters.{name}", n, v, shown)
            maps.append((1.0 / factor, -offset / factor))
    scales, offsets = zip(*maps, strict=True)
    return SweptParameter(name, shown, tuple(names), tuple(v.variable.type for v in chosen), scales, offsets)


def _unit(where: str, name: str, variable: PlanVariable, unit: str) -> tuple[float, float]:
    """(factor, offset) of shown = factor · value + offset."""
    if unit == variable.unit or not unit:
        return 1.0, 0.0
    if unit not in variable.units:
        there = " or ".join([variable.unit or "no unit", *variable.units])
        raise ValueError(f"{where}: unit is {unit!r}, but {name} has {there}")
    return variable.units[unit]


def _outside(parameter: SweptParameter, column: np.ndarray, known: Mapping[str, PlanVariable]) -> list[str]:
    """Values that a variable does not accept: out of its range, or not a whole number where one is required."""
    for name, kind, scale, offset in zip(
        parameter.variables, parameter.types, parameter.scale, parameter.offset, strict=True
    ):
        values = scale * column + offset
        variable = known[name].variable
        low, high = (float(b) if b not in (None, "") else None for b in (variable.min, variable.max))
        if kind == "Boolean":
            low, high = 0.0, 1.0
        bad = np.zeros(len(values), bool)
        words = []
        if low is not None:
            words.append("greater than 0" if low == sys.float_info.min else f"not less than {low:g}")
            bad = bad | (values < low)
        if high is not None:
            bad, words = bad | (values > high), [*words, f"not greater than {high:g}"]
        if kind not in ("Real", "Float32", "Float64"):
            bad, words = bad | (values != np.round(values)), [*words, "whole"]
        if bad.any():
            first = int(np.flatnonzero(bad)[0])
            return [
                f"parameters.{parameter.name} gives {name} the value {values[first]:g} in run {first} "
                f"(and {int(bad.sum()) - 1} more), expected a number {' and '.join(words)}"
            ]
    return []


def _set_twice(parameters: list[SweptParameter]) -> list[str]:
    owner: dict[str, str] = {}
    problems = []
    for parameter in parameters:
        for name in parameter.variables:
            if name in owner:
                problems.append(f"{name} is set twice, by parameters.{owner[name]} and parameters.{parameter.name}")
            owner[name] = parameter.name
    return problems


def _recorded(where: str, name: str, known: Mapping[str, PlanVariable], model: Model) -> list[str]:
    names = _find(where, name, known, model)
    texts = [n for n in names if known[n].variable.type == "String"]
    if texts:
        raise ValueError(f"{where}: {texts[0]} is a text, expected a number")
    return names


def _measure(name: str, metric: Metric, known: Mapping[str, PlanVariable], model: Model, stop: float) -> Measure:
    names = _recorded(f"metrics.{name}", metric.of, known, model)
    if metric.after >= stop:
        raise ValueError(f"metrics.{name}: after is {metric.after:g}, but a run stops at {stop:g} s")
    unit = metric.unit or known[names[0]].unit
    factor, offset = _unit(f"metrics.{name}", names[0], known[names[0]], unit)
    return Measure(metric, tuple(names), "s" if metric.kind == "settling_time" else unit, factor, offset)
