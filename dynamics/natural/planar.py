"""A rigid body in plane motion, described by two of its points: [liu1998] section 1.

q = (x_i, y_i, x_j, y_j) are the points i and j in inertial axes, |r_ij| = l the constraint between them. A point P of the body is
at r_i + c₁ r_ij + c₂ n×r_ij, with numbers c that never change; a = (a₁, a₂) are those of the mass centre. J is the moment of inertia
about the mass centre [kg m²], O₀ the inertial origin. Proved by tests/papers/test_liu1998.py against sums over mass points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

E2 = np.eye(2)
QUARTER = np.array([[0.0, -1.0], [1.0, 0.0]])  # n×, the turn by 90°


@dataclass(frozen=True)
class PlanarBody:
    """Distance l of the points [m], mass centre a (2,) in units of l along r_ij and n×r_ij, mass [kg], J [kg m²]."""

    length: float
    center: np.ndarray
    mass: float
    inertia: float


def planar_body(point_i, point_j, mass_center, mass, inertia) -> PlanarBody:
    """The body of points and mass centre (2,) in any axes: c = l⁻¹(ρ − ρ_i) in the axes along r_ij, eq. (4), (9)."""
    r_ij = np.subtract(point_j, point_i)
    length = np.sqrt(r_ij @ r_ij)
    offset = np.subtract(mass_center, point_i)
    center = np.array([r_ij @ offset, (QUARTER @ r_ij) @ offset]) / length**2
    return PlanarBody(length, center, mass, inertia)


def point_map(c):
    """C (2, 4): r = C q of the point with the numbers c, eq. (5), (7); D of the mass centre with c = a, eq. (8)."""
    turn = c[1] * QUARTER
    return np.hstack([(1.0 - c[0]) * E2 - turn, c[0] * E2 + turn])


def momentum_map(body: PlanarBody, q=None):
    """Φ (2, 4): momentum Q = Φ q̇, Φ = m D, eq. (10). The same for every q, which is taken for the likeness with space."""
    return body.mass * point_map(body.center)


def rate_map(body: PlanarBody, q):
    """G (1, 4): angular velocity ω = G q̇, eq. (11)."""
    x, y = q[2:] - q[:2]
    return np.array([[y, -x, -y, x]]) / body.length**2


def angular_momentum_map(body: PlanarBody, q):
    """Ψ (1, 4): angular momentum about O₀ is H = Ψ q̇, Ψ = J G + ψ, eq. (13)–(15).

    In (15) the print has "a2" both for a₂ and for a² = a₁² + a₂²; which is which follows from ψ = r₀×Φ.
    """
    a1, a2 = body.center
    square = a1 * a1 + a2 * a2
    x_i, y_i, x_j, y_j = q
    orbital = body.mass * np.array(
        [
            -(1.0 + square - 2.0 * a1) * y_i - a2 * x_j + (square - a1) * y_j,
            (1.0 + square - 2.0 * a1) * x_i - (square - a1) * x_j - a2 * y_j,
            a2 * x_i + (square - a1) * y_i - square * y_j,
            -(square - a1) * x_i + a2 * y_i + square * x_j,
        ]
    )
    return body.inertia * rate_map(body, q) + orbital


def mass_matrix(body: PlanarBody):
    """M (4, 4) = ∫CᵀC dm, constant: kinetic energy ½ q̇ᵀM q̇. Not in the paper, which stops at momenta.

    With C_i = (1 − c₁)E − c₂ñ and C_j = c₁E + c₂ñ the products need ∫c dm = m a and ∫|c|²dm = J/l² + m|a|² alone.
    """
    a1, a2 = body.center
    spread = body.inertia / body.length**2 + body.mass * (a1 * a1 + a2 * a2)  # ∫|c|² dm
    mixed = (body.mass * a1 - spread) * E2 + body.mass * a2 * QUARTER
    return np.block([[(body.mass * (1.0 - 2.0 * a1) + spread) * E2, mixed], [mixed.T, spread * E2]])


def accelerations(body: PlanarBody, q, q_dot, force, moment):
    """q̈ (4,) under a force (2,) [N] and its moment about O₀ [N m]: eq. (16) with |r_ij| = l differentiated twice.

    A q̈ = (F, M) − Ȧq̇, A = (Φ, Ψ). Ȧq̇ = 0 in the plane: Φ is constant, and Ψ is linear in q with Ψ(q̇) q̇ = 0.
    """
    r_dot = q_dot[2:] - q_dot[:2]
    A = np.vstack([momentum_map(body), angular_momentum_map(body, q), constraint_rows(q)])
    return np.linalg.solve(A, np.concatenate([force, [moment, -2.0 * r_dot @ r_dot]]))


def constraints(body: PlanarBody, q):
    """(1,): r_ij·r_ij − l², eq. (18)."""
    r_ij = q[2:] - q[:2]
    return np.array([r_ij @ r_ij - body.length**2])


def constraint_rows(q):
    """(1, 4): the constraint's rate is this row times q̇."""
    r_ij = q[2:] - q[:2]
    return 2.0 * np.concatenate([-r_ij, r_ij]).reshape(1, 4)
