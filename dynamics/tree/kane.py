"""Kane's equations of the tree: partial velocities and the generalized mass matrix.

    M(q) v̇ + h(q, v) = forces,    M = Σ V_iᵀ M_i V_i,    h = Σ V_iᵀ (M_i B_i + residual_i)

V_i (6+N_i, nv) holds the partial velocities of body i, column by speed: its (v, ω, η̇) = V_i v;
B_i is what its acceleration has left when v̇ = 0. Source: [jin1991] eq. (11)–(31), with path matrix S.
Proved against the recursion and brute force: tests/laws/test_two_routes.py, tests/papers/test_jin1991.py.
"""

from __future__ import annotations

import numpy as np

from ..bodies.equations import mass_matrix
from .kinematics import Moving
from .topology import Tree


def partial_velocities(tree: Tree, bodies: list[Moving]) -> list[np.ndarray]:
    """V_i of every body: [jin1991] (18), (21), (24), with modes of a flexible parent carrying what is outboard.

    Column p belongs to a speed of body q and is zero unless S[q, i] = 1: body q is on the path to body i.
    There it is the speed's own column, carried outward by T from body to body.
    """
    S = tree.path_matrix()
    V: list[np.ndarray] = []
    for i, (body, link) in enumerate(zip(bodies, tree.links, strict=True)):
        modes = link.body.modes
        own = np.block([[body.H, np.zeros((6, modes))], [np.zeros((modes, body.H.shape[1])), np.eye(modes)]])
        columns = []
        for q in range(len(bodies)):
            span = tree.speeds_of(q)
            width = span.stop - span.start
            if q == i:
                columns.append(own)
            elif S[q, i]:
                carried = body.T @ V[link.parent][:, span]
                columns.append(np.vstack([carried, np.zeros((modes, width))]))
            else:
                columns.append(np.zeros((6 + modes, width)))
        V.append(np.hstack(columns))
    return V


def bias_accelerations(tree: Tree, bodies: list[Moving]) -> list[np.ndarray]:
    """B_i = (a, α, η̈) of every body at v̇ = 0, (6+N,)."""
    out: list[np.ndarray] = []
    for body, link in zip(bodies, tree.links, strict=True):
        inner = out[link.parent] if link.parent >= 0 else np.zeros(0)
        out.append(np.concatenate([body.T @ inner + body.beta, np.zeros(link.body.modes)]))
    return out


def kane_equations(tree: Tree, bodies: list[Moving], residual):
    """M (nv, nv) and h (nv,); residual as in `solve_recursively`."""
    V = partial_velocities(tree, bodies)
    B = bias_accelerations(tree, bodies)
    M, h = np.zeros((tree.nv, tree.nv)), np.zeros(tree.nv)
    for body, V_i, B_i, r_i in zip(bodies, V, B, residual, strict=True):
        M_i = mass_matrix(body.integrals, body.eta)
        M = M + V_i.T @ M_i @ V_i
        h = h + V_i.T @ (M_i @ B_i + r_i)
    return M, h, V, B
