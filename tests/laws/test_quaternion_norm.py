"""Equations depend on a quaternion's direction alone: its length is not a motion, and a linearized model has no false pole from it."""

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.fmu_src.catalogue import find
from tests.environment.craft import AROUND

BODIES = """
name = "Balls"
[bodies.hub]
mass = 20.0
mass_center = [0.1, 0.0, -0.05]
inertia = [3.0, 4.0, 5.0]
[bodies.hub.initial]
position = POSITION
velocity = [0.1, 0.2, -0.1]
orientation = [0.3, -0.4, 0.6]
angular_velocity = [0.3, -0.2, 0.4]
[bodies.arm]
mass = 3.0
inertia = [0.5, 0.6, 0.7]
mass_center = [0.0, 0.4, 0.1]
[joints.ball]
parent = "hub"
child = "arm"
kind = "spherical"
place = [0.5, 0.1, 0.0]
stiffness = 4.0
damping = 0.3
initial = { orientation = [0.1, 0.5, -0.2], rate = [0.2, 0.1, -0.3] }
"""
PLANET = '[environment]\ngravity = "central"' + AROUND
ORBIT = PLANET.replace(
    "[environment]", '[environment]\nframe = "orbit"\norbit = { semi_major_axis = 7e6, inclination = 0.9 }'
)
LOOP = """
[bodies.ring]
mass = 2.0
inertia = [0.3, 0.3, 0.4]
[couplings.hold]
kind = "revolute"
a = "arm"
b = "ring"
place_a = [0.0, 0.8, 0.0]
[cables.line]
kind = "elastic"
a = "hub"
b = "ring"
length = 0.2
stiffness = 30.0
"""
CRAFTS = {
    "ball joint with a spring": BODIES.replace("POSITION", "[0, 0, 0]"),
    "everything of a planet": BODIES.replace("POSITION", "[7e6, 0, 0]") + PLANET,
    "orbital frame": BODIES.replace("POSITION", "[10.0, 0, 0]") + ORBIT,
    "coupling and cable": BODIES.replace("POSITION", "[0, 0, 0]").replace(
        "{ orientation", "{ guess = true, orientation"
    )
    + LOOP,
    "FlexibleSatellite": None,
}


@pytest.mark.parametrize("name", CRAFTS)
def test_the_length_of_a_quaternion_is_no_motion(name):
    """All rates but the quaternions' own, and all outputs: equal for q and 1.1 q to 1e-12 (before: ω̇ changed by 0.95 a unit)."""
    system = load_text(CRAFTS[name] or find("FlexibleSatellite").read_text())
    x, u, k, d = start(system)
    states = [signal.name for signal in system.signals.states]
    own = np.array(["quaternion" in state for state in states])
    assert own.any()
    longer = np.where(own, 1.1 * x, x)
    for t in (0.0, 100.0):
        (rates, outputs, _), (rates_longer, outputs_longer, _) = (
            motion(system, t, s, u + 0.3, k, d) for s in (x, longer)
        )
        for a, b in ((rates[~own], rates_longer[~own]), (outputs, outputs_longer)):
            np.testing.assert_allclose(b, a, rtol=1e-11, atol=1e-12 * np.max(np.abs(a)))
        # the quaternions' own rates are those of an attitude: square to them
        assert abs(rates[own] @ x[own]) < 1e-12
