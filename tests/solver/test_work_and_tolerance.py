"""Evaluations by tolerance: a tighter tolerance does not cost less, and no single pair takes fewer evaluations than all pairs together.

By the solver on floats; the native one takes the same steps (tests/python_fmu/test_flavours.py).
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from bench import models
from spacefmu.dynamics.solver.loop import Solver
from spacefmu.dynamics.solver.methods import METHODS, Method
from spacefmu.dynamics.system.evaluate import start
from spacefmu.fmu_src import api
from spacefmu.fmu_src.native.trace.fast import fast

TOLERANCES = [10.0**-digits for digits in range(4, 12)]


@cache
def system_of(name: str, folder):
    if name != "panels":
        return fast(api.load(name))
    (path := folder / "panels.toml").write_text(models.panels(4), "utf-8")
    return fast(api.load(path))


@pytest.fixture(scope="module")
def systems(tmp_path_factory):
    folder = tmp_path_factory.mktemp("systems")
    return lambda name: system_of(name, folder)


def run(system, tolerance, step, count, driven=False, method=None) -> Solver:
    """The solver after a number of communication steps. Driven: as if the host changed an input before each, so that no step is computed ahead."""
    solver = Solver(system, tolerance=tolerance)
    solver.control.asked = method or solver.control.asked
    solver.place(0.0, *start(system))
    for i in range(count):
        solver.t, solver.disturbed = i * step, solver.disturbed or driven
        solver.advance(i * step + step, count * step)
    return solver


@pytest.mark.parametrize("driven", [False, True])
@pytest.mark.parametrize(
    ("name", "step", "count"),
    [
        ("panels", 0.01, 100),
        ("panels", 0.1, 100),
        ("FlexibleSatellite", 0.1, 60),
        ("SpaceManipulatorSpatial", 0.1, 100),
    ],
)
def test_a_tighter_tolerance_costs_no_less(systems, name, step, count, driven):
    """Approximately, within a step of 16 evaluations; rejected steps are included. Four panels at 10 Hz once cost 30 % less at 1e-9 than at 1e-8."""
    work = np.array([run(systems(name), tolerance, step, count, driven).evaluations for tolerance in TOLERANCES])
    assert np.all(work[1:] + 16 >= 0.93 * np.maximum.accumulate(work)[:-1]), work


@pytest.mark.parametrize("step", [0.01, 0.1])
@pytest.mark.parametrize("tolerance", [1e-4, 1e-6, 1e-8])
def test_the_pairs_together_cost_no_more_than_the_best_alone(systems, tolerance, step):
    """Approximately, as above."""
    alone = [
        run(systems("panels"), tolerance, step, 100, method=Method("explicit", (pair,))).evaluations
        for pair in METHODS[0].pairs[:3]
    ]
    assert run(systems("panels"), tolerance, step, 100).evaluations <= 1.2 * min(alone), alone


def test_communication_points_on_the_way_cost_no_accuracy(systems):
    """Read from dense outputs at 100 Hz, states are accurate to ten times the tolerance."""
    system, stop = systems("panels"), 2.0
    nominal = np.array([state.nominal or 1.0 for state in system.signals.states])
    exact = run(system, 1e-13, stop, 1).x
    for tolerance in TOLERANCES[::2]:
        error = np.abs(run(system, tolerance, 0.01, 200).x - exact) / (nominal + np.abs(exact))
        assert error.max() < 10.0 * tolerance
