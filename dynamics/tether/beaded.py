"""A cable with mass: N point masses between its ends, N + 1 springs that only pull.

Beads have three coordinates each and meet only their neighbours, so they stay outside the bodies' mass matrix:
bead i: m r̈_i = T_{i+1} n_{i+1} − T_i n_i (+ gravity), explicit and linear in N. The bodies feel the end forces alone.

    segment rest length L/(N+1), stiffness k (N+1), damping c (N+1); bead mass m/N

so k and c are those of the whole cable. The start places the beads evenly on the line between the ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..constraints.connection import Connection, Decision, Effort, View
from ..constraints.grip import End
from ..constraints.rows import TINY
from ..scalar import maximum, minimum, where
from ..signals import Signal
from .elastic import counted, taut_discretes, tension


@dataclass(frozen=True)
class Chain:
    """The chain in motion: places, velocities (N+2, 3) with both ends; per segment n (N+1, 3), T, s, ṡ and length (N+1,)."""

    place: np.ndarray
    velocity: np.ndarray
    n: np.ndarray
    pull: np.ndarray
    stretch: np.ndarray
    stretch_rate: np.ndarray
    lengths: np.ndarray


@dataclass(frozen=True)
class Beaded(Connection):
    name: str
    a: End
    b: End
    length: float
    total_mass: float
    beads: int
    stiffness: float
    damping: float = 0.0
    indicator_count = 1

    def parameters(self):
        return [
            Signal(f"{self.name}.length0", f"length of tether {self.name}", "m", self.length, min=1e-9),
            Signal(f"{self.name}.mass", f"mass of tether {self.name}", "kg", self.total_mass, min=1e-12),
            Signal(
                f"{self.name}.stiffness",
                f"stiffness of the whole tether {self.name}",
                "N/m",
                self.stiffness,
                min=0.0,
                tunable=True,
            ),
            Signal(
                f"{self.name}.damping",
                f"damping of the whole tether {self.name}",
                "N.s/m",
                self.damping,
                min=0.0,
                tunable=True,
            ),
        ]

    def states(self):
        def each(quantity, unit, **more):
            return [
                Signal(f"{self.name}.bead_{quantity}[{i},{j}]", f"{quantity} of bead {i} of {self.name}, in N", unit, output=False,
                       derivative=f"{self.name}.bead_{more['derivative']}[{i},{j}]", derivative_unit=more.get("derivative_unit", ""))
                for i in range(1, self.beads + 1) for j in (1, 2, 3)
            ]  # fmt: skip

        return each("position", "m", derivative="velocity") + each(
            "velocity", "m/s", derivative="acceleration", derivative_unit="m/s2"
        )

    def discretes(self):
        return taut_discretes(self.name)

    def outputs(self):
        return [
            Signal(f"{self.name}.tension", f"tension of tether {self.name} at its first end", "N"),
            Signal(f"{self.name}.tension_b", f"tension of tether {self.name} at its second end", "N"),
            Signal(f"{self.name}.length", f"length of tether {self.name} along its beads", "m"),
        ]

    def output_values(self, view: View, multipliers):
        chain = self._chain(view)
        return np.array([chain.pull[0], chain.pull[-1], sum(chain.lengths)])

    def _chain(self, view: View) -> Chain:
        segments = self.beads + 1
        place = np.vstack([view.a.position, view.x[f"{self.name}.bead_position"].reshape(-1, 3), view.b.position])
        velocity = np.vstack([view.a.velocity, view.x[f"{self.name}.bead_velocity"].reshape(-1, 3), view.b.velocity])
        span, relative = place[1:] - place[:-1], velocity[1:] - velocity[:-1]
        lengths = np.sqrt(np.sum(span * span, axis=1) + TINY)
        n = span / lengths[:, None]
        stretch = lengths - view.k[f"{self.name}.length0"] / segments
        rate = np.sum(n * relative, axis=1)
        k, c = view.k[f"{self.name}.stiffness"] * segments, view.k[f"{self.name}.damping"] * segments
        pull = np.array([tension(k, c, s, s_dot) for s, s_dot in zip(stretch, rate, strict=True)])
        return Chain(place, velocity, n, pull, stretch, rate, lengths)

    def effort(self, view: View) -> Effort:
        chain = self._chain(view)
        k = view.k[f"{self.name}.stiffness"] * (self.beads + 1)
        elastic = np.array([k * maximum(stretch, 0.0) for stretch in chain.stretch])
        mass = view.k[f"{self.name}.mass"] / self.beads
        height = sum(view.weight(mass, place)[1] for place in chain.place[1:-1])
        return Effort(
            on_a=chain.pull[0] * chain.n[0],
            on_b=-chain.pull[-1] * chain.n[-1],
            potential=0.5 * (elastic @ chain.stretch) + height,
            dissipated=(chain.pull - elastic) @ chain.stretch_rate,
        )

    def state_rates(self, view: View):
        chain = self._chain(view)
        forces = chain.pull[:, None] * chain.n
        mass = view.k[f"{self.name}.mass"] / self.beads
        weights = np.array([view.weight(mass, place)[0] for place in chain.place[1:-1]])
        return np.concatenate([chain.velocity[1:-1].ravel(), ((forces[1:] - forces[:-1] + weights) / mass).ravel()])

    def particles(self, view: View):
        chain = self._chain(view)
        mass = view.k[f"{self.name}.mass"] / self.beads
        return np.array([mass] * self.beads), chain.place[1:-1], chain.velocity[1:-1]

    def initial_states(self, view: View):
        """Evenly on the line between the ends, with velocities in between theirs."""
        along = (np.arange(1, self.beads + 1) / (self.beads + 1))[:, None]
        places = (1.0 - along) * view.a.position + along * view.b.position
        velocities = (1.0 - along) * view.a.velocity + along * view.b.velocity
        return np.concatenate([places.ravel(), velocities.ravel()])

    def _least_stretch(self, view: View):
        """Of the slackest segment, relative to its length: positive where the whole chain is taut."""
        least = None
        for stretch in self._chain(view).stretch:
            least = stretch if least is None else minimum(least, stretch)
        return least * (self.beads + 1) / view.k[f"{self.name}.length0"]

    def initial(self, view: View):
        distance = view.b.position - view.a.position
        length = view.k[f"{self.name}.length0"]
        return np.array([where(distance @ distance > length * length, 1.0, 0.0), 0.0])

    def indicators(self, view: View, multipliers):
        return np.array([self._least_stretch(view)])

    def decide(self, view: View, g, rate) -> Decision:
        return Decision(counted(view, self.name, g[0]))
