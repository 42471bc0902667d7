"""Output pieces: each has signals and the values for them, from one evaluated instant.

outputs()            its quantities
values(instant)      array, same order
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..bodies.body import Node
from ..bodies.integrals import rigid_integrals
from ..pieces import Piece
from ..rotation import cross, dcm_quaternion, euler_123, euler_321
from ..scalar import shared
from ..signals import Signal, vector
from ..tree.kinematics import Moving, Place, Space, place_on
from ..tree.totals import totals
from .motion import Moment

ZEROS = [0.0] * 3


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

    def outputs(self):
        return [
            *vector("system.mass_center", "mass centre of the system, in N", ZEROS, "m"),
            *vector("system.momentum", "momentum of the system, in N", ZEROS, "N.s"),
            *vector("system.angular_momentum", "angular momentum about the system's mass centre, in N", ZEROS, "N.m.s"),
            Signal("system.kinetic_energy", "kinetic energy", "J"),
            Signal("system.potential_energy", "elastic energy of modes, joints and cables, and energy of gravity", "J"),
        ]

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

    def outputs(self):
        name, frame = self.name, self.frame
        return [
            *vector(f"{name}.position", f"position of {name}'s frame in {frame}", ZEROS, "m"),
            *vector(
                f"{name}.quaternion",
                f"attitude of {name} relative to {frame}, scalar first and not negative",
                [1.0, *ZEROS],
                "1",
            ),
            *vector(f"{name}.velocity", f"velocity of {name}'s frame, in {frame}", ZEROS, "m/s"),
            *vector(
                f"{name}.angular_velocity",
                f"angular velocity of {name} relative to {frame}, in its own axes",
                ZEROS,
                "rad/s",
            ),
        ]

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

    def outputs(self):
        quantity, _, note = EULER[self.order]
        return vector(
            f"{self.name}.{quantity}",
            f"{self.order} Euler angles of {self.name} relative to {self.frame} ({note})",
            ZEROS,
            "rad",
        )

    def values(self, instant: Instant):
        dcm_SB = instant.moment.scene.space.dcm_NS.T @ instant.moment.bodies[self.body].dcm_NB
        return EULER[self.order][1](dcm_SB)


@dataclass(frozen=True)
class NodeMotion(Piece):
    """Motion of a named node in N, and on a flexible body its elastic displacement and rotation in body axes."""

    body: int
    body_name: str
    node: Node

    def outputs(self):
        name = f"{self.body_name}.{self.node.name}"
        rows = [
            *vector(f"{name}.position", f"position of {name}, in N", ZEROS, "m"),
            *vector(f"{name}.velocity", f"velocity of {name}, in N", ZEROS, "m/s"),
            *vector(f"{name}.acceleration", f"acceleration of {name}, in N", ZEROS, "m/s2"),
        ]
        if self.node.shape.shape[1]:
            rows += [
                *vector(f"{name}.angular_velocity", f"angular velocity of {name}, in the node's axes", ZEROS, "rad/s"),
                *vector(
                    f"{name}.displacement", f"elastic displacement of {name}, in axes of {self.body_name}", ZEROS, "m"
                ),
                *vector(
                    f"{name}.rotation", f"elastic rotation vector of {name}, in axes of {self.body_name}", ZEROS, "rad"
                ),
            ]
        return rows

    def values(self, instant: Instant):
        body = instant.moment.bodies[self.body]
        place, frame = _node_frame(instant, self.body, self.node)
        parts = [place.position_N, place.dcm_NP @ place.velocity, place.dcm_NP @ frame[:3]]
        if self.node.shape.shape[1]:
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

    def outputs(self):
        return vector(
            f"{self.name}.angular_velocity", f"angular velocity measured by {self.name}, in its axes", ZEROS, "rad/s"
        )

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

    def outputs(self):
        return vector(
            f"{self.name}.specific_force",
            f"acceleration less gravity measured by {self.name}, in its axes",
            ZEROS,
            "m/s2",
        )

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

    def outputs(self):
        return [
            *vector(
                f"{self.name}.reaction_force",
                f"force of joint {self.name} on its child, in the child's axes",
                ZEROS,
                "N",
            ),
            *vector(
                f"{self.name}.reaction_torque",
                f"torque of joint {self.name} on its child at the child's frame, in its axes",
                ZEROS,
                "N.m",
            ),
        ]

    def values(self, instant: Instant):
        return instant.reactions[self.body]
