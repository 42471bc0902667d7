"""Two places coincide: a ball joint that closes a loop ([stroe] 2.2.3, eq. (13)).

In a planar loop of parallel hinges it is the closing hinge: the row along the hinges is then redundant.
Proved by tests/laws/test_four_bar.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..signals import vector
from .grip import Conditions, Decision, End, Grip


@dataclass(frozen=True)
class Coincidence:
    name: str
    a: End
    b: End
    rows = 3
    indicator_count = 0

    def parameters(self):
        return []

    def discretes(self):
        return []

    def outputs(self):
        return vector(f"{self.name}.force", f"force of coupling {self.name} on its second body, in N", [0.0] * 3, "N")

    def output_values(self, a: Grip, b: Grip, multipliers):
        return multipliers

    def conditions(self, a: Grip, b: Grip, k) -> Conditions:
        """r_b − r_a = 0, and its rates, in N."""
        return Conditions(
            residual=b.position - a.position,
            jacobian=b.rows[:3] - a.rows[:3],
            rate=b.velocity - a.velocity,
            gamma=a.bias[:3] - b.bias[:3],
        )

    def active(self, d):
        return 1.0

    def initial(self, a: Grip, b: Grip, k):
        return np.zeros(0)

    def indicators(self, a: Grip, b: Grip, k, d, multipliers):
        return np.zeros(0)

    def decide(self, g, k, d, rate) -> Decision:
        return Decision(np.zeros(0), due=0.0, active=1.0, restitution=0.0)

    def note_loss(self, discretes, energy):
        return discretes
