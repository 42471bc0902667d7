"""The model of a sweep: a single FMU, or a system of FMUs. Loaded once, run any number of times, variables by name.

    Alone     names are the FMU's
    Together  names are `unit.variable`

After a failed run, the next one loads the FMUs anew.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fmpy.model_description import ModelDescription, ScalarVariable

from ..archive.description import cannot_be_set, elements_of, read_description, start_of, unit_of, variables_of
from ..cosim import CoupledSystem, Master, Simulator
from ..cosim.single import experiment_of, plan
from ..results.names import resolve
from ..results.table import Result


@dataclass(frozen=True)
class PlanVariable:
    """The data of a variable that a plan needs: its start value, and display units by name (factor, offset)."""

    variable: ScalarVariable
    start: float | None
    unit: str
    units: dict[str, tuple[float, float]]

    def cannot_be_set(self, of: str) -> str:
        """Why not, or empty."""
        return cannot_be_set(self.variable, of)


@dataclass(frozen=True)
class Model:
    """FMU files by unit ("" for a single FMU), the system that couples them, and the length of runs."""

    fmus: Mapping[str, Path]
    system: CoupledSystem | None = None
    stop: float | None = None
    step: float | None = None
    inputs: Result | None = None
    set: Mapping[str, object] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.system.name if self.system else self.fmus[""].name

    def descriptions(self) -> dict[str, ModelDescription]:
        return {unit: read_description(path) for unit, path in self.fmus.items()}

    def variables(self) -> dict[str, PlanVariable]:
        """All variables that a plan may name."""
        found = {}
        for unit, description in self.descriptions().items():
            given = self.system.units[unit].start if self.system else {}
            units = {
                u.name: {d.name: (d.factor, d.offset) for d in u.displayUnits}
                for u in description.unitDefinitions or []
            }
            own = elements_of(variables_of(description))
            set_in_system = {name: value for key, value in given.items() for name in resolve(key, own)}
            for name, (variable, place) in own.items():
                full = f"{unit}.{name}" if unit else name
                start = set_in_system.get(name, start_of(variable, place))
                start = None if start is None or variable.type == "String" else float(_number(start))
                found[full] = PlanVariable(variable, start, unit_of(variable), units.get(unit_of(variable), {}))
        return found

    def outputs(self) -> list[str]:
        """The variables that a run records by default."""
        return [
            n for n, v in self.variables().items() if v.variable.causality == "output" and v.variable.type != "String"
        ]

    def experiment(self) -> tuple[float, float]:
        """Stop time and step [s] of every run."""
        if self.system is None:
            run = plan(self.name, {}, experiment_of(read_description(self.fmus[""])), self.stop, self.step)
            return run.stop, run.step
        return self.stop or self.system.stop, self.step or self.system.step

    def open(self, logged: bool = True) -> Alone | Together:
        """logged: whether a result has the events and the solver's work of one FMU."""
        return Alone(self, logged) if self.system is None else Together(self)


def _number(value) -> float:
    return {"true": 1.0, "false": 0.0}.get(str(value).lower(), value)


class Loaded(ABC):
    """FMUs in memory; `close` frees them. The two kinds differ in what they `_load` and how they `_run`."""

    def __init__(self, model: Model):
        self.model = model
        self._loaded: Any = None  # from _load; None: not loaded yet, or closed

    @abstractmethod
    def _load(self) -> Simulator | Master: ...

    @abstractmethod
    def _run(self, values: Mapping[str, object], record: Sequence[str], on_progress) -> Result: ...

    def run(self, values: Mapping[str, object], record: Sequence[str], on_progress=None) -> Result:
        """One run with start values on top of the model's own."""
        if self._loaded is None:
            self._loaded = self._load().__enter__()
        try:
            return self._run({**self.model.set, **values}, record, on_progress)
        except Exception:
            self.close()
            raise

    def close(self) -> None:
        loaded, self._loaded = self._loaded, None
        if loaded is not None:
            loaded.__exit__(None, None, None)


class Alone(Loaded):
    """One FMU."""

    def __init__(self, model: Model, logged: bool):
        super().__init__(model)
        self._logged = logged

    def _load(self) -> Simulator:
        return Simulator(self.model.fmus[""], self._logged)

    def _run(self, values, record, on_progress) -> Result:
        return self._loaded.run(self.model.stop, self.model.step, values, self.model.inputs, record, on_progress)


class Together(Loaded):
    """A system of FMUs, by the master."""

    def _load(self) -> Master:
        system = self.model.system
        assert system is not None
        stop, step = self.model.experiment()
        return Master(system.model_copy(update={"stop": stop, "step": step}), self.model.fmus)

    def _run(self, values, record, on_progress) -> Result:
        starts: dict[str, dict[str, object]] = {}
        for name, value in values.items():
            unit, _, own = name.partition(".")
            starts.setdefault(unit, {})[own] = value
        return self._loaded.run(starts, record, on_progress)
