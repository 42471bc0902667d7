"""Joints: the motion of a child's frame relative to the place on its parent. A table of small kinds."""

from .kinds import AxesJoint, FreeJoint, SphericalJoint, SpinJoint, TurningAxesJoint, WheelJoint
from .screw import ScrewJoint

__all__ = ["AxesJoint", "FreeJoint", "ScrewJoint", "SphericalJoint", "SpinJoint", "TurningAxesJoint", "WheelJoint"]
