"""Sweeps on real Dask workers: the same bits whoever does the runs, whatever dies or stops on the way."""

import os
import signal

import numpy as np
import pyarrow.parquet as pq
import pytest
from distributed import LocalCluster

from spacefmu.fmu_src import api, cosim
from spacefmu.fmu_src.studies import store, tasks, work
from tests.catalogue_fmus import fmu_file

RUNS = 60
PLAN = """
kind = "sweep"
name = "Spread"
model = "{model}"
method = "sobol"
runs = {runs}
seed = 5
stop = 0.5
step = 0.1

[set]
"panel.mode[1].amplitude" = 0.01

[parameters]
"hub.mass" = {{ distribution = "uniform", low = 400.0, high = 500.0 }}
stiffness = {{ distribution = "normal", mean = 1.0, deviation = 0.1, relative = true, variables = ["panel.mode[1].frequency"] }}

[metrics]
tip = {{ of = "panel.tip.displacement", kind = "rms" }}
mass = {{ of = "hub.mass", kind = "final" }}

[traces]
variables = ["hub.angular_velocity"]
every = 0.2
"""
OWN = """
import os, signal

def end(run):
    mass = run["hub.mass"][0]
    if 430.0 < mass < 431.0:
        raise RuntimeError("not this one")
    if {kills}:
        os.kill(os.getpid(), signal.SIGKILL)
    return run["hub.position"][-1, 0]
"""


@pytest.fixture(autouse=True)
def _short_tasks(monkeypatch):
    """Tasks of a few runs each, so that a short sweep has many."""
    monkeypatch.setattr(tasks, "TASK", 0.03)


