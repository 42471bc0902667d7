"""Wrong input of every kind: one clear sentence on stderr, exit code 2, nothing on stdout, nothing written."""

import errno
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from types import SimpleNamespace

import pytest

from spacefmu.fmu_src import api
from spacefmu.fmu_src.api import running
from spacefmu.fmu_src.archive.description import read_description
from spacefmu.fmu_src.cli import main
from spacefmu.fmu_src.cli.console import fail
from spacefmu.fmu_src.results.files import whole_file
from tests.catalogue_fmus import fmu_file
from tests.cli.command import ROOT, spacefmu

# (arguments; F is the four-bar's FMU), what the sentence must name: the offending thing and what was expected
WRONG = {
    "no such description": ("build nosuch.toml", ["nosuch.toml", "no such file"]),
    "no such catalogue entry": ("build FlexibelSatellite", ["FlexibelSatellite", "did you mean 'FlexibleSatellite'"]),
    "broken TOML": ("build broken.toml", ["broken.toml", "line 2, column 8"]),
    "wrong field": ("build wrong.toml", ["bodies.hub.mass", "-5", "not less than 0"]),
    "a folder": ("build .", [".", "is a folder"]),
    "an FMU, not a description": ("build F", ["FourBar.fmu", "is already an FMU", "simulate"]),
    "unknown platform": ("build FourBar -p amiga", ["amiga", "linux64, win64, darwin64 or host"]),
    "no platform": ("build FourBar -p ,", ["no platform", "linux64"]),
    "output is no .fmu": ("build FourBar -p host -o plant.zip", ["plant.zip", ".fmu"]),
    "unwritable output": ("build FourBar -p host -o broken.toml/x.fmu", ["broken.toml"]),
    "output is a folder": ("build FourBar -p host -o folder.fmu", ["folder.fmu", "is a folder"]),
    "unwritable results": ("simulate F -o broken.toml/run.csv", ["broken.toml/run.csv", "Not a directory"]),
    "unwritable picture": ("simulate F --plot broken.toml/run.png", ["broken.toml/run.png", "Not a directory"]),
    "unwritable demo": ("demo -o broken.toml", ["broken.toml", "Not a directory"]),
    "unwritable schema": ("schema -o broken.toml/s.json", ["broken.toml/s.json", "Not a directory"]),
    "schema of nothing": ("schema --kind balloon", ["'balloon'", "spacecraft"]),
    "not a zip": ("info not.fmu", ["not.fmu", "zip"]),
    "a zip that is no FMU": ("info zip.fmu", ["zip.fmu", "modelDescription.xml"]),
    "no such FMU": ("simulate nosuch.fmu", ["nosuch.fmu", "no such file"]),
    "unknown causality": ("info F --only inputs", ["inputs", "must be some of input"]),
    "unknown parameter": ("simulate F --set hinge1.stifness=3", ["hinge1.stifness", "did you mean 'hinge1.stiffness'"]),
    "not a setting": ("simulate F --set hinge1.stiffness", ["hinge1.stiffness", "NAME=VALUE"]),
    "not a number": ("simulate F --set hinge1.stiffness=soft", ["'soft'", "finite number"]),
    "NaN": ("simulate F --set hinge1.stiffness=nan", ["'nan'", "finite number"]),
    "a method that was renamed": ("simulate F --set solver.method=dop853", ["'dop853'", "one of explicit, rk4, rodas5p, real_time, real_time_stiff, automatic, or its number"]),
    "illegal for the model": ("simulate F --set bar1.mass=-1", ["bar1.mass", "-1"]),
    "calculated by the model": ("simulate F --set system.momentum=1", ["system.momentum[1]", "calculated"]),
    "unknown variable": ("simulate F -v hinge1.angel", ["hinge1.angel", "did you mean 'hinge1.angle'"]),
    "key of the description": ("simulate F --set bar1.length=3", ["'bar1.length'", "belongs to the description"]),
    "stop in the past": ("simulate F --stop -3", ["-3", "positive"]),
    "too many steps": ("simulate F --step 1e-9", ["1e-09", "at most"]),
    "unknown kind of file": ("simulate F -o x.xls", ["x.xls", ".csv, .npz, .mat, .oem or .aem"]),
    "unknown kind of picture": ("simulate F --plot x.bmp", ["x.bmp", ".png"]),
    "a page that would be a text": ("view late.csv -o README.md", ["README.md", "pages are written as .html or .htm"]),
    "a report over its result": ("report late.csv --compare late.html -o late.html", ["late.html", "is an input"]),
    "results over their inputs": ("simulate F -i late.csv -o late.csv", ["late.csv", "is an input"]),
    "two outputs of one name": ("system run AttitudeSlew --real-time 1 --plot a.png --timing a.png", ["a.png", "is named twice"]),
    "a page of someone else": ("view late.csv", ["late.html", "was not written by spacefmu", "-o"]),
    "a picture of a system": ("system run AttitudeSlew --plot x.bmp", ["x.bmp", ".png"]),
    "no such input table": ("simulate F -i nosuch.csv", ["nosuch.csv", "No such file"]),
    "NaN in the input table": ("simulate F -i nan.csv", ["nan.csv", "line 3", "hinge1.torque is 'nan'"]),
    "unknown input": ("simulate F -i unknown.csv", ["hinge1.torqe", "did you mean 'hinge1.torque'"]),
    "inputs after the end": ("simulate F --stop 3 -i late.csv", ["begin at 40 s", "stop at 3 s"]),
    "not a table": ("simulate F -i not.npz", ["not.npz", "not a readable .npz file"]),
    "not a table of MATLAB": ("simulate F -i not.mat", ["not.mat", "not a readable .mat file"]),
    "unknown kind of table": ("simulate F -i x.xls", ["x.xls", ".csv, .npz, .npy, .mat"]),
    "damaged units": ("simulate F -i units.csv", ["units.csv.json", "no units"]),
    "time goes back": ("simulate F -i back.csv", ["back.csv", "line 3", "from 1 to 0"]),
    "a short line": ("simulate F -i short.csv", ["short.csv", "line 3", "1 values, expected 2"]),
    "a name that is none": ("new 3x", ["'3x'", "letters"]),
    "a file that is there": ("new broken", ["broken.toml", "--force"]),
    "an unknown kind": ("new a --kind balloon", ["balloon", "satellite"]),
    "an unknown command": ("frobnicate", ["frobnicate"]),
    "an unknown option": ("build FourBar --frob", ["--frob"]),
    "nothing to build": ("build", ["description"]),
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with files that are wrong in all sorts of ways."""
    folder = tmp_path_factory.mktemp("wrong")
    texts = {
        "broken.toml": 'name = "a"\n[bodies\n',
        "wrong.toml": 'name = "a"\n[bodies.hub]\nmass = -5.0\ninertia = [1.0, 1.0, 1.0]\n',
        "not.fmu": "no zip",
        "late.csv": "time,hinge1.torque\n40,1\n41,1\n",
        "late.html": "<title>a page of someone else's</title>",
        "not.npz": "no table",
        "not.mat": "no table",
        "units.csv": "time,hinge1.torque\n0,1\n",
        "units.csv.json": "[]",
        "nan.csv": "time,hinge1.torque\n0,1\n1,nan\n",
        "unknown.csv": "time,hinge1.torqe\n0,1\n",
        "back.csv": "time,hinge1.torque\n1,1\n0,1\n",
        "short.csv": "time,hinge1.torque\n0,1\n1\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "folder.fmu").mkdir()
    with zipfile.ZipFile(folder / "zip.fmu", "w") as archive:
        archive.writestr("readme.txt", "not an FMU")
    return folder


@pytest.mark.parametrize("case", WRONG)
def test_one_sentence_and_exit_code_2(case, folder, four_bar, monkeypatch, capfd):
    """In this process, which saves the start of forty others; the tests below run `spacefmu` as a person does."""
    line, words = WRONG[case]
    before = sorted(folder.iterdir())
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit) as end:
        main([str(four_bar) if word == "F" else word for word in line.split()])
    told, complaint = capfd.readouterr()
    assert end.value.code == 2, complaint
    assert told == ""
    sentences = complaint.splitlines()
    assert len(sentences) == 1, complaint
    assert sentences[0].startswith("spacefmu: ")
    assert [word for word in words if word not in complaint] == [], complaint
    assert sorted(folder.iterdir()) == before  # nothing written, nothing half-written


def test_debug_shows_the_traceback(folder):
    done = spacefmu("build", "nosuch.toml", "--debug", folder=folder)
    assert done.returncode != 0
    assert "Traceback" in done.stderr
    assert "DescriptionError" in done.stderr


# What a description's FMU would refuse, and the words that tell so.
BEFORE_THE_BUILD = {
    "--set hinge1.stifness=3": "did you mean 'hinge1.stiffness'",
    "--set bar1.length=3": "'length' belongs to the description",
    "--set bar1.mass=-1": "bar1.mass is -1, expected a number greater than 0",
    "--set solver.method=euler": "solver.method is 'euler'",
    "--set system.momentum=1": "system.momentum[1] can't be set",
    "-v hinge1.angel": "did you mean 'hinge1.angle'",
    "-i unknown.csv": "did you mean 'hinge1.torque'",
    "--step 1e-9": "are allowed",
}


@pytest.mark.parametrize("options", BEFORE_THE_BUILD)
def test_a_description_is_not_built_for_a_run_that_cannot_be(options, folder, no_long_work, monkeypatch, capfd):
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit) as end:
        main(["simulate", "FourBar", *options.split()])
    assert end.value.code == 2
    assert BEFORE_THE_BUILD[options] in capfd.readouterr().err


def test_the_variables_to_be_are_those_of_the_fmu(four_bar):
    """What is checked before the build is what the FMU then has."""
    there = read_description(four_bar).modelVariables
    to_be = running.variables_to_be(api.load("FourBar"))
    assert list(to_be) == [variable.name for variable in there]
    for variable in there:
        other = to_be[variable.name]
        fields = ("valueReference", "type", "causality", *["initial"] * (variable.causality != "input"))
        for field in fields:  # FMPy gives inputs an `initial`, which FMI does not
            assert getattr(other, field) == getattr(variable, field), (variable.name, field)
        for field in ("min", "max"):
            ours, theirs = getattr(other, field), getattr(variable, field)
            assert (ours is None) == (theirs is None), (variable.name, field)
            assert ours is None or float(ours) == float(theirs)
        items = [
            [(item.name, item.value) for item in v.declaredType.items] if v.declaredType else []
            for v in (other, variable)
        ]
        assert items[0] == items[1]


@pytest.fixture
def no_long_work(monkeypatch):
    """Whatever takes long must not begin."""

    def too_late(*arguments):
        raise AssertionError("the long work began")

    monkeypatch.setattr("spacefmu.fmu_src.build.generate", too_late)
    monkeypatch.setattr("spacefmu.fmu_src.cosim.simulate", too_late)


LATE = {  # what can't be written or built, and the reason
    "build FourBar -p host -o {disk}/plant.fmu": "{disk}/plant.fmu: No space left on device",
    "build FourBar -p host -o {file}/plant.fmu": "{file}/plant.fmu: Not a directory",
    "build FourBar -p win64 -o {disk}/plant.fmu": "no compiler for win64: install the Python package ziglang",
    "simulate {fmu} -o {disk}/run.csv": "{disk}/run.csv: No space left on device",
    "simulate {fmu} -o run.csv --plot {file}/run.png": "{file}/run.png: Not a directory",
    "demo -o {disk}": "{disk}/slew.csv: No space left on device",
}


@pytest.mark.parametrize("line", LATE)
def test_what_cannot_end_well_does_not_begin(line, four_bar, no_long_work, tmp_path, monkeypatch, capfd):
    """A disk that is full, a folder that is none, a platform without a compiler: told before the long work, not after it."""
    places = {"disk": tmp_path / "disk", "file": tmp_path / "file", "fmu": four_bar}
    places["disk"].mkdir()
    places["file"].write_text("")
    usage = shutil.disk_usage

    def full(folder):
        return SimpleNamespace(free=1000) if os.path.samefile(folder, places["disk"]) else usage(folder)

    if "win64" in line:
        monkeypatch.setattr(
            "importlib.util.find_spec",
            lambda name, find=importlib.util.find_spec: None if name == "ziglang" else find(name),
        )
    else:
        monkeypatch.setattr("shutil.disk_usage", full)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        main(line.format_map(places).split())
    told, complaint = capfd.readouterr()
    assert (end.value.code, told) == (2, "")
    assert complaint.startswith(f"spacefmu: {LATE[line].format_map(places)}")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["disk", "file"]


def _files_end_at_a_megabyte():
    """The operating system refuses to write more, as it does when the disk is full."""
    import resource  # of Unix

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process are a thing of Unix")
def test_a_write_that_fails_half_way_leaves_the_old_file(four_bar, tmp_path):
    """20 s in steps of 0.5 ms are some 40 MB of CSV, but a file may have 1 MB."""
    (tmp_path / "run.csv").write_text("old")
    done = spacefmu(
        "simulate", str(four_bar), "--step", "0.0005", "--stop", "2", "-o", "run.csv",
        folder=tmp_path, preexec_fn=_files_end_at_a_megabyte,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == "spacefmu: run.csv: File too large\n"
    assert [path.name for path in tmp_path.iterdir()] == ["run.csv"]
    assert (tmp_path / "run.csv").read_text() == "old"


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process are a thing of Unix")
@pytest.mark.parametrize("work", ["simulate", "cosimulate"])
def test_a_temporary_disk_that_fills_up_is_left_clean(work, tmp_path):
    """The FMU's library takes more than a file may have: unpacking it fails half-way."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    path = fmu_file("FourBar")
    (tmp_path / "one.toml").write_text(
        f'kind = "system"\nname = "One"\nstep = 0.1\nstop = 1.0\n[units.bar]\nmodel = "{path.as_posix()}"\n'
    )
    what = repr(str(path)) if work == "simulate" else repr("one.toml")
    done = subprocess.run(
        [sys.executable, "-c", f"from spacefmu.fmu_src import api; api.{work}({what})"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(temporary), "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=_files_end_at_100_kilobytes,
        capture_output=True,
        text=True,
    )
    assert f"File too large: '{temporary}'" in done.stderr
    assert list(temporary.iterdir()) == []


def _files_end_at_100_kilobytes():
    import resource  # of Unix

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))


def test_a_full_disk_names_the_file(tmp_path, monkeypatch, capsys):
    """The error of a full disk names no file: the sentence does."""

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left") as caught:
        api.build("AttitudeController", tmp_path / "controller.fmu")
    assert fail(caught.value) == 2
    assert capsys.readouterr().err == f"spacefmu: {tmp_path / 'controller.fmu'}: No space left on device\n"
    assert list(tmp_path.iterdir()) == []


def test_whole_file_keeps_what_was_there(tmp_path):
    path = tmp_path / "kept.txt"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt), whole_file(path) as unfinished:  # noqa: PT012
        unfinished.write_text("half")
        raise KeyboardInterrupt
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_defect_is_not_blamed_on_the_person(capsys):
    assert fail(ZeroDivisionError("division by zero")) == 1
    assert "ZeroDivisionError" in capsys.readouterr().err
