"""Hosts of model exchange for linkages: FMPy's CVode and SciPy's DOP853, each with event location and with restarts at given times."""

from __future__ import annotations

import ctypes
import math
from pathlib import Path

import numpy as np
from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Model
from fmpy.sundials import CVodeSolver
from scipy.integrate import DOP853
from scipy.optimize import brentq

RESOLUTION = 1e-15  # s, of events


class NoInput:
    def apply(self, *_args, **_more) -> None:
        pass


class Exchanged:
    """An FMU in continuous time mode at time 0. events: the times of those taken; next_event: of the next time event."""

    def __init__(self, path: Path, folder: Path, starts: dict[str, float]):
        model = read_model_description(str(path))
        unpacked = folder if folder.exists() else extract(str(path), str(folder))
        identifier = model.modelExchange.modelIdentifier
        self.fmu = FMU2Model(guid=model.guid, unzipDirectory=str(unpacked), modelIdentifier=identifier)
        self.fmu.instantiate()
        self.references = {variable.name: variable.valueReference for variable in model.modelVariables}
        self.kinds = {variable.name: variable.type for variable in model.modelVariables}
        self.nx, self.nz = model.numberOfContinuousStates, model.numberOfEventIndicators
        self.fmu.setupExperiment(startTime=0.0)
        self.fmu.enterInitializationMode()
        self.fmu.setReal([self.references[name] for name in starts], list(starts.values()))
        self.fmu.exitInitializationMode()
        self.events: list[float] = []
        self._update()

    def _update(self) -> None:
        more = True
        while more:
            more, _, _, _, defined, time = self.fmu.newDiscreteStates()
        self.next_event = time if defined else math.inf
        self.fmu.enterContinuousTimeMode()

    def event(self, t: float) -> None:
        self.fmu.enterEventMode()
        self._update()
        self.events.append(t)

    def _read(self, get, count: int) -> np.ndarray:
        values = (ctypes.c_double * count)()
        get(values, count)
        return np.array(values)

    @property
    def x(self) -> np.ndarray:
        return self._read(self.fmu.getContinuousStates, self.nx)

    @property
    def nominals(self) -> np.ndarray:
        return self._read(self.fmu.getNominalsOfContinuousStates, self.nx)

    def move(self, t: float, x) -> None:
        self.fmu.setTime(t)
        self.fmu.setContinuousStates((ctypes.c_double * self.nx)(*x), self.nx)

    def rates(self, t: float, x) -> np.ndarray:
        self.move(t, x)
        return self._read(self.fmu.getDerivatives, self.nx)

    def indicators(self, t: float, x) -> np.ndarray:
        self.move(t, x)
        return self._read(self.fmu.getEventIndicators, self.nz)

    def read(self, *names: str) -> list[float]:
        get = {"Real": self.fmu.getReal, "Integer": self.fmu.getInteger, "Boolean": self.fmu.getBoolean}
        return [float(get[self.kinds[name]]([self.references[name]])[0]) for name in names]

    def close(self) -> None:
        self.fmu.terminate()
        self.fmu.freeInstance()


def by_cvode(run: Exchanged, stop: float, tolerance: float, interval: float, restarts=()) -> None:
    """As FMPy does it: outputs an interval apart, a restart at order 1 behind each event. restarts: further times of such, without events."""
    fmu = run.fmu
    solver = CVodeSolver(
        run.nx, run.nz, fmu.getContinuousStates, fmu.setContinuousStates, fmu.getDerivatives, fmu.getEventIndicators,
        fmu.getNominalsOfContinuousStates, fmu.setTime, NoInput(), 0.0, maxStep=stop / 50.0, relativeTolerance=tolerance,
    )  # fmt: skip
    t, point = 0.0, 1
    while not math.isclose(t, stop):
        restart = min((time for time in restarts if time > t + RESOLUTION), default=math.inf)
        state_event, _, t = solver.step(t, min(point * interval, run.next_event, restart, stop))
        fmu.setTime(t)
        point += math.isclose(t, point * interval)
        step_event, _ = fmu.completedIntegratorStep()
        if state_event or step_event or math.isclose(t, run.next_event):
            run.event(t)
            solver.reset(t)
        elif math.isclose(t, restart):
            solver.reset(t)


def by_dop853(run: Exchanged, stop: float, tolerance: float, longest: float, points=(), see=None) -> None:
    """Events by the dense output. A step is no longer than `longest` [s]. see(): called at each of the times `points`, before an event at that time."""
    t, x, seen = 0.0, run.x, 0
    while t < stop:
        steps = DOP853(
            run.rates, t, x, min(stop, run.next_event), rtol=tolerance, atol=tolerance * run.nominals, max_step=longest
        )
        before, event = run.indicators(t, x) > 0.0, False
        while steps.status == "running" and not event:
            steps.step()
            t, x = steps.t, steps.y
            changed = np.flatnonzero((run.indicators(t, x) > 0.0) != before)
            if len(changed):
                t, x = _located(run, steps.dense_output(), before, changed)
            while seen < len(points) and points[seen] <= t:
                run.move(points[seen], steps.dense_output()(points[seen]))
                see()
                seen += 1
            run.move(t, x)
            event = run.fmu.completedIntegratorStep()[0] or len(changed) > 0
        assert steps.status != "failed"
        if event or math.isclose(t, run.next_event):
            run.event(t)
            x = run.x


def _located(run: Exchanged, between, before, changed):
    """Right behind the first change of sign in a step."""
    t = min(
        brentq(lambda time, i=i: run.indicators(time, between(time))[i], between.t_old, between.t, xtol=RESOLUTION)
        for i in changed
    )
    late = RESOLUTION
    while ((run.indicators(t, between(t)) > 0.0) == before).all():
        t, late = t + late, 2.0 * late
    return t, between(t)
