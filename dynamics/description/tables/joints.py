"""Tables of joints: what all kinds share; the keys of each kind stand in its row (dynamics/joints/table.py)."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from ...joints.table import JOINTS
from ..declared import OneKind, one_of
from ..fields import IDENTITY, Flag, Name, Orientation, Place, Vector


class JointTable(OneKind):
    """A joint from a place on the parent (or space) to the child's frame."""

    noun: ClassVar[str] = "joint"

    parent: Place
    """a body, one of its nodes, or `space`"""
    child: Name
    """the body that it carries"""
    place: Vector = Field((0.0, 0.0, 0.0), description="in the parent's frame; not with a node")
    orientation: Orientation = Field(IDENTITY, description="of the joint frame in the axes of its place")
    reaction: Flag = Field(False, description="true: force and torque that the joint carries are outputs")


AnyJoint: Any = one_of(JOINTS, JointTable)
