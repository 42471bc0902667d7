"""A case run and compared: alone, or many in parallel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cached_property
from multiprocessing import get_context
from typing import TYPE_CHECKING

import numpy as np

from spacefmu.dynamics.rotation import quaternion_dcm

if TYPE_CHECKING:
    from spacefmu.dynamics.reference import Trajectory
    from spacefmu.dynamics.system import System

    from .case import Case, Comparison

ROUND_OFF = 1e-6  # of a bound: numbers that are rounded half way, such as 29.41995 to 29.4200
INPUT_TOLERANCE = 1e-12  # of the reference integration that runs cases with inputs over time


@dataclass(frozen=True)
class Found:
    """What a comparison gave. worst: largest difference over the bound; error: the difference there, at `time` (nan: none), allowed: the bound there.

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
    """A case and what its comparisons gave; failure: the sentence, if it could not be run."""

    name: str
    found: tuple[Found, ...] = ()
    failure: str = ""

    @property
    def passed(self) -> bool:
        return not self.failure and all(each.worst <= 1.0 + ROUND_OFF for each in self.found)

    @property
    def worst(self) -> Found:
        """The comparison that comes nearest to its bound, or is farthest outside."""
        return max(self.found, key=lambda each: each.worst)


class Run:
    """A case's System, and its motion at all times that the case asks for, computed when a measure wants it."""

    def __init__(self, case: Case, times: Sequence[float] = ()):
        self.case, self.times = case, np.asarray(times, float)

    @cached_property
    def system(self) -> System:
        from spacefmu.dynamics.description import load_text

        return load_text(self.case.description, self.case.name)

    @cached_property
    def trajectory(self) -> Trajectory:
        """By the solver of our FMUs on compiled expressions; by SciPy where inputs are formulas of time."""
        from spacefmu.dynamics.reference import integrate

        from ..native.fast import fast

        system = fast(self.system)
        if self.case.inputs:
            return integrate(system, self._from_zero, self._inputs(), rtol=INPUT_TOLERANCE, atol=INPUT_TOLERANCE)
        return _advanced(system, self._from_zero, self.case.tolerance, self.case.method)

    @property
    def _from_zero(self) -> np.ndarray:
        return self.times if self.times[0] == 0.0 else np.concatenate([[0.0], self.times])

    def _inputs(self) -> Callable[[float], np.ndarray]:
        """u(t) by the formulas of the case, in the language of conditions."""
        from spacefmu.dynamics.constraints.formula import evaluate
        from spacefmu.dynamics.description.errors import Problems
        from spacefmu.dynamics.description.formula import Names, make_formula

        signals, problems = self.system.signals, Problems()
        names = Names({"time": 0.0}, ())
        trees = [
            (signals.where("inputs", name), make_formula(f"inputs.{name}", text, names, problems))
            for name, text in self.case.inputs.items()
        ]
        if problems.found:
            raise ValueError("; ".join(problems.found))
        starts = np.array(signals.starts("inputs"), float)

        def u(t: float) -> np.ndarray:
            values = starts.copy()
            for place, tree in trees:
                values[place] = evaluate(tree, lambda name: (t, 1.0))[0]
            return values

        return u

    def column(self, name: str) -> np.ndarray:
        """A variable's history at the asked times, from states, outputs or discrete states."""
        for group, rows in (("states", "x"), ("outputs", "y"), ("discretes", "d")):
            try:
                place = self.system.signals.where(group, name)
            except KeyError:
                continue
            return getattr(self.trajectory, rows)[-len(self.times) :, place]
        raise ValueError(f"{self.case.name}: {name!r} is no variable of its model")

    def columns(self, name: str, size: int) -> np.ndarray:
        """An array's history (n, size)."""
        return np.stack([self.column(f"{name}[{i}]") for i in range(1, size + 1)], axis=1)

    def in_space(self, body: str, vectors: np.ndarray) -> np.ndarray:
        """Vectors (n, 3) in the axes of a body, in those of the frame in which positions are."""
        turned = [quaternion_dcm(q) @ v for q, v in zip(self.columns(f"{body}.quaternion", 4), vectors, strict=True)]
        return np.array(turned)


def _advanced(system: System, times, tolerance: float, method: str) -> Trajectory:
    from spacefmu.dynamics.evaluate import motion, start
    from spacefmu.dynamics.methods import METHODS
    from spacefmu.dynamics.reference import Trajectory
    from spacefmu.dynamics.solver import Solver

    x, u, k, d = start(system, times[0])
    solver = Solver(system, 1 + [each.name for each in METHODS].index(method), tolerance)
    solver.place(times[0], x, u, k, d)
    rows = [(x, d, motion(system, times[0], x, u, k, d)[1])]
    for t in times[1:]:
        solver.advance(t, times[-1])
        rows.append((solver.x, solver.d, motion(system, solver.t, solver.x, u, k, solver.d)[1]))
    x, d, y = (np.array(each) for each in zip(*rows, strict=True))
    return Trajectory(np.asarray(times), x, d, y, [])


def validate(case: Case) -> Outcome:
    """Run a case and compare; whatever goes wrong is part of the outcome."""
    times = sorted({time for each in case.compare for time in each.time})
    run = Run(case, times)
    try:
        return Outcome(case.name, tuple(_compared(run, each) for each in case.compare))
    except (ValueError, ArithmeticError, RuntimeError, LookupError) as error:
        return Outcome(case.name, failure=f"{type(error).__name__}: {error}")


def _compared(run: Run, comparison: Comparison) -> Found:
    from .measures import MEASURES

    theirs = np.asarray(comparison.values, float)
    part = _At(run, comparison.time) if comparison.time else run
    ours = np.asarray(MEASURES[comparison.measure](part, comparison.of, theirs), float)
    if ours.shape != theirs.shape:
        raise ValueError(f"{comparison.what!r} has {ours.shape} values, its reference {theirs.shape}")
    allowed = comparison.bound * (np.abs(theirs) if comparison.relative else np.ones_like(theirs))
    error = np.where(np.isfinite(ours), np.abs(ours - theirs), np.inf)
    row, at = np.unravel_index(np.argmax(error / allowed), error.shape)
    exact = np.asarray(comparison.exact, float)
    return Found(
        comparison.what,
        comparison.unit,
        comparison.why,
        float((error / allowed)[row, at]),
        float(error[row, at]),
        float(allowed[row, at]),
        float(comparison.time[int(row)]) if comparison.time else float("nan"),
        comparison.count,
        float(np.max(np.abs(ours - exact))) if exact.size else float("nan"),
        float(np.max(np.abs(theirs - exact))) if exact.size else float("nan"),
        ours,
    )


class _At(Run):
    """A Run read at some of its times."""

    def __init__(self, run: Run, times: Sequence[float]):
        self.case, self._run, self.times = run.case, run, np.asarray(times, float)
        self._rows = np.searchsorted(run.times, self.times)

    @property
    def system(self) -> System:  # type: ignore[override]
        return self._run.system

    def column(self, name: str) -> np.ndarray:
        return self._run.column(name)[self._rows]


def validate_all(cases: Sequence[Case], jobs: int = 1) -> Iterator[Outcome]:
    """Outcomes as they come, from `jobs` processes."""
    if jobs == 1 or len(cases) < 2:
        yield from map(validate, cases)
        return
    with ProcessPoolExecutor(min(jobs, len(cases)), get_context("spawn")) as pool:
        futures = [pool.submit(validate, case) for case in cases]
        try:
            yield from (future.result() for future in as_completed(futures))
        finally:
            pool.shutdown(cancel_futures=True)
