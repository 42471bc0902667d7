"""Bodies of no mass between joints: legal where what moves has inertia, refused by name where it has none."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.dynamics.description import DescriptionError, load_text
from tests.constraints.craft import column, run

CARRIED = """
name = "Carried"
[bodies.rod]
mass = 0.0
inertia = [0.0, 0.0, 0.0]
[bodies.bead]
mass = 2.0
inertia = [0.0, 0.0, 0.0]
[joints.turn]
parent = "space"
child = "rod"
kind = "revolute"
axis = "z"
initial = { rate = 0.8 }
[joints.slide]
parent = "rod"
child = "bead"
kind = "prismatic"
axis = "x"
initial = { position = 1.5, rate = -0.4 }
"""


def test_a_bead_on_a_massless_rod_flies_straight():
    """Nothing pushes it: polar coordinates of a straight line, x = 1.5 − 0.4 t, y = 1.2 t."""
    system, trajectory = run(CARRIED, 3.0, 31)
    t, place = trajectory.time, column(system, trajectory, "bead.position")
    assert np.max(np.abs(place - np.column_stack([1.5 - 0.4 * t, 1.2 * t, 0.0 * t]))) < 1e-9


def test_a_weight_on_a_massless_arm_swings():
    """Under gravity, in a loop of its own: rod and bead fixed to it are a pendulum of period 2π√(l/g) (small swings)."""
    text = CARRIED.replace('kind = "prismatic"\naxis = "x"\ninitial = { position = 1.5, rate = -0.4 }', 'kind = "fixed"\nplace = [1.5, 0.0, 0.0]')  # fmt: skip
    text = (
        text.replace("rate = 0.8", "position = 1e-4")
        + '[environment]\ngravity = "uniform"\nacceleration = [9.81, 0.0, 0.0]\n'
    )
    system, trajectory = run(text, 2.0, 21)
    expected = 1e-4 * np.cos(np.sqrt(9.81 / 1.5) * trajectory.time)
    assert np.max(np.abs(column(system, trajectory, "turn.angle") - expected)) < 1e-10


@pytest.mark.parametrize("text, state", [
    (CARRIED.replace('kind = "prismatic"', 'kind = "revolute"'), "turn.rate"),  # the bead turns where it is
    ('name = "Free"\n[bodies.hub]\nmass = 0.0\ninertia = [1.0, 1.0, 1.0]\n', "hub.velocity"),
])  # fmt: skip
def test_motion_without_mass_is_refused(text, state):
    with pytest.raises(DescriptionError) as caught:
        load_text(text)
    assert all("can change without moving any mass" in problem for problem in caught.value.problems)
    assert any(state in problem or "slide.rate" in problem for problem in caught.value.problems), caught.value.problems
