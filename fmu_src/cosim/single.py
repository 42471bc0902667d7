"""Simulation of a single FMU from any tool, co-simulation or model exchange, by FMPy.

A request is checked first (`plan`), against the variables only: before an FMU is unpacked, or even built.
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

from ..archive.binaries import check_platform
from ..archive.description import elements_of, read_description, start_values_of, starts_of, unit_of, variables_of
from ..archive.members import unpacked
from ..results.names import resolve
from ..results.table import Result
from .array_input import ArrayInput, inputs_by_element
from .fmu import SimulationError
from .fmu_log import FmuLog, logged_origin
from .listener import listen
from .loop import begun, serves

_NO_NUMBERS = ("String", "Binary", "Clock")  # types that a table over time can't hold
_MOST_STEPS = 10_000_000
Columns = Mapping[str, np.ndarray] | Any  # values over time by name, `time` among them: FMPy's table is one


@dataclass(frozen=True)
class CheckedRun:
    """A checked request for a simulation: an instance exists only if the FMU's variables allow it."""

    stop: float  # [s]
    step: float  # [s] between results
    start_values: dict[str, object]  # by name, in the variables' own types
    inputs: np.ndarray | None  # as FMPy requires them: a structured array with `time` first
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
    """Check a request against an FMU: ValueError names what the FMU does not have or accept.

    of: the FMU's name in messages. experiment: its default stop and step. The rest: as for `simulate`.
    """
    default_stop, default_step = experiment
    stop = _positive("stop", stop) if stop is not None else default_stop or 1.0
    step = _positive("step", step) if step is not None else default_step or stop / 500.0
    if stop / step > _MOST_STEPS:
        raise ValueError(
            f"step is {step:g} s: {stop / step:.0f} steps to the stop at {stop:g} s; at most {_MOST_STEPS} are allowed"
        )
    known = elements_of(variables)
    outputs = [name for name, (v, _) in known.items() if v.causality == "output" and v.type not in _NO_NUMBERS]
    given = [] if inputs is None else [name for name in inputs.names if name in known]
    wanted = [found for name in record or [*outputs, *given] for found in resolve(name, known, f"variable of {of}")]
    if inputs is not None and inputs.time[0] > stop:
        raise ValueError(f"the inputs begin at {inputs.time[0]:g} s, after the stop at {stop:g} s")
    values = start_values_of(of, variables, start_values or {})
    return CheckedRun(stop, step, values, _input_signals(of, variables, inputs, values), wanted)


