"""A tether with mass that leaves a reel: a chain of beads to which material is added at the outlet.

The whole tether is N + 1 parts of the length h. A bead of the mass ρh stands in the middle of each part that is out, counted from the second end, where half a
part ends. Between the outlet and the first bead that is out is the segment at the reel (outlet.py), of the unstretched length ℓ:

    ℓ = 2h     a bead is born in its middle, with the mass, place and velocity that the material there has
    ℓ = 2h/3   the first bead becomes a part of the segment, which is then 5h/3 long
    full, least length, a cut   the reel stops at once, after a cut for good

Stowed beads move with the outlet. At a birth mass, mass centre, momentum, angular momentum and energy do not change. At a merger, and at a stop, the missing
momentum P and angular momentum H about the outlet (velocities relative to the mass centre) are given to the next bead and the host:

    I_1 = H×d/d² + (P·n) n on the bead,   P − I_1 on the host at the outlet,   the couple (H·n) n on the host,   d = r_1 − r_o along n

(where the reel stops, the impulse along n leaves the bead's momentum ½b u_m + m v_1 as it is)
and the energy lost is recorded. Strain ε = |Δr|/rest − 1 of a segment, tension EA ε + c_A ε̇ while both ε and this are positive; EA = k L_full,
c_A = c L_full. Events of segments as in beaded.py. Air and current along it as in exposed.py, with the
velocity of the material: at the outlet u_o more than the outlet's. Their force f on the segment there adds ½f·d/ℓ to what draws material out. Torsion and
bending are left out. Proved by tests/tether/test_deployed.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from ..algebra.scalar import both, minimum, reciprocal, where
from ..constraints.connection import AT_REST, Connection, Decision, Effort, View
from ..constraints.grip import End
from ..system.pieces import Declared, discrete, output, parameter, state
from ..system.signals import Parameter
from .cut import Cutter
from .exposed import Along, Exposure
from .merging import CUT, Change, changed
from .outlet import Leaving, Stock, leaving, pushed_out
from .spool import BORN, MERGED, Spool
from .strand import Strand, material_ends, moving, strained

STOPPED = 1e-6  # [h] how far the reel must leave its stop to be free again


@dataclass(frozen=True)
class Deployed(Connection):
    """a is the frame of the spool's body, at the outlet."""

    name: str
    terminal = "cable"
    a: End
    b: End
    spool: Spool
    least: float
    stiffness: Declared[Parameter] = parameter("stiffness of the whole tether {self.name}", "N/m", 1.0, min=0.0, tunable=True)  # fmt: skip
    damping: Declared[Parameter] = parameter("damping of the whole tether {self.name}", "N.s/m", min=0.0, tunable=True)
    exposure: Exposure | None = None
    cutter: Cutter | None = None
    seen_as = "cable"
    settles = True

    # fmt: off
    bead_position = state("position of bead {{i}} of {self.name} from the frame's origin, in axes of N", "m", lambda self: np.zeros((self.beads, 3)), output=False, calculated=True, derivative="{self.name}.bead_velocity", reinit=True)
    bead_velocity = state("velocity of bead {{i}} of {self.name} relative to the frame's origin, in axes of N", "m/s", lambda self: np.zeros((self.beads, 3)), output=False, calculated=True, derivative="{self.name}.bead_acceleration", derivative_unit="m/s2", reinit=True)
    taut = discrete("tether {self.name} is taut", kind="boolean", calculated=True)
    slack_events = discrete("times tether {self.name} has gone slack", kind="integer", calculated=True)
    beads_out = discrete("beads of {self.name} that are out of the reel", kind="integer", calculated=True)
    stopped = discrete("the reel of {self.name} is at its stop: 1 at full length, -1 at the least; 2 after a cut", kind="integer", calculated=True)
    pulls = discrete("the segment of {self.name} pulls", "", lambda self: np.zeros(self.beads + 1), kind="boolean", output=False, calculated=True)
    tension = output("tension of tether {self.name} at the reel", "N")
    tension_b = output("tension of tether {self.name} at its second end", "N")
    path_length = output("length of tether {self.name} along its beads", "m", name="length")
    stowed_mass = output("mass of tether {self.name} on its reel", "kg")
    reel_power = output("power of the drive of {self.name}'s reel", "W")
    # fmt: on

    def parts(self):
        return (self.spool.reel, *(part for part in (self.exposure, self.cutter) if part is not None))

    @property
    def beads(self) -> int:
        return self.spool.reel.beads

    @property
    def reel(self):
        return self.spool.reel

    @property
    def indicator_count(self):
        return self.beads + 5 + (1 if self.cutter and self.cutter.time is not None else 0)

    @property
    def switches(self):
        return self.cutter is not None

    # ---- the chain

    def length_values(self, view: View):
        """L, L̇, L̈. The segment at the outlet and the input drive the drum."""
        reel, x = self.reel, view.x
        if "reeled" not in view.kept:
            asked = self._unwound(view) if reel.braked else view.u[reel.acceleration]
            stop = view.d[self.stopped]
            held = where(both(stop > 0.5, asked > 0.0), 0.0, where(both(stop < -0.5, asked < 0.0), 0.0, asked))
            view.kept["reeled"] = held if self.cutter is None else self.cutter.whole(view) * held
        return x[reel.position], x[reel.rate], view.kept["reeled"]

    def _unwound(self, view: View):
        """L̈ of a drum that the tether turns: Q = −pull, with the first bead and the segment at the outlet; the outlet's acceleration is taken as that of free fall."""
        line, k, spool = self._line(view), view.k, self.spool
        stock = self._stock(view)
        still = leaving(stock, line.place - view.a.position, line.velocity - view.a.velocity)  # at L̈ = 0
        falls = view.weight(1.0, view.a.position)[0]
        _, on_first, _ = self._pulled(view, stock, still)
        first = (on_first - 0.25 * stock.middle * falls) / (stock.bead + 0.25 * stock.middle)
        inert = k[spool.drum_mass] + spool.stowed(k, view.x[self.reel.position])
        share = still.d / stock.length
        needed = self._needed(view, stock, still, falls, first)
        return -(view.u[self.reel.pull] + needed) / (inert + stock.carried * (share @ share))

    def _needed(self, view: View, stock: Stock, seen: Leaving, outlet, first):
        """Q [N] by the accelerations of outlet and first bead (3,), less that of the drum's own inertia."""
        line = self._line(view)
        higher = view.weight(1.0, view.a.position + 0.5 * seen.d)[1] - view.weight(1.0, view.a.position)[1]
        drawn = line.first @ (self._drawn(view, line)[:-1] + self._pushes(view, line))
        return pushed_out(stock, seen, outlet, first) - 0.5 * stock.rho * stock.rate * stock.rate + stock.rho * higher - drawn  # fmt: skip

    def _drawn(self, view: View, line: Strand):
        """(N+1,) EA (ε + ε²/2) + c_A ε̇ (1 + ε) of each segment that pulls: the force that draws material into it, −∂V/∂L and damping."""
        EA, cA = self.material(view)
        return view.d[self.pulls] * (
            EA * line.strain * (1.0 + 0.5 * line.strain) + cA * line.strain_rate * (1.0 + line.strain)
        )

    def _along(self, view: View, line: Strand) -> Along:
        """Loads of air and current on the segments."""
        if Along not in view.kept:
            there, closed = np.array([*line.out, 1.0]), 1.0
            if self.cutter is not None:
                closed = self.cutter.whole(view)
                there = there * (1.0 - (1.0 - closed) * self._at_cut(view, line.out))
            view.kept[Along] = Along.nothing(there)
            if self.exposure is not None:
                inner, outer = material_ends(self, view, line)
                view.kept[Along] = self.exposure.along(view, inner, outer, there, closed)
        return view.kept[Along]

    def _pushes(self, view: View, line: Strand):
        """(N,) ½f·d/ℓ of each inner segment, if it is the one at the outlet: the share of air and current in what draws material out."""
        if self.exposure is None:
            return np.zeros(self.beads)
        return self._along(view, line).half[:-1] @ (line.place - view.a.position) / view.x[self.reel.outlet_length]

    def _at_cut(self, view: View, out):
        """(N+1,) 1 for the segment that is cut."""
        assert self.cutter is not None
        return self.cutter.segment_out(view.x[self.reel.position] / self.reel.part, out)

    def material(self, view: View):
        """EA [N] and c_A [N s]."""
        return view.k[self.stiffness] * self.reel.full, view.k[self.damping] * self.reel.full

    def _line(self, view: View) -> Strand:
        if Strand not in view.kept:
            view.kept[Strand] = moving(self, view, view.d[self.beads_out])
        return view.kept[Strand]

    def _outlet(self, view: View) -> tuple[Stock, Leaving]:
        """The segment at the outlet."""
        if Leaving not in view.kept:
            line = self._line(view)
            stock = self._stock(view, self.length_values(view)[2])
            seen = leaving(stock, line.place - view.a.position, line.velocity - view.a.velocity)
            view.kept[Leaving] = stock, seen
        return view.kept[Leaving]

    def _stock(self, view: View, acceleration=0.0) -> Stock:
        return self.spool.stock(view.k, view.x[self.reel.outlet_length], view.x[self.reel.rate], acceleration)

    def _weights(self, view: View):
        if "weights" not in view.kept:
            view.kept["weights"] = self._weighed(view)
        return view.kept["weights"]

    def _weighed(self, view: View):
        """Forces (N, 3) on the beads if they are out, force on the middle (3,); potential of all material, and that of the body of the spool."""
        line, stock = self._line(view), self._stock(view)
        k, length, outlet = view.k, view.x[self.reel.position], view.a.position
        beads = [view.weight(stock.bead, place) for place in view.x[self.bead_position]]
        middle, height = view.weight(stock.middle, outlet + 0.5 * (line.place - outlet))
        felt = self.spool.felt(k, length, stock.length)
        more, rest = view.weight(self.spool.stowed(k, length) + stock.end - felt, outlet)
        potential = height + rest + line.out @ np.array([each for _, each in beads])
        return np.array([force for force, _ in beads]), middle, more, potential

    # ---- forces

    def _forces(self, view: View):
        if "forces" not in view.kept:
            view.kept["forces"] = self._pulled(view, *self._outlet(view))
        return view.kept["forces"]

    def _pulled(self, view: View, stock: Stock, seen: Leaving):
        """F on the beads if they are out (N, 3), F_1 − R_1 on the first, and the force on the host (3,)."""
        line = self._line(view)
        weights, middle, more, _ = self._weights(view)
        half = self._along(view, line).half
        forces = line.tension[1:] - line.tension[:-1] + weights + half[:-1] + half[1:]
        on_first = line.first @ forces + 0.5 * middle - seen.on_bead
        on_outlet = line.first @ (line.tension[:-1] + half[:-1]) + 0.5 * middle + more - seen.on_outlet
        return forces, on_first, on_outlet - stock.share * on_first

    def effort(self, view: View) -> Effort:
        line = self._line(view)
        along = self._along(view, line)
        _, _, on_host = self._forces(view)
        EA, cA = self.material(view)
        k, spool, pulls = view.k, self.spool, view.d[self.pulls]
        length, rate, _ = self.length_values(view)
        turning = 0.5 * (k[spool.drum_mass] + spool.stowed(k, length)) * rate * rate
        return Effort.of_forces(
            on_host,
            along.half[-1] - line.tension[-1],
            potential=0.5 * EA * (pulls * line.rest) @ (line.strain * line.strain) + self._weights(view)[3] + turning,
            dissipated=cA * (pulls * line.rest) @ (line.strain_rate * line.strain_rate) + along.taken,
            power=along.work,
        )

    def late_power(self, view: View, outlet):
        """Q L̇ of the drive."""
        line, (stock, seen), k = self._line(view), self._outlet(view), view.k
        length, rate, acceleration = self.length_values(view)
        inert = k[self.spool.drum_mass] + self.spool.stowed(k, length)
        first = line.first @ self._accelerations(view, outlet)
        return (self._needed(view, stock, seen, outlet, first) + inert * acceleration) * rate

    def _accelerations(self, view: View, outlet):
        """Of the beads, (N, 3); stowed ones ride with the outlet, whose acceleration is `outlet` (3,)."""
        line, (stock, _) = self._line(view), self._outlet(view)
        forces, on_first, _ = self._forces(view)
        light, heavy = reciprocal(stock.bead), reciprocal(stock.bead + 0.25 * stock.middle)
        first = (on_first - 0.25 * stock.middle * outlet) * heavy
        each = zip(line.out, line.first, forces, strict=True)
        return np.array([where(b > 0.5, first, where(o > 0.5, force * light, outlet)) for o, b, force in each])

    def late_rates(self, view: View, outlet):
        _, rate, acceleration = self.length_values(view)
        velocities, accelerations = view.x[self.bead_velocity], self._accelerations(view, outlet)
        return np.concatenate([[rate, acceleration, rate], np.ravel(velocities), accelerations.ravel()])

    def particles(self, view: View):
        """What is stowed less what the spool's body has, the end and the middle of the segment at the outlet, and the beads. The accelerations' sum is the momentum's rate."""
        line, (stock, seen), k, outlet = self._line(view), self._outlet(view), view.k, view.kept.get("outlet", AT_REST)
        o, v = view.a.position, view.a.velocity
        length = view.x[self.reel.position]
        extra = self.spool.stowed(k, length) - self.spool.felt(k, length, stock.length)
        accelerations = self._accelerations(view, outlet)
        middle = 0.5 * (outlet + seen.kappa + line.first @ accelerations)
        flux = stock.rho * stock.rate / stock.bead * seen.middle
        accelerations = accelerations + np.outer(line.first, flux)
        return (
            np.array([extra, stock.end, stock.middle, *(stock.bead * line.out)]),
            np.vstack([o, o, o + 0.5 * seen.d, view.x[self.bead_position]]),
            np.vstack([v, v + seen.out, v + seen.middle, view.x[self.bead_velocity]]),
            np.vstack([outlet, outlet + seen.kappa, middle, accelerations]),
        )

    def output_values(self, view: View, multipliers):
        line = self._line(view)
        emf = [self._along(view, line).emf] if self.exposure is not None and self.exposure.magnetic is not None else []
        length = view.x[self.reel.position]
        path = line.out @ line.lengths[:-1] + line.lengths[-1]
        power = self.late_power(view, view.kept["outlet"])
        pulls = line.first @ line.pull[:-1], line.pull[-1]
        return np.array([*emf, *pulls, path, self.spool.stowed(view.k, length), power])

    # ---- start and events

    def initial_states(self, view: View):
        """Beads that are out along the line between the ends, by their unstretched distance from b, with velocities in between; the others at the outlet."""
        reel, a, b = self.reel, view.a, view.b
        length, rate = view.x[reel.position], view.x[reel.rate]
        if self.cutter is not None:
            rate = (1.0 - self.cutter.decided(view)) * rate
        count, first = reel.first(length)
        leaves = a.velocity + rate / length * (b.position - a.position)
        places, velocities = [], []
        for i in range(self.beads):
            share = (self.beads - i - 0.5) * reel.part / length
            out = count > self.beads - i - 0.5
            places.append(where(out, (1.0 - share) * b.position + share * a.position, a.position))
            velocities.append(where(out, (1.0 - share) * b.velocity + share * leaves, a.velocity))
        own = [length, rate, first]
        return np.concatenate([own, np.ravel(places), np.ravel(velocities)])

    def initial(self, view: View):
        length, reel = view.x[self.reel.position], self.reel
        count, _ = reel.first(length)
        line = moving(self, view, count)
        margins = self._margins(line)
        pulls, severed, whole = self._severed(view, _pulling(margins, line.out), line.out)
        low = where(length > self.least + STOPPED * reel.part, 0.0, -1.0)
        stop = where(length < reel.full - STOPPED * reel.part, low, 1.0)
        stop = whole * stop + (1.0 - whole) * CUT
        taut = whole * where(reduce(minimum, margins) > 0.0, 1.0, 0.0)
        return np.array([*severed, taut, 0.0, count, stop, *pulls])

    def _severed(self, view: View, pulls, out):
        """(N+1,) which segments pull after a cut, whether it is cut: [] or [1 or 0], and 1 while it is whole."""
        if self.cutter is None:
            return pulls, [], 1.0
        severed = self.cutter.decided(view)
        at = self._at_cut(view, out)
        return [(1.0 - severed * there) * own for own, there in zip(pulls, at, strict=True)], [severed], 1.0 - severed

    def _margins(self, line: Strand):
        """(N+1,) positive where a segment pulls: the lesser of ε and (EA ε + c_A ε̇)/EA; 1 where it is stowed."""
        EA = self.stiffness.start * self.reel.full
        own = [minimum(strain, force / EA) for strain, force in zip(line.strain, line.force, strict=True)]
        return np.array([*(where(out > 0.5, each, 1.0) for out, each in zip(line.out, own[:-1], strict=True)), own[-1]])

    def indicators(self, view: View, multipliers):
        """Margins of the segments; then those of a birth, of a merger, and of both stops, in parts."""
        reel, x, stop = self.reel, view.x, view.d[self.stopped]
        h, ell, length = reel.part, x[reel.outlet_length], x[reel.position]
        full = (reel.full - length) / h - where(stop > 0.5, STOPPED, 0.0)
        least = (length - self.least) / h - where(stop < -0.5, STOPPED, 0.0)
        time = [] if self.cutter is None else self.cutter.indicators(view)
        return np.array([*self._margins(self._line(view)), BORN - ell / h, ell / h - MERGED, full, least, *time])

    def decide(self, view: View, g, rate) -> Decision:
        margins = g[: self.beads + 1]
        pulls, severed, whole = self._severed(view, _pulling(margins, self._line(view).out), self._line(view).out)
        after = changed(self, view, g[self.beads + 1 : self.beads + 5], whole)
        taut = whole * where(reduce(minimum, margins) > 0.0, 1.0, 0.0)
        slack = view.d[self.slack_events] + view.d[self.taut] * (1.0 - taut)
        pulls = after.pulling(pulls, where(self._merged_margin(view, after) > 0.0, 1.0, 0.0))
        view.kept["impulse"] = after.impulse
        return Decision(
            np.array([*severed, taut, slack, after.count, after.stop, *pulls]), states=after.states, pulse=after.pulse
        )

    def _merged_margin(self, view: View, after: Change):
        """As _margins, of the segment that begins at the outlet after a merger."""
        EA, cA = self.material(view)
        ends = (view.a.position, view.a.velocity, after.place, after.velocity)
        _, force, _, strain, _, _ = strained(*ends, 1.0, after.length, after.rate, EA, cA)
        return minimum(strain, force / EA)

    def settled(self, before: View, after: View):
        """Its own states after a jump: the first bead that is out gets its impulse and its share of the outlet's jump."""
        line, (stock, _) = self._line(after), self._outlet(after)
        jump = after.a.velocity - before.a.velocity
        gained = (before.kept["impulse"] - 0.25 * stock.middle * jump) / (stock.bead + 0.25 * stock.middle)
        velocities = np.array(
            [
                own + where(out > 0.5, begins * gained, jump)
                for out, begins, own in zip(line.out, line.first, after.x[self.bead_velocity], strict=True)
            ]
        )
        reel = [after.x[state] for state in (self.reel.position, self.reel.rate, self.reel.outlet_length)]
        return np.concatenate([reel, np.ravel(after.x[self.bead_position]), velocities.ravel()])

    def own_energy(self, view: View):
        """Of all its material and of its drum [J], and the mass that its spool's body has [kg]."""
        stock, _ = self._outlet(view)
        felt = self.spool.felt(view.k, view.x[self.reel.position], stock.length)
        masses, _, velocities, _ = self.particles(view)
        v = view.a.velocity
        moving = 0.5 * masses @ np.sum(velocities * velocities, axis=1) + 0.5 * felt * (v @ v)
        return moving + self.effort(view).potential + view.weight(felt, view.a.position)[1], felt


def _pulling(margins, out):
    """(N+1,) 1 where a segment that is out pulls."""
    return [where(margin > 0.0, there, 0.0) for margin, there in zip(margins, [*out, 1.0], strict=True)]
