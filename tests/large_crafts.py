"""Descriptions of spacecraft with many bodies, for tests and benchmarks of what grows with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

JOINTS = ('kind = "revolute"\naxis = "y"', 'kind = "revolute"\naxis = "z"', 'kind = "universal"\naxes = ["y", "z"]')
BEAM = """\
damping = 0.01
[bodies.link{i}.beam]
length = 1.0
mass = 4.0
bending_y = 300.0
bending_z = 200.0
stiffening = {stiffening}
modes = {{ bending_y = 1, bending_z = 1 }}"""


def mixed_chain(links: int, closed: bool = False, more: str = "") -> str:
    """A free hub and a chain of links: rigid ones and every fourth a flexible beam, three kinds of joints in turn, motors.

    closed: the far end may not leave a plane fixed in space, which brings multipliers. Its beams do not stiffen: closing the
    loop from far away would bend them beyond what the second order holds for. more: further tables.
    """
    parts = ['name = "MixedChain"', "[bodies.hub]\nmass = 100.0\ninertia = [30.0, 40.0, 50.0]\nforces_at = ['frame']"]
    inner, place = "hub", "place = [0.5, 0.0, 0.0]"
    for i in range(links):
        flexible = i % 4 == 3
        rigid = "mass = 5.0\nmass_center = [0.5, 0.0, 0.0]\ninertia = [0.1, 0.5, 0.5]"
        parts.append(f"[bodies.link{i}]\n{BEAM.format(i=i, stiffening=str(not closed).lower()) if flexible else rigid}")
        if flexible:
            parts.append(f"[bodies.link{i}.nodes]\ntip = 1.0")
        parts.append(f'[joints.hinge{i}]\nparent = "{inner}"\nchild = "link{i}"\n{place}\n{JOINTS[i % 3]}')
        parts.append('stiffness = 20.0\ndamping = 0.5\ndrive = "torque"')
        parts.append("orientation = [0.2, 0.0, 0.0]" if i % 2 else "")  # two mountings: numbers that tell kinds apart
        inner, place = (f"link{i}.tip", "") if flexible else (f"link{i}", "place = [1.0, 0.0, 0.0]")
    if closed:
        parts.append(f'[couplings.end]\nkind = "point_in_plane"\na = "space"\nb = "link{links - 1}"\naxis = "z"')
    return "\n".join([*parts, more])


ORBIT = """
[environment]
frame = "orbit"
gravity = "central"
orbit = { semi_major_axis = 9.0e6 }
"""

BEADS = f"""
name = "Beads"
[bodies.a]
mass = 40.0
inertia = [5.0, 6.0, 7.0]
[bodies.b]
mass = 8.0
inertia = [0.1, 0.2, 0.2]
initial = {{ position = [4.3, 0.2, 0.0], velocity = [0.1, 0.9, 0.2] }}
[cables.chain]
kind = "beaded"
a = "a"
b = "b"
length = 4.0
mass = 0.6
beads = 5
stiffness = 60.0
damping = 0.2
{ORBIT}"""


def many_modes(folder: Path, modes: int, carried: bool = False) -> str:
    """A free hub with a hinged panel of `modes` modes, from a nodal table that is written to `folder`: shapes in three directions, no zeros.

    carried: the panel's node 3 carries a hinged instrument, so that its modes are coupled by more than the frame.
    """
    rng = np.random.default_rng(modes)
    nodes = max(60, 2 * modes)
    place = rng.uniform([0.0, -1.0, -0.1], [6.0, 1.0, 0.1], (nodes, 3))
    mass = np.full(nodes, 40.0 / nodes)
    shapes = rng.normal(size=(nodes, 3, modes)) * np.array([[0.1], [0.3], [1.0]]) * place[:, :1, None]
    shapes = np.linalg.qr(shapes.reshape(-1, modes))[0].T.reshape(modes, nodes, 3) / np.sqrt(mass[0])
    table = {"node": [f"n{i}" for i in range(nodes)], "position": place, "mass": mass, "translation": shapes}
    np.savez(folder / "panel.npz", **table, frequency=np.linspace(0.1, 5.0, modes), damping=np.full(modes, 0.005))
    instrument = """
[bodies.instrument]
mass = 3.0
mass_center = [0.1, 0.0, 0.2]
inertia = [0.05, 0.06, 0.07]
[joints.gimbal]
parent = "panel.n3"
child = "instrument"
kind = "revolute"
axis = "z"
drive = "torque"
"""
    return f"""
name = "ManyModes"
[bodies.hub]
mass = 100.0
inertia = [30.0, 40.0, 50.0]
forces_at = ["frame"]
[bodies.panel]
nodal_table = "panel.npz"
nodes = {{ tip = "n5" }}
[joints.hinge]
parent = "hub"
child = "panel"
kind = "revolute"
axis = "y"
place = [0.5, 0.0, 0.0]
stiffness = 20.0
drive = "torque"
{instrument if carried else ""}"""
