"""Body tables → bodies."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..bodies.beam import Beam, beam_body
from ..bodies.body import FlexibleBody, Node, RigidBody, plain_node
from .errors import Problems
from .tables.bodies import BeamTable, BodyTable

STIFFNESS_OF = {"bending_y": "bending_y", "bending_z": "bending_z", "torsion": "torsion", "axial": "axial"}


def make_body(name: str, table: BodyTable, problems: Problems, folder: Path) -> RigidBody | FlexibleBody:
    """One body; on problems a harmless stand-in, so that everything else is checked too."""
    if table.beam is not None:
        return _beam(name, table, problems)
    for key in ("mass", "inertia"):
        if getattr(table, key) is None:
            problems.found.append(f"bodies.{name}.{key} is missing")
    for node, place in table.nodes.items():
        if not isinstance(place, tuple):
            problems.add(f"bodies.{name}.nodes.{node}", place, "a position of three numbers on a rigid body")
    nodes = {node: plain_node(node, place) for node, place in table.nodes.items() if isinstance(place, tuple)}
    inertia = np.eye(3) if table.inertia is None else np.array(table.inertia)
    return RigidBody(name, table.mass or 1.0, np.array(table.mass_center), inertia, nodes)


def _beam(name: str, table: BodyTable, problems: Problems) -> FlexibleBody:
    beam, path = table.beam, f"bodies.{name}"
    for key in ("mass", "inertia", "mass_center"):
        if key in table.model_fields_set:
            problems.add(f"{path}.{key}", getattr(table, key), "nothing: a beam has its own mass and inertia")
    modes = sum(beam.modes.values())
    for kind in beam.modes:
        if getattr(beam, STIFFNESS_OF[kind]) <= 0.0:
            problems.add(f"{path}.beam.{kind}", getattr(beam, STIFFNESS_OF[kind]), f"a positive stiffness for the {kind} modes")
    if "torsion" in beam.modes and beam.polar_inertia <= 0.0:
        problems.add(f"{path}.beam.polar_inertia", beam.polar_inertia, "a positive inertia for the torsion modes")
    ratios = table.damping
    if len(ratios) not in (1, modes):
        problems.add(f"{path}.damping", ratios, f"one damping ratio, or {modes}: one a mode")
    for node, place in table.nodes.items():
        if isinstance(place, tuple):
            problems.add(f"{path}.nodes.{node}", place, "x/L on a beam, a number from 0 to 1")
    if problems.found:
        return FlexibleBody(name, _nothing(modes), np.ones(modes), np.zeros(modes), {n: plain_node(n, np.zeros(3), modes) for n in table.nodes})
    stations = {node: place for node, place in table.nodes.items() if not isinstance(place, tuple)}
    body = beam_body(name, _properties(beam), dict(beam.modes), 0.0, stations, _axes(beam))
    damping = np.full(modes, ratios[0]) if len(ratios) == 1 else np.array(ratios)
    return FlexibleBody(name, body.baked, body.frequencies, damping, body.nodes)


def _properties(beam: BeamTable) -> Beam:
    return Beam(
        length=beam.length,
        line_density=beam.mass / beam.length,
        bending_y=beam.bending_y,
        bending_z=beam.bending_z,
        torsion=beam.torsion,
        axial=beam.axial,
        polar_inertia=beam.polar_inertia / beam.length,
        tip_mass=beam.tip_mass,
        tip_inertia=beam.tip_inertia,
    )


def _axes(beam: BeamTable) -> np.ndarray:
    """Columns: the beam's x (its length), y and z in body axes. y is the given direction made square, else the next axis."""
    x = np.array(beam.axis)
    hint = np.array(beam.second_axis) if beam.second_axis is not None else np.roll(np.eye(3)[int(np.argmax(np.abs(x)))], 1)
    y = hint - x * (hint @ x)
    y = y / np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])


def _nothing(modes: int):
    from ..bodies.integrals import integrals_of_points

    return integrals_of_points(np.zeros((1, 3)), np.ones(1), np.zeros((modes, 1, 3)))


def find_node(path: str, name: str, bodies: dict, problems: Problems) -> tuple[str, Node] | None:
    """(body name, node) of "body" or "body.node"."""
    body_name, _, node_name = name.partition(".")
    if body_name not in bodies:
        problems.unknown(path, body_name, [*bodies, "space"], "body")
        return None
    body = bodies[body_name]
    if not node_name:
        return body_name, plain_node("frame", np.zeros(3), body.modes)
    if node_name not in body.nodes:
        problems.unknown(path, node_name, body.nodes, f"node of body {body_name}")
        return None
    return body_name, body.nodes[node_name]
