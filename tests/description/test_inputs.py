"""The inputs that docs/descriptions/signals.md promises: their names, and their sense along the axis."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system.evaluate import motion, start

DOCS = Path(__file__).parents[2] / "docs/descriptions/signals.md"
CRAFT = """
name = "Craft"
[bodies.hub]
mass = 50.0
inertia = [8.0, 9.0, 10.0]
[bodies.arm]
mass = 2.0
inertia = [0.3, 0.3, 0.4]
[joints.j]
parent = "hub"
child = "arm"
kind = "{kind}"
{axis}
{drive}
"""
ONE, TWO = 'axis = "z"', 'axes = ["x", "y"]'
SERVO = 'drive = "{}"\nservo = {{ frequency = 1.0 }}'

# kind, axis, drive: the names of the inputs, and by which coordinate of the joint each shows
INPUTS = {
    ("revolute", ONE, 'drive = "torque"'): ["j.torque"],
    ("prismatic", ONE, 'drive = "force"'): ["j.force"],
    ("universal", TWO, 'drive = "force"'): ["j.torque[1]", "j.torque[2]"],
    ("cylindrical", ONE, 'drive = "force"'): ["j.force[1]", "j.torque[1]"],
    ("revolute", ONE, 'drive = "acceleration"'): ["j.angular_acceleration"],
    ("prismatic", ONE, 'drive = "acceleration"'): ["j.acceleration"],
    ("revolute", ONE, SERVO.format("position")): ["j.angle_command"],
    ("prismatic", ONE, SERVO.format("position")): ["j.position_command"],
    ("revolute", ONE, SERVO.format("rate")): ["j.rate_command"],
    ("prismatic", ONE, SERVO.format("rate")): ["j.velocity_command"],
}


@pytest.mark.parametrize("case", INPUTS, ids=lambda case: f"{case[0]} {case[2][:18]}")
def test_the_documented_inputs_move_their_axis_forward(case):
    """A positive input accelerates the child along or about the positive axis."""
    kind, axis, drive = case
    system = load_text(CRAFT.format(kind=kind, axis=axis, drive=drive))
    names = [signal.name for signal in system.signals.inputs]
    assert names == INPUTS[case]
    speeds = [i for i, s in enumerate(system.signals.states) if s.name.startswith(("j.rate", "j.velocity"))]
    x, u, k, d = start(system)
    at_rest = motion(system, 0.0, x, u, k, d)[0][speeds]
    for i in range(len(names)):
        change = motion(system, 0.0, x, np.where(np.arange(len(u)) == i, 1.0, u), k, d)[0][speeds] - at_rest
        assert change[i] > 0.1, names[i]


def test_every_name_is_in_the_documentation():
    text = DOCS.read_text(encoding="utf-8")
    for name in {name.partition("[")[0].replace("j.", "NAME.") for names in INPUTS.values() for name in names}:
        assert f"`{name}`" in text, name
