"""Control-moment gyros of descriptions: a gimbal on its axis, a rotor on the gimbal, the drives of both, and their outputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..bodies.body import plain_node
from ..bodies.gimbal import Gimbal
from ..bodies.rotor import Rotor, UnbalancedRotor
from ..joints import SpinJoint, WheelJoint
from ..joints.axis import AxisLaw
from ..joints.coordinates import ROTATION
from ..joints.forces import AxesForces, NoForces, WheelForces
from ..joints.gimbal import GimbalAxis, HeldSpin
from ..joints.kinds import AxesJoint
from ..loads.actuator import WheelMotor
from ..loads.gimbal_motor import GimbalMotor
from ..system.keys import Declaration, Key, Resolver
from ..system.pieces import Piece, output
from ..tree.topology import Link
from .outputs import ZEROS, Instant
from .structure import LinkJoint
from .wheels import Mounted

SQUARE = 1e-9  # cosine of the angle between spin axis and gimbal axis up to which it is a right angle


@dataclass(frozen=True)
class GyroShare(Piece):
    """Outputs of a gyro: its effect on its host, and that of its drives on it; `gimbal`: the number of its link, the rotor's is the next."""

    terminal = "gyro"
    needs_reactions: ClassVar[bool] = True
    name: str
    gimbal: int

    # fmt: off
    torque = output("torque of {self.name} on its host at its place, in axes of its place", "N.m", ZEROS)
    momentum = output("angular momentum of the spin of {self.name}, inertia times speed along the spin axis, in axes of its place", "N.m.s", ZEROS)
    drive_torque = output("torque of the drive on the gimbal of {self.name}, without its friction", "N.m", name="gimbal.drive_torque")
    rotor_torque = output("torque of the motor on the rotor of {self.name}, without its friction", "N.m", name="rotor.drive_torque")
    # fmt: on

    def values(self, instant: Instant):
        moment, reactions = instant.moment, instant.reactions
        if reactions is None:
            return []
        tree, bodies, gimbal, rotor = moment.tree, moment.bodies, self.gimbal, self.gimbal + 1
        _, dcm = tree.links[gimbal].joint.pose(moment.q[tree.joint_q[gimbal]])
        spin: Any = tree.links[rotor].body
        speed = moment.v[tree.joint_v[rotor]][0]
        driven = [
            bodies[i].H[:, 0] @ reactions[i] - moment.passive[tree.joint_v[i].start] for i in (gimbal, rotor)
        ]  # torque that the joint transmits along its axis, less friction
        return np.concatenate(
            [-dcm @ reactions[gimbal][3:6], dcm @ np.array(spin.axis) * (moment.k[spin.spin_inertia] * speed), driven]
        )


def _checked(table: Any, names: Resolver) -> None:
    if abs(np.dot(table.spin_axis, table.gimbal_axis)) > SQUARE:
        names.expected(
            "spin_axis", f"a direction at a right angle to gimbal_axis = {[round(c, 6) for c in table.gimbal_axis]}"
        )
    moments = sorted(table.gimbal_inertia)
    if moments[2] > (1.0 + 1e-9) * (moments[0] + moments[1]):
        names.expected("gimbal_inertia", "moments of a real body: none larger than the sum of the other two")
    if table.transverse_inertia is not None and table.spin_inertia > (2.0 + 1e-9) * table.transverse_inertia:
        names.expected("transverse_inertia", f"at least half of spin_inertia = {table.spin_inertia:g}")
    if table.drive == "rate" and table.servo_frequency is None:
        names.missing("servo_frequency", "a rate command goes through a servo: γ̈ = 2π servo_frequency (command − γ̇)")
    for key, drives in LIMITS.items():
        if getattr(table, key) is not None and table.drive not in drives:
            names.refused(
                key, f"belongs to drive = {' or '.join(repr(each) for each in drives)}, not to {table.drive!r}"
            )
    for key in ("rotor_torque_limit", "speed_limit") if table.rotor == "held" else ():
        if getattr(table, key) is not None:
            names.refused(key, 'belongs to rotor = "torque"; a held rotor keeps its speed whatever torque that takes')


LIMITS = {
    "servo_frequency": ("rate",),
    "torque_limit": ("torque",),
    "rate_limit": ("torque", "rate"),
    "acceleration_limit": ("rate", "acceleration"),
}


def make_gyro(table: Any, names: Resolver) -> list:
    """Two links, the gimbal on the host and the rotor on it; motors with limits; outputs."""
    found = names.place()
    _checked(table, names)
    if found is None:
        return []
    number = names.next_link()
    return [
        _gimbal(table, names.signal, *found),
        _rotor(table, names.signal, number),
        *_motors(table, names.signal),
        GyroShare(names.signal, number),
    ]


