"""Valid and invalid descriptions of the environment: every problem is named, all in one message."""

from pathlib import Path

import pytest

from spacefmu.dynamics.description import DescriptionError, load, load_text
from spacefmu.dynamics.system.evaluate import motion, start

EXAMPLES = Path(__file__).parents[2] / "examples"
BODY = 'name = "Test"\n[bodies.hub]\nmass = 5.0\ninertia = [1.0, 1.0, 2.0]\n'


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("environment_*.toml")), ids=lambda path: path.stem)
def test_examples_run(path):
    system = load(path)
    x, u, k, d = start(system)
    assert all(abs(motion(system, 0.0, x, u, k, d)[0]) < 1e4)


def test_there_are_examples():
    assert len(list(EXAMPLES.glob("environment_*.toml"))) >= 3


@pytest.mark.parametrize(
    "text, sentence",
    [
        ('[environment]\nframe = "orbit"\ngravity = "central"\n', "environment.orbit is missing"),
        (
            '[environment]\nframe = "orbit"\n[environment.orbit]\nsemi_major_axis = 7e6\n',
            "environment.gravity is 'none'",
        ),
        ('[environment]\ngravity = "central"\norbit = { semi_major_axis = 7e6 }\n', "environment.frame is 'inertial'"),
        ("[environment]\nj2 = true\n", 'environment.j2 is given, but environment.gravity is "none"'),
        (
            "[environment]\nacceleration = [0.0, 0.0, -9.81]\n",
            "environment.acceleration = [0.0, 0.0, -9.81] is not allowed",
        ),
        (
            '[surfaces.a]\nbody = "hub"\nnormal = "x"\narea = 1.0\n',
            "surfaces.a has no effect; it requires a table environment.sun or environment.air",
        ),
        ('[dipoles.a]\nbody = "hub"\n', "dipoles.a has no effect; it requires a table environment.magnetic"),
        (
            '[environment.sun]\n[surfaces.a]\nbody = "hub"\nnormal = "x"\narea = 1.0\nspecular = 0.7\ndiffuse = 0.4\n',
            "surfaces.a.diffuse is 0.4",
        ),
        ('[environment.sun]\n[surfaces.a]\nbody = "hup"\nnormal = "x"\narea = 1.0\n', "'hup'"),
        (
            "[environment]\norbit = { semi_major_axis = 7e6, eccentricity = 1.2 }\n",
            "environment.orbit.eccentricity is 1.2",
        ),
    ],
)
def test_refused(text, sentence):
    with pytest.raises(DescriptionError) as caught:
        load_text(BODY + text)
    assert any(problem.startswith(sentence) or sentence in problem for problem in caught.value.problems), (
        caught.value.problems
    )
