"""The three systems of the brute-force comparison, each written twice: as links of the engine, and as mass points.

The point models state every position out loud, without the engine's tree; both share nothing but the numbers.
Coordinates stand in the same order in both.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from spacefmu.dynamics.bodies.body import FlexibleBody, Node, RigidBody, plain_node
from spacefmu.dynamics.bodies.integrals import integrals_of_points
from spacefmu.dynamics.joints import AxesJoint, FreeJoint, SphericalJoint
from spacefmu.dynamics.joints.axis import Axis, AxisLaw
from spacefmu.dynamics.joints.forces import AxesForces, BallForces, NoForces
from spacefmu.dynamics.spacecraft import LinkJoint, Spacecraft, spacecraft_system
from spacefmu.dynamics.tree.topology import Link, Tree
from tests.brute_force import PointModel, exponential, turn
from tests.tree.random_trees import point_table, rotation

SPACE = plain_node("space", np.zeros(3))


class Table:
    """Random mass points of one body, with N orthogonal modes; the last point is the node `tip`."""

    def __init__(self, seed, modes=0, inertias=False):
        self.rng = np.random.default_rng(seed)
        self.rho, self.mass, self.phi, inertia, self.psi = point_table(self.rng, modes)
        self.inertia = inertia if inertias else None
        if not inertias and modes:  # without nodal inertias ∫φ·φ dm alone has to be diagonal
            modal = np.einsum("p,mpi,npi->mn", self.mass, self.phi, self.phi)
            mix = np.linalg.inv(np.linalg.cholesky(modal))
            self.phi, self.psi = np.tensordot(mix, self.phi, 1), np.tensordot(mix, self.psi, 1)
        self.modal = np.einsum("p,mpi,mpi->m", self.mass, self.phi, self.phi)
        if inertias:
            self.modal = self.modal + np.einsum("mpi,pij,mpj->m", self.psi, inertia, self.psi)
        self.frequency = self.rng.uniform(0.2, 1.0, modes)
        self.damping = self.rng.uniform(0.0, 0.05, modes)
        self.tip = Node("tip", self.rho[-1], self.phi[:, -1].T, self.psi[:, -1].T)

    def rigid(self, name):
        """The engine's rigid body: mass, mass centre and inertia summed over the points."""
        center = self.mass @ self.rho / self.mass.sum()
        arm = self.rho - center
        second = np.einsum("p,pi,pj->ij", self.mass, arm, arm)
        return RigidBody(name, self.mass.sum(), center, np.trace(second) * np.eye(3) - second)

    def flexible(self, name):
        integrals = integrals_of_points(self.rho, self.mass, self.phi, self.inertia, self.psi)
        return FlexibleBody(name, integrals, self.frequency, self.damping, {"tip": self.tip})

    def put(self, model: PointModel, origin, dcm, eta=None):
        """The same body in a point model, with its elastic energy ½Σμ(2πf)²η² and dissipation Σζμ(2πf)η̇²."""
        model.add_points(origin, dcm, self.rho, self.mass, self.phi if eta is not None else None, eta)
        if eta is None:
            return
        angular = 2.0 * np.pi * self.frequency
        for mu in range(len(self.phi)):
            model.potential += 0.5 * self.modal[mu] * angular[mu] ** 2 * eta[mu] ** 2
            model.dissipation += self.damping[mu] * self.modal[mu] * angular[mu] * eta[mu] ** 2
        if self.inertia is not None:
            for p, inertia in enumerate(self.inertia):
                model.add_spin(dcm, inertia, self.psi[:, p], eta)

    def tip_frame(self, origin, dcm, eta):
        """Place and axes at the tip: ρ + Φη and exp((Ψη)~)."""
        return origin + dcm @ (ca.DM(self.tip.position) + ca.DM(self.tip.shape) @ eta), dcm @ exponential(
            ca.DM(self.tip.turn) @ eta
        )


