"""Equations of motion of one flexible body in its own frame.

With a the absolute acceleration of the frame's origin, α the angular acceleration, both in body axes,
and η the modal coordinates, the body alone obeys

    M(η) (a, α, η̈) + b(ω, η, η̇) = loads        sizes 3 + 3 + N.

Source: [jin1991] eq. (31)–(35), corrected as docs/theory.md says (absolute accelerations, the transposes of (33)).
Proved against a brute-force sum over mass points: tests/papers/test_jin1991.py.

With a second-order displacement H (integrals.py) the kinetic energy is T = ½(v, ω, η̇)ᵀ M(η) (v, ω, η̇) with every
entry of M kept to the order that makes T complete to second order in (η, η̇). The bias follows from this very T by
Hamel's equations, d/dt ∂T/∂v + ω×∂T/∂v = F and so on: hence energy, momentum and angular momentum hold exactly in
all rows, which a stiffness ω²K_g added to the modal rows alone would lose. Proved by tests/flexible/test_stiffening.py.
"""

from __future__ import annotations

import numpy as np

from ..rotation import E3, cross, skew
from ..scalar import shared, symmetric
from .integrals import Integrals


def deformed_first_moment(body: Integrals, eta):
    """m c(η) = ∫(ρ + u) dm, (3,) [kg m]."""
    return body.first + body.s1 @ eta + 0.5 * np.einsum("mni,m,n->i", body.s1_second, eta, eta)


def first_moment_gradient(body: Integrals, eta):
    """S₁(η) = ∂(mc)/∂η = ∫(φ_k + Σ H_μk η_μ) dm, (3, N)."""
    return body.s1 + np.einsum("mni,m->in", body.s1_second, eta)


def deformed_inertia(body: Integrals, eta):
    """J(η) = ∫[(ζ·ζ)E − ζζᵀ] dm = I + Σ h²_μ η_μ + sym ΣΣ h⁵_μk η_μ η_k, (3, 3) [kg m²], h² = h³ + h³ᵀ."""
    linear = np.einsum("nij,n->ij", body.h3, eta)
    quadratic = np.einsum("mnij,m,n->ij", body.h5, eta, eta)
    return body.inertia + linear + linear.T + 0.5 * (quadratic + quadratic.T)


def rotation_coupling(body: Integrals, eta):
    """S₂(η) = ∫ζ̃ φ dm, (3, N): column k is h¹_k + Σ h⁴_μk η_μ."""
    return body.h1.T + np.einsum("mni,m->in", body.h4, eta)


def rate_coupling(body: Integrals, eta):
    """K_k(η) = ∫[(ζ·φ_k)E − ζφ_kᵀ] dm = h³_k + Σ h⁵_μk η_μ, (N, 3, 3): D of [jin1991] (35)."""
    return body.h3 + np.einsum("mnij,m->nij", body.h5, eta)


@shared
def mass_matrix(body: Integrals, eta):
    """M(η) = [[mE, −(mc)~, S₁], [(mc)~, J, S₂], [S₁ᵀ, S₂ᵀ, M_η]], (6+N, 6+N)."""
    mc = skew(deformed_first_moment(body, eta))
    s1 = first_moment_gradient(body, eta)
    s2 = rotation_coupling(body, eta)
    return symmetric(
        np.block(
            [
                [body.mass * E3, -mc, s1],
                [mc, deformed_inertia(body, eta), s2],
                [s1.T, s2.T, body.modal_mass],
            ]
        )
    )


@shared
def bias(body: Integrals, omega, eta, eta_dot):
    """b: what is left at zero acceleration, (6+N,).

    force   ω×(ω×mc) + 2ω×S₁η̇ + ΣΣ ∫H_μk dm η̇_μ η̇_k
    torque  ω×Jω + 2Σ K_kᵀ ω η̇_k + ΣΣ h⁴_μk η̇_μ η̇_k
    modes   −ωᵀK_kω + ω·Σ (h⁴_μk − h⁴_kμ) η̇_μ
    The last terms of force and torque vanish without H and without inertia at nodes, and h⁴ is then antisymmetric.
    """
    k = rate_coupling(body, eta)
    drawn = np.einsum("mni,m,n->i", body.s1_second, eta_dot, eta_dot)
    turned = np.einsum("mni,m,n->i", body.h4, eta_dot, eta_dot)
    gyroscopic = body.h4 - np.swapaxes(body.h4, 0, 1)
    force = (
        cross(
            omega, cross(omega, deformed_first_moment(body, eta)) + 2.0 * (first_moment_gradient(body, eta) @ eta_dot)
        )
        + drawn
    )
    torque = (
        cross(omega, deformed_inertia(body, eta) @ omega) + 2.0 * np.einsum("nji,j,n->i", k, omega, eta_dot) + turned
    )
    modes = np.einsum("mni,i,m->n", gyroscopic, omega, eta_dot) - np.einsum("nij,i,j->n", k, omega, omega)
    return np.concatenate([force, torque, modes])
