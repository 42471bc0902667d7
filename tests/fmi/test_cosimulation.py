"""Co-simulation against closed forms and the reference integration; steps, events, inputs between steps."""

from __future__ import annotations

import math

import numpy as np
import pytest

from spacefmu.dynamics.bounds import LOOK
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.interface.variables import METHODS, Group
from tests.fmi.units import DISCARD, ERROR, status_of
from tests.systems_small import ALL, BALL, LATCH, OSCILLATOR, PENDULUM, RELAXATION, RESTLESS, SAMPLER, STUCK

METHOD = {name: number for number, name in enumerate(METHODS, 1)}
ADAPTIVE = ("explicit", "rodas5p", "automatic")
FIXED = ("rk4", "real_time", "real_time_stiff")


@pytest.mark.parametrize("method", ADAPTIVE)
def test_oscillator_follows_its_closed_form(unit, method):
    """x'' = a − w²x from (1, 0): x = a/w² + (1 − a/w²) cos wt; the work of a constant force is force times way."""
    w, a, t = 2.0, 0.3, 10.0
    osc = unit(OSCILLATOR).initialize(tolerance=1e-11, solver__method=METHOD[method], force=a).run(t, 0.5)
    expected = a / w**2 + (1 - a / w**2) * math.cos(w * t)
    assert osc["position"] == pytest.approx(expected, abs=1e-10)  # measured: explicit 1.8e-11, rodas5p 6e-13
    assert osc["work"] == pytest.approx(a * (expected - 1.0), abs=1e-9)
    assert osc["acceleration"] == pytest.approx(a - w**2 * expected, abs=1e-9)
    assert osc["sum"] == osc["position"] + a + t


@pytest.mark.parametrize("system", ALL, ids=lambda s: s.name)
def test_agrees_with_the_reference_integration(unit, system):
    """FMU = SciPy with its own event location, 1e-9, inputs held at a value that is not zero."""
    times = np.linspace(0.0, 2.0, 21)
    u = np.full(system.nu, 0.7)
    u[[i for i, s in enumerate(system.signals.inputs) if s.kind == "boolean"]] = 1.0
    fmu = unit(system)
    fmu.set({s.name: value for s, value in zip(system.signals.inputs, u, strict=True)})
    fmu.initialize(tolerance=1e-12)
    reference = integrate(system, times, u, rtol=1e-13, atol=1e-13)
    for i, t in enumerate(times):
        assert np.allclose(fmu.array(Group.STATE), reference.x[i], rtol=0, atol=1e-9)
        assert np.allclose(fmu.array(Group.OUTPUT), reference.y[i], rtol=1e-9, atol=1e-9)
        assert np.allclose(fmu.array(Group.DISCRETE), reference.d[i], rtol=0, atol=1e-9)
        if t < times[-1]:
            fmu.fmu.doStep(t, times[i + 1] - t)


def bounce_times(count: int) -> list[float]:
    """Instants of a ball's bounces: first sqrt(2h/g), then flights of 2 e^n v/g."""
    g, e, h = 9.81, 0.8, 1.0
    v, times = math.sqrt(2 * g * h), [math.sqrt(2 * h / g)]
    for n in range(1, count):
        times.append(times[-1] + 2 * e**n * v / g)
    return times


@pytest.mark.parametrize("method", [*ADAPTIVE, "rk4"])
def test_bounces_are_located_to_round_off(unit, method):
    """The ball's parabola is exact in every method, so only the location of events errs (measured: 1.4e-13)."""
    ball = unit(BALL).initialize(solver__method=METHOD[method])
    t3, t4 = bounce_times(4)[2:]
    end = (t4 + t3) / 2
    ball.fmu.doStep(0.0, end)
    v3 = 0.8**3 * math.sqrt(2 * 9.81)
    assert ball["bounces"] == 3
    assert ball["height"] == pytest.approx(v3 * (end - t3) - 0.5 * 9.81 * (end - t3) ** 2, abs=1e-12)
    assert ball["speed"] == pytest.approx(v3 - 9.81 * (end - t3), abs=1e-12)


