"""Every command, run as a process, and what it leaves behind; over several kinds of descriptions in this process, which saves starts."""

import json
import os
import re
import shlex
import signal
import tomllib
from contextlib import contextmanager

import jsonschema
import numpy as np
import pytest
from scipy.io import loadmat

from spacefmu.fmu_src import api, catalogue
from spacefmu.fmu_src.check.check import check
from spacefmu.fmu_src.cli import main
from spacefmu.fmu_src.results import Result, read_table
from tests.catalogue_fmus import fmu_file
from tests.cli.command import in_this_process, spacefmu


def run(*arguments, folder, **environment) -> str:
    done = spacefmu(*arguments, folder=folder, **environment)
    assert done.returncode == 0, done.stderr
    told = [line for line in done.stderr.splitlines() if not re.fullmatch(r"spacefmu: .*, [0-9]+ s", line)]
    assert told == []  # quiet in a pipe: no warnings; a busy machine tells now and then how far a build is
    return done.stdout


def test_list_names_every_entry_with_its_paper(tmp_path):
    rows = json.loads(run("list", "--json", folder=tmp_path))
    assert [row["name"] for row in rows] == [entry.name for entry in catalogue.entries()]
    assert all("[" in row["description"] for row in rows if row["kind"] != "system")
    assert run("list", folder=tmp_path).count("\n") == len(rows)


@pytest.fixture
def run_here(tmp_path, monkeypatch, capfd):
    """run_here(line): what a line `spacefmu …` writes, in tmp_path."""
    monkeypatch.chdir(tmp_path)

    def run_line(line: str) -> str:
        in_this_process(line)
        return capfd.readouterr().out

    return run_line


KINDS = pytest.mark.parametrize("kind", ["satellite", "manipulator", "tether", "tree"])


@KINDS
def test_new_builds_as_it_is(kind, tmp_path, run_here):
    assert run("new", "Mine", "--kind", kind, folder=tmp_path) == "Mine.toml\n"
    assert run_here("spacefmu build Mine.toml --platform host") == "Mine.fmu\n"
    assert run_here("spacefmu simulate Mine.fmu --stop 1 --plot Mine.png") == "Mine.csv\nMine.png\n"
    assert np.all(np.isfinite(read_table(tmp_path / "Mine.csv").values))
    assert (tmp_path / "Mine.png").read_bytes().startswith(b"\x89PNG")


def test_new_systems_blocks_and_sweeps_run_as_they_are(tmp_path, run_here):
    """Each by the command that `new` names; the block passes our own rules for its start."""
    run_here("spacefmu new Loop --kind system")
    run_here("spacefmu system run Loop.toml --stop 1 -o Loop.csv")
    assert np.all(np.isfinite(read_table(tmp_path / "Loop.csv").values))
    assert run_here("spacefmu new Rates --kind block") == "Rates.py\n"
    run_here("spacefmu build Rates.py --platform host")
    report = check(tmp_path / "Rates.fmu", ["exact-start", "exact-set"])
    assert [each.text for each in report.findings] == []
    run_here("spacefmu new Spread --kind sweep")
    text = (tmp_path / "Spread.toml").read_text()
    (tmp_path / "Spread.toml").write_text(text.replace("runs = 20", "runs = 2"))
    run_here("spacefmu sweep Spread.toml --workers 1")


@KINDS
def test_the_schema_is_where_new_files_look_for_it(kind, tmp_path, run_here):
    """`new` names the file that `schema` writes; the file accepts what `new` wrote, and not with a wrong key."""
    run_here(f"spacefmu new Mine --kind {kind}")
    text = (tmp_path / "Mine.toml").read_text()
    (line,) = (line for line in text.splitlines() if line.startswith("# #:schema ./"))
    written = run_here("spacefmu schema").strip()
    assert line.removeprefix("# #:schema ./") == written
    schema = json.loads((tmp_path / written).read_text())
    jsonschema.validate(tomllib.loads(text), schema)
    with pytest.raises(jsonschema.ValidationError, match="mas"):
        jsonschema.validate(tomllib.loads(text.replace("\nmass =", "\nmas =", 1)), schema)


def test_info_as_json_tells_everything(four_bar, tmp_path):
    facts = json.loads(run("info", str(four_bar), "--json", folder=tmp_path))
    assert facts["name"] == "FourBar"
    assert "co-simulation" in facts["kinds"]
    assert facts["experiment"]["stop"] == 20.0  # of the description
    torque = next(row for row in facts["variables"] if row["name"] == "hinge1.torque")
    assert (torque["causality"], torque["unit"], torque["start"]) == ("input", "N.m", 0.0)
    shown = run("info", str(four_bar), "--only", "input", folder=tmp_path)
    assert shown.split("\t")[0] == "hinge1.torque"


