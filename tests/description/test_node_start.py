"""Starts given at a node: where the node then is, and what was given stays."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.system.evaluate import motion, start

ARM = """
name = "Arm"
[bodies.base]
mass = 20.0
inertia = [2.0, 2.0, 2.0]
[bodies.upper]
mass = 3.0
inertia = [0.1, 0.3, 0.3]
[bodies.lower]
mass = 2.0
inertia = [0.1, 0.2, 0.2]
nodes = { tip = [1.0, 0.0, 0.0] }
initial = { at = "tip", POSITION }
[joints.hold]
parent = "space"
child = "base"
kind = "fixed"
[joints.shoulder]
parent = "base"
child = "upper"
kind = "revolute"
axis = "z"
SHOULDER
[joints.elbow]
parent = "upper"
child = "lower"
kind = "revolute"
axis = "z"
place = [1.0, 0.0, 0.0]
initial = { position = 0.5, guess = true }
"""
FREE = """
name = "Free"
[bodies.hub]
mass = 20.0
inertia = [2.0, 3.0, 4.0]
nodes = { port = [0.5, 0.2, -0.1] }
[bodies.hub.initial]
at = "port"
position = [1.0, 2.0, 3.0]
velocity = [0.1, 0.2, 0.3]
orientation = [0.3, -0.4, 0.8]
angular_velocity = [0.2, -0.1, 0.4]
"""
ORBIT = '[environment]\nframe = "orbit"\ngravity = "central"\norbit = { semi_major_axis = 7e6, inclination = 0.9 }\n'


def seen(system, name):
    x, u, k, d = start(system)
    return motion(system, 0.0, x, u, k, d)[1][system.signals.where("outputs", name)], x


@pytest.mark.parametrize("surroundings", ["", ORBIT])
def test_a_free_body_by_its_port(surroundings):
    """The port is where it should be, also as seen from the turning O; attitude and angular velocity are those given. 1e-12."""
    system = load_text(FREE + surroundings)
    assert np.max(np.abs(seen(system, "hub.port.position")[0] - [1.0, 2.0, 3.0])) < 1e-12
    velocity, x = seen(system, "hub.port.velocity")
    assert np.max(np.abs(velocity - [0.1, 0.2, 0.3])) < 1e-12
    assert np.allclose(
        x[system.signals.where("states", "hub.angular_velocity")], [0.2, -0.1, 0.4], rtol=0.0, atol=1e-15
    )


def test_an_arm_by_its_tip():
    """Two hinges, tip at (1.2, 0.8): the elbow by the law of cosines, on the side of its guess; speeds by the Jacobian."""
    system = load_text(
        ARM.replace("POSITION", "position = [1.2, 0.8, 0.0], velocity = [0.1, -0.2, 0.0]").replace("SHOULDER", "")
    )
    tip, x = seen(system, "lower.tip.position")
    assert np.max(np.abs(tip - [1.2, 0.8, 0.0])) < 1e-11
    assert np.max(np.abs(seen(system, "lower.tip.velocity")[0] - [0.1, -0.2, 0.0])) < 1e-11
    elbow = np.arccos((1.2**2 + 0.8**2 - 2.0) / 2.0)
    assert x[system.signals.where("states", "elbow.angle")] == pytest.approx(elbow, abs=1e-11)


def test_what_is_given_stays():
    """With the shoulder given only the elbow moves: a tip that it can reach is reached, another is refused with the distance."""
    given = "initial = { position = 0.3 }"
    reach = [np.cos(0.3) + np.cos(1.1), np.sin(0.3) + np.sin(1.1)]
    system = load_text(ARM.replace("POSITION", f"position = [{reach[0]}, {reach[1]}, 0.0]").replace("SHOULDER", given))
    _, x = seen(system, "lower.tip.position")
    assert x[system.signals.where("states", "shoulder.angle")] == 0.3
    assert x[system.signals.where("states", "elbow.angle")] == pytest.approx(0.8, abs=1e-11)
    with pytest.raises(DescriptionError) as caught:
        load_text(ARM.replace("POSITION", "position = [0.2, -1.0, 0.0]").replace("SHOULDER", given))
    assert (
        "bodies.lower.initial.position is [0.2, -1.0, 0.0], expected one that the joints can give to this node"
        in caught.value.problems[0]
    )


def test_refused():
    for text, sentence in (
        (FREE.replace('at = "port"', 'at = "prot"'), "bodies.hub.initial.at"),
        (
            ARM.replace("POSITION", "orientation = [0.1, 0.0, 0.0]").replace("SHOULDER", ""),
            "bodies.lower.initial.orientation =",
        ),
    ):
        with pytest.raises(DescriptionError) as caught:
            load_text(text)
        assert caught.value.problems[0].startswith(sentence), caught.value.problems
