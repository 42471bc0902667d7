"""Tolerances in natural coordinates: what rows tie to large motions does not drive the step, and small motions stay exact."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.solver.loop import Solver
from spacefmu.dynamics.system.evaluate import start
from spacefmu.fmu_src import api
from spacefmu.fmu_src.native.trace.fast import fast
from tests.constraints.linkages import NATURAL, UNIFORM, hinge, parallelograms, rod, swing

STOP = 0.5
LINKAGE = f'name = "Linkage"\n{NATURAL}{UNIFORM}{parallelograms(1, -2.0)}'
HEAVY = """
name = "Heavy"
formulation = "natural"
[bodies.hub]
mass = 4e4
inertia = [6e3, 6.5e3, 7e3]
"""


def on_floats(system, tolerance):
    """Angle at the end, evaluations."""
    solver = Solver(fast(system), 1, tolerance)
    solver.place(0.0, *start(system))
    for i in range(5):
        solver.advance((i + 1) * STOP / 5)
    return solver.x[system.signals.where("states", "pivot0.angle")], solver.evaluations


def test_a_rod_that_stands_still_does_not_drive_the_step():
    """The top rod of a parallelogram never turns: its vectors move by round-off. Before: 3856 evaluations at 1e-4, 3078 at 1e-12; now 311 and 1697."""
    system, exact = load_text(LINKAGE), swing(1, np.pi / 2.0, -2.0, STOP)[0]
    (loose, few), (tight, many) = (on_floats(system, tolerance) for tolerance in (1e-4, 1e-12))
    assert few < 500
    assert many < 2500
    assert 1e-10 < abs(loose - exact) < 1e-4  # else the next comparison says nothing of steps
    assert abs(tight - exact) < 1e-11
    run = api.simulate(system, stop=STOP, step=STOP / 5, start_values={"solver.tolerance": 1e-4})
    assert run["pivot0.angle"][-1] == pytest.approx(loose, abs=1e-12)


def test_a_small_motion_beside_a_large_one_is_exact():
    """A hub of 40 t under a rod of 1 kg that turns by 10 rad: the hub's error at 1e-4, over its largest motion."""
    system = load_text(HEAVY + rod("arm") + hinge("pin", "hub", "arm", [0.0, 0.5, 0.0], 0.3, 2.0))
    loose, exact = (
        api.simulate(system, stop=5.0, step=0.1, start_values={"solver.tolerance": t}) for t in (1e-4, 1e-12)
    )
    for vector in ("hub.vector1", "hub.vector1_rate"):
        found, wanted = (np.array([run[f"{vector}[{i}]"] for i in (1, 2, 3)]) for run in (loose, exact))
        moved = np.linalg.norm(wanted - wanted[:, :1], axis=0).max()
        assert 1e-7 < moved < 1e-3
        assert np.linalg.norm(found - wanted, axis=0).max() < 0.01 * moved
