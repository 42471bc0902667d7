"""A checked description → Spacecraft: names become numbers, and what fields say of each other is checked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..bodies.body import RigidBody, plain_node
from ..constraints.connection import Connection
from ..environment import Environment
from ..environment.outputs import environment_outputs, section_outputs
from ..environment.table import make_environment
from ..frame_text import FrameText
from ..geometry import Shape
from ..joints import FreeJoint
from ..joints.acting import MadeJoint
from ..joints.forces import NoForces
from ..joints.table import JOINT
from ..loads import BodyWrench, Load
from ..loads.actuator import Actuator
from ..pieces import Piece
from ..rotation import dcm_quaternion
from ..spacecraft import Joint, Spacecraft
from ..spacecraft.body_outputs import OUTPUTS
from ..spacecraft.satellite_route import satellite_of
from ..spacecraft.system import LINEAR, SATELLITE
from ..spacecraft.wheels import Mounted
from ..tree.topology import Link, Tree
from .bodies import find_place, make_body
from .errors import Problems
from .groups import GROUPS
from .node_start import NodeStart, placed_start
from .resolver import Entry, Places
from .shapes import make_geometry
from .start import Given, check_gradients, check_inertia, consistent_start
from .tables import CraftTable
from .tables.bodies import BodyTable

RESERVED = (
    "system",
    "solver",
    "space",
    "time",
    "environment",
    *(group.prefix for group in GROUPS.values() if group.prefix),
)


def make_spacecraft(table: CraftTable, problems: Problems, folder: Path) -> tuple[Spacecraft, tuple[Shape, ...]] | None:
    """The Spacecraft and the shapes of its bodies, or None with all that is wrong in `problems`."""
    _check_names(table, problems)
    bodies = {name: make_body(name, body, problems, folder) for name, body in table.bodies.items()}
    order = _order(table, problems)
    index = {name: i for i, name in enumerate(order)}
    carried_by = {joint.child: (name, joint) for name, joint in reversed(table.joints.items())}  # the first one carries
    places = Places(bodies, index, table.joints)
    around = table.environment
    places.environment = make_environment(around, Entry("environment", around, problems, places))
    given = [_add_link(name, table, carried_by.get(name), places, problems) for name in order]
    wrenches = make_wrenches(table, index, bodies, problems)
    pieces = make_pieces(table, places, problems)
    shapes = make_geometry(table.bodies, places, problems, folder)
    if problems.found:
        return None
    loads = [piece for piece in pieces if isinstance(piece, Load)]
    environment = replace(places.environment, loads=tuple(load for load in loads if load.of_surroundings))
    craft = Spacecraft(
        name=table.name,
        description=table.description,
        tree=Tree(tuple(places.links)),
        joints=tuple(places.joints),
        loads=(*wrenches, *(load for load in loads if not load.of_surroundings)),
        actuators=tuple(piece for piece in pieces if isinstance(piece, Actuator)),
        couplings=tuple(piece for piece in pieces if isinstance(piece, Connection)),
        environment=environment,
        sensors=(
            *_body_outputs(table, places, carried_by, environment.frame_text, problems),
            *(piece for piece in pieces if not isinstance(piece, Load | Actuator | Connection)),
            *_environment_outputs(environment, order, places),
        ),
        size=_size(places.links, table),
        experiment=table.experiment.model_dump(),
        documentation="\n\n".join(
            [table.documentation, *(getattr(body, "report", "") for body in bodies.values())]
        ).strip(),
        baked=_baked(bodies),
    )
    wanted = _node_starts(table, order, bodies, carried_by, problems)
    if wanted and not problems.found:
        craft = placed_start(craft, given, wanted, problems)
    check_gradients(craft, problems)
    craft = consistent_start(craft, given, problems)
    check_inertia(craft, problems)
    if table.formulation in SATELLITE:
        craft = _formulated(craft, table.formulation, problems)
    return craft, shapes


def make_pieces(table: CraftTable, places: Places, problems: Problems) -> list[Any]:
    """What the entries of all groups make, in the order of the groups; links behind all bodies go to `places` at once."""
    pieces: list[Any] = []
    for name, group in GROUPS.items():
        for entry_name, entry in getattr(table, name).items():
            made = group.entries.make(entry, Entry(f"{name}.{entry_name}", entry, problems, places, group.prefix))
            for piece in made if isinstance(made, list) else [made]:
                if isinstance(piece, Mounted):
                    places.links.append(piece.link)
                    places.joints.append(piece.joint)
                elif piece is not None:
                    pieces.append(piece)
    return pieces


def make_wrenches(table: CraftTable, index, bodies, problems: Problems) -> list[Load]:
    """Force inputs at nodes."""
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
    return loads


def _environment_outputs(environment: Environment, order, places: Places) -> list:
    roots = [(i, name) for i, name in enumerate(order) if places.links[i].parent < 0]
    ports = [(i, name, getattr(places.bodies[name], "thermal", None)) for i, name in enumerate(order)]
    heated = [(i, name, port) for i, name, port in ports if port is not None]
    return [*environment_outputs(environment, roots), *section_outputs(environment, heated, roots)]


def _formulated(craft: Spacecraft, formulation: str, problems: Problems) -> Spacecraft:
    """The same satellite in a formulation of [tkachev], if it is one that this holds."""
    found, why = satellite_of(craft, linear=formulation in LINEAR)
    if found is None:
        problems.add("formulation", formulation, f'"tree": {why}')
        return craft
    return replace(craft, formulation=formulation)


class BodyEntry(Entry):
    """A body of a description, to those who show something of it (spacefmu.dynamics.spacecraft.body_outputs.OfBody)."""

    def __init__(self, name: str, table: CraftTable, carrier, frame: FrameText, places: Places, problems: Problems):
        own = table.bodies[name]
        super().__init__(f"bodies.{name}", own, problems, places)
        self.number, self.body, self.carrier, self.frame = places.index[name], places.bodies[name], carrier, frame
        shown = own.nodes if own.nodal_table is not None else self.body.nodes
        self.nodes = {node: self.body.nodes[node] for node in shown}


def _body_outputs(table: CraftTable, places: Places, carried_by, frame: FrameText, problems: Problems) -> list[Piece]:
    """What the rows of OUTPUTS show of each body."""
    entries = [BodyEntry(name, table, carried_by.get(name), frame, places, problems) for name in places.index]
    return [piece for entry in entries for row in OUTPUTS.values() for piece in row.make(entry.table, entry)]


def _check_names(table: CraftTable, problems: Problems) -> None:
    """Signal names begin with these: each may stand for one thing only."""
    seen: dict[str, str] = dict.fromkeys(RESERVED, "a reserved name")
    for group in ("bodies", "joints", *(name for name, group in GROUPS.items() if not group.prefix)):
        for name in getattr(table, group):
            if name in seen:
                problems.add(f"{group}.{name}", name, f"a name of its own, but it is {seen[name]} too")
            seen[name] = f"one of the {group}"


def _order(table: CraftTable, problems: Problems) -> list[str]:
    """All bodies, parents before children; problems for unknown names, several parents and cycles."""
    parent: dict[str, str] = {}
    for name, joint in table.joints.items():
        path = f"joints.{name}"
        if joint.child not in table.bodies:
            problems.unknown(f"{path}.child", joint.child, table.bodies, "body")
        elif joint.child in parent:
            problems.add(
                f"{path}.child", joint.child, "a body that no other joint carries; close loops with a coupling"
            )
        inner = joint.parent.partition(".")[0]
        parent.setdefault(joint.child, inner if inner in table.bodies else "space")  # _link reports unknown parents
    order: list[str] = []
    waiting = list(table.bodies)
    while waiting:
        ready = [name for name in waiting if parent.get(name, "space") in ("space", *order)]
        if not ready:
            problems.found.append(
                f"the joints of {', '.join(waiting)} form a circle, expected a tree; close loops with a coupling"
            )
            return order + waiting
        order += ready
        waiting = [name for name in waiting if name not in ready]
    return order


def _add_link(name: str, table: CraftTable, carrier, places: Places, problems: Problems) -> Given:
    """The link of one body goes to `places`: free in space unless a joint carries it."""
    initial, body = table.bodies[name].initial, places.bodies[name]
    eta0 = _padded(f"bodies.{name}.initial.amplitudes", initial.amplitudes, body, problems)
    eta_dot0 = _padded(f"bodies.{name}.initial.rates", initial.rates, body, problems)
    modes = Given((bool(initial.amplitudes),) * body.modes, (bool(initial.rates),) * body.modes)
    if carrier is None:
        joint_name = name
        link, made, kept = _free_link(table.bodies[name], body, modes)
    else:
        joint_name = carrier[0]
        link, made, kept = _carried_link(name, joint_name, table, places, modes, problems)
        places.made[joint_name] = made
    places.links.append(link)
    places.joints.append(Joint(joint_name, made.forces, made.q0, made.v0, eta0, eta_dot0))
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
            parent, place, place_name = places.index[found[0]], found[1], joint_name if found[2] else ""
    link = Link(places.bodies[name], made.joint, parent, place, np.array(joint.orientation), place_name)
    said, nv = _kept(joint), made.joint.nv
    kept = Given(
        (bool(said & {"position", "orientation"}),) * nv + modes.positions, ("rate" in said,) * nv + modes.rates
    )
    return link, made, kept


def _kept(joint) -> set[str]:
    """What a joint's start gives for good."""
    start = getattr(joint, "initial", None)  # a fixed joint has none
    return set() if start is None or start.guess else set(start.model_fields_set)


def _node_starts(table: CraftTable, order, bodies, carried_by, problems) -> list[NodeStart]:
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


def _padded(path, values, body, problems) -> np.ndarray:
    if values and len(values) != body.modes:
        what = f"{body.modes} numbers, one a mode" if body.modes else "nothing: the body has no modes"
        problems.add(path, list(values), what)
        return np.zeros(body.modes)
    return np.array(values, float) if values else np.zeros(body.modes)


def _size(links, table) -> float:
    """A length to judge residuals by: the largest distance written in the description, at least 1e-3 m."""
    lengths = [float(np.linalg.norm(link.place.position)) for link in links]
    lengths += [float(np.linalg.norm(node.position)) for link in links for node in link.body.nodes.values()]
    lengths += [line.length for group in ("cables", "springs") for line in getattr(table, group).values()]
    return max([1e-3, *lengths])


def _baked(bodies) -> tuple[str, ...]:
    flexible = [name for name, body in bodies.items() if not isinstance(body, RigidBody)]
    return tuple(f"mode shapes and inertia integrals of {name} (its mass scales them)" for name in flexible)
