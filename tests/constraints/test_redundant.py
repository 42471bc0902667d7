"""Redundant couplings are solved and said once; inconsistent ones are refused by name."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.dynamics.description import DescriptionError, load_text, reader
from tests.constraints.craft import balance, column, drift, run

DOOR = """
name = "Door"
[bodies.wall]
mass = 10.0
inertia = [1.0, 1.0, 1.0]
nodes = {{ low = [0.0, 0.0, 0.0], high = [0.0, 0.0, 1.0] }}
[bodies.door]
mass = 2.0
mass_center = [0.5, 0.0, 0.5]
inertia = [0.2, 0.3, 0.3]
nodes = {{ low = [0.0, 0.0, 0.0], high = [0.0, 0.0, {height}] }}
[bodies.door.initial]
angular_velocity = [0.0, 0.0, 1.0]
[couplings.low]
kind = "revolute"
a = "wall.low"
b = "door.low"
{high}
"""
HIGH = """
[couplings.high]
kind = "revolute"
a = "wall.high"
b = "door.high"
"""


def test_door_on_two_hinges_moves_as_on_one():
    """Ten rows of rank five: the motion is that of one hinge; the documentation says once what is not unique."""
    two, moved = run(DOOR.format(height=1.0, high=HIGH), 5.0, 6)
    one, expected = run(DOOR.format(height=1.0, high=""), 5.0, 6)
    np.testing.assert_allclose(moved.x, expected.x, atol=1e-10)  # measured 6e-14
    assert two.about.documentation.count("redundant") == 1
    assert "5 of the conditions of low and high" in two.about.documentation
    assert "redundant" not in one.about.documentation
    flagged = [s.name for s in two.signals.outputs if "not unique: least norm" in s.description]
    assert flagged == [f"{c}.{q}[{i}]" for c in ("low", "high") for q in ("force", "torque") for i in (1, 2, 3)]
    # of least norm: the two hinges together carry what the single one does
    load_of = lambda system, run, name: run.y[:, system.signals.where("outputs", f"{name}.force")]  # noqa: E731
    np.testing.assert_allclose(
        load_of(two, moved, "low") + load_of(two, moved, "high"), load_of(one, expected, "low"), atol=1e-10
    )  # measured 4e-14


@pytest.mark.parametrize("formulation", ["tree", "natural"])
def test_clashing_couplings_are_refused_by_name(formulation):
    with pytest.raises(
        DescriptionError,
        match=r"low and high can't hold at the same time .* residual of 0\.0[0-9]+ of the system's size",
    ):
        load_text(f'formulation = "{formulation}"\n' + DOOR.format(height=1.1, high=HIGH))


def test_natural_coordinates_make_no_system_of_the_tree(monkeypatch):
    made = []
    tree = reader.spacecraft_system
    monkeypatch.setattr(
        reader, "spacecraft_system", lambda craft, dynamics: made.append(craft) or tree(craft, dynamics)
    )
    load_text('formulation = "natural"\n' + DOOR.format(height=1.0, high=HIGH))
    assert made == []
    load_text(DOOR.format(height=1.0, high=HIGH))
    assert len(made) == 1


def bricard(closing: str) -> str:
    """Bricard's mechanism: rods along six edges of a cube, hinges square to neighbouring edges; the sixth rod is space.

    By counting it can't move (6 hinges, 5 bodies: 0 degrees of freedom); it does, with one.
    """
    points = np.array([[1, 1, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1], [1, 0, 1], [1, 0, 0]], float)
    text = 'name = "Bricard"\n[environment]\ngravity = "uniform"\nacceleration = [0.3, -9.81, 0.0]\n'
    for i in range(5):
        along = points[i + 1] - points[i]
        inertia = (1.0 - along**2) / 12.0 + 1e-3
        axis = "zyxzy"[i]
        parent, place = ("space", points[0]) if i == 0 else (f"rod{i}", points[i] - points[i - 1])
        text += f"[bodies.rod{i + 1}]\nmass = 1.0\nmass_center = {(along / 2).tolist()}\ninertia = {inertia.tolist()}\nnodes = {{ end = {along.tolist()} }}\n"
        text += f'[joints.hinge{i + 1}]\nparent = "{parent}"\nplace = {place.tolist()}\nchild = "rod{i + 1}"\nkind = "revolute"\naxis = "{axis}"\n'
    return text + f'[couplings.last]\na = "rod5.end"\nb = "space"\nplace_b = [1.0, 0.0, 0.0]\n{closing}\n'


def test_bricard_moves_as_it_should():
    """Five rows of rank four all along: the same motion as with four independent rows (a universal coupling). Energy stays."""
    system, trajectory = run(bricard('kind = "revolute"\naxis = "x"'), 1.0, 11)
    _, other = run(bricard('kind = "universal"\naxis = "x"\naxis_b = "y"'), 1.0, 11)
    assert "1 of the conditions of last is redundant" in system.about.documentation
    assert np.ptp(column(system, trajectory, "hinge1.angle")) > 0.5  # it moves
    np.testing.assert_allclose(trajectory.x[:, :10], other.x[:, :10], atol=1e-7)  # measured 5e-13
    assert drift(balance(system, trajectory)) < 1e-8  # measured 3e-12 J
