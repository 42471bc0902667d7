"""Equations of a beam that leaves a guide at its frame's origin: the deployed length L is the first of its coordinates e = (L, η).

The beam lies along e₁ (unit vector), ρ per length, its shapes scale with the deployed length: material at s from the guide, ξ = s/L, is at

    ζ = s e₁ + φ(ξ) η + ½ η·H(ξ)η/L,   H_kl = −e₁ ∫₀^ξ φ_k'·φ_l' dξ,   φ·e₁ = 0

Material keeps its distance L − s from the tip, so ξ̇ = (1 − ξ) L̇/L, and its velocity is ω×ζ + (φ + Hη/L) η̇ + ζ_L L̇ with

    ζ_L = e₁ + γ η/L + ½ η·Γη/L²,   γ = (1 − ξ) φ',   Γ = (1 − ξ) H' − H

Kinetic energy T = ½ wᵀM(e) w, w = (v, ω, L̇, η̇), complete to second order in (η, η̇). Shapes are similar at every length: with λ = L/L₀, L₀ the whole
length, ζ(η, L) = λ ζ₀(η/λ) and dm = λ dm₀. So at constant L this is the whole beam of equations.py at amplitudes η/λ, times powers of λ, and
homogeneous in (L, η), of degree 2 for mc, 3 for J, 1 for S₁, 2 for S₂: the derivative by L follows from Euler's theorem, L f_L = n f − f_η η.
The terms of L are

    M_vL = c_L = ∂(mc)/∂L       M_ωL = j = ρ (L a η + η·bη)       M_ηL = ρ B η       M_LL = l = ρL + (ρ/L) η·Nη + stowed

    a_k = e₁×∫2(ξ − 1) φ_k dξ    b_kl = ∫φ_k×γ_l dξ    B_kl = ∫(φ_k·γ_l + H_kl·e₁) dξ    N_kl = ∫γ_k·γ_l dξ

(∫Γ dξ = 0: no more of second order.) The stowed mass, m − ρL, is a point at the origin: on a drum it moves at L̇ and adds m − ρL + J/r² to l, at rest nothing.
Hamel's equations of this T are the equations of motion, so momentum, angular momentum and energy hold exactly:

    d/dt ∂T/∂v + ω×∂T/∂v = F    d/dt ∂T/∂ω + ω×∂T/∂ω + v×∂T/∂v = τ    d/dt ∂T/∂e − ∂T/∂e = Q

Derived on docs/theory/beyond.md. Proved by tests/flexible/test_growth.py against sums over points of material.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..algebra.rotation import cross, skew
from ..algebra.scalar import both, maximum, symmetric, where
from .equations import (
    Inertia,
    body_equations,
    deformed_first_moment,
    deformed_inertia,
    first_moment_gradient,
    rate_coupling,
)
from .integrals import Integrals

SHORTEST = 1e-6  # smallest L over the whole length in divisions: shorter ones are rejected, not infinite
OVERRUN = 1.05  # L over the whole length up to which the equations are considered valid


@dataclass(frozen=True)
class Growth:
    """full: integrals of the whole beam out, without its sections' inertia; length [m]: of it. e₁ (3,); a (3, N), b (N, N, 3), B, N (N, N) as above.

    sections (3, 3) [kg m²]: inertia of all sections, which turn with the frame, stowed or out. drum: 1, or 0 of a stowed part at rest; drum_mass J/r² [kg].
    """

    full: Integrals
    length: float
    along: np.ndarray
    a: np.ndarray
    b: np.ndarray
    B: np.ndarray
    N: np.ndarray
    sections: Any
    drum: float
    drum_mass: Any

    @property
    def rho(self):
        """[kg/m]."""
        return self.full.mass / self.length

    def over_whole(self, e):
        """λ = L/L₀."""
        return maximum(e[0] / self.length, SHORTEST)

    def first_moment(self, e):
        """mc (3,) = λ² (mc)₀(η/λ)."""
        ratio = self.over_whole(e)
        return ratio * ratio * deformed_first_moment(self.full, e[1:] / ratio)

    def first_moment_gradient(self, e):
        """∂(mc)/∂e (3, 1+N)."""
        ratio, eta = self.over_whole(e), e[1:]
        S1 = ratio * first_moment_gradient(self.full, eta / ratio)
        return np.column_stack([(2.0 * self.first_moment(e) - S1 @ eta) / (ratio * self.length), S1])

    def inertia(self, e):
        """J (3, 3) = λ³ J₀(η/λ), and the sections'."""
        ratio = self.over_whole(e)
        return ratio**3 * deformed_inertia(self.full, e[1:] / ratio) + self.sections

    def rate_coupling(self, e):
        """K (1+N, 3, 3) with ∂J/∂e = K + Kᵀ; that of L is symmetric."""
        ratio, eta = self.over_whole(e), e[1:]
        K = ratio * ratio * rate_coupling(self.full, eta / ratio)
        along = np.tensordot(eta, K, 1)
        K_L = (3.0 * (self.inertia(e) - self.sections) - along - along.T) / (2.0 * ratio * self.length)
        return np.concatenate([K_L[None], K])

    def equations(self, omega, e, e_dot) -> tuple[Inertia, Any]:
        """M by its blocks, L before the modes, and b (6+1+N,)."""
        rho, eta, rate, eta_dot = self.rho, e[1:], e_dot[0], e_dot[1:]
        ratio = self.over_whole(e)
        length = ratio * self.length
        whole, needed = body_equations(self.full, omega, eta / ratio, eta_dot / ratio)
        S1, S2 = ratio * whole.coupling[:3], ratio**2 * whole.coupling[3:]
        modal = ratio * whole.modal
        mc, (c_L, *_), (K_L, *_) = self.first_moment(e), self.first_moment_gradient(e).T, self.rate_coupling(e)
        density = self.full.density
        S1_L = density / self.length * self.full.s1
        S2_L = (S2 + ratio**2 * density * self.full.h1.T) / length

        j_L, turned = rho * (self.a @ eta), np.tensordot(eta, self.b, 1)  # Σ_m b_mn η_m (N, 3)
        j = length * j_L + rho * (eta @ turned)
        j_eta = rho * (length * self.a + (turned + np.tensordot(self.b, eta, (1, 0))).T)
        n, n_dot, drawn = rho * (self.B @ eta), rho * (self.B @ eta_dot), rho / length * (self.N @ eta)
        stowed = self.drum * (self.full.mass - rho * length + self.drum_mass)
        bent = drawn @ eta  # (ρ/L) η·Nη
        held, held_L = rho * length + bent + stowed, rho * (1.0 - self.drum) - bent / length

        force = needed[:3] * ratio**2 + rate * (
            2.0 * cross(omega, c_L) + 2.0 * (S1_L @ eta_dot) + rate * rho * self.along
        )
        turning = 2.0 * (K_L @ omega) + S2_L @ eta_dot + j_eta @ eta_dot + rate * j_L + cross(omega, j)
        torque = needed[3:6] * ratio**3 + cross(omega, self.sections @ omega) + rate * turning
        carried = S2_L.T @ omega - j_eta.T @ omega + modal @ eta_dot / length + n_dot - rho * (self.B.T @ eta_dot)
        modes = needed[6:] * ratio**2 + rate * (carried - rate * drawn)
        pushed = omega @ (j_eta @ eta_dot) - omega @ (K_L @ omega) - omega @ (S2_L @ eta_dot) + n_dot @ eta_dot
        pushed = pushed - 0.5 * (eta_dot @ modal @ eta_dot) / length
        pushed = pushed + 2.0 * (drawn @ eta_dot) * rate + 0.5 * held_L * rate * rate

        mass = np.diag([self.full.mass] * 3)
        frame = np.block([[mass, -skew(mc)], [skew(mc), self.inertia(e)]])
        coupling = np.column_stack([np.concatenate([c_L, j]), np.vstack([S1, S2])])
        within = where(
            both(ratio > SHORTEST, ratio < OVERRUN), 1.0, -1.0
        )  # outside there is no such beam: M is not positive
        grown = np.block([[np.array([[within * held]]), n[None, :]], [n[:, None], modal]])
        b = np.concatenate([force, torque, [pushed], modes])
        return replace(whole, frame=symmetric(frame), coupling=coupling, modal=symmetric(grown)), b


def tables(s, weights, phi, slope, along) -> dict[str, np.ndarray]:
    """a, b, B, N by quadrature: s (P,) on (0, 1), weights (P,), φ and φ' (N, P, 3), e₁ (3,)."""
    gamma = (1.0 - s)[:, None] * slope
    drawn = -np.einsum("p,mpi,npi->mn", weights * (1.0 - s), slope, slope)  # ∫H·e₁ dξ
    return {
        "a": skew(along) @ np.einsum("p,npi->in", weights * 2.0 * (s - 1.0), phi),
        "b": np.einsum("p,mnpi->mni", weights, np.cross(phi[:, None], gamma[None])),
        "B": np.einsum("p,mpi,npi->mn", weights, phi, gamma) + drawn,
        "N": np.einsum("p,mpi,npi->mn", weights, gamma, gamma),
    }
