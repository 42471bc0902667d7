"""Views and reports in a real browser: no complaint in its console, nothing fetched, and what a person does has its effect."""

from __future__ import annotations

import tomllib
from dataclasses import replace

import numpy as np
import pytest

from spacefmu.fmu_src import api
from spacefmu.fmu_src.results import Result
from tests.catalogue_fmus import system_of
from tests.cli.command import ROOT
from tests.scene.test_places import guided_run

TIME = np.linspace(0.0, 10.0, 101)
RANGES = "[...report.plots.values()].flatMap(({ range }) => range ?? [])"  # of the plots that are drawn
PLOTS = "Bokeh.documents.map((own) => own.roots()[0])"
FRAME = "document.querySelector('iframe').contentWindow"


def hinged_run(length: int = 101, **changed) -> Result:
    """A result of HingedPanel as an FMU would write it: the hub turns about z, the panel swings in its first mode."""
    system = system_of("HingedPanel")
    time = np.linspace(0.0, 10.0, length)
    columns = {s.name: np.full(length, float(s.start)) for s in (*system.signals.states, *system.signals.outputs)}
    columns["hub.quaternion[1]"], columns["hub.quaternion[4]"] = np.cos(0.1 * time), np.sin(0.1 * time)
    columns["hub.position[1]"] = 0.2 * time
    columns["panel.mode[1].amplitude"] = 0.05 * np.sin(3.0 * time)
    columns["system.kinetic_energy"] = 1.0 + 0.1 * np.cos(time)
    columns["system.potential_energy"] = 0.1 - 0.1 * np.cos(time)
    columns |= changed
    units = {s.name: s.unit for s in (*system.signals.states, *system.signals.outputs)}
    files = {name: content.decode() for name, content in system.about.described_by}
    origin = {"spacefmu": "0.2.0", "units": {"": {"model": "HingedPanel.fmu", "description": files, "values": {}}}}
    return Result(time, tuple(columns), np.array(list(columns.values())).T, units, origin=origin)


def tethered_run() -> Result:
    """TetheredMasses: the deputy comes nearer by a fifth of the cable, which goes slack, and back."""
    system = system_of("TetheredMasses")
    columns = {s.name: np.full(101, float(s.start)) for s in (*system.signals.states, *system.signals.outputs)}
    columns["deputy_place.position[1]"] = 10.0 - 2.0 * np.sin(0.1 * np.pi * TIME)
    columns["tether.taut"] = np.where((TIME > 0.5) & (TIME < 9.5), 0.0, 1.0)
    columns["tether.tension"] = 3.0 * columns["tether.taut"]
    files = {name: content.decode() for name, content in system.about.described_by}
    origin = {"units": {"": {"model": "TetheredMasses.fmu", "description": files, "values": {}}}}
    return Result(TIME, tuple(columns), np.array(list(columns.values())).T, origin=origin)


def opened(browser, path, text):
    path.write_text(text, encoding="utf-8")
    browser.open(path)
    browser.wait("window.view && window.view.ready")


def plots_drawn(browser, count: int):
    """Scrolls the first plots of a report into sight one after the other, until each is drawn."""
    for i in range(count):
        browser.evaluate(f"document.querySelectorAll('.plot')[{i}].scrollIntoView()")
        browser.wait(
            f"Bokeh.documents.length >= {i + 1} && document.querySelectorAll('.plot')[{i}].children.length > 0"
        )


def test_the_view_opens_without_a_complaint(browser, tmp_path, hinged_page):
    opened(browser, tmp_path / "view.html", hinged_page)
    assert browser.evaluate("document.querySelector('#stage canvas').width") > 300
    assert browser.evaluate("view.triangles()") > 100
    assert browser.complaints == []


