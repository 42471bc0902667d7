"""A checked description → Spacecraft: names become numbers, and what fields say of each other is checked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from ..bodies.body import RigidBody, plain_node
from ..geometry import Shape
from ..joints import FreeJoint
from ..joints.acting import MadeJoint
from ..joints.forces import NoForces
from ..joints.table import JOINT
from ..rotation import dcm_quaternion
from ..spacecraft import Joint, Spacecraft
from ..spacecraft.outputs import BodyMotion, EulerAngles, NodeMotion, Reaction
from ..spacecraft.satellite_route import satellite_of
from ..spacecraft.spin import TurnsSlowly, softens
from ..spacecraft.system import LINEAR, SATELLITE
from ..tree.topology import Link, Tree
from .actuators import add_wheels, make_actuators, make_loads, make_sensors
from .bodies import find_place, make_body
from .couplings import make_couplings
from .environment import environment_outputs, make_environment, section_outputs
from .errors import Problems
from .node_start import NodeStart, placed_start
from .resolver import Entry, JointAxes, Places
from .shapes import make_geometry
from .start import Given, check_gradients, check_inertia, consistent_start
from .tables import SpacecraftTable
from .tables.bodies import BodyTable

RESERVED = ("system", "solver", "space", "time", "thruster", "wheel", "sensor", "environment", "surface", "dipole")


def make_spacecraft(
    table: SpacecraftTable, problems: Problems, folder: Path
) -> tuple[Spacecraft, tuple[Shape, ...]] | None:
    """The Spacecraft and the shapes of its bodies, or None with all that is wrong in `problems`."""
    _check_names(table, problems)
    bodies = {name: make_body(name, body, problems, folder) for name, body in table.bodies.items()}
    order = _order(table, problems)
    index = {name: i for i, name in enumerate(order)}
    carried_by = {joint.child: (name, joint) for name, joint in reversed(table.joints.items())}  # the first one carries
    links, joints, given = [], [], []
    made: dict[str, MadeJoint] = {}
    for name in order:
        initial, modes = table.bodies[name].initial, bodies[name].modes
        eta0 = _padded(f"bodies.{name}.initial.amplitudes", initial.amplitudes, bodies[name], problems)
        eta_dot0 = _padded(f"bodies.{name}.initial.rates", initial.rates, bodies[name], problems)
        bent = Given((bool(initial.amplitudes),) * modes, (bool(initial.rates),) * modes)
        if name in carried_by:
            joint_name = carried_by[name][0]
            link, joint, kept = _carried_link(name, joint_name, table, bodies, index, bent, problems)
            made[joint_name] = joint
        else:
            joint_name = name
            link, joint, kept = _free_link(table.bodies[name], bodies[name], bent)
        links.append(link)
        joints.append(Joint(joint_name, joint.forces, joint.q0, joint.v0, eta0, eta_dot0))
        given.append(kept)
    places = Places(bodies, index, JointAxes(made, table.joints))
    add_wheels(table, index, bodies, links, joints, problems)
    loads = make_loads(table, index, bodies, problems)
    actuators = make_actuators(table, problems)
    couplings = make_couplings(table, places, links, joints, problems)
    environment = make_environment(table, index, bodies, problems)
    sensors = make_sensors(table, index, bodies, environment.fields, problems)
    shapes = make_geometry(table.bodies, bodies, problems, folder)
    if problems.found:
        return None
    roots = [(i, name) for i, name in enumerate(order) if links[i].parent < 0]
    ports = [(i, name, getattr(bodies[name], "thermal", None)) for i, name in enumerate(order)]
    heated = [(i, name, port) for i, name, port in ports if port is not None]
    craft = Spacecraft(
        name=table.name,
        description=table.description,
        tree=Tree(tuple(links)),
        joints=tuple(joints),
        loads=tuple(loads),
        actuators=tuple(actuators),
        couplings=tuple(couplings),
        environment=environment,
        sensors=(
            *_body_outputs(table, order, bodies, carried_by, environment.frame_text),
            *sensors,
            *environment_outputs(environment, roots),
            *section_outputs(environment, heated, roots),
        ),
        size=_size(links, table),
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
    craft = consistent_start(craft, given)
    check_inertia(craft, problems)
    if table.formulation in SATELLITE:
        craft = _formulated(craft, table.formulation, problems)
    return craft, shapes


def _formulated(craft: Spacecraft, formulation: str, problems: Problems) -> Spacecraft:
    """The same satellite in a formulation of [tkachev], if it is one that this holds."""
    found, why = satellite_of(craft, linear=formulation in LINEAR)
    if found is None:
        problems.add("formulation", formulation, f'"tree": {why}')
        return craft
    return replace(craft, formulation=formulation)


def _body_outputs(table: SpacecraftTable, order, bodies, carried_by, frame) -> list:
    """Motion of carried bodies (a free one's is its states), Euler angles, motion of named nodes, joint reactions."""
    pieces: list = []
    for i, name in enumerate(order):
        body_table, carrier = table.bodies[name], carried_by.get(name)
        if carrier is not None:
            pieces.append(BodyMotion(i, name, frame))
        pieces += [EulerAngles(i, name, order_of_axes, frame) for order_of_axes in dict.fromkeys(body_table.euler)]
        shown = body_table.nodes if body_table.nodal_table is not None else bodies[name].nodes
        pieces += [NodeMotion(i, name, bodies[name].nodes[node], frame) for node in shown]
        if carrier is not None and carrier[1].reaction:
            pieces.append(Reaction(i, carrier[0]))
        if softens(bodies[name]):
            pieces.append(TurnsSlowly(i, bodies[name]))
    return pieces


def _check_names(table: SpacecraftTable, problems: Problems) -> None:
    """Signal names begin with these: each may stand for one thing only."""
    seen: dict[str, str] = dict.fromkeys(RESERVED, "a reserved name")
    for group in ("bodies", "joints", "couplings", "relations", "conditions", "cables", "springs", "pairs"):
        for name in getattr(table, group):
            if name in seen:
                problems.add(f"{group}.{name}", name, f"a name of its own, but it is {seen[name]} too")
            seen[name] = f"one of the {group}"


def _order(table: SpacecraftTable, problems: Problems) -> list[str]:
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


def _carried_link(name: str, joint_name: str, table: SpacecraftTable, bodies, index, modes: Given, problems):
    """The link of a body that a joint carries."""
    joint, initial = table.joints[joint_name], table.bodies[name].initial
    for key in ("position", "orientation", "velocity", "angular_velocity"):
        if key in initial.model_fields_set and not (initial.at != "frame" and key in ("position", "velocity")):
            problems.add(
                f"bodies.{name}.initial.{key}",
                getattr(initial, key),
                f"nothing: joint {joint_name} carries this body, set joints.{joint_name}.initial",
            )
    made = JOINT.make(joint, Entry(f"joints.{joint_name}", joint, problems))
    parent, place, place_name = -1, plain_node("space", joint.place), ""
    if joint.parent != "space":
        given_place = joint.place if "place" in joint.model_fields_set else None
        found = find_place(f"joints.{joint_name}", joint.parent, given_place, bodies, problems, ("parent", "place"))
        if found is not None:
            parent, place, place_name = index[found[0]], found[1], joint_name if found[2] else ""
    link = Link(bodies[name], made.joint, parent, place, np.array(joint.orientation), place_name)
    said, nv = _kept(joint), made.joint.nv
    kept = Given(
        (bool(said & {"position", "orientation"}),) * nv + modes.positions, ("rate" in said,) * nv + modes.rates
    )
    return link, made, kept


def _kept(joint) -> set[str]:
    """What a joint's start gives for good."""
    start = getattr(joint, "initial", None)  # a fixed joint has none
    return set() if start is None or start.guess else set(start.model_fields_set)


def _node_starts(table: SpacecraftTable, order, bodies, carried_by, problems) -> list[NodeStart]:
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
    lengths += [line.length for line in (*table.cables.values(), *table.springs.values())]
    return max([1e-3, *lengths])


def _baked(bodies) -> tuple[str, ...]:
    flexible = [name for name, body in bodies.items() if not isinstance(body, RigidBody)]
    return tuple(f"mode shapes and inertia integrals of {name} (its mass scales them)" for name in flexible)
