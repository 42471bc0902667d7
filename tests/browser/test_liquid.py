"""Liquid in a real browser: its level follows the run, and is not magnified with the bending of bodies."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.fmu_src import api
from spacefmu.fmu_src.results import Result
from spacefmu.fmu_src.scene.scene import at_level
from tests.browser.test_pages import opened

TANK = """
name = "Tank"
[bodies.hub]
mass = 100.0
inertia = [20.0, 22.0, 25.0]
[tanks.main]
body = "hub"
kind = "sphere"
radius = 0.4
outlet = "-z"
capacity = 200.0
propellant = 120.0
"""


def test_the_level_follows_the_run(browser, tmp_path):
    system, time = load_text(TANK), np.linspace(0.0, 10.0, 11)
    names = tuple(entry.name for entry in system.signals.states)
    values = np.tile([float(entry.start) for entry in system.signals.states], (11, 1))
    values[:, names.index("tank.main.propellant")] = 120.0 - 10.0 * time
    files = {name: content.decode() for name, content in system.about.described_by}
    run = Result(time, names, values, origin={"units": {"": {"model": "Tank.fmu", "description": files, "values": {}}}})
    opened(browser, tmp_path / "view.html", api.look(run).page())
    for bend in (0, 2):
        browser.evaluate(f"document.getElementById('bend').value = {bend}; view.seek(7.0)")
        assert browser.evaluate("view.influences()[0]") == pytest.approx(at_level(0.25).tolist(), abs=1e-5)
    assert browser.complaints == []
