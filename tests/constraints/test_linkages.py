"""Change points of linkages of many kinds: unequal, spatial, in free flight, several at once, in fused Systems; each against a second way to its motion."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest
from fmpy import simulate_fmu

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.fuse import Fused, Part, fuse
from spacefmu.dynamics.solver.loop import Solver, StepFailed
from spacefmu.dynamics.solver.rows_seen import RANK
from spacefmu.dynamics.system.evaluate import start
from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.native.trace.fast import fast
from spacefmu.fmu_src.python.instance import Instance
from tests.constraints.linkages import GRAVITY, NATURAL, UNIFORM, parallelograms, swing, unequal, unequal_angle, vertex

HUB = """
[bodies.hub]
mass = 5.0
mass_center = [0.4, -0.3, 0.05]
inertia = [0.3, 0.4, 0.5]
initial = { velocity = [0.3, -0.1, 0.2], angular_velocity = [0.2, -0.15, 0.4] }
"""


def solver_of(system, tolerance: float, x=None) -> Solver:
    solver = Solver(system, 1, tolerance)
    solver.place(0.0, *start(system, x=x))
    return solver


def run(text: str, tolerance: float, stop: float, steps: int) -> Solver:
    solver = solver_of(fast(load_text(f'name = "Linkage"\n{text}')), tolerance)
    for i in range(steps):
        solver.advance(stop * (i + 1) / steps)
    return solver


def states(solver: Solver, *names: str):
    return np.array([solver.x[solver.system.signals.where("states", name)] for name in names])


def outputs(solver: Solver, *names: str):
    y = solver.evaluate(solver.t, solver.x)[1]
    return np.array([y[solver.system.signals.where("outputs", name)] for name in names])


@pytest.mark.parametrize("rate, tolerance", [(-6.0, 1e-4), (7.0, 1e-8), (-6.0, 1e-12)])
def test_unequal_rods(rate, tolerance):
    """1 m, 2 m, 1.5 m, 1.5 m. Measured at most 60 tolerances over 10 s."""
    solver = run(UNIFORM + unequal(rate), tolerance, 4.0, 8)
    assert solver.changes.gap[RANK] > 0
    assert abs(states(solver, "pivot.angle")[0] - unequal_angle(rate, 4.0)) < 1000.0 * tolerance


@pytest.mark.parametrize("mode, angle, rate", [(0, 0.6, -1.5), (1, 0.06, -0.15)])
@pytest.mark.parametrize("formulation", ["", pytest.param(NATURAL, marks=pytest.mark.ci)])
def test_four_panels_about_a_vertex_fold_on_through_the_flat_state(mode, angle, rate, formulation):
    """A spatial linkage on a free hub, against conditions between the fold angles. Measured 1e-13."""
    creases = [f"crease{i}.angle" for i in range(3)]
    ring = run(formulation + HUB + vertex(angle, rate, mode, "hub"), 1e-12, 1.2, 6)
    folds = run(HUB + vertex(angle, rate, mode, "hub", related=True), 1e-12, 1.2, 6)
    assert ring.changes.gap[RANK] > 0
    assert folds.changes.gap[RANK] == 0
    assert states(ring, "crease1.angle")[0] < 0.0
    np.testing.assert_allclose(states(ring, *creases), states(folds, *creases), atol=1e-11)


@pytest.mark.parametrize("formulation", ["", NATURAL])
def test_momentum_and_energy_stay_through_gaps_in_free_flight(formulation):
    """A parallelogram on a spinning hub turns over, against relations between its angles. Measured 1e-12; 3e-12 rad from the relations."""
    names = [f"system.{name}[{i}]" for name in ("momentum", "angular_momentum") for i in (1, 2, 3)] + [
        "system.kinetic_energy"
    ]
    solver = run(formulation + HUB + parallelograms(1, -3.0, parent="hub"), 1e-12, 2.0, 4)
    twin = run(HUB + parallelograms(1, -3.0, parent="hub", related=True), 1e-12, 2.0, 4)
    began = solver_of(solver.system, 1e-12)
    assert solver.changes.gap[RANK] > 0
    assert twin.changes.gap[RANK] == 0
    kept, wanted = outputs(solver, *names), outputs(began, *names)
    for part in (slice(0, 3), slice(3, 6), slice(6, 7)):
        assert np.linalg.norm(kept[part] - wanted[part]) < 1e-11 * np.linalg.norm(wanted[part])
    np.testing.assert_allclose(states(solver, "pivot0.angle"), states(twin, "pivot0.angle"), atol=1e-10)


@cache
def pair():
    return fast(
        load_text(
            'name = "Pair"\n'
            + UNIFORM
            + parallelograms(1, -25.0, name="a")
            + parallelograms(1, -1.0, name="b", at=(0.0, 0.0, 1.0))
        )
    )


@pytest.mark.parametrize("later", [0.0, -1e-3, 5e-4, 4e-3])
def test_two_linkages_pass_change_points_at_almost_the_same_time(later):
    """One turns eight times as fast as the other there. Measured at most 500 tolerances; without care for the second one it left its branch (75 rad)."""
    system, tolerance, stop = pair(), 1e-12, 0.5
    fast_one, turns = (np.pi / 2, -25.0), 0.0624  # s to its change point
    slow_one = tuple(swing(1, np.pi / 2, -1.0, 0.7085 - turns - later))
    x, where = np.array(system.signals.starts("states")), system.signals.where
    for name, found in (("a", fast_one), ("b", slow_one)):
        for joint, sign in (("pivot0", 1.0), ("pivot1", 1.0), ("knee0", -1.0)):
            for quantity, value in zip(("angle", "rate"), found, strict=True):
                x[where("states", f"{name}{joint}.{quantity}")] = sign * value
    solver = solver_of(system, tolerance, x)
    solver.advance(stop)
    for name, found in (("a", fast_one), ("b", slow_one)):
        assert abs(states(solver, f"{name}pivot0.angle")[0] - swing(1, *found, stop)[0]) < 1000.0 * tolerance


def parallelogram_at(angle: float, rate: float) -> Solver:
    return solver_of(fast(load_text('name = "Bars"\n' + UNIFORM + parallelograms(1, rate, angle))), 1e-8)


@pytest.mark.parametrize("surplus", [0.0, 1e-4, 1e-2])
def test_a_linkage_that_comes_to_rest_at_a_change_point_is_refused_by_name(surplus):
    """It swings up until its rods lie in one line; surplus: of its rate² there."""
    rate = np.sqrt(surplus - 2.0 * 1.2 * GRAVITY * np.sin(-0.5))
    with pytest.raises(StepFailed, match=r"the linkage of close0 comes to rest at a change point"):
        parallelogram_at(-0.5, rate).advance(1.0)


def test_an_event_in_a_gap_is_refused_by_name():
    """A joint locks there."""
    text = UNIFORM + parallelograms(1, -2.0).replace('child = "crank0"', 'child = "crank0"\nlock = true', 1)
    solver, t = solver_of(fast(load_text(f'name = "Bars"\n{text}')), 1e-10), 0.505
    solver.advance(t)
    while not solver.changes.in_gap:
        t += 1e-4
        solver.advance(t)
    solver.u = np.ones_like(solver.u)
    solver.disturbed = True
    with pytest.raises(StepFailed, match=r"an event falls on a change point of the linkage of close0"):
        solver.advance(t + 1e-3)


def test_linkages_in_fused_systems():
    """Two of them and a rod. Measured 5 tolerances."""
    text = 'name = "FourBar"\n' + UNIFORM
    units = {"one": load_text(text + parallelograms(1, -2.0)), "two": load_text(text + parallelograms(1, -3.0))}
    whole = fuse(
        Fused("Whole", tuple(Part(name, None) for name in units), (), {"stop": 1.0, "step": 0.1, "tolerance": 1e-8}),
        units,
    )
    solver = solver_of(fast(whole), 1e-8)
    solver.advance(1.0)
    for name, rate in (("one", -2.0), ("two", -3.0)):
        assert abs(states(solver, f"{name}.pivot0.angle")[0] - swing(1, np.pi / 2, rate, 1.0)[0]) < 1e-6


def test_both_flavours_take_the_same_steps_through_gaps(tmp_path):
    """On a free hub; five change points."""
    system = load_text('name = "Linkage"\n' + HUB + parallelograms(1, -3.0, parent="hub"))
    path, said = build_native(system, tmp_path / "linkage.fmu", ["host"]), []
    found = simulate_fmu(
        str(path), stop_time=3.0, step_size=0.5, output_interval=0.5, relative_tolerance=1e-8, output=["pivot0.angle"],
        debug_logging=True, logger=lambda *message: said.append(str(message[-1])),
    )  # fmt: skip
    python = Instance(fast(system), "a")
    python.setup_experiment(0.0, None, 1e-8)
    python.enter_initialization()
    python.exit_initialization()
    for i in range(6):
        python.step(0.5 * i, 0.5)
    steps = [int(number) for line in said for number in re.findall(r"steps=(\d+)", line)]
    assert steps[-1] == python.solver.steps
    assert abs(found["pivot0.angle"][-1] - states(python.solver, "pivot0.angle")[0]) < 1e-9
