"""Couplings and tethers in native FMUs: against SciPy's integration, with events in both FMI types, saved across events.

Both flavours of the catalogue's entries are compared in tests/python_fmu/test_flavours.py, over slack and taut.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from fmpy import simulate_fmu
from fmpy.validation import validate_fmu

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system.evaluate import residual, start
from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src.build import build_python
from spacefmu.fmu_src.native.trace.fast import fast
from tests import catalogue_fmus
from tests.constraints.test_redundant import bricard
from tests.fmi.test_exchange import Host
from tests.fmi.units import Unit, unpack
from tests.session import once, session_folder

EXAMPLES = Path("examples")
# Stop time [s], bars for states and for outputs, relative to the largest value (at least 1).
CASES = {
    # over 12 000 s: 4e-9, 8e-9, see test_a_shift_of_the_pairs_start_grows
    "TetheredPair": (6000.0, 1e-9, 1e-9),  # measured 2e-11, 3e-11
    # slack at 403 s, caught at 1732 s; its tension is 100 N/m times the small difference of places 500 m apart
    "TetheredPairElastic": (1800.0, 1e-9, 1e-8),  # measured 6e-11, 2e-10
    "DeployableFourBar": (20.0, 1e-9, 1e-9),  # measured 1.8e-13, 5e-13
    "TetheredMasses": (40.0, 1e-9, 1e-9),  # measured 1.3e-15
    "docking": (8.0, 1e-9, 1e-9),  # measured 3e-15
    "knife_edge": (10.0, 1e-9, 1e-9),  # measured 3e-14, 6e-14
    "condition": (20.0, 1e-9, 1e-9),  # measured 7e-13, 9e-13
    # 20 beads; segments go slack from 0.18 s on, each at an event of its own
    "beaded": (1.0, 1e-9, 1e-9),  # measured 2e-11
}
QUICK = ("TetheredPair", "DeployableFourBar", "TetheredMasses", "docking", "knife_edge", "condition")


@cache
def system_of(name: str):
    """Of the catalogue, or of an example."""
    if name in catalogue_fmus.ENTRIES:
        return catalogue_fmus.system_of(name)
    return load_text(described(name))


def described(example: str) -> str:
    return (EXAMPLES / f"couplings_{example}.toml").read_text("utf-8")


@cache
def fast_of(name: str):
    return fast(system_of(name))


@cache
def built(name: str):
    shared = name in catalogue_fmus.ENTRIES
    return unpack(system_of(name), catalogue_fmus.fmu_of(name) if shared else session_folder() / "couplings" / name)


@pytest.fixture
def unit():
    """unit(name, kind): a fresh instance, freed after the test."""
    units: list[Unit] = []

    def create(name: str, kind: str = "cs") -> Unit:
        units.append(Unit(built(name), kind))
        return units[-1]

    yield create
    for each in units:
        each.free()


def simulate(folder, system, stop: float, count: int, **more):
    """States and outputs (count, nx + ny) of a co-simulation."""
    names = [s.name for s in (*system.signals.states, *system.signals.outputs)]
    starts = {"solver.tolerance": 1e-12} | more.pop("start_values", {})
    table = simulate_fmu(
        str(folder),
        fmi_type="CoSimulation",
        stop_time=stop,
        output_interval=stop / (count - 1),
        start_values=starts,
        output=names,
        **more,
    )
    return np.column_stack([np.asarray(table[name], float) for name in names])


@pytest.mark.parametrize("name", catalogue_fmus.matrix(CASES, QUICK))
def test_co_simulation_equals_the_reference(name):
    stop, bar_x, bar_y = CASES[name]
    system = system_of(name)
    assert validate_fmu(str(built(name).folder)) == []
    wanted = integrate(fast_of(name), np.linspace(0.0, stop, 21), rtol=1e-12, atol=1e-13)
    expected = np.hstack([wanted.x, wanted.y])
    found = simulate(built(name).folder, system, stop, 21)
    worst = np.max(np.abs(found - expected) / np.maximum(np.max(np.abs(expected), axis=0), 1.0), axis=0)
    assert worst[: system.nx].max() < bar_x
    assert worst[system.nx :].max() < bar_y


def test_flavours_agree_on_general_conditions():
    """Formulas travel as data in the Python flavour, and as C in the native one; offset of the blade changed in both."""
    system = system_of("condition")
    python = once(session_folder() / "couplings" / "condition_python.fmu", lambda path: build_python(system, path))
    first, second = (
        simulate(source, system, 10.0, 51, start_values={"blade.offset": 0.2})
        for source in (built("condition").folder, python)
    )
    np.testing.assert_allclose(first, second, atol=1e-9)  # measured 3e-14
    unchanged = simulate(built("condition").folder, system, 10.0, 51)
    assert np.max(np.abs(first - unchanged)) > 0.1


def test_general_conditions_do_not_drift():
    """2000 s at the default tolerance: no velocity across the blade, the motor's rate that of its formula."""
    system = system_of("condition")
    rows = simulate(built("condition").folder, system, 2000.0, 401, start_values={"solver.tolerance": 1e-8})
    _, _, heading, _, vx, vy, rate, shaft = rows[:, :8].T
    assert np.max(np.abs(-np.sin(heading) * vx + np.cos(heading) * vy + 0.1 * rate)) < 1e-10  # measured 2e-14
    assert np.max(np.abs(shaft - 2.0 * np.sin(0.5 * np.linspace(0.0, 2000.0, 401)))) < 1e-10  # measured 2e-14


