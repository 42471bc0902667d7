"""All conditions of the natural coordinates as one connection: bodies stay rigid, joints hold, axes are what X says they are.

    a·b = c                         lengths and angles of vectors, lines of sliders (carriers.py)
    axis = what the joint's pose in X says                       rate: rows z of kinematics.Joined

It has no ends and no discrete states, and it is active always; so projections and jumps of velocities treat it as any coupling.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..constraints.connection import Conditions, Connection, View
from ..constraints.grip import End
from ..joints.kinds import AxesJoint
from .kinematics import Motion, move_at
from .layout import Layout


@dataclass(frozen=True)
class Rigid(Connection):
    """`a` and `b` are space: its multipliers act along the coordinates themselves."""

    name: str
    a: End
    b: End
    layout: Layout

    @property
    def rows(self) -> int:
        carriers = self.layout.carriers
        places = np.array([link.place.position for link in carriers.tree.links]).reshape(-1, 3)
        return len(carriers.frames_and_conditions(places)[1]) + self.layout.axes

    def conditions(self, view: View) -> Conditions:
        layout = self.layout
        q, v = view.x.values[: layout.nq], view.x.values[layout.nq : layout.nq + layout.nv]
        return rigid_conditions(layout, move_at(layout, q, v, view.k), q, v)


def rigid_conditions(layout: Layout, motion: Motion, q, v) -> Conditions:
    """Residuals, rows and right sides of all conditions at one instant."""
    beside = np.zeros(layout.nv - layout.points)
    residual = [condition.residual(motion.X) for condition in motion.conditions]
    rows = [np.concatenate([condition.row(motion.X), beside]) for condition in motion.conditions]
    gamma = [-condition.bias(motion.X_dot) for condition in motion.conditions]
    for link, span, joined in zip(layout.links, layout.joint_q, motion.joints, strict=True):
        if not isinstance(link.joint, AxesJoint):
            continue
        residual += list(_beyond(link.joint, joined, q[span]))
        for axis, place in enumerate(range(span.start, span.stop)):
            rows.append(joined.rows[axis] - np.eye(layout.nv)[place])
            gamma.append(-joined.rest[axis])
    jacobian = np.array(rows).reshape(len(rows), layout.nv)
    return Conditions(
        np.array(residual), jacobian, jacobian @ v, np.array(gamma), np.ones(len(rows)), np.zeros(len(rows))
    )


def _beyond(joint: AxesJoint, joined, q):
    """How far X has moved each axis beyond its coordinate: lengths, and angles in (−π, π], which count no turns."""
    slides = len(joint.translations)
    lengths = [joined.q[i] - q[i] for i in range(slides)]
    return [*lengths, *(_wrapped(joined.q[i] - q[i]) for i in range(slides, joint.nq))]


def _wrapped(angle):
    return np.arctan2(np.sin(angle), np.cos(angle))
