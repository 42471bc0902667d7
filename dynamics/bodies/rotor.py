"""Rotors of reaction wheels, balanced or not.

Mass and transverse inertia of a wheel belong to its host, as if the rotor's mass m sat on the axis. What is left is the
inertia J about the axis alone, and for an unbalanced rotor, whose mass centre is off the axis by ε, a first moment m ε
that turns with it. Each is a body of no mass with a kinetic energy of its own, so momentum, angular momentum and energy
are conserved exactly. Neglected: m ε² against J (J is about the axis).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ..signals import Signal
from .body import Node, WithoutModes
from .integrals import Integrals, rigid_integrals


@dataclass(frozen=True)
class Rotor(WithoutModes):
    """Spin inertia J [kg m²] about the unit vector `axis`.

    In a frame that does not spin with it the inertia is the constant J a aᵀ: a body like any other, on a SpinJoint.
    """

    name: str
    spin_inertia: float
    axis: tuple[float, float, float]
    nodes: dict[str, Node] = field(default_factory=dict)

    def parameters(self) -> list[Signal]:
        name, meaning = f"{self.name}.spin_inertia", f"inertia of {self.name} about its axis"
        return [Signal(name, meaning, "kg.m2", self.spin_inertia, min=0.0)]

    def laws(self, p) -> list[tuple[str, object]]:
        return [(f"{self.name}.spin_inertia must be positive", p[f"{self.name}.spin_inertia"])]

    def integrals(self, k) -> Integrals:
        return rigid_integrals(0.0, np.zeros(3), k[f"{self.name}.spin_inertia"] * np.outer(self.axis, self.axis))


@dataclass(frozen=True)
class UnbalancedRotor(Rotor):
    """A rotor with static imbalance m ε [kg m] along `offset` (unit, square to the axis, fixed to the rotor).

    It has to turn with its angle, so its joint is a WheelJoint; at speed Ω it pulls on the host with m ε Ω².
    """

    imbalance: float = 0.0
    offset: tuple[float, float, float] = (1.0, 0.0, 0.0)

    def parameters(self) -> list[Signal]:
        name, meaning = f"{self.name}.imbalance", f"rotor mass of {self.name} times the offset of its mass centre"
        return [*super().parameters(), Signal(name, meaning, "kg.m", self.imbalance, min=0.0)]

    def integrals(self, k) -> Integrals:
        return replace(super().integrals(k), first=k[f"{self.name}.imbalance"] * np.array(self.offset))