def test_an_excursion_within_one_step_is_seen(unit):
    """The ball's height is positive at both ends of this step, and step control would take it in one step."""
    ball = unit(BALL).initialize(height=0.01, speed=-1.0, tolerance=1e-4)
    ball.fmu.doStep(0.0, 0.19)
    assert ball["bounces"] >= 1


def test_latch_keeps_momentum(unit):
    """1 kg at 2 m/s meets 3 kg at rest after 0.5 s: together 0.5 m/s."""
    latch = unit(LATCH).initialize().run(2.0, 0.4)
    assert latch["locked"] is True or latch["locked"] == 1
    assert latch["va"] == pytest.approx(0.5, abs=1e-15)
    assert latch["a"] == pytest.approx(1.0 + 1.5 * 0.5, abs=1e-12)
    assert latch["momentum"] == pytest.approx(2.0, abs=1e-14)


def test_sampler_samples_what_the_master_has_set_at_that_instant(unit):
    """A sample at a communication point belongs to the step that begins there, with the inputs set for it."""
    sampler = unit(SAMPLER).initialize(input=1.0)  # first sample at 0, in initialization
    assert sampler["total"] == 0.25
    for i, value in enumerate((2.0, 3.0, 4.0)):
        sampler.set({"input": value})
        sampler.fmu.doStep(i * 0.25, 0.25)
    # steps [0, 0.25), [0.25, 0.5), [0.5, 0.75): samples at 0.25 and 0.5 saw 3 and 4
    assert sampler["total"] == pytest.approx(0.25 * (1.0 + 3.0 + 4.0))


@pytest.mark.parametrize("step", [0.1, 0.3, 1.0, 1.0 / 3.0])
def test_sampler_misses_no_sample_whatever_the_step(unit, step):
    """Samples at 0, 0.25, .. strictly before the end: none missed, none twice, for steps that are not a divisor of the sample time."""
    sampler = unit(SAMPLER).initialize(input=1.0)
    count = round(6.0 / step)
    sampler.run(count * step, step)
    assert sampler["total"] == pytest.approx(0.25 * math.ceil(count * step / 0.25 - 1e-6))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("system", [BALL, PENDULUM, OSCILLATOR], ids=lambda s: s.name)
def test_one_long_step_equals_ten_short_ones(unit, system, method):
    settings = {
        "solver__method": METHOD[method],
        "solver__tolerance": 1e-10,
        "solver__max_step": 0.01 if method in FIXED else 0.0,
    }
    long = unit(system).initialize(**settings).run(1.0, 1.0)
    short = unit(system).initialize(**settings).run(1.0, 0.1)
    # measured: at most 3e-11; 4e-15 of fixed steps, which are the same ones, but for events that bounded work locates less exactly
    tolerance = 1e-13 if method == "rk4" or (method in FIXED and system is not BALL) else 1e-9
    assert np.allclose(long.array(Group.STATE), short.array(Group.STATE), rtol=0, atol=tolerance)


def test_rk4_is_of_order_four(unit):
    errors = []
    for step in (0.1, 0.05):
        osc = unit(OSCILLATOR).initialize(solver__method=METHOD["rk4"]).run(5.0, step)
        errors.append(abs(osc["position"] - math.cos(10.0)))
    assert math.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.3)


@pytest.mark.parametrize("method", ADAPTIVE)
def test_error_follows_the_tolerance(unit, method):
    errors = []
    for tolerance in (1e-5, 1e-7, 1e-9):
        osc = unit(OSCILLATOR).initialize(solver__method=METHOD[method], solver__tolerance=tolerance).run(10.0, 10.0)
        errors.append(abs(osc["position"] - math.cos(20.0)))
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 1e-7


def solver_steps(instance) -> int:
    """Accepted steps, from the statistics that fmi2Terminate logs."""
    instance.fmu.setDebugLogging(True, ["logSolver"])
    instance.fmu.terminate()
    return int(instance.log[-1][2].split()[0].removeprefix("steps="))


