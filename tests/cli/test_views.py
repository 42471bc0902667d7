"""Views and reports as a newcomer asks for them: of files with bad luck, beside other files, and by the Python interface."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest

from spacefmu.fmu_src import api
from spacefmu.fmu_src.cli import main
from spacefmu.fmu_src.results import Result
from spacefmu.fmu_src.view.subject import subject_of
from tests.catalogue_fmus import system_of
from tests.cli.command import in_this_process

EXAMPLES = Path(__file__).parents[2] / "examples"
TIME = np.linspace(0.0, 1.0, 11)


def run_of(name: str = "HingedPanel", **columns) -> Result:
    """A run that no FMU made: everything at its start, but for some columns; it carries its description."""
    system = system_of(name)
    files = {path: content.decode() for path, content in system.about.described_by}
    values = {s.name: np.full(len(TIME), float(s.start)) for s in system.about.picture().coordinates.states} | columns
    origin = {"spacefmu": "0", "units": {"": {"model": f"{name}.fmu", "description": files, "values": {}}}}
    return Result(TIME, tuple(values), np.column_stack(list(values.values())), origin=origin)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_view_and_a_report_of_one_run_stand_beside_each_other(folder):
    run_of().write("run.csv")
    for command in ("view", "report", "view"):  # a page of ours may be made anew
        in_this_process(f"spacefmu {command} run.csv")
    assert sorted(path.name for path in folder.glob("*.html")) == ["run.html", "run_report.html"]
    assert "<iframe" in (folder / "run_report.html").read_text(encoding="utf-8")


def test_a_run_with_gaps_is_drawn_where_it_has_places():
    """As of a run that went astray: no number, or none that a graphics card has; the page is sound JSON all the same."""
    position = 0.1 * TIME
    position[[3, 4, 10]] = np.nan, np.inf, 1e200
    wild = np.where(TIME > 0.5, 1e300, TIME)
    sight = api.look(run_of(**{"hub.position[1]": position, "wild": wild, "gap": np.where(TIME < 0.3, np.nan, TIME)}))
    assert sight.notes == ("3 of 11 instants are not drawn: places are not finite there, or out of range",)
    (clip,) = sight.clips.values()
    assert clip.motion.positions[:, 0, 0] == pytest.approx(0.1 * np.delete(TIME, [3, 4, 10]))
    data = json.loads(
        sight.page().split('type="application/json">')[1].split("</script>")[0], parse_constant=pytest.fail
    )
    assert {"wild", "gap"} <= set(data["variables"])
    with pytest.raises(ValueError, match="run: no time point has all positions, so there is nothing to draw"):
        api.look(run_of(**{"hub.position[1]": np.full(11, np.nan)}))


def test_a_run_that_ran_away_is_reported_without_a_warning(folder, recwarn):
    position = np.where(TIME > 0.5, 1e300, TIME)
    energy = np.where(TIME < 0.2, np.nan, 1.0 + TIME)
    parts = {f"system.{part}": energy for part in ("kinetic_energy", "potential_energy", "dissipated_energy", "work")}
    (words,) = api.report(run_of(**{"hub.position[1]": position, **parts}), folder / "run.html")
    assert words.startswith("5 of 11 instants are not drawn")
    assert "nan J" not in (folder / "run.html").read_text(encoding="utf-8")
    assert [str(warning.message) for warning in recwarn] == []


def test_other_programs_names_and_units_are_understood():
    """OMSimulator puts a model before names, OpenModelica has neither dots nor brackets, people like degrees."""
    moved = 0.1 * TIME
    for name in ("model.root.plant.hub.position[1]", "plant_hub_position_1_", "Hub.Position[1]"):
        sight = api.look(Result(TIME, (name,), moved[:, None]), model=system_of("HingedPanel"))
        (clip,) = sight.clips.values()
        assert clip.motion.positions[:, 0, 0] == pytest.approx(moved), name
    for unit, factor in (("deg", np.pi / 180.0), ("rad", 1.0)):
        run = Result(TIME, ("hinge1.angle",), (30.0 * moved)[:, None], {"hinge1.angle": unit})
        shown = subject_of(run, "run", system_of("FourBar"))
        assert shown.result["hinge1.angle"] == pytest.approx(factor * 30.0 * moved)
        assert (shown.result.units["hinge1.angle"], shown.notes) == ("rad", ())
    strange = Result(TIME, ("hinge1.angle",), moved[:, None], {"hinge1.angle": "gon"})
    assert subject_of(strange, "run", system_of("FourBar")).notes == (
        "hinge1.angle is in 'gon' instead of 'rad'; drawn without conversion",
    )


def test_runs_of_all_sorts_beside_each_other(folder):
    """Of other lengths, other names, other crafts, without a description: what is of the same craft is drawn, the others are said not to be."""
    for place in ("a", "b"):
        run_of().write(f"{place}/run.csv")
    half = run_of(**{"hub.position[1]": TIME})
    half = Result(half.time[:4], half.names, half.values[:4])  # as of another program: no description
    other = run_of("FourBar")
    runs = ["b/run.csv", half, other, Result(TIME, ("tank",), TIME[:, None])]
    sight = api.look("a/run.csv", compare=runs)
    assert list(sight.clips) == ["a/run", "b/run", "run"]
    assert sight.clips["run"].motion.positions[:, 0, 0] == pytest.approx(TIME[:4])
    assert sight.notes == (
        "run (2): is not a run of the same spacecraft as a/run, so it is not drawn",
        "run (3): contains no spacefmu description, so there is nothing to draw; give one with --model",
    )
    assert api.report("a/run.csv", "all.html", runs) == sight.notes
    page = Path("all.html").read_text(encoding="utf-8")
    assert "largest difference of run" in page
    assert "run (3) and a/run have no variable, or no instant, in common" in page


NASTY = """</script><!--<script><b>"'$three &amp; $$x$$"""


