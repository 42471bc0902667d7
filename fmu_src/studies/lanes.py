"""Runs of a study in lanes (batch/): blocks of runs, each sorted, stepped and measured in C.

The study, not the task, decides which runs share a block: a sweep gives bit for bit the same results however its runs are distributed, on machines with the same lanes.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from ..archive.description import variables_of
from ..batch.batch import LaneBatch, RunNumber
from ..cosim.loop import inputs_over
from ..cosim.single import experiment_of, plan
from ..results.table import Result
from .model import Model
from .study import Study


class LaneBench:
    """The study's runs on this machine, in one thread: parallelism comes from tasks."""

    def __init__(self, study: Study):
        assert study.batch is not None
        self.study = study
        self._batches: dict[int, LaneBatch] = {}
        self._points, self._inputs = _communication(study.model)
        self._numbers = [
            RunNumber(m.metric.of, m.metric.kind, m.metric.after, m.factor, m.offset, m.metric.target, m.metric.band or 0.0)
            for m in study.measures.values()
        ]  # fmt: skip

    def close(self) -> None:
        for batch in self._batches.values():
            batch.close()
        self._batches.clear()

    def block(self, rows: np.ndarray, on_run: Callable[[int, Result], None]) -> tuple[np.ndarray, dict[int, str]]:
        """Metrics of the plan (runs, metrics) and reasons of failed runs. on_run: called with the recorded values of each run that reached its end."""
        study, stop = self.study, float(self._points[-1])
        batch = self._batch(len(rows))
        references, values = self._starts(batch, rows)
        failed = batch.begin_rows(references, values, stop)
        batch.sort()
        record = study.record if study.records else ()
        runs = batch.run(stop, 1.0, record, self._numbers, self._inputs, self._points)
        failed = batch.reasons()
        if runs.values is not None:
            for run in range(len(rows)):
                if run not in failed:
                    on_run(run, Result(runs.time, runs.names, runs.values[run]))
        numbers = runs.numbers.copy()
        numbers[list(failed)] = np.nan
        return numbers, failed

    def _batch(self, runs: int) -> LaneBatch:
        """One for whole blocks, one for the last."""
        if runs not in self._batches:
            if len(self._batches) > 1:
                self.close()
            assert self.study.batch is not None
            self._batches[runs] = LaneBatch(self.study.batch, runs, threads=1)
        return self._batches[runs]

    def _starts(self, batch: LaneBatch, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Value references of all variables that are set, and their values (runs, references)."""
        given = {name: np.full(len(rows), float(value)) for name, value in self.study.model.set.items()}  # type: ignore[arg-type]
        if self._inputs is not None:
            known = {reference: name for name, reference in batch.model.references.items()}
            given |= {
                known[int(r)]: np.full(len(rows), x) for r, x in zip(self._inputs[0], self._inputs[1][0], strict=True)
            }
        for parameter, column in zip(self.study.parameters, rows.T, strict=True):
            for name, scale, offset in zip(parameter.variables, parameter.scale, parameter.offset, strict=True):
                given[name] = scale * column + offset
        own = {name: batch.references([name]) for name in given}
        table = [np.repeat(given[name][:, None], len(references), axis=1) for name, references in own.items()]
        return np.concatenate([*own.values()]), np.concatenate(table, axis=1)


def _communication(model: Model) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray] | None]:
    """Communication points, and inputs at them, as in a run of the FMU."""
    description = model.descriptions()[""]
    run = plan(
        model.name, variables_of(description), experiment_of(description), model.stop, model.step, {}, model.inputs
    )
    return inputs_over(description, run.inputs, run.stop, run.step)


def outcome_of(
    bench: LaneBench, rows: np.ndarray, measure, trace, within
) -> tuple[np.ndarray, dict[int, str], tuple, float]:
    """Metrics, reasons, traces and seconds of neighbouring runs, block by block; measure, trace: of one run, in Python; within: the limit of a block."""
    begin, study = time.perf_counter(), bench.study
    metrics = np.full((len(rows), len(study.metric_names)), np.nan)
    reasons: dict[int, str] = {}
    traces = [(np.zeros(0), np.zeros((0, len(study.traces))))] * (len(rows) if study.traces else 0)
    for first in range(0, len(rows), study.block):
        part = rows[first : first + study.block]

        def keep(run: int, result: Result, first: int = first) -> None:
            if study.traces:
                traces[first + run] = trace(study, result)
            try:
                if study.own:
                    measure(result, metrics[first + run])
            except ValueError as error:
                reasons[first + run] = str(error)

        with within(None if study.limit is None else study.limit * len(part)):
            numbers, failed = bench.block(part, keep)
        metrics[first : first + len(part), : numbers.shape[1]] = numbers
        reasons.update({first + run: reason for run, reason in failed.items()})
    return metrics, reasons, tuple(traces), time.perf_counter() - begin
