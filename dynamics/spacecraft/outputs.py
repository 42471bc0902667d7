"""Output pieces: each declares outputs and computes their values from one evaluated Instant.

values(instant)      array, in the order of the declarations
state_rates(instant) of its own states, if it declares any (a filter): array, in their order; read them by instant.moment.x
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..algebra.rotation import cross, euler_123, euler_321
from ..bodies.body import Node
from ..bodies.integrals import rigid_integrals
from ..environment.expansion import expanded_load
from ..system.frame_text import INERTIAL, FrameText
from ..system.keys import IDENTITY, Declaration, Key, Kinds, Resolver
from ..system.pieces import Piece, output
from ..tree.kinematics import Moving, Place, place_on
from ..tree.relative import acceleration_seen_from, seen_from, turning_seen_from
from ..tree.totals import Totals, center_acceleration, totals
from ..tree.transfer import HERE
from .motion import Moment

ZEROS = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Instant:
    """A Moment with its accelerations A_i = (a, α, η̈) of every body, the potential energy, and if any is shown the joints'
    reactions: wrenches (force, torque) by which each joint acts on its child, at the child's frame in its axes; `particles`: mass beside the bodies,
    (masses (n,), positions (n, 3), velocities (n, 3), accelerations (n, 3)) from S's origin in N of each beaded tether."""

    moment: Moment
    accelerations: list[np.ndarray]
    potential: object
    reactions: list[np.ndarray] | None = None
    particles: tuple = ()
    unpulled: list[np.ndarray] | None = (
        None  # bias minus loads of each body without the forces of connections, if the Moment has these
    )

    @property
    def unheld(self) -> list[np.ndarray]:
        return self.moment.residual if self.unpulled is None else self.unpulled

    @cached_property
    def totals(self) -> Totals:
        """Totals of all bodies and particles."""
        return totals(self.moment.bodies, self.particles)

    @cached_property
    def flowing_totals(self) -> Totals:
        """The same with flows through bodies (tanks/flow.py), which add p and h to the momenta and p·v + h·ω to the energy."""
        total, bodies = self.totals, self.moment.bodies
        momentum, angular, energy = total.momentum, total.angular_momentum, total.kinetic_energy
        for body, own in zip(bodies, self.moment.propelling.momenta(len(bodies)), strict=True):
            if own is not None:
                p, h = body.dcm_NB @ own[:3], body.dcm_NB @ own[3:]
                momentum, angular = momentum + p, angular + h + cross(body.position_N - total.mass_center, p)
                energy = energy + own @ body.speeds[:6]
        return replace(total, momentum=momentum, angular_momentum=angular, kinetic_energy=energy)

    @cached_property
    def center_acceleration(self):
        """Acceleration of the mass centre (3,) relative to S's origin, in N."""
        return center_acceleration(self.moment.bodies, self.accelerations, self.particles)


def shown_rates(pieces, instant: Instant) -> list:
    """Rates of the own states of output pieces: the part "shown" of ẋ."""
    return [piece.state_rates(instant) for piece in pieces if piece.states()]


@dataclass(frozen=True)
class SystemTotals(Piece):
    """Mass centre, momenta and energies of the whole spacecraft."""

    frame: FrameText = INERTIAL
    name: str = field(default="system", init=False)

    mass_center = output("position of the system's mass centre {self.frame.place}", "m", ZEROS)
    momentum = output("momentum of the system{self.frame.relative}, in axes of N", "N.s", ZEROS)
    angular_momentum = output("angular momentum about the system's mass centre, in axes of N", "N.m.s", ZEROS)
    kinetic_energy = output("kinetic energy{self.frame.relative}", "J")
    potential_energy = output("elastic energy of modes, joints, springs and cables, and {self.frame.gravity}", "J")

    def values(self, instant: Instant):
        total = instant.flowing_totals
        center = instant.moment.scene.space.dcm_NS.T @ total.mass_center
        return np.concatenate(
            [center, total.momentum, total.angular_momentum, [total.kinetic_energy, instant.potential]]
        )


