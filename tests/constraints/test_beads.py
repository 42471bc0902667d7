"""Segments of a beaded cable that go slack and taut: events of their own, against an integration that knows nothing of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.cosim import Simulator
from spacefmu.fmu_src.native.trace.fast import fast
from tests.constraints.craft import balance, column, drift, point, run
from tests.constraints.test_fmu import EXAMPLES, built, described, simulate
from tests.fmi.units import unpack
from tests.session import session_folder

TEXT = (
    """
name = "Kinks"
"""
    + point("a", "pa", 3.0)
    + point("b", "pb", 1.0)
    + """initial = {{ position = [10.2, 0.0, 0.0], rate = [0.0, 0.5, 0.1] }}
[cables.chain]
kind = "beaded"
a = "a"
b = "b"
length = 10.0
mass = 0.6
beads = 8
stiffness = 20.0
damping = {damping}
"""
)
STOP, COUNT = 1.0, 5

STRING = """
name = "String"
[bodies.anchor]
mass = 1.0
inertia = [1.0, 1.0, 1.0]
[joints.held]
parent = "space"
child = "anchor"
kind = "fixed"
place = [10.5, 0.0, 0.0]
[cables.chain]
kind = "beaded"
a = "space"
b = "anchor"
length = 10.0
mass = 0.6
beads = {beads}
stiffness = 20.0
"""


def squared_frequencies(beads: int, axis: int) -> np.ndarray:
    """Of the beads along one axis [rad²/s²], ascending: eigenvalues of differences of their accelerations, the cable taut between fixed ends."""
    system = load_text(STRING.format(beads=beads))
    x, u, k, d = start(system)
    places = np.array(system.signals.where("states", "chain.bead_position"))[axis::3]
    speeds = np.array(system.signals.where("states", "chain.bead_velocity"))[axis::3]

    def accelerations(step, at):
        moved = x.copy()
        moved[at] += step
        return motion(system, 0.0, moved, u, k, d)[0][speeds]

    matrix = np.array([accelerations(1e-5, at) - accelerations(-1e-5, at) for at in places]) / 2e-5
    return np.sort(-np.linalg.eigvals(matrix).real)


@pytest.mark.parametrize("beads", [1, 4, 10])
def test_frequencies_of_a_string(beads):
    """Lateral ones are a string's, nπ√(T/mL), times sin(x)/x with x = nπ/2N: −0.41 % of the first with 10 beads (−5.0 % with beads at N equal
    steps of N + 1). Longitudinal ones are those of N masses at the same places, none above 2N√(k/m)."""
    along, tension, mass, length = np.arange(1, beads + 1) * np.pi / (2 * beads), 20.0 * 0.5, 0.6, 10.5
    string = 2 * along * beads * np.sqrt(tension / (mass * length))
    np.testing.assert_allclose(np.sqrt(squared_frequencies(beads, 1)), string * np.sin(along) / along, rtol=1e-7)
    axial = np.sqrt(squared_frequencies(beads, 0))
    np.testing.assert_allclose(axial, 2 * beads * np.sqrt(20.0 / mass) * np.sin(along), rtol=1e-7)
    if beads == 10:
        assert np.sin(along[0]) / along[0] == pytest.approx(1.0 - 0.0041, abs=1e-4)


def crept(damping: float) -> np.ndarray:
    """Places of the beads (COUNT, 24) from Newton's equations, by steps so short that SciPy's error control creeps over each kink."""
    masses = np.array([3.0, *[0.6 / 8] * 8, 1.0])
    pieces = np.array([16.0, *[8.0] * 7, 16.0])  # of the cable: halves of parts at both ends

    def rates(t, s):
        r, v = s[:30].reshape(10, 3), s[30:].reshape(10, 3)
        span, relative = np.diff(r, axis=0), np.diff(v, axis=0)
        length = np.linalg.norm(span, axis=1)
        n, stretch = span / length[:, None], length - 10.0 / pieces
        force = pieces * (20.0 * stretch + damping * np.sum(n * relative, axis=1))
        pull = np.where(stretch > 0.0, np.maximum(force, 0.0), 0.0)[:, None] * n
        return np.concatenate(
            [v.ravel(), ((np.vstack([pull, np.zeros(3)]) - np.vstack([np.zeros(3), pull])) / masses[:, None]).ravel()]
        )

    along = np.array([0.0, *(np.arange(8) + 0.5) / 8, 1.0])[:, None]
    begin = np.concatenate([(along * [10.2, 0.0, 0.0]).ravel(), (along * [0.0, 0.5, 0.1]).ravel()])
    times = np.linspace(0.0, STOP, COUNT)
    return solve_ivp(rates, (0.0, STOP), begin, "DOP853", times, rtol=1e-13, atol=1e-13, max_step=1e-3).y[3:27].T


@pytest.mark.parametrize("damping", [0.0, 0.5])
def test_every_segment_slackens_at_an_event(damping):
    """The wave of the release runs through the chain: nine segments, nine events, the states of the creeping integration."""
    system, trajectory = run(TEXT.format(damping=damping), STOP, COUNT)
    assert len(trajectory.events) == 9
    assert column(system, trajectory, "chain.taut").tolist() == [1.0, 1.0, 0.0, 0.0, 0.0]
    assert column(system, trajectory, "chain.slack_events")[-1] == 1.0
    places = trajectory.x[:, system.signals.where("states", "chain.bead_position")]
    np.testing.assert_allclose(places, crept(damping), rtol=0.0, atol=2e-8)  # measured 1e-9 and 6e-12 m
    assert drift(balance(system, trajectory)) < 1e-10  # measured 1.5e-12 and 2e-14, of 0.55 J
    assert drift(column(system, trajectory, "system.momentum")) < 1e-12  # measured 4e-16


def test_the_fmu_keeps_its_tolerance_over_kinks():
    """Damped, so that a segment's force jumps as it tightens; at 1e-8 and 1e-10. With 20 beads and kinks within steps it was 7e-6 m."""
    system = load_text(TEXT.format(damping=0.5))
    folder = unpack(system, session_folder() / "couplings" / "kinks").folder
    expected = crept(0.5)
    for tolerance, bar in ((1e-8, 1e-6), (1e-10, 1e-8)):  # measured 1.5e-9, 4e-11 m
        rows = simulate(folder, system, STOP, COUNT, start_values={"solver.tolerance": tolerance})
        places = rows[:, system.signals.where("states", "chain.bead_position")]
        assert np.max(np.abs(places - expected)) < bar