class Simulator:
    """One FMU, loaded once and run any number of times: a later run begins with a reset. Use it in a `with` block.

    A run is bit for bit the same whatever ran before it, if the FMU's reset is complete; that of spacefmu's FMUs is.
    logged: whether spacefmu's FMUs log their events and solver statistics; large numbers of runs are faster without.
    """

    def __init__(self, path: Path | str, logged: bool = True):
        self.path = Path(path)
        self.description = read_description(path)
        check_platform(path)
        self.variables = variables_of(self.description)
        self._elements = elements_of(self.variables)
        self._instance: Any = None
        self._said: list[str] = []
        self._warned: list[str] = []
        self._so_far: Callable[[], Columns] | None = None  # of the run under way, once it has begun
        self._fmu_log, self._logged = FmuLog(self.description), logged

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

        names = list(dict.fromkeys(self._elements[name][0].name for name in run.record))
        try:
            with contextlib.redirect_stdout(io.StringIO()), inputs_by_element():  # without FMPy's messages
                columns = self._run_steps(run, names, on_progress, look)
        except ValueError:
            self._discard()
            raise
        except Exception as error:  # FMPy raises bare exceptions
            failed = SimulationError(f"{self.path.name}: the simulation failed: {' / '.join(self._said[-3:]) or error}")
            failed.so_far = None if self._so_far is None else self._result(run, self._so_far())
            self._discard()
            raise failed from error
        return self._result(run, columns)

    def _run_steps(self, run: CheckedRun, names: list[str], on_progress, look) -> Columns:
        """The loop over the steps: in C, or in FMPy's Python for model exchange and FMI 1.0, and if `look` is given."""
        self._so_far = None

        def on_time(time: float) -> bool:
            return on_progress is None or on_progress(min(time / run.stop, 1.0)) is not False

        if look is None and serves(self.description):
            fmu = self._fresh()
            loop, columns = begun(fmu, self.description, run, names)
            self._so_far = lambda: {
                name: own[: loop.reached + 1] for name, own in ({"time": loop.points} | columns).items()
            }
            loop.run(on_time)
            fmu.terminate()
            return self._so_far()

        def tell(time, recorder):
            self._so_far = recorder.result
            if look is not None and np.isclose(time, run.stop, rtol=1e-9, atol=0.0):
                if isinstance(recorder.fmu, FMU2Slave | FMU3Slave):  # the last step's inputs are those at its beginning
                    ArrayInput(recorder.fmu, self.description, run.inputs).apply(time)
                look(recorder.fmu)
            return on_time(time)

        return fmpy.simulate_fmu(
            self._folder,
            validate=False,
            start_time=0.0,
            stop_time=run.stop,
            output_interval=run.step,
            start_values=run.start_values,
            input=run.inputs,
            output=names,
            record_events=False,
            model_description=self.description,
            fmu_instance=self._fresh(),
            step_finished=tell,
        )

    def _result(self, run: CheckedRun, columns: Columns) -> Result:
        """FMUs report solver statistics at termination; a failed run has none."""
        recorded = [self._elements[name] for name in run.record]
        time = np.array(columns["time"], float)
        values = []
        for variable, place in recorded:
            element: Any = (slice(None), *place)
            values.append(np.asarray(columns[variable.name], float)[element])
        units = {name: unit_of(variable) for name, (variable, _) in zip(run.record, recorded, strict=True)}
        return Result(
            time,
            tuple(run.record),
            np.column_stack(values) if values else np.zeros((len(time), 0)),
            units,
            tuple(self._warned),
            logged_origin({"": self._fmu_log} if self._logged else {}),
        )

    def _fresh(self):
        """The instance in its initial state: reset, or created anew if there is none or it can't be reset."""
        self._said.clear()
        self._warned.clear()
        self._fmu_log.clear()
        if self._instance is not None:
            try:
                self._instance.reset()
            except Exception:  # FMPy raises bare exceptions, and FMI 1.0 and some FMUs have no reset
                self._discard()
        if self._instance is None:
            spoken = self.description.fmiVersion == "3.0"  # which suppresses even errors of an FMU with logging off
            self._instance = fmpy.instantiate_fmu(
                self._folder, self.description, logger=self._hear, debug_logging=spoken, require_functions=False
            )
            if self._logged:
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
    """Simulate an FMU over its default experiment, or to `stop` [s] with results every `step` [s].

    start_values: by name; for an array's name, one value for all elements. inputs: a table whose columns are inputs,
    linear between its rows (discrete inputs: held). record: variables to keep; default: all outputs, and the given inputs.
    on_progress: called with the fraction done; if it returns False, the run ends, and its results up to that time are returned.
    Raises ValueError for names and values that the FMU does not accept, SimulationError for a refused call; its `so_far` has the results
    up to that time, if any.
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
        raise ValueError(f"{name} is {value:g} s; must be positive")
    return value


def _input_signals(of: str, variables, inputs: Result | None, starts: Mapping[str, Any]):
    """The table as FMPy requires it: a structured array with `time` first. Elements of arrays that it leaves out keep their start values."""
    if inputs is None:
        return None
    known = {name: own for name, own in elements_of(variables).items() if own[0].causality == "input"}
    for name in inputs.names:
        if name not in known:
            resolve(name, known, f"input of {of}")
            raise ValueError(f"the column {name!r} names an array: give each element a column, {name}[1], {name}[2], …")
    if not np.all(np.isfinite(inputs.values)) or np.any(np.diff(inputs.time) < 0.0):
        raise ValueError("the inputs must be finite numbers, and time must not decrease")
    driven = {known[name][0].name for name in inputs.names}
    held = [name for name, (variable, _) in known.items() if variable.name in driven and name not in inputs.names]
    signals = np.zeros(len(inputs.time), dtype=[(name, float) for name in ("time", *inputs.names, *held)])
    signals["time"] = inputs.time
    for name, column in zip(inputs.names, inputs.values.T, strict=True):
        signals[name] = column
    for name in held:
        variable, place = known[name]
        signals[name] = starts.get(variable.name, starts_of(variable))[np.ravel_multi_index(place, variable.shape)]
    return signals
