"""The folder of a sweep. Every file in it is complete at any time; runs that it has are not repeated.

    plan.toml                      the plan, as it was written
    sweep.json                     the identity of the sweep
    models/UNIT/NAME.fmu           the FMUs that ran
    metrics.py, input.csv          the user's files, if there are any
    runs/FIRST-LAST.parquet        one row per run: run, status, reason, parameters, metrics
    traces/FIRST-LAST.parquet      one row per time point: run, time, variables
    .lock                          held by the process that works in the folder
    summary.png                    distributions, dependences and worst cases

During a sweep, each task adds a file with its runs; at the end they are merged.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import locket
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from spacefmu.dynamics.texts import read_json

from ..results.files import named, whole_file
from .study import Study
from .work import RunsOutcome

OK, FAILED = "ok", "failed"
_PART = re.compile(r"([0-9]{9})-([0-9]{9})\.parquet")
_ROWS = 1 << 16  # rows of a row group in a finished file


@dataclass(frozen=True)
class Span:
    """Neighbouring runs: first, …, last."""

    first: int
    last: int

    def __len__(self) -> int:
        return self.last - self.first + 1

    @property
    def file(self) -> str:
        return f"{self.first:09d}-{self.last:09d}.parquet"

    def cut(self, length: int) -> tuple[Span, Span | None]:
        """The first `length` runs, and the rest."""
        if length >= len(self):
            return self, None
        return Span(self.first, self.first + length - 1), Span(self.first + length, self.last)

    def meets(self, other: Span) -> bool:
        return self.first <= other.last and other.first <= self.last

    def holds(self, other: Span) -> bool:
        return self.first <= other.first and other.last <= self.last


def spans_in(folder: Path) -> list[Span]:
    """The runs that the files of a folder hold, in order."""
    names = (_PART.fullmatch(path.name) for path in (folder.iterdir() if folder.is_dir() else ()))
    return sorted((Span(int(match[1]), int(match[2])) for match in names if match), key=lambda span: span.first)


def missing(done: Sequence[Span], count: int) -> list[Span]:
    """The runs of 0 … count − 1 that are missing."""
    gaps, next_run = [], 0
    for span in [*done, Span(count, count)]:
        if span.first > next_run:
            gaps.append(Span(next_run, span.first - 1))
        next_run = max(next_run, span.last + 1)
    return gaps


def _tidy(folders: Sequence[Path]) -> None:
    """Clean up after a killed sweep or a crash of the machine: remove unfinished files, and all files of runs of which one is damaged."""
    for folder in folders:
        for unfinished in folder.glob(".*.part.parquet"):
            unfinished.unlink()
    damaged = [span for folder in folders for span in spans_in(folder) if not _readable(folder / span.file)]
    for folder in folders:
        for span in spans_in(folder):
            if any(span.meets(other) for other in damaged):
                (folder / span.file).unlink()


def _merged(folder: Path) -> list[Span]:
    """The spans of a folder, without files whose rows a larger file already has after an interrupted merge."""
    spans = spans_in(folder)
    for span in spans:
        if any(other.holds(span) and other != span for other in spans):
            (folder / span.file).unlink()
    return spans_in(folder)


def _readable(file: Path) -> bool:
    """Whether a Parquet file has its end, which is written last and may be missing after a power failure."""
    try:
        pq.read_metadata(file)
    except (pa.ArrowInvalid, OSError):
        return False
    return True


class Store:
    """The results of a study on disk."""

    def __init__(self, folder: Path, study: Study):
        self.folder, self.study = folder, study
        self._runs, self._traces = folder / "runs", folder / "traces"

    def missing(self) -> list[Span]:
        """The missing runs. Cleans up after a killed sweep: the folder belongs to this process (`alone`)."""
        _tidy((self._runs, self._traces))
        done = _merged(self._runs)
        for span in _merged(self._traces):
            if not any(
                runs.holds(span) for runs in done
            ):  # traces are written first: the rows of these runs were never written
                (self._traces / span.file).unlink()
        return missing(done, len(self.study.values))

    def add(self, span: Span, outcome: RunsOutcome) -> None:
        """Store the results of some runs. The row of a run is written last: if it exists, so does its trace."""
        if self.study.traces:
            self._write(self._traces / span.file, self._trace_table(span, outcome))
        self._write(self._runs / span.file, self._run_table(span, outcome))

    def finish(self) -> None:
        """Merge into one file of each kind; its bytes do not depend on the distribution of runs over tasks."""
        for folder in (self._runs, self._traces):
            spans = spans_in(folder)
            if len(spans) > 1:
                whole = Span(spans[0].first, spans[-1].last)
                _merge([folder / span.file for span in spans], folder / whole.file)
                for span in spans:
                    (folder / span.file).unlink()

    def _run_table(self, span: Span, outcome: RunsOutcome) -> pa.Table:
        study = self.study
        reasons = [outcome.reasons.get(place) for place in range(len(span))]
        rows = study.values[span.first : span.last + 1]
        columns = [
            pa.array(range(span.first, span.last + 1), pa.int64()),
            pa.array([OK if reason is None else FAILED for reason in reasons]),
            pa.array(reasons, pa.string()),
            *(pa.array(column) for column in rows.T),
            *(pa.array(column, from_pandas=True) for column in outcome.metrics.T),  # nan: there is none
        ]
        units = [(p.name, p.unit) for p in study.parameters]
        units += [(name, study.measures[name].unit if name in study.measures else "") for name in study.metric_names]
        fields = [pa.field("run", pa.int64()), pa.field("status", pa.string()), pa.field("reason", pa.string())]
        fields += [pa.field(name, pa.float64(), metadata={"unit": unit}) for name, unit in units]
        return pa.table(columns, schema=pa.schema(fields))

    def _trace_table(self, span: Span, outcome: RunsOutcome) -> pa.Table:
        runs = np.repeat(np.arange(span.first, span.last + 1), [len(time) for time, _ in outcome.traces])
        time = np.concatenate([time for time, _ in outcome.traces])
        values = np.concatenate([values for _, values in outcome.traces])
        return pa.table([runs, time, *values.T], names=["run", "time", *self.study.traces])

    @staticmethod
    def _write(path: Path, table: pa.Table) -> None:
        with whole_file(path) as unfinished:
            pq.write_table(table, unfinished)


def _merge(files: Sequence[Path], path: Path) -> None:
    """One file of many, a few of them in memory at a time, row groups of one size."""
    with whole_file(path) as unfinished, pq.ParquetWriter(unfinished, pq.read_schema(files[0])) as writer:
        for table in _chunks(pq.read_table(file, partitioning=None) for file in files):
            writer.write_table(table, row_group_size=_ROWS)


def _chunks(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The same rows in tables of _ROWS rows; the last one has the remainder."""
    waiting: list[pa.Table] = []
    for table in tables:
        waiting.append(table)
        while sum(map(len, waiting)) >= _ROWS:
            joined = pa.concat_tables(waiting)
            yield joined.slice(0, _ROWS).combine_chunks()
            waiting = [joined.slice(_ROWS)]
    joined = pa.concat_tables(waiting)
    if len(joined):
        yield joined.combine_chunks()


