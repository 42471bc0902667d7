"""Crafts that burn, for tests."""

from spacefmu.dynamics.description import load_text

HUB = """
name = "Craft"
[bodies.hub]
mass = 100.0
mass_center = [0.02, -0.01, 0.05]
inertia = [20.0, 22.0, 25.0]
initial = { angular_velocity = [0.1, 0.2, 0.3], velocity = [1.0, 0.0, 0.0] }
"""
ARM = """
[bodies.arm]
mass = 10.0
mass_center = [0.3, 0.0, 0.0]
inertia = [1.0, 2.0, 2.5]
[joints.shoulder]
parent = "hub"
child = "arm"
kind = "universal"
axes = ["z", "y"]
place = [0.5, 0.1, 0.2]
initial = { position = [0.3, 0.2], rate = [0.5, -0.4], guess = true }
"""
TANK = """
[tanks.main]
body = "hub"
place = [0.1, 0.2, -0.3]
kind = "sphere"
radius = 0.4
outlet = "-z"
capacity = 200.0
propellant = 120.0
dry = 5.0
"""
NOZZLE = """
[thrusters.main]
body = "hub"
place = [-0.7, 0.1, 0.2]
direction = [1.0, 0.3, 0.2]
tank = "main"
isp = 200.0
"""
ON_ARM = """
[thrusters.arm]
body = "arm"
place = [0.7, 0.1, 0.2]
direction = [-1.0, 0.3, 0.2]
tank = ["main", "second"]
shares = [2.0, 1.0]
exhaust_velocity = 300.0
rise_time = 0.5
fall_time = 0.2
"""
SECOND = """
[tanks.second]
body = "arm"
place = [0.2, 0.0, -0.1]
kind = "cylinder"
radius = 0.1
length = 0.3
outlet = "x"
capacity = 9.0
propellant = 8.0
"""


def craft(*parts, **changes):
    """The System of the parts, with texts replaced."""
    text = "".join(parts)
    for old, new in changes.values():
        assert old in text, old
        text = text.replace(old, new)
    return load_text(text)
