"""What every connection answers: couplings, relations and tethers alike. The defaults here are "nothing of that kind".

A connection joins two ends `a` and `b`. It may ask for `rows` conditions (Lagrange multipliers), pull at its ends by
itself, have states and discrete states of its own, and be open or closed. A View is all it sees.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..algebra.dual import duals, rates_of
from ..system.pieces import Piece
from ..system.signals import Bag, Quantity
from ..tree.totals import Totals
from .grip import End, Grip

NOTHING = np.zeros(0)
AT_REST = np.zeros(3)


@dataclass(frozen=True)
class View:
    """One instant as a connection sees it: its two ends, all signals by name, and the fields of gravity around it.

    `kept`: what the connection has computed of this instant already. `nq`: where speeds begin in x; `q_dot` (nq,); `rates_of(q, v)` → q̇ = T(q) v; `weight(mass, position_N)` → force (3,) [N] in N and potential [J] of a particle.
    """

    t: Any
    a: Grip
    b: Grip
    x: Bag
    u: Bag
    k: Bag
    d: Bag
    nq: int
    nv: int
    q_dot: np.ndarray
    rates_of: Callable
    weight: Callable
    scene: Any  # where the frame S is that roots start from, and how it turns (spacefmu.dynamics.environment.frames)
    whole: Callable[[], Totals]  # mass, mass centre and momentum of all bodies and particles
    ends_near: Callable[
        [], tuple[Grip, Grip] | None
    ]  # a and b from a body that carries both (tree/carrier.py), in its axes; None: none does
    kept: dict = field(default_factory=dict)

    @cached_property
    def near(self) -> View:
        """The same with ends from near by, for conditions between them: these are the same from everywhere."""
        ends = self.ends_near()
        return self if ends is None else replace(self, a=ends[0], b=ends[1], kept={})

    def speed_row(self, speed: Quantity | str) -> Any:
        """Row (nv,) that picks a speed out of v."""
        return np.eye(self.nv)[self.x.index(speed) - self.nq]

    def coordinate_rate(self, coordinate: Quantity | str) -> Any:
        """Derivative in time of a coordinate."""
        return self.q_dot[self.x.index(coordinate)]

    @cached_property
    def coordinate_map(self) -> Any:
        """T(q) (nq, nv): q̇ = T v. What it maps to is tangent to unit quaternions."""
        return np.column_stack([np.zeros((self.nq, 0)), *(self.rates_of(self.q, e) for e in np.eye(self.nv))])

    @cached_property
    def bent_rates(self) -> Any:
        """Ṫ v (nq,): q̈ at v̇ = 0."""
        return rates_of(self.rates_of(duals(self.q, self.q_dot), self.v))

    @property
    def q(self) -> Any:
        return self.x.values[: self.nq]

    @property
    def v(self) -> Any:
        return self.x.values[self.nq : self.nq + self.nv]


@dataclass(frozen=True)
class Conditions:
    """What is asked for, m rows: G v = driven, and φ = 0 on the rows that are `positional`.

    residual    (m,) φ, zero on rows that are conditions on velocities alone
    jacobian    (m, nv) G
    rate        (m,) G v − driven
    gamma       (m,) of G v̇ = γ
    positional  (m,) numbers 1 or 0
    driven      (m,) rate that a drive prescribes: the rheonomic part −b of [stroe] (30)
    """

    residual: np.ndarray
    jacobian: np.ndarray
    rate: np.ndarray
    gamma: np.ndarray
    positional: np.ndarray
    driven: np.ndarray


@dataclass(frozen=True)
class Effort:
    """What a connection does by itself: wrenches (6,), force and torque in N, on its ends; stored energy [J]; dissipated and input power [W]."""

    on_a: np.ndarray
    on_b: np.ndarray
    potential: Any = 0.0
    dissipated: Any = 0.0
    power: Any = 0.0

    @classmethod
    def of_forces(cls, on_a: Any, on_b: Any, **energies: Any) -> Effort:
        """Of forces (3,) alone."""
        return cls(np.concatenate([on_a, AT_REST]), np.concatenate([on_b, AT_REST]), **energies)


@dataclass(frozen=True)
class Decision:
    """Outcome of an event at one connection.

    discretes    its new discrete states
    due          1 if velocities have to jump because of it, else 0
    active       1 if its rows take part in a jump (its own or another connection's)
    restitution  e: in a jump, rate⁺ = −e rate
    lost         energy [J] that the change itself takes from what the connection stores
    states       its own states from now on; None: as they are
    pulse        (6,) impulse [N s] and its moment [N m s] that it gives to its end a, in N
    """

    discretes: np.ndarray
    due: Any = 0.0
    active: Any = 1.0
    restitution: Any = 0.0
    lost: Any = 0.0
    states: Any = None
    pulse: Any = None


class Connection(Piece):
    """Base of all pieces: subclasses are frozen dataclasses with `name`, `a` and `b`."""

    name: str
    terminal = "coupling"
    a: End
    b: End
    rows: Any = 0
    indicator_count: Any = 0
    switches: Any = False  # whether an input can open or close it
    timed: Any = False  # whether it has time events
    settles: bool = False  # whether its rates follow its end a's acceleration, and its states jumps of speeds
    seen_as: str = ""  # the line that is drawn between its ends (spacefmu.dynamics.picture), if any

    def output_values(self, view: View, multipliers: Any) -> Any:
        return NOTHING

    def conditions(self, view: View) -> Conditions | None:
        """What holds while it is active; None without rows."""
        return None

    def active(self, d: Bag) -> Any:
        """1 while its rows hold, else 0."""
        return 1.0

    def effort(self, view: View) -> Effort | None:
        return None

    def wrenches(self, view: View, multipliers: Any) -> Any:
        """(6,) force and torque at each of its ends, in N; zero where it acts along speeds: joints then carry it."""
        effort = self.effort(view)
        return (np.zeros(6), np.zeros(6)) if effort is None else (effort.on_a, effort.on_b)

    def state_rates(self, view: View) -> Any:
        return NOTHING

    def late_rates(self, view: View, acceleration: Any) -> Any:
        """Rates of its states, where it `settles`: with the acceleration (3,) of end a in N."""
        return self.state_rates(view)

    def late_power(self, view: View, acceleration: Any) -> Any:
        """Input power [W] beside its effort's, where it `settles`."""
        return 0.0

    def settled(self, before: View, after: View) -> Any:
        """Its own states after a jump of velocities, where it `settles`; `before`: as it decided."""
        return self.initial_states(after)

    def own_energy(self, view: View) -> Any:
        """Where it `settles`: energy [J] of all that is its own, and the mass [kg] of that which a body at its end a has."""
        return 0.0, 0.0

    def particles(self, view: View) -> Any:
        """(masses (n,), positions (n, 3), velocities (n, 3), accelerations (n, 3)) in N of mass that belongs to no body; None without."""
        return None

    def initial_states(self, view: View) -> Any:
        """Its own states at the start: as given, or placed to suit the bodies."""
        return np.concatenate([NOTHING, *(np.ravel(view.x[state]) for state in self.states())])

    def initial(self, view: View) -> Any:
        """Its discrete states at the start."""
        return NOTHING

    def indicators(self, view: View, multipliers: Any) -> Any:
        return NOTHING

    def decide(self, view: View, g: Any, rate: Any) -> Decision:
        """What an event changes. g: its own indicators; rate (m,) of its conditions."""
        return Decision(NOTHING)

    def next_time(self, t: Any, k: Bag, d: Bag) -> Any:
        """Of its next time event, not before t; inf without one."""
        return np.inf

    def note_loss(self, discretes: Any, energy: Any) -> Any:
        """Its discrete states after a jump that lost `energy` [J] in its rows."""
        return discretes
