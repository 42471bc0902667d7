"""Basilisk with the best of its integrators: RKF78, whose steps follow its tolerance within tasks of 0.1 s."""

from __future__ import annotations

import math
from collections.abc import Iterator

from Basilisk.simulation import svIntegrators
from Basilisk.utilities import SimulationBaseClass, macros

from ..timing import timed
from .basilisk_peer import VERSION, _energy, craft_with_panels

__all__ = ["SETTING", "VERSION", "work_precision"]
SETTING = "tolerance {:g}"
TASK = 0.1  # [s]


def work_precision(count: int, stop: float, until: float, most: float = 60.0) -> Iterator[tuple[float, float, float]]:
    """(tolerance, seconds of CPU, |ΔE/E|) with tolerances a hundredth each, until the error is at most `until` or a run takes `most` seconds."""
    tolerance, error, taken = 1e-6, math.inf, 0.0
    while error > until and taken < most / 2 and tolerance > 1e-15:
        sim = SimulationBaseClass.SimBaseClass()
        sim.CreateNewProcess("process").addTask(sim.CreateNewTask("task", macros.sec2nano(TASK)))
        craft, kept = craft_with_panels(count)
        integrator = svIntegrators.svIntegratorRKF78(craft)
        integrator.relTol = integrator.absTol = tolerance
        craft.setIntegrator(integrator)
        for model in (craft, *kept):
            sim.AddModelToTask("task", model)
        sim.InitializeSimulation()
        sim.ConfigureStopTime(macros.sec2nano(TASK))
        sim.ExecuteSimulation()
        before = _energy(craft)
        sim.ConfigureStopTime(macros.sec2nano(stop))
        taken, _ = timed(sim.ExecuteSimulation)
        error = abs(_energy(craft) / before - 1.0)
        yield tolerance, taken, error
        tolerance /= 100.0
