"""The interface of connections: couplings, relations and tethers. The defaults here mean that the connection has no such part.

A connection joins two ends `a` and `b`. It may have `rows` conditions (Lagrange multipliers), forces at its ends, states and discrete
states, and be open or closed. All its data come from a View.
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

    `kept`: values that the connection has already computed for this instant. `nq`: where speeds begin in x; `q_dot` (nq,); `rates_of(q, v)` → q̇ = T(q) v; `weight(mass, position_N)` → force (3,) [N] in N and potential [J] of a particle.
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
    scene: Any  # place and rotation of the frame S of the roots (spacefmu.dynamics.environment.frames)
    whole: Callable[[], Totals]  # mass, mass centre and momentum of all bodies and particles
    ends_near: Callable[
        [], tuple[Grip, Grip] | None
    ]  # a and b relative to a body that carries both (tree/carrier.py), in its axes; None if there is none
    kept: dict = field(default_factory=dict)

    @cached_property
    def near(self) -> View:
        """The same with ends relative to a nearby body, for conditions between them, which do not depend on the reference."""
        ends = self.ends_near()
        return self if ends is None else replace(self, a=ends[0], b=ends[1], kept={})

    def speed_row(self, speed: Quantity | str) -> Any:
        """Row (nv,) that selects a speed from v."""
        return np.eye(self.nv)[self.x.index(speed) - self.nq]

    def coordinate_rate(self, coordinate: Quantity | str) -> Any:
        """Derivative in time of a coordinate."""
        return self.q_dot[self.x.index(coordinate)]

    @cached_property
    def coordinate_map(self) -> Any:
        """T(q) (nq, nv): q̇ = T v, tangent to unit quaternions."""
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
    """The conditions, m rows: G v = driven, and φ = 0 on the rows that are `positional`.

    residual    (m,) φ, zero on rows that are conditions only on velocities
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
    """The forces of a connection: wrenches (6,), force and torque in N, on its ends; stored energy [J]; dissipated and input power [W]."""

    on_a: np.ndarray
    on_b: np.ndarray
    potential: Any = 0.0
    dissipated: Any = 0.0
    power: Any = 0.0

    @classmethod
    def of_forces(cls, on_a: Any, on_b: Any, **energies: Any) -> Effort:
        """From forces (3,) without torques."""
        return cls(np.concatenate([on_a, AT_REST]), np.concatenate([on_b, AT_REST]), **energies)


@dataclass(frozen=True)
class Decision:
    """Outcome of an event at one connection.

    discretes    its new discrete states
    due          1 if it makes velocities jump, else 0
    active       1 if its rows take part in a jump (its own or another connection's)
    restitution  e: in a jump, rate⁺ = −e rate
    lost         energy [J] that the change removes from the stored energy
    states       its own states from now on; None: unchanged
    pulse        (6,) impulse [N s] and its moment [N m s] on its end a, in N
    """

    discretes: np.ndarray
    due: Any = 0.0
    active: Any = 1.0
    restitution: Any = 0.0
    lost: Any = 0.0
    states: Any = None
    pulse: Any = None


class Connection(Piece):
    """Base of all connections: subclasses are frozen dataclasses with `name`, `a` and `b`."""

    name: str
    terminal = "coupling"
    a: End
    b: End
    rows: Any = 0
    indicator_count: Any = 0
    switches: Any = False  # whether an input can open or close it
    timed: Any = False  # whether it has time events
    settles: bool = False  # whether its rates follow its end a's acceleration, and its states jumps of speeds
    seen_as: str = ""  # the line drawn between its ends (spacefmu.dynamics.picture), if any

    def output_values(self, view: View, multipliers: Any) -> Any:
        return NOTHING

    def conditions(self, view: View) -> Conditions | None:
        """Its conditions while it is active; None without rows."""
        return None

    def active(self, d: Bag) -> Any:
        """1 while its rows are enforced, else 0."""
        return 1.0

    def effort(self, view: View) -> Effort | None:
        return None

    def wrenches(self, view: View, multipliers: Any) -> Any:
        """(6,) force and torque at each of its ends, in N; zero if it acts along speeds, so that joints carry it."""
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
        """Its own states after a jump of velocities, where it `settles`; `before`: those it decided on."""
        return self.initial_states(after)

    def own_energy(self, view: View) -> Any:
        """Where it `settles`: the energy [J] of its own mass, and the part of its mass [kg] that a body at its end a carries."""
        return 0.0, 0.0

    def particles(self, view: View) -> Any:
        """(masses (n,), positions (n, 3), velocities (n, 3), accelerations (n, 3)) in N of mass that belongs to no body; None if there is none."""
        return None

    def initial_states(self, view: View) -> Any:
        """Its own states at the start: as given, or fitted to the bodies."""
        return np.concatenate([NOTHING, *(np.ravel(view.x[state]) for state in self.states())])

    def initial(self, view: View) -> Any:
        """Its discrete states at the start."""
        return NOTHING

    def indicators(self, view: View, multipliers: Any) -> Any:
        return NOTHING

    def decide(self, view: View, g: Any, rate: Any) -> Decision:
        """The effect of an event. g: its own indicators; rate (m,) of its conditions."""
        return Decision(NOTHING)

    def next_time(self, t: Any, k: Bag, d: Bag) -> Any:
        """The time of its next time event, not before t; inf without one."""
        return np.inf

    def note_loss(self, discretes: Any, energy: Any) -> Any:
        """Its discrete states after a jump that lost `energy` [J] in its rows."""
        return discretes
