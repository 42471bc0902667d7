"""A checked description → Spacecraft: names become numbers, and what fields say of each other is checked."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..bodies.body import RigidBody, plain_node
from ..joints import FreeJoint
from ..joints.forces import NoForces
from ..rotation import dcm_quaternion
from ..spacecraft import Joint, Spacecraft
from ..spacecraft.outputs import NodeMotion
from ..tree.topology import Link, Tree
from .actuators import add_wheels, make_loads
from .bodies import find_node, make_body
from .couplings import make_couplings
from .errors import Problems
from .joints import make_joint
from .tables import SpacecraftTable

RESERVED = ("system", "solver", "space", "time", "thruster", "wheel")


def assemble_spacecraft(table: SpacecraftTable, problems: Problems, folder: Path) -> Spacecraft | None:
    """The Spacecraft, or None with all that is wrong in `problems`."""
    _check_names(table, problems)
    bodies = {name: make_body(name, body, problems, folder) for name, body in table.bodies.items()}
    order = _order(table, problems)
    if problems.found:
        return None
    links, joints = [], []
    index = {name: i for i, name in enumerate(order)}
    carried_by = {joint.child: (name, joint) for name, joint in table.joints.items()}
    for name in order:
        link, joint = _link(name, table.bodies[name], bodies, carried_by.get(name), index, problems)
        links.append(link)
        joints.append(joint)
    add_wheels(table, index, bodies, links, joints, problems)
    loads = make_loads(table, index, bodies, problems)
    couplings = make_couplings(table, index, bodies, problems)
    if problems.found:
        return None
    sensors = [NodeMotion(index[name], name, node) for name in order for node in bodies[name].nodes.values()]
    return Spacecraft(
        name=table.name,
        description=table.description,
        tree=Tree(tuple(links)),
        joints=tuple(joints),
        loads=tuple(loads),
        couplings=tuple(couplings),
        sensors=tuple(sensors),
        size=_size(links, table),
        experiment=table.experiment.model_dump(),
        documentation=table.documentation,
        baked=_baked(bodies),
    )


def _check_names(table: SpacecraftTable, problems: Problems) -> None:
    """Signal names begin with these: each may stand for one thing only."""
    seen: dict[str, str] = dict.fromkeys(RESERVED, "a reserved name")
    for group in ("bodies", "joints", "couplings", "cables"):
        for name in getattr(table, group):
            if name in seen:
                problems.add(f"{group}.{name}", name, f"a name of its own, but it is {seen[name]} too")
            seen[name] = f"one of the {group}"


def _order(table: SpacecraftTable, problems: Problems) -> list[str]:
    """Bodies with parents before children; problems for unknown names, several parents and cycles."""
    parent: dict[str, str] = {}
    for name, joint in table.joints.items():
        path = f"joints.{name}"
        if joint.child not in table.bodies:
            problems.unknown(f"{path}.child", joint.child, table.bodies, "body")
        elif joint.child in parent:
            problems.add(f"{path}.child", joint.child, "a body that no other joint carries; close loops with a coupling")
        inner = joint.parent.split(".")[0]
        if inner != "space" and inner not in table.bodies:
            problems.unknown(f"{path}.parent", inner, [*table.bodies, "space"], "body")
        parent[joint.child] = inner
    order: list[str] = []
    waiting = list(table.bodies)
    while waiting:
        ready = [name for name in waiting if parent.get(name, "space") in ("space", *order)]
        if not ready:
            unknown = [name for name in waiting if parent[name] not in table.bodies]
            if not unknown:
                problems.found.append(f"the joints of {', '.join(waiting)} form a circle, expected a tree; close loops with a coupling")
            return order
        order += ready
        waiting = [name for name in waiting if name not in ready]
    return order


def _link(name, table, bodies, carrier, index, problems) -> tuple[Link, Joint]:
    """The link of one body: free in space unless a joint carries it."""
    initial, body = table.initial, bodies[name]
    eta0 = _padded(f"bodies.{name}.initial.amplitudes", initial.amplitudes, body.modes, problems)
    eta_dot0 = _padded(f"bodies.{name}.initial.rates", initial.rates, body.modes, problems)
    if carrier is None:
        q0 = np.concatenate([initial.position, dcm_quaternion(initial.orientation)])
        v0 = np.concatenate([initial.velocity, initial.angular_velocity])
        free = Link(body, FreeJoint(), -1, plain_node("space", np.zeros(3)), np.eye(3))
        return free, Joint(name, NoForces(6), q0, v0, eta0, eta_dot0)
    for key in ("position", "orientation", "velocity", "angular_velocity"):
        if key in initial.model_fields_set:
            problems.add(f"bodies.{name}.initial.{key}", getattr(initial, key), f"nothing: joint {carrier[0]} carries this body, set joints.{carrier[0]}.initial")
    joint_name, joint = carrier
    kind, forces, q0, v0 = make_joint(joint_name, joint, problems)
    parent, place, place_name = -1, plain_node("space", joint.place), ""
    if joint.parent != "space":
        found = find_node(f"joints.{joint_name}.parent", joint.parent, bodies, problems)
        if found is not None:
            parent = index[found[0]]
            if "." in joint.parent:
                place = found[1]
                if "place" in joint.model_fields_set:
                    problems.add(f"joints.{joint_name}.place", joint.place, "nothing: the joint sits at a node already")
            else:
                place, place_name = plain_node("place", joint.place, bodies[found[0]].modes), joint_name
    link = Link(body, kind, parent, place, np.array(joint.orientation), place_name)
    return link, Joint(joint_name, forces, q0, v0, eta0, eta_dot0)


def _padded(path, values, count, problems) -> np.ndarray:
    if len(values) not in (0, count):
        problems.add(path, list(values), f"{count} numbers, one a mode")
        return np.zeros(count)
    return np.array(values, float) if values else np.zeros(count)


def _size(links, table) -> float:
    """A length to judge residuals by: the largest distance written in the description, at least 1e-3 m."""
    lengths = [float(np.linalg.norm(link.place.position)) for link in links]
    lengths += [float(np.linalg.norm(node.position)) for link in links for node in link.body.nodes.values()]
    lengths += [cable.length for cable in table.cables.values()]
    return max([1e-3, *lengths])


def _baked(bodies) -> tuple[str, ...]:
    flexible = [name for name, body in bodies.items() if not isinstance(body, RigidBody)]
    return tuple(f"mode shapes and inertia integrals of {name} (its mass scales them)" for name in flexible)
