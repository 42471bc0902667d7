"""A screw joint, with the interface of kinds.py. Proved by closed forms (tests/joints/test_screw.py) and by a slide that a multiplier
ties to a turn (tests/spacecraft/test_own_pieces.py)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.rotation import axis_angle_dcm, axis_angle_quaternion, cross
from .coordinates import ROTATION, AxisKind
from .kinds import OnAxes


@dataclass(frozen=True)
class ScrewJoint(OnAxes):
    """Turns about its axis and moves along it by `pitch` [m] per turn: s = a h θ with h = pitch/2π; negative: a left-handed thread."""

    axis: tuple[float, float, float]
    pitch: float
    nq = 1
    nv = 1

    @property
    def lead(self) -> float:
        """h [m/rad]."""
        return self.pitch / (2.0 * np.pi)

    def pose(self, q):
        axis = np.array(self.axis)
        return axis * (self.lead * q[0]), axis_angle_dcm(axis, q[0])

    def axes(self, q):
        axis = np.array(self.axis).reshape(3, 1)
        return axis * self.lead, axis

    def turning(self, q, v, omega):
        return v[0] * cross(omega, np.array(self.axis))

    def attitude(self, q):
        return axis_angle_quaternion(self.axis, q[0])

    def named_axes(self) -> list[tuple[AxisKind, str]]:
        return [(ROTATION, "")]
