"""The O(n) recursion: accelerations of a tree of flexible bodies without a mass matrix.

Inward, each body is seen by its parent as an articulated body: the force it needs at its joint is
Ia (a, α) + pa, with its own joint and modes already eliminated. Outward, the accelerations follow.
A body's unknowns are w = (v̇ of its joint, η̈); where motion is prescribed or locked, v̇ is known instead.

Featherstone's articulated-body algorithm with modal coordinates as further unknowns of each body.
Agrees with Kane's equations (kane.py) on random trees: tests/laws/test_two_routes.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..bodies.equations import Inertia
from ..scalar import shared, spd_reduce, spd_solve, symmetric
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
    M = [body.equations[0] for body in bodies]
    needed = list(residual)
    eliminated: list = [None] * len(bodies)
    for i, body in reversed(list(enumerate(bodies))):
        span, parent = tree.speeds_of(i), tree.links[i].parent
        eliminated[i] = _eliminate(
            body.H, bias_scale * body.beta, M[i], needed[i], forces[span], _joint_part(tree, i, known, known_rates)
        )
        if parent >= 0:
            M[parent], needed[parent] = _loaded(M[parent], needed[parent], body.T, eliminated[i].Ia, eliminated[i].pa)
    return _outward(tree, bodies, eliminated, known, known_rates)


def _joint_part(tree: Tree, i: int, known, known_rates):
    """Which rates of joint i are known, and what they are; modes are never prescribed."""
    return None if known is None else (known[tree.joint_v[i]], known_rates[tree.joint_v[i]])


@dataclass(frozen=True)
class Eliminated:
    """One body without its own unknowns: η̈ = modes[:, 6] − modes[:, :6] (a, α), v̇ = joint[:, 6] − joint[:, :6] (a, α)₀ with (a, α)₀ at v̇ = 0.

    modes (N, 7), joint (nv, 7), β with known rates (6,), and what the parent sees: Ia (6, 6), pa (6,).
    """

    modes: np.ndarray
    joint: np.ndarray
    beta: np.ndarray
    Ia: np.ndarray
    pa: np.ndarray


@shared
def _eliminate(H, beta, M: Inertia, needed, tau, given) -> Eliminated:
    """The modes first, M_η⁻¹[couplingᵀ, drive], which leaves a rigid body that yields (6, 6), p (6,); then the joint, D⁻¹[Uᵀ, drive]."""
    joint = H.shape[1]
    modes, yielding = spd_reduce(M.modal, np.column_stack([M.coupling.T, tau[joint:] - needed[6:]]), M.carried)
    rigid, p = M.frame - yielding[:6, :6], needed[:6] + yielding[:6, 6]
    locked, tau = np.zeros(joint), tau[:joint]
    if given is not None:
        locked, rates = given
        beta = beta + H @ (locked * rates)
        H, tau = H * (1.0 - locked), tau * (1.0 - locked)
    U = rigid @ H
    gain = spd_solve(H.T @ U + np.diag(locked), np.column_stack([U.T, tau - H.T @ p]))
    Ia = symmetric(rigid - U @ gain[:, :6])
    return Eliminated(modes, gain, beta, Ia, p + U @ gain[:, 6] + Ia @ beta)


@shared
def _loaded(M: Inertia, needed, T, Ia, pa):
    """A parent's inertia and needed force (6+N,) with those (6, 6), (6,) of a body that it carries: + TᵀIaT, + Tᵀpa."""
    frame, modes = T[:, :6], T[:, 6:]
    pulled = Ia @ T
    M = replace(
        M,
        frame=symmetric(M.frame + frame.T @ pulled[:, :6]),
        coupling=M.coupling + frame.T @ pulled[:, 6:],
        carried=(*M.carried, (modes, Ia)),
    )
    return M, needed + T.T @ pa


def _outward(tree, bodies, eliminated, known, known_rates):
    """Accelerations and joint reactions from the eliminated bodies, parents first."""
    rates, reactions, A = [], [], []
    for i, (body, link) in enumerate(zip(bodies, tree.links, strict=True)):
        inner = A[link.parent] if link.parent >= 0 else np.zeros(0)
        w, own, reaction = _accelerate(body.T, body.H, inner, eliminated[i], _joint_part(tree, i, known, known_rates))
        A.append(own)
        rates.append(w)
        reactions.append(reaction)
    return np.concatenate(rates) if rates else np.zeros(0), reactions


@shared
def _accelerate(T, H, inner, eliminated: Eliminated, given):
    """w = (v̇, η̈) of the body, A = (a, α, η̈), and the joint's reaction, from the parent's acceleration."""
    carried = T @ inner
    frame = carried + eliminated.beta
    v_dot = eliminated.joint[:, 6] - eliminated.joint[:, :6] @ frame
    if given is not None:
        v_dot = v_dot * (1.0 - given[0])
    frame = frame + H @ v_dot
    eta_ddot = eliminated.modes[:, 6] - eliminated.modes[:, :6] @ frame
    if given is not None:
        v_dot = v_dot + given[0] * given[1]
    reaction = eliminated.Ia @ carried + eliminated.pa
    return np.concatenate([v_dot, eta_ddot]), np.concatenate([frame, eta_ddot]), reaction
