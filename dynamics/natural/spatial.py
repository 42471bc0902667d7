"""A rigid body in space, described by two of its points and a vector: [liu1998] section 3.

q = (r_i, r_j, u) in inertial axes; |r_ij| = l, |u| = w, the angle between them is γ, α = sin γ ≠ 0, β = cos γ. The auxiliary vector
v = (αw)⁻¹ r_ij×u completes them: a point P of the body is at r_i + c₁r_ij + c₂u + c₃v. The body axes have x̂ along r_ij and ẑ along v;
a hat marks components in them. Proved by tests/papers/test_liu1998.py against sums over mass points.

The paper has w = l, and leaves it where two bodies share a vector, eq. (46): w is general here, κ = βw/l.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.rotation import E3, cross, skew


@dataclass(frozen=True)
class SpatialBody:
    """l, w [m], α, β; mass centre a (3,), eq. (32); mass [kg]; Ĵ (3, 3) about the mass centre in body axes [kg m²]."""

    length: float
    vector_length: float
    sine: float
    cosine: float
    center: np.ndarray
    mass: float
    inertia: np.ndarray

    @property
    def aside(self):
        """(αw)⁻¹ [1/m], the factor of r_ij×u in v."""
        return 1.0 / (self.sine * self.vector_length)

    @property
    def along(self):
        """κ = βw/l, the part of u along r_ij."""
        return self.cosine * self.vector_length / self.length


def spatial_body(point_i, point_j, vector, mass_center, mass, inertia) -> SpatialBody:
    """The body of two points, the vector u, mass centre (3,) and inertia (3, 3) about it, all in one frame.

    c = L⁻¹(ρ̂ − ρ̂_i), eq. (27), (32).
    """
    r_ij, u = np.subtract(point_j, point_i), np.asarray(vector, float)
    length, width = np.sqrt(r_ij @ r_ij), np.sqrt(u @ u)
    cosine = r_ij @ u / (length * width)
    normal = cross(r_ij, u)
    sine = np.sqrt(normal @ normal) / (length * width)
    e1, e3 = r_ij / length, normal / (length * width * sine)
    R = np.array([e1, cross(e3, e1), e3]).T
    L = np.array([[length, cosine * width, 0.0], [0.0, sine * width, 0.0], [0.0, 0.0, length]])
    center = np.linalg.solve(L, R.T @ np.subtract(mass_center, point_i))
    return SpatialBody(length, width, sine, cosine, center, mass, R.T @ inertia @ R)


def split(q):
    """r_i, r_ij, u, each (3,)."""
    return q[:3], q[3:6] - q[:3], q[6:]


def axes(body: SpatialBody, q):
    """R (3, 3): its columns are x̂, ŷ, ẑ, eq. (26), with r_ij and u in *inertial* axes (the print says body axes)."""
    _, r_ij, u = split(q)
    return np.array(
        [r_ij / body.length, (u - body.along * r_ij) * body.aside, cross(r_ij, u) * body.aside / body.length]
    ).T


def point_map(body: SpatialBody, q, c):
    """C (3, 9): r = C q of the point with the numbers c, eq. (28), (30); D of the mass centre with c = a, eq. (31)."""
    u = c[2] * body.aside * skew(q[6:])
    return np.hstack([(1.0 - c[0]) * E3 + u, c[0] * E3 - u, c[1] * E3])


def velocity_map(body: SpatialBody, q, c):
    """(3, 9): ṙ = … q̇ of the point with the numbers c. Not C: its entries vary, Ċq = (αw)⁻¹c₃ r_ij×u̇."""
    _, r_ij, _ = split(q)
    return point_map(body, q, c) + np.hstack([np.zeros((3, 6)), c[2] * body.aside * skew(r_ij)])


def momentum_map(body: SpatialBody, q):
    """Φ (3, 9): Q = Φ q̇, eq. (33); its first block needs the factor (αl)⁻¹, whose α the print has lost."""
    return body.mass * velocity_map(body, q, body.center)


def rate_map(body: SpatialBody, q):
    """G (3, 9): angular velocity in *body* axes, ω̂ = (e₃·ė₂, e₁·ė₃, e₂·ė₁) = G q̇, eq. (34), (35) with signs, α and β mended."""
    _, r_ij, u = split(q)
    return _rate_rows(body, cross(u, r_ij), u - body.along * r_ij)


def _rate_rows(body: SpatialBody, normal, across):
    """G of n = u×r_ij and u − κr_ij; linear in both, so the same rows with their rates are Ġ."""
    none, length, aside = np.zeros(3), body.length, body.aside
    row_1, row_2, row_3 = aside**2 / length * normal, aside / length**2 * normal, aside / length * across
    return np.array(
        [
            np.concatenate([-body.along * row_1, body.along * row_1, -row_1]),
            np.concatenate([-row_2, row_2, none]),
            np.concatenate([-row_3, row_3, none]),
        ]
    )


def angular_momentum_map(body: SpatialBody, q):
    """Ψ (3, 9): angular momentum about O₀ in inertial axes, H = Ψ q̇, eq. (38), (39).

    Ψ̂ = R Ĵ G, since G gives body components: the print's R Ĵ Rᵀ G, eq. (37), is not that.
    """
    center = point_map(body, q, body.center) @ q
    return axes(body, q) @ body.inertia @ rate_map(body, q) + skew(center) @ momentum_map(body, q)


def constraints(body: SpatialBody, q):
    """(3,): r_ij·r_ij − l², u·u − w², r_ij·u − βlw, eq. (41)."""
    _, r_ij, u = split(q)
    length, width = body.length, body.vector_length
    return np.array([r_ij @ r_ij - length**2, u @ u - width**2, r_ij @ u - body.cosine * length * width])


def constraint_rows(q):
    """(3, 9): the constraints' rates are these rows times q̇."""
    _, r_ij, u = split(q)
    none = np.zeros(3)
    return np.array(
        [
            np.concatenate([-2.0 * r_ij, 2.0 * r_ij, none]),
            np.concatenate([none, none, 2.0 * u]),
            np.concatenate([-u, u, r_ij]),
        ]
    )