def test_play_moves_the_scene_and_pause_stops_it(browser, tmp_path, hinged_page):
    opened(browser, tmp_path / "view.html", hinged_page)
    before = browser.evaluate("view.place('hub')")
    browser.evaluate("document.getElementById('play').click()")
    browser.wait("view.time > 1.0")
    browser.evaluate("document.getElementById('play').click()")
    now, place = browser.evaluate("[view.time, view.place('hub')]")
    assert place[0] - before[0] == pytest.approx(
        0.2 * now, abs=1e-3
    )  # glTF's numbers have 32 bits; the mesh turns z upward
    assert browser.evaluate("view.time") == now


FRAMES = "new Promise((done) => { let n = 20; const next = () => (n-- ? requestAnimationFrame(next) : done(view.pictures)); next(); })"


def test_at_rest_nothing_is_drawn(browser, tmp_path, hinged_page):
    """A paused page draws again only as something changes: a control, the camera, the time."""
    opened(browser, tmp_path / "view.html", hinged_page)
    before = browser.evaluate(FRAMES)  # of 20 frames of the screen; the first few settle the camera
    assert browser.evaluate(FRAMES) == before
    browser.evaluate("document.getElementById('frames').click()")
    assert browser.evaluate(FRAMES) == before + 1
    browser.evaluate("view.camera.position.multiplyScalar(2)")
    assert browser.evaluate(FRAMES) > before + 1
    browser.evaluate("document.getElementById('play').click()")
    assert browser.evaluate(FRAMES) > before + 10


def test_the_slider_bends_the_panel(browser, tmp_path, hinged_page):
    """Morph targets' weights are the amplitudes of the modes, magnified."""
    opened(browser, tmp_path / "view.html", hinged_page)
    browser.evaluate("view.seek(0.5)")
    plain = browser.evaluate("view.influences()[0][0]")
    assert plain == pytest.approx(0.05 * np.sin(1.5), abs=1e-4)
    browser.evaluate("document.getElementById('bend').value = 1; view.seek(0.5)")
    assert browser.evaluate("view.influences()[0][0]") == pytest.approx(10.0 * plain, rel=1e-5)
    assert browser.complaints == []


def test_every_control_of_the_view_can_be_used(browser, tmp_path, hinged_page):
    opened(browser, tmp_path / "view.html", hinged_page)
    browser.evaluate(
        "for (const box of document.querySelectorAll('#side input[type=checkbox]')) box.click();"
        "for (const list of document.querySelectorAll('select')) for (const row of list.options) { list.value = row.value; list.dispatchEvent(new Event('change')); }"
        "document.getElementById('scrub').value = 1; document.getElementById('scrub').oninput(); view.seek(view.time)"
    )
    browser.wait("document.getElementById('clock').textContent.startsWith('10')")
    assert browser.complaints == []


def test_no_name_covers_another(browser, tmp_path):
    """Eight bodies of an arm, several of them in one place: each has its name, beside those of the others."""
    opened(browser, tmp_path / "view.html", api.look("SpaceManipulator", still=True).page())
    names = browser.evaluate("view.names()")
    assert len(names) == len({each["name"] for each in names}) >= 7
    for i, one in enumerate(names):
        for other in names[:i]:
            beside = abs(one["x"] - other["x"]) > one["half"] + other["half"]
            assert beside or abs(one["y"] - other["y"]) > 0.8 - 1e-9, (one["name"], other["name"])
    assert browser.complaints == []


def test_tethers_are_coloured_and_sag(browser, tmp_path):
    opened(browser, tmp_path / "view.html", api.look(tethered_run()).page())
    browser.evaluate("view.seek(5.0)")
    grey = browser.evaluate("view.lines()[0].color.getHexString()")
    browser.evaluate("view.seek(0.0)")
    taut = browser.evaluate("view.lines()[0].color.getHexString()")
    assert grey == "9aa7b4"
    assert taut != grey
    assert browser.complaints == []


