"""Body tables → bodies, and the nodes to which other tables refer."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..bodies.body import FlexibleBody, Node, Nodes, RigidBody, plain_node
from ..modes.finite import check_finite, solvable
from .beams import placed_nodes
from .errors import GIVEN, Problems
from .file_body import KEYS
from .flexible import WAYS
from .geometric import refuse_geometric
from .reserved import RESERVED_NODES
from .tables.bodies import BodyTable

OF_WAYS = {"file": KEYS, "nodal_table": ("lines",)}  # keys that belong to one way of defining a body


class AnyNode(dict):
    """Nodes of a body that could not be made: every name is accepted, so that one problem is not reported twice."""

    def __init__(self, modes: int = 0):
        self.modes = modes

    def __contains__(self, name):
        return True

    def __missing__(self, name):
        return plain_node(name, np.zeros(3), self.modes)


def make_body(name: str, table: BodyTable, problems: Problems, folder: Path) -> RigidBody | FlexibleBody:
    """One body; on problems a harmless placeholder, so that everything else is still checked."""
    path = f"bodies.{name}"
    ways = [way for way in WAYS if getattr(table, way) is not None]
    before = len(problems.found)
    _check_keys(path, table, problems)
    if len(ways) > 1:
        problems.add(path, " and ".join(ways), "one way to give a flexible body")
    maker = WAYS[ways[0]] if ways else _rigid
    try:
        with solvable():
            body = maker(path, name, table, problems, folder)
        if isinstance(body, FlexibleBody):
            check_finite(body)
    except ValueError as error:  # numbers that do not define a body
        problems.found.append(f"{path}.{ways[0] if ways else 'inertia'}: {_source(table)} {error}")
        body = None
    if len(problems.found) > before or body is None:
        return RigidBody(name, 1.0, np.zeros(3), np.eye(3), AnyNode())
    return body


def _check_keys(path: str, table: BodyTable, problems: Problems) -> None:
    """Checks for reserved names of nodes, and for keys of another way of defining the body."""
    for node in table.nodes:
        if node in RESERVED_NODES:
            problems.add(f"{path}.nodes.{node}", node, "another name: it is one of the body's own signals")
    for way, keys in OF_WAYS.items():
        for key in keys if getattr(table, way) is None else ():
            if key in table.model_fields_set:
                problems.add(f"{path}.{key}", getattr(table, key), f"nothing: it belongs to a body with a {way}")


def _source(table: BodyTable) -> str:
    return table.file or table.nodal_table or table.modal_file or "the table"


def _rigid(path, name, table, problems, folder):
    for key in ("mass", "inertia"):
        if getattr(table, key) is None:
            problems.found.append(f"{path}.{key} is missing: a rigid body has a mass and an inertia")
    if table.damping is not None:
        problems.add(f"{path}.damping", table.damping, "nothing: a rigid body has no modes")
    if table.thermal is not None:
        problems.add(f"{path}.thermal", GIVEN, "nothing: only flexible bodies have temperatures")
    refuse_geometric(path, table, problems, "a rigid body has no modes")
    nodes = placed_nodes(
        path,
        table,
        problems,
        lambda place: isinstance(place, tuple) and len(place) == 3,
        "a position of three numbers on a rigid body",
    )
    if table.mass is None or table.inertia is None:
        return None
    return RigidBody(
        name,
        table.mass,
        np.array(table.mass_center),
        np.array(table.inertia),
        {n: plain_node(n, p) for n, p in nodes.items()},
    )


def find_node(path: str, name: str, bodies: dict, problems: Problems) -> tuple[str, Node] | None:
    """(body name, node) of "body" or "body.node"."""
    body_name, _, node_name = name.partition(".")
    if body_name not in bodies:
        problems.unknown(path, body_name, [*bodies, "space"], "body")
        return None
    body = bodies[body_name]
    if not node_name or node_name == "frame":
        return body_name, plain_node("frame", np.zeros(3), body.modes)
    if node_name not in body.nodes:
        problems.unknown(path, node_name, body.nodes, f"node of body {body_name}")
        return None
    return body_name, body.nodes[node_name]


def find_place(path, name: str, place, bodies: dict, problems: Problems, keys=("body", "place")):
    """(body name, node, whether its position is a parameter) of "body" with a `place`, or of "body.node" without one; None after a problem.

    Modes move and rotate the places of a flexible body, so a place must be where its shapes are known: anywhere along a beam and on a
    plate, at the nodes of a table. `keys`: the names of both in the description.
    """
    found = find_node(f"{path}.{keys[0]}", name, bodies, problems)
    if found is None:
        return None
    body_name, node = found
    body, where = bodies[body_name], f"{path}.{keys[1]}"
    if place is None:
        return body_name, node, "." not in name and not body.modes
    if "." in name:
        problems.add(where, place, f"nothing: {name} is a node, whose place is known")
        return None
    if not body.modes or not any(place):
        return body_name, plain_node("place", place, body.modes), not body.modes
    if not isinstance(body.nodes, Nodes):
        problems.add(where, place, f'a node instead, "{body_name}.NODE": modes move and turn the places of {body_name}')
        return None
    there = body.nodes.at(np.array(place))
    if there is None:
        problems.add(where, place, f"a place of {body_name} that its modes move: {body.nodes.where}")
        return None
    return body_name, there, False
