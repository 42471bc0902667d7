"""The runs of a study on Dask: tasks of about a second each, a few in flight, results written as they arrive.

Dask assigns tasks to workers and repeats those of a lost worker. This module decides how many runs make a task, and bisects a task whose
worker died until one run is left; a run that crashes its worker several times is named as the cause.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from uuid import uuid4

import dask
import numpy as np
from distributed import Client, KilledWorker, LocalCluster, as_completed
from distributed.utils import silence_logging_cmgr

from ..cosim.fmu import SimulationError
from .store import Span, Store
from .study import Study
from .work import RunsOutcome, Workshop, work

TASK, SHORTEST = 1.0, 0.1  # [s] target duration of a task, and the shortest near the end of a sweep
LIVES = 3  # attempts of a run whose worker dies
ANSWER = 10.0  # [s] timeout of a scheduler
JOIN = 30.0  # [s] timeout of its first worker
HOPELESS = 5  # if so many runs crash their workers before any run ends, the sweep stops
AGAIN = "finished runs are kept, and the same command resumes with the others"
_MOST = 100_000  # runs of a task

# Local workers: one task at a time each, so that a crash has one suspect, which is returned at once. Dask would sample each thread's stack
# every 10 ms and its own clock every 20 ms, at the cost of the runs.
_OWN_CLUSTER = {
    "distributed.scheduler.worker-saturation": 1.0,
    "distributed.scheduler.allowed-failures": 0,
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "2s",
}


@dataclass(frozen=True)
class SweepState:
    """Progress of a sweep: runs in total, done (now and before), failed now; runs per second, seconds left (None: not known yet)."""

    runs: int
    done: int
    failed: int
    rate: float | None
    left: float | None


@contextmanager
def cluster(scheduler: str | None = None, workers: int | None = None) -> Iterator[Client]:
    """A client of the Dask cluster at an address; without an address, of worker processes on this machine, one per core."""
    if scheduler is not None:
        try:
            client = Client(scheduler, timeout=ANSWER, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ValueError(f"no Dask scheduler answers at {scheduler!r}: {error}") from error
        with silence_logging_cmgr(logging.CRITICAL), client:  # else Dask shows tracebacks when a scheduler is lost
            with _answering():
                try:
                    client.wait_for_workers(1, timeout=JOIN)
                except TimeoutError:
                    raise ValueError(f"the Dask scheduler at {scheduler} has no workers") from None
            yield client
        return
    with ExitStack() as stack:
        scratch = stack.enter_context(TemporaryDirectory(prefix="spacefmu-", ignore_cleanup_errors=True))
        stack.enter_context(dask.config.set(_OWN_CLUSTER | {"temporary-directory": scratch}))  # Dask leaves locks there
        try:
            local = LocalCluster(
                n_workers=workers or dask.system.CPU_COUNT,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            )
        except (RuntimeError, OSError) as error:  # includes TimeoutError
            raise SimulationError(f"a worker process ended while it started ({error}); {AGAIN}") from error
        yield stack.enter_context(Client(stack.enter_context(local), set_as_default=False))


def run_missing(
    study: Study, store: Store, client: Client, on_state: Callable[[SweepState], None] = lambda state: None
) -> None:
    """Do all runs that the store does not have; each task's results are on disk before the next one is handled."""
    workshop = f"spacefmu-{uuid4().hex}"
    waiting = deque((span, LIVES) for span in store.missing())
    if not waiting:
        return store.finish()
    tasks: dict = {}
    try:
        with _answering():
            client.register_plugin(Workshop(workshop, study), name=workshop)
            _work_off(study, store, client, workshop, waiting, tasks, on_state)
    finally:
        with suppress(
            OSError, CancelledError, RuntimeError
        ):  # a worker that has just died does not answer; the results have arrived anyway
            client.cancel(list(tasks))
            client.unregister_worker_plugin(workshop)
    return store.finish()


