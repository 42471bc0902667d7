"""A route: one formulation of a spacecraft's motion, which provides the parts of its System (spacecraft/system.py assembles them).

TreeRoute     no rows: accelerations by the O(n) recursion, forces between bodies included (elastic and beaded tethers)
Coupled       rows: Kane's equations with multipliers; also in natural coordinates
InverseRoute  motions are given, drives are computed (dynamics/inverse)
ClosedForm, LinearSatellite   the formulations of [tkachev]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import numpy as np

from ..algebra.scalar import minimum, where
from ..constraints.connection import Connection, Decision, Effort, View
from ..constraints.grip import Grip, grip
from ..system.contract import Attitude, Projection, Staged
from ..system.layout import end_to_end
from ..system.signals import Bag
from ..tree.kane import PartialVelocities
from ..tree.kinematics import particle
from ..tree.totals import totals
from .motion import Dynamics, Moment


class Route:
    """The parts of a System, each as in spacefmu.dynamics.system.System. Without events, unless a route overrides them."""

    def __init__(self, dynamics: Dynamics, pieces: Sequence[Any]) -> None:
        self.dynamics, self.pieces = dynamics, pieces

    def motion(self) -> Staged:
        raise NotImplementedError

    @property
    def indicator_count(self) -> int:
        return 0

    @property
    def slow_indicators(self) -> bool:
        """Whether all indicators are those of followed frames."""
        watches = sum(watch.indicator_count for watch in self.dynamics.craft.watches if watch.slow)
        return self.indicator_count == watches

    def projections(self) -> tuple[Projection, ...]:
        return unit_quaternions(self.dynamics)

    def attitudes(self) -> tuple[Attitude, ...]:
        """The unit quaternions of all joints; their angular velocities are the last three speeds of the joint."""
        tree, joints, speeds = self.dynamics.tree, self.dynamics.craft.joints, self.dynamics.states["speeds"]
        spans = [(i, link.joint.quaternion) for i, link in enumerate(tree.links)] if tree.quaternions() else []
        return tuple(
            Attitude(joints[i].name, tree.joint_q[i].start + span.start, speeds.start + tree.joint_v[i].stop - 3)
            for i, span in spans
            if span is not None
        )

    def initialize(self, t: Any, x: Any, u: Any, k: Any, d: Any) -> tuple[Any, Any]:
        return self.dynamics.begun(t, x, k), d

    def next_time(self) -> Callable | None:
        """(t, x, u, k, d) → time of the next event of its connections; None where none of them has any."""
        timed = [connection for connection in self.dynamics.craft.couplings if connection.timed]

        def earliest(t: Any, x: Any, u: Any, k: Any, d: Any) -> Any:
            _, constants, discretes = self.dynamics.bags(u, k, d)
            return reduce(minimum, (connection.next_time(t, constants, discretes) for connection in timed))

        return earliest if timed else None

    def update(self) -> Staged | None:
        return None


def unit_quaternions(dynamics: Dynamics) -> tuple[Projection, ...]:
    """Unit quaternions as a projection: residual (|q|² − 1)/2, moved to q/|q| at once, however long; zero stays."""
    spans = dynamics.tree.quaternions()
    if not spans:
        return ()
    count = len(spans)

    def assemble(t: Any, x: Any, u: Any, k: Any, d: Any) -> Any:
        excess = np.array([0.5 * (x[span] @ x[span] - 1.0) for span in spans])
        return np.eye(count), np.eye(count), np.zeros(count), -excess, np.zeros(0)

    def finish(t: Any, x: Any, u: Any, k: Any, d: Any, z: Any, multipliers: Any, carry: Any) -> Any:
        return dynamics.with_unit_quaternions(x)

    names = tuple(dynamics.table.states[span.start].name.removesuffix("[1]") for span in spans)
    stage = Staged(finish, assemble, count, count, 0)
    return (Projection("unit quaternions", stage, 1e-15, names, "is zero, which is not an attitude"),)


@dataclass(frozen=True)
class Acting:
    """A connection at one time: its View, and its explicit action (None: it has none)."""

    connection: Connection
    view: View
    effort: Effort | None


class Connections:
    """All connections of a spacecraft, with the functions that both routes need."""

    def __init__(self, dynamics: Dynamics) -> None:
        self.dynamics, self.all = dynamics, (*dynamics.craft.couplings, *dynamics.craft.watches)
        self.indicator_count = sum(c.indicator_count for c in self.all)

    @property
    def switching(self) -> bool:
        """Whether events can change any of them."""
        return any(c.indicator_count or c.switches for c in self.all)

    def views(
        self, t: Any, bodies: Any, scene: Any, x: Any, u: Any, k: Any, d: Any, V: Any = None, B: Any = None
    ) -> list[tuple[Connection, View]]:
        """Each with its View; without V and B (partial velocities, bias accelerations) its ends have no rows."""
        if not self.all:
            return []
        dyn = self.dynamics
        q_dot = dyn.coordinate_rates(*dyn.split(x))
        nq, nv, environment = dyn.tree.nq, dyn.tree.nv, dyn.craft.environment
        u, k, d = dyn.bags(u, k, d)
        x = Bag(dyn.table, "states", x)

        def weight(mass: Any, position_N: Any) -> Any:
            body = particle(mass, position_N)
            return environment.load(body, scene, k)[:3], environment.potential(body, scene, k)

        def held(end: Any) -> Any:
            return grip(end, bodies, scene.space, V, B, nv)

        def whole() -> Any:
            return totals(bodies, [mass for c, view in views if (mass := c.particles(view)) is not None])

        def near(c: Connection) -> tuple[Grip, Grip] | None:
            if V is None or min(c.a.body, c.b.body) < 0:
                return None
            seen = dyn.seen_near(bodies, c.a.body, c.b.body, x.values, k)
            if seen is None:
                return None
            a, b = (grip(end, seen.bodies, scene.space, seen, seen.B, nv) for end in (c.a, c.b))
            return a, b

        more = (nq, nv, q_dot, dyn.coordinate_rates, weight, scene, whole)
        views = [(c, View(t, held(c.a), held(c.b), x, u, k, d, *more, partial(near, c))) for c in self.all]
        return views

    def acting(self, t: Any, moment: Any, x: Any, u: Any, k: Any, d: Any, V: Any = None, B: Any = None) -> list[Acting]:
        """All of them at the instant of a Moment."""
        return [
            Acting(c, view, c.effort(view)) for c, view in self.views(t, moment.bodies, moment.scene, x, u, k, d, V, B)
        ]

    def accelerated(self, acting: list[Acting], bodies: Any, accelerations: Any) -> None:
        """Connections that settle get the acceleration of their end a, the frame of a body."""
        for each in acting:
            if each.connection.settles:
                a = each.connection.a.body
                each.view.kept["outlet"] = bodies[a].dcm_NB @ accelerations[a][:3]

    def initial_states(self, x: Any, views: Any) -> Any:
        """x with their own states at the start."""
        own = [c.initial_states(view) for c, view in views]
        return self.dynamics.states.replaced(x, connections=end_to_end(own))

    def changed(self, x: Any, done: list[Decision]) -> Any:
        """x with their own states after their decisions."""
        if all(each.states is None for each in done):
            return x
        connections, layout = Bag(self.dynamics.table, "states", x), self.dynamics.states
        own = [
            np.concatenate([np.zeros(0), *(np.ravel(connections[state]) for state in c.states())])
            if each.states is None
            else each.states
            for c, each in zip(self.all, done, strict=True)
        ]
        return layout.replaced(x, connections=end_to_end(own))

    def settled(self, x: Any, before: Any, after: Any) -> Any:
        """x with the own states of those that settle after a jump of velocities; views before it, and after."""
        own = [
            c.settled(old, new)
            if c.settles
            else np.concatenate([np.zeros(0), *(np.ravel(new.x[state]) for state in c.states())])
            for (c, old), (_, new) in zip(before, after, strict=True)
        ]
        return self.dynamics.states.replaced(x, connections=end_to_end(own))

    def lost(self, before: Any, after: Any, done: list[Decision]) -> Any:
        """Energy [J] that connections that settle lose in an event, less the energy that their impulse gives to the bodies."""
        lost = 0.0
        for (c, old), (_, new), each in zip(before, after, done, strict=True):
            if c.settles:
                (had, _), (has, mass), u, v = c.own_energy(old), c.own_energy(new), old.a.motion, new.a.motion
                given = 0.5 * each.pulse @ (u + v) - 0.5 * mass * (v[:3] @ v[:3] - u[:3] @ u[:3])
                lost = lost + had - has - given
        return lost

    def decisions(self, views: Any, g: Any, rates: Any) -> list[Decision]:
        """Outcome of an event at each, with their indicators `g` and the rates (m,) of each one's conditions."""
        outcome, start = [], 0
        for (connection, view), rate in zip(views, rates, strict=True):
            own = g[start : start + connection.indicator_count]
            start += connection.indicator_count
            outcome.append(connection.decide(view, own, rate))
        return outcome


