"""Sweeps by lanes: the numbers of sweeps by the FMU to the tolerance, the same bytes whoever does the runs."""

import shutil

import numpy as np
import pyarrow.parquet as pq
import pytest

from spacefmu.dynamics.description import DescriptionError
from spacefmu.fmu_src import api
from spacefmu.fmu_src.studies import tasks
from spacefmu.fmu_src.studies.store import Span
from tests.catalogue_fmus import fmu_file

RUNS = 70
PLAN = """
kind = "sweep"
name = "Spread"
model = "HingedPanel.fmu"
method = "sobol"
runs = 70
seed = 5
stop = 1.0
step = 0.1
lanes = {lanes}
{more}

[set]
"panel.mode[1].amplitude" = 0.01

[parameters]
"hub.mass" = {{ distribution = "uniform", low = 400.0, high = 500.0 }}
stiffness = {{ distribution = "normal", mean = 1.0, deviation = 0.1, relative = true, variables = ["panel.mode[1].frequency"] }}

[metrics]
tip = {{ of = "panel.tip.displacement", kind = "rms", after = 0.2 }}
rate = {{ of = "hub.angular_velocity[1]", kind = "largest", unit = "deg/s" }}
mass = {{ of = "hub.mass", kind = "final" }}
"""
TRACES = '\n[traces]\nvariables = ["hub.angular_velocity"]\nevery = 0.2\n'
OWN = """
def end(run):
    if 430.0 < run["hub.mass"][0] < 431.0:
        raise RuntimeError("not this one")
    return run["hub.position"][-1, 0]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tasks, "TASK", 0.03)  # a short sweep has several tasks
    shutil.copy(fmu_file("HingedPanel"), tmp_path / "HingedPanel.fmu")
    return tmp_path


def swept(folder, name, lanes, text=PLAN, more="", traces="", metrics=None, workers=1):
    plan = folder / f"{name}.toml"
    plan.write_text(text.format(lanes=str(lanes).lower(), more=more) + traces)
    return api.sweep(plan, folder / name, metrics=metrics, workers=workers)


def test_numbers_traces_and_own_metrics_are_those_of_the_fmu(folder):
    (folder / "own.py").write_text(OWN)
    (folder / "push.csv").write_text("time,hub.torque[1]\n0,0\n0.35,2\n0.35,-1\n1,0.5\n")
    more = {"more": 'input = "push.csv"', "traces": TRACES, "metrics": folder / "own.py"}
    ours, theirs = (swept(folder, f"by{lanes}", lanes, **more) for lanes in (True, False))
    assert ours.table.column_names == theirs.table.column_names
    assert ours.table["status"] == theirs.table["status"]
    assert ours.table["reason"] == theirs.table["reason"]
    assert 0 < len(ours.failed) < 5
    for name in ("tip", "rate", "mass", "end"):
        a, b = (each.table[name].to_numpy() for each in (ours, theirs))
        np.testing.assert_allclose(a, b, rtol=1e-7)
    tables = [pq.read_table(each.folder / "traces") for each in (ours, theirs)]
    traces = [np.column_stack([column.to_numpy() for column in table.columns]) for table in tables]
    np.testing.assert_allclose(traces[0], traces[1], atol=1e-9)


def test_the_same_bytes_by_one_worker_and_by_two(folder, monkeypatch):
    monkeypatch.setattr("spacefmu.fmu_src.studies.study.BLOCK", 16)
    files = [swept(folder, f"by{workers}", True, workers=workers).folder / "runs" for workers in (1, 2)]
    assert [path.name for path in files[0].iterdir()] == ["000000000-000000069.parquet"]
    assert next(files[0].iterdir()).read_bytes() == next(files[1].iterdir()).read_bytes()


def test_tasks_end_with_blocks():
    assert tasks._whole_blocks(Span(0, 999), 1, 256) == 256
    assert tasks._whole_blocks(Span(300, 999), 500, 256) == 724
    assert tasks._whole_blocks(Span(7, 999), 5, 1) == 5
    assert [(half.first, half.last) for half in tasks._halves(Span(256, 1023), 256)] == [(256, 511), (512, 1023)]
    assert [(half.first, half.last) for half in tasks._halves(Span(0, 299), 256)] == [(0, 255), (256, 299)]
    assert [(half.first, half.last) for half in tasks._halves(Span(0, 3), 1)] == [(0, 1), (2, 3)]


def test_what_lanes_do_not_take_is_said(folder):
    with pytest.raises(DescriptionError, match=r'algorithm = "monolithic"'):
        swept(
            folder,
            "coupled",
            True,
            PLAN.replace("HingedPanel.fmu", "AttitudeSlew").replace('"hub.mass"', '"plant.hub.mass"'),
        )