def axes_forces(name, joint, stiffness, rest, damping):
    law = AxisLaw(stiffness, rest, damping)
    named = enumerate(joint.named_axes() if joint.nq else [], 1)
    return AxesForces(
        tuple(Axis(name, suffix, kind, law, f"[{i}]" if joint.nq > 1 else "") for i, (kind, suffix) in named)
    )


def engine(rows):
    """rows: (body, joint, forces, parent, place, mount) → System."""
    links = tuple(Link(body, joint, parent, place, mount) for body, joint, _, parent, place, mount in rows)
    joints = tuple(
        LinkJoint(body.name, forces, _zero(joint), np.zeros(joint.nv), np.zeros(body.modes), np.zeros(body.modes))
        for body, joint, forces, *_ in rows
    )
    return spacecraft_system(Spacecraft("Points", "brute-force comparison", Tree(links), joints))


def _zero(joint):
    return {FreeJoint: np.eye(7)[3], SphericalJoint: np.eye(4)[0]}.get(type(joint), np.zeros(joint.nq))


def hub_with_two(inertias=False):
    """A tumbling hub, a flexible body of 3 modes fixed to it, and one of 2 modes on a hinge with spring and damper."""
    hub, a, b = Table(1), Table(2, 3, inertias), Table(3, 2, inertias)
    rng = np.random.default_rng(4)
    mount_a, mount_b, place_a, place_b = rotation(rng), rotation(rng), rng.normal(size=3), rng.normal(size=3)
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    hinge = AxesJoint((), (tuple(axis),))
    system = engine(
        [
            (hub.rigid("hub"), FreeJoint(), NoForces(6), -1, SPACE, np.eye(3)),
            (a.flexible("a"), AxesJoint(), AxesForces(()), 0, plain_node("pa", place_a), mount_a),
            (b.flexible("b"), hinge, axes_forces("b", hinge, 3.0, 0.2, 0.1), 0, plain_node("pb", place_b), mount_b),
        ]
    )
    model = PointModel()
    r, R = model.plain(3), model.attitude()
    eta_a, angle, eta_b = model.plain(3), model.plain(1), model.plain(2)
    hub.put(model, r, R)
    a.put(model, r + R @ ca.DM(place_a), R @ ca.DM(mount_a), eta_a)
    b.put(model, r + R @ ca.DM(place_b), R @ ca.DM(mount_b) @ turn(axis, angle), eta_b)
    model.potential += 0.5 * 3.0 * (angle - 0.2) ** 2
    model.dissipation += 0.5 * 0.1 * angle**2
    return system, model


def flexible_on_flexible():
    """A free flexible body of 2 modes; one of 2 modes on its tip by a universal joint; a rigid one on that one's tip by a slider."""
    a, b, c = Table(11, 2), Table(12, 2), Table(13)
    rng = np.random.default_rng(14)
    mount_b, mount_c, axes = rotation(rng), rotation(rng), rotation(rng)
    universal, slider = AxesJoint((), (tuple(axes[0]), tuple(axes[1]))), AxesJoint((tuple(axes[2]),), ())
    system = engine(
        [
            (a.flexible("a"), FreeJoint(), NoForces(6), -1, SPACE, np.eye(3)),
            (b.flexible("b"), universal, axes_forces("b", universal, 2.0, 0.1, 0.05), 0, a.tip, mount_b),
            (c.rigid("c"), slider, axes_forces("c", slider, 20.0, 0.1, 0.2), 1, b.tip, mount_c),
        ]
    )
    model = PointModel()
    r, R, eta_a, angles, eta_b, slide = (
        model.plain(3),
        model.attitude(),
        model.plain(2),
        model.plain(2),
        model.plain(2),
        model.plain(1),
    )
    a.put(model, r, R, eta_a)
    place, frame = a.tip_frame(r, R, eta_a)
    R_b = frame @ ca.DM(mount_b) @ turn(axes[0], angles[0]) @ turn(axes[1], angles[1])
    b.put(model, place, R_b, eta_b)
    place, frame = b.tip_frame(place, R_b, eta_b)
    frame = frame @ ca.DM(mount_c)
    c.put(model, place + frame @ ca.DM(axes[2]) * slide, frame)
    model.potential += 0.5 * 2.0 * ca.sumsqr(angles - 0.1) + 0.5 * 20.0 * (slide - 0.1) ** 2
    model.dissipation += 0.5 * 0.05 * ca.sumsqr(angles) + 0.5 * 0.2 * slide**2
    return system, model


