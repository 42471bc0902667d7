"""The route for trees, with any forces between their bodies: accelerations by the O(n) recursion, without a solve.

Locks and latches jump by the recursion itself; connections without rows change their discrete states at their events.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..system.contract import Staged
from ..system.layout import end_to_end
from ..tree.kinematics import accelerations
from ..tree.recursion import solve_recursively
from .locks import Locks, watched
from .motion import Dynamics, Moment
from .outputs import Instant, shown_rates
from .route import Acting, Connections, FlowJump, Route, jumped, summed


class TreeRoute(Route):
    """The Route for a spacecraft without rows."""

    def __init__(self, dynamics: Dynamics, pieces):
        super().__init__(dynamics, pieces)
        self.locks, self.connections = Locks(dynamics), Connections(dynamics)
        self.watched = watched(self.connections, self.locks)

    @property
    def indicator_count(self) -> int:
        return self.watched.size

    def motion(self) -> Staged:
        return Staged(self._finish)

    def _finish(self, t, x, u, k, d, z, multipliers, carry):
        dyn = self.dynamics
        moment = dyn.moment(t, x, u, k, d)
        acting = self.connections.acting(t, moment, x, u, k, d)
        unpulled = moment.residual
        moment = _pulled(moment, acting)
        v_dot, prescribed_power, reactions = self.solved(moment)
        A = accelerations(moment.bodies, dyn.tree, v_dot)
        self.connections.accelerated(acting, moment.bodies, A)
        sums = summed(acting)
        moment = replace(moment, dissipated=moment.dissipated + sums.dissipated)
        instant = Instant(moment, A, dyn.potential(moment) + sums.potential, reactions, sums.particles, unpulled)
        none = np.zeros(0)
        y = [piece.values(instant) for piece in self.pieces]
        y += [each.connection.output_values(each.view, none) for each in acting]
        own = [
            each.connection.late_rates(each.view, each.view.kept["outlet"])
            if each.connection.settles
            else each.connection.state_rates(each.view)
            for each in acting
        ]
        shown = shown_rates(self.pieces, instant)
        return (
            dyn.state_rates(instant, v_dot, prescribed_power + sums.power, shown, own),
            np.concatenate(y),
            self.indicators(acting, moment, reactions),
        )

    def indicators(self, acting: list[Acting], moment: Moment, reactions=None):
        none, tree = np.zeros(0), self.dynamics.tree

        def holding(speed):
            """The force of the joint along the axis, less the applied forces there."""
            i = next(i for i, span in enumerate(tree.joint_v) if span.start <= speed < span.stop)
            carried = moment.bodies[i].H[:, speed - tree.joint_v[i].start] @ reactions[i]
            return carried - moment.passive[speed] - moment.drive[speed]

        own = [each.connection.indicators(each.view, none) for each in acting]
        return self.watched.joined({"connections": end_to_end(own), "locks": self.locks.indicators(moment, holding)})

    def solved(self, moment: Moment):
        """v̇ (nv,), the power of prescribed motion, and the joints' reactions."""
        return self.dynamics.recursive(moment)

    # ---- events

    def initialize(self, t, x, u, k, d):
        x = self.dynamics.begun(t, x, k)
        x = self.connections.initial_states(x, self._views(t, x, u, k, d))
        own = [connection.initial(view) for connection, view in self._views(t, x, u, k, d)]
        return x, self.dynamics.discretes.joined(
            {"locks": self.locks.initial(x, u, k, d), "connections": end_to_end(own)}
        )

    def _views(self, t, x, u, k, d):
        if not self.connections.all:
            return []
        bodies, scene = self.dynamics.placed(t, x, u, k, d)
        return self.connections.views(t, bodies, scene, x, u, k, d)

    def update(self) -> Staged | None:
        return Staged(self._jump) if self.locks.switching or self.connections.switching else None

    def _jump(self, t, x, u, k, d, g, z, multipliers, carry):
        """New discrete states of all, and the jump of axes that lock."""
        views = self._views(t, x, u, k, d)
        done = self.connections.decisions(views, g, [np.zeros(0)] * len(views))
        released = sum((each.lost for each in done), 0.0)
        locked = self.locks.decide(u, k, d, g[self.watched["locks"]])
        modes = end_to_end(each.discretes for each in done)
        d_new = self.dynamics.discretes.joined({"locks": locked, "connections": modes})
        settling = any(c.settles for c in self.connections.all)
        if not self.locks.all and not self.dynamics.craft.propulsion.burners and not settling:
            return jumped(self.dynamics, x, 0.0, 0.0, released), d_new
        moved = self.connections.changed(x, done)
        pulses = [(c.a.body, view.a, each.pulse) for (c, view), each in zip(views, done, strict=True)]
        jump, work, lost, supplied = self._stopped(t, moved, u, k, d, d_new, locked, pulses)
        x_new = jumped(self.dynamics, moved, jump, work, lost + released, supplied)
        if not settling:
            return x_new, d_new
        x_new = self.connections.settled(x_new, views, self._views(t, x_new, u, k, d_new))
        own = self.connections.lost(views, self._views(t, x_new, u, k, d_new), done)
        return jumped(self.dynamics, x_new, 0.0, 0.0, own), d_new

    def _stopped(self, t, x, u, k, d, d_new, locked, pulses):
        """An axis that locks stops at once, a flow that starts takes its momentum, a reel gives impulses (body, grip, impulse (6,) in N); the rest of the craft
        takes up all momentum: M Δv = Λ on the locked axes, plus impulses, less the gain of the flows. Returns Δv, work, loss, and the energy supplied by
        propulsion."""
        dyn = self.dynamics
        moment, locking = dyn.moment(t, x, u, k, d_new), self.locks.by_speed(locked)
        rates = np.array([-moment.v[p] * locking[p] if p in locking else 0.0 for p in range(dyn.tree.nv)])
        flowing = FlowJump(dyn, moment, x, k, d)
        gained = flowing.gained
        for body, grip, pulse in pulses:
            if pulse is not None:
                gained[body] = gained[body] - grip.map.force(pulse)
        jump, impulses = solve_recursively(
            dyn.tree, moment.bodies, gained, np.zeros(dyn.tree.nv), moment.known, rates, 0.0
        )
        return jump, *self._jump_energies(moment, jump, impulses, locking), flowing.supplied(jump)

    def _jump_energies(self, moment, jump, impulses, locked):
        """Energy of a jump, Λ(v + ½Δv) per axis: the work of drives of prescribed axes, which keep their speed, and the loss of axes that lock."""
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
    """The Moment with the wrenches of connections added to the loads of their bodies."""
    residual = list(moment.residual)
    for each in acting:
        if each.effort is None:
            continue
        ends = ((each.connection.a, each.view.a, each.effort.on_a), (each.connection.b, each.view.b, each.effort.on_b))
        for end, grip, wrench in ends:
            if end.body >= 0:
                residual[end.body] = residual[end.body] - grip.map.force(wrench)
    return replace(moment, residual=residual)
