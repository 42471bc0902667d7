"""Drives that an inverse problem looks for: which speeds they act along, what they are called, and the craft without them."""

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
        problems.found.append("inverse has no drive to look for, expected inverse.actuators, or joints with a drive")
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
    """Axes of a joint that are looked for, the names of their forces, and the joint without those drives."""
    forces, count = joint.forces, craft.tree.links[i].joint.nv
    if isinstance(forces, BallForces) and number is None:
        rows = [
            (f"{joint.name}.torque[{a}]", f"torque of {joint.name} that the paths take, in the child's axes", "N.m")
            for a in (1, 2, 3)
        ]
        return [0, 1, 2], rows, replace(joint, forces=replace(forces, driven=False))
    if isinstance(forces, AxesForces) and count:
        axes = [number - 1] if number else [a for a, axis in enumerate(forces.axes)]
        if max(axes) >= count:
            return None, None, joint
        rows = []
        for a in axes:
            axis = forces.axes[a]
            text = f"drive of {joint.name} that the paths take: on the child, its reaction on the parent"
            rows.append((axis.called(axis.kind.force), text, axis.kind.force_unit))
        kept = tuple(
            replace(axis, law=replace(axis.law, drive="none")) if a in axes else axis
            for a, axis in enumerate(forces.axes)
        )
        return axes, rows, replace(joint, forces=AxesForces(kept))
    if (
        count == 6 and number is None
    ):  # in the axes of the inputs that give them: of a body's, or of a driven free joint's
        own_axes = f"axes of {joint.name}"
        force_axes = own_axes if craft.tree.links[i].parent < 0 else "axes of the joint's place"
        rows = [
            (
                f"{joint.name}.required_{what}[{a}]",
                f"{what} on {joint.name} at its origin that the paths take, in {axes}",
                unit,
            )
            for what, unit, axes in (("force", "N", force_axes), ("torque", "N.m", own_axes))
            for a in (1, 2, 3)
        ]
        return list(range(6)), rows, joint
    return None, None, joint
