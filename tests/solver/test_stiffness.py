"""solver.method = automatic: implicit steps where the model is stiff, the explicit ones bit for bit elsewhere, and the same changes in both flavours."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from spacefmu.dynamics.bounds import GAIN, LONGEST_LOOK, LOOK
from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.solver.loop import Solver
from spacefmu.dynamics.solver.stiffness import Choice, price_of, spectral_radius
from spacefmu.dynamics.system.evaluate import constants, start
from spacefmu.fmu_src import api
from spacefmu.fmu_src.native.trace.fast import fast
from tests.fuzz.models import CHANGING
from tests.native.test_elimination import STIFF
from tests.solver.test_steps import compare
from tests.systems_small import BALL, OSCILLATOR, RELAXATION

EXPLICIT, IMPLICIT, AUTOMATIC = 1, 3, 6


def run(system, method, tolerance, stop, count, p=None, seen=None) -> Solver:
    solver = Solver(system, method, tolerance)
    x, u, k, d = start(system)
    solver.place(0.0, x, u, k if p is None else constants(system, np.array(p)), d)
    for i in range(count):
        solver.advance(stop * (i + 1) / count, stop)
        if seen is not None:
            seen.append(solver.control.choice.implicit)
    return solver


@pytest.mark.parametrize("tolerance", [1e-4, 1e-7, 1e-9])
@pytest.mark.parametrize(("rate", "stop"), [(1e3, 5.0), (1e5, 0.05)])
def test_a_stiff_model_costs_little_more_than_rodas5p(rate, stop, tolerance):
    """The first 25 tries of at most 12 evaluations are explicit, some are repeated: measured at most 345 evaluations more than by rodas5p."""
    work = {method: run(RELAXATION, method, tolerance, stop, 5, [rate]) for method in (EXPLICIT, IMPLICIT, AUTOMATIC)}
    cost = {method: solver.evaluations for method, solver in work.items()}
    assert cost[AUTOMATIC] < cost[IMPLICIT] + 2 * 12 * LOOK
    assert cost[EXPLICIT] > 3 * cost[AUTOMATIC]
    assert work[AUTOMATIC].control.choice.taken > 0
    exact = (rate**2 * np.cos(stop) + rate * np.sin(stop)) / (rate**2 + 1.0)
    assert work[AUTOMATIC].x[0] == pytest.approx(exact, abs=10.0 * tolerance)


@pytest.mark.parametrize(
    ("name", "step", "tolerance"),
    [
        ("FlexibleSatellite", 2.0, 1e-6),
        ("SpaceManipulatorSpatial", 2.0, 1e-4),
        ("FourBar", 1.0, 1e-8),
        ("TetheredPair", 100.0, 1e-6),
    ],
)
def test_other_models_are_bit_for_bit_as_by_explicit_steps(name, step, tolerance):
    """By communication steps so long that an implicit step would fit in."""
    system = fast(api.load(name))
    explicit, automatic = (run(system, method, tolerance, 5 * step, 5) for method in (EXPLICIT, AUTOMATIC))
    np.testing.assert_array_equal(explicit.x, automatic.x)
    assert (explicit.steps, explicit.rejections) == (automatic.steps, automatic.rejections)
    assert automatic.control.choice.taken == 0.0


def test_a_trial_that_does_not_pay_changes_nothing():
    """A vibration whose steps are limited by the tolerance: implicit steps are tried, later and later."""
    explicit, automatic = (run(OSCILLATOR, method, 1e-10, 400.0, 2) for method in (EXPLICIT, AUTOMATIC))
    np.testing.assert_array_equal(explicit.x, automatic.x)
    assert automatic.control.choice.patience == LONGEST_LOOK
    assert automatic.control.choice.taken == 0.0
    assert automatic.evaluations < 1.1 * explicit.evaluations


def test_steps_change_with_the_stiffness_and_not_to_and_fro():
    """Four stiff times in 10 s, one of them at the start: at most one change to implicit steps and one back for each."""
    seen: list[float] = []
    solver = run(CHANGING, AUTOMATIC, 1e-8, 10.0, 200, seen=seen)
    changes = sum(a != b for a, b in pairwise(seen))
    assert 6 <= changes <= 8
    assert solver.x[1] == pytest.approx(np.cos(200.0), abs=1e-6)
    explicit, implicit = (run(CHANGING, method, 1e-8, 10.0, 200).evaluations for method in (EXPLICIT, IMPLICIT))
    assert solver.evaluations < min(explicit, implicit)


@pytest.mark.parametrize(
    ("system", "tolerance"),
    [(RELAXATION, 1e-7), (BALL, 1e-7), (CHANGING, 1e-8), (load_text(STIFF), 1e-7)],
    ids=["relaxation", "events", "changing", "tether"],
)
def test_both_flavours_take_the_same_steps(system, tolerance, tmp_path):
    compare(system, tmp_path, method=AUTOMATIC, tolerance=tolerance)


def test_spectral_radius_of_linear_systems():
    """Of a decay of 1e4 /s beside slow ones, and of a vibration whose states have other units: 50 rad/s."""
    fast_one = np.diag([-1.0, -1e4, -3.0])
    x = np.ones(3)
    assert spectral_radius(lambda x: fast_one @ x, fast_one @ x, x, np.ones(3)) == pytest.approx(1e4, rel=1e-6)
    swing = np.array([[0.0, 1.0], [-2500.0, 0.0]])
    x = np.array([1.0, 0.0])
    assert spectral_radius(lambda x: swing @ x, swing @ x, x, np.ones(2)) == pytest.approx(50.0, rel=1e-6)


def test_the_gain_is_the_hysteresis():
    """Explicit steps of 1 ms of 10 evaluations beside a price of 18: implicit steps are tried at 3.6 ms, and kept down to 1.8 ms."""
    price, choice = price_of(5), Choice()
    assert price == 18.0
    for _ in range(int(LOOK)):
        choice.note_try(10.0)
        choice.note_step(1e-3)
    assert choice.is_due
    assert choice.length_to_try(price, 1.0, 3000.0) == pytest.approx(GAIN * 1.8e-3)
    choice.decide(True)
    for h, ends in ((1.9e-3, False), (1.7e-3, True)):
        for _ in range(int(LOOK)):
            choice.note_try(1.0)
            choice.note_step(h)
        assert choice.returns(price, 3000.0) == ends
    assert choice.patience == 2.0 * LOOK
    assert choice.length == pytest.approx(1e-3)
