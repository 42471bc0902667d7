"""Numbers of a report: balances, events, differences, groups and envelopes, of results whose truth is known."""

from __future__ import annotations

import json
import re
import zipfile
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from spacefmu.fmu_src import api
from spacefmu.fmu_src.report.figures import balances, compared, verdict
from spacefmu.fmu_src.report.groups import grouped
from spacefmu.fmu_src.report.plots import BUCKETS, HEIGHT, LINE, Plots, envelope
from spacefmu.fmu_src.results import Result
from tests.catalogue_fmus import fmu_file, system_of

TIME = np.linspace(0.0, 10.0, 101)


def table(units=None, **columns) -> Result:
    return Result(
        TIME, tuple(columns), np.column_stack([np.broadcast_to(c, TIME.shape) for c in columns.values()]), units or {}
    )


def test_the_balance_of_energy_finds_what_is_missing():
    energies = {"system.kinetic_energy": 2.0 + np.cos(TIME), "system.potential_energy": 1.0 - np.cos(TIME)}
    sound = table(**energies, **{"system.dissipated_energy": 0.5 * TIME, "system.work": 0.5 * TIME})
    leaky = table(**energies, **{"system.dissipated_energy": 0.5 * TIME, "system.work": 0.4 * TIME})
    assert balances(sound)[0].largest == pytest.approx(0.0, abs=1e-14)
    assert balances(leaky)[0].largest == pytest.approx(1.0)
    assert balances(leaky)[0].scale == pytest.approx(5.0)


def test_the_work_of_the_surroundings_is_balanced_and_judged_in_words():
    parts = {"system.kinetic_energy": 2.0 + np.cos(TIME), "system.potential_energy": TIME, "system.work": 0.0 * TIME}
    parts |= {"system.dissipated_energy": 0.0 * TIME, "system.jacobi_integral": TIME}
    for wrong, words in ((0.0, "can be trusted"), (1e-4, "enough for plots"), (0.1, "Do not trust")):
        around = np.cos(TIME) + TIME + wrong * TIME
        (energy,) = balances(table(**parts, **{"system.environment_work": around}))
        assert energy.name == "T + V + losses − work − work of the surroundings"
        assert energy.largest == pytest.approx(10.0 * wrong, abs=1e-14)
        assert words in verdict(energy)


def test_a_burn_is_balanced_with_its_exhaust():
    """What propulsion supplies goes to craft and exhaust; without it the report would tell people not to trust any burn."""
    parts = {
        "system.kinetic_energy": 2.0 + TIME,
        "system.potential_energy": 0.0,
        "system.work": 0.0,
        "system.dissipated_energy": 0.1 * TIME,
    }
    parts |= {"propulsion.exhaust_energy": 3.0 * TIME, "propulsion.supplied_energy": 4.1 * TIME}
    parts |= {f"propulsion.momentum[{i}]": 1e-9 * TIME for i in (1, 2, 3)}
    parts |= {f"propulsion.exhaust_momentum[{i}]": 5.0 * TIME for i in (1, 2, 3)}
    energy, momentum = balances(table(**parts))
    assert energy.name == "T + V + losses + exhaust − work − energy of propulsion"
    assert energy.largest == pytest.approx(0.0, abs=1e-13)
    assert energy.scale == pytest.approx(41.0)
    assert "can be trusted" in verdict(energy)
    assert momentum.name == "momentum of craft and exhaust"
    assert (momentum.largest, momentum.scale) == pytest.approx((np.sqrt(3.0) * 1e-8, np.sqrt(3.0) * 50.0))


def test_jacobis_integral_does_not_judge_a_run():
    """It stays on circular orbits alone. Results from before the work of the surroundings was counted have no more."""
    parts = {"system.kinetic_energy": 2.0 + np.cos(TIME), "system.potential_energy": TIME, "system.work": 0.4 * TIME}
    run = table(**parts, **{"system.dissipated_energy": 0.1 * TIME, "system.jacobi_integral": 0.3 * TIME - 5.0})
    (energy,) = balances(run)
    assert energy.name == "Jacobi's integral + losses − work"
    assert "says nothing about this run" in verdict(energy)
    assert energy.largest == pytest.approx(0.0, abs=1e-14)


