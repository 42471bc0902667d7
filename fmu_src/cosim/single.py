"""One FMU alone, ours or a foreign one, co-simulation or model exchange: FMPy runs it."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import fmpy
import numpy as np

from ..archive.binaries import check_platform
from ..archive.description import convert, read_description, unit_of, variables_of
from ..results.names import resolve
from ..results.table import Result
from .fmu import SimulationError

_NO_NUMBERS = ("String", "Binary", "Clock")  # types that a table over time can't hold
_MOST_STEPS = 10_000_000


def simulate(
    path: Path | str,
    stop: float | None = None,
    step: float | None = None,
    start_values: Mapping[str, object] | None = None,
    inputs: Result | None = None,
    record: Sequence[str] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Result:
    """Run an FMU over its default experiment, or to `stop` [s] with results every `step` [s].

    start_values: by name; an array's name takes one value for all elements. inputs: a table whose columns are inputs,
    linear between its rows (discrete inputs: held). record: variables to keep; default all outputs.
    Raises ValueError for names and values that the FMU does not take, SimulationError for what it refuses.
    """
    description = read_description(path)
    variables = variables_of(description)
    check_platform(path)
    experiment = description.defaultExperiment
    default_stop, default_step = (float(getattr(experiment, key, None) or 0.0) for key in ("stopTime", "stepSize"))
    stop = _positive("stop", stop) if stop is not None else default_stop or 1.0
    step = _positive("step", step) if step is not None else default_step or stop / 500.0
    if stop / step > _MOST_STEPS:
        raise ValueError(
            f"step is {step:g}: {stop / step:.0f} steps to the stop at {stop:g} s, expected at most {_MOST_STEPS}"
        )
    outputs = [v.name for v in description.modelVariables if v.causality == "output" and v.type not in _NO_NUMBERS]
    wanted = [n for name in record or outputs for n in resolve(name, variables, f"variable of {Path(path).name}")]
    said: list[str] = []

    def hear(environment, instance, status, category, message):
        if status > 0 and message:
            said.append(message.decode("utf-8", "replace"))

    def tell(time, recorder):
        if progress:
            progress(min(time / stop, 1.0))
        return True

    chatter = io.StringIO()
    try:
        with contextlib.redirect_stdout(chatter):
            table = fmpy.simulate_fmu(
                str(path),
                validate=False,
                start_time=0.0,
                stop_time=stop,
                output_interval=step,
                start_values=_start_values(path, variables, start_values or {}),
                input=_input_signals(path, variables, inputs),
                output=wanted,
                record_events=False,
                model_description=description,
                logger=hear,
                step_finished=tell,
            )
    except ValueError:
        raise
    except Exception as error:  # FMPy raises bare exceptions
        raise SimulationError(f"{path}: the simulation failed: {' / '.join(said[-3:]) or error}") from error
    values = (
        np.column_stack([np.asarray(table[name], float) for name in wanted]) if wanted else np.zeros((len(table), 0))
    )
    return Result(np.asarray(table["time"]), tuple(wanted), values, {name: unit_of(variables[name]) for name in wanted})


def _positive(name: str, value: float) -> float:
    if not (np.isfinite(value) and value > 0.0):
        raise ValueError(f"{name} is {value:g}, expected a positive number of seconds")
    return value


def _start_values(path, variables, given) -> dict[str, object]:
    values = {}
    for key, value in given.items():
        for name in resolve(key, variables, f"variable of {Path(path).name}"):
            variable = variables[name]
            if variable.causality not in ("parameter", "input") and variable.initial not in ("exact", "approx"):
                raise ValueError(f"{name} can't be set: it is calculated by {Path(path).name}")
            values[name] = convert(variable, value)
    return values


def _input_signals(path, variables, inputs: Result | None):
    """The table as FMPy wants it: a structured array with `time` first."""
    if inputs is None:
        return None
    known = [name for name, variable in variables.items() if variable.causality == "input"]
    for name in inputs.names:
        if name not in known:
            resolve(name, known, f"input of {Path(path).name}")
            raise ValueError(f"the column {name!r} names an array: give each element a column, {name}[1], {name}[2], …")
    signals = np.zeros(len(inputs.time), dtype=[(name, float) for name in ("time", *inputs.names)])
    signals["time"] = inputs.time
    for name, column in zip(inputs.names, inputs.values.T, strict=True):
        signals[name] = column
    return signals
