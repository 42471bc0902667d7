"""Real processes of a sweep that are killed: said in one sentence, and the same command then gives the same files, bit for bit."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import dask
import pytest

from spacefmu.fmu_src import api
from spacefmu.fmu_src.cosim.fmu import SimulationError
from spacefmu.fmu_src.studies import tasks
from tests.catalogue_fmus import fmu_file
from tests.cli.command import ROOT
from tests.studies.test_sweeps import PLAN, files

RUNS = 20
SCHEDULER = """
import os, signal, sys, threading, time
from distributed import LocalCluster
with LocalCluster(n_workers=int(sys.argv[1]), threads_per_worker=1, processes=False, host="127.0.0.1", dashboard_address="127.0.0.1:0",
                  protocol="tcp://") as cluster:
    print(cluster.scheduler_address, flush=True)
    while "mortal" in sys.argv and len(cluster.scheduler.clients) < 2:  # one is Dask's own
        time.sleep(0.05)
    if "mortal" in sys.argv:
        time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGKILL)
    threading.Event().wait()
"""


@pytest.fixture(autouse=True)
def _short_tasks(monkeypatch):
    monkeypatch.setattr(tasks, "TASK", 0.03)


def a_plan(folder: Path) -> Path:
    (folder / "plan.toml").write_text(PLAN.format(model=fmu_file("HingedPanel"), runs=RUNS))
    return folder / "plan.toml"


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The files of the sweep in one go."""
    folder = tmp_path_factory.mktemp("expected")
    api.sweep(a_plan(folder), folder / "Spread", workers=1)
    return files(folder / "Spread")


@contextmanager
def scheduler(workers: int, *how: str):
    """(process, address) of a Dask scheduler with so many workers; a mortal one is killed when it has a client."""
    line = [sys.executable, "-c", SCHEDULER, str(workers), *how]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


GONE = r"^the Dask scheduler no longer answers \(\w+\); finished runs are kept, and the same command resumes with the others$"


@pytest.mark.parametrize("moment", ["while it has no worker", "before the first run", "after some runs"])
def test_a_scheduler_that_is_killed(moment, expected, tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(tasks, "ANSWER", 2.0)
    told = []

    def tell(state):
        told.append(state)
        if moment == "after some runs" and len(told) == 3:
            process.kill()

    def report(words):
        if moment == "before the first run" and words.startswith("dashboard"):
            process.kill()

    plan, folder = a_plan(tmp_path), tmp_path / "Spread"
    how = (0, "mortal") if moment == "while it has no worker" else (1,)
    with scheduler(*how) as (process, address), pytest.raises(SimulationError, match=GONE):
        api.sweep(plan, folder, scheduler=address, on_state=tell, on_message=report)
    assert capfd.readouterr().err == ""  # no traceback of Dask's
    if moment != "after some runs":
        assert not (folder / "runs").exists()
        return
    assert 3 <= len(api.read_sweep(folder).table) < RUNS
    resumed = []
    api.sweep(plan, folder, workers=1, on_state=resumed.append)
    assert resumed[0].done > told[-1].done  # nothing is done again
    assert files(folder) == expected


def test_a_scheduler_whose_workers_do_not_come(tmp_path, monkeypatch):
    monkeypatch.setattr(tasks, "JOIN", 0.5)
    with scheduler(0) as (_, address), pytest.raises(ValueError, match=r"at tcp://\S+ has no workers"):
        api.sweep(a_plan(tmp_path), tmp_path / "Spread", scheduler=address)


def test_a_worker_that_is_killed_while_it_starts(tmp_path):
    """By a preload of Dask's, which runs in the worker process before it joins."""
    die = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    words = r"a worker process ended while it started .*; finished runs are kept, and the same command resumes"
    with dask.config.set({"distributed.worker.preload": [die]}), pytest.raises(SimulationError, match=words):
        api.sweep(a_plan(tmp_path), tmp_path / "Spread", workers=1)


def test_a_sweep_that_is_killed_at_any_file_operation_resumes(tmp_path):
    """Rows of traces were doubled where the sweep died between traces and runs, and the next one cut its tasks otherwise.

    Files whose bytes a crash of the machine cut off are made again, too.
    """
    line = [sys.executable, "-m", "tests.studies.killed_store", str(tmp_path)]
    done = subprocess.run(line, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 40
