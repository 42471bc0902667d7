"""Tables of thrusters, reaction wheels and sensors: all sit at a place, which is a body or one of its nodes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ..fields import IDENTITY, AxisVector, NotNegative, Number, Orientation, Place, Positive, Table, Vector


class ThrusterTable(Table):
    """A force input at a place of a body, along `direction` (the way it pushes the body)."""

    body: Place
    place: Vector | None = Field(None, description="in the body's frame; not with a node")
    direction: AxisVector


class WheelTable(Table):
    """A reaction wheel; its mass and transverse inertia belong to its host."""

    body: Place
    place: Vector | None = Field(None, description="in the body's frame; matters only with an imbalance")
    axis: AxisVector
    spin_inertia: Positive
    speed: Number = 0.0
    damping: NotNegative = 0.0
    friction: NotNegative = 0.0
    friction_rate: Positive = 0.1
    imbalance: Positive | None = Field(
        None, description="static imbalance: rotor mass times offset of its mass centre [kg m]"
    )


class SensorTable(Table):
    """A sensor at a body's frame or node. A gyro: angular velocity; an accelerometer: specific force (no gravity)."""

    kind: Literal["gyro", "accelerometer"]
    at: Place
    orientation: Orientation = Field(IDENTITY, description="of the sensor's axes in those of its place")