def test_a_hundred_damped_beads_at_any_tolerance():
    """Releases at 1e-7 are those at 1e-8. Looser ones err by more than what segments are stretched by, which then chatter, but every run comes to its end."""
    text = (EXAMPLES / "couplings_beaded.toml").read_text("utf-8").replace("beads = 20", "beads = 100")
    path = build_native(load_text(text), session_folder() / "couplings" / "hundred.fmu", ["host"])
    events = {}
    with Simulator(path) as simulator:
        for tolerance in (1e-3, 1e-4, 1e-5, 1e-7, 1e-8):
            run = simulator.run(1.0, 0.1, {"solver.tolerance": tolerance})
            events[tolerance] = run.origin["solver"][""]["events"]
    assert events[1e-7] == events[1e-8] == 123
    assert max(events.values()) < 4000  # measured 2401 at 1e-3


@pytest.mark.parametrize("rows", [2, 21])
def test_the_error_of_an_undamped_chain_follows_the_tolerance(rows):
    """20 beads, before the first event: the motion starts at the ends, and a first step too long spoils all that follows.

    Judged by dop853's combined estimate it left 4e-8 at 1e-11 in one communication step, 6e-6 at 1e-8 in twenty.
    """
    system = load_text(described("beaded").replace("damping = 0.2", "damping = 0.0"))
    expected = integrate(fast(system), [0.0, 0.17], rtol=1e-13, atol=1e-15).x[-1]
    for tolerance in (1e-8, 1e-10, 1e-11):  # measured 3e-7, 3e-9, 3e-10 and 3e-7, 2e-9, 2e-10
        starts = {"solver.tolerance": tolerance, "chain.damping": 0.0}
        found = simulate(built("beaded").folder, system, 0.17, rows, start_values=starts)[-1, : system.nx]
        assert np.max(np.abs(found - expected)) < 100.0 * tolerance
