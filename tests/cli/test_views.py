"""Views and reports as a newcomer asks for them: of files with bad luck, beside other files, and by the Python interface."""

from __future__ import annotations

import numpy as np
import pytest

from fmu_src.results import Result
from tests.catalogue_fmus import system_of
from tests.cli.command import in_this_process

TIME = np.linspace(0.0, 1.0, 11)


def run_of(name: str = "HingedPanel", **columns) -> Result:
    """A run that no FMU made: everything at its start, but for some columns; it carries its description."""
    system = system_of(name)
    files = {path: content.decode() for path, content in system.described_by}
    values = {s.name: np.full(len(TIME), float(s.start)) for s in system.picture().coordinates.states} | columns
    origin = {"spacefmu": "0", "units": {"": {"model": f"{name}.fmu", "description": files, "values": {}}}}
    return Result(TIME, tuple(values), np.column_stack(list(values.values())), origin=origin)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_view_and_a_report_of_one_run_stand_beside_each_other(folder):
    run_of().write("run.csv")
    for _ in range(2):  # a page of ours may be made anew
        in_this_process("spacefmu view run.csv")
        in_this_process("spacefmu report run.csv")
    assert sorted(path.name for path in folder.glob("*.html")) == ["run.html", "run_report.html"]
    assert "<iframe" in (folder / "run_report.html").read_text(encoding="utf-8")