def test_a_given_path_is_seen_and_others_when_asked_for(browser, tmp_path):
    for name, first, then in (("SpaceManipulatorInverse", 1, 1), ("SpaceManipulatorSpatial", 0, 1)):
        opened(browser, tmp_path / "view.html", api.look(guided_run(name)).page())
        assert browser.evaluate("view.trails()") == first
        browser.evaluate("document.getElementById('trails').click()")
        assert browser.evaluate("view.trails()") == then
        assert browser.complaints == []


def test_mode_shapes_have_a_run_each(browser, tmp_path):
    opened(browser, tmp_path / "modes.html", api.look("HingedPanel", modes=True).page())
    count = browser.evaluate("document.getElementById('clip').options.length")
    assert count >= 4
    browser.evaluate(
        "document.getElementById('clip').value = 1; document.getElementById('clip').onchange(); view.seek(1.0)"
    )
    assert np.abs(browser.evaluate("view.influences()[0]")).max() > 1e-3  # half a swing: the other side
    assert browser.complaints == []


def test_the_report_of_two_runs(browser, tmp_path):
    other = hinged_run(**{"panel.mode[1].amplitude": 0.02 * np.sin(3.0 * TIME)})
    assert api.report(hinged_run(), tmp_path / "both.html", other, title="both") == ()
    browser.open(tmp_path / "both.html")
    browser.wait(f"{FRAME}.view && {FRAME}.view.ready")
    titles = browser.evaluate("[...document.querySelectorAll('h2')].map(h => h.textContent)")
    assert titles == ["Run", "View", "Compared", "Balance", "Plots", "Events", "Masses", "Description", "Versions"]
    assert "panel.mode[1].amplitude" in browser.evaluate("document.querySelector('#compared ~ table').textContent")
    assert browser.evaluate(f"{FRAME}.document.getElementById('clip').options.length") == 2
    plots_drawn(browser, 2)
    browser.wait(f"{PLOTS}.some(({{ title }}) => title.text.startsWith('hub.position'))")
    plot = f"{PLOTS}.find(({{ title }}) => title.text.startsWith('hub.position'))"
    keys = browser.evaluate(
        f"{plot}.above.find(({{ type }}) => type === 'Legend').items.map(({{ label, renderers }}) => [label.value, renderers.length])"
    )
    assert keys == [["[1]", 2], ["[2]", 2], ["[3]", 2]]  # a click hides a component of both runs
    lines = browser.evaluate(
        f"{plot}.renderers.map(({{ name, glyph, data_source }}) => [name, glyph.line_dash.value, [...data_source.data.y].at(-1)])"
    )
    assert [name for name, _, _ in lines] == ["[1] both", "[2] both", "[3] both", "[1] both (2)", "[2] both (2)", "[3] both (2)"]  # fmt: skip
    assert {str(dash) for _, dash, _ in lines[:3]} != {str(dash) for _, dash, _ in lines[3:]}
    assert [value for _, _, value in lines] == pytest.approx([2.0, 0.0, 0.0] * 2, abs=1e-6)
    tools = browser.evaluate(f"[{plot}.toolbar.active_drag.type, {plot}.toolbar.active_scroll, {plot}.toolbar.logo]")
    assert tools == ["BoxZoomTool", None, None]
    assert browser.complaints == []


def coupled_run() -> Result:
    """HingedPanel beside another unit, as a system of FMUs writes it."""
    alone = hinged_run()
    names = (*(f"plant.{name}" for name in alone.names), "controller.torque")
    solver = {"plant": "120 steps, 3 rejected; steps ended at 100 communication points, 20 by the tolerance"}
    units = {"plant": alone.origin["units"][""], "controller": {"model": "Other.fmu", "description": {}, "values": {}}}
    return Result(TIME, names, np.column_stack([alone.values, np.sin(TIME)]), origin={"units": units, "solver": solver})


