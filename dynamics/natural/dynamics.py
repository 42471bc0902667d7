"""Equations of motion in natural coordinates, with the interface of Dynamics for routes.

    M v̇ = Q + Gᵀλ,   G v̇ = γ         M constant but for wheels, no terms quadratic in velocities

Axes have no inertia, and a thin rod none about its own axis: κ GᵀG of the rigid rows, added to M with κ Gᵀγ to Q, does not change solutions with G v̇ =
γ, and makes M positive definite for every motion with inertia (`stiff` rows of system.contract.Staged). It also fills M, so solves that can do without leave it out.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from ..joints.kinds import AxesJoint, SpinJoint
from ..spacecraft.motion import Dynamics, Moment
from ..spacecraft.structure import Spacecraft
from ..system.signals import Bag, SignalTable
from ..tree.attitude import attitudes
from .inertia import mass_matrix_and_gyroscopic
from .kinematics import Motion, move_at
from .rigid import Rigid


class Carried(list):
    """Bodies in motion, with the natural coordinates' view of them."""

    def __init__(self, motion: Motion):
        super().__init__(motion.bodies)
        self.motion = motion


class NaturalVelocities:
    """Partial velocities of all bodies: V[i] (6, nv)."""

    def __init__(self, motion: Motion):
        self.motion = motion

    def __getitem__(self, i: int):
        return self.motion.V[i]

    def mapped(self, i: int, outward):
        return outward @ self.motion.V[i]


@dataclass(frozen=True)
class NaturalMoment(Moment):
    """A Moment with the joints' coordinates as in the tree."""

    joint_coordinates: tuple[np.ndarray, ...] = ()

    @cached_property
    def attitudes(self) -> list[np.ndarray]:
        layout: Any = self.tree
        return attitudes(layout.carriers.tree, np.concatenate([np.zeros(0), *self.joint_coordinates]))


class NaturalDynamics(Dynamics):  # its Moments hold `Carried` bodies, its tree is a Layout
    """A rigid spacecraft in natural coordinates; `kappa` is κ [kg m²], of the size of the inertias."""

    def __init__(self, craft: Spacecraft, table: SignalTable, rigid: Rigid, kappa: float):
        super().__init__(craft, table)
        layout = rigid.layout
        self.tree: Any = layout
        self.rigid = rigid
        self.stiff, self.stiffness = rigid.rows, kappa

    def placed(self, t, x, u, k, d):
        u, k, d = self.bags(u, k, d)
        scene = self.craft.environment.scene(t, self.surroundings(x), u, k, d)
        bodies = Carried(move_at(self.tree, *self.split(x), k, scene.space))
        return bodies, self.surrounded(scene, bodies, k)

    def moment(self, t, x, u, k, d) -> NaturalMoment:
        plain: Any = super().moment(t, x, u, k, d)
        found = self.rigid.tree_coordinates(plain.bodies.motion, plain.q, Bag(self.table, "states", x))
        parts = {part.name: getattr(plain, part.name) for part in fields(plain)}
        return NaturalMoment(**parts, joint_coordinates=tuple(found))

    def coordinate_rates(self, q, v):
        return v[: self.tree.nq]

    def inertia(self, bodies, q, v):
        """M (nv, nv), partial velocities and bias accelerations."""
        M, _ = self._mass_matrix_and_gyroscopic(bodies.motion)
        return M, NaturalVelocities(bodies.motion), bodies.motion.B

    def kane(self, moment: Any):
        motion = moment.bodies.motion
        M, h = self._mass_matrix_and_gyroscopic(motion)
        f = moment.passive + moment.drive - h
        for body, residual, V in zip(moment.bodies, moment.residual, motion.V, strict=True):
            loads = body.equations[1] - residual
            f = f + V.T @ loads
        return M, f, NaturalVelocities(motion), motion.B

    def _mass_matrix_and_gyroscopic(self, motion: Motion):
        return mass_matrix_and_gyroscopic(self.tree, motion, self.tree.nv - self.tree.points)

    def partial_velocities(self, bodies):
        return NaturalVelocities(bodies.motion), bodies.motion.B

    def seen_near(self, bodies, a: int, b: int, x, k: Bag) -> None:
        """No body carries another."""

    def accelerations(self, bodies, z):
        return [V @ z + B for V, B in zip(bodies.motion.V, bodies.motion.B, strict=True)]

    def _each_joint(self, bodies, q, v):
        """(forces, q, v, where) of all joints: `where` spreads forces along the joint's own speeds over all speeds."""
        layout = self.tree
        spans = zip(layout.links, self.craft.joints, layout.joint_q, layout.joint_v, bodies.motion.joints, strict=True)
        for link, joint, in_q, in_v, joined in spans:
            if isinstance(link.joint, AxesJoint | SpinJoint):
                own = np.eye(layout.nv)[in_v]
                yield joint.forces, q[in_q], v[in_v], own
            else:
                yield joint.forces, joined.q, joined.v, joined.rows

    def _joint_forces(self, bodies, q, v, u, k, d):
        zero = np.zeros(self.tree.nv)
        passive, drive, known, rates, dissipated, any_known = zero, zero, zero, zero, 0.0, False
        for forces, own_q, own_v, where in self._each_joint(bodies, q, v):
            tau, lost = forces.passive(k, u, d, own_q, own_v)
            passive, drive = passive + tau @ where, drive + forces.drive(k, u) @ where
            dissipated = dissipated + lost
            given = forces.known(k, u, d, own_q, own_v)
            if given is not None:
                any_known = True
                known, rates = known + given[0] @ where, rates + (given[0] * given[1]) @ where
        return (passive, drive, dissipated, known, rates) if any_known else (passive, drive, dissipated, None, None)

    def potential(self, moment: Moment):
        joints = self._each_joint(moment.bodies, moment.q, moment.v)
        energy = sum((forces.potential(moment.k, q) for forces, q, _, _ in joints), 0.0)
        environment = self.craft.environment
        return energy + sum(environment.potential(body, own, moment.k) for body, own in self.around(moment.bodies, moment.scene))  # fmt: skip
