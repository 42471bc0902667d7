"""Tables of joints: kind, place, springs, dampers, stops, drives, locks, latches.

Joints of several axes take one value for all of them, or a list with one an axis, translations first.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..fields import (
    IDENTITY,
    Angle,
    AngleList,
    AxisVector,
    Flag,
    Listed,
    Name,
    NotNegative,
    NotNegativeList,
    Orientation,
    Place,
    Positive,
    Table,
    Vector,
)

Drive = Literal["none", "force", "torque", "acceleration", "position", "rate"]


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
    guess: Flag = Field(False, description="true: a first guess that the assembly of a loop may move; else it is kept")


class JointTable(Table):
    """A joint from a place on the parent (or space) to the child's frame."""

    parent: Place
    child: Name
    kind: Literal[
        "fixed", "revolute", "prismatic", "universal", "cylindrical", "planar", "gimbal", "general", "spherical", "free"
    ]
    place: Vector = Field((0.0, 0.0, 0.0), description="in the parent's frame; not with a node")
    orientation: Orientation = Field(IDENTITY, description="of the joint frame in the axes of its place")
    axis: AxisVector | None = None
    axes: list[AxisVector] = []
    translations: list[AxisVector] = []
    rotations: list[AxisVector] = []
    stiffness: NotNegativeList = [0.0]
    rest: AngleList = [0.0]
    damping: NotNegativeList = [0.0]
    friction: NotNegativeList | None = None
    friction_rate: Annotated[list[Positive], Listed()] = [1e-3]
    stop: Annotated[list[Stop | None], Listed(none=True)] = [None]
    drive: Annotated[list[Drive], Listed()] = ["none"]
    servo: Annotated[list[Servo | None], Listed(none=True)] = [None]
    lock: Annotated[list[Flag], Listed()] = [False]
    latch: Annotated[list[Angle | None], Listed(none=True)] = Field(
        [None], description="where the axis locks by itself"
    )
    reaction: Flag = Field(False, description="true: force and torque that the joint carries are outputs")
    initial: JointInitial = JointInitial()
