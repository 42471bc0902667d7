"""Fully Cartesian coordinates of random trees, against the tree engine: places, velocities, momenta, accelerations.

The two share nothing but the geometry and the joints' own definitions. Errors are relative to the largest entry compared.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from spacefmu.dynamics.bodies.equations import bias, mass_matrix
from spacefmu.dynamics.joints import SpinJoint
from spacefmu.dynamics.natural.carriers import Carriers
from spacefmu.dynamics.natural.inertia import mass_matrix_and_gyroscopic
from spacefmu.dynamics.natural.kinematics import move
from spacefmu.dynamics.spacecraft.motion import Dynamics
from spacefmu.dynamics.spacecraft.system import spacecraft_system
from spacefmu.dynamics.system.evaluate import solve_saddle
from spacefmu.dynamics.tree.kinematics import accelerations
from spacefmu.dynamics.tree.recursion import solve_recursively
from tests.compare import relative
from tests.tree.random_trees import random_craft, random_instant, structures

HELD = ("fixed", "revolute", "prismatic", "cylindrical", "planar", "universal", "spherical", "free")
EVERYWHERE = settings(max_examples=25, derandomize=True, deadline=None, database=None)


def rigid_structures(most):
    """Random trees of rigid bodies with the joints that points and vectors can express."""

    def kept(structure):
        rows, seed = structure
        kinds = [row[1] if row[1] in HELD else HELD[(seed + i) % len(HELD)] for i, row in enumerate(rows)]
        return [(row[0], kind, 0, row[3], "none", False, row[6]) for row, kind in zip(rows, kinds, strict=True)], seed

    return structures(most).map(kept)


class Both:
    """One random craft at one instant, in both formulations."""

    def __init__(self, structure):
        craft = random_craft(structure)
        system = spacecraft_system(craft)
        self.dynamics = Dynamics(craft, system.signals)
        self.tree = craft.tree
        self.moment = self.dynamics.moment(*random_instant(system, structure[1]))
        self.carriers = Carriers(craft.tree, tuple(joint.name for joint in craft.joints))
        X, X_dot = self.carriers.values(self.moment.bodies)
        self.wheels = [i for i, link in enumerate(craft.tree.links) if isinstance(link.joint, SpinJoint)]
        spins = np.array([self.moment.v[craft.tree.joint_v[i].start] for i in self.wheels])
        places = np.array([link.place.position for link in craft.tree.links])
        self.motion = move(self.carriers, X, X_dot, spins, places, [body.integrals for body in self.moment.bodies])
        self.speeds = np.concatenate([X_dot.reshape(-1), spins])

    def constraints(self):
        """Residuals, rows and right sides of all conditions."""
        motion, conditions = self.motion, self.motion.conditions
        n = len(self.speeds)
        G = np.array([np.concatenate([c.row(motion.X), np.zeros(len(self.wheels))]) for c in conditions]).reshape(
            len(conditions), n
        )
        gamma = -np.array([c.bias(motion.X_dot) for c in conditions])
        return np.array([c.residual(motion.X) for c in conditions]), G, gamma


@EVERYWHERE
@given(rigid_structures(6))
def test_frames_and_velocities(structure):
    """Every body is where the tree has it and moves as it does; conditions hold and so do their rates."""
    both = Both(structure)
    for found, expected, V in zip(both.motion.bodies, both.moment.bodies, both.motion.V, strict=True):
        assert np.allclose(found.position_N, expected.position_N, atol=1e-12)
        assert np.allclose(found.dcm_NB, expected.dcm_NB, atol=1e-12)
        assert np.allclose(V @ both.speeds, np.concatenate([expected.velocity, expected.omega]), atol=1e-11)
    residual, G, _ = both.constraints()
    assert np.max(np.abs(residual), initial=0.0) < 1e-12
    assert np.max(np.abs(G @ both.speeds), initial=0.0) < 1e-11


@EVERYWHERE
@given(rigid_structures(6))
def test_joints_get_their_coordinates_back(structure):
    """q and v of every joint; quaternions up to their sign."""
    both = Both(structure)
    for i, joined in enumerate(both.motion.joints):
        expected = both.moment.q[both.tree.joint_q[i]]
        assert np.allclose(joined.v, both.moment.v[both.tree.joint_v[i]], atol=1e-11)
        if len(expected) in (4, 7):
            sign = np.sign(expected[-4:] @ joined.q[-4:])
            expected = np.concatenate([expected[:-4], sign * expected[-4:] / np.linalg.norm(expected[-4:])])
        assert np.allclose(joined.q, expected, atol=1e-12)


@EVERYWHERE
@given(rigid_structures(6))
def test_degrees_of_freedom(structure):
    """Coordinates less conditions are the tree's degrees of freedom, and no condition is superfluous."""
    both = Both(structure)
    _, G, _ = both.constraints()
    assert len(both.speeds) - len(G) == both.tree.nv
    assert len(G) == 0 or np.linalg.matrix_rank(G, tol=1e-9) == len(G)


@EVERYWHERE
@given(rigid_structures(6))
def test_accelerations(structure):
    """The constant mass matrix with multipliers gives the tree's accelerations under no loads, to 1e-10."""
    both = Both(structure)
    M, h = mass_matrix_and_gyroscopic(both.tree, both.motion, len(both.wheels))
    assert (
        relative(
            0.5 * both.speeds @ M @ both.speeds,
            sum(
                0.5 * np.concatenate([b.velocity, b.omega]) @ _own(b) @ np.concatenate([b.velocity, b.omega])
                for b in both.moment.bodies
            ),
        )
        < 1e-12
    )
    _, G, gamma = both.constraints()
    zero = np.zeros(both.tree.nv)
    residual = [bias(b.integrals, b.omega, b.eta, b.eta_dot) for b in both.moment.bodies]
    v_dot, _ = solve_recursively(both.tree, both.moment.bodies, residual, zero)
    expected = accelerations(both.moment.bodies, both.tree, v_dot)
    z, _ = solve_saddle(M, G, -h, gamma)
    for V, B, A in zip(both.motion.V, both.motion.B, expected, strict=True):
        assert relative(V @ z + B, A, floor=1.0) < 1e-10
    for i, joined in enumerate(both.motion.joints):
        assert relative(joined.rows @ z + joined.rest, v_dot[both.tree.joint_v[i]], floor=1.0) < 1e-10


def _own(body):
    return mass_matrix(body.integrals, body.eta)


@pytest.mark.parametrize("kind", ["gimbal", "six axes"])
def test_joints_it_cannot_hold_are_named(kind):
    craft = random_craft(([(-1, "free", 0, False, "none", False, False), (0, kind, 0, False, "none", False, False)], 3))
    with pytest.raises(ValueError, match="joint joint1 can't be made of shared points and vectors"):
        Carriers(craft.tree, tuple(joint.name for joint in craft.joints))
