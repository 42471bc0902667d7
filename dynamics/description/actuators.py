"""Tables of wheels, thrusters, force inputs and sensors → links, loads and output pieces."""

from __future__ import annotations

import numpy as np

from ..bodies.body import plain_node
from ..bodies.rotor import Rotor, UnbalancedRotor
from ..joints import SpinJoint, WheelJoint
from ..joints.forces import WheelForces
from ..joints.table import square_to
from ..loads import BodyWrench, Load, Thruster
from ..loads.actuator import Actuator, ThrusterValve, WheelMotor
from ..spacecraft import Joint
from ..spacecraft.outputs import SENSORS
from ..tree.topology import Link
from .bodies import find_node, find_place


def add_wheels(table, index, bodies, links, joints, problems) -> None:
    """Each wheel is a rotor: on a SpinJoint, or with an imbalance on a WheelJoint. Appended to the links, behind all bodies."""
    for name, wheel in table.wheels.items():
        found = find_place(f"wheels.{name}", wheel.body, wheel.place, bodies, problems)
        if found is None:
            continue
        body_name, node, _ = found
        signal = f"wheel.{name}"
        if wheel.imbalance is None:
            joint: SpinJoint | WheelJoint
            rotor, joint, q0 = Rotor(signal, wheel.spin_inertia, wheel.axis), SpinJoint(wheel.axis), np.zeros(0)
        else:
            rotor = UnbalancedRotor(
                signal, wheel.spin_inertia, wheel.axis, imbalance=wheel.imbalance, offset=square_to(wheel.axis)[0]
            )
            joint, q0 = WheelJoint((), (wheel.axis,)), np.zeros(1)
        links.append(Link(rotor, joint, index[body_name], node, np.eye(3)))
        forces = WheelForces(
            name=signal, damping=wheel.damping, friction=wheel.friction, friction_rate=wheel.friction_rate
        )
        joints.append(Joint(signal, forces, q0, np.array([wheel.speed]), np.zeros(0), np.zeros(0)))


def make_loads(table, index, bodies, problems) -> list[Load]:
    """Force inputs at nodes, and thrusters."""
    loads: list[Load] = []
    for name, body in table.bodies.items():
        for node_name in dict.fromkeys(body.forces_at):
            if node_name == "frame":
                loads.append(BodyWrench(name, index[name], plain_node("frame", np.zeros(3), bodies[name].modes)))
            elif node_name in bodies[name].nodes:
                loads.append(BodyWrench(f"{name}.{node_name}", index[name], bodies[name].nodes[node_name]))
            else:
                problems.unknown(
                    f"bodies.{name}.forces_at", node_name, [*bodies[name].nodes, "frame"], f"node of body {name}"
                )
    for name, thruster in table.thrusters.items():
        found = find_place(f"thrusters.{name}", thruster.body, thruster.place, bodies, problems)
        if found is not None:
            loads.append(Thruster(f"thruster.{name}", index[found[0]], found[1], thruster.direction))
    return loads


def make_actuators(table, problems) -> list[Actuator]:
    """Limits and lags of wheels and thrusters that have some."""
    found: list[Actuator] = []
    for name, wheel in table.wheels.items():
        if any(value is not None for value in (wheel.torque_limit, wheel.speed_limit, wheel.motor_lag)):
            found.append(WheelMotor(f"wheel.{name}", wheel.torque_limit, wheel.speed_limit, wheel.motor_lag))
    for name, thruster in table.thrusters.items():
        if thruster.maximum is not None:
            fall = thruster.fall_time if thruster.rise_time is None else thruster.fall_time or thruster.rise_time
            rise = thruster.rise_time or fall
            found.append(ThrusterValve(f"thruster.{name}", thruster.maximum, thruster.minimum_impulse, rise, fall))
        elif any(value is not None for value in (thruster.minimum_impulse, thruster.rise_time, thruster.fall_time)):
            problems.found.append(f"thrusters.{name}.maximum is missing: a shortest pulse, a rise and a fall need it")
    return found


def make_sensors(table, index, bodies, fields, problems) -> list:
    """All sensors, in the order of the description; `fields` are those of gravity, which an accelerometer does not feel."""
    sensors = []
    for name, sensor in table.sensors.items():
        found = find_node(f"sensors.{name}.at", sensor.at, bodies, problems)
        if found is not None:
            sensors.append(
                SENSORS[sensor.kind](f"sensor.{name}", index[found[0]], found[1], np.array(sensor.orientation), fields)
            )
    return sensors
