"""Tables of wheels, thrusters and force inputs → links and loads."""

from __future__ import annotations

import numpy as np

from ..bodies.body import Rotor, plain_node
from ..joints import SpinJoint
from ..joints.forces import WheelForces
from ..loads import BodyWrench, Thruster
from ..spacecraft import Joint
from ..tree.topology import Link


def add_wheels(table, index, bodies, links, joints, problems) -> None:
    """Each wheel is a rotor on a SpinJoint: appended to the links, behind all bodies."""
    for name, wheel in table.wheels.items():
        if wheel.body not in bodies:
            problems.unknown(f"wheels.{name}.body", wheel.body, bodies, "body")
            continue
        signal = f"wheel.{name}"
        place = plain_node("frame", np.zeros(3), bodies[wheel.body].modes)
        links.append(Link(Rotor(signal, wheel.spin_inertia, wheel.axis), SpinJoint(wheel.axis), index[wheel.body], place, np.eye(3)))
        forces = WheelForces(name=signal, damping=wheel.damping, friction=wheel.friction, friction_rate=wheel.friction_rate)
        joints.append(Joint(signal, forces, np.zeros(0), np.array([wheel.speed]), np.zeros(0), np.zeros(0)))


def make_loads(table, index, bodies, problems) -> list:
    """Force inputs at nodes, and thrusters."""
    loads = []
    for name, body in table.bodies.items():
        for node_name in body.forces_at:
            if node_name == "frame":
                loads.append(BodyWrench(name, index[name], plain_node("frame", np.zeros(3), bodies[name].modes)))
            elif node_name in bodies[name].nodes:
                loads.append(BodyWrench(f"{name}.{node_name}", index[name], bodies[name].nodes[node_name]))
            else:
                problems.unknown(f"bodies.{name}.forces_at", node_name, [*bodies[name].nodes, "frame"], f"node of body {name}")
    for name, thruster in table.thrusters.items():
        if thruster.body not in bodies:
            problems.unknown(f"thrusters.{name}.body", thruster.body, bodies, "body")
            continue
        node = plain_node("place", thruster.place, bodies[thruster.body].modes)
        loads.append(Thruster(f"thruster.{name}", index[thruster.body], node, thruster.direction))
    return loads
