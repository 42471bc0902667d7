"""The tree of a description: bodies in order, each with the joint that carries it, and where they start."""

from __future__ import annotations

import numpy as np

from ..algebra.rotation import dcm_quaternion
from ..bodies.body import plain_node
from ..joints import AxesJoint, FreeJoint
from ..joints.acting import MadeJoint
from ..joints.forces import NoForces
from ..joints.table import JOINT
from ..spacecraft import LinkJoint
from ..tree.topology import Link
from .bodies import find_place
from .errors import Problems
from .node_start import NodeStart
from .resolver import Entry, Places
from .start import Given
from .tables import CraftTable
from .tables.bodies import BodyTable


def order_of(table: CraftTable, problems: Problems) -> list[str]:
    """All bodies, parents before children; reports unknown names, several parents and cycles."""
    parent: dict[str, str] = {}
    for name, joint in table.joints.items():
        path = f"joints.{name}"
        if joint.child not in table.bodies:
            problems.unknown(f"{path}.child", joint.child, table.bodies, "body")
        elif joint.child in parent:
            problems.add(
                f"{path}.child",
                joint.child,
                "a body that is not the child of another joint; close loops with a coupling",
            )
        inner = joint.parent.partition(".")[0]
        parent.setdefault(joint.child, inner if inner in table.bodies else "space")  # _link reports unknown parents
    order: list[str] = []
    waiting = list(table.bodies)
    while waiting:
        ready = [name for name in waiting if parent.get(name, "space") in ("space", *order)]
        if not ready:
            problems.found.append(
                f"the joints of {', '.join(waiting)} form a loop; joints must form a tree: close the loop with a coupling"
            )
            return order + waiting
        order += ready
        waiting = [name for name in waiting if name not in ready]
    return order


def add_link(name: str, table: CraftTable, carrier, places: Places, problems: Problems) -> Given:
    """Adds the link of one body to `places`: free in space unless a joint carries it."""
    initial, body = table.bodies[name].initial, places.bodies[name]
    chain = getattr(body, "chain", (body,))  # a beam in segments: a link each
    begun = getattr(body, "start", None)  # L and L̇ of a beam that extends
    eta0 = _padded(f"bodies.{name}.initial.amplitudes", initial.amplitudes, chain, problems, begun and begun[:1])
    eta_dot0 = _padded(f"bodies.{name}.initial.rates", initial.rates, chain, problems, begun and begun[1:])
    own = (True,) * (begun is not None)
    others = body.modes - len(own)
    modes = Given(own + (bool(initial.amplitudes),) * others, own + (bool(initial.rates),) * others)
    if carrier is None:
        joint_name = name
        link, made, kept = _free_link(table.bodies[name], body, modes)
    else:
        joint_name = carrier[0]
        link, made, kept = _carried_link(name, joint_name, table, places, modes, problems)
        places.made[joint_name] = made
    places.links.append(link)
    places.joints.append(LinkJoint(joint_name, made.forces, made.q0, made.v0, eta0[0], eta_dot0[0]))
    none = np.zeros(0)
    for i, segment in enumerate(chain[1:], 1):
        places.links.append(Link(segment, AxesJoint(), len(places.links) - 1, chain[i - 1].end, np.eye(3)))
        places.joints.append(LinkJoint(segment.name, NoForces(0), none, none, eta0[i], eta_dot0[i]))
        kept = Given((*kept.positions, *modes.positions), (*kept.rates, *modes.rates))
    return kept


def _free_link(table: BodyTable, body, modes: Given) -> tuple[Link, MadeJoint, Given]:
    """The link of a body that no joint carries."""
    initial, said = table.initial, table.initial.model_fields_set
    at_node = initial.at != "frame"
    q0 = np.concatenate([initial.position, dcm_quaternion(np.array(initial.orientation))])
    v0 = np.concatenate([initial.velocity, initial.angular_velocity])
    kept = Given(
        ("position" in said and not at_node,) * 3 + ("orientation" in said or at_node,) * 3 + modes.positions,
        ("velocity" in said and not at_node,) * 3 + ("angular_velocity" in said or at_node,) * 3 + modes.rates,
    )
    link = Link(body, FreeJoint(), -1, plain_node("space", np.zeros(3)), np.eye(3))
    return link, MadeJoint(link.joint, NoForces(6), q0, v0), kept


def _carried_link(name: str, joint_name: str, table: CraftTable, places: Places, modes: Given, problems):
    """The link of a body that a joint carries."""
    joint, initial = table.joints[joint_name], table.bodies[name].initial
    for key in ("position", "orientation", "velocity", "angular_velocity"):
        if key in initial.model_fields_set and not (initial.at != "frame" and key in ("position", "velocity")):
            problems.add(
                f"bodies.{name}.initial.{key}",
                getattr(initial, key),
                f"nothing: joint {joint_name} carries this body, set joints.{joint_name}.initial",
            )
    made = JOINT.make(joint, Entry(f"joints.{joint_name}", joint, problems, places))
    parent, place, place_name = -1, plain_node("space", joint.place), ""
    if joint.parent != "space":
        given_place = joint.place if "place" in joint.model_fields_set else None
        found = find_place(
            f"joints.{joint_name}", joint.parent, given_place, places.bodies, problems, ("parent", "place")
        )
        if found is not None:
            parent, place, place_name = places.link_of(*found[:2]), found[1], joint_name if found[2] else ""
    link = Link(places.bodies[name], made.joint, parent, place, np.array(joint.orientation), place_name)
    said, nv = _kept(joint), made.joint.nv
    kept = Given(
        (bool(said & {"position", "orientation"}),) * nv + modes.positions, ("rate" in said,) * nv + modes.rates
    )
    return link, made, kept


def _kept(joint) -> set[str]:
    """The values that a joint's start fixes."""
    start = getattr(joint, "initial", None)  # a fixed joint has none
    return set() if start is None or start.guess else set(start.model_fields_set)


def node_starts(table: CraftTable, order, bodies, carried_by, problems) -> list[NodeStart]:
    """Starts that are given at a node."""
    wanted = []
    for i, name in enumerate(order):
        initial, path = table.bodies[name].initial, f"bodies.{name}.initial"
        if initial.at == "frame":
            continue
        if initial.at not in bodies[name].nodes:
            problems.unknown(f"{path}.at", initial.at, bodies[name].nodes, "node")
            continue
        said = initial.model_fields_set
        position = initial.position if "position" in said else None
        velocity = initial.velocity if "velocity" in said else None
        wanted.append(NodeStart(path, i, bodies[name].nodes[initial.at], position, velocity, name not in carried_by))
    return wanted


def _padded(path, values, chain, problems, begun=None) -> np.ndarray:
    """(links, N): the values of all modes, or zeros; begun: what the body itself says of its first coordinate."""
    if begun is not None:
        whole = (type("Modes", (), {"modes": chain[0].modes - 1}),)
        return np.column_stack([[begun], _padded(path, values, whole, problems)])
    shape = len(chain), chain[0].modes
    count = shape[0] * shape[1]
    if values and len(values) != count:
        each = "one per mode" if len(chain) == 1 else f"{shape[1]} per segment, in the order of their states"
        problems.add(path, list(values), f"{count} numbers, {each}" if count else "nothing: the body has no modes")
        return np.zeros(shape)
    return np.array(values, float).reshape(shape) if values else np.zeros(shape)