@dataclass(frozen=True)
class BodyMotion(Piece):
    """Position and motion of the frame of a body on a joint, relative to the frame S of the roots (N, or O on an orbit).

    The same names and meaning as the states of a free body: position and velocity in S, attitude q_SB, angular velocity
    relative to S in body axes.
    """

    terminal = "frame"
    body: int
    name: str
    frame: FrameText = INERTIAL

    # fmt: off
    position = output("position of {self.name}'s frame {self.frame.place}", "m", ZEROS)
    quaternion = output("attitude of {self.name} {self.frame.attitude}", "1", (1.0, *ZEROS))
    velocity = output("velocity of {self.name}'s frame {self.frame.motion}", "m/s", ZEROS)
    angular_velocity = output("angular velocity of {self.name} {self.frame.turning}", "rad/s", ZEROS)
    # fmt: on

    def values(self, instant: Instant):
        moment = instant.moment
        body, space = moment.bodies[self.body], moment.scene.space
        position, velocity = seen_from(space, body.position_N, body.dcm_NB @ body.velocity)
        turning = turning_seen_from(space, body.dcm_NB, body.omega)
        return np.concatenate([position, moment.attitudes[self.body], velocity, turning])


EULER = {"1-2-3": ("euler_123", euler_123, "[stroe] (10)"), "3-2-1": ("euler_321", euler_321, "yaw, pitch, roll")}


@dataclass(frozen=True)
class EulerAngles(Piece):
    """Angles of a body relative to the frame S of the roots, in one of the orders of EULER; they wrap from π to −π, and jump at gimbal lock."""

    terminal = "frame"
    body: int
    name: str
    order: str
    words = tuple(word for word, _, _ in EULER.values())
    frame: FrameText = INERTIAL

    angles = output("{self.order} Euler angles of {self.name} {self.frame.angles} ({self.note}), wrap from pi to -pi", "rad", ZEROS, name="{self.word}", min=-np.pi, max=np.pi)  # fmt: skip

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
    """Motion of a named node relative to S, and on a flexible body its elastic displacement and rotation in body axes."""

    terminal = "frame"
    body: int
    body_name: str
    node: Node
    frame: FrameText = INERTIAL

    # fmt: off
    position = output("position of {self.name} {self.frame.place}", "m", ZEROS)
    velocity = output("velocity of {self.name} {self.frame.motion}", "m/s", ZEROS)
    acceleration = output("acceleration of {self.name} {self.frame.motion}", "m/s2", ZEROS)
    angular_velocity = output("angular velocity of {self.name} {self.frame.turning}", "rad/s", ZEROS, when=_flexible)
    displacement = output("elastic displacement of {self.name} from its undeformed place, in axes of {self.body_name}", "m", ZEROS, when=_flexible)
    rotation = output("elastic rotation vector of {self.name}, in axes of {self.body_name}", "rad", ZEROS, when=_flexible)
    # fmt: on

    @property
    def name(self) -> str:
        return f"{self.body_name}.{self.node.name}"

    def values(self, instant: Instant):
        space = instant.moment.scene.space
        place, accelerated = _node_frame(instant, self.body, self.node)
        position, velocity = seen_from(space, place.position_N, place.dcm_NP @ place.velocity)
        parts = [position, velocity, acceleration_seen_from(space, place.dcm_NP @ accelerated[:3], position, velocity)]
        if _flexible(self):
            turning = turning_seen_from(space, place.dcm_NP, place.omega)
            parts += [turning, *self.elastic(instant, place)]
        return np.concatenate(parts)

    def elastic(self, instant: Instant, place: Place):
        """Displacement and rotation vector in body axes, (3,) each."""
        eta = instant.moment.bodies[self.body].eta
        return self.node.elastic(eta), self.node.vector(eta)


