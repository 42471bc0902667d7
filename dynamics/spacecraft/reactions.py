"""Reactions in joints when couplings and cables also act: inward Newton–Euler, once accelerations and multipliers are known.

    R_i = M_i A_i + residual_i − (wrenches of connections on body i) + Σ over the bodies c that i carries: T_cᵀ R_c

first six rows, at the body's frame in its own axes. Proved by tests/constraints/test_reactions.py.
"""

from __future__ import annotations

import numpy as np

from ..bodies.equations import momenta
from ..tree.topology import Tree
from .motion import Moment


def joint_reactions(tree: Tree, moment: Moment, accelerations, acting) -> list[np.ndarray]:
    """(6,) force and torque of every joint on its child.

    accelerations  list of A_i (6+N,)
    acting         (Acting, its multipliers) of all connections
    """
    needed = [
        momenta(body.integrals, body.equations[0], A) + residual
        for body, A, residual in zip(moment.bodies, accelerations, moment.residual, strict=True)
    ]
    for each, multipliers in acting:
        connection, view = each.connection, each.view
        wrenches = connection.wrenches(view, multipliers)
        for end, grip, wrench in zip((connection.a, connection.b), (view.a, view.b), wrenches, strict=True):
            if end.body >= 0:
                needed[end.body] = needed[end.body] - grip.map.force(wrench)
    for i, link in reversed(list(enumerate(tree.links))):
        if link.parent >= 0:
            needed[link.parent] = needed[link.parent] + moment.bodies[i].T.force(needed[i][:6])
    return [wrench[:6] for wrench in needed]
