"""Conditions between two places of a tree, as seen from the body that carries both (tree/carrier.py), against the same as seen from N."""

from dataclasses import fields, replace

import numpy as np
import pytest

from spacefmu.dynamics.constraints.kinds import KINDS
from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.spacecraft.coupled import Coupled
from spacefmu.dynamics.spacecraft.motion import Dynamics
from spacefmu.dynamics.tree.carrier import common_carrier
from tests.constraints.test_rows import EXTRA

CRAFT = """
name = "Branches"
[bodies.hub]
mass = 40.0
inertia = [9.0, 8.0, 7.0]
nodes = { side = [0.3, -0.2, 0.4] }
[bodies.boom]
nodes = { middle = 0.5, tip = 1.0 }
[bodies.boom.beam]
length = 3.0
mass = 4.0
bending_y = 90.0
bending_z = 70.0
torsion = 30.0
section_inertia = [0.2, 0.2]
modes = { bending_y = 2, bending_z = 1, torsion = 1 }
[joints.root]
parent = "hub"
child = "boom"
kind = "revolute"
axis = [0.6, 0.0, 0.8]
[bodies.left]
mass = 2.0
inertia = [0.2, 0.3, 0.4]
nodes = { grip = [0.2, 0.1, 0.5] }
[joints.shoulder]
parent = "boom.middle"
child = "left"
kind = "spherical"
[bodies.right]
mass = 3.0
inertia = [0.4, 0.3, 0.2]
[joints.slider]
parent = "boom.tip"
child = "right"
kind = "prismatic"
axis = [0.0, 0.6, 0.8]
[bodies.hand]
mass = 1.0
inertia = [0.02, 0.03, 0.04]
nodes = { grip = [-0.1, 0.2, 0.3] }
[joints.wrist]
parent = "right"
child = "hand"
place = [0.4, 0.0, 0.1]
kind = "free"
"""
ENDS = ("left.grip", "boom.middle", "hub.side")


NAMES = {f"{kind}0": (kind, ENDS[0]) for kind in KINDS} | {f"fixed{i}": ("fixed", end) for i, end in enumerate(ENDS)}


@pytest.fixture(scope="module")
def asked():
    """name → (tree, connection, its conditions from near by, the same with the ends in N), at a random state that satisfies none.

    All couplings may be open, so that a start is found; at that state they are closed, with what they would have found at the start.
    """
    couplings = [
        f'[couplings.{name}]\nkind = "{kind}"\na = "{end}"\nb = "hand.grip"\naxis = [0.36, 0.48, 0.8]\n{EXTRA.get(kind, "")}\nswitched = true\n'
        for name, (kind, end) in NAMES.items()
    ]
    system = load_text(CRAFT + "".join(couplings) + '[cables.rope]\na = "left.grip"\nb = "hand.grip"\nlength = 9.0\n')
    route = Coupled(Dynamics(system.made_by[1], system.signals), ())
    rng = np.random.default_rng(11)
    u, k, d = (np.array(system.signals.starts(group), float) for group in ("inputs", "parameters", "discretes"))
    d[[i for i, one in enumerate(system.signals.discretes) if one.name.endswith(".closed")]] = 1.0
    x = np.array(system.signals.starts("states"), float) + 0.1 * rng.normal(size=system.nx)
    x = route.dynamics.with_unit_quaternions(x)
    _, found, _ = route.rows.still(0.3, x, u, np.array(system.derive(k), float), d)
    tree = route.dynamics.tree
    return {c.name: (tree, c, near, c.conditions(replace(view, ends_near=lambda: None))) for c, view, near in found}


@pytest.mark.parametrize("name", [*NAMES, "rope"])
def test_rows_are_those_seen_from_N(asked, name):
    """One end on the carrier itself, flexible or rigid, or on another branch; the other two joints further out."""
    tree, connection, near, far = asked[name]
    for field in fields(near):
        a, b = getattr(near, field.name), getattr(far, field.name)
        np.testing.assert_allclose(a, b, atol=1e-12, err_msg=field.name)  # measured 2e-14
    assert np.abs(near.jacobian).max() > 0.1
    inward = slice(0, tree.joint_v[common_carrier(tree, connection.a.body, connection.b.body)].stop)
    assert not near.jacobian[:, inward].any()  # zeros, where sums that cancel leave round-off
    assert np.abs(far.jacobian[:, inward]).max() < 1e-12


def test_bodies_of_two_trees_have_no_carrier(asked):
    assert common_carrier(asked["rope"][0], 0, -1) == -1
