"""Events with their exact times: what FMUs tell of them against the truth, in results, in files and in reports."""

from __future__ import annotations

from html import unescape

import numpy as np
import pytest
from fmpy.model_description import Category, ModelDescription

from spacefmu.dynamics.system.reference import integrate
from spacefmu.fmu_src import api, cosim
from spacefmu.fmu_src.cosim.fmu import Slave
from spacefmu.fmu_src.cosim.fmu_log import MOST, MOST_OF_ONE, FmuLog
from spacefmu.fmu_src.native.trace.fast import fast
from spacefmu.fmu_src.results import Result, read_table
from spacefmu.fmu_src.results.events import events
from tests.catalogue_fmus import fmu_file, system_of

# TetheredMasses: |(6, 0, 0) + (0.5, 0.4, 0.1) t| = 10, a quadratic equation
TAUT = (-6.0 + np.sqrt(36.0 + 4.0 * 0.42 * 64.0)) / (2.0 * 0.42)
TIME = np.linspace(0.0, 10.0, 101)


@pytest.fixture(scope="module")
def masses():
    return {
        flavour: cosim.simulate(fmu_file("TetheredMasses", flavour), 8.0, 0.5, {"solver.tolerance": 1e-11})
        for flavour in ("native", "python")
    }


@pytest.mark.parametrize("flavour", ["native", "python"])
def test_a_cable_tightens_when_the_distance_is_its_length(flavour, masses):
    logged = masses[flavour].origin["events"][""]
    assert [what for _, *what in logged["switched"]] == [["tether.taut", 1], ["tether.armed", 0]]
    assert [time for time, *_ in logged["switched"]] == pytest.approx([TAUT, TAUT], abs=1e-12)  # measured 1e-14
    assert logged["texts"]["tether.taut"] == "cable tether is taut"
    assert (logged["more"], logged["others"]) == ({}, 0)


def test_a_cable_slackens_where_scipy_says():
    """TetheredPair, cylinders on an orbit: the first slack event by SciPy's steps and Brent's root."""
    (wanted,) = integrate(fast(system_of("TetheredPair")), np.array([0.0, 410.0])).events
    run = cosim.simulate(fmu_file("TetheredPair"), 410.0, 41.0, {"solver.tolerance": 1e-11})
    assert [(event.name, event.value) for event in events(run).found] == [("tether.slack_events", 1), ("tether.taut", 0)]  # fmt: skip
    assert [event.time for event in events(run).found] == pytest.approx([wanted] * 2, abs=1e-9)  # measured 4e-11
    assert not any("tether.armed" in name for name in run.names)  # an event may be of what the result does not have


def test_a_restored_state_tells_its_events_again():
    with Slave("masses", fmu_file("TetheredMasses")) as slave:
        for call in ("setupExperiment", "enterInitializationMode", "exitInitializationMode"):
            slave.call(call)
        slave.call("doStep", 0.0, 7.0)
        saved = slave.call("getFMUState")
        slave.call("doStep", 7.0, 1.0)
        first = slave.fmu_log.events["switched"]
        assert len(first) == 2
        slave.call("setFMUState", saved)
        slave.call("freeFMUState", saved)
        slave.call("doStep", 7.0, 1.0)
        assert slave.fmu_log.events["switched"] == first + first
        slave.reset()
        assert slave.fmu_log.events["switched"] == []


def test_units_of_a_system_tell_their_own():
    """A controller's samples switch nothing that has a name: they are counted. A plant that has no event says so."""
    units = {"plant": {"model": "HingedPanel"}, "controller": {"model": "AttitudeController"}}
    wires = {"controller.quaternion": "plant.hub.quaternion", "plant.hub.torque": "controller.torque"}
    system = cosim.CoupledSystem(name="Slew", step=0.1, stop=1.0, units=units, connections=wires)
    run = cosim.cosimulate(system, {unit: fmu_file(own["model"]) for unit, own in units.items()})
    assert run.origin["events"]["plant"] == {"switched": [], "more": {}, "others": 0, "texts": {}}
    assert run.origin["events"]["controller"]["others"] == 9  # the first belongs to the start
    assert events(run).found == ()
    assert events(run).others == 9


@pytest.mark.parametrize("ending", [".csv", ".npz", ".mat"])
def test_files_keep_them(ending, masses, tmp_path):
    again = read_table(masses["native"].write(tmp_path / f"run{ending}"))
    assert events(again) == events(masses["native"])
    assert [event.time for event in events(again).found] == pytest.approx([TAUT] * 2, abs=1e-12)


def test_a_flood_is_counted_not_kept():
    own = ModelDescription(fmiVersion="2.0", logCategories=[Category("logSolver"), Category("logEvents")])
    fmu_log = FmuLog(own)
    for i in range(1000):
        for k in range(20):
            fmu_log.hear(b"logEvents", f"time={i} variable=chain.pulls[{k + 1}] value={i % 2}".encode())
    fmu_log.hear(b"logEvents", b"time=1000")
    kept = fmu_log.events
    assert len(kept["switched"]) == MOST
    assert len(kept["switched"]) + sum(kept["more"].values()) == 20_000
    assert max(np.unique([name for _, name, _ in kept["switched"]], return_counts=True)[1]) <= MOST_OF_ONE
    assert kept["others"] == 1


def test_an_fmu_from_before_tells_nothing():
    """Before version 0.2 they told sentences: the result then has what its instants show, and does not claim more."""
    own = ModelDescription(fmiVersion="2.0", logCategories=[Category("logSolver"), Category("logEvents")])
    for before in (
        b"2 events before time 0.5",
        b"event at time 1: mode = 2",
        b"variable=mode value=2",
        b"time=1 variable=mode value=x",
    ):
        fmu_log = FmuLog(own)
        fmu_log.hear(b"logEvents", before)
        fmu_log.hear(b"logSolver", b"12 steps, 0 rejected, 1 events")
        assert (fmu_log.events, fmu_log.solver) == ({}, {})
    foreign = FmuLog(ModelDescription(fmiVersion="2.0", logCategories=[Category("logEvents")]))
    foreign.hear(b"logEvents", b"time=1 variable=mode value=2")
    assert foreign.events == {}


def test_without_a_solver_s_word_events_are_changes_of_whole_values():
    columns = np.column_stack([np.where(TIME < 4.05, 1.0, 0.0), np.round(TIME), np.sin(TIME)])
    run = Result(TIME, ("taut", "x", "y"), columns, {"x": "m"})
    (event,) = events(run).found
    assert (event.time, event.until, event.name, event.value) == pytest.approx((4.0, 4.1, "taut", 0.0))
    assert not events(run).exact


@pytest.mark.parametrize(
    "damaged", [[], {"": []}, {"": {"switched": [["a", "b"]]}}, {"": {"switched": [[None, "b", 1]]}}, 7]
)
def test_damaged_events_are_left_out(damaged):
    run = Result(TIME, ("taut",), np.where(TIME < 4.05, 1.0, 0.0)[:, None], origin={"events": damaged})
    (event,) = events(run).found
    assert not events(run).exact
    assert event.name == "taut"


def test_reports_show_them_to_twelve_digits(masses, tmp_path):
    api.report(masses["native"], tmp_path / "report.html", title="masses")
    page = unescape((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert f"<td>{TAUT:.12g} s</td><td>tether.taut</td><td>cable tether is taut</td>" in page
    assert "located to round-off" in page
