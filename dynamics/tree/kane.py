"""Kane's equations of the tree: partial velocities and the generalized mass matrix.

    M(q) v̇ + h(q, v) = forces,    M = Σ V_iᵀ M_i V_i,    h = Σ V_iᵀ (M_i B_i + residual_i)

V_i (6+N_i, nv) holds the partial velocities of body i, column by speed: its (v, ω, η̇) = V_i v;
B_i is its acceleration at v̇ = 0. Source: [jin1991] eq. (11)–(31), with path matrix S.
Models run composite.py, the same equations with less work; the sums here are those of the paper.
Proved against the recursion and brute force: tests/tree/test_two_routes.py, tests/papers/test_jin1991.py.
"""

from __future__ import annotations

import numpy as np

from ..algebra.scalar import shared
from .kinematics import STILL, Moving
from .topology import Tree


class PartialVelocities:
    """V[i] of body i, made on first use: [jin1991] (18), (21), (24), with modes of a flexible parent that move everything outboard.

    Column p belongs to a speed of body q and is zero unless body q is on the path to body i (path matrix S[q, i] = 1). Then it is the
    speed's own column, transferred outward by the product of the maps T on the path.
    """

    def __init__(self, tree: Tree, bodies: list[Moving]):
        self.tree, self.bodies = tree, bodies

    def __getitem__(self, i: int) -> np.ndarray:
        return self.mapped(i, np.eye(6 + self.tree.links[i].body.modes))

    def mapped(self, i: int, outward) -> np.ndarray:
        """`outward` V_i (n, nv), for any rows (n, 6+N) that act on body i's (v, ω, η̇), without forming V_i."""
        spans = [self.tree.speeds_of(q) for q in range(len(self.bodies))]
        columns = [np.zeros((len(outward), span.stop - span.start)) for span in spans]
        q = i
        while q >= 0:
            columns[q], outward = columns_of(outward, self.bodies[q].H, self.bodies[q].T)
            q = self.tree.inner_body(q)
        return np.hstack(columns)


@shared
def columns_of(outward, H, T):
    """Columns of body q's speeds, and `outward` for its inner body, which q's own modes do not affect."""
    frame, modes = outward[:, :6], outward[:, 6:]
    return np.hstack([frame @ H, modes]), T.force(frame.T).T


def bias_accelerations(tree: Tree, bodies: list[Moving]) -> list[np.ndarray]:
    """B_i = (a, α, η̈) of every body at v̇ = 0, (6+N,)."""
    out: list[np.ndarray] = []
    for body, link in zip(bodies, tree.links, strict=True):
        inner = out[link.parent] if link.parent >= 0 else STILL
        out.append(bias(body.T, inner, body.beta, link.body.modes))
    return out


@shared
def bias(T, inner, beta, modes: int):
    return np.concatenate([T.motion(inner) + beta, np.zeros(modes)])


def kane_equations(tree: Tree, bodies: list[Moving], residual):
    """M (nv, nv), h (nv,) and B_i, by the sums above; residual as in `solve_recursively`."""
    V = PartialVelocities(tree, bodies)
    B = bias_accelerations(tree, bodies)
    M, h = np.zeros((tree.nv, tree.nv)), np.zeros(tree.nv)
    for i, (body, B_i, r_i) in enumerate(zip(bodies, B, residual, strict=True)):
        M_i, V_i = body.equations[0].matrix, V[i]
        M = M + V_i.T @ M_i @ V_i
        h = h + V_i.T @ (M_i @ B_i + r_i)
    return M, h, B
