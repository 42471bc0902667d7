"""A general joint whose rotations come first, against the same motion in two joints with a carrier of no mass between them."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system.evaluate import motion, start

BODIES = """
name = "Slide"
[bodies.hub]
mass = 30.0
inertia = [4.0, 5.0, 6.0]
initial = { angular_velocity = [0.2, -0.1, 0.3] }
[bodies.slider]
mass = 2.0
mass_center = [0.1, 0.05, -0.02]
inertia = [0.1, 0.2, 0.25]
nodes = { end = [0.3, 0.0, 0.1] }
"""
ONE = """
[joints.arm]
parent = "hub"
child = "slider"
place = [0.4, 0.1, 0.0]
kind = "general"
rotations = ["z", "y"]
translations = ["x"]
order = "rotations first"
stiffness = [5.0, 2.0, 1.0]
damping = [0.3, 0.1, 0.2]
initial = { position = [0.6, 0.5, -0.3], rate = [0.4, 0.7, -0.2] }
"""
TWO = """
[bodies.carrier]
mass = 0.0
inertia = [0.0, 0.0, 0.0]
[joints.turn]
parent = "hub"
child = "carrier"
place = [0.4, 0.1, 0.0]
kind = "universal"
axes = ["z", "y"]
stiffness = [2.0, 1.0]
damping = [0.1, 0.2]
initial = { position = [0.5, -0.3], rate = [0.7, -0.2] }
[joints.slide]
parent = "carrier"
child = "slider"
kind = "prismatic"
axis = "x"
stiffness = 5.0
damping = 0.3
initial = { position = 0.6, rate = 0.4 }
"""


def at_start(text):
    system = load_text(BODIES + text)
    rates, y, _ = motion(system, 0.0, *start(system))
    return system, rates, y


def test_as_two_joints():
    """Rates of all states and motion of the node: the two descriptions are one spacecraft."""
    one, one_rates, one_y = at_start(ONE)
    two, two_rates, two_y = at_start(TWO)
    names = {"arm.velocity[1]": "slide.velocity", "arm.rate[1]": "turn.rate[1]", "arm.rate[2]": "turn.rate[2]"}
    for a, b in names.items():
        found = one_rates[one.signals.where("states", a)]
        assert found == pytest.approx(two_rates[two.signals.where("states", b)], rel=1e-11)
    for name in ("slider.end.position", "slider.end.velocity", "slider.end.acceleration", "system.kinetic_energy"):
        at = one.signals.where("outputs", name), two.signals.where("outputs", name)
        assert np.allclose(one_y[at[0]], two_y[at[1]], rtol=1e-11, atol=1e-12)


def test_translations_first_is_another_motion():
    _, _, turned = at_start(ONE)
    _, _, plain = at_start(ONE.replace('order = "rotations first"\n', ""))
    assert not np.allclose(turned, plain, atol=1e-3)
