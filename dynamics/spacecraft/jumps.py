"""Jumps of velocities at events of a spacecraft with rows: couplings close, cables tighten, axes lock.

    M Δv = Gᵀ Λ,   G Δv = −(1 + e) rate       on every row that takes part

Energy lost a row: −Λ (rate + ½ G Δv); work of what drives it: Λ driven. Proved by tests/constraints/test_switching.py.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..algebra.scalar import where
from ..constraints.connection import Conditions, Decision
from ..system.contract import Staged
from .locks import Locks
from .route import jumped
from .rows import Rows


class Jumps:
    """The `update` of a spacecraft with rows."""

    def __init__(self, rows: Rows, locks: Locks):
        self.rows, self.locks = rows, locks
        self.dynamics, self.connections, self.given_start = (
            rows.dynamics,
            rows.connections,
            rows.dynamics.craft.given_start,
        )

    def stage(self) -> Staged | None:
        if self.connections.switching or self.locks.switching:
            return Staged(self._apply, self._impulse, self.dynamics.tree.nv, self.rows.count, 3 * self.rows.count + 1)
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
        """Locked (n,) from now on; the indicators of latches stand behind the connections'."""
        return self.locks.decide(u, k, d, g[self.connections.indicator_count :])

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
        return M, G, np.zeros(self.dynamics.tree.nv), gamma, np.concatenate([rate, gamma, work, [due]])

    def _apply(self, t, x, u, k, d, g, z, multipliers, carry):
        """States and discrete states after the jump."""
        m = self.rows.count
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
        moved = jumped(self.dynamics, x, where(due, z, 0.0 * z), work, sum(lost, 0.0) + released)
        return moved, np.concatenate([self._locked(u, k, d, g), *modes, self.given_start.over()])


def _jumping(asked: Conditions, done: Decision) -> tuple[Conditions, np.ndarray]:
    """Conditions of the rows that take part in a jump, and the change of rate that it brings."""
    part = replace(
        asked, jacobian=asked.jacobian * done.active, rate=asked.rate * done.active, driven=asked.driven * done.active
    )
    return part, -(1.0 + done.restitution) * part.rate
