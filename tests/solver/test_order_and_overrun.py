"""Work of the explicit solver in short communication steps: its order, and internal steps that pass the communication point.

Both flavours have the same solver: the native one is called through FMI, the Python one directly.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from spacefmu.dynamics.solver.loop import Solver
from spacefmu.dynamics.system.evaluate import start
from spacefmu.fmu_src import cosim
from spacefmu.fmu_src.python.instance import Instance
from tests.catalogue_fmus import fmu_file
from tests.systems_small import BALL, OSCILLATOR

OMEGA, STOP = 2.0, 10.0


class Native:
    """An FMU of the oscillator, step by step."""

    def __init__(self, unit, tolerance):
        self.fmu = unit(OSCILLATOR).initialize(solver__tolerance=tolerance)

    def advance(self, t, step, force):
        if force is not None:
            self.fmu.set({"force": force})
        self.fmu.fmu.doStep(t, step)
        return self.fmu["position"]

    def evaluations(self) -> int:
        self.fmu.fmu.setDebugLogging(True, ["logSolver"])
        self.fmu.fmu.terminate()
        return int(self.fmu.log[-1][2].split(" evaluations=")[1].split()[0])


class Floats:
    """The same on floats."""

    def __init__(self, _, tolerance):
        self.solver = Solver(OSCILLATOR, tolerance=tolerance)
        self.solver.place(0.0, *start(OSCILLATOR))

    def advance(self, t, step, force):
        if force is not None and force != self.solver.u[0]:
            self.solver.u, self.solver.disturbed = np.array([force, 0.0]), True
        self.solver.advance(t + step)
        return self.solver.x[0]

    def evaluations(self) -> int:
        return self.solver.evaluations


def largest_error(flavour, step, force=lambda i: None) -> float:
    """Against the closed form, at every communication point; a held force shifts the oscillator's rest."""
    x, v, worst = 1.0, 0.0, 0.0
    for i in range(round(STOP / step)):
        rest = (force(i) or 0.0) / OMEGA**2
        c, s = np.cos(OMEGA * step), np.sin(OMEGA * step)
        x, v = rest + c * (x - rest) + s * v / OMEGA, -OMEGA * s * (x - rest) + c * v
        worst = max(worst, abs(flavour.advance(i * step, step, force(i)) - x))
    return worst


TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10)
both = pytest.mark.parametrize("flavour", [Native, Floats])


@both
@pytest.mark.parametrize("step", [0.01, 0.1])
def test_undisturbed_the_error_follows_the_tolerance_and_the_work_does(flavour, unit, step):
    """The solver takes its own steps and the communication points are between them."""
    runs = [flavour(unit, tolerance) for tolerance in TOLERANCES]
    errors = [largest_error(run, step) for run in runs]
    work = [run.evaluations() for run in runs]
    for tolerance, error in zip(TOLERANCES, errors, strict=True):
        assert error < 50.0 * tolerance, (errors, work)
    assert all(tighter < 1.2 * looser for looser, tighter in itertools.pairwise(errors))
    assert all(tighter >= 0.99 * looser for looser, tighter in itertools.pairwise(work))
    assert work[0] < 0.6 * work[-1]


@both
@pytest.mark.parametrize("step", [0.01, 0.1])
def test_driven_the_error_follows_the_tolerance(flavour, unit, step):
    """A force that the master changes at every communication point: nothing can be computed ahead."""
    for tolerance in TOLERANCES:
        run = flavour(unit, tolerance)
        error = largest_error(run, step, lambda i: np.sin(0.3 * i * step))
        assert error < 50.0 * tolerance, (tolerance, error, run.evaluations())


@both
def test_a_short_step_takes_a_low_order(flavour, unit):
    """Driven at 100 Hz, a tolerance of 1e-4 takes the four stages of the classical method, or hardly more."""
    run = flavour(unit, 1e-4)
    largest_error(run, 0.01, lambda i: np.sin(0.003 * i))
    assert run.evaluations() < 4.5 * STOP / 0.01


