"""Jumps of velocities at events of a spacecraft with rows: couplings close, cables tighten, axes lock.

    M Δv = Gᵀ Λ,   G Δv = −(1 + e) rate       on every row that takes part

Energy lost per row: −Λ (rate + ½ G Δv); work of its drive: Λ driven. Proved by tests/constraints/test_switching.py.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..algebra.scalar import where
from ..constraints.connection import Conditions, Decision
from ..system.contract import Staged
from ..system.layout import Layout, end_to_end
from .locks import Locks
from .route import FlowJump, jumped
from .rows import Rows


class Jumps:
    """The `update` of a spacecraft with rows."""

    def __init__(self, rows: Rows, locks: Locks, watched: Layout):
        self.rows, self.locks, self.watched = rows, locks, watched
        self.dynamics, self.connections = rows.dynamics, rows.connections
        self.given_start = rows.dynamics.craft.given_start
        self.carry = Layout({"rate": rows.count, "gamma": rows.count, "driven": rows.count, "due": 1})

    def stage(self) -> Staged | None:
        if self.connections.switching or self.locks.switching:
            return Staged(
                self._apply, self._impulse, self.dynamics.tree.nv, self.rows.count, self.carry.size,
                stiff=self.dynamics.stiff, stiffness=self.dynamics.stiffness,
            )  # fmt: skip
        return Staged(self._no_jump) if self.given_start.given else None

    def _no_jump(self, t, x, u, k, d, g, z, multipliers, carry):
        return x, self.given_start.over()

    def _decisions(self, t, x, u, k, d, g):
        """M, v, and (connection, conditions, Decision) of all."""
        M, asked, v = self.rows.still(t, x, u, k, d)
        rates = [a.rate if c.rows else np.zeros(0) for c, _, a in asked]
        done = self.connections.decisions([(c, view) for c, view, _ in asked], g, rates)
        return M, v, [(c, a, each) for (c, _, a), each in zip(asked, done, strict=True)]

    def _locked(self, u, k, d, g):
        """Locked (n,) from now on."""
        return self.locks.decide(u, k, d, g[self.watched["locks"]])

    def _flows(self, t, x, u, k, d, g, outcome) -> FlowJump:
        """The changes of flows through bodies at the event."""
        modes = end_to_end(done.discretes for _, _, done in outcome)
        parts = {"locks": self._locked(u, k, d, g), "connections": modes, "given_start": self.given_start.over()}
        after = self.dynamics.moment(t, x, u, k, self.dynamics.discretes.joined(parts))
        return FlowJump(self.dynamics, after, x, k, d)

    def _impulse(self, t, x, u, k, d, g):
        M, v, outcome = self._decisions(t, x, u, k, d, g)
        _, _, discretes = self.dynamics.bags(u, k, d)
        locking = self.locks.by_speed(self._locked(u, k, d, g))
        rows = [_jumping(conditions, done) for connection, conditions, done in outcome if connection.rows]
        due = sum((done.due for _, _, done in outcome), 0.0)
        holds, rates, changes, driven = [], [], [], []
        for axis in self.rows.axes:
            # prescribed axes keep their speed in a jump, locked ones lose it
            locked = locking.get(axis.speed, 0.0)
            due = due + (locked * (1.0 - discretes[axis.locked]) if axis.locked else 0.0)
            holds.append(1.0 if axis.prescribed else locked)
            rates.append(np.array([v[axis.speed] * locked]))
            changes.append(np.array([-v[axis.speed] * locked]))
            driven.append(np.array([v[axis.speed] * (holds[-1] - locked)]))
        G = self.rows.stacked([row.jacobian for row, _ in rows], holds)
        rate = np.concatenate([np.zeros(0), *(row.rate for row, _ in rows), *rates])
        gamma = np.concatenate([np.zeros(0), *(change for _, change in rows), *changes])
        work = np.concatenate([np.zeros(0), *(row.driven for row, _ in rows), *driven])
        flows = self._flows(t, x, u, k, d, g, outcome)
        due = due + flows.changed
        carry = self.carry.joined({"rate": rate, "gamma": gamma, "driven": work, "due": [due]})
        return M, G, -flows.along_speeds, gamma, carry

    def _apply(self, t, x, u, k, d, g, z, multipliers, carry):
        """States and discrete states after the jump."""
        rate, gamma, driven, (flag,) = self.carry.parts(carry).values()
        due = flag > 0.5
        lost = where(due, -multipliers * (rate + 0.5 * gamma), 0.0)
        work = where(due, multipliers @ driven, 0.0)
        _, _, outcome = self._decisions(t, x, u, k, d, g)
        modes, start = [], 0
        for connection, _, done in outcome:
            energy = sum(lost[start : start + connection.rows], 0.0)
            start += connection.rows
            modes.append(connection.note_loss(done.discretes, where(done.due > 0.5, energy, 0.0)))
        released = sum((done.lost for _, _, done in outcome), 0.0)
        jump = where(due, z, 0.0 * z)
        supplied = self._flows(t, x, u, k, d, g, outcome).supplied(jump)
        moved = jumped(self.dynamics, x, jump, work, sum(lost, 0.0) + released, supplied)
        locked, over = self._locked(u, k, d, g), self.given_start.over()
        parts = {"locks": locked, "connections": end_to_end(modes), "given_start": over}
        return moved, self.dynamics.discretes.joined(parts)


def _jumping(asked: Conditions, done: Decision) -> tuple[Conditions, np.ndarray]:
    """Conditions of the rows that take part in a jump, and the change of rate that it brings."""
    part = replace(
        asked, jacobian=asked.jacobian * done.active, rate=asked.rate * done.active, driven=asked.driven * done.active
    )
    return part, -(1.0 + done.restitution) * part.rate
