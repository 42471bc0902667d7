"""Trees, with any forces between their bodies: accelerations by the O(n) recursion, no solve.

Locks and latches jump by the recursion itself; connections without rows change their discrete states at their events.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..system.contract import Staged
from ..tree.kinematics import accelerations
from ..tree.recursion import solve_recursively
from .locks import Locks
from .motion import Dynamics, Moment
from .outputs import Instant, shown_rates
from .route import Acting, Connections, Route, jumped, summed


class TreeRoute(Route):
    """Answers a Route's questions for a spacecraft without rows."""

    def __init__(self, dynamics: Dynamics, pieces):
        super().__init__(dynamics, pieces)
        self.locks, self.connections = Locks(dynamics), Connections(dynamics)

    @property
    def indicator_count(self) -> int:
        return self.connections.indicator_count + self.locks.indicator_count

    def motion(self) -> Staged:
        return Staged(self._finish)

    def _finish(self, t, x, u, k, d, z, multipliers, carry):
        dyn = self.dynamics
        moment = dyn.moment(t, x, u, k, d)
        acting = self.connections.acting(t, moment, x, u, k, d)
        unpulled = moment.residual
        sums, moment = summed(acting), _pulled(moment, acting)
        v_dot, prescribed_power, reactions = self.solved(moment)
        A = accelerations(moment.bodies, dyn.tree, v_dot)
        moment = replace(moment, dissipated=moment.dissipated + sums.dissipated)
        instant = Instant(moment, A, dyn.potential(moment) + sums.potential, reactions, sums.particles, unpulled)
        rates = dyn.state_rates(instant, v_dot, prescribed_power + sums.power)
        none = np.zeros(0)
        y = [piece.values(instant) for piece in self.pieces]
        y += [each.connection.output_values(each.view, none) for each in acting]
        own = [each.connection.state_rates(each.view) for each in acting]
        return (
            np.concatenate([rates, *shown_rates(self.pieces, instant), *own]),
            np.concatenate(y),
            self.indicators(acting, moment, reactions),
        )

    def indicators(self, acting: list[Acting], moment: Moment, reactions=None):
        none, tree = np.zeros(0), self.dynamics.tree

        def holding(speed):
            """What the joint carries along the axis less what acts there."""
            i = next(i for i, span in enumerate(tree.joint_v) if span.start <= speed < span.stop)
            carried = moment.bodies[i].H[:, speed - tree.joint_v[i].start] @ reactions[i]
            return carried - moment.passive[speed] - moment.drive[speed]

        own = [each.connection.indicators(each.view, none) for each in acting]
        return np.concatenate([none, *own, self.locks.indicators(moment, holding)])

    def solved(self, moment: Moment):
        """v̇ (nv,), the power of prescribed motion, and the joints' reactions."""
        return self.dynamics.recursive(moment)

    # ---- events

    def initialize(self, t, x, u, k, d):
        x = self.dynamics.begun(t, x, k)
        x = self.connections.initial_states(x, self._views(t, x, u, k, d))
        own = [connection.initial(view) for connection, view in self._views(t, x, u, k, d)]
        return x, np.concatenate([self.locks.initial(x, u, k, d), *own])

    def _views(self, t, x, u, k, d):
        if not self.connections.all:
            return []
        bodies, scene = self.dynamics.placed(t, x, u, k, d)
        return self.connections.views(t, bodies, scene, x, u, k, d)

    def update(self) -> Staged | None:
        return Staged(self._jump) if self.locks.switching or self.connections.switching else None

    def _jump(self, t, x, u, k, d, g, z, multipliers, carry):
        """New discrete states of all, and the jump of what locks."""
        views = self._views(t, x, u, k, d)
        done = self.connections.decisions(views, g, [np.zeros(0)] * len(views))
        released = sum((each.lost for each in done), 0.0)
        locked = self.locks.decide(u, k, d, g[self.connections.indicator_count :])
        d_new = np.concatenate([locked, *(each.discretes for each in done)])
        jump, work, lost = self._stopped(t, x, u, k, d_new, locked) if self.locks.all else (0.0, 0.0, 0.0)
        return jumped(self.dynamics, x, jump, work, lost + released), d_new

    def _stopped(self, t, x, u, k, d_new, locked):
        """An axis that locks stops at once; the rest takes up its momentum: M Δv = Λ on the locked axes alone. Δv, work and loss."""
        dyn = self.dynamics
        moment, locking = dyn.moment(t, x, u, k, d_new), self.locks.by_speed(locked)
        rates = np.array([-moment.v[p] * locking[p] if p in locking else 0.0 for p in range(dyn.tree.nv)])
        nothing = [np.zeros(6 + link.body.modes) for link in dyn.tree.links]
        jump, impulses = solve_recursively(
            dyn.tree, moment.bodies, nothing, np.zeros(dyn.tree.nv), moment.known, rates, 0.0
        )
        return jump, *self._jump_energies(moment, jump, impulses, locking)

    def _jump_energies(self, moment, jump, impulses, locked):
        """Energy of a jump, Λ(v + ½Δv) an axis: what drives of prescribed axes do as they keep their speed, what locking ones lose."""
        work, lost = 0.0, 0.0
        for i, joint in enumerate(self.dynamics.craft.joints):
            impulse = moment.bodies[i].H.T @ impulses[i]
            start = self.dynamics.tree.joint_v[i].start
            for axis in sorted(joint.forces.prescribed | {lock.axis for lock in joint.forces.locks}):
                p = start + axis
                gained = impulse[axis] * (moment.v[p] + 0.5 * jump[p])
                stopped = locked.get(p, 0.0)
                work, lost = work + (1.0 - stopped) * moment.known[p] * gained, lost - stopped * gained
        return work, lost


def _pulled(moment: Moment, acting: list[Acting]) -> Moment:
    """The moment with the wrenches of connections among the loads of the bodies they hold."""
    residual = list(moment.residual)
    for each in acting:
        if each.effort is None:
            continue
        ends = ((each.connection.a, each.view.a, each.effort.on_a), (each.connection.b, each.view.b, each.effort.on_b))
        for end, grip, wrench in ends:
            if end.body >= 0:
                residual[end.body] = residual[end.body] - grip.map.force(wrench)
    return replace(moment, residual=residual)
