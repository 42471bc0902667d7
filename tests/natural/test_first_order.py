"""The first-order form of assembled craft [liu1998]: against the tree, by the holonomy of the planar arm, and with a loop."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.natural.first_order_craft import FirstOrder
from spacefmu.dynamics.natural.system import NotNatural, natural_system
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.fmu_src import api

ARM = """
name = "Arm"
formulation = "natural"
[bodies.hub]
mass = 40.0
inertia = [6.667, 6.667, 6.667]
[bodies.upper]
mass = 4.0
mass_center = [0.5, 0.0, 0.0]
inertia = [0.0, 0.333, 0.333]
[bodies.fore]
mass = 3.0
mass_center = [0.5, 0.0, 0.0]
inertia = [0.0, 0.25, 0.25]
nodes = { gripper = [1.0, 0.0, 0.0] }
[joints.shoulder]
parent = "hub"
child = "upper"
place = [0.5, 0.0, 0.0]
kind = "revolute"
axis = "z"
initial = { position = 1.5 }
[joints.elbow]
parent = "upper"
child = "fore"
place = [1.0, 0.0, 0.0]
kind = "revolute"
axis = "z"
initial = { position = 1.0 }
"""


def moved(system, x, v):
    """Outputs at the state x with speeds v in place of its own."""
    _, u, k, d = start(system)
    nv = len(v)
    nq = FirstOrder.of(system).layout.nq
    return motion(system, 0.0, np.concatenate([x[:nq], v, x[nq + nv :]]), u, k, d)[1]


def shown(system, y, name):
    return y[system.signals.where("outputs", name)]


def test_the_holonomy_of_a_described_arm():
    """Joints once round (1 + 0.5 cos t, 1 + 0.5 sin t): the base turns by −0.057937 rad and moves by (−0.00716, 0.00348) m."""
    system = load_text(ARM)
    form, (x, *_) = FirstOrder.of(system), start(system)
    nq = form.layout.nq

    def rates(t, q):
        given = {"shoulder.rate": -0.5 * np.sin(t), "elbow.rate": 0.5 * np.cos(t)}
        return form.rates(np.concatenate([q, x[nq:]]), given)[:nq]

    end = solve_ivp(rates, (0.0, 2.0 * np.pi), x[:nq], method="DOP853", rtol=1e-11, atol=1e-13).y[:, -1]
    y = motion(system, 0.0, np.concatenate([end, 0.0 * x[nq:]]), *start(system)[1:])[1]
    q0, q3 = shown(system, y, "hub.quaternion")[[0, 3]]
    assert 2.0 * np.arctan2(q3, q0) == pytest.approx(-0.057937, abs=1e-6)
    assert shown(system, y, "hub.position") == pytest.approx([-0.00716, 0.00348, 0.0], abs=1e-5)


@pytest.mark.parametrize("name", ["SpaceManipulatorSpatial", "SpaceManipulator"])
def test_against_the_tree(name):
    """Any joint rates, any angular momentum: the base moves as momenta of the tree say, to 1e-11 of the largest velocity."""
    tree = api.load(name)
    natural = natural_system(tree.made_by[1])
    form, (x, *_) = FirstOrder.of(natural), start(natural)
    rng = np.random.default_rng(3)
    H = rng.normal(size=3)
    free = [s.name for s in tree.signals.states if s.name.endswith("rate") or ".rate[" in s.name]
    given = dict(zip(free, rng.normal(size=len(free)), strict=True))
    y = moved(natural, x, form.rates(x, given, angular_momentum=H))
    assert shown(natural, y, "system.momentum") == pytest.approx(np.zeros(3), abs=1e-11)

    # the tree: momenta are linear in speeds, so six differences give the base's
    x_tree, u, k, d = start(tree)
    craft_tree = tree.made_by[1].tree
    base = slice(craft_tree.nq, craft_tree.nq + 6)

    def momenta(speeds):
        state = x_tree.copy()
        state[craft_tree.nq : craft_tree.nq + craft_tree.nv] = 0.0
        for rate, value in given.items():
            state[tree.signals.where("states", rate)] = value
        state[base] = speeds
        y = motion(tree, 0.0, state, u, k, d)[1]
        center, p = shown(tree, y, "system.mass_center"), shown(tree, y, "system.momentum")
        return np.concatenate([shown(tree, y, "system.angular_momentum") + np.cross(center, p), p]), y

    at_rest, _ = momenta(np.zeros(6))
    columns = np.array([momenta(e)[0] - at_rest for e in np.eye(6)]).T
    _, y_tree = momenta(np.linalg.solve(columns, np.concatenate([H, np.zeros(3)]) - at_rest))
    outputs = [o.name for o in tree.signals.quantities("outputs") if o.name.endswith(("velocity", "angular_velocity"))]
    for output in outputs:
        expected = shown(tree, y_tree, output)
        np.testing.assert_allclose(shown(natural, y, output), expected, atol=1e-11 * max(1.0, np.max(np.abs(expected))))


LOOP = """
name = "Loop"
formulation = "natural"
[bodies.hub]
mass = 20.0
inertia = [3.0, 3.5, 4.0]
[bodies.crank]
mass = 1.0
mass_center = [0.0, 0.25, 0.0]
inertia = [0.02, 0.001, 0.02]
[bodies.rocker]
mass = 1.5
mass_center = [0.0, 0.35, 0.0]
inertia = [0.03, 0.001, 0.03]
[bodies.rod]
mass = 2.0
mass_center = [0.5, 0.0, 0.0]
inertia = [0.001, 0.2, 0.2]
nodes = { middle = [0.5, 0.0, 0.0] }
[joints.a]
parent = "hub"
child = "crank"
place = [0.0, 0.5, 0.0]
kind = "revolute"
axis = "z"
initial = { position = 0.3 }
[joints.b]
parent = "crank"
child = "rod"
place = [0.0, 0.5, 0.0]
kind = "revolute"
axis = "z"
[joints.c]
parent = "hub"
child = "rocker"
place = [1.0, 0.5, 0.0]
kind = "revolute"
axis = "z"
[couplings.d]
kind = "revolute"
a = "rod"
b = "rocker"
place_a = [1.0, 0.0, 0.0]
place_b = [0.0, 0.7, 0.0]
"""


def test_a_loop_leaves_one_motion_to_be_given():
    """A free hub with a four-bar: the crank's rate, or a row of the rod's velocity, gives all; both say the same."""
    system = load_text(LOOP)
    form, (x, *_) = FirstOrder.of(system), start(system)
    v = form.rates(x, {"a.rate": 0.7})
    y = moved(system, x, v)
    for momentum in ("system.momentum", "system.angular_momentum"):
        assert shown(system, y, momentum) == pytest.approx(np.zeros(3), abs=1e-12)
    assert np.max(np.abs(form.equations(x)[2] @ v)) < 1e-12
    row = form.node_rows(x, "rod", "middle")[:1]
    assert row @ v == pytest.approx(shown(system, y, "rod.middle.velocity")[:1], abs=1e-12)
    assert form.rates(x, {}, row, row @ v) == pytest.approx(v, abs=1e-10)
    with pytest.raises(ValueError, match="2 motions are given, expected 1"):
        form.rates(x, {"a.rate": 0.7, "c.rate": 0.1})
    with pytest.raises(ValueError, match=r"'hub.point\[1\]' is not a rate"):
        form.rates(x, {"hub.point[1]": 0.7})


def test_only_of_free_craft_in_natural_coordinates():
    with pytest.raises(NotNatural, match="is in joint coordinates"):
        FirstOrder.of(load_text(ARM.replace('formulation = "natural"', "")))
    with pytest.raises(NotNatural, match="hub is connected to space; the craft must float freely"):
        FirstOrder.of(
            load_text(ARM + '[joints.ground]\nparent = "space"\nchild = "hub"\nkind = "revolute"\naxis = "z"\n')
        )
