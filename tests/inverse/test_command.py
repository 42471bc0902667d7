"""`spacefmu inverse` and api.inverse: waypoints from a file, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.dynamics.evaluate import motion, start
from spacefmu.fmu_src import api
from tests.inverse.arms import SPATIAL, at_start


@pytest.fixture
def waypoints(tmp_path):
    at = at_start(api.load(SPATIAL), "forearm.gripper.position")
    rows = [(0.0, *at), (2.0, *(at + [-0.1, 0.1, 0.0])), (5.0, *(at + [-0.2, 0.0, 0.1]))]
    file = tmp_path / "path.csv"
    file.write_text("time,x,y,z\n" + "\n".join(",".join(f"{value:.17g}" for value in row) for row in rows))
    return file, np.array(rows)


def test_a_path_from_a_file(waypoints):
    """The spline meets its waypoints, rests at its ends, and ends the experiment."""
    file, rows = waypoints
    system = api.inverse(SPATIAL, file, node="forearm.gripper")
    assert system.experiment["stop"] == 5.0
    path = system.made_by[1].problem.tasks[0].path
    for t, *place in rows:
        assert path.at(t, None)[0] == pytest.approx(place, abs=1e-12)
    for t in (0.0, 5.0):
        assert np.allclose(path.at(t, None)[1:], 0.0, atol=1e-12)
    middle = [path.at(2.0 + h, None) for h in (-1e-7, 1e-7)]  # continuous across the knot
    assert np.allclose(*middle, atol=1e-6)
    y = motion(system, 0.0, *start(system))[1]
    assert np.max(np.abs(y[system.signals.where("outputs", "forearm.gripper.path.position_error")])) < 1e-12
    assert np.max(np.abs(y[system.signals.where("outputs", "forearm.gripper.velocity")])) < 1e-12


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "has no table"),
        ({"node": "forearm.gripper"}, "needs a path"),
        ({"path": "path.csv"}, "belongs to a node or to a joint"),
    ],
)
def test_refused(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        api.inverse(SPATIAL, **arguments)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("time,x,y\n0,0,0\n", "expected a header of time and 3 columns"),
        ("time,x,y,z\n0,1,2,3\n", "has 1 waypoints, expected 2 to 200"),
        ("time,x,y,z\n0,1,2,3\n0,1,2,3\n", "increasing times"),
        ("time,x,y,z\n0,1,2,3\n1,a,2,3\n", "in line 3, expected 4 numbers"),
        ("time,x,y,z\n0,1,2,3\n1,nan,2,3\n", "in line 3, expected 4 finite numbers"),
    ],
)
def test_wrong_tables(tmp_path, text, sentence):
    (tmp_path / "path.csv").write_text(text)
    with pytest.raises(ValueError, match=sentence):
        api.inverse(SPATIAL, tmp_path / "path.csv", node="forearm.gripper")
