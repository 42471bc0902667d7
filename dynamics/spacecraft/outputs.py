"""Output pieces: each declares outputs and gives the values for them, from one evaluated instant.

values(instant)      array, in the order of the declarations
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..bodies.body import Node
from ..bodies.integrals import rigid_integrals
from ..pieces import Piece, output
from ..rotation import cross, dcm_quaternion, euler_123, euler_321
from ..scalar import shared
from ..tree.kinematics import Moving, Place, Space, place_on
from ..tree.totals import totals
from .motion import Moment

ZEROS = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Instant:
    """A Moment with its accelerations A_i = (a, α, η̈) of every body, the potential energy, and if any is shown the joints'
    reactions: wrenches (force, torque) by which each joint acts on its child, at the child's frame in its axes; `particles`: mass beside the bodies,
    (masses (n,), positions (n, 3), velocities (n, 3)) in N of each beaded tether."""

    moment: Moment
    accelerations: list[np.ndarray]
    potential: object
    reactions: list[np.ndarray] | None = None
    particles: tuple = ()


@dataclass(frozen=True)
class SystemTotals(Piece):
    """Mass centre, momenta and energies of the whole spacecraft."""

    name: ClassVar[str] = "system"

    mass_center = output("mass centre of the system, in N", "m", ZEROS)
    momentum = output("momentum of the system, in N", "N.s", ZEROS)
    angular_momentum = output("angular momentum about the system's mass centre, in N", "N.m.s", ZEROS)
    kinetic_energy = output("kinetic energy", "J")
    potential_energy = output("elastic energy of modes, joints and cables, and energy of gravity", "J")

    def values(self, instant: Instant):
        total = totals(instant.moment.bodies, instant.particles)
        return np.concatenate(
            [total.mass_center, total.momentum, total.angular_momentum, [total.kinetic_energy, instant.potential]]
        )


@dataclass(frozen=True)
class BodyMotion(Piece):
    """Where the frame of a body that a joint carries is, and how it moves, relative to the frame S of the roots (N, or O on an orbit).

    The same names and meaning as the states of a free body: position and velocity in S, attitude q_SB, angular velocity
    relative to S in body axes.
    """

    body: int
    name: str
    frame: str = "N"

    # fmt: off
    position = output("position of {self.name}'s frame in {self.frame}", "m", ZEROS)
    quaternion = output("attitude of {self.name} relative to {self.frame}, scalar first and not negative", "1", (1.0, *ZEROS))
    velocity = output("velocity of {self.name}'s frame, in {self.frame}", "m/s", ZEROS)
    angular_velocity = output("angular velocity of {self.name} relative to {self.frame}, in its own axes", "rad/s", ZEROS)
    # fmt: on

    def values(self, instant: Instant):
        body = instant.moment.bodies[self.body]
        return _relative_to(instant.moment.scene.space, body.position_N, body.dcm_NB, body.velocity, body.omega)


@shared
def _relative_to(space: Space, position_N, dcm_NB, velocity, omega):
    """Position, quaternion, velocity and angular velocity of a body's frame relative to S, (13,)."""
    dcm_SN = space.dcm_NS.T
    dcm_SB = dcm_SN @ dcm_NB
    position = dcm_SN @ position_N
    return np.concatenate(
        [
            position,
            dcm_quaternion(dcm_SB),
            dcm_SB @ velocity - cross(space.omega, position),
            omega - dcm_SB.T @ space.omega,
        ]
    )


EULER = {"1-2-3": ("euler_123", euler_123, "[stroe] (10)"), "3-2-1": ("euler_321", euler_321, "yaw, pitch, roll")}


@dataclass(frozen=True)
class EulerAngles(Piece):
    """Angles of a body relative to the frame S of the roots, in one of the orders of EULER."""

    body: int
    name: str
    order: str
    frame: str = "N"

    angles = output("{self.order} Euler angles of {self.name} relative to {self.frame} ({self.note})", "rad", ZEROS, name="{self.word}")  # fmt: skip

    @property
    def word(self) -> str:
        return EULER[self.order][0]

    @property
    def note(self) -> str:
        return EULER[self.order][2]

    def values(self, instant: Instant):
        dcm_SB = instant.moment.scene.space.dcm_NS.T @ instant.moment.bodies[self.body].dcm_NB
        return EULER[self.order][1](dcm_SB)


