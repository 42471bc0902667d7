"""The planet's gravity at a point: of a point mass, and of its oblateness J₂; differential ones beside a falling point.

Each gives g (3,) [m/s²] and the potential U [J/kg] with g = −∂U/∂r. R, R₀, r are (3,) [m] in N, R and R₀ from the
planet's centre; z (3,) is the planet's axis, and R_z = R·z. A differential field at R₀ + r is less the acceleration of the point R₀, which falls freely:

    g = g(R₀ + r) − g(R₀),   U = U(R₀ + r) − U(R₀) + g(R₀)·r

in closed form, without cancellation (Encke's method; Battin, section 8.4). Both need

    q = (2R₀·r + r·r)/R₀²,   s = √(1 + q) = R/R₀,   s − 1 = q/(s + 1)

and 1 − sⁿ = −(s − 1)(1 + s + … + sⁿ⁻¹). Proved against 60 digits: tests/environment/test_oblate_orbit.py.
Their additional terms for a body of finite size (…_over) are not differential, because the falling point has no size.
"""

from __future__ import annotations

import numpy as np

from ..algebra.rotation import E3, cross

Z = np.array([0.0, 0.0, 1.0])


def attraction(mu, R):
    """Of a point mass: g = −μR/R³, U = −μ/R."""
    r2 = R @ R
    r = np.sqrt(r2)
    return -mu / (r2 * r) * R, -mu / r


def differential_attraction(mu, R0, r):
    """The same beside R₀: g = −μ/R³ [r − (s³ − 1) R₀],   U = μ/R₀ [r²/(2R₀²) − (s − 1)²(s + 2)/(2s)]."""
    radius, s, grown = _growth(R0, r)
    square = radius * radius
    g = -mu / (square * radius * s * s * s) * (r - grown * _sum_of_powers(s, 3) * R0)
    U = mu / radius * (0.5 * (r @ r) / square - 0.5 * grown * grown * (s + 2.0) / s)
    return g, U


def oblateness_strength(mu, j2, planet_radius):
    """S = (3/2) μ J₂ a² [m⁵/s²]."""
    return 1.5 * mu * j2 * planet_radius * planet_radius


def oblateness(strength, R, z=Z):
    """Of J₂: g = S/R⁵ [(5 sin²δ − 1) R − 2 R_z z],   U = S/(3R³) (3 sin²δ − 1),   sin δ = R_z/R (Battin, section 10.2)."""
    r2 = R @ R
    r3 = r2 * np.sqrt(r2)
    up = R @ z
    sine2 = up * up / r2
    g = strength / (r2 * r3) * ((5.0 * sine2 - 1.0) * R - 2.0 * up * z)
    return g, strength / (3.0 * r3) * (3.0 * sine2 - 1.0)


def oblateness_rate(strength, R, V, z=Z):
    """ġ (3,) of J₂ along a motion with velocity V: the derivative of `oblateness` by R, times V."""
    r2 = R @ R
    r5 = r2 * r2 * np.sqrt(r2)
    along = (R @ V) / r2
    up, rising = R @ z, V @ z
    sine2 = up * up / r2
    sine2_rate = 2.0 * up * (rising - up * along) / r2
    bracket = (5.0 * sine2 - 1.0) * R - 2.0 * up * z
    bracket_rate = 5.0 * sine2_rate * R + (5.0 * sine2 - 1.0) * V - 2.0 * rising * z
    return strength / r5 * (bracket_rate - 5.0 * along * bracket)


