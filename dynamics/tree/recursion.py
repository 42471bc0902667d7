"""The O(n) recursion: accelerations of a tree of flexible bodies without a mass matrix.

Inward, each body is seen by its parent as an articulated body: the force it needs at its joint is
Ia (a, α) + pa, with its own joint and modes already eliminated. Outward, the accelerations follow.
A body's unknowns are w = (v̇ of its joint, η̈); where motion is prescribed or locked, v̇ is known instead.

Featherstone's articulated-body algorithm with modal coordinates as further unknowns of each body.
Agrees with Kane's equations (kane.py) on random trees: tests/laws/test_two_routes.py.
"""

from __future__ import annotations

import numpy as np

from ..bodies.equations import mass_matrix
from ..scalar import spd_solve
from .kinematics import Moving
from .topology import Tree


def solve_recursively(tree: Tree, bodies: list[Moving], residual, forces, known=None, known_rates=None, bias_scale=1.0):
    """v̇ (nv,) such that every body's M A + residual = joint forces, and the reaction in every joint.

    residual     list of (6+N,): bias minus loads of each body in its own axes
    forces       (nv,) generalized forces along the speeds: joint torques, elastic forces
    known        (nv,) 1 where v̇ is prescribed or locked, else 0 (numbers or symbols); None: nowhere
    known_rates  (nv,) v̇ there
    bias_scale   1 for accelerations; 0 for jumps, where velocities change at once and β plays no part
    Returns v̇ and a list of (6,) wrenches (force, torque) by which the joint acts on each body, at its frame, own axes.
    """
    n = len(bodies)
    inertia = [mass_matrix(body.integrals, body.eta) for body in bodies]
    needed = list(residual)
    eliminated: list = [None] * n
    for i in reversed(range(n)):
        body, link = bodies[i], tree.links[i]
        span = tree.speeds_of(i)
        modes = link.body.modes
        beta = bias_scale * body.beta
        H = np.block([[body.H, np.zeros((6, modes))], [np.zeros((modes, body.H.shape[1])), np.eye(modes)]])
        free = None
        if known is not None:
            free = 1.0 - known[span]
            given = known[span] * known_rates[span]
            beta = beta + H[:6] @ given  # modes are never prescribed
            H = H * free
        U = inertia[i] @ H
        D = H.T @ U if free is None else H.T @ U + np.diag(1.0 - free)
        tau = forces[span] if free is None else forces[span] * free
        drive = tau - H.T @ needed[i]
        gain = spd_solve(D, np.column_stack([U.T, drive]))  # D⁻¹ [Uᵀ, drive]
        Ia = (inertia[i] - U @ gain[:, :-1])[:6, :6]
        pa = (needed[i] + U @ gain[:, -1])[:6] + Ia @ beta
        eliminated[i] = (gain, beta, Ia, pa)
        if link.parent >= 0:
            inertia[link.parent] = inertia[link.parent] + body.T.T @ Ia @ body.T
            needed[link.parent] = needed[link.parent] + body.T.T @ pa
    return _outward(tree, bodies, eliminated, known, known_rates)


def _outward(tree, bodies, eliminated, known, known_rates):
    """Accelerations and joint reactions from the eliminated bodies, parents first."""
    rates, reactions, A = [], [], []
    for i, (body, link) in enumerate(zip(bodies, tree.links, strict=True)):
        gain, beta, Ia, pa = eliminated[i]
        span = tree.speeds_of(i)
        inner = A[link.parent] if link.parent >= 0 else np.zeros(0)
        carried = body.T @ inner
        frame = carried + beta
        w = gain[:, -1] - gain[:, :6] @ frame  # D⁻¹(drive − Uᵀ(a, α))
        joint = body.H.shape[1]
        if known is not None:
            mask = 1.0 - known[span]
            A.append(np.concatenate([frame + body.H @ (w * mask)[:joint], w[joint:]]))
            w = w * mask + known[span] * known_rates[span]
        else:
            A.append(np.concatenate([frame + body.H @ w[:joint], w[joint:]]))
        reactions.append(Ia @ carried + pa)
        rates.append(w)
    return np.concatenate(rates) if rates else np.zeros(0), reactions
