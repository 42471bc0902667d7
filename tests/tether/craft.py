"""Two free bodies on a tether that leaves its reel."""

from __future__ import annotations

CRAFT = """
name = "Deploying"
[bodies.hub]
mass = 30.0
inertia = [4.0, 5.0, 6.0]
initial = {{ position = [0.0, 0.1, 0.0], velocity = [0.03, -0.02, 0.0], angular_velocity = [0.01, 0.02, -0.03] }}
[bodies.probe]
mass = 5.0
inertia = [0.3, 0.3, 0.3]
initial = {{ position = [{distance}, 0.0, 0.0], velocity = {velocity} }}
[cables.line]
kind = "deployed"
a = "hub"
place_a = [0.2, 0.1, 0.0]
b = "probe"
place_b = [-0.1, 0.0, 0.05]
length = {length}
full_length = 60.0
least_length = 14.5
mass = {mass}
beads = {beads}
stiffness = 50.0
damping = {damping}
reel = {{ rate = {rate}, drum_mass = 0.5{brake} }}
"""


def craft(
    distance=25.9, velocity=(0.4, 1.5, 0.4), length=25.0, mass=4.0, beads=4, damping=0.4, rate=0.4, brake=""
) -> str:
    return CRAFT.format(
        distance=distance, velocity=list(velocity), length=length, mass=mass, beads=beads, damping=damping, rate=rate, brake=brake
    )  # fmt: skip
