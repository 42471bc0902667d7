"""Spacecraft → System. A pure tree is one stage (the recursion); couplings bring Kane's equations and a solve."""

from __future__ import annotations

import numpy as np

from ..signals import Bag
from ..system import Projection, Staged, System
from ..tree.kinematics import accelerations
from .coupled import Coupled
from .locks import Locks
from .motion import Dynamics
from .outputs import Instant, SystemTotals
from .signals import signal_table
from .structure import Spacecraft


def spacecraft_system(craft: Spacecraft) -> System:
    """The System of a spacecraft."""
    pieces = (SystemTotals(craft.environment.frame_text), *craft.sensors)
    table = signal_table(craft, pieces)
    dynamics = Dynamics(craft, table)
    route = (Coupled if craft.couplings else TreeRoute)(dynamics, pieces)
    laws = broken_laws(dynamics, np.array(table.starts("parameters")))
    return System(
        name=craft.name,
        description=craft.description,
        signals=table,
        motion=route.motion(),
        indicator_count=route.indicator_count,
        check=lambda p: np.array([value for _, value in broken_laws(dynamics, p)]),
        laws=tuple(sentence for sentence, _ in laws),
        without_rates=BENT_TOO_FAR if any(link.body.modes for link in craft.tree.links) else "",
        initialize=route.initialize,
        update=route.update(),
        projections=(*unit_quaternions(dynamics), *route.projections()),
        experiment=craft.experiment,
        documentation=craft.documentation,
        baked=craft.baked,
        made_by=(spacecraft_system, craft),
    )


# M(η) is exact to second order only: of a body bent by a good part of its length it can lose its sign (scalar.spd_solve).
BENT_TOO_FAR = (
    ": the mass matrix is not positive definite, as where a flexible body is bent beyond the range of its modes"
)


def broken_laws(dynamics: Dynamics, p):
    k = Bag(dynamics.table, "parameters", p)
    return [law for piece in (*dynamics.craft.pieces(), *dynamics.craft.couplings) for law in piece.laws(k)]


def unit_quaternions(dynamics: Dynamics):
    """Unit quaternions as a projection: residual |q|² − 1 over 2, moved along q."""
    spans = dynamics.tree.quaternions()
    if not spans:
        return ()
    count = len(spans)

    def assemble(t, x, u, k, d):
        excess = np.array([0.5 * (x[span] @ x[span] - 1.0) for span in spans])
        return np.eye(count), np.eye(count), np.zeros(count), -excess, np.zeros(0)

    def finish(t, x, u, k, d, z, multipliers, carry):
        parts, start = [], 0
        for span, stretch in zip(spans, z, strict=True):
            parts += [x[start : span.start], x[span] * (1.0 + stretch)]
            start = span.stop
        return np.concatenate([*parts, x[start:]])

    return (Projection("unit quaternions", Staged(finish, assemble, count, count, 0), 1e-15),)


class TreeRoute:
    """Pure trees: no solve; locks and latches jump by the recursion itself."""

    def __init__(self, dynamics: Dynamics, pieces):
        self.dynamics, self.pieces, self.locks = dynamics, pieces, Locks(dynamics)

    @property
    def indicator_count(self) -> int:
        return self.locks.indicator_count

    def motion(self) -> Staged:
        return Staged(self._finish)

    def _finish(self, t, x, u, k, d, z, multipliers, carry):
        dyn = self.dynamics
        moment = dyn.moment(t, x, u, k, d)
        v_dot, prescribed_power, reactions = dyn.recursive(moment)
        instant = Instant(moment, accelerations(moment.bodies, dyn.tree, v_dot), dyn.potential(moment), reactions)
        y = np.concatenate([piece.values(instant) for piece in self.pieces])
        return dyn.state_rates(moment, v_dot, prescribed_power), y, self.locks.indicators(moment)

    def projections(self):
        return ()

    def initialize(self, t, x, u, k, d):
        x = self.dynamics.begun(t, x, k)
        return x, self.locks.initial(x, u, k, d)

    def update(self) -> Staged | None:
        return Staged(self._jump) if self.locks.all else None

    def _jump(self, t, x, u, k, d, g, z, multipliers, carry):
        """An axis that locks stops at once; the rest takes up its momentum: M Δv = Λ on the locked axes alone."""
        from ..tree.recursion import solve_recursively

        dyn = self.dynamics
        d_new = self.locks.decide(u, k, d, g)
        moment = dyn.moment(t, x, u, k, d_new)
        locked = self.locks.by_speed(d_new)
        rates = np.array([-moment.v[p] * locked[p] if p in locked else 0.0 for p in range(dyn.tree.nv)])
        nothing = [np.zeros(6 + link.body.modes) for link in dyn.tree.links]
        jump, impulses = solve_recursively(
            dyn.tree, moment.bodies, nothing, np.zeros(dyn.tree.nv), moment.known, rates, 0.0
        )
        work, lost = self._jump_energies(moment, jump, impulses, locked)
        nq, end = dyn.tree.nq, dyn.tree.nq + dyn.tree.nv
        return np.concatenate([x[:nq], moment.v + jump, [x[end] + work, x[end + 1] + lost], x[end + 2 :]]), d_new

    def _jump_energies(self, moment, jump, impulses, locked):
        """Energy of a jump, Λ(v + ½Δv) an axis: what locking axes lose, what drives of prescribed ones do as they keep their speed."""
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