def test_runs_are_compared_at_the_instants_that_both_have():
    """A switch between two of them is not a difference, though the lines through them differ there."""
    coarse = Result(TIME[::2], ("a", "b"), np.column_stack([TIME, TIME > 4.95])[::2])
    fine = Result(TIME + 1e-12, ("a", "b"), np.column_stack([TIME + 0.25, TIME > 4.95]))
    for first, second in ((coarse, fine), (fine, coarse)):
        found = compared(first, second)
        assert (found.count, found.between) == (51, False)
        assert [row[0] for row in found.rows] == ["a", "b"]
        assert [row[1] for row in found.rows] == [pytest.approx(0.25), 0.0]


def test_without_common_instants_runs_are_compared_along_lines():
    coarse = Result(TIME[::2], ("a", "b"), np.column_stack([TIME, TIME**0])[::2])
    fine = Result(TIME + 0.05, ("a", "b"), np.column_stack([TIME + 0.3, TIME**0]))
    found = compared(coarse, fine)
    assert (found.count, found.between) == (50, True)  # the second begins later
    assert found.rows == [("a", pytest.approx(0.25), pytest.approx(10.0))]
    assert compared(coarse, replace(fine, time=TIME * np.pi)).between  # the start alone is little to compare
    assert compared(coarse, Result(TIME + 20.0, ("a",), TIME[:, None])).rows == []


def test_variables_are_grouped_by_meaning():
    run = table(**{"hub.quaternion[1]": TIME, "panel.mode[1].rate": TIME, "sadm.angle": TIME, "tether.tension": TIME,
                   "hub.position[1]": TIME, "system.work": TIME, "hub.mass": 1.0, "odd": TIME})  # fmt: skip
    groups, still = grouped(run)
    assert groups == {
        "Pointing": ["hub.quaternion"], "Bending": ["panel.mode[1].rate"], "Joints and wheels": ["sadm.angle"], "Tethers": ["tether.tension"],
        "Energy and momentum": ["system.work"], "Motion": ["hub.position"], "Others": ["odd"],
    }  # fmt: skip
    assert still == ["hub.mass"]


def test_an_envelope_keeps_every_peak():
    time = np.arange(1_000_000.0)
    values = np.zeros(len(time))
    values[[123_456, 777_777]] = 5.0, -7.0
    kept_time, kept = envelope(time, values)
    assert len(kept) <= 2 * BUCKETS + 2
    assert {5.0, -7.0} <= set(kept)
    assert set(kept_time[np.abs(kept) > 1]) == {123_456.0, 777_777.0}


@pytest.mark.parametrize(
    "content, sentence",
    (
        ("time,a\n", "needs a line of names and at least one line of numbers"),
        ("time,a\nx,1\n", "line 2: time is 'x', expected a finite number"),
        ("s,a\n0,1\n", "has no column 'time'; there are s, a"),
    ),
)
def test_damaged_results_are_named(content, sentence, tmp_path):
    (tmp_path / "run.csv").write_text(content)
    with pytest.raises(ValueError, match=r"run\.csv") as error:
        api.report(tmp_path / "run.csv", tmp_path / "report.html")
    assert sentence in str(error.value)
    assert not (tmp_path / "report.html").exists()


def test_a_description_that_was_damaged_in_a_result_leaves_the_plots(tmp_path):
    broken = {"units": {"": {"model": "X.fmu", "description": {"X.toml": "name = "}, "values": {}}}}
    run = Result(TIME, ("a",), TIME[:, None], origin=broken)
    (words,) = api.report(run, tmp_path / "report.html", title="run")
    assert words.startswith("run: the description of X.fmu can't be read: is not valid TOML")
    assert words.endswith("; give another one with --model")
    assert "Plots" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_views_of_what_has_no_body_are_refused_in_a_sentence(tmp_path):
    with pytest.raises(ValueError, match="AttitudeController: has no body that could be drawn"):
        api.look("AttitudeController", still=True)
    Result(TIME, ("a",), TIME[:, None]).write(tmp_path / "run.csv")
    with pytest.raises(
        ValueError, match="run: contains no spacefmu description, so there is nothing to draw; give one with --model"
    ):
        api.look(tmp_path / "run.csv")


