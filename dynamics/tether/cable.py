"""A massless inextensible cable between two places: tension only, slack or taut ([stroe] 2.2.5, eq. (17), (38)).

Distance D = |r_b − r_a|, n = (r_b − r_a)/D. Taut: D = L, with tension T = −λ of the row n·(v_b − v_a) = L̇.
Three modes, two Booleans (taut, armed):

    taut            leaves when T falls to zero                                       g₁ = T / T_nominal
    slack, unarmed  just released, D = L to round-off: waits for a clear gap before   g₁ = (L − D)/L + 1e-9
                    it watches the length itself; catches an overstretch of 1e-9      g₂ = (L − D)/L − 1e-6
    slack, armed    becomes taut when D reaches L                                     g₁ = (L − D)/L

so that no indicator is zero right after a restart. When the cable tightens, the radial velocity Ḋ − L̇ is captured
with the coefficient of restitution e by an impulse along n: momentum and angular momentum are conserved,
and the energy lost is reported. A reel does the work −T L̇ on the bodies.
Proved by tests/constraints/test_cable.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.scalar import both, either, where
from ..constraints.connection import Conditions, Decision, View
from ..constraints.rows import Row, apart, span, stack, weighted
from ..system.pieces import Declared, discrete, output, parameter
from ..system.signals import Parameter
from .reel import Reeled

OVERSTRETCH = 1e-9
GAP = 1e-6
SLOWEST_BOUNCE = 1e-9  # [1/s] of the cable's length: slower approaches are captured, so that bouncing ends


@dataclass(frozen=True)
class Cable(Reeled):
    # fmt: off
    restitution: Declared[Parameter] = parameter("share of the radial velocity that is given back when it tightens", "1", min=0.0, max=1.0)
    nominal_tension: float = 1.0  # [N] scales the tension as an event indicator
    rows = 1
    indicator_count = 2

    taut = discrete("cable {self.name} is taut", kind="boolean", calculated=True)
    armed = discrete("slack cable {self.name} watches its length", kind="boolean", output=False, calculated=True)
    slack_events = discrete("times cable {self.name} has gone slack", kind="integer", calculated=True)
    energy_lost = discrete("energy lost when cable {self.name} tightened", "J", calculated=True)
    tension = output("tension of cable {self.name}", "N")
    distance = output("distance between the ends of {self.name}", "m", name="length")
    # fmt: on

    def output_values(self, view: View, multipliers):
        return np.array([-multipliers[0], span(view.a, view.b)[0]])

    def conditions(self, view: View) -> Conditions:
        """D = L."""
        a, b = view.near.a, view.near.b
        row = apart(a, b, 0.0)
        driven = Row(row.on_a, row.on_b, row.convective, row.residual, self.length_values(view))
        return stack(a, b, [driven])

    def wrenches(self, view: View, multipliers):
        return weighted([apart(view.a, view.b, 0.0)], multipliers)

    def active(self, d):
        return d[self.taut]

    def initial(self, view: View):
        """Taut if the ends are at full length and do not approach each other."""
        distance, n = span(view.a, view.b)
        length, rate, _ = self.length_values(view)
        at_length = distance > length * (1.0 - GAP)
        parting = n @ (view.b.velocity - view.a.velocity) - rate > -1e-12 * length
        return np.array([where(both(at_length, parting), 1.0, 0.0), where(at_length, 0.0, 1.0), 0.0, 0.0])

    def indicators(self, view: View, multipliers):
        length, _, _ = self.length_values(view)
        gap = (length - span(view.a, view.b)[0]) / length
        taut, armed = view.d[self.taut] > 0.5, view.d[self.armed] > 0.5
        slack = where(armed, gap, gap + OVERSTRETCH)
        clear = where(either(taut, armed), 1.0, gap - GAP)
        return np.array([where(taut, -multipliers[0] / self.nominal_tension, slack), clear])

    def decide(self, view: View, g, rate) -> Decision:
        """Release, tighten or arm. A tightening cable bounces (stays slack) if e Ḋ is large enough, else it is captured."""
        taut, armed = view.d[self.taut], view.d[self.armed]
        restitution = view.k[self.restitution]
        over = g[0] <= 0.0
        released = where(over, taut, 0.0)
        tightened = where(over, 1.0 - taut, 0.0)
        bounced = where(restitution * rate[0] > SLOWEST_BOUNCE * self.length_values(view)[0], tightened, 0.0)
        captured = tightened - bounced
        newly_armed = where(g[1] > 0.0, (1.0 - taut) * (1.0 - armed) * (1.0 - tightened), 0.0)
        taut_new = taut - released + captured
        armed_new = armed * (1.0 - tightened) + newly_armed
        events = view.d[self.slack_events] + released
        return Decision(
            np.array([taut_new, armed_new, events, view.d[self.energy_lost]]),
            due=tightened,
            active=taut_new + bounced,
            restitution=bounced * restitution,
        )

    def note_loss(self, discretes, energy):
        return np.array([*discretes[:3], discretes[3] + energy])
