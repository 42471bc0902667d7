"""Faces of a body's shapes in light and air, and the planet's light on surfaces."""

import numpy as np
import pytest

from spacefmu.dynamics.description.errors import DescriptionError
from spacefmu.dynamics.environment.facets import faces_of
from spacefmu.dynamics.environment.planet import RADIUS_EARTH, SPEED_OF_LIGHT
from spacefmu.dynamics.picture.geometry import Shape
from spacefmu.dynamics.system.evaluate import motion, start
from tests.environment.craft import craft

BODY = "[bodies.hub]\nmass = 100.0\ninertia = [10.0, 10.0, 10.0]\n{shape}[bodies.hub.initial]\nposition = [7.0e6, 0.0, 0.0]\nvelocity = [0.0, 7.5e3, 0.0]\n"
BOX = 'shape = { kind = "box", size = [1.0, 2.0, 3.0], place = [0.5, 0.0, 0.0] }\n'
AIR = '[environment]\ngravity = "central"\n[environment.air]\ndensity = 1e-11\nheight = 6.2e5\nscale_height = 6e4\nspin = 0.0\n'


def rates(*pieces):
    system = craft(*pieces)
    found = motion(system, 0.0, *start(system))[0]
    return found[system.signals.where("states", "hub.velocity")], found[
        system.signals.where("states", "hub.angular_velocity")
    ]


@pytest.mark.parametrize(
    "kind, size, area",
    [("box", (1.0, 2.0, 3.0), 22.0), ("cylinder", (0.5, 2.0), 2.5 * np.pi), ("sphere", (1.5,), 9.0 * np.pi)],
)
def test_closed_surfaces(kind, size, area):
    """Areas sum to the shape's, normals times areas to zero."""
    faces = faces_of(Shape("hub", kind, size, np.array([0.1, 0.2, 0.3])))
    assert sum(each for _, each, _ in faces) == pytest.approx(area, rel=1e-12)
    assert np.abs(sum(each * np.array(normal) for normal, each, _ in faces)).max() < 0.02 * area
    shadow = sum(each * max(normal[0], 0.0) for normal, each, _ in faces)
    assert shadow == pytest.approx({"box": 6.0, "cylinder": 2.0, "sphere": 2.25 * np.pi}[kind], rel=0.02)


def test_a_box_drags_as_its_face():
    """Along y the face 1 × 3 m meets the air, half a metre beside the mass centre: force and torque of a plate there."""
    still = rates(AIR, BODY.format(shape=BOX))
    facets = rates(AIR, BODY.format(shape=BOX), '[surfaces.hull]\nbody = "hub"\nfrom_shape = true\n')
    plate = rates(
        AIR,
        BODY.format(shape=BOX),
        '[surfaces.hull]\nbody = "hub"\nplace = [0.5, 1.0, 0.0]\nnormal = "y"\narea = 3.0\n',
    )
    for one, other, none in zip(facets, plate, still, strict=True):
        assert np.linalg.norm(other - none) > 0.0
        assert np.allclose(one - none, other - none, rtol=2e-5, atol=1e-15)  # the height of the frame, not of the face


def test_light_of_the_planet():
    """A black plate that looks down at noon: scattered sunlight and infrared, by the planet's view factor sin²ρ; it pushes up."""
    around = '[environment]\ngravity = "central"\nalbedo = {a}\ninfrared = {i}\n[environment.sun]\ndirection = [1.0, 0.0, 0.0]\nshadow = "none"\npressure = 4.54e-6\n'
    plate = '[surfaces.down]\nbody = "hub"\nnormal = "-x"\narea = 2.0\n'
    dark = rates(around.format(a=0.0, i=0.0), BODY.format(shape=""), plate)[0]
    lit = rates(around.format(a=0.3, i=237.0), BODY.format(shape=""), plate)[0]
    flux = 0.3 * 4.54e-6 * SPEED_OF_LIGHT + 237.0
    expected = 2.0 * flux * (RADIUS_EARTH / 7.0e6) ** 2 / SPEED_OF_LIGHT / 100.0
    assert np.allclose(lit - dark, [expected, 0.0, 0.0], rtol=1e-6, atol=1e-15)


@pytest.mark.parametrize(
    "shape, more, sentence",
    [
        ("", "from_shape = true\n", "false, or a shape of hub: it has none"),
        ('shape = { kind = "dish", radius = 1.0 }\n', "from_shape = true\n", "shapes of the kinds box, plate, cylinder, sphere"),
        (BOX, "from_shape = true\narea = 1.0\n", "area = 1.0 is not allowed with from_shape = true"),
        (BOX, "area = 1.0\n", "surfaces.hull.normal is missing: a flat surface has it"),
    ],
)  # fmt: skip
def test_refusals(shape, more, sentence):
    with pytest.raises(DescriptionError) as error:
        craft(AIR, BODY.format(shape=shape), f'[surfaces.hull]\nbody = "hub"\n{more}')
    assert sentence in str(error.value)
