"""Equation (18) of [tkachev], S z = N with z = (ω̇, φ̈, q̈_a, q̈_p): the symmetric matrix and the right side, all in hub axes.

The attachment of an appendage is at a₁ (p₁) from the hub's mass centre. About it, with r + u the deformed places,

    c = Σm(r + u) = m a₂ + ΣmA q,   J̃ = ΣmK(r + u, r + u),   L = ΣmA,   Λ = Σm(r + u)~A,   σ = m_a a₁ + c_a + m_p p₁ + c_p
    (with stiffening L = ∂c/∂q),

and K(a, b) y = a × (y × b). The translation of the hub is eliminated by the orbital equation (9), m R̈_C = F: hence the terms 1/m.
Corrections to the print, see docs/theory/tkachev.md: K is (a·b)E − b aᵀ, entry (2, 2) is eᵀJ_e e, the elastic term keeps ΣmAᵀA.
Light appendages (m_a/m, m_p/m ≪ 1): the terms 1/m of the appendages' own inertia are left out (`share` = 0 instead of 1/m).
Proved against the general engine: tests/satellite/test_closed_form.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.rotation import E3, cross, skew
from ..bodies.equations import body_equations, deformed_first_moment
from ..bodies.integrals import Integrals


def K(a, b):
    """K(a, b) y = a × (y × b) for every y: (a·b) E − b aᵀ, (3, 3)."""
    return (a @ b) * E3 - np.outer(b, a)


@dataclass(frozen=True)
class Appendage:
    """An antenna or panel at one instant, about its attachment, in hub axes.

    arm (3,) = a₁ [m]; mass [kg]; c (3,) [kg m]; J (3, 3) = J̃ [kg m²]; L, Lambda (3, N); M (N, N) = ΣmAᵀA
    force, torque (3,), modes (N,): Σm b, Σm(r + u) × b and ΣmAᵀb of the accelerations b at z = 0 and R̈_s = 0
    """

    arm: np.ndarray
    mass: object
    c: np.ndarray
    J: np.ndarray
    L: np.ndarray
    Lambda: np.ndarray
    M: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    modes: np.ndarray


def appendage(body: Integrals, arm, dcm, omega, spin, q, q_dot) -> Appendage:
    """arm (3,) and dcm (3, 3) from the appendage's axes to the hub's; omega (3,) of the hub and spin (3,) = e φ̇, hub axes.

    b = ω₂×(ω₂×(r + u)) + 2ω₂×u̇ + (ω×eφ̇)×(r + u) + ω×(ω×a₁) with ω₂ = ω + eφ̇: the print's b_a and b_p.
    """
    M, own = body_equations(body, dcm.T @ (omega + spin), q, q_dot)
    own = own + M.matrix[:, 3:6] @ (dcm.T @ cross(omega, spin))
    swept = cross(omega, cross(omega, arm))
    c, L = dcm @ deformed_first_moment(body, q), dcm @ M.coupling[:3]
    return Appendage(
        arm=arm,
        mass=body.mass,
        c=c,
        J=dcm @ M.frame[3:, 3:] @ dcm.T,
        L=L,
        Lambda=dcm @ M.coupling[3:],
        M=M.matrix[6:, 6:],
        force=dcm @ own[:3] + body.mass * swept,
        torque=dcm @ own[3:6] + cross(c, swept),
        modes=own[6:] + L.T @ swept,
    )


def first_moment(appendages):
    """σ = m_a a₁ + c_a + m_p p₁ + c_p, (3,): the mass centre is at σ/m from the hub's."""
    return sum((each.mass * each.arm + each.c for each in appendages), np.zeros(3))


def S(hub_inertia, antenna: Appendage, panel: Appendage, e, share):
    """The matrix of (18), (4 + N_a + N_p) square; hub_inertia (3, 3) about its mass centre, e (3,) the hinge, share = 1/m."""
    sigma = first_moment((antenna, panel))
    J = hub_inertia - share * K(sigma, sigma)
    for x in (antenna, panel):
        J = J + x.J + K(x.arm, x.c) + K(x.c, x.arm) + x.mass * K(x.arm, x.arm)
    S_a, S_p = (skew(x.arm) @ x.L + x.Lambda - share * skew(sigma) @ x.L for x in (antenna, panel))
    S_phi = panel.J + K(panel.arm, panel.c) - share * K(sigma, panel.c)
    J_e = panel.J - share * K(panel.c, panel.c)
    S_phi_a = -share * skew(panel.c) @ antenna.L
    S_phi_p = panel.Lambda - share * skew(panel.c) @ panel.L
    M_a, M_p = (x.M - share * x.L.T @ x.L for x in (antenna, panel))
    S_ap = -share * antenna.L.T @ panel.L

    def column(a):
        return np.reshape(a, (-1, 1))

    return np.block(
        [
            [J, column(S_phi @ e), S_a, S_p],
            [column(S_phi @ e).T, column(e @ J_e @ e), column(S_phi_a.T @ e).T, column(S_phi_p.T @ e).T],
            [S_a.T, column(S_phi_a.T @ e), M_a, S_ap],
            [S_p.T, column(S_phi_p.T @ e), S_ap.T, M_p],
        ]
    )


@dataclass(frozen=True)
class Loads:
    """External loads, hub axes: force (3,) in all; torque (3,) about the hub's mass centre; hinge: M_e and what acts along it;
    antenna, panel (N,): modal forces, elastic and damping ones included."""

    force: np.ndarray
    torque: np.ndarray
    hinge: object
    antenna: np.ndarray
    panel: np.ndarray


def N(hub_inertia, antenna: Appendage, panel: Appendage, e, omega, loads: Loads, share, mass):
    """The right side of (18), (4 + N_a + N_p,). Without external forces it is the printed one; F/m is the acceleration of the whole satellite."""
    B = antenna.force + panel.force
    fall = share * B - loads.force / mass  # −R̈_s at z = 0
    turning = cross(omega, hub_inertia @ omega)
    for x in (antenna, panel):
        turning = turning + cross(x.arm, x.force) + x.torque
    sigma = first_moment((antenna, panel))
    return np.concatenate(
        [
            loads.torque - turning + cross(sigma, fall),
            [loads.hinge - e @ panel.torque + e @ cross(panel.c, fall)],
            loads.antenna - antenna.modes + antenna.L.T @ fall,
            loads.panel - panel.modes + panel.L.T @ fall,
        ]
    )


def hub_acceleration(antenna: Appendage, panel: Appendage, e, loads: Loads, mass, z):
    """R̈_s (3,) of the hub's mass centre, hub axes, from the orbital equation (9), m R̈_C = F."""
    n = antenna.L.shape[1]
    omega_dot, phi_ddot, q_a, q_p = z[:3], z[3], z[4 : 4 + n], z[4 + n :]
    sigma = first_moment((antenna, panel))
    relative = cross(omega_dot, sigma) + phi_ddot * cross(e, panel.c) + antenna.L @ q_a + panel.L @ q_p
    return (loads.force - antenna.force - panel.force - relative) / mass
