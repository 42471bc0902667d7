"""The NumPy solver against closed forms; its methods against their orders."""

import numpy as np
import pytest
from scipy.linalg import expm

from spacefmu.dynamics.solver.loop import Solver, StepFailed
from spacefmu.dynamics.solver.methods import METHODS
from spacefmu.dynamics.system.contract import About, Staged, System
from spacefmu.dynamics.system.evaluate import motion, project, residual, start
from spacefmu.dynamics.system.signals import Signal, SignalTable
from spacefmu.fmu_src.interface import variables
from tests.systems_small import BALL, LATCH, OSCILLATOR, PENDULUM, SAMPLER

EXPLICIT, RK4, RODAS5P = 1, 2, 3


def solver_of(system, method=EXPLICIT, tolerance=1e-10, max_step=0.0, x=None, u=None):
    solver = Solver(system, method, tolerance, max_step)
    x, u, k, d = start(system, 0.0, x, u)
    solver.place(0.0, x, u, k, d)
    return solver


def test_methods_are_those_that_the_variables_name():
    assert tuple(method.name for method in METHODS) == variables.METHODS


@pytest.mark.parametrize(("method", "bound"), [(EXPLICIT, 1e-9), (RODAS5P, 1e-10)])
def test_oscillator_follows_its_cosine(method, bound):
    """x'' = −4x from x = 1: cos 2t; the quadrature of power with no force stays zero. Measured 1.9e-10, 8.7e-12."""
    solver = solver_of(OSCILLATOR, method)
    for i in range(1, 11):
        solver.advance(float(i))
        assert solver.x[0] == pytest.approx(np.cos(2.0 * i), abs=bound)
    assert solver.x[2] == 0.0


@pytest.mark.parametrize(
    ("method", "pair", "order", "steps"),
    [
        (RK4, 0, 4, (0.2, 0.1)),
        (EXPLICIT, 0, 8, (1.2, 0.6)),
        (EXPLICIT, 1, 4, (0.4, 0.2)),
        (EXPLICIT, 2, 5, (0.4, 0.2)),
        (EXPLICIT, 3, 4, (0.2, 0.1)),
        (RODAS5P, 0, 5, (0.4, 0.2)),
    ],
)
def test_measured_order_of_fixed_steps(method, pair, order, steps):
    """Error of one step shrinks as h^(order + 1)."""

    def error(h):
        def rates(t, x):
            return np.array([x[1], -np.sin(x[0]) + 0.1 * np.cos(t)])

        x = np.array([1.0, 0.2])
        begun = METHODS[method - 1].pairs[pair].begin(rates, lambda v, n: 0.0, 0.0, x, rates(0.0, x))
        fine = solver_of(PENDULUM_FLAT, tolerance=1e-14)
        fine.advance(h)
        return np.max(np.abs(begun.to(h)[0] - fine.x))

    measured = np.log2(error(steps[0]) / error(steps[1]))
    assert order + 0.8 < measured < order + 1.9  # measured 5.01 (rk4), 9.67 (dop853), 6.07 (rodas5p)


PENDULUM_FLAT = System(
    name="Swing",
    about=About("a driven pendulum"),
    signals=SignalTable(
        states=(
            Signal("angle", "", "rad", 1.0, derivative="rate"),
            Signal("rate", "", "rad/s", 0.2, derivative="der(rate)"),
        )
    ),
    motion=Staged(
        lambda t, x, u, k, d, *_: (np.array([x[1], -np.sin(x[0]) + 0.1 * np.cos(t)]), np.zeros(0), np.zeros(0))
    ),
)


def heavy_ended_chain(count=20, omega=200.0, heavy=10.0):
    """Masses on springs along a line, the ends heavy, all springs stretched alike: ẋ = A x. Motion starts at the ends."""
    stiffness = omega**2 * (np.diag([1.0, *[2.0] * (count - 2), 1.0]) - np.eye(count, k=1) - np.eye(count, k=-1))
    stiffness[[0, -1]] /= heavy
    A = np.block([[np.zeros((count, count)), np.eye(count)], [-stiffness, np.zeros((count, count))]])
    states = tuple(
        Signal(f"{name}{i}", "", start=begin, derivative=f"{rate}{i}")
        for name, rate, begins in (("x", "v", 0.01 * np.arange(count)), ("v", "a", np.zeros(count)))
        for i, begin in enumerate(begins)
    )
    motion = Staged(lambda t, x, u, k, d, *_: (A @ x, np.zeros(0), np.zeros(0)))
    return System(name="Chain", about=About(), signals=SignalTable(states=states), motion=motion), A