def mass_matrix(body: SpatialBody, q):
    """M (9, 9) = ΦᵀΦ/m + GᵀĴG: kinetic energy ½ q̇ᵀM q̇ of every motion that keeps the constraints. Its rank is 6.

    It varies with q because of the auxiliary vector; a body with a fourth carrier has a constant one (carriers.py).
    """
    phi, G = momentum_map(body, q), rate_map(body, q)
    return phi.T @ phi / body.mass + G.T @ body.inertia @ G


def accelerations(body: SpatialBody, q, q_dot, force, moment):
    """q̈ (9,) under a force (3,) [N] and its moment about O₀ (3,) [N m], inertial axes: eq. (40) with (41) differentiated twice.

    Ȧq̇ is (2m(αw)⁻¹a₃ ṙ_ij×u̇, R(ĴĠq̇ + ω̂×Ĵω̂) + r₀×Φ̇q̇).
    """
    _, r_ij, u = split(q)
    _, r_dot, u_dot = split(q_dot)
    R, center = axes(body, q), point_map(body, q, body.center) @ q
    omega = rate_map(body, q) @ q_dot
    drift = _rate_rows(body, cross(u_dot, r_ij) + cross(u, r_dot), u_dot - body.along * r_dot) @ q_dot  # Ġq̇
    swept = 2.0 * body.mass * body.aside * body.center[2] * cross(r_dot, u_dot)  # Φ̇q̇
    turned = R @ (body.inertia @ drift + cross(omega, body.inertia @ omega)) + cross(center, swept)
    A = np.vstack([momentum_map(body, q), angular_momentum_map(body, q), constraint_rows(q)])
    held = -constraint_rows(q_dot) @ q_dot
    return np.linalg.solve(A, np.concatenate([force - swept, moment - turned, held]))
