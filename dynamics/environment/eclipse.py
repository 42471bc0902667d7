"""The planet's shadow as events: the craft's mass centre enters or leaves the penumbra or the umbra.

    conical      z = (θ − ρ)/σ, by the Sun's radius (sun.py):  z = 1 at the edge of the penumbra, 1 − 2 min(b, 1) where the light is least
    cylindrical  max(R·s, |R − (R·s) s| − radius)/radius: negative behind the planet, within its radius

In a conical shadow the light decreases with the power 3/2 of the distance past the edge, and each place has its own share. A cylindrical shadow switches the
light of the whole craft at the event; without an event there would be a jump within a step.
Proved by tests/environment/test_eclipse.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..algebra.scalar import minimum, where
from ..constraints.connection import Decision, View
from ..constraints.watch import Watch
from ..system.pieces import discrete
from .planet import RADIUS
from .sun import beyond_cylinder, limb

LIT, PARTLY, DARK = 0.0, 1.0, 2.0


@dataclass(frozen=True)
class Eclipse(Watch):
    """`shadow`: "conical" or "cylindrical"."""

    shadow: str
    name: str = field(default="environment", init=False)

    slow = False
    eclipse = discrete("shadow of the planet at the craft's mass centre: 0 in sunlight, 1 in the penumbra, 2 in the umbra", start=LIT, kind="integer", calculated=True, min=0, max=2)  # fmt: skip

    @property
    def indicator_count(self):
        return 2 if self.shadow == "conical" else 1

    def _margins(self, view: View):
        """Positive outside the penumbra, and outside the umbra; outside the cylinder."""
        R = view.scene.position_N + view.whole().mass_center
        if self.shadow == "cylindrical":
            return [beyond_cylinder(R, view.scene.sun_N, view.k[RADIUS])]
        z, b = limb(R, view.scene.sun_N, view.k[RADIUS])
        return [z - 1.0, z - 1.0 + 2.0 * minimum(b, 1.0)]

    def _found(self, margins):
        return np.array([where(margins[0] > 0.0, LIT, where(margins[-1] > 0.0, PARTLY, DARK))])

    def initial(self, view: View):
        return self._found(self._margins(view))

    def indicators(self, view: View, multipliers):
        return np.array(self._margins(view))

    def decide(self, view: View, g, rate) -> Decision:
        return Decision(self._found(g), active=0.0)
