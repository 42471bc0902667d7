"""The joints of descriptions: a row a kind. What a new kind of joint takes beside its class (kinds.py) is a row here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .kinds import AxesJoint, FreeJoint, SphericalJoint, TurningAxesJoint


@dataclass(frozen=True)
class JointRow:
    """`keys` of a description that say where its axes are, how many of `axes` there must be, and the joint of such a table."""

    keys: tuple[str, ...]
    make: Callable[[Any], Any]
    axes: int = 0


def square_to(normal) -> tuple:
    """Two unit vectors square to the normal and to each other."""
    n = np.array(normal)
    a = np.roll(np.eye(3)[int(np.argmax(np.abs(n)))], 1)
    a = a - n * (a @ n)
    a = a / np.linalg.norm(a)
    return tuple(float(c) for c in a), tuple(float(c) for c in np.cross(n, a))


# of a general joint
ORDERS = {"translations first": AxesJoint, "rotations first": TurningAxesJoint}

JOINTS = {
    "fixed": JointRow((), lambda table: AxesJoint()),
    "revolute": JointRow(("axis",), lambda table: AxesJoint((), (table.axis,))),
    "prismatic": JointRow(("axis",), lambda table: AxesJoint((table.axis,), ())),
    "universal": JointRow(("axes",), lambda table: AxesJoint((), tuple(table.axes)), axes=2),
    "cylindrical": JointRow(("axis",), lambda table: AxesJoint((table.axis,), (table.axis,))),
    "planar": JointRow(("axis",), lambda table: AxesJoint(square_to(table.axis), (table.axis,))),
    "gimbal": JointRow(("axes",), lambda table: AxesJoint((), tuple(table.axes)), axes=3),
    "general": JointRow(
        ("translations", "rotations", "order"),
        lambda table: ORDERS[table.order](tuple(table.translations), tuple(table.rotations)),
    ),
    "spherical": JointRow((), lambda table: SphericalJoint()),
    "free": JointRow((), lambda table: FreeJoint()),
}
