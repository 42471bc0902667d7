"""A tree as [jin1991] has it, in motion: four flexible bodies, joints of up to three translations and three rotations
at places that elasticity does not move. Everything stands in N unless it says otherwise; S and σ are the paper's."""

from __future__ import annotations

import numpy as np

from spacefmu.dynamics.bodies.body import FlexibleBody, plain_node
from spacefmu.dynamics.bodies.integrals import integrals_of_points
from spacefmu.dynamics.joints import AxesJoint
from spacefmu.dynamics.tree.kane import PartialVelocities
from spacefmu.dynamics.tree.kinematics import accelerations, move
from spacefmu.dynamics.tree.topology import Link, Tree
from tests.tree.random_trees import point_table, rotation

RNG = np.random.default_rng(8)
MODES = (2, 3, 1, 2)
PARENT = (-1, 0, 1, 0)  # σ(j)
COUNTS = ((3, 3), (1, 2), (2, 3), (0, 1))  # NT_j, NR_j
TABLES = [point_table(RNG, modes) for modes in MODES]  # ρ, m, φ, and nodal inertias that the paper does not have
AXES = [rotation(RNG) for _ in MODES]
MOUNTS = [rotation(RNG) for _ in MODES]
BODIES = range(4)


def _tree():
    links = []
    for i in BODIES:
        rho, mass, phi, _, _ = TABLES[i]
        body = FlexibleBody(f"b{i}", integrals_of_points(rho, mass, phi), np.ones(MODES[i]), np.zeros(MODES[i]))
        moves, turns = COUNTS[i]
        axes = [tuple(row) for row in AXES[i]]
        place = plain_node("place", RNG.normal(size=3), MODES[PARENT[i]] if PARENT[i] >= 0 else 0)
        links.append(Link(body, AxesJoint(tuple(axes[:moves]), tuple(axes[:turns])), PARENT[i], place, MOUNTS[i]))
    return Tree(tuple(links))


TREE = _tree()
K = {TREE.links[i].body.mass: TREE.links[i].body.integrals_at_build.mass for i in BODIES}
S = TREE.path_matrix()  # S[j, i]: body j is on the path to body i
Q0, V0, V_DOT = RNG.uniform(-0.5, 0.5, TREE.nq), RNG.normal(size=TREE.nv), RNG.normal(size=TREE.nv)


def at(t=0.0):
    """All bodies on the path q = q0 + v0 t + ½ v̇ t²."""
    return move(TREE, Q0 + V0 * t + 0.5 * V_DOT * t * t, V0 + V_DOT * t, K)


NOW = at()
A_NOW = accelerations(NOW, TREE, V_DOT)
OMEGA = [b.dcm_NB @ b.omega for b in NOW]  # ω_i^A
ALPHA = [b.dcm_NB @ a[3:6] for b, a in zip(NOW, A_NOW, strict=True)]  # ω̇_i^A
R = [b.position_N for b in NOW]
R_DDOT = [b.dcm_NB @ a[:3] for b, a in zip(NOW, A_NOW, strict=True)]
V_ALL = PartialVelocities(TREE, NOW)


def r(i, k):
    """r_i^k: from the origin of k to that of i."""
    return R[i] - R[k]
