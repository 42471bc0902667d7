"""Thrusters that burn propellant: the command held by the valve, the thrust's rise, the flow from tanks; and the events of valves and tanks.

    F = T p(f),  ṁ = F/c(f)     T the commanded thrust, held from event to event or lagged: τ Ṫ = asked − T

p and c follow the fill f of the first tank in a blow-down, else p = 1 and c is a parameter. A valve without a lag takes its command at events
(communication points, samples of a controller, a command that has changed by FOLLOWED): the flow jumps there, and its momentum with it (flow.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.scalar import absolute, maximum, reciprocal, where
from ..bodies.body import Node
from ..constraints.connection import Decision, View
from ..constraints.watch import Watch
from ..system.formula import Curve
from ..system.pieces import Declared, Piece, discrete, input_, parameter, state
from ..system.signals import SMALLEST, Bag, Parameter
from .tank import Tank

G0 = 9.80665  # [m/s²], for specific impulse in seconds
NOTHING_ASKED = 1e-9  # [N]
FOLLOWED = 0.01  # relative change of the command that triggers an event
EMPTY, AGAIN = 1e-11, 1e-9  # of the capacity, above the residual: empty up to the first, filled again from the second


@dataclass(frozen=True)
class Level(Watch):
    """Whether a tank is empty: an event where its propellant falls to the residual."""

    tank: Tank
    name: str = ""

    empty = discrete("whether {self.name} has nothing left to draw", start=0.0, kind="boolean", calculated=True)

    def _above(self, x: Bag, k: Bag):
        return (x[self.tank.propellant] - k[self.tank.residual]) / k[self.tank.capacity]

    def initial(self, view: View):
        return np.array([where(self._above(view.x, view.k) > EMPTY, 0.0, 1.0)])

    def indicators(self, view: View, multipliers):
        return np.array([self._above(view.x, view.k) - where(view.d[self.empty] > 0.5, AGAIN, 0.0)])

    def decide(self, view: View, g, rate) -> Decision:
        above, was = self._above(view.x, view.k), view.d[self.empty]
        return Decision(np.array([where(above > AGAIN, 0.0, where(above > EMPTY, was, 1.0))]), active=0.0)


@dataclass(frozen=True)
class Feed:
    """A tank that a thruster draws from, and its share of the flow."""

    level: Level
    share: float

    @property
    def tank(self) -> Tank:
        return self.level.tank


@dataclass(frozen=True)
class BlowDown:
    """Thrust over that of the full command, and exhaust velocity [m/s], over the fill."""

    thrust: Curve
    exhaust_velocity: Curve


@dataclass(frozen=True)
class Burner(Piece):
    """A thruster that draws propellant. `direction`: unit vector of its force; its place is a parameter."""

    name: str
    terminal = "thruster"
    body: int
    node: Node
    direction: tuple[float, float, float]
    feeds: tuple[Feed, ...]
    exhaust_velocity: Declared[Parameter] = parameter(
        "effective exhaust velocity of {self.name}", "m/s", None, min=SMALLEST
    )
    rise_time: Declared[Parameter] = parameter("time constant with which the thrust of {self.name} rises", "s", None, min=SMALLEST)  # fmt: skip
    fall_time: Declared[Parameter] = parameter("time constant with which it falls", "s", None, min=SMALLEST)
    blow_down: BlowDown | None = None

    force = input_("commanded thrust of {self.name} along its direction", "N", min=0.0)
    place = parameter("place of {self.name} from the frame of its body, in axes of that body", "m", lambda self: self.node.position)  # fmt: skip
    lagged = state("thrust that {self.name} has built up", "N", name="thrust", when=lambda self: self.rise_time, derivative_unit="N/s", min=0.0)  # fmt: skip

    def laws(self, k):
        own = (self.exhaust_velocity, self.rise_time, self.fall_time)
        return [(f"{each.name} must be positive", k[each]) for each in own if each is not None]

    @property
    def valve(self) -> Valve:
        """The valve of a thruster without a lag."""
        return Valve(self, self.name)

    def asked(self, u: Bag):
        """Commanded thrust [N]."""
        return maximum(u[self.force], 0.0)

    @property
    def shown_force(self) -> str:
        """The quantity from which pictures draw its plume."""
        return f"{self.name}.given_force"

    def position(self, k):
        return k[self.place]

    def open(self, d: Bag):
        """1, or 0 if one of its tanks is empty: a factor instead of a conditional, which would be repeated in every product with the flow."""
        return np.prod([1.0 - d[feed.level.empty] for feed in self.feeds])

    def commanded(self, x: Bag, d: Bag):
        """T [N], and 0 without propellant."""
        return (d[self.valve.held] if self.lagged is None else x[self.lagged]) * self.open(d)

    def commanded_rate(self, x: Bag, u: Bag, k: Bag):
        """Ṫ [N/s]."""
        if self.lagged is None:
            return 0.0
        missing = self.asked(u) - x[self.lagged]
        return missing * where(missing > 0.0, reciprocal(k[self.rise_time]), reciprocal(k[self.fall_time]))

    def pressed(self, x: Bag | None, k: Bag):
        """p(f), c(f) [m/s], p/c [s/m] and its slope over the fill."""
        if self.blow_down is None:
            return 1.0, k[self.exhaust_velocity], reciprocal(k[self.exhaust_velocity]), 0.0
        fill = self.feeds[0].tank.fill(k, x)
        (p, p1, _), (c, c1, _) = self.blow_down.thrust.parts(fill), self.blow_down.exhaust_velocity.parts(fill)
        return p, c, p / c, (p1 * c - p * c1) / (c * c)


@dataclass(frozen=True)
class Valve(Watch):
    """The command of a thruster without a lag, at the last event."""

    burner: Burner
    name: str = ""

    held = discrete("thrust that the valve of {self.name} is open for", "N", output=False, calculated=True, name="held")

    def initial(self, view: View):
        """A thruster whose command is on at the start is already burning."""
        return np.array([self.burner.asked(view.u)])

    def indicators(self, view: View, multipliers):
        asked, held = self.burner.asked(view.u), view.d[self.held]
        return np.array([FOLLOWED - absolute(asked - held) / (maximum(asked, held) + NOTHING_ASKED)])

    def decide(self, view: View, g, rate) -> Decision:
        return Decision(np.array([self.burner.asked(view.u)]), active=0.0)