def test_a_controller_has_no_body_and_its_report_says_so(tmp_path):
    """Its description is there: that it carried none would be wrong."""
    files = {name: content.decode() for name, content in system_of("AttitudeController").about.described_by}
    origin = {"units": {"": {"model": "AttitudeController.fmu", "description": files, "values": {}}}}
    run = Result(TIME, ("torque[1]",), TIME[:, None], origin=origin)
    assert api.report(run, tmp_path / "page.html", title="control") == ("control: has no body that could be drawn",)


def test_another_programs_fmu_can_not_be_drawn_and_says_so(tmp_path):
    with zipfile.ZipFile(tmp_path / "Other.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", '<fmiModelDescription fmiVersion="2.0" modelName="Other" guid="1"/>')
    with pytest.raises(
        ValueError, match=r"Other\.fmu: contains no spacefmu description, and a view runs no foreign binary; "
    ):
        api.look(tmp_path / "Other.fmu")
    (tmp_path / "text.fmu").write_text("no archive")
    with pytest.raises(ValueError, match=r"text\.fmu: not an FMU \(not a zip archive\)"):
        api.look(tmp_path / "text.fmu")


def test_an_fmu_without_its_description_is_drawn_by_another(tmp_path):
    """As another program's export of the same craft: you run it, and the description that is given draws the result."""
    with zipfile.ZipFile(fmu_file("HingedPanel")) as whole, zipfile.ZipFile(tmp_path / "Other.fmu", "w") as other:
        for name in whole.namelist():
            if not name.startswith("resources/"):
                other.writestr(name, whole.read(name))
        other.writestr("resources/description/Other.toml", "name = ")  # nor is one that can't be read in the way
    with pytest.raises(ValueError, match=r"Other\.toml: is not valid TOML"):
        api.look(tmp_path / "Other.fmu", model="HingedPanel", stop=1.0)
    sight = api.look(api.simulate(tmp_path / "Other.fmu", 1.0), model="HingedPanel")
    assert sight.notes == ()
    assert len(sight.clips["run"].motion.time) > 10


def test_beside_a_foreign_run_ones_own_is_still_drawn(tmp_path):
    """Two runs of which one can't be drawn: the view of the other, and a sentence."""
    own, foreign = api.simulate("HingedPanel", 1.0), Result(TIME, ("tank.level",), TIME[:, None])
    for runs in ((own, foreign), (foreign, own)):
        (words,) = api.report(runs[0], tmp_path / "both.html", runs[1], title="run")
        assert words.endswith("contains no spacefmu description, so there is nothing to draw; give one with --model")
        assert "<iframe" in (tmp_path / "both.html").read_text(encoding="utf-8")


