"""Descriptions for the tests of this folder, assembled from pieces of text."""

from spacefmu.dynamics.description import load_text

A = 7.0e6  # semi-major axis of the test orbits [m]
MU = 3.986004418e14  # [m³/s²]

HUB = """
[bodies.hub]
mass = 400.0
inertia = { xx = 120.0, yy = 100.0, zz = 150.0, xy = 2.0, xz = -1.0, yz = 3.0 }
"""

PANEL = """
[bodies.panel]
[bodies.panel.beam]
length = 20.0
mass = 30.0
axis = "y"
second_axis = "z"
bending_y = 2.0
bending_z = 6.0
torsion = 0.05
polar_inertia = 10.0
modes = { bending_y = 1, bending_z = 1, torsion = 1 }

[joints.sadm]
parent = "hub"
child = "panel"
place = [0.0, 0.9, 0.0]
kind = "revolute"
axis = "y"
stiffness = 0.01
initial = { position = 0.3 }
"""

# All that acts on a hub around a planet: sunlight, air and the magnetic field.
AROUND = """
[environment.sun]
[environment.air]
density = 1e-9
height = 6e5
scale_height = 6e4
[environment.magnetic]
[surfaces.side]
body = "hub"
normal = "x"
area = 3.0
[dipoles.coil]
body = "hub"
residual = [1.0, 2.0, 3.0]
"""


def orbit(**elements) -> str:
    """[environment] on an orbit with the given elements."""
    rows = "\n".join(f"{name} = {value}" for name, value in ({"semi_major_axis": A} | elements).items())
    return f'[environment]\nframe = "orbit"\ngravity = "central"\n[environment.orbit]\n{rows}\n'


def craft(*pieces: str):
    """The System of a spacecraft made of these texts."""
    return load_text('name = "Test"\n' + "\n".join(pieces))
