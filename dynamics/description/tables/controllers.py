"""Tables of controllers."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ..fields import Angle, AxisVector, Inertia, NotNegative, Positive
from .header import Header


class AttitudeControllerTable(Header):
    """A sampled quaternion-feedback controller with a slew profile."""

    kind: Literal["attitude_controller"]
    """kind of description"""
    sample_time: Positive
    """between samples [s]"""
    stiffness: tuple[NotNegative, NotNegative, NotNegative] = Field(
        description="torque per attitude error [N m/rad], three axes"
    )
    damping: tuple[NotNegative, NotNegative, NotNegative] = Field(description="torque per rate error [N m s/rad]")
    torque_limit: Positive = 1e9
    """of each axis [N m]"""
    slew_axis: AxisVector = (0.0, 0.0, 1.0)
    """in body axes"""
    slew_angle: Angle = 0.0
    """of the whole slew"""
    slew_start: NotNegative = 0.0
    """when it begins [s]"""
    slew_duration: Positive = 1.0
    """how long it takes [s]"""
    inertia: Inertia | None = Field(None, description="for the feedforward torque of the slew; default: none")
