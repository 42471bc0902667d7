"""`spacefmu inverse` and api.inverse: waypoints from a file, and what they refuse."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spacefmu.dynamics import description
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.fmu_src import api
from tests.inverse.arms import SPATIAL, at_start, text_of


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
    assert system.about.experiment["stop"] == 5.0
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


LETTERS = st.characters(exclude_categories=("Cs",))


@pytest.mark.parametrize("word", ['forearm".gripper', "forearm\\gripper", "forearm\ngripper", "]"])
def test_a_strange_name_is_refused_by_the_name(waypoints, word):
    """It was pasted into the text: a quote gave "not valid TOML … line 59" of a file that nobody wrote."""
    for where in ("node", "joint"):
        with pytest.raises(ValueError, match=rf"inverse\.paths\.given\.{where}") as caught:
            api.inverse(SPATIAL, waypoints[0], **{where: word})
        assert "TOML" not in str(caught.value)
    with pytest.raises(ValueError, match=r"inverse\.redundancy\.aim"):
        api.inverse(SPATIAL, waypoints[0], node="forearm.gripper", aim=word)


@pytest.mark.parametrize("wrong", ["inverse = 3", "inverse.paths = 3", "inverse.redundancy = 3"])
def test_a_description_whose_inverse_is_no_table(waypoints, tmp_path, wrong):
    (tmp_path / "arm.toml").write_text(f"{wrong}\n{text_of(SPATIAL)}")
    with pytest.raises(ValueError, match=wrong.partition(" ")[0]):
        api.inverse(tmp_path / "arm.toml", waypoints[0], node="forearm.gripper", aim="least_energy")


def test_any_folder_can_hold_the_waypoints(waypoints, tmp_path):
    """What travels with the System is the description with its path, as text: read again, it gives the same problem."""
    folder = tmp_path / 'a "quoted" \t folder'
    folder.mkdir()
    file = waypoints[0].rename(folder / "path.csv")
    system = api.inverse(SPATIAL, file, node="forearm.gripper")
    carried = dict(system.about.described_by)
    (text,) = carried.values()
    assert text.decode().startswith(text_of(SPATIAL))
    again = description.load_files(carried, "carried")
    assert again.made_by[1].problem.tasks[0].path.knots == system.made_by[1].problem.tasks[0].path.knots
    second = tmp_path / "arm.toml"
    second.write_bytes(text)
    both = api.inverse(second, file, node="forearm.gripper")  # the path of that name is replaced, the rest stays
    assert len(both.made_by[1].problem.tasks) == 1
    assert description.load_files(dict(both.about.described_by), "carried").about.experiment["stop"] > 0.0


@given(st.recursive(st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(LETTERS), lambda own: st.lists(own) | st.dictionaries(st.text(LETTERS), own)))  # fmt: skip
@example({"": {"a b": [1, {"c": '"\\\x7f\n'}]}, "d": 1e-300})
def test_data_as_toml_parses_to_itself(data):
    data = data if isinstance(data, dict) else {"a": data}
    assert tomllib.loads(description.toml_text(data)) == data
