"""Tables of thrusters and reaction wheels."""

from __future__ import annotations

from ..fields import AxisVector, Name, NotNegative, Number, Positive, Table, Vector


class ThrusterTable(Table):
    """A force input at a place of a body, along `direction` (the way it pushes the body)."""

    body: Name
    place: Vector
    direction: AxisVector


class WheelTable(Table):
    """A reaction wheel; its mass and transverse inertia belong to its host."""

    body: Name
    axis: AxisVector
    spin_inertia: Positive
    speed: Number = 0.0
    damping: NotNegative = 0.0
    friction: NotNegative = 0.0
    friction_rate: Positive = 0.1
