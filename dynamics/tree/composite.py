"""Kane's equations M(q) v̇ + h(q, v) = forces by composite bodies: the same M and h as the sums of kane.py, with less work. Inward, each
body is combined with all bodies that it carries, with joints and modes frozen. The force that a speed of body i requires from its composite
body is transferred towards the root, and projected on the speeds of every body on the way:

    Ī_i = M_i + Σ T_cᵀ Ī_c T_c,    M_ii = H̄_iᵀ Ī_i H̄_i,    F = Ī_i H̄_i,  F ← T_jᵀ F,  M_ji = H̄_jᵀ F

H̄ = diag(H, 1) maps a body's own speeds (joint, modes) to its (v, ω, η̇). That is a fixed number of small products per pair of a body and
one that carries it, whereas V_iᵀ M_i V_i has one per pair of speeds on the path of every body.
Equal to kane.py on random trees: tests/tree/test_two_routes.py.
"""

from __future__ import annotations

import numpy as np

from ..algebra.scalar import shared, symmetric
from .kane import bias_accelerations
from .kinematics import Moving
from .topology import Tree


def composite_equations(tree: Tree, bodies: list[Moving], residual):
    """M (nv, nv), h (nv,) and the bias accelerations B_i; residual as in `solve_recursively`."""
    B = bias_accelerations(tree, bodies)
    inertia = [body.equations[0].matrix for body in bodies]
    needed = [_at_rest(M_i, B_i, r_i) for M_i, B_i, r_i in zip(inertia, B, residual, strict=True)]
    blocks: dict[tuple[int, int], np.ndarray] = {}
    h: list[np.ndarray] = [np.zeros(0)] * len(bodies)
    for i, body in reversed(list(enumerate(bodies))):
        h[i], blocks[i, i], force = _own_speeds(body.H, inertia[i], needed[i])
        j = i
        while (parent := tree.links[j].parent) >= 0:
            blocks[parent, i], force = _meet(bodies[parent].H, bodies[j].T, force)
            blocks[i, parent] = blocks[parent, i].T
            j = parent
        if (parent := tree.links[i].parent) >= 0:
            carried = inertia[i][:6, :6], needed[i][:6]  # with frozen joint and modes
            inertia[parent], needed[parent] = joined(inertia[parent], needed[parent], body.T, *carried)
    return _stacked(tree, blocks), np.concatenate([np.zeros(0), *h]), B


@shared
def _at_rest(M, B, residual):
    return M @ B + residual


@shared
def _own_speeds(H, inertia, needed):
    """h_i (nv_i,), M_ii (nv_i, nv_i), and the forces (6, nv_i) at the frame that the composite body requires per unit of v̇_i."""
    H = with_modes(H, len(inertia) - 6)
    force = inertia @ H
    return H.T @ needed, symmetric(H.T @ force), force[:6]


@shared
def _meet(H, T, force):
    """M_ji of a body j with child's map T and speeds of a body i further out, and their forces at j's frame."""
    carried = T.force(force)
    return with_modes(H, len(carried) - 6).T @ carried, carried[:6]


@shared
def joined(inertia, needed, T, Ia, pa):
    """A parent's inertia (6+N, 6+N) and needed force (6+N,) with those (6, 6), (6,) of a body that it carries: + TᵀIaT, + Tᵀpa."""
    frame, coupling, turned = T.inertia(Ia)
    modal = T.modes.T @ turned @ T.modes
    return symmetric(inertia + np.block([[frame, coupling], [coupling.T, modal]])), needed + T.force(pa)


def with_modes(H, modes: int):
    """H̄ = diag(H, 1), (6+N, nv): from a body's own speeds, joint then modes, to its (v, ω, η̇)."""
    if not modes:
        return H
    return np.block([[H, np.zeros((6, modes))], [np.zeros((modes, H.shape[1])), np.eye(modes)]])


def _stacked(tree: Tree, blocks) -> np.ndarray:
    """M from its blocks; there is none for bodies of which neither carries the other."""
    spans = [tree.speeds_of(i) for i in range(len(tree.links))]
    widths = [span.stop - span.start for span in spans]
    rows = [
        np.hstack([blocks[i, j] if (i, j) in blocks else np.zeros((a, b)) for j, b in enumerate(widths)])
        for i, a in enumerate(widths)
    ]
    return np.vstack([np.zeros((0, tree.nv)), *rows])
