"""Separation: a coupling that opens once, and springs that push its two parts apart. The state keeps its size.

Until its release the coupling is like a permanent one. It opens by its input or at its time, and stays open: no velocity jumps, so
momentum, angular momentum and energy are unchanged by the event. Both parts remain in the same System.

A spring sits in a guide on a, along the unit vector e, and presses with its tip on a point p of b, without friction across e:

    F = F_end + k (L − s),   s = e·(r_p − r_a − place),   until s reaches the stroke L: then it is spent

F e acts on b at p, −F e on a at the same point: momentum and angular momentum are conserved. e turns with a, so that
ds/dt = e·[v_p − v_a − ω_a×(r_p − r_a)], the rate of the primitive row `slide`, and F ds/dt is what F_end (L − s) + ½ k (L − s)² loses.
Springs also press before the release, against the coupling. Proved by tests/constraints/test_separation.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.rotation import cross
from ..algebra.scalar import maximum, where
from ..system.pieces import Declared, discrete, input_, output, parameter
from ..system.signals import Bag, Parameter
from .connection import Connection, Decision, Effort, View
from .coupling import Coupling
from .grip import End


@dataclass(frozen=True)
class ReleasedCoupling(Coupling):
    """`by_input`: the input `release` opens it; `at` [s]: time at which it opens; one of them, or both."""

    by_input: bool = False
    at: float | None = None

    # fmt: off
    release_time = parameter("time of release of {self.name}", "s", lambda self: self.at, when=lambda self: self.at is not None)
    release = input_("true: release {self.name}, permanently", "", when=lambda self: self.by_input, kind="boolean")
    closed = discrete("coupling {self.name} is closed", kind="boolean", calculated=True)
    position = output("place of its second end from its first, in axes of the first", "m", np.zeros(3))
    velocity = output("rate of that place: velocity of its second end relative to its first, in axes of the first", "m/s", np.zeros(3))
    angular_velocity = output("angular velocity of its second body relative to its first, in axes of the first end", "rad/s", np.zeros(3))
    # fmt: on

    @property
    def switches(self):
        return True

    @property
    def timed(self):
        return self.at is not None

    def active(self, d):
        return d[self.closed]

    def _asked(self, view: View):
        """1 if it is to open."""
        by_input = where(view.u[self.release] > 0.5, 1.0, 0.0) if self.by_input else 0.0
        by_time = where(view.t >= view.k[self.release_time], 1.0, 0.0) if self.timed else 0.0
        return maximum(by_input, by_time)

    def initial(self, view: View):
        return np.array([1.0 - self._asked(view)])

    def decide(self, view: View, g, rate) -> Decision:
        closed = view.d[self.closed] * (1.0 - self._asked(view))
        return Decision(np.array([closed]), active=closed)

    def note_loss(self, discretes, energy):
        return discretes

    def next_time(self, t, k: Bag, d: Bag):
        return where(d[self.closed] > 0.5, maximum(k[self.release_time], t), np.inf)

    def output_values(self, view: View, multipliers):
        a, b = view.a, view.b
        s = b.position - a.position
        seen = (s, b.velocity - a.velocity - cross(a.omega, s), b.omega - a.omega)
        return np.concatenate([super().output_values(view, multipliers), *(a.dcm.T @ vector for vector in seen)])


@dataclass(frozen=True)
class PushSprings(Connection):
    """n springs between the places of a coupling that joins both parts rigidly. `axis` (3,): e in the axes of a's place;
    places (n, 3) from a's place, in its axes; tips (n, 3): the same points from b's place, in its axes."""

    name: str
    a: End
    b: End
    axis: np.ndarray
    places: np.ndarray
    tips: np.ndarray
    # fmt: off
    stiffness: Declared[Parameter] = parameter("stiffness of the springs of {self.name}", "N/m", min=0.0)
    stroke: Declared[Parameter] = parameter("stroke of the springs of {self.name}", "m", min=1e-9)
    end_force: Declared[Parameter] = parameter("force of the springs of {self.name} at the end of their stroke", "N", min=0.0)

    pushing = discrete("spring of {self.name} pushes", "", lambda self: np.ones(len(self.places)), kind="boolean", calculated=True)
    spring_force = output("force of the springs of {self.name}, along its axis on its second body", "N", lambda self: np.zeros(len(self.places)))
    spring_energy = output("energy in the springs of {self.name}", "J")
    # fmt: on

    @property
    def indicator_count(self):
        return len(self.places)

    def _left(self, view: View):
        """L − s (n,): remaining stroke of each."""
        a, b = view.a, view.b
        s = b.position - a.position + self.tips @ b.dcm.T - self.places @ a.dcm.T
        return view.k[self.stroke] - s @ (a.dcm @ self.axis)

    def _forces(self, view: View):
        """F (n,), and the energy stored in each (n,); zero for a spent one."""
        k, end = view.k[self.stiffness], view.k[self.end_force]
        left = np.array(
            [where(on > 0.5, own, 0.0) for on, own in zip(view.d[self.pushing], self._left(view), strict=True)]
        )
        return view.d[self.pushing] * end + k * left, (end + 0.5 * k * left) * left

    def effort(self, view: View) -> Effort:
        a, b = view.a, view.b
        force, energy = self._forces(view)
        e = a.dcm @ self.axis
        on_b = np.concatenate([e * sum(force), cross((force @ self.tips) @ b.dcm.T, e)])
        reach = b.position - a.position
        on_a = -np.concatenate([on_b[:3], on_b[3:] + cross(reach, on_b[:3])])
        return Effort(on_a, on_b, potential=sum(energy))

    def output_values(self, view: View, multipliers):
        force, energy = self._forces(view)
        return np.concatenate([force, [sum(energy)]])

    def initial(self, view: View):
        return np.ones(len(self.places))

    def indicators(self, view: View, multipliers):
        """Remaining fraction of the stroke; −1 for a spent spring."""
        pushing = view.d[self.pushing]
        return pushing * self._left(view) / view.k[self.stroke] - (1.0 - pushing)

    def decide(self, view: View, g, rate) -> Decision:
        pushing = view.d[self.pushing]
        pushes = pushing * np.array([where(left > 0.0, 1.0, 0.0) for left in g])
        _, energy = self._forces(view)
        return Decision(pushes, lost=sum(energy * (pushing - pushes)))
