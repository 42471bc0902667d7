"""Drives that an inverse problem computes: the speeds along which they act, their names, and the craft without them."""

from __future__ import annotations

import re
from dataclasses import replace

from ..joints.forces import AxesForces, BallForces
from ..spacecraft import Spacecraft
from .errors import Problems

AXIS = re.compile(r"([^\[\]]+)(?:\[([1-9])\])?")  # a joint, or one of its axes: wrist[2]


def joint_and_axis(text: str) -> tuple[str, str | None]:
    """ "wrist[2]" → ("wrist", "2")."""
    found = AXIS.fullmatch(text)
    return (found[1], found[2]) if found else (text, None)


def actuators(craft: Spacecraft, entry, problems: Problems):
    """(speeds, (name, description, unit) of each force, the craft without these drives)."""
    wanted = entry.actuators or [joint.name for joint in craft.joints if _driven(joint.forces)]
    if not wanted:
        problems.found.append("inverse: there is no drive to solve for; give inverse.actuators, or joints with a drive")
    speeds, forces, joints = [], [], list(craft.joints)
    by_name = {joint.name: i for i, joint in enumerate(joints)}
    for text in wanted:
        name, number = joint_and_axis(text)
        i = by_name.get(name)
        if i is None:
            problems.unknown("inverse.actuators", name, by_name, "joint or free body")
            continue
        axes, described, joints[i] = _freed(craft, i, joints[i], int(number) if number else None)
        if axes is None:
            problems.add("inverse.actuators", text, f"an axis of joint {name}")
            continue
        speeds += [craft.tree.joint_v[i].start + axis for axis in axes]
        forces += described
    if len(set(speeds)) < len(speeds):
        problems.add("inverse.actuators", wanted, "every axis once")
    return tuple(speeds), tuple(forces), replace(craft, joints=tuple(joints))


def _driven(forces) -> bool:
    if isinstance(forces, BallForces):
        return forces.driven
    return isinstance(forces, AxesForces) and any(axis.law.drive == "force" for axis in forces.axes)


def _freed(craft, i, joint, number: int | None):
    """Axes of a joint whose drives are computed, the names of their forces, and the joint without those drives."""
    forces, count = joint.forces, craft.tree.links[i].joint.nv
    if isinstance(forces, BallForces) and number is None:
        text = f"torque of {joint.name} required by the paths, in the child's axes"
        rows = [(f"{joint.name}.torque[{a}]", text, "N.m") for a in (1, 2, 3)]
        return [0, 1, 2], rows, replace(joint, forces=replace(forces, driven=False))
    if isinstance(forces, AxesForces) and count:
        return _freed_axes(joint, [number - 1] if number else list(range(count)))
    if count == 6 and number is None:
        return list(range(6)), _free_forces(joint.name, craft.tree.links[i].parent < 0), joint
    return None, None, joint


def _freed_axes(joint, axes: list[int]):
    laws = joint.forces.axes
    if max(axes) >= len(laws):
        return None, None, joint
    text = f"drive of {joint.name} required by the paths: on the child, its reaction on the parent"
    rows = [(laws[a].called(laws[a].kind.force), text, laws[a].kind.force_unit) for a in axes]
    kept = [replace(axis, law=replace(axis.law, drive="none")) if a in axes else axis for a, axis in enumerate(laws)]
    return axes, rows, replace(joint, forces=replace(joint.forces, axes=tuple(kept)))


def _free_forces(name: str, root: bool) -> list[tuple[str, str, str]]:
    """In the axes of the corresponding inputs: of a body's, or of a driven free joint's."""
    own = f"axes of {name}"
    kinds = (("force", "N", own if root else "axes of the joint's place"), ("torque", "N.m", own))
    return [
        (f"{name}.required_{what}[{a}]", f"{what} on {name} at its origin required by the paths, in {axes}", unit)
        for what, unit, axes in kinds
        for a in (1, 2, 3)
    ]
