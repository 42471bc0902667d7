"""Looking never runs the Python that a system names; running says that it does."""

from __future__ import annotations

from pathlib import Path

import pytest

from spacefmu.fmu_src import api
from tests.cli.command import in_this_process
from tests.python_fmu.units import GYRO

SYSTEM = """
kind = "system"
name = "Measured"
step = 0.1
stop = 0.2
[units.sensor]
model = "own.py"
[units.other]
model = "nested.toml"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A system with a block that leaves a file when it is imported."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(GYRO + "\nfrom pathlib import Path\nPath('ran').touch()\n", "utf-8")
    (tmp_path / "plant.toml").write_text(SYSTEM.partition("[units.other]")[0], "utf-8")
    (tmp_path / "plan.toml").write_text('model = "plant.toml"\n', "utf-8")
    return tmp_path


@pytest.mark.parametrize("line", ["check plant.toml", "view plant.toml", "view plant.toml --still", "view run.csv --model own.py"])  # fmt: skip
def test_looking_never_runs(folder, capfd, line):
    Path("run.csv").write_text("time,a\n0,1\n1,1\n")
    in_this_process(f"spacefmu {line}", code=2)
    said = capfd.readouterr().err
    assert "own.py, Python code, which this command does not run" in said
    assert "--model" in line or "unit sensor is own.py" in said
    assert not Path("ran").exists()


def test_systems_can_be_listed_without_running(folder, capfd):
    in_this_process("spacefmu system show plant.toml")
    assert "sensor: own.py" in capfd.readouterr().out
    assert {unit: file.name for unit, file in api.python_of_plan("plan.toml").items()} == {"sensor": "own.py"}
    assert not Path("ran").exists()


def test_a_system_within_a_system_is_looked_into_and_none_is_within_itself(folder):
    Path("outer.toml").write_text(SYSTEM.replace('"own.py"', '"plant.toml"').partition("[units.other]")[0], "utf-8")
    assert list(api.python_of("outer.toml")) == ["sensor.sensor"]
    Path("nested.toml").write_text(SYSTEM, "utf-8")
    with pytest.raises(ValueError, match="is a system that contains itself"):
        api.python_of("nested.toml")
    assert not Path("ran").exists()


def test_running_says_so(folder, capfd):
    in_this_process("spacefmu system run plant.toml -o run.csv")
    assert f"unit sensor is {Path('own.py')}, Python code that runs with your rights" in capfd.readouterr().err
    assert Path("ran").exists()


def test_models_of_one_name_are_built_apart(folder, monkeypatch):
    """Two descriptions named Craft in two folders: the second was built over the first."""
    built: list[Path] = []
    monkeypatch.setattr("spacefmu.fmu_src.api.systems.build", lambda system, path, **_: built.append(path) or path)
    monkeypatch.setattr("spacefmu.fmu_src.api.systems.read_description", lambda path: None)
    monkeypatch.setattr("spacefmu.fmu_src.cosim.coupling.with_own_seeds", lambda system, read: system)
    text = (Path(api.__file__).parents[1] / "catalogue/HingedPanel.toml").read_text("utf-8")
    for side in "ab":
        Path(side).mkdir()
        Path(side, "craft.toml").write_text(text, "utf-8")
    units = "".join(
        f'[units.{unit}]\nmodel = "{side}/craft.toml"\n' for unit, side in (("p", "a"), ("q", "b"), ("r", "a"))
    )
    Path("two.toml").write_text(f'kind = "system"\nname = "Two"\nstep = 0.1\nstop = 1.0\n{units}', "utf-8")
    fmus = api.systems.coupled(Path("two.toml"), Path("fmus"), None)[1]
    assert len(built) == 2
    assert fmus["p"] == fmus["r"] != fmus["q"]