def _flexible(piece: NodeMotion) -> bool:
    return piece.node.shape.shape[1] > 0


@dataclass(frozen=True)
class NodeMotion(Piece):
    """Motion of a named node in N, and on a flexible body its elastic displacement and rotation in body axes."""

    body: int
    body_name: str
    node: Node

    # fmt: off
    position = output("position of {self.name}, in N", "m", ZEROS)
    velocity = output("velocity of {self.name}, in N", "m/s", ZEROS)
    acceleration = output("acceleration of {self.name}, in N", "m/s2", ZEROS)
    angular_velocity = output("angular velocity of {self.name}, in the node's axes", "rad/s", ZEROS, when=_flexible)
    displacement = output("elastic displacement of {self.name}, in axes of {self.body_name}", "m", ZEROS, when=_flexible)
    rotation = output("elastic rotation vector of {self.name}, in axes of {self.body_name}", "rad", ZEROS, when=_flexible)
    # fmt: on

    @property
    def name(self) -> str:
        return f"{self.body_name}.{self.node.name}"

    def values(self, instant: Instant):
        body = instant.moment.bodies[self.body]
        place, frame = _node_frame(instant, self.body, self.node)
        parts = [place.position_N, place.dcm_NP @ place.velocity, place.dcm_NP @ frame[:3]]
        if _flexible(self):
            parts += [place.omega, self.node.displacement(body.eta), self.node.turn @ body.eta]
        return np.concatenate(parts)


def _node_frame(instant: Instant, body: int, node: Node) -> tuple[Place, np.ndarray]:
    """The node as a moving frame P, and its absolute (a, α) in P axes."""
    place = place_on(instant.moment.bodies[body], node)
    return place, place.map @ instant.accelerations[body] + place.bias


@dataclass(frozen=True)
class Gyro(Piece):
    """Absolute angular velocity at a node, in the sensor's axes; `mount` (3, 3) maps them to the node's."""

    name: str
    body: int
    node: Node
    mount: np.ndarray

    angular_velocity = output("angular velocity measured by {self.name}, in its axes", "rad/s", ZEROS)

    def values(self, instant: Instant):
        return self.mount.T @ place_on(instant.moment.bodies[self.body], self.node).omega


@dataclass(frozen=True)
class Accelerometer(Piece):
    """Specific force at a node, in the sensor's axes: its acceleration less that of gravity, f = a − g [m/s²].

    It is zero in free fall, at the mass centre of a body that nothing pushes. g is what the `fields` of the environment
    give to a unit point mass at the node; on an orbital frame a and g are both relative to the frame's falling origin.
    """

    name: str
    body: int
    node: Node
    mount: np.ndarray
    fields: tuple = ()

    specific_force = output("acceleration less gravity measured by {self.name}, in its axes", "m/s2", ZEROS)

    def values(self, instant: Instant):
        place, frame = _node_frame(instant, self.body, self.node)
        moment = instant.moment
        probe = _point_mass(place)
        felt = frame[:3] - sum((field.load(probe, moment.scene, moment.k)[:3] for field in self.fields), np.zeros(3))
        return self.mount.T @ felt


def _point_mass(place: Place) -> Moving:
    """A unit mass at a place, as a body without modes."""
    none, nothing = np.zeros(0), np.zeros((6, 0))
    integrals = rigid_integrals(1.0, np.zeros(3), np.zeros((3, 3)))
    return Moving(
        place.position_N,
        place.dcm_NP,
        place.velocity,
        place.omega,
        none,
        none,
        nothing,
        np.zeros(6),
        nothing,
        integrals,
    )


@dataclass(frozen=True)
class Reaction(Piece):
    """Force and torque that a joint carries, drives and springs included: on the child, at its frame, in its axes."""

    body: int
    name: str

    reaction_force = output("force of joint {self.name} on its child, in the child's axes", "N", ZEROS)
    reaction_torque = output("torque of joint {self.name} on its child at the child's frame, in its axes", "N.m", ZEROS)

    def values(self, instant: Instant):
        return instant.reactions[self.body]
