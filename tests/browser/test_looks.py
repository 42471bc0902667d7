"""What a person does beside playing: plots, keys, the camera; and where the light comes from."""

from __future__ import annotations

import pytest

from spacefmu.fmu_src import api
from tests.browser.test_pages import opened


def test_several_variables_are_plotted(browser, tmp_path, hinged_page):
    """Chosen ones below those that are there, at most four; each is closed by its cross; a click goes to its time."""
    opened(browser, tmp_path / "view.html", hinged_page)
    assert browser.evaluate("view.plots()") == ["hub.position"]
    chosen = ["hub.quaternion", "panel.mode[1].amplitude", "system.kinetic_energy", "system.potential_energy"]
    for name in chosen:
        browser.evaluate(f"variable.value = '{name}'; variable.dispatchEvent(new Event('change'))")
    assert browser.evaluate("view.plots()") == chosen
    browser.evaluate("document.querySelector('.plot button').click()")
    assert browser.evaluate("view.plots()") == chosen[1:]
    browser.evaluate(
        "const c = document.querySelector('.plot canvas'); c.dispatchEvent(new MouseEvent('click', { clientX: c.getBoundingClientRect().left + 52 + 0.5 * (c.clientWidth - 70) }))"
    )
    assert browser.evaluate("view.time") == pytest.approx(5.0, abs=0.1)
    browser.evaluate(
        "document.getElementById('plots').style.display = 'none'; view.seek(1)"
    )  # as where a page hides its frame
    assert browser.complaints == []


def test_keys_step_and_the_camera_comes_back(browser, tmp_path, hinged_page):
    opened(browser, tmp_path / "view.html", hinged_page)
    key = "dispatchEvent(new KeyboardEvent('keydown', {{ key: '{}', shiftKey: {} }}))".format
    at_first = browser.evaluate("view.camera.position.toArray()")
    browser.evaluate(f"{key('ArrowRight', 'true')}; {key('ArrowRight', 'false')}")
    assert browser.evaluate("view.time") == pytest.approx(1.1)
    browser.evaluate(key("ArrowLeft", "false"))
    assert browser.evaluate("view.time") == pytest.approx(1.0)
    browser.evaluate("view.camera.position.multiplyScalar(3)")
    browser.evaluate(f"{key('r', 'false')}; {key('Home', 'false')}")
    assert browser.evaluate("view.camera.position.toArray()") == pytest.approx(at_first, rel=1e-6)
    browser.evaluate("document.getElementById('loop').checked = true; view.seek(9.99); view.play(true)")
    browser.wait("view.time < 5")  # begins again
    assert browser.evaluate("view.playing")
    assert browser.complaints == []


def test_light_comes_from_the_sun_unless_the_planet_is_before_it(browser, tmp_path):
    """SnapSatellite begins in the planet's shadow; x, y, z of the frame are x, -z, y of the page, which has y upward."""
    opened(browser, tmp_path / "view.html", api.look("SnapSatellite", still=True).page())
    x, y, z = browser.evaluate("view.run.arrows.Sun.at(0, 0)")
    aim = browser.evaluate("view.sun.position.clone().sub(view.sun.target.position).normalize().toArray()")
    assert aim == pytest.approx([x, z, -y], abs=1e-6)
    assert browser.evaluate("view.sun.intensity") < 0.1
    browser.evaluate("view.run.planet.values[0] *= -1; view.seek(0)")
    assert browser.evaluate("view.sun.intensity") > 0.9
    assert browser.complaints == []
