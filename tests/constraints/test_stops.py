"""Joint stops: their kinks are events, they never stick, and results follow the tolerance."""

from __future__ import annotations

import numpy as np
import pytest
from fmpy import simulate_fmu
from scipy.integrate import solve_ivp

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.solver.loop import Solver
from spacefmu.dynamics.system.evaluate import start
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.cosim import Simulator
from spacefmu.fmu_src.native.trace.fast import fast
from spacefmu.fmu_src.python.instance import Instance
from tests.catalogue_fmus import unpack

# A slider of 2 kg on a space-fixed rail: Newton's equation is 2 v̇ = stop force.
RAIL = """
name = "Rail"
[bodies.slider]
mass = 2.0
inertia = [1.0, 1.0, 1.0]
[joints.rail]
parent = "space"
child = "slider"
kind = "prismatic"
axis = "x"
stop = { lower = -0.3, upper = 0.5, stiffness = 800.0, damping = 12.0 }
initial = { rate = 1.3 }
"""
M, K, C = 2.0, 800.0, 12.0
# what a bounce switches: it touches, it is no longer pushed, it parts
SWITCHED = 2 * ["variable=rail.touches value=1", "variable=rail.pushes value=0", "variable=rail.touches value=0", "variable=rail.pushes value=1"]  # fmt: skip
EVENT = [0, 1, 2, 2, 3, 4, 5, 5]  # of each


def newton(until: float):
    """q, v, and the instants of touch, last push and parting at every stop, by SciPy's own event location."""

    def touch(t, s):
        return max(s[0] - 0.5, -0.3 - s[0])

    def side(s):
        return 1.0 if s[0] > 0.1 else -1.0

    def push(t, s):
        beyond = s[0] - 0.5 if side(s) > 0 else -0.3 - s[0]
        return K * beyond + C * side(s) * s[1]

    def free(t, s):
        return [s[1], 0.0]

    def stopped(t, s):
        return [s[1], -side(s) * push(t, s) / M]

    touch.terminal = push.terminal = True
    t, state, events = 0.0, np.array([0.0, 1.3]), []
    phases = [(free, touch, 1.0), (stopped, push, -1.0), (free, touch, -1.0)]
    i = 0
    while t < until:
        law, event, event.direction = phases[i % 3]
        part = solve_ivp(law, (t, until), state, "DOP853", events=event, rtol=1e-13, atol=1e-14)
        t, state = part.t[-1], part.y[:, -1]
        if part.status == 1:
            events.append(t)
        i += 1
    return state, events


