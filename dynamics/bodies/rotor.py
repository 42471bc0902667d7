"""The rotor of a reaction wheel whose mass centre is not on its axis (static imbalance).

As for every wheel, mass and transverse inertia belong to the host, as if the rotor's mass m sat on the axis. What the
offset ε of its mass centre adds is a first moment m ε square to the axis that turns with the rotor: a body of no mass
with ∫ρ dm = m ε and inertia J a aᵀ. It pulls on the host with m ε Ω² at speed Ω, and as it has a kinetic energy of its
own like any body, momentum, angular momentum and energy are conserved exactly. Neglected: m ε² against J (J is about the axis).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ..signals import Signal
from .body import Node
from .integrals import Integrals, rigid_integrals


@dataclass(frozen=True)
class UnbalancedRotor:
    """Spin inertia J [kg m²] about `axis`, imbalance m ε [kg m] along `offset` (unit, square to the axis, fixed to the rotor)."""

    name: str
    spin_inertia: float
    axis: tuple[float, float, float]
    imbalance: float
    offset: tuple[float, float, float]
    nodes: dict[str, Node] = field(default_factory=dict)
    modes = 0

    def parameters(self) -> list[Signal]:
        return [
            Signal(
                f"{self.name}.spin_inertia",
                f"inertia of {self.name} about its axis",
                "kg.m2",
                self.spin_inertia,
                min=0.0,
            ),
            Signal(
                f"{self.name}.imbalance",
                f"rotor mass of {self.name} times the offset of its mass centre",
                "kg.m",
                self.imbalance,
                min=0.0,
            ),
        ]

    def laws(self, p) -> list[tuple[str, object]]:
        return [(f"{self.name}.spin_inertia must be positive", p[f"{self.name}.spin_inertia"])]

    def integrals(self, k) -> Integrals:
        spinning = rigid_integrals(0.0, np.zeros(3), k[f"{self.name}.spin_inertia"] * np.outer(self.axis, self.axis))
        return replace(spinning, first=k[f"{self.name}.imbalance"] * np.array(self.offset))

    def stiffness(self, k):
        return np.zeros(0)

    def damping(self, k):
        return np.zeros(0)
