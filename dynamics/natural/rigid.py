"""All conditions of the natural coordinates as one connection: bodies are rigid, joints are closed, and axes agree with X.

    a·b = c                         lengths and angles of vectors, lines of sliders (carriers.py)
    axis = its value in the joint's pose from X                  rate: rows z of kinematics.Joined

It has no ends and no discrete states and is always active, so projections and jumps of velocities treat it like any coupling.
Its own states follow the attitude of free bodies and ball joints, only for the sign of their quaternions: points and vectors have none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.rotation import quaternion_rate
from ..algebra.scalar import where
from ..constraints.connection import Conditions, Connection, View
from ..constraints.grip import End
from ..joints.kinds import AxesJoint, FreeJoint, SphericalJoint
from ..system.signals import Bag, State
from .kinematics import Motion, move_at
from .layout import CartesianLayout


@dataclass(frozen=True)
class Rigid(Connection):
    """`a` and `b` are space: its multipliers act along the coordinates themselves."""

    name: str
    a: End
    b: End
    layout: CartesianLayout

    @property
    def rows(self) -> int:
        carriers = self.layout.carriers
        places = np.array([link.place.position for link in carriers.tree.links]).reshape(-1, 3)
        return len(carriers.frames_and_conditions(places)[1]) + self.layout.axes

    def conditions(self, view: View) -> Conditions:
        q, v = self._split(view)
        return rigid_conditions(self.layout, self._moving(view), q, v)

    def _moving(self, view: View) -> Motion:
        q, v = self._split(view)
        return move_at(self.layout, q, v, view.k, view.scene.space)

    def _split(self, view: View):
        nq, nv = self.layout.nq, self.layout.nv
        return view.x.values[:nq], view.x.values[nq : nq + nv]

    def signs(self) -> list[tuple[int, State]]:
        """(joint, state) of each quaternion that is followed."""
        turning = [i for i, link in enumerate(self.layout.links) if isinstance(link.joint, FreeJoint | SphericalJoint)]
        text = "quaternion that tells the sign of the attitude's"
        names = self.layout.carriers.names
        return [
            (i, State(f"{names[i]}.turned", text, "1", (1.0, 0.0, 0.0, 0.0), output=False, calculated=True,
                      derivative_unit="1/s", quadrature=True))
            for i in turning
        ]  # fmt: skip

    def states(self) -> list[State]:
        return [state for _, state in self.signs()]

    def initial_states(self, view: View):
        joints = self._moving(view).joints
        return np.concatenate([np.zeros(0), *(joints[i].q[-4:] for i, _ in self.signs())])

    def state_rates(self, view: View):
        joints = self._moving(view).joints
        rates = [quaternion_rate(view.x[state], joints[i].v[-3:]) for i, state in self.signs()]
        return np.concatenate([np.zeros(0), *rates])

    def tree_coordinates(self, motion: Motion, q, x: Bag) -> list[np.ndarray]:
        """q of every joint as the tree has it: axes with their full turns, quaternions with the sign that is followed."""
        found = [joined.q for joined in motion.joints]
        for i, (link, span) in enumerate(zip(self.layout.links, self.layout.joint_q, strict=True)):
            if isinstance(link.joint, AxesJoint):
                found[i] = q[span]
        for i, state in self.signs():
            turned = found[i][-4:]
            sign = where(turned @ x[state] < 0.0, -1.0, 1.0)
            found[i] = np.concatenate([found[i][:-4], sign * turned])
        return found


def rigid_conditions(layout: CartesianLayout, motion: Motion, q, v) -> Conditions:
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
    """The difference between each axis in X and its coordinate: lengths, and angles in (−π, π], without full turns."""
    slides = len(joint.translations)
    lengths = [joined.q[i] - q[i] for i in range(slides)]
    return [*lengths, *(_wrapped(joined.q[i] - q[i]) for i in range(slides, joint.nq))]


def _wrapped(angle):
    return np.arctan2(np.sin(angle), np.cos(angle))
