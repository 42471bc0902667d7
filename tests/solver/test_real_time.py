"""Methods of bounded work: their order, their bound, events within it and beyond it, and causes of delays in real time."""

from __future__ import annotations

import re

import numpy as np
import pytest

from spacefmu.dynamics.bounds import BOUND_EVENTS
from spacefmu.dynamics.solver.loop import Solver
from spacefmu.dynamics.system.contract import About, Staged, System
from spacefmu.dynamics.system.evaluate import start
from spacefmu.dynamics.system.signals import Signal, SignalTable
from tests.fmi.test_host import host  # noqa: F401  a fixture
from tests.fmi.units import DISCARD, Unit, status_of
from tests.systems_small import ALL, BALL, OSCILLATOR, PENDULUM, RELAXATION, SAMPLER

RK4, REAL_TIME, STIFF = 2, 4, 5
PLACES = ("states", "discretes")


def statistics(instance: Unit) -> dict[str, int]:
    """The statistics that the solver logs when the instance terminates."""
    instance.fmu.setDebugLogging(True, ["logSolver"])
    instance.fmu.terminate()
    line = next(text for _, category, text in instance.log if category == "logSolver")
    return {key: int(value) for key, value in (item.split("=") for item in line.split())}


@pytest.mark.parametrize("method", [REAL_TIME, STIFF])
@pytest.mark.parametrize("system", ALL, ids=lambda s: s.name)
def test_no_communication_step_takes_more_than_the_bound(unit, system, method):
    """For every small System, with one internal step per communication step and with several: the largest work, and the bound."""
    for step, longest in ((0.1, 0.0), (0.37, 0.1), (1e-3, 0.0)):
        instance = unit(system).initialize(solver__method=method, solver__max_step=longest)
        for i in range(40):
            if status_of(instance.fmu.doStep, i * step, step) == DISCARD:
                break
        told = statistics(instance)
        assert 0 <= told["most"] <= told["bound"], (step, longest)


def test_the_bound_of_a_smooth_model_is_its_stages(unit):
    """Four evaluations per internal step of order 4; the implicit one three, and one for ∂f/∂(x, t), which the bound counts by columns."""
    for method, longest, most, bound in ((REAL_TIME, 0.0, 4, 4), (REAL_TIME, 0.02, 20, 20), (STIFF, 0.0, 4, 8)):
        instance = unit(OSCILLATOR).initialize(solver__method=method, solver__max_step=longest).run(1.0, 0.1)
        told = statistics(instance)
        assert (told["most"], told["bound"]) == (most, bound)


@pytest.mark.parametrize(("method", "order"), [(REAL_TIME, 4.0), (STIFF, 3.0)])
def test_orders_of_the_built_methods(unit, method, order):
    """x″ = −4x: the error of a run falls by 2ᵖ where its communication steps are halved."""
    errors = [
        abs(unit(OSCILLATOR).initialize(solver__method=method).run(2.0, h)["position"] - np.cos(4.0))
        for h in (0.05, 0.025)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.2)


def test_the_implicit_one_takes_what_is_stiff(unit):
    """x′ = −λ(x − cos t) − sin t with λ = 1e6 and steps of 10 ms; order 4 leaves all bounds, and is discarded by one sentence."""
    implicit = unit(RELAXATION).initialize(solver__method=STIFF, rate=1e6).run(1.0, 0.01)
    assert implicit["value"] == pytest.approx(np.cos(1.0), abs=1e-6)
    explicit = unit(RELAXATION).initialize(solver__method=REAL_TIME, rate=1e6)
    answers = [status_of(explicit.fmu.doStep, 0.01 * i, 0.01) for i in range(60)]
    assert DISCARD in answers
    said = [text for status, _, text in explicit.log if status == DISCARD]
    assert re.fullmatch(
        r"fmi2DoStep: at time \S+ .* not finite; check inputs and parameters; last successful time \S+", said[0]
    )