def test_both_flavours_take_the_same_steps(unit):
    native, floats = Native(unit, 1e-6), Floats(unit, 1e-6)
    for i in range(200):
        force = None if i % 20 else 0.01 * i
        assert native.advance(0.1 * i, 0.1, force) == pytest.approx(floats.advance(0.1 * i, 0.1, force), abs=1e-12)


def test_a_value_set_again_to_the_same_bits_changes_nothing(unit):
    """Setting another value and then the old one is harmless: the step ahead is discarded, and the motion continues from the current point."""
    plain, again, other = (unit(OSCILLATOR).initialize(solver__tolerance=1e-6) for _ in range(3))
    for i in range(100):
        again.set({"force": 0.0, "locked": False})
        other.set({"force": 1.0})
        other.set({"force": 0.0})
        for fmu in (plain, again, other):
            fmu.fmu.doStep(0.1 * i, 0.1)
        assert again["position"] == plain["position"]
    assert other["position"] != plain["position"]
    assert other["position"] == pytest.approx(plain["position"], abs=1e-4)


def test_a_parameter_that_is_tuned_is_felt_at_once(unit):
    """Half way through a step ahead: cos(2t) up to that time, another frequency after it."""
    fmu = unit(OSCILLATOR).initialize(solver__tolerance=1e-9)
    fmu.run(5.0, 0.1)
    fmu.set({"frequency": 1.0})
    fmu.run(6.0, 0.1, start=5.0)
    expected = np.cos(10.0) * np.cos(1.0) - 2.0 * np.sin(10.0) * np.sin(1.0)
    assert fmu["position"] == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("times", [3, 17, 40])
def test_a_saved_state_has_the_step_ahead(unit, times):
    """Restored in a second instance with a different history: the same bit for bit, in both flavours."""
    fmu, second = (unit(BALL).initialize(solver__tolerance=1e-7) for _ in range(2))
    fmu.run(0.01 * times, 0.01)
    second.run(0.5, 0.1)
    saved = fmu.fmu.getFMUstate()
    second.fmu.setFMUstate(second.fmu.deSerializeFMUstate(fmu.fmu.serializeFMUstate(saved)))
    for i in range(times, times + 100):
        for one in (fmu, second):
            one.fmu.doStep(0.01 * i, 0.01)
        assert one.everything() == fmu.everything()
    fmu.fmu.freeFMUstate(saved)


def test_a_saved_state_has_the_step_ahead_in_python():
    def run(instance, first, last):
        for i in range(first, last):
            instance.step(0.05 * i, 0.05)
        return instance.solver.x.tobytes()

    instances = [Instance(OSCILLATOR, "x") for _ in range(2)]
    for instance in instances:
        instance.setup_experiment(0.0, None, 1e-6)
        instance.enter_initialization()
        instance.exit_initialization()
    run(instances[0], 0, 7)
    assert instances[0].solver.ahead.ends > 0.35
    run(instances[1], 0, 30)
    instances[1].restore(instances[0].save())
    assert run(instances[0], 7, 60) == run(instances[1], 7, 60)


def test_no_step_goes_beyond_the_stop_time():
    """The equations may not hold after the stop time."""
    solver = Solver(OSCILLATOR, tolerance=1e-4)
    solver.place(0.0, *start(OSCILLATOR))
    for i in range(9):
        solver.advance(0.1 * (i + 1), 1.0)
        assert solver.ahead.ends <= 1.0


def test_a_motion_that_has_died_out_stays_so_within_a_step():
    """A wing at rest, its stiffest shape half critically damped: long steps are accurate at their ends, and lose accuracy inside unless this is checked."""
    mode = "wing.mode[4].amplitude"
    for tolerance in (1e-3, 1e-4, 1e-6):
        run = cosim.simulate(fmu_file("SnapSatellite"), 10.0, 0.5, {"solver.tolerance": tolerance}, record=[mode])
        assert np.abs(run[mode]).max() < 10.0 * tolerance
