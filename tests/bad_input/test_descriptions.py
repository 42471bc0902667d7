"""Wrong descriptions: each gets one clear sentence with the field, what was found and what was expected.

BASE is a legal description. Every case replaces one piece of it, and lists all sentences that must come out, complete
and in order: nothing else may be reported, and nothing twice.
"""

from __future__ import annotations

import re

import pytest

from spacefmu.dynamics.description import DescriptionError, load, load_text
from spacefmu.dynamics.description.blocks import KINDS, table_of

BASE = """
name = "Base"

[bodies.hub]
mass = 100.0
inertia = [10.0, 12.0, 15.0]
nodes = { corner = [0.5, 0.5, 0.5] }
forces_at = ["corner"]

[bodies.boom]
nodes = { tip = 1.0 }

[bodies.boom.beam]
length = 3.0
mass = 4.0
bending_y = 500.0
modes = { bending_y = 2 }

[joints.root]
parent = "hub"
child = "boom"
place = [0.5, 0.0, 0.0]
kind = "revolute"
axis = "z"

[bodies.load]
mass = 2.0
inertia = [0.1, 0.1, 0.1]

[joints.wrist]
parent = "boom.tip"
child = "load"
kind = "universal"
axes = ["y", "z"]

[thrusters.xp]
body = "hub"
place = [-0.5, 0.0, 0.0]
direction = "x"

[wheels.z]
body = "hub"
axis = "z"
spin_inertia = 0.01

[sensors.gyro]
kind = "gyro"
at = "boom.tip"
"""

CLAMP = """[couplings.clamp]
kind = "fixed"
a = "hub"
b = "load"
{}

[thrusters.xp]"""
SPRINGS = "springs = { places = [[0, 0, 0], [1, 0, 0]], stiffness = 9.0, stroke = 0.1 }"
DOCK = """
[couplings.dock]
kind = "fixed"
a = "hub"
b = "load"
switched = true
latch = {{ joint = "{joint}", at = 0.5 }}

[thrusters.xp]"""

