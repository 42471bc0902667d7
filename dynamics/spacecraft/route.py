"""A route: the way from a spacecraft to the parts of its System (spacecraft/system.py puts them together).

TreeRoute     no rows: accelerations by the O(n) recursion, forces between bodies included (elastic and beaded tethers)
Coupled       rows: Kane's equations with multipliers; in natural coordinates, too
InverseRoute  motions are given, drives looked for (dynamics/inverse)
ClosedForm, LinearSatellite   the formulations of [tkachev]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..constraints.connection import Connection, Decision, Effort, View
from ..constraints.grip import Grip, grip
from ..system.contract import Attitude, Projection, Staged
from ..system.signals import Bag
from ..tree.kinematics import particle
from ..tree.totals import totals
from .motion import Dynamics


class Route:
    """What a System is made of; each answer as spacefmu.dynamics.system.System has it. Without events, unless a route says more."""

    def __init__(self, dynamics: Dynamics, pieces: Sequence[Any]) -> None:
        self.dynamics, self.pieces = dynamics, pieces

    def motion(self) -> Staged:
        raise NotImplementedError

    @property
    def indicator_count(self) -> int:
        return 0

    @property
    def slow_indicators(self) -> bool:
        """Whether they are those of followed frames alone."""
        watches = sum(watch.indicator_count for watch in self.dynamics.craft.watches if watch.slow)
        return self.indicator_count == watches

    def projections(self) -> tuple[Projection, ...]:
        return unit_quaternions(self.dynamics)

    def attitudes(self) -> tuple[Attitude, ...]:
        """The unit quaternions of all joints; their angular velocities are the last three speeds of the joint."""
        tree, joints = self.dynamics.tree, self.dynamics.craft.joints
        spans = [(i, link.joint.quaternion) for i, link in enumerate(tree.links)] if tree.quaternions() else []
        return tuple(
            Attitude(joints[i].name, tree.joint_q[i].start + span.start, tree.nq + tree.joint_v[i].stop - 3)
            for i, span in spans
            if span is not None
        )

    def initialize(self, t: Any, x: Any, u: Any, k: Any, d: Any) -> tuple[Any, Any]:
        return self.dynamics.begun(t, x, k), d

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
    return (Projection("unit quaternions", stage, 1e-15, names, "is zero, which is no attitude"),)


@dataclass(frozen=True)
class Acting:
    """A connection at one instant: what it sees, and what it does by itself (None: nothing)."""

    connection: Connection
    view: View
    effort: Effort | None


class Connections:
    """All connections of a spacecraft, and what both routes ask of them. Their states stand last in x, before nothing else."""

    def __init__(self, dynamics: Dynamics) -> None:
        self.dynamics, self.all = dynamics, (*dynamics.craft.couplings, *dynamics.craft.watches)
        self.indicator_count = sum(c.indicator_count for c in self.all)
        self.state_count = sum(state.size for c in self.all for state in c.states())

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

    def initial_states(self, x: Any, views: Any) -> Any:
        """x with their own states at the start."""
        own = [c.initial_states(view) for c, view in views]
        return np.concatenate([x[: len(x) - self.state_count], *own])

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
    """What all connections add: input power, dissipated power [W], stored energy [J], and mass beside the bodies."""

    power: Any
    dissipated: Any
    potential: Any
    particles: tuple


def summed(acting: Sequence[Acting]) -> Sums:
    power, dissipated, potential, particles = 0.0, 0.0, 0.0, []
    for each in acting:
        if each.effort is not None:
            power, dissipated = power + each.effort.power, dissipated + each.effort.dissipated
            potential = potential + each.effort.potential
        mass = each.connection.particles(each.view)
        particles += [] if mass is None else [mass]
    return Sums(power, dissipated, potential, tuple(particles))


def jumped(dynamics: Dynamics, x: Any, change: Any, work: Any = 0.0, lost: Any = 0.0) -> Any:
    """x with speeds changed, and what inputs did and what was lost in a jump on the integrals of energy."""
    nq, end = dynamics.tree.nq, dynamics.tree.nq + dynamics.tree.nv
    return np.concatenate([x[:nq], x[nq:end] + change, [x[end] + work, x[end + 1] + lost], x[end + 2 :]])
