"""Tables of joints: kind, place, springs, dampers, stops, drives, locks, latches.

Joints of several axes take one value for all of them, or a list with one per axis, translations first.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ...joints.table import JOINTS, ORDERS
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
    """end of the axis [m or rad]"""
    upper: Angle
    """end of the axis [m or rad]"""
    stiffness: Positive
    """[N/m or N m/rad]"""
    damping: NotNegative = 0.0
    """[N s/m or N m s/rad]"""


class Servo(Table):
    """The second-order servo that a position or rate command goes through: natural frequency [Hz], damping ratio."""

    frequency: Positive
    """natural frequency [Hz]"""
    damping: NotNegative = 0.7
    """damping ratio"""


class JointInitial(Table):
    """Start of a joint: one value, or one per axis, translations first; ball joints take an orientation and three rates."""

    position: AngleList | None = Field(None, description="of every axis, translations first")
    rate: AngleList | None = None
    """of every axis, translations first [m/s or rad/s]"""
    orientation: Orientation = IDENTITY
    """of a spherical or free joint"""
    guess: Flag = Field(False, description="true: a first guess that the assembly of a loop may move; else it is kept")


class JointTable(Table):
    """A joint from a place on the parent (or space) to the child's frame."""

    parent: Place
    """a body, one of its nodes, or `space`"""
    child: Name
    """the body that it carries"""
    kind: Literal[tuple(JOINTS)]  # type: ignore[valid-type]
    """which motions are free"""
    place: Vector = Field((0.0, 0.0, 0.0), description="in the parent's frame; not with a node")
    orientation: Orientation = Field(IDENTITY, description="of the joint frame in the axes of its place")
    axis: AxisVector | None = None
    """of a joint with one, in the joint frame"""
    axes: list[AxisVector] = []
    """of universal and gimbal joints, each turned by those before it"""
    translations: list[AxisVector] = []
    """axes of a general joint that slide"""
    rotations: list[AxisVector] = []
    """axes of a general joint that turn, after the translations"""
    order: Literal[tuple(ORDERS)] = "translations first"  # type: ignore[valid-type]
    """of a general joint: whether its rotations turn its translations; lists of values have the translations first all the same"""
    stiffness: NotNegativeList = [0.0]
    """spring along each axis [N/m or N m/rad]"""
    rest: AngleList = [0.0]
    """where the spring is free [m or rad]"""
    damping: NotNegativeList = [0.0]
    """damper along each axis [N s/m or N m s/rad]"""
    friction: NotNegativeList | None = None
    """largest Coulomb force or torque [N or N m]"""
    friction_rate: Annotated[list[Positive], Listed()] = [1e-3]
    """rate over which friction builds up: F tanh(rate/friction_rate)"""
    stop: Annotated[list[Stop | None], Listed(none=True)] = [None]
    """ends of each axis"""
    drive: Annotated[list[Drive], Listed()] = ["none"]
    """input along each axis"""
    servo: Annotated[list[Servo | None], Listed(none=True)] = [None]
    """of position and rate drives"""
    lock: Annotated[list[Flag], Listed()] = [False]
    """true: a Boolean input NAME.lock"""
    latch: Annotated[list[Angle | None], Listed(none=True)] = Field(
        [None], description="where the axis locks by itself"
    )
    reaction: Flag = Field(False, description="true: force and torque that the joint carries are outputs")
    initial: JointInitial = JointInitial()
    """start of the joint"""
