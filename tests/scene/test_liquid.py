"""Liquids in views: the level of each tank follows its fill, in the tank's shape."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.fmu_src.results import Result
from spacefmu.fmu_src.scene import gltf
from spacefmu.fmu_src.scene.scene import LEVELS, at_level
from spacefmu.fmu_src.view.subject import Subject, seen

from .test_gltf import numbers, parts

CRAFT = """
name = "Tanks"
[bodies.hub]
mass = 100.0
inertia = [20.0, 22.0, 25.0]
"""
TANK = """
[tanks.main]
body = "hub"
place = [0.1, 0.2, -0.3]
outlet = [0.0, -0.6, -0.8]
capacity = 200.0
propellant = 120.0
"""
SHAPES = {
    "sphere": ('kind = "sphere"\nradius = 0.4', 4.0 / 3.0 * np.pi * 0.4**3),
    "ellipsoid": ('kind = "ellipsoid"\nsemi_axes = [0.5, 0.3, 0.7]', 4.0 / 3.0 * np.pi * 0.5 * 0.3 * 0.7),
    "cylinder": ('kind = "cylinder"\nradius = 0.3\nlength = 1.1', np.pi * 0.3**2 * 1.1),
}
FILLS = np.array([0.6, 0.31, 0.05, 0.0])


def run(*columns):
    names, values = zip(*columns, strict=True)
    return Result(np.arange(len(FILLS)) * 1.0, names, np.column_stack(values))


def volume(mesh, fill) -> float:
    """By Gauss's theorem over the triangles."""
    a, b, c = np.moveaxis(mesh.bent(at_level(fill))[mesh.faces], 1, 0)
    return abs(np.einsum("fi,fi->", a, np.cross(b, c))) / 6.0


@pytest.mark.parametrize("shape", SHAPES)
def test_the_level_follows_the_fill(shape):
    """The liquid that is drawn has the fill's share of the tank's volume (facets and straight lines between levels: 2 %), below a plane surface."""
    text, whole = SHAPES[shape]
    subject = Subject("run", load_text(CRAFT + TANK + text), result=run(("tank.main.fill", FILLS)))
    scene, motion = seen(subject)
    (liquid,) = scene.liquids
    assert motion.fills[:, 0] == pytest.approx(FILLS)
    assert scene.picture.bodies[liquid.body].name == "tank.main"
    for fill in FILLS:
        assert volume(liquid.mesh, fill) / whole == pytest.approx(0.98**3 * fill, abs=0.02)
    depth = liquid.mesh.bent(at_level(0.31)) @ [0.0, -0.6, -0.8]
    surface = depth < depth.min() + 1e-9
    assert surface.sum() >= 24  # facets of the rim
    wall = np.concatenate([mesh.vertices for mesh in scene.bodies[liquid.body]])
    assert np.ptp(liquid.mesh.bent(at_level(1.0)), axis=0) == pytest.approx(0.98 * np.ptp(wall, axis=0), rel=1e-12)


def test_without_the_output_the_propellant_tells_it_and_without_a_result_the_start():
    system = load_text(CRAFT + TANK + SHAPES["sphere"][0])
    subject = Subject(
        "run", system, values={"tank.main.capacity": 150.0}, result=run(("tank.main.propellant", 150.0 * FILLS))
    )
    assert seen(subject)[1].fills[:, 0] == pytest.approx(FILLS)
    assert seen(Subject("still", system))[1].fills[:, 0] == pytest.approx([0.6])


def test_tanks_without_a_shape_have_no_level():
    scene, _ = seen(Subject("still", load_text(CRAFT + TANK.replace("outlet = [0.0, -0.6, -0.8]", 'kind = "point"'))))
    assert scene.liquids == ()


def test_the_file_has_a_node_whose_weights_follow_the_fill():
    system = load_text(CRAFT + TANK + SHAPES["cylinder"][0])
    scene, motion = seen(Subject("run", system, result=run(("tank.main.fill", FILLS))))
    tables, buffer = parts(gltf.glb(scene, {"run": motion}, lines=True))
    node = next(i for i, each in enumerate(tables["nodes"]) if each["name"] == "liquid tank.main")
    holder = next(each for each in tables["nodes"] if each["name"] == "body tank.main")
    assert node in holder["children"]
    animation = tables["animations"][0]
    weights = next(c for c in animation["channels"] if c["target"] == {"node": node, "path": "weights"})
    found = numbers(tables, buffer, animation["samplers"][weights["sampler"]]["output"]).reshape(len(FILLS), -1)
    assert found == pytest.approx(at_level(FILLS), abs=1e-6)
    assert found @ LEVELS[1:] == pytest.approx(FILLS, abs=1e-6)
