"""Crafts with control-moment gyros, for tests."""

from spacefmu.dynamics.description import load_text

HUB = """
name = "Gyros"
[bodies.hub]
mass = 100.0
mass_center = [0.02, -0.01, 0.05]
inertia = [[20.0, 0.3, -0.2], [0.3, 22.0, 0.4], [-0.2, 0.4, 25.0]]
initial = { angular_velocity = [0.1, 0.2, 0.3], velocity = [1.0, 0.0, 0.0] }
"""
GYRO = """
[gyros.a]
body = "hub"
place = [0.1, 0.2, 0.3]
gimbal_axis = [0.6, 0.0, 0.8]
spin_axis = [0.8, 0.0, -0.6]
gimbal_inertia = [0.03, 0.02, 0.025]
spin_inertia = 0.1
transverse_inertia = 0.06
speed = 200.0
rate = 0.3
angle = 0.4
rotor = "torque"
damping = 1e-4
gimbal_damping = 0.01
"""
SECOND = """
[gyros.b]
body = "hub"
gimbal_axis = "y"
spin_axis = "x"
gimbal_inertia = [0.02, 0.02, 0.02]
spin_inertia = 0.08
speed = -150.0
rate = -0.2
rotor = "torque"
"""


def craft(*parts, **changes):
    """The System of the parts, with texts replaced."""
    text = "".join(parts)
    for old, new in changes.values():
        assert old in text, old
        text = text.replace(old, new)
    return load_text(text)
