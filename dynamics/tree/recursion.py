"""The O(n) recursion: accelerations of a tree of flexible bodies without a mass matrix.

Inward, each body is seen by its parent as an articulated body: the force it needs at its joint is
Ia (a, α) + pa, with its own joint and modes already eliminated. Outward, the accelerations follow.
A body's unknowns are w = (v̇ of its joint, η̈); where motion is prescribed or locked, v̇ is known instead.

Featherstone's articulated-body algorithm with modal coordinates as further unknowns of each body.
Agrees with Kane's equations (kane.py) on random trees: tests/tree/test_two_routes.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..algebra.scalar import is_symbolic, shared, spd_reduce, spd_solve, symmetric
from ..bodies.equations import Inertia
from ..joints.kinds import FreeJoint
from .kinematics import STILL, Moving
from .topology import Tree


def solve_recursively(tree: Tree, bodies: list[Moving], residual, forces, known=None, known_rates=None, bias_scale=1.0):
    """v̇ (nv,) such that every body's M A + residual = joint forces, and the reaction in every joint.

    residual     list of (6+N,): bias minus loads of each body in its own axes
    forces       (nv,) generalized forces along the speeds: joint torques, elastic forces
    known        (nv,) 1 where v̇ is prescribed or locked, else 0 (numbers or symbols); None: nowhere
    known_rates  (nv,) v̇ there
    bias_scale   1 for accelerations; 0 for jumps, where velocities change instantaneously and β has no effect
    Returns v̇ and a list of (6,) wrenches (force, torque) by which the joint acts on each body, at its frame, own axes.
    """
    M = [body.equations[0] for body in bodies]
    needed = list(residual)
    eliminated: list = [None] * len(bodies)
    for i, body in reversed(list(enumerate(bodies))):
        span, parent = tree.speeds_of(i), tree.links[i].parent
        given = _joint_part(tree, i, known, known_rates)
        eliminate = _set_free if _is_free(tree.links[i].joint, given) else _eliminate
        eliminated[i] = eliminate(body.H, bias_scale * body.beta, M[i], needed[i], forces[span], given)
        if parent >= 0:
            M[parent], needed[parent] = _loaded(M[parent], needed[parent], body.T, eliminated[i].Ia, eliminated[i].pa)
    return _outward(tree, bodies, eliminated, known, known_rates)


def _joint_part(tree: Tree, i: int, known, known_rates):
    """Which rates of joint i are known, and their values; modes are never prescribed."""
    return None if known is None else (known[tree.joint_v[i]], known_rates[tree.joint_v[i]])


@dataclass(frozen=True)
class Eliminated:
    """One body without its own unknowns: η̈ = modes[:, 6] − modes[:, :6] (a, α), v̇ = joint[:, 6] − joint[:, :6] (a, α)₀ with (a, α)₀ at v̇ = 0.

    modes (N, 7), joint (nv, 7), β with known rates (6,), and the articulated body for the parent: Ia (6, 6), pa (6,). afloat: (a, α) of a
    body whose joint leaves all six speeds free, independent of the parent; `joint` is not used then.
    """

    modes: np.ndarray
    joint: np.ndarray
    beta: np.ndarray
    Ia: np.ndarray
    pa: np.ndarray
    afloat: np.ndarray | None = None


def _is_free(joint, given) -> bool:
    """Whether the joint leaves all six speeds of the body free, along orthogonal axes."""
    return isinstance(joint, FreeJoint) and (given is None or not np.any(given[0]))


@shared
def _set_free(H, beta, M: Inertia, needed, tau, given) -> Eliminated:
    """As `_eliminate` for a free joint, in the body's own axes: H⁻¹ = Hᵀ, so only the joint's drive acts on the parent."""
    modes, rigid, p = _without_modes(M, needed, tau[6:])
    drive = H @ tau[:6]
    return Eliminated(modes, np.zeros((6, 7)), beta, np.zeros((6, 6)), drive, spd_solve(rigid, drive - p))


def _without_modes(M: Inertia, needed, tau):
    """M_η⁻¹[couplingᵀ, drive] (N, 7), and the equivalent rigid body (6, 6) with the remaining force p (6,)."""
    modes, yielding = spd_reduce(M.modal, np.column_stack([M.coupling.T, tau - needed[6:]]), M.carried)
    return modes, M.frame - yielding[:6, :6], needed[:6] + yielding[:6, 6]


@shared
def _eliminate(H, beta, M: Inertia, needed, tau, given) -> Eliminated:
    """First the modes, which leaves an equivalent rigid body; then the joint, D⁻¹[Uᵀ, drive]."""
    joint = H.shape[1]
    modes, rigid, p = _without_modes(M, needed, tau[joint:])
    locked, tau = np.zeros(joint), tau[:joint]
    if given is not None:
        locked, rates = given
        beta = beta + H @ (locked * rates)
        H, tau = H * (1.0 - locked), tau * (1.0 - locked)
    U = rigid @ H
    gain = spd_solve(H.T @ U + np.diag(locked), np.column_stack([U.T, tau - H.T @ p]))
    felt = 1.0 - _axes_of_the_frame(H)
    Ia = symmetric(rigid - U @ gain[:, :6]) * np.outer(felt, felt)
    return Eliminated(modes, gain, beta, Ia, p + U @ gain[:, 6] + Ia @ beta)


def _axes_of_the_frame(H):
    """(6,), 1 where a column of H is exactly an axis of the frame: Ia H = 0, so a row and a column of Ia are exact zeros there, not round-off."""
    units = [np.asarray(column, float) for column in H.T if not any(map(is_symbolic, column))]
    return sum((unit for unit in units if np.count_nonzero(unit) == 1), np.zeros(6)) != 0.0


@shared
def _loaded(M: Inertia, needed, T, Ia, pa):
    """A parent's inertia and needed force (6+N,) with those (6, 6), (6,) of a body that it carries: + TᵀIaT, + Tᵀpa."""
    frame, coupling, turned = T.inertia(Ia)
    M = replace(M, frame=M.frame + frame, coupling=M.coupling + coupling, carried=(*M.carried, (T.modes, turned)))
    return M, needed + T.force(pa)


