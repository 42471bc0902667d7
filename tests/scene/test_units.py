"""Several spacecraft in one result: all are drawn, each where its own unit says it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.fuse.picture import together
from spacefmu.fmu_src import api
from spacefmu.fmu_src.results import Result
from spacefmu.fmu_src.scene.motion import motion_of
from spacefmu.fmu_src.view.subject import seen, subject_of
from tests.catalogue_fmus import fmu_file, system_of

PAIR = """
kind = "system"
name = "Pair"
step = 0.1
stop = 1.0

[units.chaser]
model = "{fmu}"
start = {{ "hub.velocity[1]" = 0.5 }}

[units.target]
model = "{fmu}"
start = {{ "hub.position[1]" = 20.0, "hub.angular_velocity[3]" = 0.2 }}
"""

ORBITER = """
name = "Orbiter"
[environment]
gravity = "central"
frame = "orbit"
orbit = {{ semi_major_axis = {axis}, inclination = "{inclination} deg" }}
[bodies.hub]
mass = 100.0
inertia = [10.0, 12.0, 14.0]
initial = {{ position = [1.0, 2.0, 3.0] }}
"""


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pair")
    (folder / "Pair.toml").write_text(PAIR.format(fmu=fmu_file("HingedPanel")), encoding="utf-8")
    return api.cosimulate(folder / "Pair.toml")


def test_both_spacecraft_of_a_system_are_drawn(pair):
    scene, motion = seen(subject_of(pair, "pair"))
    names = [body.name for body in scene.picture.bodies]
    assert names == ["chaser.hub", "chaser.panel", "target.hub", "target.panel"]
    assert [body.parent for body in scene.picture.bodies] == [-1, 0, -1, 2]
    for unit in ("chaser", "target"):
        for body in ("hub", "panel"):
            place = motion.positions[:, names.index(f"{unit}.{body}")]
            assert place == pytest.approx(pair[f"{unit}.{body}.position"], abs=1e-9)
    assert motion.missing == ()
    assert scene.size > 20.0
    page = api.look(pair).page()
    assert "chaser.panel" in page
    assert "target.panel" in page


def test_a_person_chooses_what_is_drawn(pair, tmp_path):
    chosen = subject_of(pair, "pair", units=["target"])
    scene, motion = seen(chosen)
    assert [body.name for body in scene.picture.bodies] == ["hub", "panel"]
    assert motion.positions[:, 0] == pytest.approx(pair["target.hub.position"], abs=1e-9)
    assert chosen.notes == ("drawn: target; not drawn: chaser (--unit chooses)",)
    assert api.report(pair, tmp_path / "pair.html", units=["target"]) == chosen.notes
    with pytest.raises(
        ValueError, match=r"pair: has no unit 'targt' that could be drawn; expected one of chaser, target"
    ):
        subject_of(pair, "pair", units=["targt"])


def test_an_inverse_problem_is_not_drawn_over_what_follows_it():
    """Both would be one picture in the other; asked for by name it is drawn."""
    units, columns = {}, {}
    for unit, name in (("inverse", "SpaceManipulatorInverse"), ("plant", "SpaceManipulatorSpatial")):
        system = system_of(name)
        files = {path: content.decode() for path, content in system.about.described_by}
        units[unit] = {"model": f"{name}.fmu", "description": files, "values": {}}
        columns |= {f"{unit}.{s.name}": np.full(3, float(s.start)) for s in system.about.picture().coordinates.states}
    result = Result(np.arange(3.0), tuple(columns), np.array(list(columns.values())).T, origin={"units": units})
    subject = subject_of(result, "run")
    assert (subject.unit, subject.beside) == ("plant", ())
    assert subject.notes == ("drawn: plant; not drawn: inverse (--unit chooses)",)
    assert subject_of(result, "run", units=["inverse", "plant"]).unit == "inverse"


def test_on_different_orbits_each_stands_on_its_own():
    """Places from the planet's centre in N, o + R_NS r, are those of each craft alone; the frame is the first one's."""
    crafts = {
        "low": load_text(ORBITER.format(axis=6778e3, inclination=0.0), "low.toml").about.picture(),
        "high": load_text(ORBITER.format(axis=6788e3, inclination=5.0), "high.toml").about.picture(),
    }
    picture = together(crafts)
    arrays = [np.array(picture.coordinates.starts(group)) for group in ("states", "inputs", "parameters")]
    found = picture.place(100.0, *arrays)
    for i, own in enumerate(crafts.values()):
        alone = own.place(100.0, *(np.array(own.coordinates.starts(g)) for g in ("states", "inputs", "parameters")))
        if i == 0:
            assert found.dcm_NS == pytest.approx(alone.dcm_NS)
        expected = alone.origin + alone.dcm_NS @ alone.positions[0]
        assert found.origin + found.dcm_NS @ found.positions[i] == pytest.approx(expected, abs=1e-6)
        assert found.dcm_NS @ found.dcms[i] == pytest.approx(alone.dcm_NS @ alone.dcms[0], abs=1e-12)
    assert found.elsewhere == ("high.",)
    names = [entry.name for entry in picture.coordinates.states]
    result = Result(np.zeros(1), tuple(names), arrays[0][None])
    assert motion_of(picture, result).missing == ()
    free = replace(crafts["high"], planet=0.0)
    with pytest.raises(ValueError, match="one of low, high has a planet and another does not"):
        together(crafts | {"high": free})
