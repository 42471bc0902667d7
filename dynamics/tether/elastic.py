"""A massless elastic cable: T = max(0, k (D − L) + c (Ḋ − L̇)) while D > L, nothing while D ≤ L.

Where D passes L and where k (D − L) + c (Ḋ − L̇) passes zero are events, so the force is smooth between them: with a kink within a step the result would depend
on where the steps end. With a reel, L is driven: it does the work −T L̇.
Power balance: −T Ḋ on the bodies = −T L̇ (reel) − d(½k s²)/dt − (T − k s) ṡ, s = D − L.
It converges to the inextensible cable as k increases: tests/constraints/test_elastic.py measures the order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.scalar import both, where
from ..constraints.connection import Decision, Effort, View
from ..constraints.rows import span
from ..system.pieces import Declared, discrete, output, parameter
from ..system.signals import Parameter
from .reel import Springy


@dataclass(frozen=True)
class Elastic(Springy):
    # fmt: off
    stiffness: Declared[Parameter] = parameter("stiffness of tether {self.name}", "N/m", 1.0, min=0.0, tunable=True)
    damping: Declared[Parameter] = parameter("damping of tether {self.name}", "N.s/m", min=0.0, tunable=True)
    # fmt: on
    indicator_count = 2

    pulling = discrete(
        "spring and damper of {self.name} together would pull", kind="boolean", output=False, calculated=True
    )
    tension = output("tension of tether {self.name}", "N")
    distance = output("distance between the ends of {self.name}", "m", name="length")

    def output_values(self, view: View, multipliers):
        return np.array([self._pull(view)[0], span(view.a, view.b)[0]])

    def _strain(self, view: View):
        """s, ṡ, k s + c ṡ, L̇ and n from a to b."""
        distance, n = span(view.a, view.b)
        length, reel_rate, _ = self.length_values(view)
        stretch, rate = distance - length, n @ (view.b.velocity - view.a.velocity) - reel_rate
        force = view.k[self.stiffness] * stretch + view.k[self.damping] * rate
        return stretch, rate, force, reel_rate, n

    def _pull(self, view: View):
        """T, s, ṡ, L̇ and n from a to b."""
        stretch, rate, force, reel_rate, n = self._strain(view)
        pulls = both(view.d[self.taut] > 0.5, view.d[self.pulling] > 0.5)
        return where(pulls, force, 0.0), stretch, rate, reel_rate, n

    def effort(self, view: View) -> Effort:
        pull, stretch, stretch_rate, reel_rate, n = self._pull(view)
        elastic = where(view.d[self.taut] > 0.5, view.k[self.stiffness] * stretch, 0.0)
        return Effort.of_forces(
            pull * n,
            -pull * n,
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
        return np.array([stretch / self.length_values(view)[0], force / (self.stiffness.start * self.length)])

    def decide(self, view: View, g, rate) -> Decision:
        return Decision(np.array([*self.counted(view, g[0]), where(g[1] > 0.0, 1.0, 0.0)]))
