"""A place on a flexible body moves with its modes, whoever sits there: node and bare place give the same motion, or the place is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from spacefmu.dynamics.bodies.plate import Plate, isotropic, plate_body
from spacefmu.dynamics.description import DescriptionError, load_text
from spacefmu.dynamics.system.evaluate import motion, start

EXAMPLES = Path(__file__).parents[2] / "examples"
BEAM = """
[bodies.boom.beam]
length = 3.0
mass = 2.0
axis = [0.6, 0.8, 0.0]
bending_y = 40.0
bending_z = 60.0
torsion = 9.0
polar_inertia = 0.1
modes = { bending_y = 2, bending_z = 1, torsion = 1 }
"""
PLATE = """
[bodies.boom.plate]
length = 3.0
width = 1.0
mass = 2.0
axis = "y"
bending = 30.0
modes = 3
"""
# body, its node, the same place in the body's frame
BODIES = {
    "beam": (BEAM, "{ there = 0.7 }", "[1.26, 1.68, 0.0]"),
    "plate": (PLATE, "{ there = [0.7, 0.2] }", None),
}
HUB = """
name = "A"
[environment]
gravity = "central"
[environment.sun]
[bodies.hub]
mass = 10.0
inertia = [3.0, 4.0, 5.0]
[bodies.hub.initial]
position = [7e6, 0.0, 0.0]
velocity = [0.0, 7546.0, 0.0]
angular_velocity = [0.3, -0.2, 0.4]
[joints.root]
parent = "hub"
child = "boom"
kind = "fixed"
[bodies.ball]
mass = 1.0
inertia = [0.1, 0.1, 0.1]
[bodies.ball.initial]
position = [7000001.0, 5.0, 2.0]
velocity = [0.0, 7546.0, 0.0]
[bodies.boom]
nodes = NODES
[bodies.boom.initial]
amplitudes = AMPLITUDES
"""
# what sits at the place: PLACE is "boom.there", or "boom" with the bare place
SITTING = {
    "joint": '[bodies.tip]\nmass = 0.4\ninertia = [0.1, 0.1, 0.1]\n[joints.wrist]\nparent = AT\nPLACE\nchild = "tip"\nkind = "revolute"\naxis = "x"',
    "coupling": '[couplings.rod]\nkind = "distance"\na = "ball"\nb = AT\nPLACE_b\nlength = 4.0',
    "cable": '[cables.line]\nkind = "elastic"\na = AT\nPLACE_a\nb = "ball"\nlength = 1.0\nstiffness = 7.0',
    "beads": '[cables.line]\nkind = "beaded"\na = AT\nPLACE_a\nb = "ball"\nlength = 1.0\nstiffness = 70.0\nmass = 0.1\nbeads = 2',
    "docking": '[couplings.port]\nkind = "fixed"\na = AT\nPLACE_a\nb = "ball"\nswitched = true\nclosed = true',
    "thruster": '[thrusters.t]\nbody = AT\nPLACE\ndirection = "z"',
    "wheel": '[wheels.w]\nbody = AT\nPLACE\naxis = "x"\nspin_inertia = 0.01\nspeed = 30.0\nimbalance = 0.02',
    "surface": '[surfaces.s]\nbody = AT\nPLACE\nnormal = "x"\narea = 3e5',
}


def place_text(key, where):
    return f"place{key} = {where}"


def rates(body, sitting, bare):
    table, nodes, place = BODIES[body]
    if place is None:  # the plate's y is chosen: ask its node
        system = load_text(text_of(table, nodes, SITTING["thruster"], "boom.there", None))
        node = system.made_by[1].loads[0].node
        place = str(node.position.tolist())
    at, where = ("boom", place) if bare else ("boom.there", None)
    system = load_text(text_of(table, nodes, SITTING[sitting], at, where))
    x, u, k, d = start(system)
    x_dot, y, _ = motion(system, 0.0, x, u + 1.3, k, d)
    return x_dot, y


def text_of(table, nodes, sitting, at, where):
    for key in ("_a", "_b", ""):
        sitting = sitting.replace(f"PLACE{key}", "" if where is None else place_text(key, where))
    modes = 4 if "beam" in table else 3
    hub = HUB.replace("NODES", nodes).replace("AMPLITUDES", str([0.1, -0.05, 0.08, 0.2][:modes]))
    return hub + table + sitting.replace("AT", f'"{at}"')


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("sitting", SITTING)
def test_a_place_is_the_node_there(body, sitting):
    """All rates and outputs to 1e-12 of the largest (measured 1e-15 on the beam)."""
    for by_node, by_place in zip(rates(body, sitting, False), rates(body, sitting, True), strict=True):
        assert np.max(np.abs(by_node - by_place)) < 1e-12 * np.max(np.abs(by_node))
        assert np.any(by_node)


def test_a_plate_knows_its_shapes_between_mesh_lines():
    """Node (mesh lines run through it) against a place on the mesh without it: shape, slopes and H differ by the mesh's own error (measured 5e-5, 2e-4, 3e-4)."""
    plate = Plate(2.0, 1.0, 3.0, isotropic(20.0, 0.3))
    spot = (1.234, -0.321)
    node = plate_body("p", plate, 3, {"n": spot}).nodes["n"]
    at = plate_body("p", plate, 3, {}).nodes.at(np.array([*spot, 0.0]))
    for key, bar in (("shape", 2e-4), ("turn", 5e-4), ("second", 1e-3)):
        a, b = getattr(node, key), getattr(at, key)
        assert np.max(np.abs(a - b)) < bar * np.max(np.abs(a)), key