def test_a_result_that_was_cut_off_is_named(tmp_path):
    table(a=TIME).write(tmp_path / "run.npz")
    whole = (tmp_path / "run.npz").read_bytes()
    (tmp_path / "run.npz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"run\.npz: not a readable \.npz file"):
        api.report(tmp_path / "run.npz", tmp_path / "report.html")


def test_what_a_foreign_result_does_not_move_is_said():
    """A result without a description, drawn by one that is given: what it lacks is named, in the page and to whoever asked for it."""
    sight = api.look(table(a=TIME), model="HingedPanel")
    (words,) = sight.notes
    assert words.startswith(
        "the result has no hub.position[1], hub.position[2], hub.position[3] …: parts that depend on it are drawn as at the start"
    )
    assert json.dumps(words) in sight.page()


def test_masses_are_those_of_every_craft_with_the_values_that_were_set(tmp_path):
    system = api.load("HingedPanel")
    files = {name: content.decode() for name, content in system.about.described_by}
    units = {
        unit: {"model": "HingedPanel.fmu", "description": files, "values": values}
        for unit, values in (("chaser", {"hub.mass": 123.5}), ("target", {}))
    }
    names = tuple(f"{unit}.{state.name}" for unit in units for state in system.signals.states)
    starts = [float(state.start) for state in system.signals.states] * 2
    run = Result(TIME, names, np.tile(starts, (len(TIME), 1)), origin={"units": units})
    api.report(run, tmp_path / "report.html", title="two")
    masses = (tmp_path / "report.html").read_text(encoding="utf-8").split('<h2 id="masses">')[1]
    chaser, target = masses.split("<pre>")[1:3]
    assert "hub: 123.5 kg" in chaser
    assert "hub: 400 kg" in target
    assert "With the values that were set: chaser." in masses
    assert "As the description has them: target." in masses


def test_legends_have_a_key_a_component_whatever_runs_there_are():
    """They stand above the plot, in as many rows as they need, and take none of its width."""
    names = [f"wheel.speed[{i}]" for i in range(1, 13)]
    run = Result(TIME, tuple(names), np.tile(TIME[:, None], (1, 12)))
    plots = Plots({"first": run, "second": run}, 12)
    few, many = plots.add("wheel.speed", names[:3]), plots.add("wheel.speed", names)
    for html, keys, height in ((few, 3, HEIGHT), (many, 12, HEIGHT + LINE)):
        given = json.loads(html.split('json">')[1].removesuffix("</script>"))
        drawn = Counter(curve["key"] for curve in given["curves"])
        assert len(drawn) == keys
        assert set(drawn.values()) == {2}  # one per run
        assert given["height"] == height
        assert f"height: {height}px" in html


def test_what_solvers_did_is_a_table(tmp_path):
    work = {"steps": 200, "rejected": 3, "events": 5, "evaluations": 1234, "to_points": 50, "to_events": 5, "by_limit": 0, "by_tolerance": 145}  # fmt: skip
    before = "200 steps, 3 rejected"  # of a result before version 0.2: shown as it is
    api.report(
        Result(TIME, ("a",), TIME[:, None], origin={"solver": {"plant": work, "old": before}}),
        tmp_path / "report.html",
        title="run",
    )
    solver = (tmp_path / "report.html").read_text(encoding="utf-8").split('<h2 id="solver">')[1].split("<h2")[0]
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", solver)
    assert cells == [
        "run",
        "plant",
        "200",
        "3",
        "1234",
        "5",
        "50 (25 %)",
        "5 (2.5 %)",
        "0",
        "145 (72.5 %)",
        "run",
        "old",
        before,
    ]


def test_a_million_instants_are_reported_by_their_envelopes(tmp_path):
    """More numbers than a page holds: it says what it shows, and stays small."""
    time = np.linspace(0.0, 10.0, 1_000_001)
    names = tuple("abcdefg")
    notes = api.report(
        Result(time, names, np.column_stack([np.sin(time)] * len(names))), tmp_path / "long.html", title="long"
    )
    assert notes[0].startswith("long: contains no spacefmu description")
    page = (tmp_path / "long.html").read_text(encoding="utf-8")
    assert "plots show the lowest and highest values of short intervals" in page
    assert len(page) < 10_000_000


def test_of_more_variables_than_a_page_can_plot_the_others_have_their_ranges(tmp_path, monkeypatch):
    monkeypatch.setattr("spacefmu.fmu_src.report.report.MOST_PLOTS", 2)
    api.report(table(a=TIME, b=-TIME, c=3.0 * TIME, d=TIME - 7.0), tmp_path / "many.html", title="many")
    page = (tmp_path / "many.html").read_text(encoding="utf-8")
    assert page.count('class="plot"') == 2
    assert "2 more variables change" in page
    assert '<td>d</td><td class="number">-7</td><td class="number">3</td>' in page
