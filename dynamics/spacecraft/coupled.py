"""Spacecraft with rows: Kane's equations with Lagrange multipliers.

    M v̇ = f + Gᵀ λ,   G v̇ = γ                                   [stroe] eq. (29), (30)

All sizes stay the same in every mode. What keeps the state on the constraints is in projection.py, what happens at
events in jumps.py, the rows themselves in rows.py.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..system.contract import Projection, Staged
from ..system.layout import end_to_end
from .jumps import Jumps
from .locks import Locks, watched
from .motion import Dynamics
from .outputs import Instant, shown_rates
from .projection import CouplingProjections
from .reactions import joint_reactions
from .route import Connections, Route, summed
from .rows import Rows


class Coupled(Route):
    """The Route with multipliers."""

    def __init__(self, dynamics: Dynamics, pieces):
        super().__init__(dynamics, pieces)
        self.connections, self.locks = Connections(dynamics), Locks(dynamics)
        self.rows, self.watched = Rows(dynamics, self.connections), watched(self.connections, self.locks)
        self.shows_reactions = any(getattr(piece, "needs_reactions", False) for piece in pieces)

    @property
    def indicator_count(self) -> int:
        return self.watched.size

    def motion(self) -> Staged:
        speeds, coupled = self.dynamics.states["speeds"], bool(self.dynamics.craft.rows)
        return Staged(
            self._finish, self._assemble, self.dynamics.tree.nv, self.rows.count, 0,
            owners=self.rows.owners if coupled else (), speeds=tuple(range(speeds.start, speeds.stop)) if coupled else (),
            stiff=self.dynamics.stiff, stiffness=self.dynamics.stiffness, pull=True,
        )  # fmt: skip

    def projections(self) -> tuple[Projection, ...]:
        own = CouplingProjections(self.rows).all() if self.dynamics.craft.rows else ()
        return (*super().projections(), *own)

    def update(self) -> Staged | None:
        return Jumps(self.rows, self.locks, self.watched).stage()

    def initialize(self, t, x, u, k, d):
        x = self.dynamics.with_unit_quaternions(self.dynamics.begun(t, x, k))
        _, asked, _ = self.rows.still(t, x, u, k, d)
        x = self.connections.initial_states(x, [(c, view) for c, view, _ in asked])
        _, asked, _ = self.rows.still(t, x, u, k, d)
        own = [c.initial(view) for c, view, _ in asked]
        _, _, discretes = self.dynamics.bags(u, k, d)
        tried = self.dynamics.craft.given_start.tried(discretes)
        locked = self.locks.initial(x, u, k, d)
        parts = {"locks": locked, "connections": end_to_end(own), "given_start": tried}
        return x, self.dynamics.discretes.joined(parts)

    # ---- motion

    def _assemble(self, t, x, u, k, d):
        dyn, x = self.dynamics, self.dynamics.with_unit_quaternions(x)
        moment = dyn.moment(t, x, u, k, d)
        M, f, V, B = dyn.kane(moment)
        acting = self.connections.acting(t, moment, x, u, k, d, V, B)
        for each in acting:
            if each.effort is not None:
                f = f + each.view.a.rows.T @ each.effort.on_a + each.view.b.rows.T @ each.effort.on_b
        asked = [
            (each.connection.conditions(each.view), each.connection.active(each.view.d))
            for each in acting
            if each.connection.rows
        ]
        known = [moment.known[axis.speed] for axis in self.rows.axes]
        given = [moment.known_rates[axis.speed] for axis in self.rows.axes]
        G = self.rows.stacked([a.jacobian * active for a, active in asked], known)
        gamma = [a.gamma * active for a, active in asked]
        gamma += [np.array([on * rate]) for on, rate in zip(known, given, strict=True)]
        return M, G, f, np.concatenate([np.zeros(0), *gamma]), np.zeros(0)

    def _finish(self, t, x, u, k, d, z, multipliers, carry):
        dyn, x = self.dynamics, self.dynamics.with_unit_quaternions(x)
        moment = dyn.moment(t, x, u, k, d)
        V, B = dyn.partial_velocities(moment.bodies)
        acting = self.connections.acting(t, moment, x, u, k, d, V, B)
        sums, carried, along_axes = summed(acting), self._shares(acting, multipliers), self._along_axes(multipliers)
        power = sums.power
        for each, own in carried:
            if each.connection.rows:
                power = power + own @ each.connection.conditions(each.view).driven
        for axis, force in zip(self.rows.axes, along_axes, strict=True):
            power = power + (force * moment.v[axis.speed] if axis.prescribed else 0.0)
        A = dyn.accelerations(moment.bodies, z)
        reactions = joint_reactions(dyn.tree, moment, A, carried) if self.shows_reactions else None
        moment = replace(moment, dissipated=moment.dissipated + sums.dissipated)
        instant = Instant(moment, A, dyn.potential(moment) + sums.potential, reactions, sums.particles)
        y = [piece.values(instant) for piece in self.pieces]
        y += [each.connection.output_values(each.view, own) for each, own in carried]
        own_rates = [each.connection.state_rates(each.view) for each in acting]
        g = [each.connection.indicators(each.view, own) for each, own in carried]
        holding = {axis.speed: force for axis, force in zip(self.rows.axes, along_axes, strict=True)}.__getitem__
        return (
            dyn.state_rates(instant, z, power, shown_rates(self.pieces, instant), own_rates),
            np.concatenate(y),
            self.watched.joined({"connections": end_to_end(g), "locks": self.locks.indicators(moment, holding)}),
        )

    def _shares(self, acting, multipliers):
        """Pairs of (connection, its multipliers)."""
        shares, start = [], 0
        for each in acting:
            shares.append((each, multipliers[start : start + each.connection.rows]))
            start += each.connection.rows
        return shares

    def _along_axes(self, multipliers):
        """The multipliers of prescribed and locked axes."""
        return multipliers[self.rows.layout["axes"]]
