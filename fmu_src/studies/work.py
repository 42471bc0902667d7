"""The work of a worker process: several runs in sequence, with FMUs that it loads once.

A worker receives the study with its FMU files when it joins (`Workshop`, a Dask worker plugin). It needs spacefmu, but no shared disk:
results return with the task.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import numpy as np
from distributed import WorkerPlugin, get_worker

from ..cosim.fmu import SimulationError
from ..results.table import Result
from .lanes import LaneBench, outcome_of
from .metrics import blame, number_of
from .study import Study


@dataclass(frozen=True)
class RunsOutcome:
    """Results of consecutive runs: metrics (runs, metrics), nan where undefined; reasons of failed runs, by index; traces.

    traces: for each run (time (n,), values (n, traces)), empty if none are kept.
    """

    metrics: np.ndarray
    reasons: Mapping[int, str]
    traces: tuple[tuple[np.ndarray, np.ndarray], ...]
    seconds: float


class Bench:
    """The study on this machine: one run after the other. Use it in a `with` block. logged: as for `Model.open`."""

    def __init__(self, study: Study, logged: bool = False):
        self.study = study
        self._loaded = study.model.open(logged)
        self._lanes = LaneBench(study) if study.batch is not None else None

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *failure) -> None:
        self._loaded.close()
        if self._lanes is not None:
            self._lanes.close()

    def run(self, row: np.ndarray, record=None, on_progress=None) -> Result:
        """The run with these numbers (parameters,)."""
        return self._loaded.run(self.study.settings(row), record or self.study.record, on_progress)

    def outcome(self, rows: np.ndarray) -> RunsOutcome:
        """All of these runs (runs, parameters); a failed one does not stop the others."""
        if self._lanes is not None:
            return RunsOutcome(*outcome_of(self._lanes, rows, self._measure_own, _trace, _within))
        begin = time.perf_counter()
        study = self.study
        metrics = np.full((len(rows), len(study.metric_names)), np.nan)
        reasons: dict[int, str] = {}
        traces = []
        for place, row in enumerate(rows):
            trace = (np.zeros(0), np.zeros((0, len(study.traces))))
            try:
                with _within(study.limit):
                    result = self.run(row)
                    trace = _trace(study, result)
                    self._measure(result, metrics[place])
            except (ValueError, SimulationError) as error:
                reasons[place] = str(error)
            if study.traces:
                traces.append(trace)
        return RunsOutcome(metrics, reasons, tuple(traces), time.perf_counter() - begin)

    def _measure_own(self, result: Result, numbers: np.ndarray) -> None:
        """The same for only the user's functions."""
        self._measure(result, numbers, len(self.study.measures))

    def _measure(self, result: Result, numbers: np.ndarray, first: int = 0) -> None:
        """Fill in the metrics (metrics,) of a run, from index `first` on; all of them, even if one fails."""
        problems = []
        for place, name in list(enumerate(self.study.metric_names))[first:]:
            measure, own = self.study.measures.get(name), self.study.own
            try:
                if measure is not None:
                    number = number_of(measure(result), name)
                else:
                    assert own is not None
                    number = number_of(_asked(own, name, result), f"{own.name}: {name}")
            except ValueError as error:
                problems.append(str(error))
                continue
            numbers[place] = np.nan if number is None else number
        if problems:
            raise ValueError("; ".join(problems))


@contextmanager
def _within(limit: float | None) -> Iterator[None]:
    """Ends this process if the block takes longer than `limit` [s]: a hanging call of an FMU can't be stopped otherwise."""
    if limit is None:
        yield
        return
    watchdog = threading.Timer(limit, os._exit, [1])
    watchdog.daemon = True
    watchdog.start()
    try:
        yield
    finally:
        watchdog.cancel()


def _asked(own, name: str, result: Result):
    """The user's function; an error inside it is reported with its line there."""
    try:
        return own.functions[name](result)
    except Exception as error:
        raise ValueError(f"{own.name}: {name}: {blame(error, own.name)}") from error


def _trace(study: Study, result: Result) -> tuple[np.ndarray, np.ndarray]:
    """(time, values) of the trace: every instant, or those nearest to the multiples of `every`, each once."""
    part = result.chosen(study.traces) if study.traces else Result(result.time, (), np.zeros((len(result.time), 0)))
    if study.every is None:
        return part.time, part.values
    wanted = np.arange(0.0, part.time[-1] + 0.5 * study.every, study.every)
    places = np.unique(np.abs(np.searchsorted(part.time, wanted - 1e-9 * (1.0 + wanted)).clip(max=len(part.time) - 1)))
    return part.time[places], part.values[places]


class Workshop(WorkerPlugin):
    """The study in a worker process: files unpacked when it joins, FMUs loaded at the first run, all released at the end."""

    def __init__(self, name: str, study: Study):
        self.name = name
        self._study = replace(study, values=np.zeros((0, 0)))  # each task brings its own rows
        self._files = {unit: path.read_bytes() for unit, path in study.model.fmus.items()}
        self._names = {unit: path.name for unit, path in study.model.fmus.items()}

    def setup(self, worker) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="spacefmu-sweep-", dir=worker.local_directory))
        fmus = {}
        for unit, data in self._files.items():
            fmus[unit] = self._folder / (unit or "model") / self._names[unit]
            fmus[unit].parent.mkdir()
            fmus[unit].write_bytes(data)
        self._bench = Bench(replace(self._study, model=replace(self._study.model, fmus=fmus)))
        self._alone = (
            threading.Lock()
        )  # a worker with several threads does its runs one after the other: FMUs are not shared

    def teardown(self, worker) -> None:
        self._bench.__exit__()
        shutil.rmtree(self._folder, ignore_errors=True)

    def outcome(self, rows: np.ndarray) -> RunsOutcome:
        with self._alone:
            return self._bench.outcome(rows)


def work(name: str, rows: np.ndarray) -> RunsOutcome:
    """The task: runs (runs, parameters) of the study that the workshop `name` has."""
    return cast(Workshop, get_worker().plugins[name]).outcome(rows)
