"""Gravity of [tkachev], to first order in size over orbit radius: one linear field for the whole satellite, in every row of (18).

With R₀ from the planet's centre to the satellite's mass centre C, e = R₀/R₀ and x the place of a mass point from C,

    g(x) = −μ/R₀³ [R₀ + x − 3 e (e·x)] = g₀ + Γ x,    g₀ = −μ e/R₀²,    Γ = −κ(E − 3e eᵀ),    κ = μ/R₀³

(the print's second term has R₀⁵ below R₀(R₀·x): docs/theory/tkachev.md). Since Σm x = 0, all forces together are m g₀: the orbital equation (9).
Summed over the points x = d + r + u of one body, d from C to its frame, all in its axes:

    Σm g             = m (g₀ + Γd) + Γ c                 c = Σm(r + u)
    Σm(r + u) × g    = c × (g₀ + Γd) + 3κ e × J̃e         J̃ = Σm K(r + u, r + u)
    ΣmA_kᵀ g         = L_kᵀ(g₀ + Γd) + κ(tr K_k − 3 eᵀK_k e)    K_k = Σm[((r + u)·A_k) E − (r + u) A_kᵀ]

The engine's gravity (environment/gravity.py) is of second order, about the mass centre of each body. The difference of the two falls with
size over radius, and against a direct sum over mass points this one is exact: tests/satellite/test_gravity.py.
"""

from __future__ import annotations

import numpy as np

from ..algebra.rotation import cross
from ..bodies.equations import deformed_first_moment, deformed_inertia, first_moment_gradient, rate_coupling
from ..tree.kinematics import Moving


def satellite_center(bodies: list[Moving]):
    """The mass centre C of all bodies together, from the origin of N, in N (3,) [m]."""
    moments = [
        body.integrals.mass * body.position_N + body.dcm_NB @ deformed_first_moment(body.integrals, body.eta)
        for body in bodies
    ]
    return sum(moments[1:], moments[0]) / sum(body.integrals.mass for body in bodies)


def first_order_gravity(mu, center_N, body: Moving):
    """Load of the linear field about C on one body, (6+N,): force and torque about its frame, in its axes, and modal forces.

    mu [m³/s²]; center_N (3,) from the planet's centre to C, in N [m].
    """
    R_0 = body.dcm_NB.T @ center_N
    radius = np.sqrt(R_0 @ R_0)
    e, kappa = R_0 / radius, mu / (radius * radius * radius)

    def gradient(x):
        """Γ x (3,)."""
        return -kappa * (x - 3.0 * e * (e @ x))

    at_frame = -kappa * R_0 + gradient(body.dcm_NB.T @ (body.position_N - center_N))
    c, J = deformed_first_moment(body.integrals, body.eta), deformed_inertia(body.integrals, body.eta)
    L, K = first_moment_gradient(body.integrals, body.eta), rate_coupling(body.integrals, body.eta)
    spread = kappa * (np.einsum("nii->n", K) - 3.0 * np.einsum("i,nij,j->n", e, K, e))
    return np.concatenate(
        [
            body.integrals.mass * at_frame + gradient(c),
            cross(c, at_frame) + 3.0 * kappa * cross(e, J @ e),
            L.T @ at_frame + spread,
        ]
    )