def test_simulate_with_inputs_and_settings(four_bar, tmp_path, run_here):
    """A motor torque of 1 N m does work: W = ∫ τ θ̇ dt, with θ̇ an output. The trapezoidal sum agrees to O(h²)."""
    (tmp_path / "torque.csv").write_text("time,hinge1.torque\n0,1\n5,1\n")
    command = ["simulate", str(four_bar), "--stop", "5", "--step", "0.01", "--set", "bar1.mass=8", "-i", "torque.csv"]
    run(*command, "-o", "run.csv", folder=tmp_path)
    for name in ("run.npz", "run.mat"):
        run_here(shlex.join(["spacefmu", *command, "-o", name]))
    table = read_table(tmp_path / "run.csv")
    work = np.trapezoid(table["hinge1.rate"], table.time)
    assert table["system.work"][-1] == pytest.approx(work, rel=1e-4)
    matlab = loadmat(tmp_path / "run.mat", squeeze_me=True)
    with np.load(tmp_path / "run.npz") as packed:
        assert np.array_equal(packed["system.work"], table["system.work"])  # CSV has 17 digits: the same bits
    assert np.array_equal(matlab["system_work"], table["system.work"])
    assert list(matlab["names"]) == list(table.names)


def test_units_survive_every_kind_of_file(tmp_path):
    """Also beside the file: a plot of what was read has them."""
    columns = {
        "hub.mass": [500.0, 500.0],
        "hub.velocity[1]": [0.0, 1.0],
        "hub.velocity[2]": [0.0, 2.0],
        "closed": [0.0, 1.0],
    }
    units = {"hub.mass": "kg", "hub.velocity[1]": "m/s", "hub.velocity[2]": "m/s"}
    given = Result(np.array([0.0, 0.1]), tuple(columns), np.column_stack(list(columns.values())), units)
    for name in ("run.csv", "run.npz", "run.mat"):
        read = read_table(given.write(tmp_path / name))
        assert (read.names, read.units) == (given.names, units)
        assert np.array_equal(read.values, given.values)
        assert np.array_equal(read.time, given.time)
        assert api.plot(read, ["hub.velocity"]).axes[0].get_title(loc="left") == "hub.velocity [m/s]"
    origin = {
        "spacefmu": "0.2.0",
        "units": {"": {"model": "é.fmu", "description": {"x.toml": "name = 'x'"}, "values": {"a": 1.0}}},
    }
    for name in ("run.csv", "run.npz", "run.mat"):
        read = read_table(Result(given.time, given.names, given.values, units, origin=origin).write(tmp_path / name))
        assert (read.origin, read.units, read.names) == (origin, units, given.names)
    Result(given.time, given.names, given.values).write(tmp_path / "run.csv")
    assert not (tmp_path / "run.csv.json").exists()  # those of the earlier run would be false


def test_any_name_can_be_written(tmp_path):
    """NumPy's own function takes names as keywords, among which it has some of its own."""
    table = Result(np.array([0.0, 1.0]), ("file", "allow_pickle"), np.array([[1.0, 2.0], [3.0, 4.0]]))
    for ending in (".csv", ".npz", ".mat"):
        assert read_table(table.write(tmp_path / f"run{ending}")).values.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_a_result_shows_itself_in_one_line():
    run = Result(np.linspace(0.0, 30.0, 301), tuple(f"a[{i}]" for i in range(1, 9)), np.zeros((301, 8)))
    assert repr(run) == "Result: 8 variables at 301 instants from 0 to 30 s: a"
    assert "\n" not in repr(Result(np.zeros(0), ("a",), np.zeros((0, 1))))


