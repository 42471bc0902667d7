"""What an inverse problem can't be: each refused in one sentence that names it."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.description.errors import DescriptionError
from tests.inverse.arms import PLANAR, SEVEN, SPATIAL, output, run, with_inverse

GRIPPER = '[inverse.paths.gripper]\nnode = "forearm.gripper"\n'


@pytest.mark.parametrize(
    ("name", "inverse", "sentence"),
    [
        (SEVEN, '[inverse.paths.gripper]\nnode = "hand.gripper"\n', r"\[inverse\] prescribes 3 motions .*, but 7 axes are driven; prescribe 7, or fewer with a table inverse\.redundancy"),
        (PLANAR, GRIPPER, "prescribes 3 motions .*, but 2 axes are driven"),
        (SPATIAL, '[inverse.paths.gripper]\nnode = "forearm.griper"\n', "node of body forearm 'griper', which does not exist; did you mean 'gripper'"),
        (SPATIAL, '[inverse.paths.gripper]\nnode = "forarm.gripper"\n', "the body 'forarm', which does not exist; did you mean 'forearm'"),
        (SPATIAL, "[inverse.paths.gripper]\n", "names neither a node nor a joint"),
        (SPATIAL, GRIPPER + 'formula = ["1", "2"]\n', "3 formulas of time"),
        (SPATIAL, GRIPPER + 'formula = [2.0, 0.0, 0.0]\n', "forearm.gripper starts .* m away from its path"),
        (SPATIAL, GRIPPER + 'table = "no.csv"\n', "no.csv does not exist"),
        (SPATIAL, GRIPPER + '[inverse]\nactuators = ["wrist"]\n', "the joint or free body 'wrist', which does not exist; known: elbow, hub, shoulder"),
        (SPATIAL, '[inverse.paths.e]\njoint = "shoulder"\n', "an axis of joint shoulder, which has 2"),
        ("FourBar", '[inverse.paths.a]\njoint = "hinge1"\n', "closing closes a loop or is a cable"),
    ],
)  # fmt: skip
def test_refused(name, inverse, sentence):
    with pytest.raises(DescriptionError, match=sentence):
        with_inverse(name, inverse)


FLEXIBLE = """
name = "BendingArm"
[bodies.link]
damping = 0.01
nodes = { tip = 1.0 }
[bodies.link.beam]
length = 2.0
mass = 2.0
bending_y = 200.0
modes = { bending_y = 2 }
[joints.shoulder]
parent = "space"
child = "link"
kind = "revolute"
axis = "z"
drive = "torque"
"""


def test_a_bending_link_may_be_driven_where_its_drive_is():
    """Given the joint's angle, the modes are a damped cantilever: integrated beside it."""
    system = load_text(
        FLEXIBLE + '[inverse.paths.shoulder]\njoint = "shoulder"\nformula = ["0.1*(time - sin(time))"]\n'
    )
    found = run(system, 4.0, 5)
    assert output(system, found, "shoulder.angle") == pytest.approx(0.1 * (found.time - np.sin(found.time)), abs=1e-9)
    names = ("system.kinetic_energy", "system.potential_energy", "system.dissipated_energy", "system.work")
    kinetic, potential, lost, work = (output(system, found, name) for name in names)
    assert np.max(np.abs(potential)) > 1e-7  # it bends
    assert kinetic + potential + lost - work == pytest.approx(np.zeros(5), abs=1e-10)


def test_a_path_of_the_bending_tip_runs_away():
    """Driven at its root, the tip of a bending link answers the wrong way at first: refused with the body and the rate."""
    with pytest.raises(
        DescriptionError, match=r"the modes of link are unstable along these paths \(growth rate [0-9.]+ 1/s\)"
    ):
        load_text(
            FLEXIBLE + '[inverse.paths.tip]\nnode = "link.tip"\nalong = ["y"]\nformula = ["0.1*(time - sin(time))"]\n'
        )