@pytest.mark.parametrize("tolerance", 10.0 ** -np.arange(6, 13))
def test_error_follows_tolerance_from_a_motion_that_spreads(tolerance):
    """Against the matrix exponential. With dop853's combined error estimate in the first step the error was 8e-6 at a tolerance of 1e-9."""
    system, A = heavy_ended_chain()
    solver = solver_of(system, tolerance=tolerance)
    exact = expm(0.1 * A) @ solver.x
    solver.advance(0.1)
    assert np.max(np.abs(solver.x - exact)) < 50.0 * tolerance  # measured 7 to 17 times, of velocities up to 0.6 m/s


def test_rk4_takes_the_steps_it_is_told():
    solver = solver_of(OSCILLATOR, RK4, max_step=0.03)
    solver.advance(0.1)
    assert solver.steps == 4  # the least number of equal parts that are no longer than 0.03


def test_ball_bounces_at_its_closed_form():
    """From 1 m with e = 0.8, g = 9.81: hits at √(2/g), then after 2 e √(2/g), 2 e² √(2/g), …"""
    solver, fall = solver_of(BALL), np.sqrt(2.0 / 9.81)
    solver.advance(2.0)
    hits = np.concatenate([[fall], fall + 2.0 * fall * np.cumsum(0.8 ** np.arange(1, 8))])
    assert solver.d[0] == np.sum(hits < 2.0)
    last = hits[hits < 2.0]
    speed = 0.8 ** len(last) * 9.81 * fall
    assert solver.x[1] == pytest.approx(speed - 9.81 * (2.0 - last[-1]), abs=1e-12)  # measured 4e-15


def test_sampler_samples_at_its_own_instants():
    """Input 1 sampled every 0.25 s, from t = 0: by t = 1 four samples are taken, the fifth is due at t = 1 itself."""
    solver = solver_of(SAMPLER, u=np.array([1.0]))
    for i in range(1, 8):
        solver.advance(i / 7.0)
    assert solver.t == 1.0
    assert solver.d[0] == 1.0


def test_pendulum_stays_on_its_rod_and_keeps_its_energy():
    solver = solver_of(PENDULUM)
    before = motion(PENDULUM, 0.0, solver.x, solver.u, solver.k, solver.d)[1][3]
    solver.advance(5.0)
    after = solver.evaluate(solver.t, solver.x)[1][3]
    assert after == pytest.approx(before, rel=1e-9)  # measured 4.9e-11
    for projection in PENDULUM.projections:
        assert residual(projection, solver.t, solver.x, solver.u, solver.k, solver.d) <= projection.tolerance
    assert project(PENDULUM, solver.t, solver.x, solver.u, solver.k, solver.d) is solver.x


def test_latch_locks_and_keeps_momentum():
    """2 m/s over 1 m: they meet at t = 0.5; then 1·2 = (1 + 3) v."""
    solver = solver_of(LATCH)
    solver.advance(1.0)
    assert solver.d[0] == 1.0
    assert solver.x[2:] == pytest.approx([0.5, 0.5], abs=1e-14)  # measured 9e-16
    assert solver.x[0] == pytest.approx(1.25, abs=1e-12)  # measured 4e-16


def test_a_step_that_fails_leaves_the_solver_at_the_last_good_point():
    """ẋ = x² from 1 explodes at t = 1: no step gets there."""
    explosion = System(
        name="Explosion",
        about=About(),
        signals=SignalTable(states=(Signal("x", "", start=1.0, derivative="der(x)"),)),
        motion=Staged(lambda t, x, u, k, d, *_: (x * x, np.zeros(0), np.zeros(0))),
    )
    solver = solver_of(explosion)
    with pytest.raises(StepFailed, match="at time"):
        solver.advance(2.0)
    assert 0.99 < solver.t < 1.0001
    assert np.isfinite(solver.x).all()


def test_what_ended_each_step_is_counted():
    """SAMPLER samples at its own times, BALL bounces; with max_step of a tenth of the run nine steps end by it, or eight if the first ones are shorter."""
    sampled, bouncing = solver_of(SAMPLER), solver_of(BALL)
    limited = solver_of(OSCILLATOR, max_step=0.1, tolerance=1e-3)
    equal = solver_of(OSCILLATOR, RK4, max_step=0.1)
    free = solver_of(OSCILLATOR)
    for solver in (sampled, bouncing, limited, equal, free):
        solver.advance(1.0)
        assert solver.to_points == 1
        assert solver.steps == 1 + solver.to_events + solver.to_limits + solver.by_tolerance
    assert (sampled.to_events, bouncing.to_events) == (3, 1)  # at 0.25, 0.5, 0.75 s; the first bounce, at 0.45 s
    assert (equal.to_limits, free.to_limits) == (9, 0)
    assert limited.to_limits in (8, 9)
    assert (equal.by_tolerance, free.to_events) == (0, 0)
    assert free.by_tolerance > 0
