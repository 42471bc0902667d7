"""Where a spacecraft starts: assembled from partly given data, fixed in space, with options of its joints axis by axis."""

from __future__ import annotations

import json
import tomllib
from functools import cache
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from spacefmu.dynamics.description import DescriptionError, json_schema, load, load_text
from spacefmu.dynamics.description.blocks import KINDS
from spacefmu.dynamics.system.evaluate import motion, residual, start
from spacefmu.dynamics.system.signals import Bag

EXAMPLES = Path(__file__).parents[2] / "examples"
CATALOGUE = Path(__file__).parents[2] / "fmu_src" / "catalogue"
LOOP = (EXAMPLES / "initial_state.toml").read_text()


def states(system):
    return Bag(system.signals, "states", np.array(system.signals.starts("states")))


def test_given_coordinates_are_kept_and_the_rest_is_found():
    """Start values satisfy the loop already, and what `initial` gives stands in them to the last digit but round-off."""
    system = load_text(LOOP)
    x = states(system)
    assert x["crank_pin.angle"] == np.radians(65.0)
    assert x["crank_pin.rate"] == 1.5
    np.testing.assert_allclose(x["frame_bar.position"], [1.0, 2.0, 0.0], atol=1e-15)
    np.testing.assert_allclose(x["frame_bar.angular_velocity"], [0.0, 0.0, 0.3], atol=1e-15)
    moved, u, k, d = start(system)
    np.testing.assert_allclose(moved, x.values, atol=1e-12)  # the runtime finds nothing to do
    for projection in system.projections:
        assert residual(projection, 0.0, moved, u, k, d) < 1e-12
    # closing angles by the cosine rule for bars 1.0, 0.5, 1.1, 0.9: diagonal from crank's end to the fixed end
    pin = np.array([1.0 + 0.5 * np.cos(np.radians(65.0)), 0.5 * np.sin(np.radians(65.0))])
    distance = np.hypot(*pin)
    interior = np.arccos((1.1**2 + 0.9**2 - distance**2) / (2 * 1.1 * 0.9))
    assert abs(x["rocker_pin.angle"]) == pytest.approx(np.pi - interior, abs=1e-11)


def test_the_guess_says_which_way_the_loop_closes():
    """Mirrored guesses give the other branch: the angle at the rocker's pin has the other sign."""
    mirrored = LOOP.replace('"80 deg", guess', '"200 deg", guess').replace('"100 deg", guess', '"-100 deg", guess')
    a, b = states(load_text(LOOP))["rocker_pin.angle"], states(load_text(mirrored))["rocker_pin.angle"]
    assert np.sin(a) * np.sin(b) < 0.0
    np.testing.assert_allclose(np.cos(a), np.cos(b), atol=1e-11)


def test_rounded_angles_of_a_whole_loop_all_move_a_little():
    text = LOOP.replace(", guess = true", "")
    system = load_text(text.replace('"80 deg"', '"88 deg"').replace('"100 deg"', '"103 deg"'))
    x = states(system)
    assert 1e-6 < abs(x["crank_pin.angle"] - np.radians(65.0)) < 0.2
    assert x["crank_pin.rate"] == 1.5


def test_a_loop_that_cannot_close_is_refused_with_its_residual():
    with pytest.raises(
        DescriptionError, match=r"closing can't hold .* a residual of 0\.\d+ of the system's size is left"
    ):
        load_text(LOOP.replace("end = [0.9, 0.0, 0.0]", "end = [9.0, 0.0, 0.0]"))


def test_a_root_fixed_in_space():
    """place and orientation of a joint to space are those of the body's frame in N; nothing pushes it away."""
    y = Bag((system := load(EXAMPLES / "fixed_root.toml")).signals, "outputs", motion(system, 0.0, *start(system))[1])
    np.testing.assert_allclose(y["boom.position"], [0.0, 0.0, 3.0])
    np.testing.assert_allclose(y["boom.quaternion"], [np.cos(np.pi / 12), 0.0, 0.0, np.sin(np.pi / 12)], rtol=1e-14)
    np.testing.assert_allclose(y["boom.velocity"], 0.0, atol=1e-15)
    assert not any(state.name.startswith(("boom.position", "stand")) for state in system.signals.states)


def test_options_of_a_joint_axis_by_axis():
    system = load(EXAMPLES / "joints.toml")
    p = Bag(system.signals, "parameters", np.array(system.signals.starts("parameters")))
    inputs = [signal.name for signal in system.signals.inputs]
    assert list(p["wrist.stiffness"]) == [5.0, 8.0]
    assert list(p["wrist.damping"]) == [0.1, 0.1]
    assert p["wrist.stop_upper[2]"] == np.radians(60.0)
    with pytest.raises(KeyError):
        p["wrist.stop_upper[1]"]
    assert [name for name in inputs if name.startswith("wrist")] == ["wrist.angle_command[1]", "wrist.lock[2]"]
    assert {
        "shoulder.torque",
        "shoulder.lock",
        "rail.acceleration",
        "socket.torque[3]",
        "gimbals.rate_command[3]",
    } <= set(inputs)


@pytest.mark.parametrize(
    "path", sorted([*EXAMPLES.glob("*.toml"), *CATALOGUE.glob("*.toml")]), ids=lambda path: path.stem
)
def test_the_json_schema_accepts_what_loads(path):
    """As an editor sees it: JSON has no dates, a TOML date is its text there."""
    data = json.loads(json.dumps(tomllib.loads(path.read_text()), default=lambda date: date.isoformat()))
    validator(data.get("kind", "spacecraft")).validate(data)


@pytest.mark.parametrize(
    "old, new",
    [
        ("mass = 4.0", "mass = -4.0"),
        ("mass = 4.0", 'mass = "4"'),
        ("mass = 4.0", "mas = 4.0"),
        ('axis = "z"', 'axis = "up"'),
        ('"revolute"', '"hinge"'),
        ('"revolute"', '"revolute"\norder = "rotations first"'),  # a key of another kind
        ('axis = "z"', ""),
    ],
)
def test_the_json_schema_refuses_what_an_editor_should_underline(old, new):
    with pytest.raises(jsonschema.ValidationError):
        validator("spacecraft").validate(tomllib.loads(LOOP.replace(old, new)))


@cache
def validator(kind: str) -> jsonschema.Draft202012Validator:
    """Of the schema of a kind, which test_every_kind_has_a_schema looks at: that takes longer than most descriptions."""
    return jsonschema.Draft202012Validator(json_schema(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_schema(kind):
    schema = json_schema(kind)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["title"] == f"spacefmu {kind} description"


WELDED = """
name = "Welded"
[bodies.box]
mass = 2.0
inertia = [0.1, 0.2, 0.3]
[bodies.box.initial]
{start}
[couplings.weld]
kind = "fixed"
a = "space"
b = "box"
"""


@pytest.mark.parametrize(
    "start, sentence",
    [
        ('orientation = [0.0, 0.0, "30 deg"]', r"bodies.box.initial.orientation is moved by 0.524 rad where the couplings \(weld\) hold"),
        ("position = [0.0, 2.0, 0.0]", "bodies.box.initial.position is moved by 2 m"),
    ],
)  # fmt: skip
def test_a_start_that_couplings_would_move_far_is_refused(start, sentence):
    """It was turned to identity without a word."""
    with pytest.raises(DescriptionError, match=sentence):
        load_text(WELDED.format(start=start))


def test_a_rounded_start_is_closed():
    system = load_text(WELDED.format(start='orientation = [0.0, 0.0, "1 deg"]'))
    assert abs(system.signals.starts("states")[6]) < 1e-12  # z of the quaternion