def _node_frame(instant: Instant, body: int, node: Node) -> tuple[Place, np.ndarray]:
    """The node as a moving frame P, and its absolute (a, α) in P axes."""
    place = place_on(instant.moment.bodies[body], node)
    return place, place.map.motion(instant.accelerations[body]) + place.bias


@dataclass(frozen=True)
class NodeSensor(Piece):
    """Base of sensors at a node: `mount` (3, 3) maps the sensor's axes to the node's, `fields` are those of gravity.

    `keys`: further keys of the sensor in a description, each a field of the dataclass.
    """

    terminal = "sensor"
    name: str
    body: int
    node: Node
    mount: np.ndarray
    fields: tuple = ()
    keys: ClassVar[Mapping[str, Key]] = {}

    @classmethod
    def make(cls, table: Any, names: Resolver) -> NodeSensor | None:
        found = names.node("at")
        own = {key: getattr(table, key) for key in cls.keys}
        return found and cls(names.signal, *found, np.array(table.orientation), names.environment.fields, **own)


@dataclass(frozen=True)
class NodeGyro(NodeSensor):
    """Absolute angular velocity at a node, in the sensor's axes."""

    angular_velocity = output("angular velocity relative to N measured by {self.name}, in its axes", "rad/s", ZEROS)

    def values(self, instant: Instant):
        return self.mount.T @ place_on(instant.moment.bodies[self.body], self.node).omega


@dataclass(frozen=True)
class Accelerometer(NodeSensor):
    """Specific force at a node, in the sensor's axes: its acceleration less that of gravity, f = a − g [m/s²].

    It is zero in free fall, at the mass centre of a body without forces. g is the acceleration by the `fields` of the environment of a unit point mass at the
    node; on an orbital frame a and g are both relative to the frame's falling origin.
    """

    specific_force = output("acceleration less gravity measured by {self.name}, in its axes", "m/s2", ZEROS)

    def values(self, instant: Instant):
        place, frame = _node_frame(instant, self.body, self.node)
        moment = instant.moment
        probe = _point_mass(place)
        loads = [field.load(probe, moment.scene, moment.k) for field in self.fields if not field.weak]
        if len(loads) < len(self.fields):
            loads.append(expanded_load(probe, replace(moment.scene, root=self._craft(moment.tree.links))))
        return self.mount.T @ (frame[:3] - sum((load[:3] for load in loads), np.zeros(3)))

    def _craft(self, links) -> int:
        """The number of the body's root among all roots."""
        root = self.body
        while links[root].parent >= 0:
            root = links[root].parent
        return sum(link.parent < 0 for link in links[:root])


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
        HERE,
        np.zeros(6),
        nothing,
        integrals,
    )


@dataclass(frozen=True)
class Reaction(Piece):
    """Force and torque in a joint, including drives and springs: on the child, at its frame, in its axes."""

    terminal = "joint"
    needs_reactions: ClassVar[bool] = True
    body: int
    name: str

    reaction_force = output("force of joint {self.name} on its child, in the child's axes", "N", ZEROS)
    reaction_torque = output("torque of joint {self.name} on its child at the child's frame, in its axes", "N.m", ZEROS)

    def values(self, instant: Instant):
        return [] if instant.reactions is None else instant.reactions[self.body]


def sensor(text: str, kind: type[NodeSensor]) -> Declaration:
    """The row of a kind of sensor."""
    return Declaration(text, kind.keys, kind.make)


SENSORS = {
    "gyro": sensor("angular velocity relative to N", NodeGyro),
    "accelerometer": sensor("specific force: acceleration less gravity", Accelerometer),
}
SENSOR = Kinds("Sensor", "sensor", "A sensor at a body's frame or node. A gyro: angular velocity; an accelerometer: specific force (no gravity).", {
    "at": Key("place", "a body, or one of its nodes"),
    "orientation": Key("orientation", "attitude of the sensor's axes in those of its place", IDENTITY),
}, SENSORS)  # fmt: skip
