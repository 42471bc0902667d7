"""Model exchange: the equations at any point equal the Python ones, and a host's integrator gets every event right."""

from __future__ import annotations

import ctypes
import math
import re

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from spacefmu.dynamics.bounds import EXCHANGED_SHARE
from spacefmu.dynamics.solver.rows_seen import indicator_count
from spacefmu.dynamics.system.evaluate import constants, motion, settle, start
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.interface.variables import Group
from spacefmu.fmu_src.native.trace.fast import fast
from tests.fmi.units import DISCARD, ERROR, OK, status_of
from tests.systems_small import ALL, BALL, OSCILLATOR, PENDULUM, RESTLESS, SAMPLER


class Host:
    """A model-exchange master: SciPy's DOP853, events by bisection on the FMU's own indicators."""

    def __init__(self, unit, system, **values):
        self.unit, self.system = unit(system, "me"), system
        self.unit.initialize(**values)
        self.fmu, self.t, self.events = self.unit.fmu, 0.0, []
        self.settle()

    def settle(self):
        """Event iteration, from event mode to continuous-time mode."""
        needed = True
        while needed:
            needed, terminate, _, self.changed, defined, time = self.fmu.newDiscreteStates()
            assert not terminate
        self.next_event = time if defined else math.inf
        self.fmu.enterContinuousTimeMode()

    def vector(self, getter, size):
        values = (ctypes.c_double * size)()
        getter(values, size)
        return np.array(values)

    @property
    def x(self):
        return self.vector(self.fmu.getContinuousStates, self.system.nx)

    def place(self, t, x):
        self.fmu.setTime(t)
        self.fmu.setContinuousStates((ctypes.c_double * len(x))(*x), len(x))

    def rates(self, t, x):
        self.place(t, x)
        return self.vector(self.fmu.getDerivatives, self.system.nx)

    def sides(self, t, x):
        self.place(t, x)
        return self.vector(self.fmu.getEventIndicators, indicator_count(self.system)) > 0.0

    def run(self, until, step=0.02):
        """Steps of at most `step`, shortened to events; completedIntegratorStep after each shows whether the FMU requests event mode."""
        while self.t < until:
            end = min(self.t + step, until, self.next_event)
            x = self.x
            if len(x):
                solution = solve_ivp(self.rates, (self.t, end), x, "DOP853", rtol=1e-12, atol=1e-12, dense_output=True)
                path = solution.sol
            else:
                path = lambda t: np.zeros(0)  # noqa: E731
            before = self.sides(self.t, x)
            crossed = lambda t: bool(np.any(self.sides(t, path(t)) != before))  # noqa: B023, E731
            event = bool(crossed(end))
            if event:
                end = _first(crossed, self.t, end)
                self.events.append(end)
            self.place(end, path(end))
            self.t = end
            wanted, terminate = self.fmu.completedIntegratorStep()
            assert not terminate
            if event or wanted or self.t == self.next_event:
                self.fmu.enterEventMode()
                self.settle()
        return self


def _first(true, low, high):
    """The first number at which `true` holds, by bisection down to neighbouring numbers; it holds at `high`."""
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (low, middle) if true(middle) else (middle, high)
    return high


@pytest.mark.parametrize("system", ALL, ids=lambda s: s.name)
def test_agrees_with_the_reference_integration(unit, system):
    host = Host(unit, system).run(1.0)
    reference = integrate(system, [0.0, 1.0], rtol=1e-13, atol=1e-13)
    assert np.allclose(host.x, reference.x[-1], rtol=0, atol=1e-9)
    assert np.allclose(host.unit.array(Group.OUTPUT), reference.y[-1], rtol=1e-9, atol=1e-9)
    if system is not SAMPLER:  # its sample at t = 1 belongs to the event at that time
        assert np.allclose(host.unit.array(Group.DISCRETE), reference.d[-1], rtol=0, atol=1e-9)


