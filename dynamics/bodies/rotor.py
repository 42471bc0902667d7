"""Rotors of reaction wheels, balanced or not.

Mass and transverse inertia of a wheel belong to its host, as if the rotor's mass m sat on the axis. The rotor itself has only the inertia J about the axis, and
if it is unbalanced, whose mass centre is off the axis by ε, a first moment m ε
that turns with it. Each is a massless body with its own kinetic energy, so momentum, angular momentum and energy
are conserved exactly. Neglected: m ε² against J (J is about the axis).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ..system.pieces import Declared, parameter
from ..system.signals import SMALLEST, Parameter
from .body import Node, WithoutModes
from .integrals import Integrals, rigid_integrals


@dataclass(frozen=True)
class Rotor(WithoutModes):
    """Spin inertia J [kg m²] about the unit vector `axis`.

    In a frame that does not spin with it the inertia is the constant J a aᵀ: a body like any other, on a SpinJoint.
    """

    name: str
    spin_inertia: Declared[Parameter] = parameter("inertia of {self.name} about its axis", "kg.m2", min=SMALLEST)
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    nodes: Mapping[str, Node] = field(default_factory=dict)

    def laws(self, k) -> list[tuple[str, object]]:
        return [(f"{self.name}.spin_inertia must be positive", k[self.spin_inertia])]

    def integrals(self, k, x=None) -> Integrals:
        return rigid_integrals(0.0, np.zeros(3), k[self.spin_inertia] * np.outer(self.axis, self.axis))


@dataclass(frozen=True)
class UnbalancedRotor(Rotor):
    """A rotor with static imbalance m ε [kg m] along `offset` (unit, perpendicular to the axis, fixed to the rotor).

    It has to turn with its angle, so its joint is a WheelJoint; at speed Ω it pulls on the host with m ε Ω².
    """

    imbalance: Declared[Parameter] = parameter("rotor mass of {self.name} times the offset of its mass centre", "kg.m", min=0.0)  # fmt: skip
    offset: tuple[float, float, float] = (1.0, 0.0, 0.0)

    def integrals(self, k, x=None) -> Integrals:
        return replace(super().integrals(k, x), first=k[self.imbalance] * np.array(self.offset))