@pytest.mark.parametrize("method", [REAL_TIME, STIFF])
@pytest.mark.parametrize("system", [OSCILLATOR, BALL, SAMPLER, PENDULUM, RELAXATION], ids=lambda s: s.name)
def test_both_flavours_take_the_same_steps(unit, system, method):
    instance = unit(system).initialize(solver__method=method, solver__max_step=0.03)
    solver = Solver(system, method, max_step=0.03)
    solver.place(0.0, *start(system))
    for i in range(15):
        instance.fmu.doStep(0.1 * i, 0.1 * (i + 1) - 0.1 * i)
        solver.t = 0.1 * i
        solver.advance(0.1 * (i + 1))
    for group, values in zip(PLACES, (solver.x, solver.d), strict=True):
        for signal, value in zip(getattr(system.signals, group), values, strict=True):
            assert instance[signal.name] == pytest.approx(value, rel=1e-9, abs=1e-10), signal.name
    told = statistics(instance)
    assert (told["steps"], told["events"], told["late"]) == (solver.steps, solver.events, solver.lates)


def test_an_event_is_taken_close_to_its_instant(unit):
    """A ball from 1 m: it is up again at 2 s as in closed form, by steps of 10 ms; at their ends alone it would be off by centimetres."""
    instance = unit(BALL).initialize(solver__method=REAL_TIME).run(1.0, 0.01)
    fall = np.sqrt(2.0 / 9.81)
    after = 1.0 - fall
    assert instance["height"] == pytest.approx(
        0.8 * 9.81 * fall * after - 0.5 * 9.81 * after**2, abs=1e-8
    )  # measured: 1.3e-9
    assert instance["bounces"] == 1


@pytest.mark.parametrize("system", [BALL, SAMPLER], ids=lambda s: s.name)
def test_events_beyond_the_bound_are_late_and_said_once(unit, system):
    """A ball that comes to rest, and ten samples in a communication step: both flavours log a message and count late events."""
    values = {"restitution": 0.3} if system is BALL else {"period": 0.1}
    instance = unit(system).initialize(solver__method=REAL_TIME, solver__max_step=0.1, **values)
    p = np.array(system.signals.starts("parameters"))
    for name, value in values.items():
        p[system.signals.where("parameters", name)] = value
    solver = Solver(system, REAL_TIME, max_step=0.1)
    solver.place(0.0, *start(system, p=p))
    for t in (0.0, 1.0, 2.0):
        instance.fmu.doStep(t, 1.0)
        solver.advance(t + 1.0)
    said = [text for status, _, text in instance.log if status == 1 and text.startswith("more than")]
    assert len(said) == 1
    assert said[0].startswith(f"more than {BOUND_EVENTS} events in the communication step from ")
    told = statistics(instance)
    assert told["late"] == solver.lates > 0
    assert told["most"] <= told["bound"]
    if system is BALL:
        assert abs(instance["height"]) < 0.05  # below the floor by what it falls in an internal step
    else:
        assert instance["next"] == pytest.approx(3.0, abs=0.101)  # none is lost


@pytest.mark.parametrize("method", [REAL_TIME, STIFF])
@pytest.mark.parametrize("system", [OSCILLATOR, BALL, SAMPLER, PENDULUM], ids=lambda s: s.name)
def test_a_step_makes_no_system_call_allocates_nothing_and_leaves_the_hosts_flags(host, built, system, method):  # noqa: F811
    """The C host seals itself after the first step: any system call but write and exit kills it."""
    made = built(system)
    reference = made.variables["solver.method"].reference
    names = [s.name for s in system.signals.states]
    wanted = [made.variables[name].reference for name in names]
    found = host(made, "sealed", 200, 0.01, reference, method, *wanted)
    instance = Unit(made).initialize(solver__method=method).run(2.0, 0.01)
    assert [float.fromhex(value) for value in found] == [instance[name] for name in names]


# x′ = −1000 x from 1e-300: after 30 ms it is below what a double holds in full.
FADING = System(
    name="Fading",
    about=About("decays to nothing"),
    signals=SignalTable(states=(Signal("value", "decays", "1", 1e-300, derivative="der(value)"),)),
    motion=Staged(lambda t, x, *_: (np.array([-1000.0 * x[0]]), np.zeros(0), np.zeros(0))),
)


def test_numbers_too_small_to_be_quick_are_zeros(unit):
    """With rk4 the state stays among subnormal numbers, which are a hundred times slower than others."""
    lingering, gone = (unit(FADING).initialize(solver__method=m).run(0.025, 1e-3)["value"] for m in (RK4, REAL_TIME))
    assert 0.0 < lingering < 2.3e-308
    assert gone == 0.0
