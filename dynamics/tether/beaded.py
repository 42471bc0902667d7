"""A cable with mass: N point masses between its ends, N + 1 springs that only pull.

Beads have three coordinates each and meet only their neighbours, so they stay outside the bodies' mass matrix:
bead i: m r̈_i = T_{i+1} n_{i+1} − T_i n_i (+ gravity), explicit and linear in N. Only the end forces act on the bodies.

The cable is cut into N equal parts, and each part's mass is a bead in its middle. So the segments between beads are parts, and those at the ends half of one:

    between beads    rest length L/N, stiffness k N, damping c N;   bead mass m/N
    at both ends     half the rest length, twice the stiffness and damping

so k and c are those of the whole cable, and frequencies converge with second order: lateral frequency n of a taut cable between fixed ends is that of
a string times sin(x)/x = 1 − x²/6 …, x = nπ/2N, −0.41 % of the first with 10 beads (tests/constraints/test_beads.py). A segment pulls, T = k s + c ṡ, while
both its stretch s and T are positive. Each change is an event of the segment, so the forces are smooth in between and the integrator keeps its order: kinks
within steps cost three digits (tests/constraints/test_beads.py). The start places the beads on the line between the ends.
A reel drives L, and with it the rest lengths of all segments alike; mass, k and c stay. Each segment is a spring whose
rest length moves at its share of L̇, so the reel does the work −Σ T_i L̇ share_i. Air and current along it: exposed.py. A cut segment no longer pulls. Torsion
and bending are neglected.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from ..algebra.scalar import minimum, reciprocal, shared, where
from ..constraints.connection import Decision, Effort, View
from ..constraints.rows import TINY
from ..system.pieces import Declared, discrete, output, parameter, state
from ..system.signals import Parameter
from .cut import Cutter
from .exposed import Along, Exposure
from .reel import Springy


@dataclass(frozen=True)
class Chain:
    """The chain in motion: places, velocities (N+2, 3) with both ends; per segment T n (N+1, 3), k s + c ṡ, T, s, ṡ and length (N+1,)."""

    place: np.ndarray
    velocity: np.ndarray
    tension: np.ndarray
    force: np.ndarray
    pull: np.ndarray
    stretch: np.ndarray
    stretch_rate: np.ndarray
    lengths: np.ndarray


@dataclass(frozen=True)
class Beaded(Springy):
    # fmt: off
    total_mass: Declared[Parameter] = parameter("mass of tether {self.name}", "kg", 1.0, name="mass", min=1e-12)
    beads: int = 1
    stiffness: Declared[Parameter] = parameter("stiffness of the whole tether {self.name}", "N/m", 1.0, min=0.0, tunable=True)
    damping: Declared[Parameter] = parameter("damping of the whole tether {self.name}", "N.s/m", min=0.0, tunable=True)
    exposure: Exposure | None = None
    cutter: Cutter | None = None

    bead_position = state("position of bead {{i}} of {self.name} from the frame's origin, in axes of N", "m", lambda self: np.zeros((self.beads, 3)), output=False, calculated=True, derivative="{self.name}.bead_velocity")
    bead_velocity = state("velocity of bead {{i}} of {self.name} relative to the frame's origin, in axes of N", "m/s", lambda self: np.zeros((self.beads, 3)), output=False, calculated=True, derivative="{self.name}.bead_acceleration", derivative_unit="m/s2")
    pulls = discrete("the segment of {self.name} pulls", "", lambda self: np.zeros(self.beads + 1), kind="boolean", output=False, calculated=True)
    tension = output("tension of tether {self.name} at its first end", "N")
    tension_b = output("tension of tether {self.name} at its second end", "N")
    path_length = output("length of tether {self.name} along its beads", "m", name="length")
    # fmt: on

    @property
    def indicator_count(self):
        return self.beads + 1 + (1 if self.cutter and self.cutter.time is not None else 0)

    @property
    def switches(self):
        return self.cutter is not None

    def parts(self):
        return (*super().parts(), *(part for part in (self.exposure, self.cutter) if part is not None))

    def output_values(self, view: View, multipliers):
        chain, emf = self._chain(view), []
        if self.exposure is not None and self.exposure.magnetic is not None:
            emf = [self._along(view).emf]
        return np.array([*emf, chain.pull[0], chain.pull[-1], sum(chain.lengths)])

    def _along(self, view: View) -> Along:
        """Loads of air and current on the segments."""
        if Along not in view.kept:
            chain, there, closed = self._chain(view), np.ones(self.beads + 1), 1.0
            if self.cutter is not None:
                closed = self.cutter.whole(view)
                i = self.cutter.segment(self.beads)
                there = np.array([*there[:i], closed, *there[i + 1 :]])
            inner, outer = (chain.place[:-1], chain.velocity[:-1]), (chain.place[1:], chain.velocity[1:])
            view.kept[Along] = (
                self.exposure.along(view, inner, outer, there, closed) if self.exposure else Along.nothing(there)
            )
        return view.kept[Along]

    def _chain(self, view: View) -> Chain:
        if Chain not in view.kept:
            view.kept[Chain] = self._moving(view)
        return view.kept[Chain]

    def _moving(self, view: View) -> Chain:
        place = np.vstack([view.a.position, view.x[self.bead_position], view.b.position])
        velocity = np.vstack([view.a.velocity, view.x[self.bead_velocity], view.b.velocity])
        rest, rest_rate, _ = self.length_values(view)
        k, c = view.k[self.stiffness], view.k[self.damping]
        of = [(rest / n, rest_rate / n, k * n, c * n) for n in (2 * self.beads, self.beads)]  # at an end, between beads
        each = zip(place[:-1], place[1:], velocity[:-1], velocity[1:], view.d[self.pulls], strict=True)
        parts = [_segment(*ends, *of[0 < i < self.beads]) for i, ends in enumerate(each)]
        return Chain(place, velocity, *map(np.array, zip(*parts, strict=True)))

    def effort(self, view: View) -> Effort:
        chain, pulls = self._chain(view), view.d[self.pulls]
        elastic = pulls * self._stiffnesses(view) * chain.stretch
        mass = view.k[self.total_mass] / self.beads
        height = sum(view.weight(mass, place)[1] for place in chain.place[1:-1])
        along = self._along(view)
        return Effort.of_forces(
            chain.tension[0] + along.half[0],
            along.half[-1] - chain.tension[-1],
            potential=pulls @ self._stored(view, chain) + height,
            dissipated=(chain.pull - elastic) @ chain.stretch_rate + along.taken,
            power=along.work - sum(chain.pull / self._pieces) * self.length_values(view)[1],
        )

    def _stored(self, view: View, chain: Chain):
        """½ k s² of each segment, if it pulls."""
        return 0.5 * self._stiffnesses(view) * chain.stretch * chain.stretch

    @property
    def _pieces(self):
        """(N+1,) the number of segments of each length that make up the cable."""
        return np.array([2.0 * self.beads, *[float(self.beads)] * (self.beads - 1), 2.0 * self.beads])

    def _stiffnesses(self, view: View):
        """Of each segment, (N+1,)."""
        return view.k[self.stiffness] * self._pieces

    def state_rates(self, view: View):
        velocities, accelerations = self._chain(view).velocity[1:-1], self._accelerations(view)
        return np.concatenate([super().state_rates(view), velocities.ravel(), accelerations.ravel()])

    def _accelerations(self, view: View):
        """Of the beads, (beads, 3)."""
        chain = self._chain(view)
        mass = view.k[self.total_mass] / self.beads
        half = self._along(view).half
        weights = np.array([view.weight(mass, place)[0] for place in chain.place[1:-1]]) + half[:-1] + half[1:]
        each = zip(chain.tension[:-1], chain.tension[1:], weights, strict=True)
        return np.array([_accelerated(*forces, reciprocal(mass)) for forces in each])

    def particles(self, view: View):
        chain = self._chain(view)
        mass = view.k[self.total_mass] / self.beads
        return np.array([mass] * self.beads), chain.place[1:-1], chain.velocity[1:-1], self._accelerations(view)

    def initial_states(self, view: View):
        """The reel's as given; beads in the middles of equal parts of the line between the ends, with velocities in between theirs."""
        along = ((np.arange(self.beads) + 0.5) / self.beads)[:, None]
        places = (1.0 - along) * view.a.position + along * view.b.position
        velocities = (1.0 - along) * view.a.velocity + along * view.b.velocity
        reeled = [] if self.reel is None else self.reel.values(view)[:2]
        return np.concatenate([reeled, places.ravel(), velocities.ravel()])

    def _margins(self, view: View):
        """(N+1,) positive where a segment pulls: the lesser of s and (k s + c ṡ)/k, relative to the segment's length."""
        chain, length = self._chain(view), self.length_values(view)[0]
        each = zip(chain.stretch, chain.force, self._pieces, strict=True)
        return np.array([minimum(s, f / (self.stiffness.start * n)) / (length / n) for s, f, n in each])

    def initial(self, view: View):
        return self._modes(view, self._margins(view))

    def indicators(self, view: View, multipliers):
        margins = self._margins(view)
        return margins if self.cutter is None else np.concatenate([margins, self.cutter.indicators(view)])

    def decide(self, view: View, g, rate) -> Decision:
        """A damped segment stops pulling before its spring is relaxed: that energy is lost, unless it pulls again before."""
        modes = self._modes(view, g[: self.beads + 1])
        stopped = view.d[self.pulls] - modes[-self.beads - 1 :]
        return Decision(modes, lost=stopped @ self._stored(view, self._chain(view)))

    def _modes(self, view: View, margins):
        """Whether it is cut, taut while all segments pull, slack events, and which segments pull."""
        pulls, severed, whole = [where(margin > 0.0, 1.0, 0.0) for margin in margins], [], reduce(minimum, margins)
        if self.cutter is not None:
            severed = [self.cutter.decided(view)]
            i = self.cutter.segment(self.beads)
            pulls[i], whole = (1.0 - severed[0]) * pulls[i], whole - severed[0] * (1.0 + whole * whole)
        return np.array([*severed, *self.counted(view, whole), *pulls])


@shared
def _segment(inner, outer, inner_velocity, outer_velocity, pulls, rest, rest_rate, k, c):
    """T n (3,), k s + c ṡ, T, s, ṡ and length of one segment between two places (3,)."""
    span = outer - inner
    length = np.sqrt(span @ span + TINY)
    n = span * reciprocal(length)  # one division instead of three: divisions take half of a segment's time
    stretch, rate = length - rest, n @ (outer_velocity - inner_velocity) - rest_rate
    force = k * stretch + c * rate
    pull = where(pulls > 0.5, force, 0.0)
    return pull * n, force, pull, stretch, rate, length


@shared
def _accelerated(inner_pull, outer_pull, weight, per_mass):
    """r̈ (3,) of a bead between two segments, [m/s²]; per_mass [1/kg]."""
    return (outer_pull - inner_pull + weight) * per_mass