CASES = {
    # ---- fields
    "unknown key": ("mass = 100.0", "mass = 100.0\nmas_center = [0.0, 0.0, 0.0]",
        "bodies.hub has the unknown key 'mas_center'; did you mean 'mass_center'?"),
    "unknown table": ('name = "Base"', 'name = "Base"\n[wheel.z]\nbody = "hub"',
        "the description has the unknown key 'wheel'; did you mean 'wheels'?"),
    "unknown key far from any": ('direction = "x"', 'direction = "x"\ncolour = "red"',
        "thrusters.xp has the unknown key 'colour'; known: actuator, blow_down, body, *"),
    "name is missing": ('name = "Base"', "", "name is missing"),
    "name for C and XML": ("[thrusters.xp]", '[thrusters."x+"]',
        "thrusters has the entry 'x+', expected a name of letters, digits and _, beginning with a letter"),
    "model name": ('name = "Base"', 'name = "3rd try"', "name is '3rd try', expected a name of letters, digits and _, beginning with a letter"),
    "text for a number": ("mass = 100.0", 'mass = "100 kg"', "bodies.hub.mass is '100 kg', expected a number"),
    "Boolean for a number": ("mass = 100.0", "mass = true", "bodies.hub.mass is true, expected a number"),
    "not a number": ("mass = 100.0", "mass = nan", "bodies.hub.mass is nan, expected a finite number"),
    "infinite": ("length = 3.0", "length = inf", "bodies.boom.beam.length is inf, expected a finite number"),
    "an integer beyond any float": ("mass = 100.0", "mass = 1" + 400 * "0",
        "bodies.hub.mass is 1" + 56 * "0" + "..., expected a finite number"),
    "number for a flag": ('kind = "revolute"', 'kind = "revolute"\nlock = 1', "joints.root.lock is 1, expected true or false"),
    "number for a table": ("mass = 100.0", "mass = 100.0\ninitial = 3", "bodies.hub.initial is 3, expected a table"),
    "a table in place of a list of names": ('forces_at = ["corner"]', "forces_at = 3", "bodies.hub.forces_at is 3, expected a list"),
    "negative mass": ("mass = 100.0", "mass = -1.0", "bodies.hub.mass is -1.0, expected a number not less than 0"),
    "zero length": ("length = 3.0", "length = 0", "bodies.boom.beam.length is 0, expected a number greater than 0"),
    "two components": ("place = [0.5, 0.0, 0.0]", "place = [0.5, 0.0]", "joints.root.place is [0.5, 0.0], expected three numbers"),
    "a text among components": ("place = [0.5, 0.0, 0.0]", 'place = [0.5, "0", 0.0]', "joints.root.place is [0.5, '0', 0.0], expected three numbers"),
    "infinite component": ("place = [0.5, 0.0, 0.0]", "place = [0.5, inf, 0.0]",
        "joints.root.place is [0.5, inf, 0.0], expected three numbers, all finite"),
    "zero axis": ('axis = "z"\n\n[bodies.load]', "axis = [0, 0, 0]\n\n[bodies.load]",
        'joints.root.axis is [0, 0, 0], expected an axis: "x", "y", "z", "-x", "-y", "-z" or three numbers that are not all zero'),
    "axis by a wrong letter": ('axes = ["y", "z"]', 'axes = ["y", "w"]',
        'joints.wrist.axes[2] is \'w\', expected an axis: "x", "y", "z", "-x", "-y", "-z" or three numbers that are not all zero'),
    "angle with a wrong unit": ('kind = "revolute"', 'kind = "revolute"\nrest = "30 grad"',
        "joints.root.rest is '30 grad', expected an angle in rad, or a text such as \"30 deg\""),
    "an expression is not evaluated": ('kind = "revolute"', 'kind = "revolute"\nrest = "pi/2"',
        "joints.root.rest is 'pi/2', expected an angle in rad, or a text such as \"30 deg\""),
    "node place": ("corner = [0.5, 0.5, 0.5]", "corner = [1, 2, 3, 4]",
        "bodies.hub.nodes.corner is ['1', '2', '3', '4'], expected a position of three numbers on a rigid body"),
    "node of a rigid body by a fraction": ("corner = [0.5, 0.5, 0.5]", "corner = 0.5",
        "bodies.hub.nodes.corner is 0.5, expected a position of three numbers on a rigid body"),
    "node outside the beam": ("tip = 1.0", "tip = 1.5", "bodies.boom.nodes.tip is 1.5, expected x/L on a beam, a number from 0 to 1"),
    "node named as a signal": ("corner = [0.5, 0.5, 0.5]", "corner = [0.5, 0.5, 0.5], mass = [0, 0, 0]",
        "bodies.hub.nodes.mass is 'mass', expected another name: it is one of the body's own signals"),
    "nodes named as signals on orbits": ("corner = [0.5, 0.5, 0.5]", "corner = [0.5, 0.5, 0.5], orbital = [0, 0, 0], inertial = [0, 0, 0], magnetic_field = [0, 0, 0]",
        *(f"bodies.hub.nodes.{node} is '{node}', expected another name: it is one of the body's own signals" for node in ("orbital", "inertial", "magnetic_field"))),
    "zero quaternion": ('kind = "revolute"', 'kind = "revolute"\norientation = [0, 0, 0, 0]',
        "joints.root.orientation is [0, 0, 0, 0], expected three 1-2-3 angles, or a quaternion of four numbers that are not all zero"),
    "unknown joint kind": ('kind = "revolute"', 'kind = "revolut"',
        "joints.root.kind is 'revolut', expected 'fixed', 'revolute', 'prismatic', 'screw', 'universal', 'cylindrical', 'planar', 'gimbal', 'general', "
        "'spherical' or 'free'; did you mean 'revolute'?"),
    "unknown kind of mode": ("modes = { bending_y = 2 }", "modes = { bending = 2 }",
        "bodies.boom.beam.modes has the entry 'bending', expected 'bending_y', 'bending_z', 'torsion' or 'axial'"),
    "half a mode": ("modes = { bending_y = 2 }", "modes = { bending_y = 1.5 }", "bodies.boom.beam.modes.bending_y is 1.5, expected a whole number"),
    "no modes": ("modes = { bending_y = 2 }", "modes = { bending_y = 0 }", "bodies.boom.beam.modes.bending_y is 0, expected a number not less than 1"),
    "unknown Euler order": ("mass = 100.0", 'mass = 100.0\neuler = "3-1-3"', "bodies.hub.euler is '3-1-3', expected '1-2-3' or '3-2-1'*"),
    # ---- inertia
    "inertia asymmetric": ("[10.0, 12.0, 15.0]", "[[10, 1, 0], [2, 12, 0], [0, 0, 15]]",
        "bodies.hub.inertia is [[10, 1, 0], [2, 12, 0], [0, 0, 15]], expected a symmetric inertia tensor"),
    "inertia negative": ("[10.0, 12.0, 15.0]", "[10, -12, 15]",
        "bodies.hub.inertia is [10, -12, 15], expected no negative principal moment of inertia, but one is -12"),
    "inertia against the triangle inequality": ("[10.0, 12.0, 15.0]", "[10, 12, 30]",
        "bodies.hub.inertia is [10, 12, 30], expected the triangle inequality of principal moments, but 10 + 12 < 30"),
    "products too large": ("[10.0, 12.0, 15.0]", "{ xx = 10, yy = 12, zz = 15, xy = 11 }",
        "bodies.hub.inertia is { xx = 10, yy = 12, zz = 15, xy = 11 }, expected no negative principal moment of inertia, but one is -0.04536*"),
    "inertia of two moments": ("[10.0, 12.0, 15.0]", "[10, 12]",
        "bodies.hub.inertia is [10, 12], expected three principal moments, a table of xx, yy, zz (and xy, xz, yz where not zero), or a 3 × 3 matrix"),
    "inertia of texts": ("[10.0, 12.0, 15.0]", '["10", "12", "15"]', "bodies.hub.inertia is ['10', '12', '15'], expected three principal moments*"),
    "inertia is missing": ("inertia = [10.0, 12.0, 15.0]", "", "bodies.hub.inertia is missing: a rigid body has a mass and an inertia"),
    # ---- flexible bodies
    "stiffness is missing": ("bending_y = 500.0", "bending_z = 500.0", "bodies.boom.beam.bending_y is 0.0, expected a positive stiffness for the bending_y modes"),
    "torsion without inertia": ("modes = { bending_y = 2 }", "torsion = 9.0\nmodes = { torsion = 2 }",
        "bodies.boom.beam.polar_inertia is 0.0, expected a positive inertia for the torsion modes"),
    "two inertias of the sections": ("modes = { bending_y = 2 }", "polar_inertia = 1.0\nsection_inertia = [0.5, 0.5]\nmodes = { bending_y = 2 }",
        "bodies.boom.beam.polar_inertia = 1.0 is not allowed with section_inertia; give one of them"),
    "a tip body that can't be": ("modes = { bending_y = 2 }", "tip_inertia = [0.0, 0.0, 1.0]\nmodes = { bending_y = 2 }",
        "bodies.boom.beam.tip_inertia is [0.0, 0.0, 1.0], expected the triangle inequality of principal moments, but 0 + 0 < 1"),
    "beam and rigid body at once": ("nodes = { tip = 1.0 }", "nodes = { tip = 1.0 }\nmass = 3.0",
        "bodies.boom.mass = 3.0 is not allowed: a beam has its own mass and inertia"),
    "damping ratios": ("nodes = { tip = 1.0 }", "nodes = { tip = 1.0 }\ndamping = [0.1, 0.1, 0.1]",
        "bodies.boom.damping is [0.1, 0.1, 0.1], expected one damping ratio, or 2: one per mode"),
    "amplitudes": ("nodes = { tip = 1.0 }", "nodes = { tip = 1.0 }\ninitial = { amplitudes = [0.1] }",
        "bodies.boom.initial.amplitudes is [0.1], expected 2 numbers, one per mode"),
    "no such nodal table": ("[bodies.load]\nmass = 2.0\ninertia = [0.1, 0.1, 0.1]", '[bodies.load]\nnodal_table = "gone.csv"',
        "bodies.load.nodal_table: gone.csv does not exist; paths are relative to the description"),
    "two ways to give a body": ("nodes = { tip = 1.0 }", 'nodes = { tip = 1.0 }\nnodal_table = "boom.csv"',
        "bodies.boom is 'beam and nodal_table', expected one way to give a flexible body"),
    # ---- the tree
    "unknown parent": ('parent = "hub"', 'parent = "hup"', "joints.root.parent names the body 'hup', which does not exist; did you mean 'hub'?"),
    "unknown child": ('child = "load"', 'child = "lod"', "joints.wrist.child names the body 'lod', which does not exist; did you mean 'load'?"),
    "unknown node": ('parent = "boom.tip"', 'parent = "boom.top"', "joints.wrist.parent names the node of body boom 'top', which does not exist; did you mean 'tip'?"),
    "two parents": ('child = "load"', 'child = "boom"', "joints.wrist.child is 'boom', expected a body that is not the child of another joint; close loops with a coupling"),
    "a circle": ('parent = "hub"', 'parent = "load"', "the joints of boom, load form a loop; joints must form a tree: close the loop with a coupling"),
    "place of a node": ('child = "load"', 'child = "load"\nplace = [1, 0, 0]', "joints.wrist.place = [1.0, 0.0, 0.0] is not allowed: boom.tip is a node, whose place is known"),
    "place beside a flexible body": ('parent = "boom.tip"', 'parent = "boom"\nplace = [1, 0.5, 0]',
        "joints.wrist.place is [1.0, 0.5, 0.0], expected a place of boom that its modes move: on its axis, from the root to 3 m"),
    "one name for two things": ("[joints.wrist]", "[joints.load]", "joints.load is 'load', expected a name of its own, but it is one of the bodies too"),
    "a reserved name": ("[joints.wrist]", "[joints.system]", "joints.system is 'system', expected a name of its own, but it is a reserved name too"),
    "start of a carried body": ("mass = 2.0", "mass = 2.0\ninitial = { position = [1, 0, 0] }",
        "bodies.load.initial.position = [1.0, 0.0, 0.0] is not allowed: joint wrist carries this body, set joints.wrist.initial"),
    "a free thin rod": ("[bodies.boom]", "[bodies.rod]\nmass = 1.0\ninertia = [0.0, 0.1, 0.1]\n\n[bodies.boom]",
        "rod.angular_velocity[1] can change without moving any mass; every motion that the joints leave free must have inertia"),
    # ---- joints
    "axis is missing": ('axis = "z"\n\n[bodies.load]', "\n[bodies.load]", "joints.root.axis is missing: a revolute joint has one"),
    "axes of another kind": ('axes = ["y", "z"]', 'axes = ["y", "z"]\naxis = "x"',
        "joints.wrist.axis = 'x' is not allowed: a universal joint has no axis; its own keys are axes, stiffness, rest, *"),
    "one axis of two": ('axes = ["y", "z"]', 'axes = ["y"]', "joints.wrist.axes is ['y'], expected 2 axes"),
    "the same axis twice": ('axes = ["y", "z"]', 'axes = ["y", "y"]',
        "joints.wrist.axes[2] is [0.0, 1.0, 0.0], expected another direction than axes[1]: two equal axes add no motion"),
    "three springs for two axes": ('axes = ["y", "z"]', 'axes = ["y", "z"]\nstiffness = [1, 2, 3]',
        "joints.wrist.stiffness is [1.0, 2.0, 3.0], expected one value, or 2: one per axis, translations first"),
    "stops the wrong way round": ('kind = "revolute"', 'kind = "revolute"\nstop = { lower = 1.0, upper = -1.0, stiffness = 9.0 }',
        "joints.root.stop.lower is 1.0, expected less than upper = -1.0"),
    "stop without stiffness": ('kind = "revolute"', 'kind = "revolute"\nstop = { lower = -1.0, upper = 1.0 }', "joints.root.stop.stiffness is missing"),
    "servo is missing": ('kind = "revolute"', 'kind = "revolute"\ndrive = "position"',
        "joints.root.servo is missing: a position command goes through a servo with a frequency and a damping ratio"),
    "stop of a ball joint": ('kind = "revolute"\naxis = "z"', 'kind = "spherical"\nlock = true',
        "joints.root.lock = true is not allowed: a spherical joint has no lock; its own keys are stiffness, damping, drive, initial"),
    "a flag in words": ("[thrusters.xp]", '[couplings.dock]\nkind = "fixed"\na = "hub"\nb = "load"\nswitched = "yes"\n\n[thrusters.xp]',
        "couplings.dock.switched is 'yes', expected true or false"),
    "a release that nothing triggers": ("[thrusters.xp]", CLAMP.format("release = {}"),
        "couplings.clamp.release has no effect; give input = true, a time, or both"),
    "a release in words": ("[thrusters.xp]", CLAMP.format('release = { time = "soon" }'), "couplings.clamp.release.time is 'soon', expected a number"),
    "a release of what is switched": ("[thrusters.xp]", CLAMP.format("release = { time = 1.0 }\nswitched = true"),
        "couplings.clamp.switched can't be combined with release; give one of them"),
    "springs that nothing lets go": ("[thrusters.xp]", CLAMP.format(SPRINGS), "couplings.clamp.springs require release"),
    "springs of a hinge": ("[thrusters.xp]", CLAMP.format("release = { time = 1.0 }\n" + SPRINGS).replace("fixed", "revolute"),
        "couplings.clamp.springs need kind = \"fixed\", which says where they push on both bodies (found 'revolute')"),
    "springs of different counts": ("[thrusters.xp]", CLAMP.format("release = { time = 1.0 }\n" + SPRINGS.replace("9.0", "[9.0, 9.0, 9.0]")),
        "couplings.clamp.springs.stiffness is [9.0, 9.0, 9.0], expected one value, or 2: one per place"),
    "springs without force": ("[thrusters.xp]", CLAMP.format("release = { time = 1.0 }\n" + SPRINGS.replace("9.0", "0.0")),
        "couplings.clamp.springs have no effect; give a stiffness or an end_force above 0"),
    "springs without stroke": ("[thrusters.xp]", CLAMP.format("release = { time = 1.0 }\n" + SPRINGS.replace("0.1 }", "0.0 }")),
        "couplings.clamp.springs.stroke is 0.0, expected a number greater than 0"),
    "springs nowhere": ("[thrusters.xp]", CLAMP.format("release = { time = 1.0 }\n" + SPRINGS.replace("[[0, 0, 0], [1, 0, 0]]", "[]")),
        "couplings.clamp.springs.places is [], expected 1 to 24 vectors"),
    "a latch on no axis in particular": ("[thrusters.xp]", DOCK.format(joint="wrist"),
        "couplings.dock.latch.joint is 'wrist', expected an axis of joint wrist, which has 2: wrist[1] … where there are several"),
    "a latch on no axis": ("[thrusters.xp]", DOCK.format(joint="wrist[3]"), "couplings.dock.latch.joint is 'wrist[3]', expected an axis of joint wrist*"),
    "a latch on no joint": ("[thrusters.xp]", DOCK.format(joint="wrist[x]"), "couplings.dock.latch.joint names the joint 'wrist[x]', which does not exist*"),
    "spring of a fixed joint": ('kind = "revolute"\naxis = "z"', 'kind = "fixed"\nstiffness = 3.0',
        "joints.root.stiffness = 3.0 is not allowed: a fixed joint has no stiffness"),
    "spring of a joint without axes": ('kind = "revolute"\naxis = "z"', 'kind = "general"\nstiffness = 3.0',
        "joints.root.stiffness = [3.0] is not allowed: a joint without axes does not move"),
    "start of a ball joint by positions": ('kind = "revolute"\naxis = "z"', 'kind = "spherical"\ninitial = { position = 1.0 }',
        "joints.root.initial.position = 1.0 is not allowed: a spherical joint has no position; its own keys are rate, orientation, guess"),
    "rates of a ball joint": ('kind = "revolute"\naxis = "z"', 'kind = "spherical"\ninitial = { rate = [1.0, 2.0] }',
        "joints.root.initial.rate is [1.0, 2.0], expected 3 numbers"),
    "a screw without pitch": ('kind = "revolute"', 'kind = "screw"', "joints.root.pitch is missing: a screw joint has one"),
    "a joint named as another kind": ('[joints.root]\nparent = "hub"\nchild = "boom"\nplace = [0.5, 0.0, 0.0]\nkind = "revolute"\naxis = "z"',
        '[joints.revolute]\nparent = "hub"\nchild = "boom"\nkind = "prismatic"\npitch = 1.0',
        "joints.revolute.axis is missing: a prismatic joint has one", "joints.revolute.pitch = 1.0 is not allowed: a prismatic joint has no pitch; *"),
    "joint without a kind": ('kind = "revolute"\n', "", "joints.root.kind is missing"),
    "a number for a kind": ('kind = "revolute"\n', "kind = 3\n", "joints.root.kind is 3, expected 'fixed', *"),
    # ---- what sits on bodies
    "thruster on no body": ('body = "hub"\nplace', 'body = "bus"\nplace', "thrusters.xp.body names the body 'bus', which does not exist*"),
    "wheel without inertia": ("spin_inertia = 0.01", "", "wheels.z.spin_inertia is missing"),
    "force at no node": ('forces_at = ["corner"]', 'forces_at = ["korner"]',
        "bodies.hub.forces_at names the node of body hub 'korner', which does not exist; did you mean 'corner'?"),
    "sensor on no node": ('at = "boom.tip"', 'at = "boom.tips"', "sensors.gyro.at names the node of body boom 'tips', which does not exist; did you mean 'tip'?"),
    "place of a sensor": ('at = "boom.tip"', 'at = "boom tip"',
        'sensors.gyro.at is \'boom tip\', expected a body such as "hub", or a node of one such as "panel.tip"'),
    "sensor kind": ('kind = "gyro"', 'kind = "gyroscope"', "sensors.gyro.kind is 'gyroscope', expected 'gyro' or 'accelerometer'*"),
    "negative imbalance": ("spin_inertia = 0.01", "spin_inertia = 0.01\nimbalance = -1e-5", "wheels.z.imbalance is -1e-05, expected a number greater than 0"),
    # ---- couplings and cables: keys of another kind
    "orientation of a hinge": ("[thrusters.xp]", '[couplings.c]\nkind = "revolute"\na = "hub"\nb = "load"\norientation = [0, 0, 1]\n\n[thrusters.xp]',
        "couplings.c.orientation = [0, 0, 1] is not allowed: a revolute coupling has no orientation; its own keys are axis_b"),
    "universal without a second axis": ("[thrusters.xp]", '[couplings.c]\nkind = "universal"\na = "hub"\nb = "load"\n\n[thrusters.xp]',
        "couplings.c.axis_b is missing: a universal coupling has one"),
    "distance without a length": ("[thrusters.xp]", '[couplings.c]\nkind = "distance"\na = "hub"\nb = "load"\n\n[thrusters.xp]',
        "couplings.c.length is missing: a distance coupling has one"),
    "a driven coupling of six conditions": ("[thrusters.xp]", '[couplings.c]\nkind = "fixed"\na = "hub"\nb = "load"\ndriven = {}\n\n[thrusters.xp]',
        "couplings.c.driven = {} is not allowed: a fixed coupling has no driven; its own keys are orientation"),
    "elastic cable without stiffness": ("[thrusters.xp]", '[cables.c]\nkind = "elastic"\na = "hub"\nb = "load"\nlength = 3.0\n\n[thrusters.xp]',
        "cables.c.stiffness is missing: an elastic cable has one"),
    "stiffness of a cable without a kind": ("[thrusters.xp]", '[cables.c]\na = "hub"\nb = "load"\nlength = 3.0\nstiffness = 3.0\n\n[thrusters.xp]',
        "cables.c.stiffness = 3.0 is not allowed: an inextensible cable has no stiffness; its own keys are restitution, nominal_tension"),
    "a relation on a joint with a problem of its own": ('axis = "z"\n\n[bodies.load]', '\n[relations.gear]\nterms = { root = 1.0, "wrist[1]" = 2.0 }\n[bodies.load]',
        "joints.root.axis is missing: a revolute joint has one"),
    # ---- the file
    "unknown kind of description": ('name = "Base"', 'name = "Base"\nkind = "satellite"', "kind is 'satellite', expected one of attitude_controller, gyro, gyro_steering, *"),
    "tolerance": ('name = "Base"', 'name = "Base"\n[experiment]\ntolerance = 1.0', "experiment.tolerance is 1.0, expected a number not greater than 0.1"),
}  # fmt: skip


