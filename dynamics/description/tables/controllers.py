"""Tables of controllers."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ..fields import Angle, AxisVector, Inertia, NotNegative, Positive
from .header import Header


class AttitudeControllerTable(Header):
    """A sampled quaternion-feedback controller with a slew profile."""

    kind: Literal["attitude_controller"]
    sample_time: Positive
    stiffness: tuple[NotNegative, NotNegative, NotNegative] = Field(
        description="torque per attitude error [N m/rad], three axes"
    )
    damping: tuple[NotNegative, NotNegative, NotNegative] = Field(description="torque per rate error [N m s/rad]")
    torque_limit: Positive = 1e9
    slew_axis: AxisVector = (0.0, 0.0, 1.0)
    slew_angle: Angle = 0.0
    slew_start: NotNegative = 0.0
    slew_duration: Positive = 1.0
    inertia: Inertia | None = Field(None, description="for the feedforward torque of the slew; default: none")
