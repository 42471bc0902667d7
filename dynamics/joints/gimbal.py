"""Drives of a control-moment gyro: the gimbal's servo with its limits, and a rotor at constant speed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..algebra.scalar import limited
from ..system.pieces import Declared, parameter
from ..system.signals import SMALLEST, Parameter
from .axis import Axis
from .forces import NoForces


@dataclass(frozen=True)
class GimbalAxis(Axis):
    """A gimbal axis whose command is limited: γ̈ = w (command − γ̇), |command| ≤ rate_limit and |γ̈| ≤ acceleration_limit."""

    # fmt: off
    rate_limit: Declared[Parameter] = parameter("largest commanded rate of {self.name}", "rad/s", None, min=SMALLEST, tunable=True)
    acceleration_limit: Declared[Parameter] = parameter("largest angular acceleration of the drive of {self.name}", "rad/s2", None, min=SMALLEST, tunable=True)
    # fmt: on

    def prescribed_rate(self, k, u, q, v):
        if self.law.drive == "acceleration":
            wanted = u[self.acceleration]
        else:
            command = u[self.rate_command]
            if self.rate_limit is not None:
                command = limited(command, k[self.rate_limit])
            wanted = 2.0 * np.pi * k[self.servo_frequency] * (command - v)
        return wanted if self.acceleration_limit is None else limited(wanted, k[self.acceleration_limit])


@dataclass(frozen=True)
class HeldSpin(NoForces):
    """A rotor whose motor keeps its speed relative to the gimbal: Ω̇ = 0. The motor's power is work of the inputs."""

    nv: int = 1
    prescribed: ClassVar[frozenset[int]] = frozenset({0})

    def known(self, k, u, d, q, v):
        return np.ones(1), np.zeros(1)