def problems_of(text: str) -> list[str]:
    with pytest.raises(DescriptionError) as caught:
        load_text(text, "sat.toml")
    return caught.value.problems


def test_the_base_is_legal():
    assert load_text(BASE).name == "Base"


@pytest.mark.parametrize("case", CASES)
def test_one_clear_sentence(case):
    """All sentences and no others; a * at the end of an expected one leaves its tail open."""
    old, new, *expected = CASES[case]
    assert BASE.count(old) == 1, f"the case replaces {BASE.count(old)} pieces"
    found = problems_of(BASE.replace(old, new))
    assert len(found) == len(expected), "\n".join(found)
    for sentence, wanted in zip(found, expected, strict=True):
        assert sentence.startswith(wanted[:-1]) if wanted.endswith("*") else sentence == wanted


def test_a_problem_of_one_body_is_not_another_ones():
    """The boom is sound: that its amplitudes have modes to go with is not in doubt because the hub has no mass."""
    text = BASE.replace("mass = 100.0", "").replace(
        "nodes = { tip = 1.0 }", "nodes = { tip = 1.0 }\ninitial = { amplitudes = [0.1, 0.0] }"
    )
    assert problems_of(text) == ["bodies.hub.mass is missing: a rigid body has a mass and an inertia"]


@pytest.mark.parametrize("kind", KINDS)
def test_flags_and_counts_are_never_read_from_texts(kind):
    """pydantic would take "yes" for true and "3" for 3: every flag and count of every table is strict."""
    core = str(table_of(kind).__pydantic_core_schema__)
    for found in re.findall(r"\{'type': '(?:bool|int)'[^}]*\}", core):
        assert "'strict': True" in found, found


