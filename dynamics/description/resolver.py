"""What makers of pieces ask of the rest of a description (spacefmu.dynamics.keys.Resolver): bodies, nodes and joint axes by name."""

from __future__ import annotations

import re
from typing import Any

from ..joints.acting import Made
from .errors import Problems
from .fields import Table

_AXIS = re.compile(r"([^\[]*)\[([0-9]+)\]")
_OWN: Any = object()


class Entry:
    """One entry of a description: the names in it, and the problems of it."""

    def __init__(self, path: str, table: Table, problems: Problems):
        """path: "joints.arm" """
        self.path, self.table, self.problems = path, table, problems
        self.name = path.rpartition(".")[2]
        self.given = table.model_fields_set

    def expected(self, key: str, what: str, found: Any = _OWN) -> None:
        self.problems.add(f"{self.path}.{key}", getattr(self.table, key) if found is _OWN else found, what)

    def missing(self, key: str, why: str) -> None:
        self.problems.found.append(f"{self.path}.{key} is missing: {why}")


class JointAxes:
    """The axes of all joints by name: those that could be made, among all that the description has."""

    def __init__(self, made: dict[str, Made], described: Any):
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