@pytest.mark.parametrize("system", ALL, ids=lambda s: s.name)
def test_floats_symbols_and_c_give_the_same_numbers(unit, system):
    """At 20 seeded points: NumPy floats = CasADi's machine on the symbols = the compiled FMU, to 1e-12."""
    random = np.random.default_rng(7)
    host, symbolic = Host(unit, system), fast(system)
    k = constants(system, system.signals.starts("parameters"))
    d = host.unit.array(Group.DISCRETE)
    real_inputs = [s for s in system.signals.inputs if s.kind == "real"]
    for _ in range(20):
        t, x = random.uniform(0, 10), random.uniform(0.2, 2.0, system.nx)
        u = np.array([random.uniform(-1, 1) if s.kind == "real" else 0.0 for s in system.signals.inputs])
        host.place(t, x)
        host.unit.set({s.name: u[list(system.signals.inputs).index(s)] for s in real_inputs})
        found = host.rates(t, x), host.unit.array(Group.OUTPUT), host.vector(host.fmu.getEventIndicators, system.ng)
        for route in (system, symbolic):
            for expected, value in zip(motion(route, t, x, u, k, d), found, strict=True):
                assert value == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("system", [s for s in ALL if s.update], ids=lambda s: s.name)
def test_update_and_initialization_are_those_of_the_system(unit, system):
    """Initial state and event iteration in C equal those in Python, from states on the far side of an event."""
    host = Host(unit, system)
    x, u, k, d = start(system)
    assert host.x == pytest.approx(x, abs=1e-14)
    assert host.unit.array(Group.DISCRETE) == pytest.approx(d, abs=1e-14)
    past = x - 1.5 if system.nx else x
    host.place(1.0, past)
    host.fmu.enterEventMode()
    host.settle()
    x, d = settle(system, 1.0, past, u, k, d)
    assert host.x == pytest.approx(x, abs=1e-14)
    assert host.unit.array(Group.DISCRETE) == pytest.approx(d, abs=1e-14)


def test_drift_from_the_manifold_asks_for_event_mode(unit):
    """States change only in event mode: a pendulum off its circle by 1e-6 is put back there, not before."""
    host = Host(unit, PENDULUM)
    x = host.x
    host.place(0.0, x)
    assert not host.fmu.completedIntegratorStep()[0]
    host.place(0.0, x * (1 + 1e-6))
    assert host.fmu.completedIntegratorStep()[0]
    assert host.x == pytest.approx(x * (1 + 1e-6), rel=1e-15)
    host.fmu.enterEventMode()
    host.settle()
    assert host.changed
    assert np.hypot(*host.x[:2]) == pytest.approx(1.0, abs=1e-13)


def test_a_host_that_drifts_fast_is_asked_rarely(unit):
    """Off by 1e-6 in its second step: afterwards it may drift by the amount of 100 such steps, 5e-5 of the radius."""
    host = Host(unit, PENDULUM)
    x = host.x

    def asked(off: float) -> bool:
        host.place(0.0, x * (1 + off))
        return bool(host.fmu.completedIntegratorStep()[0])

    assert [asked(off) for off in (0.0, 1e-6)] == [False, True]
    host.fmu.enterEventMode()
    host.settle()
    assert [asked(off) for off in (1e-6, 4e-5, 6e-5)] == [False, False, True]


def test_event_iteration_is_the_hosts(unit):
    """Each call is one pass: the bounce, then a pass without changes; both report that states changed in this iteration."""
    host = Host(unit, BALL)
    x = host.x
    host.place(0.1, np.array([-1e-3, -1.0, *x[2:]]))
    host.fmu.enterEventMode()
    needed, _, _, changed, _, _ = host.fmu.newDiscreteStates()
    assert (needed, changed) == (True, True)
    assert status_of(host.fmu.enterContinuousTimeMode) == ERROR
    assert "the event iteration has not ended" in host.unit.log[-1][2]


def test_event_iteration_reports_jumps_to_its_end(unit):
    """Hosts that use only the last call (as the standard's example does) see that the states jumped."""
    host = Host(unit, BALL)
    x = host.x
    host.place(0.1, np.array([-1e-3, -1.0, *x[2:]]))
    host.fmu.enterEventMode()
    passes = [host.fmu.newDiscreteStates() for _ in range(2)]
    assert [(needed, changed) for needed, _, _, changed, _, _ in passes] == [(True, True), (False, True)]
    host.fmu.enterContinuousTimeMode()
    host.fmu.enterEventMode()
    needed, _, _, changed, _, _ = host.fmu.newDiscreteStates()
    assert (needed, changed) == (False, False)


