"""Many runs of one model, stepped together: start values, inputs and results are arrays with one row per run.

batch = spacefmu.Batch("AttitudeSlew", 1000)
batch.begin({"plant.hub.mass": masses})                        # (1000,); one number serves all runs
runs = batch.run(180.0, 0.1, record=["plant.wheel.x.speed"])   # runs["plant.wheel.x.speed"]: (1000, 1801)
batch.step(0.1, inputs)                                        # or step by step, as environments do
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..cosim.loop import points_of
from ..results.names import resolve
from .library import BatchModel, MeasureRow, StepsRow, library_of

KINDS = ("max", "min", "largest", "mean", "rms", "final", "settling_time")  # numbers of measures.h


@dataclass(frozen=True)
class RunNumber:
    """One number per run, of a variable or array over the run: `kind` of factor · value + offset, from `after` [s] on."""

    of: str
    kind: str
    after: float = 0.0
    factor: float = 1.0
    offset: float = 0.0
    target: float = 0.0
    band: float = 0.0


@dataclass(frozen=True)
class BatchResult:
    """Results of runs: time (points,), recorded values (runs, points, names), numbers (runs, measures)."""

    time: np.ndarray
    names: tuple[str, ...]
    values: np.ndarray | None
    numbers: np.ndarray

    def __getitem__(self, name: str) -> np.ndarray:
        """(runs, points) of a variable, (runs, points, n) of an array."""
        assert self.values is not None
        places = [self.names.index(each) for each in resolve(name, self.names)]
        return self.values[:, :, places[0]] if self.names[places[0]] == name else self.values[:, :, places]


class LaneBatch:
    """`runs` instances of a model. Use it in a `with` block, or `close` it.

    lanes: runs that share a vector; default: as many doubles as one instruction of this machine takes. threads: default: one per core.
    With the same number of lanes, results are bit for bit the same for any number of threads.
    """

    def __init__(self, model: BatchModel, runs: int, lanes: int | None = None, threads: int | None = None):
        if runs < 1:
            raise ValueError(f"runs is {runs}; must be at least 1")
        self.model, self.runs = model, runs
        self._library = library_of(model, lanes)
        self._handle = self._library.batch_create(runs)
        if not self._handle:
            raise MemoryError(f"{model.name}: no memory for {runs} runs")
        self.lanes: int = self._library.batch_lanes()
        self.shares = bool(self._library.batch_shares())
        self.packs = -(-runs // self.lanes)
        self.threads = threads or os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None
        self._points_at = np.zeros(2)
        self.time = 0.0

    def __enter__(self) -> LaneBatch:
        return self

    def __exit__(self, *failure) -> None:
        self.close()

    def close(self) -> None:
        if self._pool:
            self._pool.shutdown()
        if self._handle:
            self._library.batch_free(self._handle)
        self._handle = None

    @property
    def bytes_per_run(self) -> float:
        """Memory of one run: its part of a vector, and its FMU instance."""
        return self._library.batch_bytes(self._handle) / self.runs

    def references(self, names: Sequence[str]) -> np.ndarray:
        """Value references of variables and of all elements of arrays."""
        return np.array([self.model.references[each] for each in self.elements(names)], np.uint32)

    def elements(self, names: Sequence[str]) -> tuple[str, ...]:
        """Names of variables, and of all elements of arrays."""
        known, what = self.model.references, f"variable of {self.model.name}"
        return tuple(each for name in names for each in resolve(name, known, what))

    def begin(
        self,
        values: Mapping[str, object] | None = None,
        stop: float = np.inf,
        tolerance: float = 0.0,
        which: np.ndarray | None = None,
    ) -> dict[int, str]:
        """Start runs at their time 0: all of them, or those in `which` while the others continue. values: by name, one number or one per run that starts; of an array, (runs, n).

        Returns the reasons why runs could not start, by run.
        """
        count = self.runs if which is None else len(which)
        references, columns = [], []
        for name, value in (values or {}).items():
            own = self.references([name])
            references.append(own)
            numbers = np.asarray(value, float)
            numbers = numbers[:, None] if numbers.ndim == 1 and len(own) == 1 else numbers
            columns.append(np.broadcast_to(numbers, (count, len(own))))
        table = np.concatenate(columns, axis=1) if columns else np.zeros((count, 0))
        named = np.concatenate(references) if references else np.zeros(0, np.uint32)
        return self.begin_rows(named, table, stop, tolerance, which)

    def begin_rows(
        self,
        references: np.ndarray,
        table: np.ndarray,
        stop: float = np.inf,
        tolerance: float = 0.0,
        which: np.ndarray | None = None,
    ) -> dict[int, str]:
        """As `begin`, with value references and their numbers (runs that start, references)."""
        whole = which is None
        places = np.arange(self.runs, dtype=np.uintp) if which is None else np.ascontiguousarray(which, np.uintp)
        table, references = np.ascontiguousarray(table, float), np.ascontiguousarray(references, np.uint32)
        self.time = 0.0 if whole else self.time
        self._library.batch_begin(
            self._handle, self.time, places.ctypes.data, len(places), tolerance, stop, references.ctypes.data, len(references), table.ctypes.data
        )  # fmt: skip
        return self.reasons(places.tolist())

    def reasons(self, which: Sequence[int] | None = None) -> dict[int, str]:
        """Why runs have failed, by run; only failed runs are listed."""
        found = (
            (run, self._library.batch_reason(self._handle, run))
            for run in (range(self.runs) if which is None else which)
        )
        return {run: reason.decode("utf-8", "replace") for run, reason in found if reason}

    def any_failed(self) -> bool:
        return self._library.batch_failed(self._handle) > 0

    def sort(self) -> None:
        """Put runs that will take similar steps into the same vectors, sorted by their fastest natural motion. Call it right after `begin`."""
        if not self.shares or self.runs <= self.lanes:
            return
        identity = np.arange(self.runs, dtype=np.uintp)
        self._library.batch_arrange(self._handle, identity.ctypes.data)
        costs = np.zeros(self.packs * self.lanes)
        self._library.batch_costs(self._handle, 0, self.packs, costs.ctypes.data)
        order = np.argsort(costs[: self.runs], kind="stable").astype(np.uintp)
        self._library.batch_arrange(self._handle, order.ctypes.data)

    def run(
        self,
        stop: float,
        step: float,
        record: Sequence[str] = (),
        measures: Sequence[RunNumber] = (),
        inputs: tuple[np.ndarray, np.ndarray] | None = None,
        points: np.ndarray | None = None,
    ) -> BatchResult:
        """From where the runs are to `stop`, with communication points every `step` [s].

        inputs: value references, and their values (points − 1, references) at all points but the last.
        """
        points = np.ascontiguousarray(points_of(stop, step) if points is None else points)
        names = self.elements(record)
        watched = [self.elements([measure.of]) for measure in measures]
        columns = [*names] if record else []
        table = (MeasureRow * len(measures))()  # the variables of each are contiguous
        for place, (measure, own) in enumerate(zip(measures, watched, strict=True)):
            table[place] = MeasureRow(KINDS.index(measure.kind), len(columns), len(own), measure.factor, measure.offset, measure.after, measure.target, measure.band)  # fmt: skip
            columns += own
        values = np.zeros((self.runs, len(points), len(columns))) if record else None
        numbers = np.zeros((self.runs, len(measures)))
        self._steps(points, self.references(columns), values, True, table, numbers, inputs, by_run=False)
        self.time = float(points[-1])
        return BatchResult(points, names, None if values is None else values[:, :, : len(names)], numbers)

    def step(
        self, length: float, inputs: tuple[np.ndarray, np.ndarray] | None = None, kept: np.ndarray | None = None
    ) -> np.ndarray:
        """One communication step of all runs. inputs: value references, and their values (runs, references). The values (runs, kept) at its end."""
        self._points_at[:] = self.time, self.time + length
        kept = np.zeros(0, np.uint32) if kept is None else kept
        values = np.zeros((self.runs, len(kept)))
        self._steps(self._points_at, kept, values, False, None, None, inputs, by_run=True)
        self.time += length
        return values

    def values(self, references: np.ndarray) -> np.ndarray:
        """Values (runs, references) at the present."""
        found = np.zeros((self.runs, len(references)))
        self._steps(np.array([self.time]), references, found, False, None, None, None, by_run=True)
        return found

    def work(self) -> tuple[float, float]:
        """Evaluations of whole vectors, and communication steps that runs took individually, since the runs were arranged."""
        numbers = np.zeros(2)
        self._library.batch_work(self._handle, 0, self.packs, numbers.ctypes.data, numbers[1:].ctypes.data)
        return float(numbers[0]) * self.lanes, float(numbers[1])

    def _steps(self, points, kept, values, keep_all, measures, numbers, inputs, by_run: bool) -> None:
        references, given = inputs if inputs is not None else (np.zeros(0, np.uint32), np.zeros((0, 0)))
        references, given = np.ascontiguousarray(references, np.uint32), np.ascontiguousarray(given, float)
        expected = (self.runs if by_run else len(points) - 1, len(references))
        if inputs is not None and given.shape != expected:
            raise ValueError(f"inputs have the shape {given.shape}; must be {expected}")
        steps = StepsRow(
            len(points), points.ctypes.data, len(references), len(kept), 0 if measures is None else len(measures),
            references.ctypes.data, kept.ctypes.data, given.ctypes.data, by_run, keep_all,
            None if values is None else values.ctypes.data, measures, None if numbers is None else numbers.ctypes.data,
        )  # fmt: skip

        def part(span: tuple[int, int]) -> None:
            if self._library.batch_steps(self._handle, *span, steps):
                raise MemoryError(f"{self.model.name}: no memory for the values of a step")

        if self._pool is None or self.packs == 1:
            part((0, self.packs))
            return
        parts = min(self.packs, 4 * self.threads)
        ends = [self.packs * i // parts for i in range(parts + 1)]
        list(self._pool.map(part, pairwise(ends)))