def test_all_spacecraft_of_a_system_are_seen(browser, tmp_path):
    """Two HingedPanels, one of them 3 m beside the other: both move, and a camera can sit on each body of either."""
    one, other = hinged_run(), hinged_run(**{"hub.position[2]": np.full(101, 3.0)})
    names = [f"{unit}.{name}" for unit in ("chaser", "target") for name in one.names]
    units = dict.fromkeys(("chaser", "target"), one.origin["units"][""])
    run = Result(TIME, tuple(names), np.column_stack([one.values, other.values]), origin={"units": units})
    opened(browser, tmp_path / "view.html", api.look(run).page())
    browser.evaluate("view.seek(5.0)")
    chaser, target = browser.evaluate("[view.place('chaser.hub'), view.place('target.hub')]")
    assert chaser == pytest.approx([1.0, 0.0, 0.0], abs=1e-3)
    assert target == pytest.approx([1.0, 0.0, -3.0], abs=1e-3)  # the mesh turns z upward
    assert len(browser.evaluate("view.influences()")) == 2
    cameras = browser.evaluate("[...document.getElementById('camera').options].map((row) => row.textContent)")
    assert {"on chaser.hub", "on chaser.panel", "on target.hub", "on target.panel"} <= set(cameras)
    assert browser.complaints == []


def test_the_report_of_a_coupled_run(browser, tmp_path):
    assert api.report(coupled_run(), tmp_path / "coupled.html", title="coupled") == ()
    browser.open(tmp_path / "coupled.html")
    browser.wait(f"{FRAME}.view && {FRAME}.view.ready")
    solver = browser.evaluate("document.getElementById('solver').nextElementSibling.textContent")
    assert "120 steps, 3 rejected; steps ended at 100 communication points, 20 by the tolerance" in solver
    plots_drawn(browser, 2)
    assert browser.complaints == []


def test_plots_are_drawn_as_they_come_into_sight_and_share_their_time(browser, tmp_path):
    """Sixty-six drawn at once took the browser half a minute of work; each has the stretch of time that was chosen in any of them."""
    api.report(hinged_run(), tmp_path / "report.html", title="hinged")
    browser.open(tmp_path / "report.html")
    assert browser.evaluate("document.querySelectorAll('.plot').length") >= 4
    assert browser.evaluate("Bokeh.documents.length") == 0  # the view fills the window
    plots_drawn(browser, 1)
    browser.wait(f"{RANGES}.length > 0")
    browser.evaluate(f"{RANGES}[0].setv({{start: 2, end: 3}})")
    last = browser.evaluate("document.querySelectorAll('.plot').length - 1")
    browser.evaluate(f"document.querySelectorAll('.plot')[{last}].scrollIntoView()")
    browser.wait(f"document.querySelectorAll('.plot')[{last}].children.length > 0 && {RANGES}.length > 1")
    browser.wait(f"{RANGES}.at(-1).start === 2 && {RANGES}.at(-1).end === 3")
    browser.evaluate(f"{RANGES}.at(-1).setv({{start: 0, end: 5}})")
    browser.evaluate("document.querySelectorAll('.plot')[0].scrollIntoView()")
    browser.wait(f"{RANGES}[0].start === 0 && {RANGES}[0].end === 5")
    assert browser.complaints == []


def test_of_a_hundred_thousand_points_a_plot_draws_what_can_be_seen(browser, tmp_path):
    """The lowest and the highest value of each pixel; closer in every point. So a page of long curves stays fluid without a graphics card."""
    spike = 0.05 * np.sin(3.0 * np.linspace(0.0, 10.0, 100_001))
    spike[70_007] = 1.0
    long = hinged_run(100_001, **{"panel.mode[1].amplitude": spike}).chosen(["panel.mode[1].amplitude", "hub.position"])
    api.report(long, tmp_path / "long.html", title="long")
    browser.open(tmp_path / "long.html")
    plots_drawn(browser, 1)
    browser.wait(f"{RANGES}.length > 0")
    plot = "Bokeh.documents[0].roots()[0]"
    data, drawn_points = f"{plot}.renderers[0].data_source.data", f"{plot}.renderers[0].data_source.data.x.length"
    browser.wait(
        f"{plot}.inner_width > 100 && {drawn_points} === 2 * Math.round({plot}.inner_width * devicePixelRatio)"
    )
    assert browser.evaluate(f"Math.max(...{data}.y)") == 1.0
    browser.evaluate(f"{RANGES}[0].setv({{start: 7.0, end: 7.01}})")
    assert browser.evaluate(f"[...{data}.x]") == pytest.approx(np.arange(69_999, 70_102) * 1e-4, abs=1e-6)
    browser.evaluate(f"{RANGES}[0].setv({{start: 0, end: 10}})")
    assert browser.evaluate(drawn_points) == browser.evaluate(f"2 * Math.round({plot}.inner_width * devicePixelRatio)")
    assert browser.complaints == []