def test_a_shift_of_the_pairs_start_grows():
    """Why TetheredPair is compared over half of its experiment: errors grow with time, and so does what round-off leaves.

    A shift of a start position by 1e-10 of it moves the states at 12 000 s by 39 times as much, at 6000 s by 2.6 times.
    A shift by a few ulps, which only rounds everything differently, moves them by up to 7e-11 and 6e-13.
    """
    system, name = system_of("TetheredPair"), "second.position[2]"
    written = next(s.start for s in system.signals.states if s.name == name)
    for stop, least, most in ((6000.0, 2.0, 4.0), (12000.0, 20.0, 80.0)):
        begin, shifted = (
            simulate(built("TetheredPair").folder, system, stop, 2, start_values={name: value})[-1, : system.nx]
            for value in (written, written * (1.0 + 1e-10))
        )
        moved = np.max(np.abs(shifted - begin) / np.maximum(np.abs(begin), 1.0))
        assert least < moved / 1e-10 < most  # measured 2.6 and 39


EVENTS = {
    "TetheredPair": (1800.0, 20.0),
    "TetheredMasses": (8.0, 0.5),
    "DeployableFourBar": (2.0, 0.05),
    "docking": (4.0, 0.1),
}


# A released cable that has cleared its length is armed: nothing of its motion changes, and hosts see it a band later (runtime/core/sides.h).
ARMING = {"TetheredPair": [1]}


