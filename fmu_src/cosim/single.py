"""One FMU alone, ours or a foreign one, co-simulation or model exchange: FMPy runs it.

What is asked for is checked first (`plan`), against the variables alone: before an FMU is unpacked, or built at all.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave
from fmpy.model_description import ModelDescription, ScalarVariable
from fmpy.simulation import Input

from ..archive.binaries import check_platform
from ..archive.description import elements_of, read_description, start_values_of, unit_of, variables_of
from ..archive.members import unpacked
from ..results.names import resolve
from ..results.table import Result
from .fmu import SimulationError
from .fmu_log import FmuLog, logged_origin
from .listener import listen

_NO_NUMBERS = ("String", "Binary", "Clock")  # types that a table over time can't hold
_MOST_STEPS = 10_000_000


@dataclass(frozen=True)
class CheckedRun:
    """What a simulation was asked for, checked: an instance exists only if the FMU's variables allow it."""

    stop: float  # [s]
    step: float  # [s] between results
    start_values: dict[str, object]  # by name, in the variables' own types
    inputs: np.ndarray | None  # as FMPy wants them: a structured array with `time` first
    record: list[str]  # names of elements


def plan(
    of: str,
    variables: Mapping[str, ScalarVariable],
    experiment: tuple[float | None, float | None] = (None, None),
    stop: float | None = None,
    step: float | None = None,
    start_values: Mapping[str, object] | None = None,
    inputs: Result | None = None,
    record: Sequence[str] | None = None,
) -> CheckedRun:
    """Check what is asked of an FMU: ValueError names what it does not have or take.

    of: the FMU's name in messages. experiment: its default stop and step. The rest: as for `simulate`.
    """
    default_stop, default_step = experiment
    stop = _positive("stop", stop) if stop is not None else default_stop or 1.0
    step = _positive("step", step) if step is not None else default_step or stop / 500.0
    if stop / step > _MOST_STEPS:
        raise ValueError(
            f"step is {step:g}: {stop / step:.0f} steps to the stop at {stop:g} s, expected at most {_MOST_STEPS}"
        )
    known = elements_of(variables)
    outputs = [name for name, (v, _) in known.items() if v.causality == "output" and v.type not in _NO_NUMBERS]
    given = [] if inputs is None else [name for name in inputs.names if name in known]
    wanted = [found for name in record or [*outputs, *given] for found in resolve(name, known, f"variable of {of}")]
    if inputs is not None and inputs.time[0] > stop:
        raise ValueError(f"the inputs begin at {inputs.time[0]:g} s, after the stop at {stop:g} s")
    values = start_values_of(of, variables, start_values or {})
    return CheckedRun(stop, step, values, _input_signals(of, variables, inputs), wanted)


class Simulator:
    """One FMU, loaded once and run as often as wanted: a later run begins with a reset. Use it in a `with` block.

    A run gives the same bits whatever ran before it, as far as the FMU's own reset keeps its word; ours do.
    """

    def __init__(self, path: Path | str):
        self.path = Path(path)
        self.description = read_description(path)
        check_platform(path)
        self.variables = variables_of(self.description)
        self._elements = elements_of(self.variables)
        self._instance: Any = None
        self._said: list[str] = []
        self._warned: list[str] = []
        self._fmu_log = FmuLog(self.description)

    def __enter__(self) -> Simulator:
        self._files = unpacked(self.path)
        self._folder = str(self._files.__enter__())
        return self

    def __exit__(self, *failure) -> None:
        self._discard()
        self._files.__exit__(*failure)

    def run(
        self,
        stop: float | None = None,
        step: float | None = None,
        start_values: Mapping[str, object] | None = None,
        inputs: Result | None = None,
        record: Sequence[str] | None = None,
        on_progress: Callable[[float], object] | None = None,
        look: Callable[[Any], None] | None = None,
    ) -> Result:
        """One run; arguments and errors are those of `simulate`. look: called with FMPy's instance at the stop, inputs as they are there."""
        experiment = experiment_of(self.description)
        run = plan(self.path.name, self.variables, experiment, stop, step, start_values, inputs, record)

        recorded: Any = None

        def tell(time, recorder):
            nonlocal recorded
            recorded = recorder
            if look is not None and np.isclose(time, run.stop, rtol=1e-9, atol=0.0):
                if isinstance(recorder.fmu, FMU2Slave | FMU3Slave):  # the last step's inputs are those of its begin
                    Input(recorder.fmu, self.description, run.inputs).apply(time)
                look(recorder.fmu)
            return on_progress is None or on_progress(min(time / run.stop, 1.0)) is not False

        try:
            with contextlib.redirect_stdout(io.StringIO()):  # FMPy's chatter
                table = fmpy.simulate_fmu(
                    self._folder,
                    validate=False,
                    start_time=0.0,
                    stop_time=run.stop,
                    output_interval=run.step,
                    start_values=run.start_values,
                    input=run.inputs,
                    output=list(dict.fromkeys(self._elements[name][0].name for name in run.record)),
                    record_events=False,
                    model_description=self.description,
                    fmu_instance=self._fresh(),
                    step_finished=tell,
                )
        except ValueError:
            self._discard()
            raise
        except Exception as error:  # FMPy raises bare exceptions
            failed = SimulationError(f"{self.path.name}: the simulation failed: {' / '.join(self._said[-3:]) or error}")
            failed.so_far = None if recorded is None else self._result(run, recorded.result())
            self._discard()
            raise failed from error
        return self._result(run, table)

    def _result(self, run: CheckedRun, table: np.ndarray) -> Result:
        """Of FMPy's table; FMUs tell what their solvers did as they terminate, of a run that failed there is nothing."""
        recorded = [self._elements[name] for name in run.record]
        columns = [np.asarray(table[variable.name][(slice(None), *place)], float) for variable, place in recorded]
        values = np.column_stack(columns) if columns else np.zeros((len(table), 0))
        units = {name: unit_of(variable) for name, (variable, _) in zip(run.record, recorded, strict=True)}
        return Result(
            np.asarray(table["time"]),
            tuple(run.record),
            values,
            units,
            tuple(self._warned),
            logged_origin({"": self._fmu_log}),
        )

    def _fresh(self):
        """The instance as it was when new: reset, or made anew where there is none or it can't be reset."""
        self._said.clear()
        self._warned.clear()
        self._fmu_log.clear()
        if self._instance is not None:
            try:
                self._instance.reset()
            except Exception:  # FMPy raises bare exceptions, and FMI 1.0 and some FMUs know no reset
                self._discard()
        if self._instance is None:
            self._instance = fmpy.instantiate_fmu(
                self._folder, self.description, logger=self._hear, require_functions=False
            )
            self._fmu_log.ask(self._instance)
        listen(self._hear)  # another Simulator may have run since
        return self._instance

    def _hear(self, *said):
        """FMI 2.0 names the instance before these, FMI 3.0 does not."""
        status, category, message = said[-3:]
        self._fmu_log.hear(category, message)
        if status > 0 and message:
            self._said.append(message.decode("utf-8", "replace"))
        if status == 1 and message:
            self._warned.append(message.decode("utf-8", "replace"))

    def _discard(self) -> None:
        if self._instance is not None:
            self._instance.freeInstance()
        self._instance = None
        listen()