WITHIN = """((name) => {
  const within = (node) => [node, ...(node.shadowRoot ? [...node.shadowRoot.querySelectorAll('*')].flatMap(within) : [])];
  return [...document.querySelectorAll('*')].flatMap(within).filter(({ classList }) => classList.contains(name)).map((node) => node.textContent);
})"""  # texts of all elements of a class, in shadows too
TOLD = f"{WITHIN}('bk-tooltip-content')"


def test_a_plot_tells_its_values_and_takes_the_view_along(browser, tmp_path):
    """The pointer over a plot shows time and values; a click moves the view there; where the view rests is a line in the plots in sight."""
    api.report(hinged_run(), tmp_path / "report.html", title="hinged")
    browser.open(tmp_path / "report.html")
    browser.wait(f"{FRAME}.view && {FRAME}.view.ready")
    plots_drawn(browser, 1)
    browser.wait(f"{RANGES}.length > 0 && Bokeh.documents[0].roots()[0].inner_width > 100")
    left, top, wide, high = browser.evaluate(
        "(({ x, y, width, height }) => [x, y, width, height])(document.querySelector('.plot').getBoundingClientRect())"
    )
    assert browser.evaluate(f"{WITHIN}('bk-tool-icon').length") >= 5
    assert browser.evaluate(f"{WITHIN}('bk-tool-overflow')") == []  # all tools have room
    mouse = {"x": left + 0.6 * wide, "y": top + 0.7 * high, "button": "left", "clickCount": 1}
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=mouse["x"], y=mouse["y"])
    browser.wait(f"{TOLD}.length > 0")
    told = browser.evaluate(TOLD)
    browser.call("Input.dispatchMouseEvent", type="mousePressed", **mouse)
    browser.call("Input.dispatchMouseEvent", type="mouseReleased", **mouse)
    browser.wait(f"{FRAME}.view.time > 4.0")
    now = browser.evaluate(f"{FRAME}.view.time")
    assert 4.0 < now < 8.0
    (at,) = {float(words.split("at ")[1].removesuffix(" s")) for words in told}
    assert abs(at - now) < 0.06  # the nearest of instants that are 0.1 s apart
    lines = "[...report.plots.values()].flatMap(({ near, now }) => near && now ? [now.visible && now.location] : [])"
    browser.wait(f"{lines}.every((time) => time === {FRAME}.view.time)")
    browser.evaluate(f"{FRAME}.document.getElementById('play').click()")
    browser.wait(f"{lines}.every((time) => time === false)")
    assert browser.complaints == []


def test_events_are_marked_in_the_view(browser, tmp_path):
    told = {"switched": [[2.5, "tether.taut", 0], [2.5, "tether.slack_events", 1], [7.25, "tether.taut", 1]]}
    run = tethered_run()
    run = replace(run, origin=run.origin | {"events": {"": told}}, units={"tether.tension": "N"})
    opened(browser, tmp_path / "view.html", api.look(run).page())
    assert browser.evaluate("[...document.querySelectorAll('#marks i')].map(({ title }) => title)") == [
        "tether.slack_events = 1, tether.taut = 0, at 2.5 s", "tether.taut = 1, at 7.25 s",
    ]  # fmt: skip
    mark, knob = browser.evaluate(
        "[document.querySelector('#marks i'), document.getElementById('scrub')].map((e) => e.getBoundingClientRect().x)"
    )
    wide = browser.evaluate("document.getElementById('scrub').clientWidth")
    assert mark + 1.0 == pytest.approx(knob + 8.0 + 0.25 * (wide - 16.0), abs=1.0)
    assert browser.complaints == []


