"""The two ways to run a case: as a built native FMU in co-simulation, or by the model's equations without a build.

A door returns histories by name (`column`) at the times of a case, and the poles about the start (`poles`).
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from spacefmu.dynamics.system.contract import System
    from spacefmu.dynamics.system.reference import Trajectory

    from .case import Case

INPUT_TOLERANCE = 1e-12  # of SciPy, which runs cases whose inputs are formulas of time


class Door(Protocol):
    """The interface for measures. times (n,): those of the histories."""

    case: Case
    times: np.ndarray

    def column(self, name: str) -> np.ndarray: ...

    def poles(self) -> np.ndarray: ...


@contextmanager
def door(case: Case, times: Sequence[float], fmu: bool) -> Iterator[Door]:
    """The FMU, if requested and possible: co-simulation holds inputs between points, so inputs given as formulas of time are run by SciPy."""
    if not fmu or case.inputs:
        yield Equations(case, times)
        return
    with tempfile.TemporaryDirectory(prefix="spacefmu-") as folder:
        yield BuiltFmu(case, times, Path(folder))


def _system(case: Case) -> System:
    from spacefmu.dynamics.description import load_text

    return load_text(case.description, case.name, case.folder)


def _points(case: Case, times: np.ndarray) -> np.ndarray:
    """Times at which a run stops: the requested ones, the start, and those at which inputs change."""
    changes = [time for steps in case.steps.values() for time, _ in steps if time <= max(times)]
    return np.unique(np.concatenate([[0.0], times, changes]))


def _held(case: Case, time: float) -> dict[str, float]:
    """Inputs by name from `time` on: the value of the last step that is due."""
    due = {name: [value for at, value in steps if at <= time] for name, steps in case.steps.items()}
    return {name: values[-1] for name, values in due.items() if values}


class BuiltFmu:
    """A case as the native FMU that `spacefmu build` makes of its description, loaded by FMPy."""

    def __init__(self, case: Case, times: Sequence[float], folder: Path):
        self.case, self.times, self._folder = case, np.asarray(times, float), folder
        self._found: dict[str, np.ndarray] = {}

    @cached_property
    def _file(self) -> Path:
        from ..api.models import build

        return build(_system(self.case), self._folder / "case.fmu")

    def column(self, name: str) -> np.ndarray:
        if not self._found:
            self._found = self._run()
        if name not in self._found:
            raise ValueError(f"{self.case.name}: {name!r} is not a variable of its model")
        return self._found[name]

    def _run(self) -> dict[str, np.ndarray]:
        """Histories of all real variables at the requested times."""
        from spacefmu.dynamics.solver.methods import METHODS

        from ..cosim.fmu import Port, Slave

        points, method = _points(self.case, self.times), 1 + [each.name for each in METHODS].index(self.case.method)
        with Slave("case", self._file) as fmu:
            names = [name for name, variable in fmu.variables.items() if variable.type == "Real"]
            port, rows = Port(fmu, names), []
            fmu.set({"solver.method": method, **_held(self.case, 0.0)})
            fmu.call("setupExperiment", tolerance=self.case.tolerance, startTime=0.0, stopTime=points[-1] or 1.0)
            fmu.call("enterInitializationMode")
            fmu.call("exitInitializationMode")
            for i, time in enumerate(points):
                if i:
                    fmu.set(_held(self.case, points[i - 1]))
                    fmu.call(
                        "doStep", currentCommunicationPoint=points[i - 1], communicationStepSize=time - points[i - 1]
                    )
                rows.append(port.get())
            fmu.call("terminate")
        kept = np.array(rows)[np.searchsorted(points, self.times)]
        return dict(zip(names, kept.T, strict=True))

    def poles(self) -> np.ndarray:
        """By the FMU's directional derivatives."""
        from ..linearize.model import linearize

        return np.array([mode.pole for mode in linearize(self._file).modes])


class Equations:
    """A case by the Python version of the FMU's solver on the model's equations; by SciPy if inputs are formulas of time."""

    def __init__(self, case: Case, times: Sequence[float]):
        self.case, self.times = case, np.asarray(times, float)

    @cached_property
    def system(self) -> System:
        return _system(self.case)

    def column(self, name: str) -> np.ndarray:
        """From states, outputs or discrete states."""
        for group, rows in (("states", "x"), ("outputs", "y"), ("discretes", "d")):
            try:
                place = self.system.signals.where(group, name)
            except KeyError:
                continue
            points = self._trajectory.time
            return getattr(self._trajectory, rows)[np.searchsorted(points, self.times), place]
        raise ValueError(f"{self.case.name}: {name!r} is not a variable of its model")

    def poles(self) -> np.ndarray:
        from ..linearize.model import linearize

        return np.array([mode.pole for mode in linearize(self.system).modes])

    @cached_property
    def _trajectory(self) -> Trajectory:
        from spacefmu.dynamics.system.reference import integrate

        from ..native.trace.fast import fast

        system, points = fast(self.system), _points(self.case, self.times)
        if self.case.inputs:
            return integrate(system, points, self._inputs(), rtol=INPUT_TOLERANCE, atol=INPUT_TOLERANCE)
        return self._advanced(system, points)

    def _inputs(self) -> Callable[[float], np.ndarray]:
        """u(t) by the formulas of the case, in the syntax of conditions."""
        from spacefmu.dynamics.description.errors import Problems
        from spacefmu.dynamics.description.formula import Names, make_formula
        from spacefmu.dynamics.system.formula import evaluate

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

    def _advanced(self, system: System, points: np.ndarray) -> Trajectory:
        from spacefmu.dynamics.solver.loop import Solver
        from spacefmu.dynamics.solver.methods import METHODS
        from spacefmu.dynamics.system.evaluate import motion, start
        from spacefmu.dynamics.system.reference import Trajectory

        u = self._driven(np.array(system.signals.starts("inputs"), float), points[0])
        x, u, k, d = start(system, points[0], u=u)
        solver = Solver(system, 1 + [each.name for each in METHODS].index(self.case.method), self.case.tolerance)
        solver.place(points[0], x, u, k, d)
        rows = [(x, d, motion(system, points[0], x, u, k, d)[1])]
        for i, t in enumerate(points[1:]):
            driven = self._driven(solver.u, points[i])
            if np.any(driven != solver.u):
                solver.place(points[i], solver.x, driven, k, solver.d)
            solver.advance(t, points[-1])
            rows.append((solver.x, solver.d, motion(system, solver.t, solver.x, solver.u, k, solver.d)[1]))
        x, d, y = (np.array(each) for each in zip(*rows, strict=True))
        return Trajectory(points, x, d, y, [])

    def _driven(self, u: np.ndarray, time: float) -> np.ndarray:
        """u with the inputs that are held from `time` on."""
        found = u.copy()
        for name, value in _held(self.case, time).items():
            found[self.system.signals.where("inputs", name)] = value
        return found
