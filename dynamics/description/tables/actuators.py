"""Tables of thrusters, reaction wheels and sensors: all sit at a place, which is a body or one of its nodes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ...spacecraft.outputs import SENSORS
from ..fields import IDENTITY, AxisVector, NotNegative, Number, Orientation, Place, Positive, Table, Vector


class ThrusterTable(Table):
    """A force input at a place of a body, along `direction` (the way it pushes the body)."""

    body: Place
    """a body, or one of its nodes"""
    place: Vector | None = Field(None, description="in the body's frame; not with a node")
    direction: AxisVector
    """the way it pushes, in the axes of its place"""
    maximum: Positive | None = Field(None, description="largest thrust [N]; with it the thrust can't be negative")
    minimum_impulse: Positive | None = Field(None, description="of the shortest pulse [N s]; needs a maximum")
    rise_time: Positive | None = Field(
        None, description="time constant with which thrust builds up [s]; needs a maximum"
    )
    fall_time: Positive | None = Field(None, description="time constant with which it decays [s]; default rise_time")


class WheelTable(Table):
    """A reaction wheel; its mass and transverse inertia belong to its host."""

    body: Place
    """the host: a body, or one of its nodes"""
    place: Vector | None = Field(None, description="in the body's frame; matters only with an imbalance")
    axis: AxisVector
    """of the spin, in the axes of its place"""
    spin_inertia: Positive
    """of the rotor about its axis [kg m²]"""
    speed: Number = 0.0
    """start, relative to the host [rad/s]"""
    damping: NotNegative = 0.0
    """viscous torque per speed [N m s/rad]"""
    friction: NotNegative = 0.0
    """largest Coulomb torque [N m]"""
    friction_rate: Positive = 0.1
    """speed over which friction builds up: F tanh(speed/friction_rate) [rad/s]"""
    torque_limit: Positive | None = Field(None, description="largest motor torque [N m]")
    speed_limit: Positive | None = Field(
        None,
        description="largest speed [rad/s]: the motor's torque fades over the last 2 % of it, and can only brake there",
    )
    motor_lag: Positive | None = Field(None, description="time constant of the motor torque [s]")
    imbalance: Positive | None = Field(
        None, description="static imbalance: rotor mass times offset of its mass centre [kg m]"
    )


class SensorTable(Table):
    """A sensor at a body's frame or node. A gyro: angular velocity; an accelerometer: specific force (no gravity)."""

    kind: Literal[tuple(SENSORS)]  # type: ignore[valid-type]
    """what it measures"""
    at: Place
    """a body, or one of its nodes"""
    orientation: Orientation = Field(IDENTITY, description="of the sensor's axes in those of its place")