def test_stops_against_newton():
    """Three events a bounce: it touches, it is no longer pushed (K δ + C δ̇ = 0, it does not stick), it parts."""
    wanted, events = newton(3.0)
    assert len(events) == 6
    system = load_text(RAIL)
    trajectory = integrate(fast(system), np.array([0.0, 3.0]), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(trajectory.events, events, atol=1e-9)
    where = [system.signals.where("states", f"rail.{name}") for name in ("position", "velocity")]
    np.testing.assert_allclose(trajectory.x[-1, where], wanted, atol=1e-9)


@pytest.mark.parametrize("tolerance", [1e-4, 1e-6, 1e-8])
def test_errors_follow_the_tolerance(tolerance):
    """Before, with the jump of the force inside of steps, 450 times the tolerance."""
    wanted, _ = newton(3.0)
    system = load_text(RAIL)
    solver = Solver(system, tolerance=tolerance)
    solver.place(0.0, *start(system))
    solver.advance(3.0)
    found = solver.x[[system.signals.where("states", f"rail.{name}") for name in ("position", "velocity")]]
    assert solver.events == 6
    assert np.max(np.abs(found - wanted)) < 10.0 * tolerance


def test_events_are_located_in_few_steps():
    """634 evaluations for six events at 1e-8, after each of which order 8 shows how far it goes; 1,052 while steps were repeated for every secant, and four looks taken in every step."""
    system = load_text(RAIL)
    solver = Solver(system, tolerance=1e-8)
    solver.place(0.0, *start(system))
    solver.advance(3.0)
    assert solver.events == 6
    assert solver.evaluations < 680


@pytest.mark.parametrize(("place", "touches"), [(0.6, 1.0), (0.0, 0.0), (-0.4, 1.0)])
def test_a_start_beyond_a_stop(place, touches):
    system = load_text(RAIL.replace("rate = 1.3", f"position = {place}"))
    *_, d = start(system)
    assert d[system.signals.where("discretes", "rail.touches")] == touches
    trajectory = integrate(fast(system), np.array([0.0, 0.3]), rtol=1e-10, atol=1e-12)
    speed = trajectory.x[-1, system.signals.where("states", "rail.velocity")]
    assert speed * place <= 0.0  # driven back, or at rest
    assert (abs(speed) > 0.1) == bool(touches)
    energy = trajectory.y[
        :, [system.signals.where("outputs", f"system.{name}_energy") for name in ("kinetic", "potential")]
    ].sum(axis=1)
    lost = trajectory.x[:, system.signals.where("states", "system.dissipated_energy")]
    assert np.ptp(energy + lost) < 1e-9


@pytest.fixture(scope="module")
def rail():
    return unpack(build_native, load_text(RAIL))


@pytest.mark.parametrize("tolerance", [1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_stops_as_native_fmu(rail, kind, tolerance):
    """The same events at the same instants in both kinds of FMU, and errors that follow the tolerance."""
    wanted, instants = newton(3.0)
    switched = []

    def logged(environment, instance, status, category, message):
        words = message.decode()
        assert not status, words
        if category == b"logEvents":
            switched.append(words.removeprefix("time=").split(" ", 1))

    result = simulate_fmu(
        str(rail), fmi_type=kind, relative_tolerance=tolerance, stop_time=3.0, output_interval=0.01,
        output=["rail.position", "rail.velocity"], start_values={"solver.tolerance": tolerance} if kind == "CoSimulation" else {},
        record_events=False, debug_logging=True, logger=logged,
    )  # fmt: skip
    assert [what for _, what in switched] == SWITCHED
    found = np.array([result["rail.position"][-1], result["rail.velocity"][-1]])
    bound = 10.0 * tolerance if kind == "CoSimulation" else max(1e3 * tolerance, 1e-5)
    np.testing.assert_allclose([float(time) for time, _ in switched], np.array(instants)[EVENT], atol=bound)
    assert np.max(np.abs(found - wanted)) < (10.0 if kind == "CoSimulation" else 1e3) * tolerance


def python_events(step: float, again_from: float = 0.0) -> list[str]:
    """What a Python FMU of the rail tells over 3 s; from a time on once more, after its state at that time was restored."""
    instance, told, saved = Instance(load_text(RAIL), "rail"), [], b""
    instance.setup_experiment(0.0, None, 1e-11)
    instance.enter_initialization()
    instance.exit_initialization()
    for i in range(round(3.0 / step)):
        saved = instance.save() if i * step == again_from else saved
        instance.step(i * step, step)
        told += instance.events()
    if again_from:
        instance.restore(saved)
        for i in range(round(again_from / step), round(3.0 / step)):
            instance.step(i * step, step)
            told += instance.events()
    return told


@pytest.mark.parametrize("step", [3.0, 0.25])
def test_both_flavours_tell_each_event_at_its_time(rail, step):
    """Six events in one communication step, in which all switch back, and in twelve: the truth is SciPy's location. Measured 4e-12."""
    _, instants = newton(3.0)
    with Simulator(next(rail.parent.glob("*.fmu"))) as simulator:
        native = simulator.run(3.0, step, {"solver.tolerance": 1e-11}).origin["events"][""]
    python = [words.removeprefix("time=").split(" ", 1) for words in python_events(step)]
    assert (
        [f"variable={name} value={value}" for _, name, value in native["switched"]]
        == [what for _, what in python]
        == SWITCHED
    )
    np.testing.assert_allclose([time for time, *_ in native["switched"]], np.array(instants)[EVENT], atol=1e-10)
    np.testing.assert_allclose([float(time) for time, _ in python], np.array(instants)[EVENT], atol=1e-10)
    assert native["more"] == {}
    assert native["others"] == 0
    assert native["texts"]["rail.touches"] == "rail is beyond a stop"


def test_a_restored_state_tells_its_events_again():
    told = python_events(0.25)
    assert python_events(0.25, again_from=1.0) == told + told[4:]


@pytest.mark.parametrize("tolerance", [1e-6, 1e-8])
def test_stops_by_the_implicit_method(rail, tolerance):
    wanted, instants = newton(3.0)
    with Simulator(next(rail.parent.glob("*.fmu"))) as simulator:
        run = simulator.run(3.0, 0.01, {"solver.method": "rodas5p", "solver.tolerance": tolerance})
    assert run.origin["solver"][""]["events"] == len(instants)
    found = np.array([run["rail.position"][-1], run["rail.velocity"][-1]])
    assert np.max(np.abs(found - wanted)) < 10.0 * tolerance