def test_names_are_text_and_no_markup(folder):
    """In titles, columns, units, values and files' names: nothing of it ends a script or becomes an element."""
    run = run_of(**{NASTY: TIME, f"a[{NASTY}": TIME})
    text = next(iter(run.origin["units"][""]["description"].values()))
    files = {"x.toml": re.sub("^description = .*", lambda _: f"description = '''{NASTY}'''", text, flags=re.M)}
    origin = {
        "spacefmu": NASTY,
        "units": {"": {"model": NASTY, "description": files, "values": {NASTY: NASTY}}},
        "solver": {"": NASTY},
    }
    run = Result(run.time, run.names, run.values, {NASTY: NASTY}, (NASTY,), origin)
    api.report(run, folder / "run.html", title=NASTY)
    for page in (api.look(run).page(), (folder / "run.html").read_text(encoding="utf-8")):
        assert "<!--" not in page.split('<script id="data"')[-1].split("</script>")[0]
        assert "<b>\"'" not in page
        assert page.count("$three") >= 1


def test_a_craft_that_was_loaded_can_be_looked_at():
    craft = system_of("FourBar")
    assert list(api.look(craft, still=True).clips) == ["FourBar"]
    sight = api.look(Result(TIME, ("hinge1.angle",), TIME[:, None]), model=craft)
    assert sight.title == "FourBar"


# What is asked for, and the sentence that answers it.
REFUSED = {
    "view spread": "spread: is the folder of a sweep; spacefmu simulate spread --run N --report run.html shows one of its runs",
    "view .": ".: is a folder; name a result, a description, an FMU or a catalogue entry",
    "view run.xlsx": "run.xlsx: unknown kind of file; name a result (.csv, .npz, .npy, .mat), a description or system (.toml, .ssp), an FMU (.fmu), or a catalogue entry",
    "view run.csv --still": "run.csv: is a result; name its description to see the start or the modes",
    "view run.csv --stop 3": "run.csv: is a result; a stop time applies only to models that are simulated first",
    "view run.csv --model nosuch.toml": "nosuch.toml: no such file",
    "view run.csv --model HingedPanel --unit a --unit b": "HingedPanel draws one unit, but --unit names a, b; name one",
    "view run.csv --unit hub": "run: has no unit 'hub' that could be drawn; it is a run of one FMU",
    "view damaged.fmu": "damaged.fmu: X.toml: is not valid TOML: Invalid value (at end of document)",
    "report damaged.fmu": "damaged.fmu: is not a result; spacefmu simulate runs a model, and --report reports on the run",
    "report HingedPanel": "HingedPanel: is not a result; spacefmu simulate runs a model, and --report reports on the run",
    "report nosuch.csv": "nosuch.csv: No such file or directory",
    "report spread": "spread: is the folder of a sweep; spacefmu simulate spread --run N --report run.html shows one of its runs",
    "report run.csv --compare spread": "spread: is a folder; name a table: .csv, .npz, .npy, .mat",
    "report run.csv --compare nosuch.npz": "nosuch.npz: No such file or directory",
    "report run.csv --compare nosuch.mat": "nosuch.mat: No such file or directory",
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_can_not_be_shown_is_said_in_one_sentence(line, folder, capfd):
    run_of("FourBar").write("run.csv")
    (folder / "spread").mkdir()
    (folder / "spread/sweep.json").write_text("{}")
    with zipfile.ZipFile("damaged.fmu", "w") as archive:
        archive.writestr("resources/description/X.toml", "name = ")
    before = sorted(folder.iterdir())
    with pytest.raises(SystemExit) as end:
        main(line.split())
    assert (end.value.code, capfd.readouterr()) == (2, ("", f"spacefmu: {REFUSED[line]}\n"))
    assert sorted(folder.iterdir()) == before


def test_a_view_of_a_long_run_says_how_much_it_shows():
    run = run_of("FourBar")
    rows = np.repeat([0], 6001)
    long = Result(np.arange(6001.0), run.names, run.values[rows], origin=run.origin)
    assert "600 of 6001 instants are shown" in api.look(long).page()


def test_a_run_that_is_reported_keeps_the_beads_that_are_shown(folder, monkeypatch, capfd):
    """Places of a tether's beads are not outputs; a report wants them, a run alone does not."""
    kept = []

    def simulate(source, stop, step, values, table, record, *more):
        kept.append(record)
        raise ValueError("enough")

    fmu = api.build(EXAMPLES / "couplings_beaded.toml", folder / "beaded.fmu", flavour="python")
    monkeypatch.setattr("spacefmu.fmu_src.api.simulate", simulate)
    for source in (EXAMPLES / "couplings_beaded.toml", fmu):
        for options in ([], ["--report", "run.html"]):
            with pytest.raises(SystemExit):
                main(["simulate", str(source), *options])
    described, described_shown, built, built_shown = kept
    assert described is built is None
    assert "chain.bead_position[1,1]" in described_shown
    assert described_shown == built_shown