def test_a_load_at_the_tip_bends_the_beam():
    """A cable that pulls at the tip by `place_a`: the first mode gives way along the pull."""
    text = text_of(BEAM, "{ there = 0.7 }", SITTING["cable"], "boom", "[1.8, 2.4, 0.0]").replace(
        "[0.1, -0.05, 0.08, 0.2]", "[0, 0, 0, 0]"
    )
    pulled, idle = load_text(text), load_text(text.replace("stiffness = 7.0", "stiffness = 7e-9"))
    where = pulled.signals.where("states", "boom.mode[1].rate")
    difference = [motion(s, 0.0, *start(s))[0][where] for s in (pulled, idle)]
    assert abs(difference[0] - difference[1]) > 0.1


REFUSED = {
    "beside the axis of a beam": (BEAM, SITTING["coupling"], "[1.26, 1.68, 0.1]",
        "couplings.rod.place_b is [1.26, 1.68, 0.1], expected a place of boom that its modes move: on its axis, from the root to 3 m"),
    "beyond the tip of a beam": (BEAM, SITTING["thruster"], "[1.86, 2.48, 0.0]",
        "thrusters.t.place is [1.86, 2.48, 0.0], expected a place of boom that its modes move: on its axis, from the root to 3 m"),
    "above a plate": (PLATE, SITTING["cable"], "[0.3, 1.0, 0.0]",
        "cables.line.place_a is [0.3, 1.0, 0.0], expected a place of boom that its modes move: in its plane, within 3 × 1 m"),
    "a table": ("[bodies.panel]\nnodal_table = \"panel.csv\"\n", '[couplings.rod]\nkind = "distance"\na = "ball"\nb = "panel"\nPLACE_b\nlength = 4.0', "[0.1, 0.0, 0.0]",
        'couplings.rod.place_b is [0.1, 0.0, 0.0], expected a node instead, "panel.NODE": modes move and turn the places of panel'),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_place_that_the_modes_do_not_know_is_refused(case):
    table, sitting, where, sentence = REFUSED[case]
    base = table if "beam" in table or "plate" in table else BEAM + table
    text = text_of(base, "{ there = [0.7, 0.2] }" if "plate" in table else "{ there = 0.7 }", sitting, "boom", where)
    with pytest.raises(DescriptionError) as caught:
        load_text(text, "a.toml", EXAMPLES)
    assert caught.value.problems == [sentence]


def test_no_place_of_a_flexible_body_is_a_parameter():
    """Where modes move it, a changed place would keep the shapes of the old one."""
    for sitting in ("joint", "thruster"):
        for at, where in (("boom", "[1.26, 1.68, 0.0]"), ("boom", None), ("boom.there", None)):
            system = load_text(text_of(BEAM, "{ there = 0.7 }", SITTING[sitting], at, where))
            names = [signal.name for signal in system.signals.parameters]
            assert not any(name.startswith(("wrist.place", "thruster.t.place")) for name in names)