@pytest.mark.parametrize("name", EVENTS)
def test_model_exchange_finds_the_same_events(unit, name):
    """A host with SciPy's solver and the FMU's indicators: event times and the state behind them are the reference's.

    TetheredPair goes slack, clears its length and is caught; the others are caught, latched, docked.
    """
    stop, step = EVENTS[name]
    system = system_of(name)
    host = Host(lambda _, kind: unit(name, kind), system).run(stop, step)
    wanted = integrate(fast_of(name), [0.0, stop], rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(
        np.delete(host.events, ARMING.get(name, [])), np.delete(wanted.events, ARMING.get(name, [])), rtol=1e-9
    )  # measured 2e-10: the tension of TetheredPair falls slowly
    scale = np.maximum(np.abs(wanted.x[-1]), 1.0)
    assert np.max(np.abs(host.x - wanted.x[-1]) / scale) < 1e-9  # measured 5e-12
    assert max(residual(p, stop, host.x, *_rest(system, wanted)) for p in system.projections) < 1e-9  # measured 9e-16


def _rest(system, trajectory):
    """u, k at the start and d at the end of a trajectory."""
    _, u, k, _ = start(system)
    return u, k, trajectory.d[-1]


def test_a_common_master_catches_the_masses_in_model_exchange():
    """FMPy's own CVode at 1e-9: taut from the root of |r₀ + v₀ t| = L on, 7.119 s, and never longer than its length."""
    table = simulate_fmu(
        str(built("TetheredMasses").folder), fmi_type="ModelExchange", solver="CVode", stop_time=20.0, output_interval=0.1,
        relative_tolerance=1e-9, output=["tether.taut", "tether.length"], record_events=False,
    )  # fmt: skip
    taut = table["tether.taut"].astype(bool)
    assert not taut[table["time"] < 7.11].any()
    assert taut[table["time"] > 7.13].all()
    assert np.max(table["tether.length"]) < 10.0 + 1e-8


# Saved before the events, which come before the end: catch at 7.12 s; slack at 403 s, caught at 1736 s; latch at 1.60 s; dock at 2.77 s.
SAVED = {
    "TetheredMasses": (5.0, 10.0, 0.5),
    "TetheredPair": (400.0, 1800.0, 20.0),
    "DeployableFourBar": (1.0, 3.0, 0.1),
    "docking": (2.0, 4.0, 0.1),
}


@pytest.mark.parametrize("name", SAVED)
def test_saved_states_repeat_the_events_to_the_bit(unit, name):
    save, stop, step = SAVED[name]
    fmu = unit(name).initialize().run(save, step)
    before, saved = fmu.everything(), fmu.fmu.getFMUstate()
    discretes = [s.name for s in system_of(name).signals.discretes]
    modes = [fmu[d] for d in discretes]
    first = fmu.run(stop, step, start=save).everything()
    assert [fmu[d] for d in discretes] != modes  # an event was passed
    fmu.fmu.setFMUstate(saved)
    assert fmu.everything() == before
    assert fmu.run(stop, step, start=save).everything() == first
    fmu.fmu.freeFMUstate(saved)


def test_redundant_rows_do_not_disturb_large_steps():
    """Bricard's mechanism for 100 s, steps as long as the tolerance allows: energy as exact as the tolerance, the loop closed.

    Within a step the state is off the manifold by more than round-off, and the redundant row looks independent there;
    counted as such it made steps 20 times shorter, and rk4 at 0.02 s failed.
    """
    system = load_text(bricard('kind = "revolute"\naxis = "x"'))
    folder = unpack(system, session_folder() / "couplings" / "Bricard").folder
    _, u, k, d = start(system)
    kinetic, potential = (
        system.nx + system.signals.where("outputs", f"system.{q}_energy") for q in ("kinetic", "potential")
    )
    # measured [J], of 29 J: 1.5e-4, 8e-6, 1.1e-7; the same with four independent rows: 1.6e-3, 1e-5, 5e-8
    for tolerance, bar in ((1e-6, 1e-2), (1e-8, 1e-4), (1e-10, 1e-6)):
        rows = simulate(folder, system, 100.0, 21, start_values={"solver.tolerance": tolerance})
        assert np.ptp(rows[:, kinetic] + rows[:, potential]) < bar
        assert max(residual(p, 0.0, row[: system.nx], u, k, d) for row in rows[::5] for p in system.projections) < 1e-12
    rows = simulate(folder, system, 20.0, 21, start_values={"solver.method": 2, "solver.max_step": 0.02})
    assert np.ptp(rows[:, kinetic] + rows[:, potential]) < 1e-2  # measured 3e-4 J; four independent rows: 4e-4 J


def test_a_start_far_off_is_assembled_as_in_python(unit):
    """Hinges set wrong by up to 71 degrees in the FMU: Newton's full step does no good there, half of it does."""
    system = system_of("DeployableFourBar")
    wrong = dict(zip(("hinge1", "hinge2", "hinge3"), (-1.24, -0.79, 0.9), strict=True))
    names = [s.name for s in system.signals.states]
    x = np.array(system.signals.starts("states"))
    for hinge, shift in wrong.items():
        x[names.index(f"{hinge}.angle")] += shift
    fmu = unit("DeployableFourBar").initialize(
        **{f"{hinge}__angle": x[names.index(f"{hinge}.angle")] for hinge in wrong}
    )
    expected = start(system, x=x)[0]
    np.testing.assert_allclose([fmu[name] for name in names], expected, atol=1e-11)  # measured 2e-15
    assert abs(expected[names.index("hinge2.angle")] - x[names.index("hinge2.angle")]) > 0.1