@pytest.fixture
def plan(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(PLAN.format(model=fmu_file("HingedPanel"), runs=RUNS))
    return path


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The sweep by one worker, in one go."""
    folder = tmp_path_factory.mktemp("expected")
    (folder / "plan.toml").write_text(PLAN.format(model=fmu_file("HingedPanel"), runs=RUNS))
    return api.sweep(folder / "plan.toml", folder / "Spread", workers=1)


def files(folder):
    """Every result file by name."""
    return {path.name: path.read_bytes() for kind in ("runs", "traces") for path in sorted((folder / kind).iterdir())}


def test_runs_are_those_of_simulate(expected):
    """The table's numbers are what the FMU gives, loaded afresh and run by itself; so is the trace, and so is `repeat`."""
    assert expected.table["run"].to_pylist() == list(range(RUNS))
    assert len(expected.failed) == 0
    nominal = cosim.simulate(fmu_file("HingedPanel"), 0.1, record=["panel.mode[1].frequency"]).values[0, 0]
    traces = pq.read_table(expected.folder / "traces")
    for row in expected.table.to_pylist()[:: RUNS // 3]:
        start = {
            "panel.mode[1].amplitude": 0.01,
            "hub.mass": row["hub.mass"],
            "panel.mode[1].frequency": nominal * row["stiffness"],
        }
        alone = cosim.simulate(fmu_file("HingedPanel"), 0.5, 0.1, start)
        assert row["tip"] == np.sqrt(np.mean(np.linalg.norm(alone["panel.tip.displacement"], axis=1) ** 2))
        again = api.repeat(expected.folder, row["run"])
        assert np.array_equal(again.values, alone.values)
        trace = traces.filter(np.equal(traces["run"], row["run"]))
        assert trace["time"].to_pylist() == pytest.approx([0.0, 0.2, 0.4])
        assert np.array_equal(trace["hub.angular_velocity[2]"], alone["hub.angular_velocity[2]"][[0, 2, 4]])
    assert np.ptp(expected.table["tip"]) > 1e-5


def test_two_workers_one_killed_and_an_interruption(plan, expected, tmp_path):
    """The files are the same bit for bit when one of two workers is killed, and the sweep is broken off and resumed."""
    seen = []

    def disturb(state):
        seen.append(state)
        if len(seen) == 2:
            os.kill(client.run(os.getpid, workers=[next(iter(client.nthreads()))]).popitem()[1], signal.SIGKILL)
        if len(seen) == 6:
            raise KeyboardInterrupt

    folder = tmp_path / "Spread"
    with tasks.cluster(workers=2) as client:
        with pytest.raises(KeyboardInterrupt):
            api.sweep(plan, folder, scheduler=client.scheduler.address, on_state=disturb)
        done = files(folder)
        part = api.read_sweep(folder)
        assert 0 < len(part.table) < RUNS
        assert api.repeat(folder, part.table["run"][0].as_py()).time[-1] == 0.5
        fractions: list[float] = []
        result = api.sweep(
            plan, folder, scheduler=client.scheduler.address, on_state=seen.append, on_progress=fractions.append
        )
    assert fractions == [state.done / RUNS for state in seen[6:]]
    assert len(done) > 2
    assert seen[6].done > len(part.table)
    assert sum(state.failed for state in seen) == 0
    assert files(folder) == files(expected.folder)
    assert result.table.equals(expected.table)


def test_failures_are_kept_and_the_killer_is_named(plan, expected, tmp_path):
    """One run's metric fails, one kills whatever worker takes it: both are in the table with the reason, all others are done."""
    masses = np.array(expected.table["hub.mass"])
    killer = int(np.argmax(masses))
    own = tmp_path / "own.py"
    own.write_text(OWN.format(kills=f"mass == {float(masses[killer])!r}"))
    result = api.sweep(plan, tmp_path / "Spread", own, workers=2)
    failed = {row["run"]: row["reason"] for row in result.failed.to_pylist()}
    raised = np.flatnonzero((masses > 430.0) & (masses < 431.0)).tolist()
    assert raised
    assert sorted(failed) == sorted([killer, *raised])
    assert failed[killer] == "its worker process died at each of 3 attempts"
    assert all(failed[run] == "own.py: end: line 7: RuntimeError: not this one" for run in raised)
    rows = result.table.to_pylist()
    assert rows[killer]["tip"] is None
    assert rows[raised[0]]["tip"] == expected.table["tip"][raised[0]].as_py()
    assert rows[raised[0]]["end"] is None
    good = [run for run in range(RUNS) if run not in failed]
    assert all(rows[run]["end"] is not None for run in good)
    assert [rows[run]["tip"] for run in good] == expected.table["tip"].take(good).to_pylist()


def test_an_fmu_that_always_crashes_stops_the_sweep(plan, tmp_path, monkeypatch):
    monkeypatch.setattr(tasks, "HOPELESS", 1)
    monkeypatch.setattr(tasks, "LIVES", 1)
    own = tmp_path / "own.py"
    own.write_text(OWN.format(kills="True"))
    with pytest.raises(RuntimeError, match="all crashed their worker process"):
        api.sweep(plan, tmp_path / "Spread", own, workers=1)


def test_a_run_that_hangs_ends_at_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(tasks, "LIVES", 1)
    plan = tmp_path / "plan.toml"
    text = PLAN.format(model=fmu_file("HingedPanel"), runs=4).replace("seed = 5", "seed = 5\nlimit = 4.0")
    plan.write_text(text)
    own = tmp_path / "own.py"
    own.write_text(
        "import time\n\ndef hang(run):\n    return time.sleep(1e6 if run['hub.mass'][0] > 480.0 else 0.0) or 1.0\n"
    )
    result = api.sweep(plan, tmp_path / "Spread", own, workers=2)
    hung = [row["run"] for row in result.table.to_pylist() if row["hub.mass"] > 480.0]
    assert 0 < len(hung) < 4
    assert result.failed["run"].to_pylist() == hung
    assert result.failed["reason"][0].as_py().endswith("or was stopped after the limit of 4 s")


def test_a_folder_that_another_sweep_is_at_work_in(plan, expected, tmp_path):
    with store.alone(expected.folder), pytest.raises(ValueError, match="another sweep is running in this folder"):
        api.sweep(expected.folder / "plan.toml", expected.folder, workers=1)


@pytest.mark.parametrize(("left", "workers"), [(10_000, 2), (300, 2), (1, 8)])
def test_the_last_tasks_are_shorter(left, workers, monkeypatch):
    """A task takes a second, or half of what is left for a worker, and a tenth of a second at least."""
    monkeypatch.setattr(tasks, "TASK", 1.0)
    pace = tasks.Pace(left, left)
    assert pace.runs_of_a_task(left, workers) == 1
    pace.count(store.Span(0, 9), work.RunsOutcome(np.zeros((10, 1)), {}, (), 0.01))  # 1 ms a run
    assert pace.runs_of_a_task(left, workers) == {10_000: 1000, 300: 100, 1: 100}[left]


SYSTEM = """
kind = "system"
name = "Slew"
step = 0.1
stop = 0.5

[units.plant]
model = "{plant}"
start = {{ "hub.angular_velocity" = 0.01 }}

[units.controller]
model = "{controller}"

[connections]
"controller.quaternion" = "plant.hub.quaternion"
"controller.angular_velocity" = "plant.hub.angular_velocity"
"plant.hub.torque" = "controller.torque"
"""


def test_a_coupled_system_on_a_cluster_that_is_there(tmp_path):
    system = tmp_path / "slew.toml"
    system.write_text(SYSTEM.format(plant=fmu_file("HingedPanel"), controller=fmu_file("AttitudeController")))
    (tmp_path / "plan.toml").write_text(
        'kind = "sweep"\nname = "Slews"\nmodel = "slew.toml"\nmethod = "grid"\n'
        '[parameters]\n"plant.hub.mass" = [400.0, 450.0]\ngain = { values = [0.5, 1.0], relative = true, variables = ["controller.stiffness"] }\n'
        '[metrics]\nerror = { of = "controller.error", kind = "final", unit = "deg" }\n'
        'torque = { of = "controller.torque", kind = "largest", worst = "smallest" }\n'
    )
    with LocalCluster(n_workers=1, threads_per_worker=2, host="127.0.0.1", dashboard_address="127.0.0.1:0") as cluster:
        done = api.sweep(tmp_path / "plan.toml", tmp_path / "Slews", scheduler=cluster.scheduler_address)
    assert done.table.select(["plant.hub.mass", "gain"]).to_pylist()[1] == {"plant.hub.mass": 400.0, "gain": 1.0}
    for run in range(4):
        again = api.repeat(done.folder, run)
        torque = np.linalg.norm(again["controller.torque"], axis=1)
        assert done.table["torque"][run].as_py() == torque.max()
        error = np.degrees(np.linalg.norm(again["controller.error"][-1]))
        assert done.table["error"][run].as_py() == pytest.approx(error, rel=1e-12)
    nominal = api.cosimulate(system)
    assert np.array_equal(api.repeat(done.folder, 1)["controller.torque"].shape, nominal["controller.torque"].shape)
    assert done.worst("torque", 1)["torque"][0].as_py() == min(done.table["torque"].to_pylist())
    assert done.unit("error") == "deg"


def test_no_scheduler(plan, tmp_path, monkeypatch):
    monkeypatch.setattr(tasks, "ANSWER", 0.5)
    with pytest.raises(ValueError, match=r"no Dask scheduler answers at 'tcp://127\.0\.0\.1:1'"):
        api.sweep(plan, tmp_path / "Spread", scheduler="tcp://127.0.0.1:1")


def test_a_folder_without_a_sweep(tmp_path):
    with pytest.raises(ValueError, match=r"is not the folder of a sweep: there is no sweep\.json in it"):
        api.repeat(tmp_path, 1)


@pytest.mark.parametrize("text", ["", "[1]", "{", 10_000 * "["])
def test_a_folder_whose_record_is_damaged(tmp_path, text):
    (tmp_path / "Spread").mkdir()
    (tmp_path / "Spread" / "sweep.json").write_text(text)
    with pytest.raises(ValueError, match=r"sweep\.json: .*; remove the folder, or name another one with --output"):
        store.claim(tmp_path / "Spread", {"plan": ""}, "", {})
