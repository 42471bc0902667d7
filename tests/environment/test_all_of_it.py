"""All fields at once: derivatives on equatorial, polar and circular orbits, and natural coordinates against the tree."""

import numpy as np
import pytest

from spacefmu.dynamics.natural.system import natural_system
from spacefmu.dynamics.system.evaluate import motion, start
from spacefmu.fmu_src.native.trace.jacobian import ExactDerivatives
from tests.environment.craft import HUB, craft

FIELDS = """
[environment.time]
epoch = 2026-03-20T12:00:00Z
[environment.harmonics]
degree = 4
[environment.third_bodies]
span = 8.64e4
[environment.sun]
[environment.air]
model = "Harris-Priester"
[environment.magnetic]
model = "IGRF-14"
degree = 3
[surfaces.plate]
body = "hub"
normal = "y"
area = 2.0
[dipoles.coil]
body = "hub"
"""
SPEED = np.sqrt(3.986004415e14 / 6.878e6)


def around(frame: str, inclination: float, ahead: float) -> str:
    """A circular orbit, the same in N and as O's: so far ahead of the node on the x axis [rad]."""
    if frame == "orbit":
        return f'[environment]\ngravity = "central"\nframe = "orbit"\norbit = {{ semi_major_axis = 6.878e6, inclination = {inclination!r}, mean_anomaly = {ahead!r} }}\n'
    across = np.array([0.0, np.cos(inclination), np.sin(inclination)])
    place = 6.878e6 * (np.cos(ahead) * np.array([1.0, 0.0, 0.0]) + np.sin(ahead) * across)
    velocity = SPEED * (-np.sin(ahead) * np.array([1.0, 0.0, 0.0]) + np.cos(ahead) * across)
    start_ = f"[bodies.hub.initial]\nposition = {place.tolist()}\nvelocity = {velocity.tolist()}\n"
    return f'{start_}[environment]\ngravity = "central"\n'


@pytest.mark.parametrize("frame", ["inertial", "orbit"])
@pytest.mark.parametrize("inclination, ahead", [(0.0, 0.3), (np.pi / 2, np.pi / 2), (np.pi / 2, 0.0)])
def test_derivatives_are_finite(frame, inclination, ahead):
    """Equatorial; polar, over the pole and over the equator."""
    system = craft(HUB, around(frame, inclination, ahead), FIELDS)
    found = ExactDerivatives(system)(0.0, *start(system))
    arrays = [value for value in vars(found).values() if isinstance(value, np.ndarray)]
    assert arrays
    assert all(np.all(np.isfinite(value)) for value in arrays)


@pytest.mark.parametrize("frame", ["inertial", "orbit"])
def test_natural_coordinates_have_the_same_motion(frame):
    """Outputs of fields, of the place and of the power of the surroundings, in both formulations."""
    tree = craft(HUB, around(frame, 0.9, 0.4), FIELDS)
    found = []
    for system in (tree, natural_system(tree.made_by[1])):
        x, u, k, d = start(system)
        rates, y, _ = motion(system, 100.0, x, u, k, d)
        names = (
            "hub.magnetic_field",
            "hub.sun_direction",
            "system.latitude",
            "system.altitude",
            "hub.orbital.quaternion",
        )
        shown = [np.ravel(y[system.signals.where("outputs", name)]) for name in names]
        found.append(
            np.concatenate([*shown, np.ravel(rates[system.signals.where("states", "system.environment_work")])])
        )
    assert np.all(np.isfinite(found[0]))
    assert np.allclose(found[0], found[1], rtol=1e-9, atol=1e-12)
