"""More joints than given motions: rates of least size, by an independent solve at every instant, and what self-motion does."""

from __future__ import annotations

import numpy as np
import pytest

from spacefmu.dynamics.inverse.route import InverseRoute
from spacefmu.dynamics.spacecraft.motion import Dynamics
from spacefmu.dynamics.system.evaluate import start
from spacefmu.fmu_src import api
from tests.inverse.arms import PLANAR, SEVEN, SPATIAL, at_start, output, run, with_inverse

STILL = {", rate = [0.05, 0.1]": "", ", rate = -0.1": ""}
ERROR = "forearm.gripper.path.position_error"


def path(shape):
    """The gripper's x and z are given, for three joints; `shape` is a formula that starts at rest."""
    at = at_start(api.load(SPATIAL), "forearm.gripper.position")
    return f"""
[inverse.paths.gripper]
node = "forearm.gripper"
along = ["x", "z"]
formula = ["{at[0]:.17g} - 0.1*{shape}", "{at[2]:.17g} + 0.2*{shape}"]
"""


ROUND, STAY = path("(1 - cos(time))"), path("0")


def conditions(system, t, x):
    """M, C = (rows of M without a drive, J), v and the driven speeds at a state, by the tree's own functions."""
    given = system.made_by[1]
    dynamics = Dynamics(given.craft, system.signals)
    moment = dynamics.moment(t, x, *start(system)[1:])
    M, _, V, B = dynamics.kane(moment)
    route = InverseRoute(dynamics, given.problem, ())
    return M, np.vstack([M[route.U], route.asked(t, moment, V, B).jacobian]), moment.v, route.A


@pytest.mark.parametrize("aim", ["least_rates", "least_energy"])
def test_rates_are_the_least_ones(aim):
    """At every instant no other rates with the same momentum and the same gripper velocity are smaller; null space by SVD here."""
    system = with_inverse(SPATIAL, ROUND + f'[inverse.redundancy]\naim = "{aim}"\n', **STILL)
    found = run(system, 3.0, 4)
    assert np.max(np.abs(output(system, found, ERROR))) < 1e-9
    for t, x in zip(found.time[1:], found.x[1:], strict=True):
        M, C, v, A = conditions(system, t, x)
        W = M if aim == "least_energy" else np.diag([float(p in A) for p in range(len(v))])
        N = np.linalg.svd(C)[2][len(C) :].T
        assert N.shape[1] == 1
        assert np.max(np.abs(N.T @ W @ v)) < 1e-8 * np.max(np.abs(W @ v))
        assert np.max(np.abs(v[A])) > 1e-3


def test_a_posture_is_sought():
    """The gripper keeps its x and z, and the arm moves within itself towards the posture."""
    aim = '[inverse.redundancy]\naim = "posture"\ngain = 1.0\nposture = { "shoulder[1]" = "60 deg" }\n'
    system = with_inverse(SPATIAL, STAY + aim, **STILL)
    found = run(system, 3.0, 4)
    assert np.max(np.abs(output(system, found, ERROR))) < 1e-9
    first = output(system, found, "shoulder.angle")[:, 0]
    assert first[0] == 0.4
    assert abs(first[-1] - np.pi / 3) < 0.6 * abs(first[0] - np.pi / 3)


def test_rest_comes_back():
    """Resolved at the level of velocities: where the path comes to rest so does the arm, which least accelerations would not do."""
    system = with_inverse(SPATIAL, path("0.03*(1 - cos(time))*(2*pi - time)**2") + "[inverse.redundancy]\n", **STILL)
    found = run(system, 2.0 * np.pi, 5)
    rates = np.column_stack([output(system, found, "shoulder.rate"), output(system, found, "elbow.rate")])
    assert np.max(np.abs(rates)) > 1e-2
    assert np.max(np.abs(rates[-1])) < 1e-8


@pytest.mark.slow
def test_a_reactionless_arm_leaves_its_base_alone():
    """Seven joints, three rows of a path and three more: the base does not turn, to round-off, and the path is kept."""
    still = {"initial = { rate = 0.1 }": "", ", rate = -0.1 }": " }"}
    at = at_start(api.load(SEVEN), "hand.gripper.position")
    round_trip = f"""
[inverse.paths.gripper]
node = "hand.gripper"
formula = ["{at[0]:.17g} - 0.2*(1 - cos(time))", "{at[1]:.17g} + 0.2*(time - sin(time))", "{at[2]:.17g}"]
[inverse.redundancy]
"""
    system = with_inverse(SEVEN, '[inverse]\nstill = "base"\n' + round_trip, **still)
    found = run(system, 2.0, 3)
    assert np.max(np.abs(output(system, found, "base.angular_velocity"))) < 1e-10
    assert np.max(np.abs(output(system, found, "base.path.turning_error"))) < 1e-10
    assert np.max(np.abs(output(system, found, "hand.gripper.path.position_error"))) < 1e-9
    free = with_inverse(SEVEN, round_trip, **still)
    assert np.max(np.abs(output(free, run(free, 2.0, 3), "base.angular_velocity"))) > 1e-4


PLANAR_3 = """
[bodies.hand]
mass = 1.0
mass_center = [0.3, 0.0, 0.0]
inertia = [0.001, 0.03, 0.03]
nodes = { grip = [0.6, 0.0, 0.0] }
[joints.wrist]
parent = "forearm"
child = "hand"
place = [1.0, 0.0, 0.0]
kind = "revolute"
axis = "z"
drive = "torque"
initial = { position = 0.8 }
[inverse]
still = "hub"
still_about = ["z"]
[inverse.paths.grip]
node = "hand.grip"
along = ["x", "y"]
"""


def test_in_a_plane_one_row_keeps_the_base_still():
    """Three joints, two rows of a path, one of the base: it keeps its angle and drifts along only; rates from the null space of M_θq."""
    still = {
        ", rate = 0.1 }": " }",
        ", rate = -0.05 }": " }",
        "angular_velocity = [0.0, 0.0, 0.02]": "position = [0.0, 0.0, 0.0]",
    }
    at = at_start(with_inverse(PLANAR, PLANAR_3, **still), "hand.grip.position")
    path = f'formula = ["{at[0]:.17g} - 0.1*(1 - cos(time))", "{at[1]:.17g} - 0.05*(time - sin(time))"]\n'
    system = with_inverse(PLANAR, PLANAR_3 + path, **still)
    found = run(system, 3.0, 4)
    assert np.max(np.abs(output(system, found, "hub.angular_velocity"))) < 1e-10
    assert np.max(np.abs(output(system, found, "hub.path.turning_error"))) < 1e-10
    assert np.max(np.abs(output(system, found, "hand.grip.path.position_error"))) < 1e-10
    assert np.ptp(output(system, found, "hub.position")[:, 0]) > 1e-3
    given = system.made_by[1]
    dynamics = Dynamics(given.craft, system.signals)
    M, _, _, _ = dynamics.kane(dynamics.moment(2.0, found.x[2], *start(system)[1:]))
    base, joints = [0, 1, 2, 3, 4, 5], [6, 7, 8]
    rates = np.array([output(system, found, f"{joint}.rate")[2] for joint in ("shoulder", "elbow", "wrist")])
    coupled = M[np.ix_(base, joints)] @ rates
    momentum_of_base = M[np.ix_(base, base)] @ dynamics.moment(2.0, found.x[2], *start(system)[1:]).v[:6]
    assert coupled + momentum_of_base == pytest.approx(np.zeros(6), abs=1e-10)
    assert np.max(np.abs(rates)) > 0.02