def differential_oblateness(strength, R0, r, z=Z):
    """The same beside R₀. In units of R₀, with e = R₀/R₀, ρ = r/R₀, ζ₀ = e_z, ζ = ζ₀ + ρ_z:

        g R₀⁴/S = c R − 2ζ s⁻⁵ z − [the same at ρ = 0] = Δc e + c ρ − 2 [ρ_z s⁻⁵ + ζ₀ (s⁻⁵ − 1)] z
        c = 5ζ² s⁻⁷ − s⁻⁵,   Δc = 5 [ρ_z(2ζ₀ + ρ_z) s⁻⁷ + ζ₀²(s⁻⁷ − 1)] − (s⁻⁵ − 1)

        U R₀³/S = ζ² s⁻⁵ − s⁻³/3 − [value and slope at ρ = 0]
                = ρ_z² − 5(e·ρ) ρ_z (2ζ₀ + ρ_z) + ρ²(1 − 5ζ²)/2 + ζ² E₅ − E₃/3

    of second order term by term, with what s⁻⁵ and s⁻³ have beyond 1 − 5q/2 and 1 − 3q/2:
        E₅ = (s − 1)²(5s⁵ + 10s⁴ + 8s³ + 6s² + 4s + 2)/(2s⁵),   E₃ = (s − 1)²(3s³ + 6s² + 4s + 2)/(2s³)
    """
    radius, s, grown = _growth(R0, r)
    e, rho = R0 / radius, r / radius
    low, up = e @ z, rho @ z
    high = low + up
    s3 = s * s * s
    s5, s7 = s3 * s * s, s3 * s3 * s
    drop5, drop7 = -grown * _sum_of_powers(s, 5) / s5, -grown * _sum_of_powers(s, 7) / s7  # s⁻⁵ − 1, s⁻⁷ − 1
    raised = up * (2.0 * low + up)  # ζ² − ζ₀²
    c = 5.0 * high * high / s7 - 1.0 / s5
    c_change = 5.0 * (raised / s7 + low * low * drop7) - drop5
    g = c_change * e + c * rho - 2.0 * (up / s5 + low * drop5) * z
    beyond5 = 0.5 * grown * grown * (2.0 + s * (4.0 + s * (6.0 + s * (8.0 + s * (10.0 + s * 5.0))))) / s5
    beyond3 = 0.5 * grown * grown * (2.0 + s * (4.0 + s * (6.0 + s * 3.0))) / s3
    level = up * up - 5.0 * (e @ rho) * raised + 0.5 * (rho @ rho) * (1.0 - 5.0 * high * high)
    U = level + high * high * beyond5 - beyond3 / 3.0
    cube = radius * radius * radius
    return strength / (cube * radius) * g, strength / cube * U


def attraction_over(mu, R, J):
    """The additional terms of a point mass for a body of inertia J (3, 3) about its mass centre at R, of second order in size/R.

    With e = R/R:   H = ∂²U/∂R² = μ/R³ (E − 3eeᵀ) (3, 3) [1/s²];
    force  ½ ∂(H : J)/∂R = −3μ/(2R⁴) [2Je + (tr J − 5 eᵀJe) e];   torque about the mass centre  3μ/R³ e × Je.
    """
    radius = np.sqrt(R @ R)
    tide, e = mu / (radius * radius * radius), R / radius
    Je = J @ e
    force = -1.5 * tide / radius * (2.0 * Je + (np.trace(J) - 5.0 * (e @ Je)) * e)
    return tide * (E3 - 3.0 * np.outer(e, e)), force, 3.0 * tide * cross(e, Je)


def oblateness_over(strength, R, z, J):
    """The same of J₂; z (3,) the planet's axis, in the axes of R and J. With e = R/R, s = e·z:

    H = S/R⁵ [2zzᵀ − 10s(zeᵀ + ezᵀ) + (35s² − 5) eeᵀ + (1 − 5s²) E]
    force   S/R⁶ [(35s² − 5) Je − 10s Jz + (35s eᵀJe − 10 zᵀJe − 5s tr J) z
                  + (70s zᵀJe − 5 zᵀJz + ½(35 − 315s²) eᵀJe + ½(35s² − 5) tr J) e]
    torque  S/R⁵ [Jz × (2z − 10s e) + Je × ((35s² − 5) e − 10s z)]
    """
    radius = np.sqrt(R @ R)
    e = R / radius
    s, Je, Jz, trace = e @ z, J @ e, J @ z, np.trace(J)
    eJe, zJe, zJz = e @ Je, z @ Je, z @ Jz
    cube = radius * radius * radius
    size, s2 = strength / (cube * radius * radius), s * s
    mixed = np.outer(z, e)
    H = 2.0 * np.outer(z, z) - 10.0 * s * (mixed + mixed.T) + (35.0 * s2 - 5.0) * np.outer(e, e) + (1.0 - 5.0 * s2) * E3
    along_e = 70.0 * s * zJe - 5.0 * zJz + (17.5 - 157.5 * s2) * eJe + (17.5 * s2 - 2.5) * trace
    along_z = 35.0 * s * eJe - 10.0 * zJe - 5.0 * s * trace
    force = (35.0 * s2 - 5.0) * Je - 10.0 * s * Jz + along_z * z + along_e * e
    torque = cross(Jz, 2.0 * z - 10.0 * s * e) + cross(Je, (35.0 * s2 - 5.0) * e - 10.0 * s * z)
    return size * H, size / radius * force, size * torque


def _growth(R0, r):
    """R₀ [m], s and s − 1 of this file's heading."""
    square = R0 @ R0
    q = (2.0 * (R0 @ r) + r @ r) / square
    s = np.sqrt(1.0 + q)
    return np.sqrt(square), s, q / (s + 1.0)


def _sum_of_powers(s, n: int):
    """1 + s + … + sⁿ⁻¹."""
    total = 1.0
    for _ in range(n - 1):
        total = total * s + 1.0
    return total
