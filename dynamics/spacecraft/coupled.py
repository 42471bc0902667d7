"""Spacecraft with couplings: Kane's equations with Lagrange multipliers, projections, and jumps at events.

    M v̇ = f + Gᵀ λ,   G v̇ = γ                                   [stroe] eq. (29), (30)

Rows of G: the couplings' own, zero while inactive; then one row an axis whose motion is prescribed or locked.
All sizes stay the same in every mode.
"""

from __future__ import annotations

import numpy as np

from ..constraints.grip import grip
from ..scalar import where
from ..system import Projection, Staged
from ..tree.kane import bias_accelerations, kane_equations, partial_velocities
from ..tree.kinematics import accelerations, move
from .motion import Dynamics
from .outputs import Instant


class Coupled:
    """The same questions as TreeRoute, answered with multipliers."""

    def __init__(self, dynamics: Dynamics, pieces):
        self.dynamics, self.pieces = dynamics, pieces
        self.couplings = dynamics.craft.couplings
        self.m = dynamics.craft.rows
        self.axes = [
            (dynamics.tree.joint_v[i].start + axis, dict((a, (lock, locked)) for a, lock, locked in joint.forces.locks).get(axis))
            for i, joint in enumerate(dynamics.craft.joints)
            for axis in sorted(set(joint.forces.prescribed) | {axis for axis, _, _ in joint.forces.locks})
        ]

    # ---- motion

    def motion(self) -> Staged:
        return Staged(self._finish, self._assemble, self.dynamics.tree.nv, self.m + len(self.axes), 0)

    def _assemble(self, t, x, u, k, d):
        dyn = self.dynamics
        moment = dyn.moment(x, u, k, d)
        M, f, V, B = dyn.kane(moment)
        rows, gamma = [], []
        for coupling, (a, b) in zip(self.couplings, self._grips(moment.bodies, V, B), strict=True):
            asked = coupling.conditions(a, b, moment.k)
            active = coupling.active(moment.d)
            rows.append(asked.jacobian * active)
            gamma.append(asked.gamma * active)
        for p, _ in self.axes:
            rows.append((_unit(p, dyn.tree.nv) * moment.known[p]).reshape(1, -1))
            gamma.append(np.array([moment.known[p] * moment.known_rates[p]]))
        return M, np.vstack(rows), f, np.concatenate(gamma), np.zeros(0)

    def _finish(self, t, x, u, k, d, z, multipliers, carry):
        dyn = self.dynamics
        moment = dyn.moment(x, u, k, d)
        V, B = partial_velocities(dyn.tree, moment.bodies), bias_accelerations(dyn.tree, moment.bodies)
        instant = Instant(moment, accelerations(moment.bodies, dyn.tree, z), dyn.potential(moment))
        y = [piece.values(instant) for piece in self.pieces]
        g, start = [np.zeros(0)], 0
        for coupling, (a, b) in zip(self.couplings, self._grips(moment.bodies, V, B), strict=True):
            own = multipliers[start : start + coupling.rows]
            start += coupling.rows
            y.append(coupling.output_values(a, b, own))
            g.append(coupling.indicators(a, b, moment.k, moment.d, own))
        prescribed = set(self._prescribed())
        power = sum(
            (multipliers[self.m + i] * moment.v[p] for i, (p, _) in enumerate(self.axes) if p in prescribed), 0.0
        )
        return dyn.state_rates(moment, z, power), np.concatenate(y), np.concatenate(g)

    def _prescribed(self):
        tree = self.dynamics.tree
        return [tree.joint_v[i].start + axis for i, joint in enumerate(self.dynamics.craft.joints) for axis in joint.forces.prescribed]

    def _grips(self, bodies, V, B):
        nv = self.dynamics.tree.nv
        return [(grip(c.a, bodies, V, B, nv), grip(c.b, bodies, V, B, nv)) for c in self.couplings]

    # ---- staying on the constraints

    def projections(self):
        n, m = self.dynamics.tree.nv, self.m
        return (
            Projection("positions of couplings", Staged(self._place, self._place_rows, n, m, 0), 1e-13),
            Projection("velocities of couplings", Staged(self._brake, self._brake_rows, n, m, 0), 1e-13),
        )

    def _still(self, x, u, k, d):
        """Mass matrix and the couplings' conditions, without forces."""
        dyn = self.dynamics
        q, v = dyn.split(x)
        _, k, d = dyn.bags(u, k, d)
        bodies = move(dyn.tree, q, v, k)
        nothing = [np.zeros(6 + link.body.modes) for link in dyn.tree.links]
        M, _, V, B = kane_equations(dyn.tree, bodies, nothing)
        asked = [
            (coupling, coupling.conditions(a, b, k))
            for coupling, (a, b) in zip(self.couplings, self._grips(bodies, V, B), strict=True)
        ]
        return M, asked, k, d, v

    def _rows(self, x, u, k, d, level):
        """Metric M, scaled rows, and minus the scaled residual at `level` ("residual" or "rate")."""
        M, asked, _, d, _ = self._still(x, u, k, d)
        size = self.dynamics.craft.size
        rows = np.vstack([a.jacobian * (c.active(d) / size) for c, a in asked])
        gamma = np.concatenate([-getattr(a, level) * (c.active(d) / size) for c, a in asked])
        return M, rows, np.zeros(self.dynamics.tree.nv), gamma, np.zeros(0)

    def _place_rows(self, t, x, u, k, d):
        return self._rows(x, u, k, d, "residual")

    def _brake_rows(self, t, x, u, k, d):
        return self._rows(x, u, k, d, "rate")

    def _place(self, t, x, u, k, d, z, multipliers, carry):
        """q + T(q) z: the least motion, in the metric of the kinetic energy."""
        q, _ = self.dynamics.split(x)
        return np.concatenate([q + self.dynamics.coordinate_rates(q, z), x[self.dynamics.tree.nq :]])

    def _brake(self, t, x, u, k, d, z, multipliers, carry):
        return self._jumped(x, z)

    def _jumped(self, x, change):
        nq, nv = self.dynamics.tree.nq, self.dynamics.tree.nv
        return np.concatenate([x[:nq], x[nq : nq + nv] + change, x[nq + nv :]])

    # ---- events

    def initialize(self, t, x, u, k, d):
        dyn = self.dynamics
        q, v = dyn.split(x)
        inputs, k, d = dyn.bags(u, k, d)
        bodies = move(dyn.tree, q, v, k)
        V, B = partial_velocities(dyn.tree, bodies), bias_accelerations(dyn.tree, bodies)
        grips = self._grips(bodies, V, B)
        modes = [coupling.initial(a, b, k) for coupling, (a, b) in zip(self.couplings, grips, strict=True)]
        return x, np.concatenate([self._locked(inputs), *modes])

    def _locked(self, inputs):
        return np.array([where(inputs[lock[0]] > 0.5, 1.0, 0.0) for _, lock in self.axes if lock])

    def update(self) -> Staged | None:
        n, m = self.dynamics.tree.nv, self.m + len(self.axes)
        events = any(coupling.indicator_count for coupling in self.couplings) or any(lock for _, lock in self.axes)
        return Staged(self._apply, self._impulse, n, m, 2 * m + 1) if events else None

    def _decisions(self, x, u, k, d, g):
        """M, per coupling (rows, rate, Decision), and the axes' new locks."""
        M, asked, k, d, v = self._still(x, u, k, d)
        outcome, start = [], 0
        for coupling, conditions in asked:
            own = g[start : start + coupling.indicator_count]
            start += coupling.indicator_count
            outcome.append((coupling, conditions, coupling.decide(own, k, d, conditions.rate)))
        inputs, _, _ = self.dynamics.bags(u, k.values, d.values)
        return M, outcome, self._locked(inputs), v

    def _impulse(self, t, x, u, k, d, g):
        """The jump's solve: M Δv = Gᵀ Λ, G Δv = −(1 + e) G v on every row that takes part."""
        nv = self.dynamics.tree.nv
        M, outcome, locked, v = self._decisions(x, u, k, d, g)
        rows = [c.jacobian * done.active for _, c, done in outcome]
        rates = [c.rate * done.active for _, c, done in outcome]
        gamma = [-(1.0 + done.restitution) * done.active * c.rate for _, c, done in outcome]
        due = sum((done.due for _, _, done in outcome), 0.0)
        count = 0
        for p, lock in self.axes:
            # prescribed axes keep their speed in a jump, locked ones lose it
            holds = 1.0 if lock is None else locked[count]
            stop = 0.0 if lock is None else -v[p] * locked[count]
            count += lock is not None
            rows.append((_unit(p, nv) * holds).reshape(1, -1))
            rates.append(np.array([v[p] * holds]))
            gamma.append(np.array([stop]))
            due = due + where(stop * stop > 0.0, 1.0, 0.0)
        rate, gamma = np.concatenate(rates), np.concatenate(gamma)
        return M, np.vstack(rows), np.zeros(nv), gamma, np.concatenate([rate, gamma, [due]])

    def _apply(self, t, x, u, k, d, g, z, multipliers, carry):
        """States and discrete states after the jump; energy lost a row: −Λ (G v + ½ G Δv)."""
        m = self.m + len(self.axes)
        rate, gamma, due = carry[:m], carry[m : 2 * m], carry[2 * m] > 0.5
        lost = -multipliers * (rate + 0.5 * gamma)
        _, outcome, locked, _ = self._decisions(x, u, k, d, g)
        modes, start = [], 0
        for coupling, _, done in outcome:
            energy = sum(lost[start : start + coupling.rows])
            start += coupling.rows
            modes.append(coupling.note_loss(done.discretes, where(done.due > 0.5, energy, 0.0)))
        return self._jumped(x, where(due, z, 0.0 * z)), np.concatenate([locked, *modes])


def _unit(index: int, size: int):
    return np.eye(size)[index]
