"""Starts at change points: the motion goes on as it would have come, on the branch that has its rates; rates of no branch are refused by name."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from fmpy import simulate_fmu

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.solver.loop import Solver, StepFailed
from spacefmu.dynamics.system.evaluate import Refused, start
from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.native.trace.fast import fast
from spacefmu.fmu_src.python.instance import Instance
from tests.constraints.exchange_hosts import Exchanged, by_dop853
from tests.constraints.linkages import NATURAL, UNIFORM, parallelograms, swing, unequal, unequal_angle, vertex
from tests.session import once, session_folder

HUB = """
[bodies.hub]
mass = 5.0
mass_center = [0.4, -0.3, 0.05]
inertia = [0.3, 0.4, 0.5]
initial = { velocity = [0.3, -0.1, 0.2], angular_velocity = [0.2, -0.15, 0.4] }
"""
BAR = 1000.0  # tolerances
PARALLELOGRAM = UNIFORM + parallelograms(1, -2.0, 0.0)


@cache
def system_of(text: str):
    return fast(load_text(f'name = "Linkage"\n{text}'))


def placed(text: str, tolerance: float, **changed: float) -> Solver:
    system = system_of(text)
    x = np.array(system.signals.starts("states"))
    for name, value in changed.items():
        x[system.signals.where("states", name.replace("_", "."))] = value
    solver = Solver(system, 1, tolerance)
    solver.place(0.0, *start(system, x=x))
    return solver


def state(solver: Solver, name: str) -> float:
    return float(solver.x[solver.system.signals.where("states", name)])


@pytest.mark.parametrize(
    "angle, rate, tolerance",
    [
        (0.0, -2.0, 1e-4),
        (0.0, -2.0, 1e-12),
        (np.pi, -6.0, 1e-12),
        (0.0, -0.2, 1e-8),
        *((angle, -2.0, 1e-10) for angle in (1e-3, 1e-5, 1e-7, 1e-9, -1e-9, -1e-7, -1e-5, -1e-3)),
    ],
)
def test_a_parallelogram_goes_on(angle, rate, tolerance):
    """At the change point and beside it. Measured at most 0.3 tolerances; 1e-7 beside it rates were wrong by 1 %."""
    angles = {"pivot0_angle": angle, "pivot1_angle": angle, "knee0_angle": -angle}
    rates = {"pivot0_rate": rate, "pivot1_rate": rate, "knee0_rate": -rate}
    solver = placed(PARALLELOGRAM, tolerance, **angles, **rates)
    solver.advance(0.5)
    assert abs(state(solver, "pivot0.angle") - swing(1, angle, rate, 0.5)[0]) < 10.0 * tolerance


@pytest.mark.parametrize(
    "formulation, count", [("", 2), *(pytest.param(NATURAL, count, marks=pytest.mark.ci) for count in (1, 2))]
)
def test_several_at_once_and_natural_coordinates(formulation, count):
    """Measured at most 0.2 tolerances."""
    solver = placed(formulation + UNIFORM + parallelograms(count, -2.0, 0.0), 1e-12)
    solver.advance(1.0)
    assert abs(state(solver, "pivot0.angle") - swing(count, 0.0, -2.0, 1.0)[0]) < 1e-11


@pytest.mark.parametrize("rate", [5.0, pytest.param(-6.0, marks=pytest.mark.ci)])
def test_unequal_rods(rate):
    """Measured 2.3 tolerances."""
    solver = placed(UNIFORM + unequal(rate, 0.0), 1e-12)
    solver.advance(2.0)
    assert abs(state(solver, "pivot.angle") - unequal_angle(rate, 2.0, 0.0)) < 1e-10


@pytest.mark.parametrize("mode, rate", [(0, -1.5), pytest.param(1, -0.15, marks=pytest.mark.ci)])
def test_two_ways_to_fold_begin_at_the_flat_state(mode, rate):
    """Four panels about a vertex on a free hub: the rates tell which way. Measured 6e-14."""
    ring, folds = (placed(HUB + vertex(0.0, rate, mode, "hub", related), 1e-12) for related in (False, True))
    for solver in (ring, folds):
        solver.advance(1.2)
    for i in range(3):
        assert abs(state(ring, f"crease{i}.angle") - state(folds, f"crease{i}.angle")) < 1e-11


def test_rates_that_are_off_their_branch_by_their_last_digits_are_moved_onto_it():
    solver, exact = (placed(PARALLELOGRAM, 1e-10, knee0_rate=rate) for rate in (2.00001, 2.0))
    for each in (solver, exact):
        each.advance(0.5)
    assert abs(state(solver, "pivot0.angle") - state(exact, "pivot0.angle")) < 1e-5
    assert abs(state(solver, "pivot0.rate") + state(solver, "knee0.rate")) < 1e-12


@pytest.mark.parametrize("rate", [2.01, 4.0, 0.0, -2.0])
def test_rates_of_no_branch_are_refused_by_name(rate):
    with pytest.raises(
        StepFailed, match=r"the linkage of close0 starts at a change point with rates that fit none of its"
    ):
        placed(PARALLELOGRAM, 1e-8, knee0_rate=rate).advance(1.0)


@pytest.mark.parametrize("rate, said", [(-0.01, "is almost at rest at a change point"), (0.0, "is at a change point")])
def test_rest_is_refused_by_name(rate, said):
    with pytest.raises(StepFailed, match=f"the linkage of close0 {said}"):
        placed(PARALLELOGRAM, 1e-8, pivot0_rate=rate, pivot1_rate=rate, knee0_rate=-rate).advance(1.0)


@cache
def fmu() -> Path:
    text = f'name = "AtChangePoint"\n{PARALLELOGRAM}'
    return once(session_folder() / "at_change_point.fmu", lambda path: build_native(load_text(text), path, ["host"]))


@pytest.mark.parametrize("tolerance", [1e-4, 1e-10])
def test_native_fmus_in_both_kinds_of_hosts(tolerance):
    """Measured at most 0.1 tolerances."""
    run = simulate_fmu(
        str(fmu()), stop_time=1.0, step_size=0.1, output_interval=0.1, relative_tolerance=tolerance,
        output=["pivot0.angle", "pivot0.angular_acceleration"],
    )  # fmt: skip
    exact = swing(1, 0.0, -2.0, 1.0)[0]
    assert abs(run["pivot0.angle"][-1] - exact) < 10.0 * tolerance
    assert run["pivot0.angular_acceleration"][0] == pytest.approx(-1.2 * 9.81, rel=1e-9)  # of the branch, at once
    host = Exchanged(fmu(), fmu().with_suffix(""), {})
    assert 0.0 < host.next_event < 0.1  # the gap ends
    by_dop853(host, 1.0, tolerance, 0.1)
    assert abs(host.read("pivot0.angle")[0] - exact) < BAR * tolerance
    host.close()


def test_both_flavours_refuse_alike():
    said: list[str] = []
    with pytest.raises(Exception, match="fmi2ExitInitializationMode"):
        simulate_fmu(
            str(fmu()),
            stop_time=1.0,
            start_values={"knee0.rate": 3.0},
            logger=lambda *words: said.append(str(words[-1])),
        )
    python = Instance(system_of(PARALLELOGRAM), "a")
    python.setup_experiment(0.0, None, 1e-8)
    python.enter_initialization()
    knee = next(v for v in python.variables if v.name == "knee0.rate")
    python.set([knee.reference], [3.0], ("real",))
    sentence = "the linkage of close0 starts at a change point with rates that fit none of its branches"
    with pytest.raises(Refused, match=sentence):
        python.exit_initialization()
    assert any(sentence in line for line in said)
