"""Lookup for makers of pieces (spacefmu.dynamics.system.keys.Resolver): bodies, nodes and joint axes by name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..bodies.body import Node, plain_node
from ..constraints.grip import End
from ..constraints.relation import SPACE
from ..environment import Environment
from ..joints.acting import MadeJoint
from ..joints.coordinates import states_of
from ..picture.geometry import Shape
from ..spacecraft import LinkJoint
from ..system.formula import OPERATIONS, Curve
from ..system.frame_text import INERTIAL
from ..tree.topology import Link
from .bodies import find_node, find_place
from .curves import read_curve, read_curves
from .errors import Problems
from .formula import Names, make_formula

_AXIS = re.compile(r"([^\[]*)\[([0-9]+)\]")
_OWN: Any = object()


class Entry:
    """One entry of a description: its names and its problems."""

    def __init__(
        self,
        path: str,
        table: Any,
        problems: Problems,
        places: Places,
        prefix: str = "",
        environment: Environment | None = None,
    ):
        """path: "joints.arm"; prefix: what the names of its signals begin with, if that is not its own name"""
        self.path, self.table, self.problems, self.places = path, table, problems, places
        self.name = path.rpartition(".")[2]
        self.signal = f"{prefix}.{self.name}" if prefix else self.name
        self.given = table.model_fields_set
        self.environment = places.environment if environment is None else environment

    def next_link(self) -> int:
        return len(self.places.links)

    def expected(self, key: str, what: str, found: Any = _OWN) -> None:
        self.problems.add(f"{self.path}.{key}", getattr(self.table, key) if found is _OWN else found, what)

    def missing(self, key: str, why: str) -> None:
        self.refused(key, f"is missing: {why}")

    def refused(self, key: str, why: str) -> None:
        self.problems.found.append(f"{self.path}.{key} {why}")

    def inside(self, key: str, environment: Environment) -> Entry:
        return Entry(f"{self.path}.{key}", getattr(self.table, key), self.problems, self.places, "", environment)

    def does_nothing(self, what: str) -> None:
        self.problems.found.append(f"{self.path} has no effect; it requires {what}")

    def file(self, key: str) -> Path:
        return self.places.folder / getattr(self.table, key)

    def curves_of(self, key: str, columns: int) -> tuple[Curve, ...] | None:
        try:
            return read_curves(self.file(key), columns)
        except ValueError as error:
            self.refused(key, f"{self.file(key).name} {error}")
            return None

    def node(self, key: str) -> tuple[int, Node] | None:
        found = find_node(f"{self.path}.{key}", getattr(self.table, key), self.places.bodies, self.problems)
        return found and (self.places.link_of(*found), found[1])

    def place(self) -> tuple[int, Node] | None:
        found = find_place(self.path, self.table.body, self.table.place, self.places.bodies, self.problems)
        return found and (self.places.link_of(*found[:2]), found[1])

    def shapes(self, body: str) -> list[Shape]:
        return [shape for shape in self.places.shapes if shape.body == body]

    def ends(self) -> tuple[End, End]:
        a, b = (getattr(self.table, key) for key in "ab")
        if a.split(".")[0] == b.split(".")[0]:
            self.expected("b", f"a place on another body than a = {a!r}")
        return self._end("a"), self._end("b")

    def _end(self, key: str) -> End:
        name, place = getattr(self.table, key), getattr(self.table, f"place_{key}")
        if name == "space":
            return End(-1, plain_node("space", np.zeros(3) if place is None else place))
        keys = (key, f"place_{key}")
        found = find_place(self.path, name, place, self.places.bodies, self.problems, keys)
        return SPACE if found is None else End(self.places.link_of(*found[:2]), found[1])

    def mounted(self, key: str, name: str, kind: type) -> Any:
        found = {link.body.name: link.body for link in self.places.links if isinstance(link.body, kind)}
        if name not in found:
            known = [each.partition(".")[2] for each in found]
            self.problems.unknown(f"{self.path}.{key}", name.partition(".")[2], known, name.partition(".")[0])
        return found.get(name)

    def formula(self, key: str, text: Any, names: Mapping[str, float]) -> Any:
        constants = self.table.constants
        for own in constants.keys() & {"pi", *names, *type(self.table).model_fields}:
            self.expected("constants", "another name: this one is reserved", own)
        known = Names({**names, **constants}, curves=self.curves(), kinks=True)
        return make_formula(f"{self.path}.{key}", text, known, self.problems)

    def curves(self) -> dict[str, Curve]:
        """The curves that formulas of the entry may name."""
        found = {}
        for name, file in self.table.tables.items():
            if name in OPERATIONS:
                self.expected("tables", "another name: it is a function of formulas", name)
            try:
                found[name] = read_curve(self.places.folder / file)
            except ValueError as error:
                self.refused(f"tables.{name}", f"{file} {error}")
                found[name] = Curve((0.0, 1.0), np.zeros((1, 4)))
        return found

    def axis(self, key: str, text: str) -> tuple[str, str, float] | None:
        return self.places.axis(f"{self.path}.{key}", text, self.problems)


@dataclass
class Places:
    """Everything that entries may name: bodies with their indices in the tree, the axes of joints, coordinates; and the surroundings.

    `links` and `joints` grow while a description is read, `made` has the joints of the description by name.
    """

    bodies: dict[str, Any]
    index: dict[str, int]
    described: Any  # tables of joints by name
    environment: Environment = field(default_factory=Environment)
    links: list[Link] = field(default_factory=list)
    joints: list[LinkJoint] = field(default_factory=list)
    made: dict[str, MadeJoint] = field(default_factory=dict)
    folder: Path = field(default_factory=Path)  # folder in which files are searched
    shapes: tuple[Shape, ...] = ()

    def link_of(self, body: str, node: Node) -> int:
        """The index in the tree of the link that carries a node of a body: one of its segments, if it has several."""
        return self.index[body] + node.link

    def axis(self, path: str, text: str, problems: Problems) -> tuple[str, str, float] | None:
        """(state name of the coordinate, of its speed, start value) of "joint" or "joint[2]"; None after a problem has been noted."""
        match = _AXIS.fullmatch(text)
        name, number = match.groups() if match else (text, None)
        if name not in self.described:
            problems.unknown(path, name, self.described, "joint")
        if name not in self.made:  # a joint that could not be made has its own problem
            return None
        joint = self.made[name]
        axes = joint.joint.named_axes()
        if not 1 <= int(number or 1) <= len(axes) or (number is None and len(axes) > 1):
            problems.add(
                path, text, f"an axis of joint {name}, which has {len(axes)}: {name}[1] … where there are several"
            )
            return None
        i = int(number or 1) - 1
        kind, suffix = axes[i]
        return f"{name}.{kind.coordinate}{suffix}", f"{name}.{kind.speed}{suffix}", float(joint.q0[i])

    @cached_property
    def coordinates(self) -> Names:
        """All coordinates and all speeds of the tree, as the states have them."""
        coordinates, speeds = [], []
        for link, joint in zip(self.links, self.joints, strict=True):
            modes = states_of(link.body, joint.eta0, joint.eta_dot0)
            for q, v in (link.joint.states(joint.name, joint.q0, joint.v0, frozenset(), INERTIAL), modes):
                coordinates += [entry for state in q for entry in state.entries()]
                speeds += [entry for state in v for entry in state.entries()]
        return Names({q.name: float(q.start) for q in coordinates}, tuple(v.name for v in speeds))
