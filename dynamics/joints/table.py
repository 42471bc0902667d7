"""The joints of descriptions: one row per kind, with the keys that it takes. A new kind of joint is its class (kinds.py) and a row here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from ..system.keys import IDENTITY, Declaration, Key, Kinds, Resolver
from .acting import IN_A_BALL, ON_AXES, ON_FREE, MadeJoint, in_a_ball, on_axes, on_free
from .kinds import AxesJoint, TurningAxesJoint
from .screw import ScrewJoint


def square_to(normal) -> tuple:
    """Two unit vectors perpendicular to the normal and to each other."""
    n = np.array(normal)
    a = np.roll(np.eye(3)[int(np.argmax(np.abs(n)))], 1)
    a = a - n * (a @ n)
    a = a / np.linalg.norm(a)
    return tuple(float(c) for c in a), tuple(float(c) for c in np.cross(n, a))


def row(text: str, keys: Mapping[str, Key], joint: Callable[[Any], Any]) -> Declaration:
    """The row of a joint with axes: `joint(table)` returns them as `named_axes`, and each may have springs, drives, stops and locks."""

    def make(table: Any, names: Resolver) -> MadeJoint:
        for i, (first, second) in enumerate(pairwise(getattr(table, "axes", ())), 1):
            if np.linalg.norm(np.cross(first, second)) < 1e-6:
                names.expected(
                    f"axes[{i + 1}]", f"another direction than axes[{i}]: two equal axes add no motion", second
                )
        return on_axes(joint(table), table, names)

    return Declaration(text, {**keys, **ON_AXES}, make)


def _general(table: Any, names: Resolver) -> MadeJoint:
    slides = np.array(table.translations).reshape(-1, 3)
    if np.linalg.matrix_rank(slides, tol=1e-6) < len(slides):
        names.expected("translations", "axes in different directions: one of them adds no motion")
    return on_axes(ORDERS[table.order](tuple(table.translations), tuple(table.rotations)), table, names)


AXIS = {"axis": Key("axis", "axis in the joint frame")}
ORDERS = {"translations first": AxesJoint, "rotations first": TurningAxesJoint}  # of a general joint


def _axes(count: int) -> dict[str, Key]:
    return {"axes": Key("axis", "axes in the joint frame, each turned by those before it", count=(count, count))}


JOINTS = {
    "fixed": Declaration("does not move", {}, lambda table, names: on_axes(AxesJoint(), table, names)),
    "revolute": row("turns about an axis", AXIS, lambda table: AxesJoint((), (table.axis,))),
    "prismatic": row("slides along an axis", AXIS, lambda table: AxesJoint((table.axis,), ())),
    "screw": row("turns about an axis and moves along it", {**AXIS, "pitch": Key("number", "lead: travel along the axis per turn [m]; negative: left-handed thread")},
        lambda table: ScrewJoint(table.axis, table.pitch)),
    "universal": row("turns about two axes", _axes(2), lambda table: AxesJoint((), tuple(table.axes))),
    "cylindrical": row("slides along an axis and turns about it", AXIS, lambda table: AxesJoint((table.axis,), (table.axis,))),
    "planar": row("slides in a plane and turns about its normal", AXIS, lambda table: AxesJoint(square_to(table.axis), (table.axis,))),
    "gimbal": row("turns about three axes", _axes(3), lambda table: AxesJoint((), tuple(table.axes))),
    "general": Declaration("slides along up to three axes and turns about up to three", {
        "translations": Key("axis", "translation axes", [], count=(0, 3)),
        "rotations": Key("axis", "rotation axes, after the translations", [], count=(0, 3)),
        "order": Key(tuple(ORDERS), "whether the rotations come first and turn the translation axes; lists of values still begin with the translations", "translations first"),
        **ON_AXES}, _general),
    "spherical": Declaration("a ball joint", IN_A_BALL, in_a_ball),
    "free": Declaration("every motion", ON_FREE, on_free),
}  # fmt: skip
JOINT = Kinds("Joint", "joint", "A joint between a place on the parent (or space) and the child's frame.", {
    "parent": Key("place", "a body, one of its nodes, or `space`"),
    "child": Key("name", "the body carried by the joint"),
    "place": Key("vector", "place in the parent's frame; not with a node", (0.0, 0.0, 0.0)),
    "orientation": Key("orientation", "attitude of the joint frame in the axes of its place", IDENTITY),
    "reaction": Key("flag", "true: the reaction force and torque of the joint are outputs", False),
}, JOINTS)  # fmt: skip
