"""Equations of motion of one flexible body in its own frame.

With a the absolute acceleration of the frame's origin, α the angular acceleration, both in body axes,
and η the modal coordinates, the body alone obeys

    M(η) (a, α, η̈) + b(ω, η, η̇) = loads        sizes 3 + 3 + N.

Source: [jin1991] eq. (31)–(35), corrected as docs/theory.md says (absolute accelerations, the transposes of (33)).
Proved against a brute-force sum over mass points: tests/papers/test_jin1991.py.
"""

from __future__ import annotations

import numpy as np

from ..rotation import E3, cross, skew
from .integrals import Integrals


def deformed_first_moment(body: Integrals, eta):
    """m c(η) = ∫(ρ + u) dm, (3,) [kg m]."""
    return body.first + body.s1 @ eta


def deformed_inertia(body: Integrals, eta):
    """J(η) = ∫[(ζ·ζ)E − ζζᵀ] dm = I + Σ h²_μ η_μ + ΣΣ h⁵_μk η_μ η_k, (3, 3) [kg m²], h² = h³ + h³ᵀ."""
    linear = np.einsum("nij,n->ij", body.h3, eta)
    quadratic = np.einsum("mnij,m,n->ij", body.h5, eta, eta)
    return body.inertia + linear + linear.T + quadratic


def rotation_coupling(body: Integrals, eta):
    """S₂(η) = ∫ζ̃ φ dm, (3, N): column k is h¹_k + Σ h⁴_μk η_μ."""
    return body.h1.T + np.einsum("mni,m->in", body.h4, eta)


def rate_coupling(body: Integrals, eta):
    """K_k(η) = ∫[(ζ·φ_k)E − ζφ_kᵀ] dm = h³_k + Σ h⁵_μk η_μ, (N, 3, 3): D of [jin1991] (35)."""
    return body.h3 + np.einsum("mnij,m->nij", body.h5, eta)


def mass_matrix(body: Integrals, eta):
    """M(η) = [[mE, −(mc)~, S₁], [(mc)~, J, S₂], [S₁ᵀ, S₂ᵀ, M_η]], (6+N, 6+N)."""
    mc = skew(deformed_first_moment(body, eta))
    s2 = rotation_coupling(body, eta)
    return np.block(
        [
            [body.mass * E3, -mc, body.s1],
            [mc, deformed_inertia(body, eta), s2],
            [body.s1.T, s2.T, body.modal_mass],
        ]
    )


def bias(body: Integrals, omega, eta, eta_dot):
    """b: what is left at zero acceleration, (6+N,).

    force   ω×(ω×mc) + 2ω×S₁η̇
    torque  ω×Jω + 2Σ K_kᵀ ω η̇_k
    modes   −ωᵀK_kω + 2ω·Σ h⁴_μk η̇_μ
    """
    k = rate_coupling(body, eta)
    force = cross(omega, cross(omega, deformed_first_moment(body, eta)) + 2.0 * (body.s1 @ eta_dot))
    torque = cross(omega, deformed_inertia(body, eta) @ omega) + 2.0 * np.einsum("nji,j,n->i", k, omega, eta_dot)
    modes = 2.0 * np.einsum("mni,i,m->n", body.h4, omega, eta_dot) - np.einsum("nij,i,j->n", k, omega, omega)
    return np.concatenate([force, torque, modes])
