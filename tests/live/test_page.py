"""The live page in a real browser: what a person does has its effect, numbers are the FMU's, names are text, nothing is fetched."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from websockets.sync.client import connect

from spacefmu.fmu_src import api
from spacefmu.fmu_src.live.page import live_page
from tests.browser.chromium import _until as until
from tests.catalogue_fmus import fmu_file, system_of
from tests.live.test_numbers import EVERY, QUICK
from tests.live.witness import Experiment

READY = "window.live && window.live.ready"
BYTES = 5_000_000  # of a page, at most


def opened(browser, folder, page: str, ready: str = READY):
    assert len(page.encode()) <= BYTES
    path = folder / "live.html"
    path.write_text(page, encoding="utf-8")
    browser.open(path)
    browser.wait(ready)
    browser.evaluate("window.live.play(false)")


@pytest.fixture(scope="module")
def hinged():
    return api.live("HingedPanel")


def control(label: str) -> str:
    return f"document.querySelector('[aria-label={json.dumps(label)}]')"


def moved(browser, label: str, value: float, event: str = "input") -> None:
    browser.evaluate(f"{control(label)}.value = {value}; {control(label)}.dispatchEvent(new Event('{event}'))")


def run_by(browser, seconds: float) -> dict:
    """A frame after so many seconds of simulation, however long they take."""
    return browser.evaluate(f"live.ask('advance', {{ by: {seconds}, milliseconds: 1e6, spacing: 0.1 }}).then(({{ time, steps, refused }}) => ({{ time, steps, refused }}))")  # fmt: skip


def csv_of(browser, folder):
    file = folder / "run.csv"
    file.write_text(browser.evaluate("live.ask('csv').then(({ text }) => text)"), encoding="utf-8")
    return api.read_table(file)


def restarted(browser):
    browser.evaluate("live.restart()")
    browser.wait("live.time === 0")


def test_inputs_act_and_the_csv_file_repeats_the_run_in_the_fmu(browser, tmp_path, hinged):
    """A slider, a pulse, a sine and a tuned parameter; the recorded inputs drive the FMU along the same way."""
    opened(browser, tmp_path, hinged.html)
    restarted(browser)
    moved(browser, "hub.torque[1] [N.m]", 0.5)
    run_by(browser, 2.0)
    moved(browser, "hub.torque[1] [N.m]", 0.0)
    moved(browser, "hub.force[2] [N]", 0.3)
    browser.evaluate(
        f"{control('course of hub.force[2]')}.value = 'sine'; {control('course of hub.force[2]')}.onchange()"
    )
    browser.evaluate(f"{control('pulse of hub.torque[3]')}.click()")
    run_by(browser, 8.0)
    run = csv_of(browser, tmp_path)
    assert run.time[-1] == pytest.approx(10.0)
    assert np.abs(run["hub.angular_velocity[1]"]).max() > 1e-5
    inputs = [s.name for s in system_of("HingedPanel").signals.inputs]
    given = run.chosen([name for name in inputs if np.ptp(run[name]) > 0.0])
    assert set(given.names) == {"hub.torque[1]", "hub.force[2]", "hub.torque[3]"}
    assert np.count_nonzero(run["hub.torque[3]"]) == 10  # a pulse of one second
    again = api.simulate(
        fmu_file("HingedPanel"), stop=10.0, inputs=given, record=["hub.quaternion", "hub.angular_velocity"]
    )
    # FMPy holds what a table has at the beginning of each step, as the page does
    for name in again.names:
        assert np.abs(again[name] - run[name]).max() < 1e-7, name
    assert browser.complaints == []


def test_a_table_is_followed_and_the_run_is_saved_as_a_file(browser, tmp_path):
    """From the start on, jumps included; the file of the button CSV drives the FMU along the same way."""
    table = tmp_path / "table.csv"
    table.write_text("time,hub.torque[3],sadm.torque\n0,0,0\n5,0.5,0\n5,-0.5,1\n10,0,0\n")
    opened(browser, tmp_path, api.live("HingedPanel", table).html)
    restarted(browser)
    run_by(browser, 12.0)
    browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    browser.evaluate("document.getElementById('csv').click()")
    until((tmp_path / "HingedPanel.csv").exists)
    run = api.read_table(tmp_path / "HingedPanel.csv")
    before = run.time < 4.999
    assert run["hub.torque[3]"][before] == pytest.approx(0.1 * run.time[before])
    assert run["hub.torque[3]"][~before] == pytest.approx(np.interp(run.time[~before], [5.0, 10.0], [-0.5, 0.0]))
    assert run["sadm.torque"][50] == 1.0
    again = api.simulate(
        fmu_file("HingedPanel"),
        stop=12.0,
        inputs=api.read_table(table),
        record=["hub.quaternion", "panel.tip.displacement"],
    )
    for name in again.names:
        assert np.abs(again[name] - run[name]).max() < 1e-7, name
    assert browser.complaints == []


def test_a_switch_is_a_boolean_input(browser, tmp_path):
    """The latch of a linkage that has closed opens, and closes no more while the switch is off."""
    opened(browser, tmp_path, api.live("DeployableFourBar").html)
    restarted(browser)
    run_by(browser, 5.0)
    closed = "live.row[live.data.recorded.findIndex(({ name }) => name === 'latch.closed')]"
    assert browser.evaluate(closed) == 1.0
    assert browser.evaluate("document.getElementById('event').textContent").startswith("latch.closed = 1 at 1.6")
    browser.evaluate(f"{control('latch.close')}.click()")
    assert browser.evaluate(f"{control('latch.close')}.getAttribute('aria-checked')") == "false"
    run_by(browser, 1.0)
    assert browser.evaluate(closed) == 0.0
    assert browser.complaints == []


def test_a_state_is_saved_and_gone_back_to(browser, tmp_path, hinged):
    opened(browser, tmp_path, hinged.html)
    restarted(browser)
    moved(browser, "hub.torque[2] [N.m]", 0.2)
    run_by(browser, 3.0)
    browser.evaluate("document.getElementById('keep').click()")
    browser.wait("document.getElementById('states').options.length === 2")
    run_by(browser, 4.0)
    first = browser.evaluate("live.row")
    browser.evaluate(
        "document.getElementById('states').selectedIndex = 1; document.getElementById('states').onchange()"
    )
    browser.wait("Math.abs(live.time - 3) < 1e-9")
    assert csv_of(browser, tmp_path).time[-1] == pytest.approx(3.0)
    run_by(browser, 4.0)
    assert browser.evaluate("live.row") == first
    assert browser.complaints == []


def test_parameters_change_at_once_or_with_a_restart_and_refusals_are_told(browser, tmp_path, hinged):
    opened(browser, tmp_path, hinged.html)
    restarted(browser)
    moved(browser, "hub.mass [kg], number", 100.0, "change")
    assert browser.evaluate("document.getElementById('waiting').textContent").startswith("1 changed value")
    moved(browser, "hub.force[1] [N]", 10.0)
    browser.evaluate("live.restart()")
    run_by(browser, 1.0)
    light = browser.evaluate("live.row[live.data.recorded.findIndex(({ name }) => name === 'hub.velocity[1]')]")
    moved(browser, "hub.mass [kg], number", -5.0, "change")
    browser.evaluate("live.restart()")
    browser.wait("document.getElementById('said').textContent.includes('hub.mass')")
    browser.evaluate("document.getElementById('original').click()")
    browser.wait("document.getElementById('waiting').textContent === ''")
    browser.wait("live.time === 0")
    run_by(browser, 1.0)
    heavy = browser.evaluate("live.row[live.data.recorded.findIndex(({ name }) => name === 'hub.velocity[1]')]")
    assert light > 1.5 * heavy > 0.0
    assert browser.complaints == []


def test_it_runs_steps_and_is_driven_by_keys(browser, tmp_path, hinged):
    opened(browser, tmp_path, hinged.html)
    restarted(browser)
    key = "document.body.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{}', bubbles: true }}))".format
    browser.evaluate(key("."))
    browser.wait("live.time > 0")
    assert browser.evaluate("live.time") == pytest.approx(0.1)
    browser.evaluate(key("5"))  # the fifth input's pulse
    assert browser.evaluate("document.querySelectorAll('#input-rows select')[4].value") == "pulse"
    browser.evaluate(key(" "))
    assert browser.evaluate("live.playing")
    browser.wait("live.time > 1")
    browser.evaluate(key(" "))
    assert not browser.evaluate("live.playing")
    assert browser.evaluate("live.pictures") > 1
    assert browser.evaluate("live.triangles()") > 10
    turned = "document.getElementById('stage').dispatchEvent(new KeyboardEvent('keydown', {{ key: '{}', bubbles: true }})); live.away()".format
    first, second, third = (np.array(browser.evaluate(turned(each))) for each in ("ArrowLeft", "ArrowUp", "+"))
    assert np.linalg.norm(first) == pytest.approx(np.linalg.norm(second))  # turned about what is looked at,
    assert np.linalg.norm(second - first) > 0.05 * np.linalg.norm(first)
    assert third == pytest.approx(0.9 * second)  # and nearer to it
    assert browser.complaints == []


def test_every_control_has_a_name_and_is_reached_by_the_keyboard(browser, tmp_path, hinged):
    opened(browser, tmp_path, hinged.html)
    first = browser.evaluate("document.getElementById('panel').firstElementChild.id")
    assert first == "inputs"  # a plant's; of a system gains come first
    nameless = browser.evaluate("""[...document.querySelectorAll('button, select, input')].filter((each) =>
      !(each.getAttribute('aria-label') || each.title || each.textContent.trim() || each.labels?.length)).map(({ outerHTML }) => outerHTML)""")
    assert nameless == []
    assert browser.evaluate(
        "[...document.querySelectorAll('[tabindex]')].map(({ id, tabIndex }) => [id, tabIndex])"
    ) == [["stage", 0]]  # the order is that of the page
    browser.call("Emulation.setDeviceMetricsOverride", width=360, height=740, deviceScaleFactor=1, mobile=False)
    try:
        assert browser.evaluate(
            "document.documentElement.scrollWidth <= innerWidth"
        )  # a phone: nothing beside the screen
    finally:
        browser.call("Emulation.clearDeviceMetricsOverride")
    assert browser.complaints == []


@pytest.mark.parametrize("fmi", [2, 3])
def test_an_fmu_gives_the_page_of_its_description(tmp_path, fmi, hinged):
    """Of either version of FMI: compiled from what it carries, so that the page is the same to the byte."""
    assert api.live(api.build("HingedPanel", tmp_path / "own.fmu", fmi=fmi)).html == hinged.html


def test_a_controller_s_gains_act_while_the_system_runs(browser, tmp_path):
    """Plant and controller in one module: stiffer gains turn the satellite otherwise; they are open at first."""
    opened(browser, tmp_path, api.live("AttitudeSlew").html)
    restarted(browser)
    assert browser.evaluate("document.querySelector('#parameter-rows details').open")
    assert browser.evaluate("document.getElementById('panel').firstElementChild.id") == "parameters"
    names = "live.data.recorded.findIndex(({ name }) => name === 'controller.torque[1]')"
    browser.evaluate("live.ask('save')")
    run_by(browser, 20.0)
    before = browser.evaluate(f"live.row[{names}]")
    browser.evaluate("live.ask('restore', { state: 1 })")
    moved(browser, "controller.stiffness[1] [N.m/rad]", 0.5)
    run_by(browser, 20.0)
    after = browser.evaluate(f"live.row[{names}]")
    assert abs(after - before) > 1e-4
    assert browser.complaints == []


def test_models_without_bodies_have_plots(browser, tmp_path):
    opened(browser, tmp_path, api.live("WingHeat").html)
    run_by(browser, 5.0)
    assert browser.evaluate("getComputedStyle(document.getElementById('view')).display") == "none"
    assert browser.evaluate("live.plots().length") > 0
    assert browser.complaints == []


def test_without_webgl_there_are_plots(browser, tmp_path, hinged):
    before = browser.call("Page.addScriptToEvaluateOnNewDocument", source="HTMLCanvasElement.prototype.getContext = ((real) => function (kind, ...more) { return kind.startsWith('webgl') ? null : real.call(this, kind, ...more); })(HTMLCanvasElement.prototype.getContext);")  # fmt: skip
    try:
        opened(browser, tmp_path, hinged.html)
    finally:
        browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=before["identifier"])
    restarted(browser)
    run_by(browser, 2.0)
    assert not browser.evaluate("live.webgl")
    assert "no WebGL" in browser.evaluate("document.getElementById('said').textContent")
    assert browser.evaluate("live.time") == pytest.approx(2.0)
    assert browser.complaints == []


def test_a_notebook_shows_it_in_a_frame_of_its_own(browser, tmp_path, hinged):
    """What IPython asks for: a frame without rights on what is around it; the worker runs in it, too."""
    (tmp_path / "notebook.html").write_text(
        f"<!DOCTYPE html><meta charset=utf-8><title>n</title>{hinged._repr_html_()}"
    )
    browser.open(tmp_path / "notebook.html")
    assert browser.evaluate("document.querySelector('iframe').contentDocument") is None
    browser.wait("document.querySelector('iframe').clientHeight > 500")
    # such a frame has a process of its own, and is a target of its own of the protocol
    frames = lambda: [t["targetId"] for t in browser.call("Target.getTargets")["targetInfos"] if t["type"] == "iframe"]  # noqa: E731
    until(frames)
    host, port = browser._socket.socket.getpeername()[:2]
    question = {"id": 1, "method": "Runtime.evaluate", "params": {"expression": "window.live?.time ?? 0"}}

    def clock() -> float:
        with connect(f"ws://{host}:{port}/devtools/page/{frames()[0]}") as inner:
            inner.send(json.dumps(question))
            return json.loads(inner.recv(timeout=60))["result"]["result"]["value"]

    until(lambda: clock() > 0.5)  # [s]: the worker runs
    assert browser.complaints == []


def test_hostile_texts_are_text_and_the_policy_forbids_the_rest(browser, tmp_path):
    """Markup in what a description says is shown as it is; what is not the page's own is neither run nor fetched."""
    evil = '</script></style><img src=x onerror="window.hit=1"><script>window.hit=1</script>'
    system = system_of("TetheredMasses")
    system = replace(system, name=evil, about=replace(system.about, description=evil))
    opened(browser, tmp_path, live_page(system))
    assert browser.evaluate("document.querySelector('h1').textContent") == evil
    assert browser.evaluate("document.getElementById('subtitle').textContent") == evil
    assert browser.evaluate("window.hit === undefined && document.images.length === 0")
    assert browser.complaints == []
    browser.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.hit = 1' }))"
    )
    assert browser.evaluate("fetch('https://example.invalid/').then(() => 'fetched', () => 'refused')") == "refused"
    assert browser.evaluate("window.hit === undefined")
    assert sum("Content Security Policy" in each for each in browser.complaints) >= 2


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.ci) for name in EVERY]
)
def test_every_entry_is_alive(browser, tmp_path, name):
    """The whole default experiment in the browser: node's numbers to the bit; it is seen, and nothing complains."""
    experiment = Experiment(name)
    opened(browser, tmp_path, api.live(name).html)
    restarted(browser)
    assert run_by(browser, experiment.stop)["steps"] == experiment.steps
    run = csv_of(browser, tmp_path)
    expected, _ = experiment.in_node(tmp_path)
    every = round(experiment.steps / (len(run.time) - 1))  # of long runs fewer rows are kept
    found = run.values[:, [run.places[name] for name in experiment.names]]
    assert every == 1 or experiment.steps > 10_000
    rows = np.round(run.time / experiment.step).astype(int)
    assert found.tobytes() == expected[rows].tobytes()
    assert browser.complaints == []