def test_stiff_relaxation_wants_the_implicit_method(unit):
    """Rate 1e5/s over 5 s: explicit steps are bounded by stability, implicit ones by the cosine alone."""
    rate, t = 1e5, 5.0
    steps = {}
    for method in ADAPTIVE:
        stiff = (
            unit(RELAXATION).initialize(solver__method=METHOD[method], solver__tolerance=1e-7, rate=rate).run(t, 1.0)
        )
        assert stiff["value"] == pytest.approx((rate**2 * math.cos(t) + rate * math.sin(t)) / (rate**2 + 1), abs=1e-6)
        steps[method] = solver_steps(stiff)
    assert steps["rodas5p"] < 500 < 20000 < steps["explicit"]  # measured: 15 and 41 213
    assert steps["automatic"] < steps["rodas5p"] + LOOK


def test_the_implicit_method_knows_the_slope_of_inputs(unit):
    """x' = -r(x - cos t - ramp): the ramp enters the time derivative of the linearization."""
    rate, t = 1e3, 1.0
    stiff = unit(RELAXATION).initialize(solver__method=METHOD["rodas5p"], solver__tolerance=1e-9, rate=rate)
    stiff.fmu.setRealInputDerivatives(stiff.references("offset"), [1], [0.5])
    stiff.fmu.doStep(0.0, t)
    follows_cosine = (rate**2 * math.cos(t) + rate * math.sin(t)) / (rate**2 + 1)
    assert stiff["value"] == pytest.approx(follows_cosine + 0.5 * (t - 1.0 / rate), abs=1e-8)


def test_pendulum_stays_on_its_circle(unit):
    pendulum = unit(PENDULUM).initialize(solver__tolerance=1e-8).run(100.0, 1.0)
    assert math.hypot(pendulum["x"], pendulum["y"]) == pytest.approx(1.0, abs=1e-13)
    assert pendulum["x"] * pendulum["vx"] + pendulum["y"] * pendulum["vy"] == pytest.approx(0.0, abs=1e-12)
    assert pendulum["energy"] == pytest.approx(-0.8 * 2.0 * 9.81, rel=1e-6)


def test_redundant_multipliers_are_those_of_least_norm(unit):
    """Row 2 is twice row 1 and row 3 is inactive: (λ, 2λ, 0) is the minimum-norm solution."""
    pendulum = unit(PENDULUM).initialize()
    first, second, third = (pendulum[f"tension[{i}]"] for i in (1, 2, 3))
    load = -2.0 * 9.81 * 0.8  # at rest the rod carries m g cos: m a = f + (x, y)(λ1 + 2 λ2)
    assert first + 2.0 * second == pytest.approx(load, rel=1e-12)
    assert second == pytest.approx(2.0 * first, rel=1e-12)
    assert third == 0.0


def test_start_is_assembled_with_the_parameters_of_the_user(unit):
    pendulum = unit(PENDULUM).initialize(length=2.0)
    assert math.hypot(pendulum["x"], pendulum["y"]) == pytest.approx(2.0, abs=1e-13)


def sine_error(unit, derivatives) -> float:
    """Largest error of the oscillator driven by sin(3t), 20 communication steps per period.

    derivatives(t, h): those of the input that the master gives with its value at t.
    """
    osc = unit(OSCILLATOR).initialize(solver__tolerance=1e-11)
    (force,) = osc.references("force")
    step, errors = 2 * math.pi / 3 / 20, []

    def drive(t):
        exact = math.cos(2 * t) + (math.sin(3 * t) - 1.5 * math.sin(2 * t)) / (4.0 - 9.0)
        errors.append(abs(osc["position"] - exact))
        osc.set({"force": math.sin(3 * t)})
        if values := derivatives(t, step):
            osc.fmu.setRealInputDerivatives([force] * len(values), list(range(1, len(values) + 1)), values)

    osc.run(60 * step, step, before=drive)
    return max(errors)


