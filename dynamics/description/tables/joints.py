"""Tables of joints: kind, place, springs, dampers, stops, drives, locks."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from ..fields import IDENTITY, Angle, AxisVector, Name, NotNegative, Orientation, Place, Positive, Table, Vector, listed

AngleList = Annotated[list[Angle], BeforeValidator(listed)]
NotNegativeList = Annotated[list[NotNegative], BeforeValidator(listed)]


class Stop(Table):
    """A stiff one-sided spring and damper at each end of an axis."""

    lower: Angle
    upper: Angle
    stiffness: Positive
    damping: NotNegative = 0.0


class Servo(Table):
    """The second-order servo that a position or rate command goes through: natural frequency [Hz], damping ratio."""

    frequency: Positive
    damping: NotNegative = 0.7


class JointInitial(Table):
    """Start of a joint: one value, or one an axis, translations first; ball joints take an orientation and three rates."""

    position: AngleList | None = Field(None, description="of every axis, translations first")
    rate: AngleList | None = None
    orientation: Orientation = IDENTITY


class JointTable(Table):
    """A joint from a place on the parent (or space) to the child's frame."""

    parent: Place
    child: Name
    kind: Literal["fixed", "revolute", "prismatic", "universal", "cylindrical", "planar", "gimbal", "general", "spherical", "free"]
    place: Vector = Field((0.0, 0.0, 0.0), description="in the parent's frame; not with a node")
    orientation: Orientation = IDENTITY
    axis: AxisVector | None = None
    axes: list[AxisVector] = []
    translations: list[AxisVector] = []
    rotations: list[AxisVector] = []
    stiffness: NotNegativeList = [0.0]
    rest: AngleList = [0.0]
    damping: NotNegativeList = [0.0]
    friction: NotNegativeList | None = None
    friction_rate: Positive = 1e-3
    stop: Stop | None = None
    drive: Literal["none", "force", "torque", "acceleration", "position", "rate"] = "none"
    servo: Servo | None = None
    lock: bool = False
    initial: JointInitial = JointInitial()