def _outward(tree, bodies, eliminated, known, known_rates):
    """Accelerations and joint reactions from the eliminated bodies, parents first."""
    rates, reactions, A = [], [], []
    for i, (body, link) in enumerate(zip(bodies, tree.links, strict=True)):
        inner = A[link.parent] if link.parent >= 0 else STILL
        given = _joint_part(tree, i, known, known_rates)
        w, own, carried = _accelerate(body.T, body.H, inner, eliminated[i], given)
        A.append(own)
        rates.append(w)
        reactions.append(_reaction(eliminated[i].Ia, eliminated[i].pa, carried))
    return np.concatenate(rates) if rates else np.zeros(0), reactions


@shared
def _accelerate(T, H, inner, eliminated: Eliminated, given):
    """w = (v̇, η̈) of the body, A = (a, α, η̈), and T A of the parent, from the parent's acceleration."""
    carried = T.motion(inner)
    frame = carried + eliminated.beta
    if eliminated.afloat is not None:
        frame, v_dot = eliminated.afloat, H.T @ (eliminated.afloat - frame)
    else:
        v_dot = eliminated.joint[:, 6] - eliminated.joint[:, :6] @ frame
        if given is not None:
            v_dot = v_dot * (1.0 - given[0])
        frame = frame + H @ v_dot
    eta_ddot = eliminated.modes[:, 6] - eliminated.modes[:, :6] @ frame
    if given is not None:
        v_dot = v_dot + given[0] * given[1]
    return np.concatenate([v_dot, eta_ddot]), np.concatenate([frame, eta_ddot]), carried


@shared
def _reaction(Ia, pa, carried):
    """By which the joint acts on the body, (6,)."""
    return Ia @ carried + pa