@pytest.fixture
def ctrl_c():
    """Ctrl-C as in a terminal: in the background (nohup, some continuous integration) the tests inherit a signal that is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_keeps_what_was_computed(four_bar, tmp_path, monkeypatch, capfd):
    """The signal comes in the middle of the run: the results until then are written, and it is said."""
    monkeypatch.chdir(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spacefmu.fmu_src.cli.simulate.working", lambda title: interrupted_at(0.5))
        patch.setattr("spacefmu.fmu_src.cosim.loop._PAUSE", 0.0)  # the loop in C returns after every step
        with pytest.raises(SystemExit) as end:
            main(["simulate", str(four_bar), "--stop", "2", "--step", "0.1"])
    told, complaint = capfd.readouterr()
    assert (end.value.code, told) == (130, "FourBar.csv\n")
    assert complaint == "spacefmu: stopped; results up to 1 s are in FourBar.csv\n"
    assert read_table("FourBar.csv").time[-1] == pytest.approx(1.0)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler  # as before


@pytest.mark.usefixtures("ctrl_c")
def test_a_run_in_the_background_ignores_ctrl_c(four_bar, tmp_path, monkeypatch):
    """Ctrl-C in the terminal is for the program in the foreground: who ignored the signal goes on ignoring it."""
    monkeypatch.chdir(tmp_path)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spacefmu.fmu_src.cli.simulate.working", lambda title: interrupted_at(0.5))
        in_this_process(f"spacefmu simulate {shlex.quote(str(four_bar))} --stop 2 --step 0.1")
    assert read_table("FourBar.csv").time[-1] == 2.0
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_a_run_that_fails_keeps_what_was_computed(tmp_path, monkeypatch, capfd):
    """A torque that no number can hold from 0.6 s on: results and report until then, what they were made of included."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "torque.csv").write_text("time,hub.torque[1]\n0,0\n0.5,0\n0.6,1e308\n")
    fmu = shlex.quote(str(fmu_file("HingedPanel")))
    in_this_process(f"spacefmu simulate {fmu} --input torque.csv --stop 2 -o run.csv --report page.html", code=2)
    assert capfd.readouterr().err.endswith("; results up to 0.6 s are in run.csv\n")
    kept = read_table(tmp_path / "run.csv")
    assert kept.time[-1] == pytest.approx(0.6)
    assert "HingedPanel.toml" in kept.origin["units"][""]["description"]
    assert (tmp_path / "page.html").stat().st_size > 100_000


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_before_the_run_writes_nothing(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spacefmu.fmu_src.api.load", lambda source: os.kill(os.getpid(), signal.SIGINT))
        with pytest.raises(SystemExit) as end:
            main(["simulate", "FourBar"])
    assert (end.value.code, capfd.readouterr().err) == (130, "spacefmu: stopped; nothing was written\n")
    assert list(tmp_path.iterdir()) == []


@contextmanager
def interrupted_at(fraction: float):
    """As `working` of the console, but Ctrl-C comes once the fraction is done."""
    yield (
        lambda words: None,
        lambda done: os.kill(os.getpid(), signal.SIGINT) if done == pytest.approx(fraction) else None,
    )


def test_bare_spacefmu_shows_the_help(tmp_path):
    done = spacefmu(folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "simulate" in done.stdout


def test_simulate_keeps_chosen_variables(four_bar, tmp_path):
    run("simulate", str(four_bar), "--stop", "1", "-v", "system.momentum", "-v", "hinge1.angle", folder=tmp_path)
    names = read_table(tmp_path / "FourBar.csv").names
    assert names == ("system.momentum[1]", "system.momentum[2]", "system.momentum[3]", "hinge1.angle")


def test_plot_is_quiet_on_a_fresh_machine(four_bar, tmp_path):
    """matplotlib builds a font cache at its first picture and logs that when it takes long, or when it can't keep it."""
    run("simulate", str(four_bar), "--stop", "1", "--plot", "a.png", folder=tmp_path, MPLCONFIGDIR="/dev/null/nowhere")


def test_demo_slews_and_keeps_the_balances(tmp_path):
    """Wheels are inside the system, so its angular momentum stays; energy changes by work and losses alone."""
    told = json.loads(run("demo", "-o", "out", "--json", folder=tmp_path))
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "FlexibleSatellite.fmu", "SlewController.fmu", "WheelTorques.fmu", "slew.csv", "slew.csv.json", "slew.npz", "slew.png", "slew_report.html",
    ]  # fmt: skip
    numbers = told["numbers"]
    assert numbers["slew_angle"] == pytest.approx(30.0, abs=1e-9)
    assert numbers["final_error"] < 0.01  # measured 0.003 deg: wheel friction over the stiffness, no integral part
    assert 92.0 < numbers["settled_at"] < 130.0  # the shaped slew ends at 92 s
    assert 0.1 < numbers["tip_amplitude"] < 1.0  # α l / Ω² is about 0.3 mm
    assert numbers["naive_ringing"] > 0.3
    assert numbers["ringing"] < 0.01 * numbers["naive_ringing"]
    assert numbers["momentum_error"] < 1e-11  # measured 2e-13
    assert numbers["energy_error"] < 1e-12  # measured 2e-15


@pytest.mark.parametrize(
    "command", ["demo", "list", "new", "build", "simulate", "view", "report", "info", "schema", "cache"]
)
def test_help_has_examples(command, capfd):
    with pytest.raises(SystemExit) as end:
        main([command, "--help"])
    assert end.value.code == 0
    assert "Examples" in capfd.readouterr().out


def test_a_plot_shows_itself_in_a_notebook_and_draws_no_noise():
    time = np.linspace(0.0, 1.0, 50)
    columns = {"still": np.zeros(50), "noise": 1e-22 * np.sin(40 * time), "a[1]": time, "a[2]": -time}
    result = Result(time, tuple(columns), np.column_stack(list(columns.values())), {"a[1]": "m", "a[2]": "m"})
    figure = api.plot(result)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["a [m]"]  # what moves; what else is asked for:
    noise = api.plot(result, ["noise"]).axes[0]
    assert noise.get_ylim()[1] > 1e9 * np.abs(columns["noise"]).max()
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_results_by_name():
    result = Result(np.arange(2.0), ("a[1]", "a[2]", "b"), np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    assert np.array_equal(result["a"], [[1.0, 2.0], [4.0, 5.0]])
    assert np.array_equal(result["b"], [3.0, 6.0])
    with pytest.raises(KeyError, match="'c' is not a variable"):
        result["c"]
