"""Mass matrix of a tree in fully Cartesian coordinates: constant, except for wheels.

A mass point at ρ of a body is at (1, ρ) W X: kinetic energy ½ Σ tr Ẋᵀ Wᵀ S W Ẋ with the moments S = ∫(1, ρ)(1, ρ)ᵀdm (4, 4) of each body.
So M = Σ Wᵀ S W ⊗ E, and there are no terms quadratic in velocities. Proved by tests/natural/test_coordinates.py.
"""

from __future__ import annotations

import numpy as np

from ..algebra.rotation import E3
from ..bodies.integrals import Integrals
from ..joints.kinds import SpinJoint
from ..tree.topology import Tree
from .carriers import CarriedFrame
from .kinematics import Motion


def moments(body: Integrals):
    """S (4, 4) = [[m, (mc)ᵀ], [mc, ∫ρρᵀdm]] about the frame; ∫ρρᵀdm = ½ tr(J) E − J."""
    second = 0.5 * np.trace(body.inertia) * E3 - body.inertia
    top = np.concatenate([[body.mass], body.first])
    return np.vstack([top, np.column_stack([body.first, second])])


def carried_mass(frame: CarriedFrame, body: Integrals):
    """Wᵀ S W (n, n) of one body."""
    W = np.array([frame.origin.weights, *(axis.weights for axis in frame.axes)])
    return W.T @ moments(body) @ W


def mass_matrix_and_gyroscopic(tree: Tree, motion: Motion, others: int):
    """M (nv, nv) and the forces h (nv,) that wheels need at v̇ = 0; `others` speeds stand behind Ẋ, axes and wheels.

    A wheel's rotor has an energy of its own, ½ J (a·ω)² with ω = ω_host + aΩ, by Kane: Vᵀ(J(V v̇ + B) + ω×Jω).
    """
    n = motion.X.size
    carried, M, h = 0.0, np.zeros((n + others, n + others)), np.zeros(n + others)
    for i, link in enumerate(tree.links):
        body = motion.bodies[i]
        if isinstance(link.joint, SpinJoint):
            V = motion.V[i]
            J = body.integrals.inertia
            M = M + V[3:].T @ J @ V[3:]
            h = h + V.T @ body.equations[1] + V[3:].T @ J @ motion.B[i][3:]
        else:
            carried = carried + carried_mass(motion.frames[i], body.integrals)
    zero = np.zeros((n, others))
    spread = np.kron(carried, E3)
    return M + np.block([[spread, zero], [zero.T, np.zeros((others, others))]]), h
