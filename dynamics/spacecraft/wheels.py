"""Reaction wheels of descriptions: a rotor on its joint, with a motor if it has limits or a lag."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..bodies.rotor import Rotor, UnbalancedRotor
from ..joints import SpinJoint, WheelJoint
from ..joints.forces import WheelForces
from ..joints.table import square_to
from ..loads.actuator import WheelMotor
from ..system.keys import Declaration, Key, Resolver
from ..tree.topology import Link
from .structure import LinkJoint


@dataclass(frozen=True)
class Mounted:
    """A link, placed after all bodies, with its joint."""

    link: Link
    joint: LinkJoint


def make_wheel(table: Any, names: Resolver) -> list:
    """A rotor on a SpinJoint, or with an imbalance on a WheelJoint."""
    found = names.place()
    if found is None:
        return []
    host, node = found
    signal = names.signal
    joint: SpinJoint | WheelJoint
    if table.imbalance is None:
        rotor, joint, q0 = Rotor(signal, table.spin_inertia, table.axis), SpinJoint(table.axis), np.zeros(0)
    else:
        rotor = UnbalancedRotor(
            signal, table.spin_inertia, table.axis, imbalance=table.imbalance, offset=square_to(table.axis)[0]
        )
        joint, q0 = WheelJoint((), (table.axis,)), np.zeros(1)
    forces = WheelForces(name=signal, damping=table.damping, friction=table.friction, friction_rate=table.friction_rate)
    start = LinkJoint(signal, forces, q0, np.array([table.speed]), np.zeros(0), np.zeros(0))
    wheel = Mounted(Link(rotor, joint, host, node, np.eye(3)), start)
    limits = (table.torque_limit, table.speed_limit, table.motor_lag)
    return [wheel, WheelMotor(signal, *limits)] if any(limit is not None for limit in limits) else [wheel]


WHEEL = Declaration("A reaction wheel; its mass and transverse inertia belong to its host.", {
    "body": Key("place", "the body, or its node, that carries it"),
    "place": Key("vector", "place in the body's frame; only relevant with an imbalance", None),
    "axis": Key("axis", "spin axis, in the axes of its place"),
    "spin_inertia": Key("positive", "inertia of the rotor about its axis [kg m²]"),
    "speed": Key("number", "speed at the start, relative to the body [rad/s]", 0.0),
    "damping": Key("not negative", "viscous torque per speed [N m s/rad]", 0.0),
    "friction": Key("not negative", "largest Coulomb torque [N m]", 0.0),
    "friction_rate": Key("positive", "speed over which friction builds up: F tanh(speed/friction_rate) [rad/s]", 0.1),
    "torque_limit": Key("positive", "largest motor torque [N m]", None),
    "speed_limit": Key("positive", "largest speed [rad/s]: the motor's torque fades over the last 2 % of it, and can only brake there", None),
    "motor_lag": Key("positive", "time constant of the motor torque [s]", None),
    "imbalance": Key("positive", "static imbalance: rotor mass times offset of its mass centre [kg m]", None),
}, make_wheel)  # fmt: skip
