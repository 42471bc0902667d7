"""A checked description → Spacecraft: names become indices, and the consistency of fields is checked."""

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
from ..loads import BodyWrench, Load
from ..loads.actuator import Actuator
from ..loads.command_path import command_paths
from ..picture.geometry import Shape
from ..spacecraft import Spacecraft
from ..spacecraft.assembly import dynamics_of
from ..spacecraft.body_outputs import OUTPUTS
from ..spacecraft.motion import Dynamics
from ..spacecraft.satellite_route import satellite_of
from ..spacecraft.system import LINEAR, SATELLITE
from ..spacecraft.thrusters import WithExhaust
from ..spacecraft.wheels import Mounted
from ..system.frame_text import FrameText
from ..system.pieces import Piece
from ..system.signals import Quantity
from ..tanks.burner import Burner
from ..tanks.lines import obstacle
from ..tanks.propulsion import Propulsion
from ..tree.topology import Tree
from .bodies import make_body
from .errors import Problems
from .groups import GROUPS
from .node_start import placed_start
from .resolver import Entry, Places
from .shapes import make_geometry
from .start import check_gradients, check_inertia, consistent_start
from .tables import CraftTable
from .tree import add_link, node_starts, order_of

RESERVED = (
    "system",
    "solver",
    "space",
    "time",
    "environment",
    "propulsion",
    *(group.prefix for group in GROUPS.values() if group.prefix),
)


def make_spacecraft(table: CraftTable, problems: Problems, folder: Path) -> tuple[Dynamics, tuple[Shape, ...]] | None:
    """The Spacecraft as Dynamics, with the shapes of its bodies, or None with all that is wrong in `problems`."""
    _check_names(table, problems)
    bodies = {name: make_body(name, body, problems, folder) for name, body in table.bodies.items()}
    order = order_of(table, problems)
    # the first one carries the nodes
    carried_by = {joint.child: (name, joint) for name, joint in reversed(table.joints.items())}
    places = Places(bodies, _numbers(order, bodies), table.joints, folder=folder)
    around = table.environment
    places.environment = make_environment(around, Entry("environment", around, problems, places))
    given = [add_link(name, table, carried_by.get(name), places, problems) for name in order]
    shapes = places.shapes = make_geometry(table.bodies, places, problems, folder)
    pieces = [*make_wrenches(table, places, problems), *make_pieces(table, places, problems)]
    if problems.found:
        return None
    craft = _assembled(table, places, pieces, _body_outputs(table, places, carried_by, problems))
    wanted = node_starts(table, order, bodies, carried_by, problems)
    dynamics = dynamics_of(craft)
    if wanted and not problems.found:
        dynamics = dynamics_of(placed_start(dynamics, given, wanted, problems), dynamics)
    check_gradients(dynamics, problems)
    check_lines(craft, problems)
    check_reels(craft, problems)
    dynamics = dynamics_of(consistent_start(dynamics, given, problems), dynamics)
    check_inertia(dynamics, problems)
    if table.formulation in SATELLITE:
        dynamics = Dynamics(_formulated(dynamics.craft, table.formulation, problems), dynamics.table)
    return dynamics, shapes


def _numbers(order: list[str], bodies: dict[str, Any]) -> dict[str, int]:
    """The index of each body's link in the tree; for a beam in segments, that of the first."""
    lengths = [len(getattr(bodies[name], "chain", (name,))) for name in order]
    return {name: sum(lengths[:i]) for i, name in enumerate(order)}


def _assembled(table: CraftTable, places: Places, pieces: list[Any], shown: list[Piece]) -> Spacecraft:
    """Pieces sorted by kind; those that are neither load, actuator nor connection are outputs."""
    loads = [piece for piece in pieces if isinstance(piece, Load)]
    propulsion = Propulsion(tuple(piece for piece in pieces if isinstance(piece, Burner)))
    environment = replace(places.environment, loads=tuple(load for load in loads if load.of_surroundings))
    reports = [getattr(body, "report", "") for body in places.bodies.values()]
    return Spacecraft(
        name=table.name,
        description=table.description,
        tree=Tree(tuple(places.links)),
        joints=tuple(places.joints),
        loads=tuple(load for load in loads if not load.of_surroundings),
        actuators=tuple(piece for piece in pieces if isinstance(piece, Actuator)),
        couplings=tuple(piece for piece in pieces if isinstance(piece, Connection)),
        environment=environment,
        propulsion=propulsion,
        sensors=(
            *shown,
            *(piece for piece in pieces if not isinstance(piece, Load | Actuator | Connection | Burner)),
            *([WithExhaust(propulsion, environment.frame_text)] if propulsion.burners else []),
            *_environment_outputs(environment, places),
        ),
        size=_size(places.links, table),
        experiment=table.experiment.model_dump(),
        documentation="\n\n".join([table.documentation, *reports]).strip(),
        fixed_at_build=_fixed_at_build(places.bodies),
    )


def make_pieces(table: CraftTable, places: Places, problems: Problems) -> list[Any]:
    """The pieces made by the entries of all groups, in the order of the groups; links after all bodies are added to `places` directly."""
    pieces: list[Any] = []
    for name, group in GROUPS.items():
        for entry_name, entry in getattr(table, name).items():
            names = Entry(f"{name}.{entry_name}", entry, problems, places, group.prefix)
            found = group.entries.make(entry, names)
            made = [piece for piece in (found if isinstance(found, list) else [found]) if piece is not None]
            paths = command_paths(_inputs_of(made), entry, names) if getattr(entry, "actuator", None) else []
            for piece in [*made, *paths]:
                if isinstance(piece, Mounted):
                    places.links.append(piece.link)
                    places.joints.append(piece.joint)
                else:
                    pieces.append(piece)
    for name, joint in table.joints.items():
        if name in places.made:
            names = Entry(f"joints.{name}", joint, problems, places)
            pieces += command_paths(places.made[name].forces.inputs(), joint, names)
    return pieces


