"""Prescribed motions → accelerations and the required forces.

Of the equations M v̇ = f + (forces of the actuators), those of the speeds without an actuator (rows U) are enforced as they are, and the
tasks require J v̇ = γ. Together that is C v̇ = c, C = (M_U, J), with as many rows as speeds if there are as many rows of tasks as
actuators; then

    v̇ = C⁻¹ c,     τ = (M v̇ − f)_A

It is solvable while the generalized Jacobian J_A − J_U M_UU⁻¹ M_UA has full rank: base and arm move together, so its singularities depend
on inertias too. Its smallest singular value is an output, and so is the effective inertia at the actuators, M_AA − M_AU M_UU⁻¹ M_UA (the
generalized inertia of an arm on its free base), which a controller needs in addition to τ for errors about the path.

With more actuators than rows the rates are those of least norm in a metric W (aims.py), W (v − v_aim) = Cᵀμ, resolved at the level of
*velocities* and differentiated exactly: least accelerations would let motions within the null space grow.

    W v̇ − Cᵀμ̇ = W v̇_aim + Ċᵀμ − Ẇ(v − v_aim) − w (W(v − v_aim) − Cᵀμ),     C v̇ = c

Ċ and Ẇ are the rates of dual numbers (dual.py). Proved by tests/inverse/.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.dual import duals, rates_of
from ..algebra.scalar import both, sharing, spd_solve, where
from ..spacecraft.motion import Dynamics
from ..spacecraft.outputs import Instant, shown_rates
from ..spacecraft.reactions import joint_reactions
from ..spacecraft.tree_route import TreeRoute
from ..system.contract import Staged
from ..tree.composite import composite_equations
from ..tree.kane import PartialVelocities
from ..tree.kinematics import accelerations, move
from .aims import Aim
from .singular import smallest_singular_value
from .tasks import Asked, TaskInstant

SINGULAR = 1e-4  # smallest singular value to the size of the Jacobian, and what drives move to their rates: below, no path is followed
RUN_AWAY = (
    ": the path reaches a singular configuration (see inverse.singular_value), from which no drive can move it on"
)


@dataclass(frozen=True)
class Problem:
    """tasks, the speeds along which actuators act, the bandwidth of error correction [rad/s], and the objective of redundant ones (or None)."""

    tasks: tuple
    actuated: tuple[int, ...]
    correction: float
    aim: Aim | None = None

    @property
    def rows(self) -> int:
        return sum(task.rows for task in self.tasks)


class InverseRoute(TreeRoute):
    """The motion of a spacecraft with given tasks: the interface of a Route (spacefmu.dynamics.spacecraft.route), and the forces.

    Its only events are those of frames that are followed; everything else that could switch is refused.
    """

    def __init__(self, dynamics: Dynamics, problem: Problem, pieces):
        super().__init__(dynamics, pieces)
        self.problem = problem
        self.A = np.array(problem.actuated, dtype=int)
        self.U = np.array([p for p in range(dynamics.tree.nv) if p not in problem.actuated], dtype=int)

        # (place among the actuators, link) of free bodies that are driven as a whole
        links = enumerate(dynamics.tree.links)
        first = {dynamics.tree.joint_v[i].start: i for i, link in links if link.joint.nv == 6 and link.parent < 0}
        self.bodies = [(place, first[p]) for place, p in enumerate(problem.actuated) if p in first]

    def motion(self) -> Staged:
        nv = self.dynamics.tree.nv
        return Staged(self._finish, self._assemble, nv, len(self.U) + self.problem.rows, 0)

    def _assemble(self, t, x, u, k, d):
        moment = self.dynamics.moment(t, x, u, k, d)
        M, f, V, B = self.dynamics.kane(moment)
        asked = self.asked(t, moment, V, B)
        scale = _row_scale(M, self.U)
        C = np.vstack([M[self.U] * scale[:, None], asked.jacobian])
        gamma = np.concatenate([f[self.U] * scale, asked.gamma])
        nv = len(f)
        if self.problem.aim is None:  # as many rows as speeds: any metric gives the same solution
            return np.eye(nv), C, np.zeros(nv), gamma, np.zeros(0)
        W, wanted = self._least(moment, M, C)
        # CᵀC makes the metric positive definite where W alone is not, and changes nothing on C v̇ = γ
        return W + C.T @ C, C, wanted + C.T @ gamma, gamma, np.zeros(0)

    def _least(self, moment, M, C):
        """W and the right side of the first equation for redundant arms."""
        aim, q, v = self.problem.aim, moment.q, moment.v
        W = aim.metric(M, self.A)
        excess = v - aim.rates(q, v, self.A)
        mu = spd_solve(C @ C.T, C @ (W @ excess))
        q_dot = self.dynamics.coordinate_rates(q, v)
        with sharing(None):  # shared functions take numbers and symbols, not duals
            M_moving, C_moving = self._conditions(duals(q, q_dot), moment)
        W_dot, C_dot = rates_of(aim.metric(M_moving, self.A)), rates_of(C_moving)
        back = self.problem.correction * (W @ excess - C.T @ mu)
        return W, W @ aim.accelerations(v, self.A) + C_dot.T @ mu - W_dot @ excess - back

    def _conditions(self, q, moment):
        """M (nv, nv) and C as functions of q only."""
        dyn = self.dynamics
        bodies = move(dyn.tree, q, np.zeros(dyn.tree.nv), moment.k, moment.scene.space)
        M, _, B = composite_equations(dyn.tree, bodies, [np.zeros(6 + link.body.modes) for link in dyn.tree.links])
        instant = TaskInstant(
            0.0, None, q, moment.v, moment.scene.space, bodies, PartialVelocities(dyn.tree, bodies), B
        )
        rows = [task.jacobian(instant) for task in self.problem.tasks]
        return M, np.vstack([M[self.U] * _row_scale(M, self.U)[:, None], *rows])

    def asked(self, t, moment, V, B) -> Asked:
        """All rows of all tasks."""
        instant = TaskInstant(t, moment.u, moment.q, moment.v, moment.scene.space, moment.bodies, V, B)
        each = [task.asked(instant, self.problem.correction) for task in self.problem.tasks]
        return Asked(
            np.vstack([a.jacobian for a in each]),
            *(np.concatenate([getattr(a, part) for a in each]) for part in ("gamma", "error", "rate_error")),
        )

    def _finish(self, t, x, u, k, d, z, multipliers, carry):
        dyn = self.dynamics
        moment = dyn.moment(t, x, u, k, d)
        M, f, V, B = dyn.kane(moment)
        forces = (M @ z - f)[self.A]
        A = accelerations(moment.bodies, dyn.tree, z)
        instant = Instant(moment, A, dyn.potential(moment), joint_reactions(dyn.tree, moment, A, ()))
        asked = self.asked(t, moment, V, B)
        y = [piece.values(instant) for piece in self.pieces]
        follows = self.following(M)
        jacobian = asked.jacobian[:, self.A] - asked.jacobian[:, self.U] @ follows
        inertia = M[np.ix_(self.A, self.A)] - M[np.ix_(self.A, self.U)] @ follows
        smallest = smallest_singular_value(jacobian)
        y += [self._shown(forces, moment.q), asked.error, [smallest], inertia.reshape(-1)]
        g = self.indicators(self.connections.acting(t, moment, x, u, k, d), moment)
        rates = dyn.state_rates(instant, z, forces @ moment.v[self.A], shown_rates(self.pieces, instant))
        return rates * _while_drivable(jacobian, smallest, moment.v[self.A]), np.concatenate(y), g

    def _shown(self, forces, q):
        """Forces in the axes of the corresponding inputs: those on a free body in its own axes, not in those of its velocity."""
        parts, done = [], 0
        for place, i in self.bodies:
            _, dcm_JC = self.dynamics.tree.links[i].joint.pose(q[self.dynamics.tree.joint_q[i]])
            parts += [forces[done:place], dcm_JC.T @ forces[place : place + 3]]
            done = place + 3
        return np.concatenate([*parts, forces[done:]])

    def following(self, M):
        """M_UU⁻¹ M_UA (others, actuators): the reaction of the other speeds to the actuators' motion if nothing else acts."""
        if not len(self.U):
            return np.zeros((0, len(self.A)))
        return spd_solve(M[np.ix_(self.U, self.U)], M[np.ix_(self.U, self.A)])


def _while_drivable(jacobian, smallest, rates):
    """1; infinite near a singularity, where the drives move much faster than what they move. At rest a singular place is harmless."""
    size, moved = np.sum(jacobian**2), jacobian @ rates
    away = both(smallest**2 < SINGULAR**2 * size, size * (rates @ rates) > (moved @ moved) / SINGULAR**2)
    with np.errstate(divide="ignore"):
        return size / (size * where(away, 0.0, 1.0))


def _row_scale(M, rows):
    """1/M_pp of the rows of dynamics: so that all rows of C are of similar size."""
    return np.array([1.0 / M[p, p] for p in rows])