@dataclass(frozen=True)
class Sums:
    """Totals of all connections: input power, dissipated power [W], stored energy [J], and mass that is not part of a body."""

    power: Any
    dissipated: Any
    potential: Any
    particles: tuple


def summed(acting: Sequence[Acting]) -> Sums:
    power, dissipated, potential, particles = 0.0, 0.0, 0.0, []
    for each in acting:
        if each.connection.settles:
            power = power + each.connection.late_power(each.view, each.view.kept["outlet"])
        if each.effort is not None:
            power, dissipated = power + each.effort.power, dissipated + each.effort.dissipated
            potential = potential + each.effort.potential
        mass = each.connection.particles(each.view)
        particles += [] if mass is None else [mass]
    return Sums(power, dissipated, potential, tuple(particles))


class FlowJump:
    """Flows through bodies that an event changes, from discrete states d to those of a Moment: Δ(p, h) is momentum that the bodies lose."""

    def __init__(self, dynamics: Dynamics, after: Moment, x: Any, k: Any, d: Any) -> None:
        _, constants, modes = dynamics.bags(after.u.values, k, d)
        self.dynamics, self.bodies = dynamics, after.bodies
        before = dynamics.propelling(after.bodies, x, after.u, constants, modes).momenta(len(after.bodies))
        self.flows = list(zip(before, after.propelling.momenta(len(after.bodies)), strict=True))

    @property
    def gained(self) -> list[Any]:
        """Δ(p, h) of each body, (6+N,)."""
        return [
            np.zeros(6 + len(body.eta)) if new is None else np.concatenate([new - old, np.zeros(len(body.eta))])
            for body, (old, new) in zip(self.bodies, self.flows, strict=True)
        ]

    @property
    def along_speeds(self) -> Any:
        """The same along all speeds, (nv,)."""
        tree, V = self.dynamics.tree, PartialVelocities(self.dynamics.tree, self.bodies)
        flowing = [
            (i, own) for i, (own, (_, new)) in enumerate(zip(self.gained, self.flows, strict=True)) if new is not None
        ]
        return sum((V[i].T @ own for i, own in flowing), np.zeros(tree.nv))

    @property
    def changed(self) -> Any:
        """1 where a flow changes, else 0."""
        size = sum((own @ own for own in self.gained), 0.0)
        return where(size > 0.0, 1.0, 0.0)

    def supplied(self, jump: Any) -> Any:
        """½(p⁻ + p⁺)·Δv + ½(h⁻ + h⁺)·Δω of all bodies, for the jump Δv (nv,) of the speeds [J]."""
        V = PartialVelocities(self.dynamics.tree, self.bodies)
        flowing = ((i, old + new) for i, (old, new) in enumerate(self.flows) if new is not None)
        return sum((0.5 * both @ (V[i] @ jump)[:6] for i, both in flowing), 0.0)


def jumped(dynamics: Dynamics, x: Any, change: Any, work: Any = 0.0, lost: Any = 0.0, supplied: Any = 0.0) -> Any:
    """x with changed speeds; the work of inputs and propulsion and the energy lost in the jump are added to the energy integrals."""
    layout = dynamics.states
    done, dissipated = x[layout["energies"]]
    own = x[layout["propulsion"]]
    own = np.concatenate([own[:-1], own[-1:] + supplied])
    speeds = x[layout["speeds"]] + change
    return layout.replaced(x, speeds=speeds, energies=[done + work, dissipated + lost], propulsion=own)
