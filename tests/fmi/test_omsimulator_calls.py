"""Model exchange by the calls of OMSimulator (SystemSC.cpp, ComponentFMUME.cpp of its repository), with the SUNDIALS shipped with FMPy.

Differences from other hosts: states are set before their time; a step is at most the experiment's step size; it ignores the request of a completed step for
event mode, so that it finds events by indicators only; its Euler method tries states at the time of the step's start.
"""

from __future__ import annotations

import ctypes
import math
from types import SimpleNamespace

import numpy as np
import pytest
from fmpy.fmi2 import FMU2Model
from fmpy.sundials import CVodeReInit, CVodeSolver

from spacefmu.dynamics.solver.rows_seen import indicator_count
from tests.catalogue_fmus import close_fmu, open_fmu, system_of

LENGTH = 500.0  # of the tether, which the run let grow to 1600 m


class OMSimulator:
    """One FMU as its only component; `longest` is the longest distance of the tether's ends that it has emitted."""

    def __init__(self, name: str, tolerance: float):
        self.fmu, self.references = open_fmu(name, FMU2Model)
        self.nx, self.ng = system_of(name).nx, indicator_count(system_of(name))
        self.tolerance = tolerance
        self.t, self.events, self.longest = 0.0, 0, 0.0
        self.fmu.setupExperiment(tolerance=tolerance, startTime=0.0, stopTime=None)
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()
        self._iterate()

    def _iterate(self):
        """doEventIteration, then continuous-time mode."""
        needed, ends = True, False
        while needed and not ends:
            needed, ends, _, _, defined, due = self.fmu.newDiscreteStates()
        assert not ends
        self.due = due if defined else math.inf
        self.fmu.enterContinuousTimeMode()

    def get(self, getter, count):
        values = (ctypes.c_double * count)()
        getter(values, count)
        return np.array(values)

    def set_states(self, x):
        self.fmu.setContinuousStates((ctypes.c_double * self.nx)(*x), self.nx)

    def emit(self):
        names = [f"{body}.rim.position[{i}]" for body in ("first", "second") for i in (1, 2, 3)]
        ends = self.fmu.getReal([self.references[name] for name in names])
        self.longest = max(self.longest, math.dist(ends[:3], ends[3:]))

    def event(self):
        """At a time and states that are set: completed step, left limit, event mode, right limit."""
        self.fmu.completedIntegratorStep()
        self.emit()
        self.fmu.enterEventMode()
        self._iterate()
        self.emit()
        self.events += 1

    def finish(self):
        slack = self.fmu.getInteger([self.references["tether.slack_events"]])[0]
        close_fmu(self.fmu)
        return slack

    def cvode(self, stop: float, step: float) -> OMSimulator:
        """stepUntil and doStepCVODE."""
        fmu = self.fmu
        solver = CVodeSolver(
            self.nx, self.ng, fmu.getContinuousStates, fmu.setContinuousStates, fmu.getDerivatives, fmu.getEventIndicators,
            fmu.getNominalsOfContinuousStates, fmu.setTime, SimpleNamespace(apply=lambda t: None), 0.0,
            maxStep=step, relativeTolerance=self.tolerance, maxNumSteps=100_000,
        )  # fmt: skip
        while self.t < stop:
            end = min(self.t + step, stop)
            while self.t < end:
                found, _, self.t = solver.step(self.t, min(self.due, end))  # it sets the states
                fmu.setTime(self.t)
                if found or self.t == self.due:
                    self.event()
                    fmu.getContinuousStates(solver.px, self.nx)
                    CVodeReInit(solver.cvode_mem, self.t, solver.x)
                else:
                    fmu.completedIntegratorStep()  # the result is ignored
                    self.emit()
        return self

    def euler(self, stop: float, step: float) -> OMSimulator:
        """stepUntil and doStepEuler: an event is looked for by ever shorter changes of its time, to 1e-4 s."""
        while self.t < stop:
            self._euler_step(min(self.t + step, stop), step)
        return self

    def _euler_step(self, end: float, step: float) -> None:
        fmu = self.fmu
        x, rates = self.get(fmu.getContinuousStates, self.nx), self.get(fmu.getDerivatives, self.nx)
        before, change, tried = self.get(fmu.getEventIndicators, self.ng), step, end
        while self.t < end:
            tried, change = min(tried, self.due), 0.5 * change
            self.set_states(x + (tried - self.t) * rates)  # the FMU's time is still that of the start
            event = tried == self.due or np.any((self.get(fmu.getEventIndicators, self.ng) > 0.0) != (before > 0.0))
            if not event and tried < end:
                tried += change
            elif not event:
                self.t = end
                fmu.setTime(end)
                fmu.completedIntegratorStep()
                self.emit()
            elif tried != self.due and change >= 1e-4:
                tried -= change
            else:
                self.t, change = tried, step
                fmu.setTime(tried)
                self.event()
                x, rates = self.get(fmu.getContinuousStates, self.nx), self.get(fmu.getDerivatives, self.nx)
                before, tried = self.get(fmu.getEventIndicators, self.ng), end


@pytest.mark.parametrize(("name", "slack"), [("TetheredPairElastic", 4), ("TetheredPair", 2)])
def test_cvode(name, slack):
    """Over the whole experiment: as many slack events as the reference's at 1e-12, and a cable that keeps its length."""
    host = OMSimulator(name, 1e-6).cvode(
        system_of(name).about.experiment["stop"], system_of(name).about.experiment["step"]
    )
    assert host.finish() == slack
    assert host.longest < 1.01 * LENGTH


@pytest.mark.parametrize("name", ["TetheredPairElastic", "TetheredPair"])
def test_euler(name):
    """Up to 500 s: it goes slack once, at about 405 s."""
    host = OMSimulator(name, 1e-6).euler(500.0, 0.05)
    assert host.finish() == 1
    assert host.longest < 1.001 * LENGTH
