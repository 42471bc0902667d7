"""spacefmu system, as a person runs it."""

import csv
import json

import pytest

from tests.catalogue_fmus import fmu_file
from tests.cli.command import in_this_process, spacefmu

SYSTEM = """
kind = "system"
name = "Slew"
step = 0.1
stop = 1.0

[units.plant]
model = "{plant}"

[units.controller]
model = "{controller}"

[connections]
"controller.quaternion" = "plant.hub.quaternion"
"controller.angular_velocity" = "plant.hub.angular_velocity"
"plant.hub.torque" = "controller.torque"
"""


@pytest.fixture
def folder(tmp_path):
    text = SYSTEM.format(plant=fmu_file("HingedPanel"), controller=fmu_file("AttitudeController"))
    (tmp_path / "slew.toml").write_text(text)
    (tmp_path / "wrong.toml").write_text(text.replace('"plant.hub.torque"', '"plant.hub.force"'))
    return tmp_path


def test_pack_and_run(folder):
    packed = spacefmu("system", "pack", "slew.toml", folder=folder)
    assert (packed.returncode, packed.stdout, packed.stderr) == (0, "Slew.ssp\n", "")
    arguments = ("-s", "plant.hub.angular_velocity=0.01", "-v", "controller.torque", "--real-time", "100")
    run = spacefmu("system", "run", "Slew.ssp", *arguments, "-o", "run.csv", folder=folder)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.splitlines()[:2] == ["run.csv", "steps       10"]
    rows = list(csv.reader((folder / "run.csv").read_text().splitlines()))
    assert rows[0] == ["time", *(f"controller.torque[{i}]" for i in (1, 2, 3))]
    assert len(rows) == 12
    assert abs(float(rows[1][1])) > 1.0


def test_the_report_of_a_system(folder, monkeypatch, capfd):
    monkeypatch.chdir(folder)
    in_this_process("spacefmu system run slew.toml --report slew.html")
    assert capfd.readouterr() == ("slew.csv\nslew.html\n", "")
    assert "<iframe" in (folder / "slew.html").read_text(encoding="utf-8")


def test_what_units_warn_of_is_shown_after_a_run_that_went_well(folder):
    """A controller that gets no attitude says so once; the run goes on, and the person reads it."""
    text = (folder / "slew.toml").read_text()
    (folder / "blind.toml").write_text(text.replace('"controller.quaternion" = "plant.hub.quaternion"\n', ""))
    run = spacefmu("system", "run", "blind.toml", "-s", "controller.quaternion=0", folder=folder)
    assert (run.returncode, run.stdout) == (0, "blind.csv\n")
    assert len(run.stderr.splitlines()) == 1
    assert run.stderr.startswith("spacefmu: controller (AttitudeController.fmu): ")
    assert "quaternion" in run.stderr


def test_show(folder):
    shown = spacefmu("system", "show", "AttitudeSlew", "--json", folder=folder)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert json.loads(shown.stdout)["units"]["plant"]["model"] == "FlexibleSatellite"


def test_bad_coupling_in_one_sentence_a_problem(folder):
    refused = spacefmu("system", "run", "wrong.toml", folder=folder)
    assert refused.returncode == 2
    assert refused.stderr.splitlines() == [
        f"spacefmu: Slew: controller.torque[{i}] → plant.hub.force[{i}]: the units are N.m and N, which are incompatible"
        for i in (1, 2, 3)
    ]
    assert not (folder / "wrong.csv").exists()


WRONG_NAMES = """
kind = "system"
name = "Bad"
step = 0.1
stop = 1.0
[units.plant]
model = "HingedPanel"
[units.controller]
model = "AttitudeController"
[connections]
"controller.quaternion" = "plant.hub.quaternio"
"plant.hub.torque" = "controller.torqe"
"""


def test_names_are_checked_before_anything_is_built(tmp_path, monkeypatch, capfd):
    """`system show` refuses unknown variables, and so does a run before it builds: of connections, --set and -v."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.toml").write_text(WRONG_NAMES)
    good = WRONG_NAMES.replace('quaternio"', 'quaternion"').replace("torqe", "torque")
    (tmp_path / "good.toml").write_text(good)

    def never(*arguments, **named):
        raise AssertionError("something was built")

    monkeypatch.setattr("spacefmu.fmu_src.api.systems.build", never)
    for line in ("show bad.toml", "run bad.toml"):
        in_this_process(f"spacefmu system {line}", code=2)
        assert capfd.readouterr().err.splitlines() == [
            "spacefmu: Bad: 'hub.quaternio' is not a variable of plant; did you mean 'hub.quaternion' or 'hub.quaternion[4]' or 'hub.quaternion[3]'?",
            "spacefmu: Bad: 'torqe' is not a variable of controller; did you mean 'torque' or 'torque[3]' or 'torque[2]'?",
        ]
    in_this_process("spacefmu system show good.toml")
    capfd.readouterr()
    for option, words in (("-v plant.hub.mas", "'hub.mas' is not a variable of plant"), ("--set plan.hub.mass=1", "'plan.hub.mass': [units] has no 'plan'")):  # fmt: skip
        in_this_process(f"spacefmu system run good.toml {option}", code=2)
        assert capfd.readouterr().err.startswith(f"spacefmu: {words}; did you mean ")
