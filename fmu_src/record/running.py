"""Runs and compares cases: one, or many in parallel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TYPE_CHECKING

import numpy as np

from spacefmu.dynamics.algebra.rotation import quaternion_dcm

from .doors import Door, door

if TYPE_CHECKING:
    from .case import Case, Comparison

HALF_WAY = 1e-6  # of a bound: numbers rounded at a tie, such as 29.41995 to 29.4200


@dataclass(frozen=True)
class Found:
    """Result of a comparison. worst: largest difference over the bound; error: the difference there, at `time` (nan: none); allowed: the bound there.

    ours_off, theirs_off: largest differences of both from an exact solution, nan where there is none.
    """

    what: str
    unit: str
    why: str
    worst: float
    error: float
    allowed: float
    time: float
    count: int
    ours_off: float
    theirs_off: float
    ours: np.ndarray


@dataclass(frozen=True)
class Outcome:
    """A case and the results of its comparisons; failure: a sentence, if it could not be run. fmu: whether it ran as a built FMU."""

    name: str
    found: tuple[Found, ...] = ()
    failure: str = ""
    fmu: bool = False

    @property
    def passed(self) -> bool:
        return not self.failure and all(each.worst <= 1.0 + HALF_WAY for each in self.found)

    @property
    def worst(self) -> Found:
        """The comparison nearest to its bound, or farthest outside."""
        return max(self.found, key=lambda each: each.worst)


class Run:
    """The data of a measure: a door's histories at the times of one comparison."""

    def __init__(self, door: Door, times: Sequence[float]):
        self.poles, self._door, self._rows = door.poles, door, np.searchsorted(door.times, times)

    def column(self, name: str) -> np.ndarray:
        """A variable's history (n,)."""
        return self._door.column(name)[self._rows]

    def columns(self, name: str, size: int) -> np.ndarray:
        """An array's history (n, size)."""
        return np.stack([self.column(f"{name}[{i}]") for i in range(1, size + 1)], axis=1)

    def in_space(self, body: str, vectors: np.ndarray) -> np.ndarray:
        """Vectors (n, 3) in the axes of a body, in those of the frame in which positions are."""
        turned = [quaternion_dcm(q) @ v for q, v in zip(self.columns(f"{body}.quaternion", 4), vectors, strict=True)]
        return np.array(turned)


def validate(case: Case, fmu: bool = False) -> Outcome:
    """Run a case, as a built FMU or by its equations, and compare; failures are part of the outcome."""
    built = fmu and not case.inputs
    try:
        with door(case, sorted({time for each in case.compare for time in each.time}), fmu) as way:
            return Outcome(case.name, tuple(_compared(way, each) for each in case.compare), fmu=built)
    except Exception as error:  # one case must not end the others
        return Outcome(case.name, failure=f"{type(error).__name__}: {error}", fmu=built)


def _compared(way: Door, comparison: Comparison) -> Found:
    from .measures import MEASURES

    theirs = np.asarray(comparison.values, float)
    ours = np.asarray(MEASURES[comparison.measure](Run(way, comparison.time), comparison.of, theirs), float)
    if ours.shape != theirs.shape:
        raise ValueError(f"{comparison.what!r} has {ours.shape} values, its reference {theirs.shape}")
    allowed = comparison.allowed
    error = np.where(np.isfinite(ours), np.abs(ours - theirs), np.inf)
    row, at = np.unravel_index(np.argmax(error / allowed), error.shape)
    exact = np.asarray(comparison.exact, float)
    return Found(
        comparison.what,
        comparison.unit,
        comparison.reason,
        float((error / allowed)[row, at]),
        float(error[row, at]),
        float(allowed[row, at]),
        float(comparison.time[int(row)]) if comparison.time else float("nan"),
        comparison.count,
        float(np.max(np.abs(ours - exact))) if exact.size else float("nan"),
        float(np.max(np.abs(theirs - exact))) if exact.size else float("nan"),
        ours,
    )


def validate_all(cases: Sequence[Case], jobs: int = 1, fmu: bool = False) -> Iterator[Outcome]:
    """Outcomes as they come, from `jobs` processes. fmu: as built FMUs."""
    if jobs == 1 or len(cases) < 2:
        yield from (validate(case, fmu) for case in cases)
        return
    with ProcessPoolExecutor(min(jobs, len(cases)), get_context("spawn")) as pool:
        futures = [pool.submit(validate, case, fmu) for case in cases]
        try:
            yield from (future.result() for future in as_completed(futures))
        finally:
            pool.shutdown(cancel_futures=True)
