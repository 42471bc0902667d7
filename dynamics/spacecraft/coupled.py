"""Spacecraft with connections: Kane's equations with Lagrange multipliers, projections, and jumps at events.

    M v̇ = f + Gᵀ λ,   G v̇ = γ                                   [stroe] eq. (29), (30)

Rows of G: the connections' own, zero while inactive; then one row an axis whose motion is prescribed or locked.
All sizes stay the same in every mode. States of connections stand behind the work integrals.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..bodies.integrals import rigid_integrals
from ..constraints.connection import Conditions, View
from ..constraints.grip import grip
from ..rotation import E3
from ..scalar import where
from ..signals import Bag, Discrete
from ..system import Projection, Staged
from ..tree.composite import composite_equations
from ..tree.kane import PartialVelocities, bias_accelerations
from ..tree.kinematics import Moving, accelerations, move
from .assembly import POSITIONS, VELOCITIES
from .locks import Locks
from .motion import Dynamics
from .outputs import Instant, Reaction
from .reactions import joint_reactions


@dataclass(frozen=True)
class Axis:
    """A joint axis whose acceleration may be known: index of its speed, its discrete state if it can be locked."""

    speed: int
    prescribed: bool
    locked: Discrete | None = None


class Coupled:
    """The same questions as TreeRoute, answered with multipliers."""

    def __init__(self, dynamics: Dynamics, pieces):
        self.dynamics, self.pieces = dynamics, pieces
        self.connections, self.locks = dynamics.craft.couplings, Locks(dynamics)
        self.assembly, self.shows_reactions = dynamics.craft.assembly, any(isinstance(p, Reaction) for p in pieces)
        self.axes = [
            axis
            for i, joint in enumerate(dynamics.craft.joints)
            for axis in _axes(dynamics.tree.joint_v[i].start, joint.forces)
        ]
        self.m = dynamics.craft.rows + len(self.axes)

    @property
    def indicator_count(self) -> int:
        return sum(c.indicator_count for c in self.connections) + self.locks.indicator_count

    # ---- motion

    def motion(self) -> Staged:
        return Staged(self._finish, self._assemble, self.dynamics.tree.nv, self.m, 0)

    def _assemble(self, t, x, u, k, d):
        dyn, x = self.dynamics, self._unit(x)
        moment = dyn.moment(t, x, u, k, d)
        M, f, V, B = dyn.kane(moment)
        views = self._views(t, moment.bodies, moment.scene, V, B, x, u, k, d)
        asked = [(c.conditions(view), c.active(view.d)) for c, view in views if c.rows]
        for connection, view in views:
            effort = connection.effort(view)
            if effort is not None:
                f = f + view.a.rows[:3].T @ effort.on_a + view.b.rows[:3].T @ effort.on_b
        known = [moment.known[axis.speed] for axis in self.axes]
        G = self._stacked([a.jacobian * active for a, active in asked], known)
        gamma = [a.gamma * active for a, active in asked]
        gamma += [np.array([on * moment.known_rates[axis.speed]]) for axis, on in zip(self.axes, known, strict=True)]
        return M, G, f, np.concatenate([np.zeros(0), *gamma]), np.zeros(0)

    def _stacked(self, blocks, known):
        """All rows of G: the connections' blocks, then unit rows of the axes, scaled by `known`."""
        nv = self.dynamics.tree.nv
        units = [(np.eye(nv)[axis.speed] * on).reshape(1, nv) for axis, on in zip(self.axes, known, strict=True)]
        return np.vstack([np.zeros((0, nv)), *blocks, *units])

    def _finish(self, t, x, u, k, d, z, multipliers, carry):
        dyn, x = self.dynamics, self._unit(x)
        moment = dyn.moment(t, x, u, k, d)
        V, B = PartialVelocities(dyn.tree, moment.bodies), bias_accelerations(dyn.tree, moment.bodies)
        views = self._views(t, moment.bodies, moment.scene, V, B, x, u, k, d)
        outputs, g, own_rates, acting, start = [], [np.zeros(0)], [], [], 0
        power, dissipated, potential, particles = 0.0, moment.dissipated, dyn.potential(moment), []
        for connection, view in views:
            own = multipliers[start : start + connection.rows]
            start += connection.rows
            acting.append((connection, view, own))
            outputs.append(connection.output_values(view, own))
            g.append(connection.indicators(view, own))
            own_rates.append(connection.state_rates(view))
            if connection.rows:
                power = power + own @ connection.conditions(view).driven
            effort = connection.effort(view)
            if effort is not None:
                power, dissipated = power + effort.power, dissipated + effort.dissipated
                potential = potential + effort.potential
            mass = connection.particles(view)
            particles += [] if mass is None else [mass]
        for axis, force in zip(self.axes, multipliers[start:], strict=True):
            power = power + (force * moment.v[axis.speed] if axis.prescribed else 0.0)
        A = accelerations(moment.bodies, dyn.tree, z)
        carried = joint_reactions(dyn.tree, moment, A, acting) if self.shows_reactions else None
        instant = Instant(moment, A, potential, carried, tuple(particles))
        y = [piece.values(instant) for piece in self.pieces]
        rates = dyn.state_rates(replace(moment, dissipated=dissipated), z, power)
        g.append(self.locks.indicators(moment))
        return np.concatenate([rates, *own_rates]), np.concatenate([*y, *outputs]), np.concatenate(g)

    def _views(self, t, bodies, scene, V, B, x, u, k, d):
        """(connection, its View) of all connections."""
        dyn = self.dynamics
        q_dot = dyn.coordinate_rates(*dyn.split(x))
        nq, nv, environment = dyn.tree.nq, dyn.tree.nv, dyn.craft.environment
        u, k, d = dyn.bags(u, k, d)
        x = Bag(dyn.table, "states", x)

        def weight(mass, position_N):
            body = _particle(mass, position_N)
            return environment.load(body, scene, k)[:3], environment.potential(body, scene, k)

        def held(end):
            return grip(end, bodies, scene.space, V, B, nv)

        return [(c, View(t, held(c.a), held(c.b), x, u, k, d, nq, nv, q_dot, weight)) for c in self.connections]

    # ---- staying on the constraints

    def projections(self):
        if not self.dynamics.craft.rows:
            return ()
        n = self.dynamics.tree.nv
        owners = (*(c.name for c in self.connections for _ in range(c.rows)), *("an axis" for _ in self.axes))
        return (
            Projection("positions of couplings", Staged(self._place, self._place_rows, n, self.m, 0), 1e-13, owners),
            Projection("velocities of couplings", Staged(self._brake, self._brake_rows, n, self.m, 0), 1e-13, owners),
        )

    def _still(self, t, x, u, k, d):
        """Mass matrix, views with the conditions they ask for (None without rows), and v; no forces."""
        dyn = self.dynamics
        q, v = dyn.split(x)
        inputs, constants, _ = dyn.bags(u, k, d)
        scene = dyn.craft.environment.scene(t, dyn.surroundings(x), inputs, constants)
        bodies = move(dyn.tree, q, v, constants, scene.space)
        nothing = [np.zeros(6 + link.body.modes) for link in dyn.tree.links]
        M, _, B = composite_equations(dyn.tree, bodies, nothing)
        views = self._views(t, bodies, scene, PartialVelocities(dyn.tree, bodies), B, x, u, k, d)
        return M, [(c, view, c.conditions(view)) for c, view in views], v

    def _projected(self, t, x, u, k, d, level, residual, shown):
        """Metric, rows and minus residuals, both by the system's size. Prescribed and locked axes do not yield."""
        M, asked, _v = self._still(t, x, u, k, d)
        size = self.dynamics.craft.size
        _, _, discretes = self.dynamics.bags(u, k, d)
        scales = [(a, shown(a) * (c.active(discretes) / size)) for c, _, a in asked if c.rows]
        held = [1.0 if axis.prescribed else discretes[axis.locked] for axis in self.axes]
        G = self._stacked([a.jacobian * scale[:, None] for a, scale in scales], held)
        gamma = np.concatenate([*(-residual(a) * scale for a, scale in scales), np.zeros(len(self.axes))])
        M, G = self.assembly.kept_out(M, G, discretes, level)
        return M, G, np.zeros(self.dynamics.tree.nv), gamma, np.zeros(0)

    def _place_rows(self, t, x, u, k, d):
        return self._projected(t, x, u, k, d, POSITIONS, lambda a: a.residual, lambda a: a.positional)

    def _brake_rows(self, t, x, u, k, d):
        return self._projected(t, x, u, k, d, VELOCITIES, lambda a: a.rate, lambda a: np.ones(len(a.positional)))

    def _place(self, t, x, u, k, d, z, multipliers, carry):
        """q + T(q) z: the least motion, in the metric of the kinetic energy; quaternions stay unit ones."""
        q, _ = self.dynamics.split(x)
        return self._unit(np.concatenate([q + self.dynamics.coordinate_rates(q, z), x[self.dynamics.tree.nq :]]))

    def _unit(self, x):
        """x with unit quaternions. Within a step they are not: rows that are redundant by geometry would seem independent."""
        for span in self.dynamics.tree.quaternions():
            x = np.concatenate([x[: span.start], x[span] / np.sqrt(x[span] @ x[span]), x[span.stop :]])
        return x

    def _brake(self, t, x, u, k, d, z, multipliers, carry):
        return self._jumped(x, z)

    def _jumped(self, x, change, work=0.0, lost=0.0):
        """x with speeds changed, and what inputs did and what was lost in a jump on the integrals of energy."""
        nq, nv = self.dynamics.tree.nq, self.dynamics.tree.nv
        end = nq + nv
        return np.concatenate([x[:nq], x[nq:end] + change, [x[end] + work, x[end + 1] + lost], x[end + 2 :]])

    # ---- events

    def initialize(self, t, x, u, k, d):
        x = self.dynamics.begun(t, x, k)
        _, asked, _ = self._still(t, x, u, k, d)
        count = sum(state.size for c in self.connections for state in c.states())
        own = [c.initial_states(view) for c, view, _ in asked]
        x = np.concatenate([x[: len(x) - count], *own])
        _, asked, _ = self._still(t, x, u, k, d)
        own = [c.initial(view) for c, view, _ in asked]
        _, _, discretes = self.dynamics.bags(u, k, d)
        return x, np.concatenate([self.locks.initial(x, u, k, d), *own, self.assembly.tried(discretes)])

    def _locked(self, u, k, d, g):
        """Locked (n,) from now on; the indicators of latches stand behind the connections'."""
        return self.locks.decide(u, k, d, g[self.indicator_count - self.locks.indicator_count :])

    def update(self) -> Staged | None:
        if any(c.indicator_count or c.switches for c in self.connections) or self.locks.all:
            return Staged(self._apply, self._impulse, self.dynamics.tree.nv, self.m, 3 * self.m + 1)
        return Staged(self._no_jump) if self.assembly.given else None

    def _no_jump(self, t, x, u, k, d, g, z, multipliers, carry):
        return x, self.assembly.over()

    def _decisions(self, t, x, u, k, d, g):
        """M, v, and (connection, conditions, Decision) of all."""
        M, asked, v = self._still(t, x, u, k, d)
        outcome, start = [], 0
        for connection, view, conditions in asked:
            own = g[start : start + connection.indicator_count]
            start += connection.indicator_count
            rate = conditions.rate if connection.rows else np.zeros(0)
            outcome.append((connection, conditions, connection.decide(view, own, rate)))
        return M, v, outcome

    def _impulse(self, t, x, u, k, d, g):
        """The jump's solve: M Δv = Gᵀ Λ, G Δv = −(1 + e) rate on every row that takes part."""
        M, v, outcome = self._decisions(t, x, u, k, d, g)
        _, _, discretes = self.dynamics.bags(u, k, d)
        locking = self.locks.by_speed(self._locked(u, k, d, g))
        rows = [_jumping(conditions, done) for connection, conditions, done in outcome if connection.rows]
        due = sum((done.due for _, _, done in outcome), 0.0)
        holds, rates, changes, driven = [], [], [], []
        for axis in self.axes:
            # prescribed axes keep their speed in a jump, locked ones lose it
            locked = locking.get(axis.speed, 0.0)
            due = due + (locked * (1.0 - discretes[axis.locked]) if axis.locked else 0.0)
            holds.append(1.0 if axis.prescribed else locked)
            rates.append(np.array([v[axis.speed] * locked]))
            changes.append(np.array([-v[axis.speed] * locked]))
            driven.append(np.array([v[axis.speed] * (holds[-1] - locked)]))
        G = self._stacked([row.jacobian for row, _ in rows], holds)
        rate = np.concatenate([np.zeros(0), *(row.rate for row, _ in rows), *rates])
        gamma = np.concatenate([np.zeros(0), *(change for _, change in rows), *changes])
        driven = np.concatenate([np.zeros(0), *(row.driven for row, _ in rows), *driven])
        return M, G, np.zeros(self.dynamics.tree.nv), gamma, np.concatenate([rate, gamma, driven, [due]])

    def _apply(self, t, x, u, k, d, g, z, multipliers, carry):
        """States and discrete states after the jump; energy lost a row: −Λ (rate + ½ G Δv), work of drives Λ driven."""
        m = self.m
        rate, gamma, driven, due = carry[:m], carry[m : 2 * m], carry[2 * m : 3 * m], carry[3 * m] > 0.5
        lost = where(due, -multipliers * (rate + 0.5 * gamma), 0.0)
        work = where(due, multipliers @ driven, 0.0)
        _, _, outcome = self._decisions(t, x, u, k, d, g)
        modes, start = [], 0
        for connection, _, done in outcome:
            energy = sum(lost[start : start + connection.rows], 0.0)
            start += connection.rows
            modes.append(connection.note_loss(done.discretes, where(done.due > 0.5, energy, 0.0)))
        released = sum((done.lost for _, _, done in outcome), 0.0)
        jumped = self._jumped(x, where(due, z, 0.0 * z), work, sum(lost, 0.0) + released)
        return jumped, np.concatenate([self._locked(u, k, d, g), *modes, self.assembly.over()])


def _axes(first: int, forces) -> list[Axis]:
    """The axes of one joint that are prescribed or can be locked; its first speed is number `first`."""
    locked = {lock.axis: lock.locked for lock in forces.locks}
    return [
        Axis(first + axis, axis in forces.prescribed, locked.get(axis))
        for axis in sorted(forces.prescribed | set(locked))
    ]


def _jumping(asked: Conditions, done):
    """Conditions of the rows that take part in a jump, and the change of rate that it brings."""
    part = replace(
        asked, jacobian=asked.jacobian * done.active, rate=asked.rate * done.active, driven=asked.driven * done.active
    )
    return part, -(1.0 + done.restitution) * part.rate


def _particle(mass, position_N) -> Moving:
    """A point mass as a body, for fields that act on bodies."""
    none = np.zeros(3)
    integrals = rigid_integrals(mass, none, np.zeros((3, 3)))
    return Moving(
        position_N, E3, none, none, np.zeros(0), np.zeros(0), np.zeros((6, 0)), np.zeros(6), np.zeros((6, 0)), integrals
    )