@contextmanager
def _answering() -> Iterator[None]:
    """Reports a lost scheduler. Dask raises OSErrors without errno for it, unlike those of a disk."""
    try:
        yield
    except (OSError, CancelledError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise SimulationError(f"the Dask scheduler no longer answers ({type(error).__name__}); {AGAIN}") from error


def _work_off(study: Study, store: Store, client: Client, workshop: str, waiting: deque, tasks: dict, on_state) -> None:
    """Until nothing is waiting. waiting: (span, lives); tasks: those in flight by future, as they are sent and come back."""
    pace = Pace(len(study.values), sum(len(span) for span, _ in waiting))
    flying = as_completed([], loop=client.loop)

    def send() -> None:
        while waiting and len(tasks) < 2 * max(1, len(client.nthreads())):
            span, lives = waiting.popleft()
            left = len(span) + sum(len(other) for other, _ in waiting)
            now, rest = span.cut(_whole_blocks(span, pace.runs_of_a_task(left, len(client.nthreads())), study.block))
            if rest:
                waiting.appendleft((rest, lives))
            future = client.submit(work, workshop, study.values[now.first : now.last + 1], pure=False)
            tasks[future] = now, lives
            flying.add(future)

    send()
    for future in flying:
        span, lives = tasks.pop(future)
        try:
            outcome = future.result()
        except KilledWorker:
            outcome = None
        del future  # Dask forgets the result with it
        if outcome is None and len(span) > study.block:
            waiting.extendleft((half, LIVES) for half in reversed(_halves(span, study.block)))
        elif outcome is None and lives > 1:
            waiting.appendleft((span, lives - 1))
        elif outcome is None and len(span) > 1:
            waiting.extendleft((half, LIVES) for half in reversed(_halves(span, 1)))
        elif outcome is None:
            outcome = _lethal(study)
            pace.killers += 1
        if outcome is not None:
            store.add(span, outcome)
            pace.count(span, outcome)
            on_state(pace.state())
        if pace.killers >= HOPELESS and not pace.survived:
            raise SimulationError(
                f"the first {pace.killers} runs all crashed their worker process, and no run finished: the FMU crashes its host"
            )
        send()


def _whole_blocks(span: Span, runs: int, block: int) -> int:
    """About the wanted number of runs from the beginning of a span, to the end of a block."""
    return -(-(span.first + runs) // block) * block - span.first


def _halves(span: Span, block: int) -> list[Span]:
    """Two parts of a span, cut between blocks; at least one block each."""
    first, rest = span.cut(_whole_blocks(span, max(1, len(span) // 2 - block + 1), block))
    return [first, rest] if rest else [first]


def _lethal(study: Study) -> RunsOutcome:
    """The record of a run that always crashed its worker."""
    trace = ((np.zeros(0), np.zeros((0, len(study.traces)))),) if study.traces else ()
    reason = f"its worker process died at each of {LIVES} attempts"
    if study.limit is not None:
        reason += f", or was stopped after the limit of {study.limit:g} s"
    return RunsOutcome(np.full((1, len(study.metric_names)), np.nan), {0: reason}, trace, 0.0)


class Pace:
    """Counts runs, and decides how many of them make a task."""

    def __init__(self, runs: int, missing: int):
        self.runs, self.done, self._before = runs, runs - missing, runs - missing
        self.failed = self.killers = self.survived = 0
        self._begin = time.monotonic()
        self._seconds_a_run: float | None = None

    def runs_of_a_task(self, left: int, workers: int) -> int:
        """One at first; then as many as take about TASK seconds, and fewer near the end, so that all workers finish together."""
        if self._seconds_a_run is None:
            return 1
        share = 0.5 * left * self._seconds_a_run / max(workers, 1)
        return int(np.clip(np.clip(share, SHORTEST, TASK) / max(self._seconds_a_run, 1e-9), 1, _MOST))

    def count(self, span: Span, outcome: RunsOutcome) -> None:
        self.done += len(span)
        self.failed += len(outcome.reasons)
        if outcome.seconds > 0.0:
            self.survived += len(span)
            now = outcome.seconds / len(span)
            # the first run of a worker loads the FMU: later ones have more weight
            self._seconds_a_run = now if self._seconds_a_run is None else 0.5 * (self._seconds_a_run + now)

    def state(self) -> SweepState:
        rate = (self.done - self._before) / max(time.monotonic() - self._begin, 1e-9)
        return SweepState(
            self.runs, self.done, self.failed, rate or None, (self.runs - self.done) / rate if rate else None
        )