def _inputs_of(pieces: list[Any]) -> list[Quantity]:
    """The inputs of the pieces of one entry."""
    owners = [piece.joint.forces if isinstance(piece, Mounted) else piece for piece in pieces]
    return [quantity for owner in owners for quantity in owner.inputs()]


def check_lines(craft: Spacecraft, problems: Problems) -> None:
    """A problem for each thruster that can't draw from its tank."""
    names = [joint.name for joint in craft.joints]
    carriers = {link.body.name: link.parent for link in craft.tree.links}
    for burner in craft.propulsion.burners:
        for feed in burner.feeds:
            if why := obstacle(craft.tree, names, carriers[feed.tank.name], burner.body):
                key, tank = f"thrusters.{burner.name.partition('.')[2]}.tank", feed.tank.name.partition(".")[2]
                problems.found.append(f"{key} {tank!r} can't be drawn from: {why}")


def check_reels(craft: Spacecraft, problems: Problems) -> None:
    """A problem for each tether that leaves its reel where that can't be solved for."""
    for tether in (each for each in craft.couplings if each.settles):
        if craft.rows:
            others = ", ".join(each.name for each in craft.couplings if each.rows)
            problems.found.append(
                f"cables.{tether.name}.kind 'deployed' can't be combined with couplings, relations, conditions and inextensible cables ({others})"
            )
        if craft.held_lengths:
            problems.found.append(
                f"cables.{tether.name}.kind 'deployed' can't be combined with a beam that extends by a prescribed motion, a lock or a latch; drive it by a force"
            )
        if craft.tied and craft.environment.frame.orbiting:
            problems.found.append(
                f"cables.{tether.name}.kind 'deployed' can't be used on an orbit where a joint or a cable ends in space, expected free bodies"
            )


def make_wrenches(table: CraftTable, places: Places, problems: Problems) -> list[Load]:
    """Force inputs at nodes."""
    loads: list[Load] = []
    for name, body in table.bodies.items():
        number, nodes = places.index[name], places.bodies[name].nodes
        for node in dict.fromkeys(body.forces_at):
            if node == "frame":
                loads.append(BodyWrench(name, number, plain_node("frame", np.zeros(3), places.bodies[name].modes)))
            elif node in nodes:
                loads.append(BodyWrench(f"{name}.{node}", places.link_of(name, nodes[node]), nodes[node]))
            else:
                problems.unknown(f"bodies.{name}.forces_at", node, [*nodes, "frame"], f"node of body {name}")
    return loads


def _environment_outputs(environment: Environment, places: Places) -> list[Piece]:
    roots = [(i, name) for name, i in places.index.items() if places.links[i].parent < 0]
    ports = [(i, name, getattr(places.bodies[name], "thermal", None)) for name, i in places.index.items()]
    heated = [(i, name, port) for i, name, port in ports if port is not None]
    return [*environment_outputs(environment, roots), *section_outputs(environment, heated, roots)]


def _formulated(craft: Spacecraft, formulation: str, problems: Problems) -> Spacecraft:
    """The same satellite in a formulation of [tkachev], if it supports this satellite."""
    found, why = satellite_of(craft, linear=formulation in LINEAR)
    if found is None:
        problems.add("formulation", formulation, f'"tree": {why}')
        return craft
    return replace(craft, formulation=formulation)


class BodyEntry(Entry):
    """A body of a description, for the makers of its outputs (spacefmu.dynamics.spacecraft.body_outputs.OfBody)."""

    def __init__(self, name: str, table: CraftTable, carrier, frame: FrameText, places: Places, problems: Problems):
        own = table.bodies[name]
        super().__init__(f"bodies.{name}", own, problems, places)
        self.number, self.body, self.carrier, self.frame = places.index[name], places.bodies[name], carrier, frame
        shown = own.nodes if own.nodal_table is not None else self.body.nodes
        self.nodes = {node: self.body.nodes[node] for node in shown}


def _body_outputs(table: CraftTable, places: Places, carried_by, problems: Problems) -> list[Piece]:
    """The outputs of each body, from the rows of OUTPUTS."""
    frame = places.environment.frame_text
    entries = [BodyEntry(name, table, carried_by.get(name), frame, places, problems) for name in places.index]
    return [piece for entry in entries for row in OUTPUTS.values() for piece in row.make(entry.table, entry)]


def _check_names(table: CraftTable, problems: Problems) -> None:
    """Prefixes of signal names: each may have only one meaning."""
    seen: dict[str, str] = dict.fromkeys(RESERVED, "a reserved name")
    for group in ("bodies", "joints", *(name for name, group in GROUPS.items() if not group.prefix)):
        for name in getattr(table, group):
            if name in seen:
                problems.add(f"{group}.{name}", name, f"a name of its own, but it is {seen[name]} too")
            seen[name] = f"one of the {group}"


def _size(links, table) -> float:
    """The length scale of residuals: the largest distance in the description, at least 1e-3 m."""
    lengths = [float(np.linalg.norm(link.place.position)) for link in links]
    lengths += [float(np.linalg.norm(node.position)) for link in links for node in link.body.nodes.values()]
    lengths += [line.length for group in ("cables", "springs") for line in getattr(table, group).values()]
    return max([1e-3, *lengths])


def _fixed_at_build(bodies) -> tuple[str, ...]:
    flexible = [name for name, body in bodies.items() if not isinstance(body, RigidBody)]
    return tuple(f"mode shapes and inertia integrals of {name} (its mass scales them)" for name in flexible)
