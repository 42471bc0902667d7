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
from ..scalar import shared, spd_solve, symmetric
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
    inertia = [mass_matrix(body.integrals, body.eta) for body in bodies]
    needed = list(residual)
    eliminated: list = [None] * len(bodies)
    for i, body in reversed(list(enumerate(bodies))):
        span, parent = tree.speeds_of(i), tree.links[i].parent
        given = None if known is None else (known[span], known_rates[span])
        eliminated[i] = _eliminate(body.H, bias_scale * body.beta, inertia[i], needed[i], forces[span], given)
        if parent >= 0:
            inertia[parent], needed[parent] = joined(inertia[parent], needed[parent], body.T, *eliminated[i][2:])
    return _outward(tree, bodies, eliminated, known, known_rates)


@shared
def _eliminate(H, beta, inertia, needed, tau, given):
    """One body without its own unknowns w: gain (nv_i, 7) = D⁻¹[Uᵀ, drive], β with known rates, Ia (6, 6) and pa (6,)."""
    modes = len(inertia) - 6
    H = with_modes(H, modes)
    locked = np.zeros(H.shape[1])
    if given is not None:
        locked, rates = given
        beta = beta + H[:6] @ (locked * rates)  # modes are never prescribed
        H, tau = H * (1.0 - locked), tau * (1.0 - locked)
    U = inertia @ H
    D = H.T @ U + np.diag(locked)
    drive = tau - H.T @ needed
    gain = spd_solve(D, np.column_stack([U.T, drive]))
    Ia = symmetric((inertia - U @ gain[:, :-1])[:6, :6])
    pa = (needed + U @ gain[:, -1])[:6] + Ia @ beta
    return gain, beta, Ia, pa


def with_modes(H, modes: int):
    """H̄ = diag(H, 1), (6+N, nv): from a body's own speeds, joint then modes, to its (v, ω, η̇)."""
    return np.block([[H, np.zeros((6, modes))], [np.zeros((modes, H.shape[1])), np.eye(modes)]])


@shared
def joined(inertia, needed, T, Ia, pa):
    """A parent's inertia (6+N, 6+N) and needed force (6+N,) with those (6, 6), (6,) of a body that it carries: + TᵀIaT, + Tᵀpa."""
    return symmetric(inertia + T.T @ Ia @ T), needed + T.T @ pa


def _outward(tree, bodies, eliminated, known, known_rates):
    """Accelerations and joint reactions from the eliminated bodies, parents first."""
    rates, reactions, A = [], [], []
    for i, (body, link) in enumerate(zip(bodies, tree.links, strict=True)):
        span = tree.speeds_of(i)
        inner = A[link.parent] if link.parent >= 0 else np.zeros(0)
        given = None if known is None else (known[span], known_rates[span])
        w, own, reaction = _accelerate(body.T, body.H, inner, eliminated[i], given)
        A.append(own)
        rates.append(w)
        reactions.append(reaction)
    return np.concatenate(rates) if rates else np.zeros(0), reactions


@shared
def _accelerate(T, H, inner, eliminated, given):
    """w = D⁻¹(drive − Uᵀ(a, α)), A = (a, α, η̈) of the body, and the joint's reaction, from the parent's acceleration."""
    gain, beta, Ia, pa = eliminated
    carried = T @ inner
    frame = carried + beta
    w = gain[:, -1] - gain[:, :6] @ frame
    if given is not None:
        w = w * (1.0 - given[0])
    joint = H.shape[1]
    A = np.concatenate([frame + H @ w[:joint], w[joint:]])
    return w if given is None else w + given[0] * given[1], A, Ia @ carried + pa