def five_bodies():
    """Free root; a universal and then a ball joint on one branch; a slider and then a hinge on the other; springs, dampers."""
    bodies = [Table(21 + i) for i in range(5)]
    rng = np.random.default_rng(30)
    places, mounts, axes = rng.normal(size=(5, 3)), [rotation(rng) for _ in range(5)], rotation(rng)
    universal, slider, hinge = (
        AxesJoint((), (tuple(axes[0]), tuple(axes[1]))),
        AxesJoint((tuple(axes[2]),), ()),
        AxesJoint((), (tuple(axes[0]),)),
    )
    ball = BallForces(name="b2", stiffness=4.0, damping=0.3)
    at = [plain_node(f"p{i}", place) for i, place in enumerate(places)]
    system = engine(
        [
            (bodies[0].rigid("b0"), FreeJoint(), NoForces(6), -1, SPACE, np.eye(3)),
            (bodies[1].rigid("b1"), universal, axes_forces("b1", universal, 5.0, -0.2, 0.2), 0, at[1], mounts[1]),
            (bodies[2].rigid("b2"), SphericalJoint(), ball, 1, at[2], mounts[2]),
            (bodies[3].rigid("b3"), slider, axes_forces("b3", slider, 30.0, 0.3, 0.5), 0, at[3], mounts[3]),
            (bodies[4].rigid("b4"), hinge, axes_forces("b4", hinge, 3.0, 0.1, 0.1), 3, at[4], mounts[4]),
        ]
    )
    model = PointModel()
    r, R, angles, ball_turn, slide, angle = (
        model.plain(3),
        model.attitude(),
        model.plain(2),
        model.attitude(),
        model.plain(1),
        model.plain(1),
    )
    bodies[0].put(model, r, R)
    r_1, R_1 = r + R @ ca.DM(places[1]), R @ ca.DM(mounts[1]) @ turn(axes[0], angles[0]) @ turn(axes[1], angles[1])
    bodies[1].put(model, r_1, R_1)
    bodies[2].put(model, r_1 + R_1 @ ca.DM(places[2]), R_1 @ ca.DM(mounts[2]) @ ball_turn)
    R_3 = R @ ca.DM(mounts[3])
    r_3 = r + R @ ca.DM(places[3]) + R_3 @ ca.DM(axes[2]) * slide
    bodies[3].put(model, r_3, R_3)
    bodies[4].put(model, r_3 + R_3 @ ca.DM(places[4]), R_3 @ ca.DM(mounts[4]) @ turn(axes[0], angle))
    # ball spring: k (1 − cos φ) with tr R = 1 + 2 cos φ; its damper acts on the relative angular velocity, θ̇ of the chart
    model.potential += 0.5 * 5.0 * ca.sumsqr(angles + 0.2) + 4.0 * (3.0 - ca.trace(ball_turn)) / 2.0
    model.potential += 0.5 * 30.0 * (slide - 0.3) ** 2 + 0.5 * 3.0 * (angle - 0.1) ** 2
    model.dissipation += 0.5 * 0.2 * ca.sumsqr(angles) + 0.5 * 0.3 * ca.sumsqr(model.q[3])
    model.dissipation += 0.5 * 0.5 * slide**2 + 0.5 * 0.1 * angle**2
    return system, model


CRAFTS = {
    "hub with two flexible bodies": hub_with_two,
    "the same with nodal inertias": lambda: hub_with_two(inertias=True),
    "flexible body on a flexible body": flexible_on_flexible,
    "five bodies": five_bodies,
}
