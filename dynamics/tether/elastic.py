"""A massless elastic cable: T = max(0, k (D − L) + c (Ḋ − L̇)) while D > L, nothing while D ≤ L.

Where D passes L and where k (D − L) + c (Ḋ − L̇) passes zero are events, so the force is smooth between them: a kink
within a step would leave the result to where the steps happen to fall. With a reel, L is driven: it does the work −T L̇.
Power balance: −T Ḋ on the bodies = −T L̇ (reel) − d(½k s²)/dt − (T − k s) ṡ, s = D − L.
Tends to the inextensible cable as k grows: tests/constraints/test_elastic.py measures the order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..constraints.connection import Decision, Effort, View
from ..constraints.rows import span
from ..scalar import both, where
from ..signals import Signal
from .reel import Reeled


@dataclass(frozen=True)
class Elastic(Reeled):
    stiffness: float = 1.0  # k [N/m]
    damping: float = 0.0  # c [N s/m]
    indicator_count = 2

    def parameters(self):
        return [
            *self.length_parameter(),
            Signal(
                f"{self.name}.stiffness",
                f"stiffness of tether {self.name}",
                "N/m",
                self.stiffness,
                min=0.0,
                tunable=True,
            ),
            Signal(
                f"{self.name}.damping", f"damping of tether {self.name}", "N.s/m", self.damping, min=0.0, tunable=True
            ),
        ]

    def discretes(self):
        meaning = f"spring and damper of {self.name} together would pull"
        pulling = Signal(f"{self.name}.pulling", meaning, kind="boolean", output=False, calculated=True)
        return [*taut_discretes(self.name), pulling]

    def outputs(self):
        return [
            Signal(f"{self.name}.tension", f"tension of tether {self.name}", "N"),
            Signal(f"{self.name}.length", f"distance between the ends of {self.name}", "m"),
        ]

    def output_values(self, view: View, multipliers):
        return np.array([self._pull(view)[0], span(view.a, view.b)[0]])

    def _strain(self, view: View):
        """s, ṡ, k s + c ṡ, L̇ and n from a to b."""
        distance, n = span(view.a, view.b)
        length, reel_rate, _ = self.length_values(view)
        stretch, rate = distance - length, n @ (view.b.velocity - view.a.velocity) - reel_rate
        force = view.k[f"{self.name}.stiffness"] * stretch + view.k[f"{self.name}.damping"] * rate
        return stretch, rate, force, reel_rate, n

    def _pull(self, view: View):
        """T, s, ṡ, L̇ and n from a to b."""
        stretch, rate, force, reel_rate, n = self._strain(view)
        pulls = both(view.d[f"{self.name}.taut"] > 0.5, view.d[f"{self.name}.pulling"] > 0.5)
        return where(pulls, force, 0.0), stretch, rate, reel_rate, n

    def effort(self, view: View) -> Effort:
        pull, stretch, stretch_rate, reel_rate, n = self._pull(view)
        elastic = where(view.d[f"{self.name}.taut"] > 0.5, view.k[f"{self.name}.stiffness"] * stretch, 0.0)
        return Effort(
            on_a=pull * n,
            on_b=-pull * n,
            potential=0.5 * elastic * stretch,
            dissipated=(pull - elastic) * stretch_rate,
            power=-pull * reel_rate,
        )

    def initial(self, view: View):
        stretch, _, force, _, _ = self._strain(view)
        return np.array([where(stretch > 0.0, 1.0, 0.0), 0.0, where(force > 0.0, 1.0, 0.0)])

    def indicators(self, view: View, multipliers):
        """s/L, and the force over the one that would double the length."""
        stretch, _, force, _, _ = self._strain(view)
        return np.array([stretch / self.length_values(view)[0], force / (self.stiffness * self.length)])

    def decide(self, view: View, g, rate) -> Decision:
        return Decision(np.array([*counted(view, self.name, g[0]), where(g[1] > 0.0, 1.0, 0.0)]))


def taut_discretes(name: str) -> list[Signal]:
    return [
        Signal(f"{name}.taut", f"tether {name} is taut", kind="boolean", calculated=True),
        Signal(f"{name}.slack_events", f"times tether {name} has gone slack", kind="integer", calculated=True),
    ]


def counted(view: View, name: str, stretch):
    """(taut, slack events) after an event that left the tether with `stretch`."""
    taut = where(stretch > 0.0, 1.0, 0.0)
    return np.array([taut, view.d[f"{name}.slack_events"] + view.d[f"{name}.taut"] * (1.0 - taut)])