def test_input_derivatives_beat_a_held_input(unit):
    held = sine_error(unit, lambda t, h: [])
    interpolated = sine_error(unit, lambda t, h: [(math.sin(3 * (t + h)) - math.sin(3 * t)) / h])
    taylor = sine_error(unit, lambda t, h: [3**n * math.sin(3 * t + n * math.pi / 2) for n in range(1, 6)])
    assert interpolated < held / 10  # measured: 6.2e-2 held, 3.9e-3 interpolated
    assert taylor < interpolated / 100  # measured: 9e-8


def test_input_derivatives_serve_one_step(unit):
    """A ramp of slope 1 for one step; then the input holds the value it has reached."""
    osc = unit(OSCILLATOR).initialize()
    osc.fmu.setRealInputDerivatives(osc.references("force"), [1], [1.0])
    osc.fmu.doStep(0.0, 0.5)
    assert osc["force"] == 0.5
    osc.fmu.doStep(0.5, 0.5)
    assert osc["force"] == 0.5


def test_output_derivatives_are_those_in_time(unit):
    """d/dt of energy = m v a_force, of feedthrough + time = v + 1 + slope, of a state its rate."""
    osc = unit(OSCILLATOR).initialize(force=0.4)
    osc.fmu.setRealInputDerivatives(osc.references("force"), [1], [0.25])
    osc.fmu.doStep(0.0, 0.3)
    values = osc.fmu.getRealOutputDerivatives(osc.references("energy", "sum", "position"), [1, 1, 1])
    v = osc["velocity"]
    assert values == pytest.approx([3.0 * v * osc["force"], v + 0.25 + 1.0, v], rel=1e-13)


def test_an_output_derivative_that_overflows_is_refused_by_name(unit):
    """v + 1 + slope of the force, of which the two are finite and their sum is not."""
    osc = unit(OSCILLATOR).initialize(velocity=1.2e308)
    osc.fmu.setRealInputDerivatives(osc.references("force"), [1], [1.2e308])
    assert status_of(osc.fmu.getRealOutputDerivatives, osc.references("sum"), [1]) == ERROR
    assert "sum" in osc.log[-1][2]


def test_a_step_that_cannot_hold_the_tolerance_is_discarded(unit):
    """At tolerance 1e-60 no step can; the instance keeps its state and logs a message."""
    osc = unit(OSCILLATOR).initialize(solver__tolerance=1e-60)
    assert status_of(osc.fmu.doStep, 0.0, 0.1) == DISCARD
    reached = osc.fmu.getRealStatus(2)
    assert reached < 1e-6  # a few steps that change only the last bit are accepted
    assert osc["time"] == reached
    assert osc["position"] == pytest.approx(math.cos(2 * reached), abs=1e-15)
    assert "tolerance" in osc.log[-1][2]
    assert osc.fmu.getBooleanStatus(3) is False


def test_infinitely_many_bounces_are_discarded_not_simulated_forever(unit):
    """Bounces of a ball accumulate at a limit; the step ends near it, above the floor."""
    ball = unit(BALL).initialize()
    limit = bounce_times(300)[-1]
    assert status_of(ball.fmu.doStep, 0.0, 2 * limit) == DISCARD
    assert limit * (1 - 1e-6) < ball.fmu.getRealStatus(2) < 1.1 * limit
    assert abs(ball["height"]) < 1e-9
    assert "internal steps" in ball.log[-1][2]


def test_an_event_iteration_that_never_rests_is_discarded(unit):
    """The step ends at the event, with the state from before it."""
    clock = unit(RESTLESS).initialize()
    assert status_of(clock.fmu.doStep, 0.0, 1.0) == DISCARD
    assert clock.fmu.getRealStatus(2) == pytest.approx(0.5, abs=1e-15)
    assert clock["clock"] == pytest.approx(0.5, abs=1e-15)
    assert clock["count"] == 0.0
    assert "did not converge in 20 passes" in clock.log[-1][2]


def test_a_time_event_that_does_not_move_on_is_discarded(unit):
    clock = unit(STUCK).initialize()
    assert status_of(clock.fmu.doStep, 0.0, 1.0) == DISCARD
    assert clock.fmu.getRealStatus(2) == 0.25
    assert "expected a later time" in clock.log[-1][2]