def simulate(
    path: Path | str,
    stop: float | None = None,
    step: float | None = None,
    start_values: Mapping[str, object] | None = None,
    inputs: Result | None = None,
    record: Sequence[str] | None = None,
    on_progress: Callable[[float], object] | None = None,
) -> Result:
    """Run an FMU over its default experiment, or to `stop` [s] with results every `step` [s].

    start_values: by name; an array's name takes one value for all elements. inputs: a table whose columns are inputs,
    linear between its rows (discrete inputs: held). record: variables to keep; default all outputs, and the inputs that are given.
    on_progress: called with the fraction done; if it answers False, the run ends there, and its results until then are given.
    Raises ValueError for names and values that the FMU does not take, SimulationError for what it refuses; that has the results
    until then, `so_far`, if there are any.
    """
    simulator = Simulator(path)
    run = (stop, step, start_values, inputs, record)
    plan(simulator.path.name, simulator.variables, experiment_of(simulator.description), *run)  # before it is unpacked
    with simulator:
        return simulator.run(*run, on_progress)


def values_of(fmu, description: ModelDescription, names: Sequence[str]) -> dict[str, float]:
    """Values of variables of an instance (FMPy's, FMI 2.0) by name; Booleans are 0 or 1."""
    variables, found = variables_of(description), {}
    for name in names:
        kind = {"Enumeration": "Integer"}.get(variables[name].type, variables[name].type)
        found[name] = float(getattr(fmu, f"get{kind}")([variables[name].valueReference])[0])
    return found


def experiment_of(description: ModelDescription) -> tuple[float, float]:
    """Stop time and step [s] of the FMU's default experiment, 0 where it has none."""
    default = description.defaultExperiment
    stop, step = (float(getattr(default, key, None) or 0.0) for key in ("stopTime", "stepSize"))
    return stop, step


def _positive(name: str, value: float) -> float:
    if not (np.isfinite(value) and value > 0.0):
        raise ValueError(f"{name} is {value:g}, expected a positive number of seconds")
    return value


def _input_signals(of: str, variables, inputs: Result | None):
    """The table as FMPy wants it: a structured array with `time` first."""
    if inputs is None:
        return None
    known = {name: place for name, (variable, place) in elements_of(variables).items() if variable.causality == "input"}
    for name in inputs.names:
        if known.get(name):
            raise ValueError(
                f"the input {name!r} is part of an array of FMI 3.0, which can't follow a table here; build the FMU with --fmi 2"
            )
        if name not in known:
            resolve(name, known, f"input of {of}")
            raise ValueError(f"the column {name!r} names an array: give each element a column, {name}[1], {name}[2], …")
    if not np.all(np.isfinite(inputs.values)) or np.any(np.diff(inputs.time) < 0.0):
        raise ValueError("the inputs have to be finite numbers over a time that does not go back")
    signals = np.zeros(len(inputs.time), dtype=[(name, float) for name in ("time", *inputs.names)])
    signals["time"] = inputs.time
    for name, column in zip(inputs.names, inputs.values.T, strict=True):
        signals[name] = column
    return signals
