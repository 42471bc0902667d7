"""The torque motor of a gimbal: from the commanded torque to the acting one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..algebra.scalar import limited, maximum, minimum, where
from ..system.pieces import Declared, output, parameter
from ..system.signals import SMALLEST, Parameter
from .actuator import FADE, Actuator, ActuatorInstant


@dataclass(frozen=True)
class GimbalMotor(Actuator):
    """|torque| ≤ torque_limit; near rate_limit the motor can only brake the gimbal: its torque fades over the last 2 %."""

    name: str
    terminal = "joint"
    torque_limit: Declared[Parameter] = parameter("largest motor torque of {self.name}", "N.m", None, min=SMALLEST)
    rate_limit: Declared[Parameter] = parameter("largest rate of {self.name}", "rad/s", None, min=SMALLEST)
    applied_torque = output("torque of the motor of {self.name}", "N.m")

    @property
    def drives(self) -> str:  # type: ignore[override]
        return f"{self.name}.torque"

    def force(self, now: ActuatorInstant) -> Any:
        torque = now.command if self.torque_limit is None else limited(now.command, now.k[self.torque_limit])
        if self.rate_limit is None:
            return torque
        limit, rate = now.k[self.rate_limit], now.x[f"{self.name}.rate"]
        left = (limit - where(torque > 0.0, rate, -rate)) / (FADE * limit)
        return torque * maximum(minimum(left, 1.0), 0.0)
