"""The segment of a tether at its reel: its unstretched length ℓ and its mass grow by the material that leaves the outlet o.

Material at the share ξ of the segment moves at ξ̇ = L̇(1 − ξ)/ℓ, so its velocity is linear between outlet and first bead:

    u(ξ) = (1 − ξ) u_o + ξ v_1,    u_o = v_o + g d,    d = r_1 − r_o,   g = L̇/ℓ,   ℓ̇ = L̇

Its mass ρℓ, ρ per unstretched length, is ρh/2 at the outlet, b = ρ(ℓ − h) in its middle and ρh/2 at the bead, h the length of a part. With ℓ = 2h the
middle has the mass of a bead, and becomes one: nothing else changes. Mass, first moment and momentum are those of the material at every ℓ. With
the stowed mass m_s at rest on the host, a = ρh/2 and the bead's mass m = ρh the kinetic energy is

    T = ½ m_s v_o² + ½ a u_o² + ½ b u_m² + ½ m v_1²,   u_m = ½(u_o + v_1)

and Lagrange's equations of r_o and r_1 are, with q = a u_o + ½ b u_m and κ = ġ d + g ḋ, all velocities from v_o (what v_o adds cancels),

    (m_s + a + b/4) r̈_o + b/4 r̈_1 = F_o − R_o,    R_o = (a + b/4) κ + ½ρL̇ u_m + g q
    b/4 r̈_o + (m + b/4) r̈_1       = F_1 − R_1,    R_1 = b/4 κ + ½ρL̇ u_m − g q

R is the flux of momentum at the outlet and the Coriolis force. The bead is eliminated: β = (b/4)/(m + b/4), and the host carries the
mass m_s + a + (1 − β) b/4 at the outlet and the force F_o − R_o − β(F_1 − R_1). The drum, with its inertia J [kg] at its rim, and the material wound on it move
at L̇. The power of its drive is Q L̇,

    Q = ρ/2 r̈_o·d + q̇·d/ℓ + q·ḋ/ℓ − ½ρu_m² + (J + m_s) L̈ − ½ρL̇² + ∂V/∂L − c_A ε̇ (1 + ε),   q̇ = (a + b/4) κ + b/4 (r̈_1 − r̈_o) + ½ρL̇ u_m

Proved by tests/tether/test_deployed.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..algebra.scalar import shared


@dataclass(frozen=True)
class Stock:
    """Properties of a tether: ρ [kg/m], the length of a part h [m]; and the quantities driven by the reel: ℓ, L̇, L̈."""

    rho: Any
    part: Any
    length: Any
    rate: Any
    acceleration: Any

    @property
    def end(self):
        """a, the mass at the outlet that has left it [kg]."""
        return 0.5 * self.rho * self.part

    @property
    def middle(self):
        """b [kg]."""
        return self.rho * (self.length - self.part)

    @property
    def bead(self):
        """m [kg]."""
        return self.rho * self.part

    @property
    def share(self):
        """β, of a force on the first bead that the outlet carries the other way."""
        return 0.25 * self.middle / (self.bead + 0.25 * self.middle)

    @property
    def carried(self):
        """Mass at the outlet that the host feels beside what is stowed [kg]."""
        return self.end + (1.0 - self.share) * 0.25 * self.middle


@dataclass(frozen=True)
class Leaving:
    """The segment in motion, from v_o: u_o, u_m, κ, q, R_o and R_1 (3,), and d, ḋ."""

    d: Any
    d_dot: Any
    out: Any
    middle: Any
    kappa: Any
    q: Any
    on_outlet: Any
    on_bead: Any


@shared
def leaving(stock: Stock, d, d_dot) -> Leaving:
    """Of the first bead's place and velocity from the outlet's, (3,)."""
    g = stock.rate / stock.length
    a, b = stock.end, stock.middle
    u_o = g * d
    u_m = 0.5 * (u_o + d_dot)
    kappa = (stock.acceleration / stock.length - g * g) * d + g * d_dot
    q = a * u_o + 0.5 * b * u_m
    flux = 0.5 * stock.rho * stock.rate * u_m
    return Leaving(d, d_dot, u_o, u_m, kappa, q, (a + 0.25 * b) * kappa + flux + g * q, 0.25 * b * kappa + flux - g * q)


def pushed_out(stock: Stock, now: Leaving, outlet, bead):
    """The part of Q [N] that moves the segment; r̈_o and r̈_1 (3,) [m/s²] in N."""
    a, b = stock.end, stock.middle
    q_dot = (a + 0.25 * b) * now.kappa + 0.25 * b * (bead - outlet) + 0.5 * stock.rho * stock.rate * now.middle
    along = (q_dot @ now.d + now.q @ now.d_dot) / stock.length
    return 0.5 * stock.rho * (outlet @ now.d) + along - 0.5 * stock.rho * (now.middle @ now.middle)