def _gimbal(table: Any, signal: str, host: int, node: Any) -> Mounted:
    name, none = f"{signal}.gimbal", np.zeros(0)
    across = 0.5 * table.spin_inertia if table.transverse_inertia is None else table.transverse_inertia
    center = np.zeros(3) if table.mass_center is None else np.array(table.mass_center)
    body = Gimbal(name, table.spin_axis, table.gimbal_axis, np.array(table.gimbal_inertia), across, table.mass, center)
    law = AxisLaw(
        damping=table.gimbal_damping,
        friction=table.gimbal_friction,
        friction_rate=table.gimbal_friction_rate,
        drive={"torque": "force"}.get(table.drive, table.drive),
        servo=(table.servo_frequency or 1.0, 1.0),
    )
    limits = (table.rate_limit, table.acceleration_limit) if table.drive != "torque" else (None, None)
    forces = AxesForces((GimbalAxis(name, "", ROTATION, law, "", *limits),), name)
    start = LinkJoint(name, forces, np.array([table.angle]), np.array([table.rate]), none, none)
    return Mounted(Link(body, AxesJoint((), (table.gimbal_axis,)), host, node, np.eye(3)), start)


def _rotor(table: Any, signal: str, gimbal: int) -> Mounted:
    name, none = f"{signal}.rotor", np.zeros(0)
    joint: SpinJoint | WheelJoint
    rotor, joint, q0 = Rotor(name, table.spin_inertia, table.spin_axis), SpinJoint(table.spin_axis), none
    if table.imbalance is not None:
        rotor = UnbalancedRotor(
            name, table.spin_inertia, table.spin_axis, imbalance=table.imbalance, offset=table.gimbal_axis
        )
        joint, q0 = WheelJoint((), (table.spin_axis,)), np.zeros(1)
    forces: NoForces = HeldSpin()
    if table.rotor == "torque":
        forces = WheelForces(
            name=name, damping=table.damping, friction=table.friction, friction_rate=table.friction_rate
        )
    start = LinkJoint(name, forces, q0, np.array([table.speed]), none, none)
    return Mounted(Link(rotor, joint, gimbal, plain_node("rotor", np.zeros(3)), np.eye(3)), start)


def _motors(table: Any, signal: str) -> list:
    """Limits of torque drives."""
    made: list = []
    if table.drive == "torque" and (table.torque_limit or table.rate_limit):
        made.append(GimbalMotor(f"{signal}.gimbal", table.torque_limit, table.rate_limit))
    if table.rotor == "torque" and (table.rotor_torque_limit or table.speed_limit):
        made.append(WheelMotor(f"{signal}.rotor", table.rotor_torque_limit, table.speed_limit))
    return made


GYRO = Declaration("A control-moment gyro: a rotor on a driven gimbal; with `rotor = \"torque\"` one of variable speed.", {
    "body": Key("place", "the host: a body, or one of its nodes"),
    "place": Key("vector", "in the body's frame; matters only with a mass or an imbalance", None),
    "gimbal_axis": Key("axis", "in the axes of its place"),
    "spin_axis": Key("axis", "of the rotor at a gimbal angle of zero, at a right angle to gimbal_axis"),
    "gimbal_inertia": Key("positive", "of the gimbal without its rotor: about the spin axis, across both axes, about the gimbal axis [kg m²]", count=(3, 3)),
    "spin_inertia": Key("positive", "of the rotor about its axis [kg m²]"),
    "transverse_inertia": Key("positive", "of the rotor across its axis [kg m²]; default: half of spin_inertia, a thin disc", None),
    "mass": Key("not negative", "of gimbal and rotor [kg]; default: their mass belongs to the host", 0.0),
    "mass_center": Key("vector", "of gimbal and rotor, from its place, in its axes at a gimbal angle of zero [m]", None),
    "imbalance": Key("positive", "static imbalance of the rotor: its mass times the offset of its mass centre [kg m]", None),
    "angle": Key("angle", "of the gimbal at the start [rad]", 0.0),
    "rate": Key("angle", "of the gimbal at the start [rad/s]", 0.0),
    "speed": Key("number", "of the rotor at the start, relative to the gimbal [rad/s]"),
    "drive": Key(("torque", "rate", "acceleration"), "input of the gimbal: gimbal.torque, gimbal.rate_command or gimbal.angular_acceleration", "torque"),
    "servo_frequency": Key("positive", "of drive = \"rate\": the gimbal follows its command with the time constant 1/(2π servo_frequency) [Hz]", None),
    "torque_limit": Key("positive", "largest torque of the gimbal's motor [N m]", None),
    "rate_limit": Key("positive", "largest rate of the gimbal [rad/s]", None),
    "acceleration_limit": Key("positive", "largest angular acceleration of the gimbal [rad/s²]", None),
    "gimbal_damping": Key("not negative", "viscous torque per rate of the gimbal [N m s/rad]", 0.0),
    "gimbal_friction": Key("not negative", "largest Coulomb torque of the gimbal [N m]", None),
    "gimbal_friction_rate": Key("positive", "rate over which that friction builds up [rad/s]", 1e-3),
    "rotor": Key(("held", "torque"), "held: its motor keeps its speed; torque: input rotor.torque, a gyro of variable speed", "held"),
    "rotor_torque_limit": Key("positive", "largest torque of the rotor's motor [N m]", None),
    "speed_limit": Key("positive", "largest speed of the rotor [rad/s]", None),
    "damping": Key("not negative", "viscous torque per speed of the rotor [N m s/rad]", 0.0),
    "friction": Key("not negative", "largest Coulomb torque of the rotor [N m]", 0.0),
    "friction_rate": Key("positive", "speed over which that friction builds up [rad/s]", 0.1),
}, make_gyro)  # fmt: skip