def test_event_iteration_that_never_rests_ends_with_an_error(unit):
    host = Host(unit, RESTLESS)
    host.place(0.6, np.array([0.6]))
    host.fmu.enterEventMode()
    statuses = [status_of(host.fmu.newDiscreteStates) for _ in range(21)]
    assert statuses == [OK] * 20 + [ERROR]
    assert "did not converge in 20 passes" in host.unit.log[-1][2]


def test_time_events_are_announced(unit):
    host = Host(unit, SAMPLER, input=2.0)
    assert host.next_event == 0.25
    host.run(0.6)
    assert host.next_event == 0.75
    assert host.unit["total"] == pytest.approx(3 * 0.25 * 2.0)  # samples at 0, 0.25, 0.5


def test_bounces_of_the_ball_are_reported_as_jumps(unit):
    host = Host(unit, BALL).run(0.5)
    assert host.events == pytest.approx([math.sqrt(2 / 9.81)], abs=1e-12)
    assert host.unit["bounces"] == 1


def test_nominals_are_those_of_the_signal_table_times_what_moves(unit):
    """In the signal table all are 1. Before anything is known: as there; then by rates: position and speed of an oscillator that is let go at 1e-4 m are to reach that and ω² times it,
    of which hosts are told a share.

    The nominal value for a push that is a thousand times stronger is reported at the next event.
    """
    nominal = np.array([s.nominal or 1.0 for s in OSCILLATOR.signals.states])
    small = unit(OSCILLATOR, "me")
    values = (ctypes.c_double * 3)()
    small.fmu.getNominalsOfContinuousStates(values, 3)
    assert list(values) == list(nominal)
    host = Host(unit, OSCILLATOR, position=1e-4)
    before = host.vector(host.fmu.getNominalsOfContinuousStates, 3)
    assert np.all(before[:2] >= EXCHANGED_SHARE * 1e-4 * nominal[:2])
    assert np.all(before[:2] <= EXCHANGED_SHARE * 1e-2 * nominal[:2])
    host.fmu.enterEventMode()
    assert not host.fmu.newDiscreteStates()[2]
    host.unit.set({"force": 4.0})
    assert host.fmu.newDiscreteStates()[2]
    after = host.vector(host.fmu.getNominalsOfContinuousStates, 3)
    assert np.all(after[:2] > 50.0 * before[:2])
    assert not host.fmu.newDiscreteStates()[2]


def test_states_that_are_not_finite_ask_for_a_smaller_step(unit):
    """The standard lets a solver try again after fmi2Discard; nothing has changed."""
    host = Host(unit, OSCILLATOR)
    x = host.x
    assert status_of(host.place, 0.1, [math.nan, 0.0, 0.0]) == DISCARD
    assert list(host.x) == list(x)
    host.run(0.1)


def visited(unit, path: str) -> tuple[int, list[bytes]]:
    """(evaluations, rates at each point) of a pendulum that a host moves along a path of points, by letters."""
    host, found = Host(unit, PENDULUM), []
    start = host.x
    for letter in path:
        shift = 0.01 * (ord(letter) - ord("a") + 1)
        found.append(host.rates(0.0, start + shift).tobytes())
    host.fmu.setDebugLogging(True, ["logSolver"])
    host.fmu.terminate()
    return int(re.search(r"evaluations=(\d+)", host.unit.log[-1][2])[1]), found


def test_the_last_two_points_are_remembered(unit):
    """Two alternating points are evaluated once each; a third one replaces the least recently used."""
    alone, (a, b, c) = visited(unit, "abc")
    assert len({a, b, c}) == 3
    for path, more, expected in (
        ("abcbcb", 0, [a, b, c, b, c, b]),
        ("abca", 1, [a, b, c, a]),
        ("abcbab", 1, [a, b, c, b, a, b]),
    ):
        evaluations, found = visited(unit, path)
        assert evaluations == alone + more, path
        assert found == expected, path