def test_a_frame_of_the_screen_redraws_one_plot_and_none_that_is_out_of_sight(browser, tmp_path):
    """What a person zooms follows the hand, however many plots there are: the others take turns."""
    names = tuple(f"tank_{i}.level" for i in range(24))
    waves = np.array([np.sin((i + 1) * TIME) for i in range(24)]).T
    api.report(Result(TIME, names, waves), tmp_path / "report.html", title="tanks")
    browser.open(tmp_path / "report.html")
    plots_drawn(browser, 1)
    browser.evaluate("document.querySelectorAll('.plot')[23].scrollIntoView()")
    browser.wait("document.querySelectorAll('.plot')[23].children.length > 0")
    browser.wait(
        "[...report.plots.values()].every(({ range }) => range) && [...report.plots.values()].some(({ near }) => !near)"
    )
    moved = f"{RANGES}.filter(({{ end }}) => end === 3).length"
    near = browser.evaluate("[...report.plots.values()].findIndex(({ near }) => near)")
    counts = browser.evaluate(
        "new Promise((done) => { const counts = [];"
        f"const next = () => {{ counts.push({moved}); if (counts.length < 30) requestAnimationFrame(next); else done(counts); }};"
        f"{RANGES}[{near}].setv({{start: 0, end: 3}}); next(); }})"
    )
    assert counts[0] == 1
    assert max(np.diff(counts)) == 1
    assert (
        counts[-1]
        == browser.evaluate("[...report.plots.values()].filter(({ near }) => near).length")
        < browser.evaluate("report.plots.size")
    )


def test_a_foreign_result_has_its_plots(browser, tmp_path):
    time = np.linspace(0.0, 1.0, 50)
    foreign = Result(time, ("tank.level", "valve"), np.column_stack([time**2, time > 0.5]), {"tank.level": "m"})
    notes = api.report(foreign, tmp_path / "foreign.html", title="tank")
    assert notes == ("tank: contains no spacefmu description, so there is nothing to draw; give one with --model",)
    browser.open(tmp_path / "foreign.html")
    plots_drawn(browser, 2)
    assert "valve" in browser.evaluate("document.getElementById('events').nextElementSibling.textContent")
    assert browser.complaints == []


CATALOGUE = ROOT / "fmu_src/catalogue"
DRAWN = [file for file in CATALOGUE.glob("*.toml") if "kind" not in tomllib.loads(file.read_text(encoding="utf-8"))]


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(file.stem for file in (*DRAWN, *CATALOGUE.glob("systems/*.toml"))))
def test_every_catalogue_entry_is_seen(browser, tmp_path, name):
    """The default experiment of each entry that has bodies, and of each system: view, from every camera, and report without a complaint."""
    result = api.run(name)
    opened(browser, tmp_path / "view.html", api.look(result).page())
    cameras = browser.evaluate("[...document.getElementById('camera').options].map((row) => row.value)")
    for camera in cameras:
        browser.evaluate(
            f"document.getElementById('camera').value = '{camera}'; document.getElementById('camera').onchange();"
            "view.seek(0.5 * view.run.time.at(-1))"
        )
        assert browser.evaluate("view.triangles()") > 10
    assert browser.complaints == []
    notes = api.report(result, tmp_path / "report.html", title=name)
    assert all(words.endswith("(--unit chooses)") for words in notes)  # PathFollowing has a plant and its inverse
    browser.open(tmp_path / "report.html")
    browser.wait(f"{FRAME}.view && {FRAME}.view.ready")
    assert browser.complaints == []