def read_runs(folder: Path | str) -> pa.Table:
    """The table of runs so far, in their order."""
    return pq.read_table(Path(folder, "runs")).sort_by("run")


def read_trace(folder: Path | str, run: int) -> pa.Table:
    """The instants of one run."""
    return pq.read_table(Path(folder, "traces"), filters=[("run", "=", run)])


IDENTITY = "sweep.json"
LOCK = ".lock"


def claim(folder: Path, identity: dict, plan_text: str, files: dict[str, bytes | str]) -> None:
    """Set the folder up for this sweep, or check that it already is; ValueError if it holds something else.

    files: stored next to the results, by name in the folder.
    """
    record = folder / IDENTITY
    if record.exists():
        there = read_identity(folder)
        differing = [key for key in identity if there.get(key) != identity[key]]
        if differing:
            raise ValueError(
                f"{folder}: holds another sweep (its {' and '.join(differing)} differ from this one's); "
                "name another folder with --output, or remove this one"
            )
        return
    if folder.is_dir() and any(folder.iterdir()):
        raise ValueError(f"{folder}: is a folder with other files in it; name another one with --output")
    unfinished = folder.with_name(f".{folder.name}.{os.getpid()}.part")  # the folder appears only with its content
    try:
        for name, content in {"plan.toml": plan_text, **files}.items():
            path = unfinished / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        (unfinished / IDENTITY).write_text(json.dumps(identity, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        if folder.is_dir():
            folder.rmdir()
        unfinished.rename(folder)
    except OSError as error:
        raise named(error, folder) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def read_identity(folder: Path) -> dict:
    """The identity of the sweep in a folder; ValueError if the file is damaged."""
    try:
        found = read_json(folder / IDENTITY)
        if not isinstance(found, dict):
            raise ValueError("is not a table")
    except ValueError as error:
        raise ValueError(
            f"{folder / IDENTITY}: {error}; remove the folder, or name another one with --output"
        ) from None
    return found


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Lock the folder for this process; ValueError if another one works in it. The lock ends with the process."""
    try:
        lock = locket.lock_file(str(folder / LOCK), timeout=0)
        lock.acquire()
    except locket.LockError:
        raise ValueError(
            f"{folder}: another sweep is running in this folder; wait for it, or name another folder with --output"
        ) from None
    try:
        yield
    finally:
        lock.release()
