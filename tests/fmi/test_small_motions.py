"""A tolerance is relative to what moves: motions far below the nominal values are exact at the tolerance of hosts, 1e-4, too.

By the native solver through FMI, and by the solver on floats, which the Python flavour runs on. Every entry of the catalogue is in docs/small_motions.py.
"""

from __future__ import annotations

import numpy as np
import pytest
from fmpy import simulate_fmu

from docs import small_motions
from spacefmu.dynamics.solver.loop import Solver
from spacefmu.dynamics.system.evaluate import start
from spacefmu.fmu_src import api
from spacefmu.fmu_src.native.trace.fast import fast
from spacefmu.fmu_src.python.instance import Instance
from tests.catalogue_fmus import fmu_file, system_of
from tests.systems_small import OSCILLATOR

HOSTS = 1e-4  # tolerance of OMSimulator and others
GOOD = 0.01  # of a vector's largest magnitude


@pytest.mark.parametrize("name", ["HingedPanel"])
def test_a_small_motion_is_exact_in_the_native_flavour(name):
    """Before: 20 %."""
    ((error, vector),) = small_motions.errors(name, (HOSTS,)).values()
    assert error < GOOD, vector


@pytest.mark.ci
@pytest.mark.parametrize("name", small_motions.entries())
def test_small_motions_of_the_catalogue_are_exact(name):
    """Before: ThermalBoom 110 %, FlexibleSatellite 79 %, SnapSatellite 44 %, DeployableWing 11 %."""
    ((error, vector),) = small_motions.errors(name, (HOSTS,)).values()
    assert error < GOOD, vector


@pytest.mark.parametrize(("name", "good"), [("HingedPanel", 0.1), ("SnapSatellite", 0.01)])
def test_a_small_motion_in_model_exchange(name, good):
    """FMPy's CVode at 1e-4: nominal values are those of what moves. Before: 4000 % and 68 %. What is left of HingedPanel's is the host's relative tolerance."""
    system, file = system_of(name), str(fmu_file(name))
    step, inputs = system.about.experiment["step"], small_motions.small_inputs(system)
    outputs = [state.name for state in system.signals.states if "quaternion" not in state.name]

    def run(kind, tolerance):
        values = inputs | ({"solver.tolerance": tolerance} if kind == "CoSimulation" else {})
        found = simulate_fmu(file, fmi_type=kind, relative_tolerance=tolerance, stop_time=100 * step, output_interval=step,
            start_values=values, output=outputs, record_events=False)  # fmt: skip
        return {output: np.asarray(found[output]) for output in outputs}

    exact, found = run("CoSimulation", 1e-11), run("ModelExchange", HOSTS)
    for vector, its in small_motions.vectors(outputs).items():
        size, error = (
            np.linalg.norm([a[e] for e in its], axis=0).max() for a in (exact, {e: found[e] - exact[e] for e in its})
        )
        assert error < good * size or size < 1e-12, vector


def moved(system, tolerance, size, steps=50) -> np.ndarray:
    """States over a run with small inputs of this size, from where they began, by the solver on floats."""
    solver = Solver(system, tolerance=tolerance)
    x, u, k, d = start(system)
    push = np.array([size if signal.unit in small_motions.SMALL else 0.0 for signal in system.signals.inputs])
    solver.place(0.0, x, u + push, k, d)
    rows, step = [], system.about.experiment["step"]
    for i in range(steps):
        solver.advance((i + 1) * step)
        rows.append(solver.x - x)
    return np.array(rows)


@pytest.mark.parametrize("size", [1.0, 1e-2, 1e-4])
def test_errors_shrink_with_the_motion_on_floats(size):
    """Of each state by itself, over its largest motion; HingedPanel moves by 1 to 1e-8 of its nominal values."""
    system = fast(api.load("HingedPanel"))
    exact, found = moved(system, 1e-11, size), moved(system, HOSTS, size)
    nominal = np.array([state.nominal or 1.0 for state in system.signals.states])
    largest = np.abs(exact).max(axis=0)
    judged = largest > 1e-9 * nominal
    quaternion = np.array(["quaternion" in state.name for state in system.signals.states])
    error = np.abs(found - exact).max(axis=0) / np.maximum(largest, 1e-300)
    assert np.all(error[judged & ~quaternion] < GOOD)


def test_how_far_it_has_moved_is_part_of_the_state():
    """A state that is saved has it, a restored instance goes on as the saved one does, one that is placed anew begins anew."""
    instance = Instance(OSCILLATOR, "test")
    instance.setup_experiment(0.0, None, 1e-6)
    instance.enter_initialization()
    instance.exit_initialization()
    assert not instance.solver.moved.any()
    instance.step(0.0, 0.5)
    moved, saved = instance.solver.moved.copy(), instance.save()
    assert moved.max() > 0.1
    instance.step(0.5, 2.0)
    later = instance.solver.x.copy()
    instance.solver.moved[:] = 1.0
    instance.restore(saved)
    assert np.array_equal(instance.solver.moved, moved)
    instance._make_ready()
    instance.step(0.5, 2.0)
    assert np.array_equal(instance.solver.x, later)
    instance.solver.place(0.0, *start(OSCILLATOR))
    assert not instance.solver.moved.any()