def test_all_problems_at_once():
    """Wrong fields, and what sound entries say of each other, in one report; every line begins with the file."""
    text = BASE
    for old, new in (
        ("mass = 100.0", "mass = -5.0"),  # a field of the hub
        ("length = 3.0", "lenght = 3.0"),  # a key of the boom, which then lacks its length
        ("mass = 2.0", "mass = 2.0\nnodes = { a = 0.3 }"),  # sound fields that do not go together
    ):
        text = text.replace(old, new)
    with pytest.raises(DescriptionError) as caught:
        load_text(text, "sat.toml")
    assert str(caught.value).splitlines() == [
        "sat.toml: bodies.hub.mass is -5.0, expected a number not less than 0",
        "sat.toml: bodies.boom.beam.length is missing",
        "sat.toml: bodies.boom.beam has the unknown key 'lenght'; did you mean 'length'?",
        "sat.toml: bodies.load.nodes.a is 0.3, expected a position of three numbers on a rigid body",
    ]


@pytest.mark.parametrize(
    "text, sentence",
    [
        (
            'name = "A"\n[bodies.hub\nmass = 1',
            "is not valid TOML: Expected ']' at the end of a table declaration (at line 2, column 12)",
        ),
        (
            'name = "A"\nmass = 1.2.3',
            "is not valid TOML: Expected newline or end of document after a statement (at line 2, column 11)",
        ),
        (
            'name = "A"\n[bodies.hub]\n[bodies.hub]',
            "is not valid TOML: Cannot declare ('bodies', 'hub') twice (at line 3, column 12)",
        ),
        ('name = "A"\nname = "B"', "is not valid TOML: Cannot overwrite a value (at *"),
    ],
)
def test_toml_syntax_with_line_and_column(text, sentence):
    """The parser's own words. A key given twice it finds only when it has read on: the place may be the end of the document."""
    (found,) = problems_of(text)
    assert found.startswith(sentence[:-1]) if sentence.endswith("*") else found == sentence


def test_an_empty_file():
    assert problems_of("") == ["name is missing", "bodies is missing"]


def test_no_such_file(tmp_path):
    with pytest.raises(DescriptionError, match=r"gone\.toml: no such file"):
        load(tmp_path / "gone.toml")


def test_a_file_that_is_no_text(tmp_path):
    (tmp_path / "bad.toml").write_bytes(b"name = '\xff'")
    with pytest.raises(DescriptionError, match=r"bad\.toml: can't be read as text: .*0xff"):
        load(tmp_path / "bad.toml")
