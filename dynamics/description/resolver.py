"""What makers of pieces ask of the rest of a description (spacefmu.dynamics.keys.Resolver): bodies, nodes and joint axes by name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..bodies.body import plain_node
from ..constraints.grip import End
from ..joints.acting import MadeJoint
from .bodies import find_place
from .errors import Problems
from .fields import Table

_AXIS = re.compile(r"([^\[]*)\[([0-9]+)\]")
_OWN: Any = object()
SPACE = End(-1, plain_node("space", np.zeros(3)))


class Entry:
    """One entry of a description: the names in it, and the problems of it."""

    def __init__(self, path: str, table: Table, problems: Problems, places: Places | None = None):
        """path: "joints.arm" """
        self.path, self.table, self.problems = path, table, problems
        self.name = path.rpartition(".")[2]
        self.given = table.model_fields_set
        self._places = places

    @property
    def places(self) -> Places:
        assert self._places is not None  # a joint is made before the places that it carries
        return self._places

    def expected(self, key: str, what: str, found: Any = _OWN) -> None:
        self.problems.add(f"{self.path}.{key}", getattr(self.table, key) if found is _OWN else found, what)

    def missing(self, key: str, why: str) -> None:
        self.problems.found.append(f"{self.path}.{key} is missing: {why}")

    def does_nothing(self, what: str) -> None:
        self.problems.found.append(f"{self.path} does nothing, expected {what}")

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
        return SPACE if found is None else End(self.places.index[found[0]], found[1])

    def axis(self, key: str, text: str) -> tuple[str, str, float] | None:
        return self.places.axes.find(f"{self.path}.{key}", text, self.problems)


class JointAxes:
    """The axes of all joints by name: those that could be made, among all that the description has."""

    def __init__(self, made: dict[str, MadeJoint], described: Any):
        self.made, self.described = made, described

    def find(self, path: str, text: str, problems: Problems) -> tuple[str, str, float] | None:
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


@dataclass(frozen=True)
class Places:
    """What entries may name: bodies, their numbers in the tree, and the axes of joints."""

    bodies: dict[str, Any]
    index: dict[str, int]
    axes: JointAxes
