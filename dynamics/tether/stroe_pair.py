"""Two bodies on a cable about a circular orbit, in the plane of the orbit: the paper's own equations, corrected.

Orbital frame C x₀y₀: x₀ outward, y₀ along track, turning at n, n² = μ/r_v³. Body i: mass centre M_i at polar coordinates
(ρ_i, θ_i) about C, θ from x₀; attitude φ_3i, from x₀ as well. The cable runs from O_1, M_1O_1 = a_1 i_1, to O_2,
M_2O_2 = −b_2 i_2. Coordinates q = (ρ_1, θ_1, φ_31, ρ_2, θ_2, φ_32):

    m [ρ̈ − ρ (n + θ̇)²]        = −m n² ρ (1 − 3 cos²θ)     + λ ∂Φ/∂ρ
    m [ρ² θ̈ + 2 ρ ρ̇ (n + θ̇)]  = −(3/2) m n² ρ² sin 2θ     + λ ∂Φ/∂θ
    C φ̈                        =  (3/2) (A − B) n² sin 2φ  + λ ∂Φ/∂φ

Source: [stroe] (40), (42). Deviates from the print, as docs/theory/stroe.md says: all φ are measured from x₀ (the print mixes two
definitions), the last constant of Φ is b_2², and the finite-size terms of gravity, of order ρ/r_v, are left out.
Proved by tests/constraints/test_stroe_pair.py: librations, and agreement with the general engine to the terms left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Body:
    """mass [kg]; moments of inertia A, B, C [kg m²] about i, j (in the plane) and k (normal to it)."""

    mass: float
    A: float
    B: float
    C: float


@dataclass(frozen=True)
class TetheredPair:
    """Two bodies, attachments a_1 and b_2 [m], cable length [m], and the orbit's angular rate n [rad/s]."""

    first: Body
    second: Body
    a1: float
    b2: float
    length: float
    n: float


def span(pair: TetheredPair, q):
    """O_2 → O_1 (2,) on x₀, y₀, and its Jacobian (2, 6): [stroe] (39)."""
    r1, t1, f1, r2, t2, f2 = q
    vector = np.array(
        [
            r1 * np.cos(t1) + pair.a1 * np.cos(f1) - r2 * np.cos(t2) + pair.b2 * np.cos(f2),
            r1 * np.sin(t1) + pair.a1 * np.sin(f1) - r2 * np.sin(t2) + pair.b2 * np.sin(f2),
        ]
    )
    columns = (
        (np.cos(t1), np.sin(t1)),
        (-r1 * np.sin(t1), r1 * np.cos(t1)),
        (-pair.a1 * np.sin(f1), pair.a1 * np.cos(f1)),
        (-np.cos(t2), -np.sin(t2)),
        (r2 * np.sin(t2), -r2 * np.cos(t2)),
        (-pair.b2 * np.sin(f2), pair.b2 * np.cos(f2)),
    )
    return vector, np.array(columns).T


def constraint(pair: TetheredPair, q):
    """Φ = |O_2O_1|² − l², written out: [stroe] (40) with φ from x₀."""
    r1, t1, f1, r2, t2, f2 = q
    a, b = pair.a1, pair.b2
    return (
        r1 * r1 + r2 * r2 - 2.0 * r1 * r2 * np.cos(t1 - t2)
        + 2.0 * r1 * a * np.cos(t1 - f1) + 2.0 * r1 * b * np.cos(t1 - f2)
        - 2.0 * r2 * a * np.cos(t2 - f1) - 2.0 * r2 * b * np.cos(t2 - f2)
        + 2.0 * a * b * np.cos(f1 - f2) + a * a + b * b - pair.length * pair.length
    )  # fmt: skip


def gradient(pair: TetheredPair, q):
    """∂Φ/∂q (6,) = 2 (O_2O_1)·∂(O_2O_1)/∂q."""
    vector, jacobian = span(pair, q)
    return 2.0 * (vector @ jacobian)


def curvature(pair: TetheredPair, q, q_dot):
    """q̇ᵀ (∂²Φ/∂q²) q̇, the value of Φ̈ at q̈ = 0: 2 |w|² + 2 (O_2O_1)·(∂/∂q)(w) q̇ with w = d(O_2O_1)/dt."""
    r1, t1, f1, r2, t2, f2 = q
    dr1, dt1, df1, dr2, dt2, df2 = q_dot
    vector, jacobian = span(pair, q)
    w = jacobian @ q_dot

    def polar(rho, angle, rho_dot, rate):
        """Second derivative of ρ (cos, sin) at ρ̈ = 0 and no angular acceleration."""
        along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        return 2.0 * rho_dot * rate * across - rho * rate * rate * along

    bias = (
        polar(r1, t1, dr1, dt1) + polar(pair.a1, f1, 0.0, df1) - polar(r2, t2, dr2, dt2) + polar(pair.b2, f2, 0.0, df2)
    )
    return 2.0 * (w @ w) + 2.0 * (vector @ bias)


def equations(pair: TetheredPair, q, q_dot):
    """Diagonal (6,) of the mass matrix, and the right sides (6,) of (42) without the cable."""
    mass, force = [], []
    n = pair.n
    for body, (rho, theta, phi), (rho_dot, theta_dot, _) in (
        (pair.first, q[:3], q_dot[:3]),
        (pair.second, q[3:], q_dot[3:]),
    ):
        m, turning = body.mass, n + theta_dot
        mass += [m, m * rho * rho, body.C]
        force += [
            m * rho * turning * turning - m * n * n * rho * (1.0 - 3.0 * np.cos(theta) ** 2),
            -2.0 * m * rho * rho_dot * turning - 1.5 * m * n * n * rho * rho * np.sin(2.0 * theta),
            1.5 * (body.A - body.B) * n * n * np.sin(2.0 * phi),
        ]
    return np.array(mass), np.array(force)


def accelerations(pair: TetheredPair, q, q_dot, taut: float = 1.0):
    """q̈ (6,) and the tension T = −2 λ l [N]; taut = 0: the cable is slack, λ = 0."""
    mass, force = equations(pair, q, q_dot)
    row = gradient(pair, q)
    free = force / mass
    multiplier = -taut * (row @ free + curvature(pair, q, q_dot)) / (row @ (row / mass))
    return free + multiplier * row / mass, -2.0 * multiplier * pair.length
