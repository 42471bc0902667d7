"""Inertia integrals of a flexible body, computed once.

Position of a mass point in the body frame (origin at the root node): ζ = ρ + Σ φ_μ η_μ + ½ ΣΣ H_μk η_μ η_k.
Source: [jin1991] eq. (34), (35); notation as there, E the unit matrix, ã b = a × b.

H_μk = H_kμ is the second-order part of the displacement, by which the far end of a bent beam or plate moves inward (foreshortening); it stiffens a spinning
body. It enters h⁴ and h⁵ in addition to the first-order terms, and needs one further integral, s1_second. Without it (nodal tables that carry no H and no
inertia at nodes) all these are the paper's.
Terms of the kinetic energy up to second order in (η, η̇) are kept; see equations.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..algebra.rotation import skew
from ..algebra.scalar import shared
from .beside import Beside, masses_beside, mixed_beside
from .strain import Slices

SUMS = ("mass", "first", "inertia", "s1", "h1", "h3", "h4", "h5", "modal_mass", "s1_second")  # the integrals by name
ROUND_OFF = 1e-13  # relative to the upper bound of an integral: quadratures of orthogonal shapes leave about 1e-15


@dataclass(frozen=True)
class Integrals:
    """The constant integrals; N modes. All in the body frame, about its origin.

    Integrals of the modes are for the density at build: `density` is the body's density over that one. So the large tables stay numbers if the mass is a
    parameter, and results are scaled (equations.py).
    """

    mass: float  # ∫dm [kg]
    first: np.ndarray  # (3,) ∫ρ dm [kg m]
    inertia: np.ndarray  # (3, 3) I = ∫[(ρ·ρ)E − ρρᵀ] dm [kg m²]
    s1: np.ndarray  # (3, N) ∫φ dm
    h1: np.ndarray  # (N, 3) h¹_μ = ∫ρ̃ φ_μ dm
    h3: np.ndarray  # (N, 3, 3) h³_μ = ∫[(ρ·φ_μ)E − ρφ_μᵀ] dm
    h4: np.ndarray  # (N, N, 3) h⁴_μk = ∫(φ̃_μ φ_k + ρ̃ H_μk) dm
    h5: np.ndarray  # (N, N, 3, 3) h⁵_μk = ∫[(φ_μ·φ_k + ρ·H_μk)E − φ_μφ_kᵀ − ρH_μkᵀ] dm
    modal_mass: np.ndarray  # (N, N) ∫φ_μ·φ_k dm = tr h⁶_μk
    s1_second: np.ndarray = None  # type: ignore[assignment]  # (N, N, 3) ∫H_μk dm; None: zeros, a body that does not stiffen
    density: float = 1.0  # scales the integrals of the modes; mass, first and inertia are not scaled
    beside: tuple[Beside, ...] = ()  # masses beside nodes; the integrals above have them to second order,
    alone: Integrals | None = (
        None  # and these are without them: equations take these, and those masses as they are (beside.py)
    )
    slices: Slices | None = (
        None  # of a segment of a beam that bends far: all its mass; it has none of the tables of modes
    )
    growth: Any = None  # of a beam that extends (growth.Growth): all its equations; mass, first and inertia are those of the start

    def __post_init__(self):
        if self.s1_second is None:
            object.__setattr__(self, "s1_second", np.zeros((self.count, self.count, 3)))

    @property
    def count(self) -> int:
        return len(self.h1)


def integrals_of_moments(mass, first, second, s1, rho_phi, phi_phi, s1_second=None, rho_h=0.0) -> Integrals:
    """All integrals from plain second moments, which quadrature and sums over points give directly.

    second (3, 3) = ∫ρρᵀdm, rho_phi (N, 3, 3) = ∫ρφ_μᵀdm, phi_phi (N, N, 3, 3) = ∫φ_μφ_kᵀdm (h⁶ of the paper);
    with stiffening s1_second (N, N, 3) = ∫H_μk dm and rho_h (N, N, 3, 3) = ∫ρH_μkᵀdm.
    """
    phi_phi = without_round_off(phi_phi)
    return Integrals(
        mass=float(mass),
        first=np.asarray(first, float),
        inertia=spread(second),
        s1=np.asarray(s1, float),
        h1=axial(rho_phi),
        h3=spread(rho_phi),
        h4=axial(phi_phi + rho_h),
        h5=spread(phi_phi + rho_h),
        modal_mass=np.trace(phi_phi, axis1=-2, axis2=-1),
        s1_second=s1_second,
    )


def spread(moment):
    """∫[(a·b)E − abᵀ] of ∫abᵀ, (…, 3, 3): its diagonal from sums of two entries, so that terms that cancel give exact zeros."""
    x, y, z = np.moveaxis(np.diagonal(moment, axis1=-2, axis2=-1), -1, 0)
    return np.where(np.eye(3, dtype=bool), np.stack([y + z, z + x, x + y], axis=-1)[..., None], -moment)


def axial(moment):
    """∫a×b of ∫abᵀ, (…, 3)."""
    difference = moment - np.swapaxes(moment, -1, -2)
    return np.stack([difference[..., 1, 2], difference[..., 2, 0], difference[..., 0, 1]], axis=-1)


def without_round_off(phi_phi):
    """∫φ_μφ_kᵀ dm, (N, N, 3, 3), as exact as it is: ∫φ_kφ_μᵀ dm its transpose, and zero where shapes that are orthogonal leave round-off.

    Nothing else is that far below √(∫φ_μ·φ_μ dm ∫φ_k·φ_k dm), its largest by Cauchy and Schwarz. Generated C skips zeros.
    """
    phi_phi = 0.5 * (phi_phi + np.transpose(phi_phi, (1, 0, 3, 2)))
    norm = np.sqrt(np.abs(np.einsum("mmii->m", phi_phi)))
    return np.where(np.abs(phi_phi) > ROUND_OFF * np.outer(norm, norm)[..., None, None], phi_phi, 0.0)


def integrals_of_points(positions, masses, shapes, inertias=None, turns=None, second=None, offsets=None) -> Integrals:
    """The papers' sums over mass points: positions (P, 3) [m], masses (P,) [kg], shapes (N, P, 3);
    `second` (N, N, P, 3) is H [1/m] of a body that stiffens.

    Optional nodal inertias (P, 3, 3) [kg m²] about the mass centre, in body axes, with mode rotations `turns` (N, P, 3) [rad],
    and `offsets` (P, 3) [m] of the mass centre from the node: a rigid body at each node that moves and turns with it, R = exp((Σψ_μη_μ)~).
    To second order in η a point d of it is at d + Σψ̃_μ d η_μ + ½ΣΣ ½(ψ̃_μψ̃_k + ψ̃_kψ̃_μ) d η_μη_k: it has shapes and an H of its own.
    Up to FEW masses with an offset at nodes that turn are held beside these sums as well, as rigid bodies that turn by finite angles (beside.py).
    Proved against the points of such bodies and against bodies on `fixed` joints: tests/flexible/test_nodal_inertia.py.
    """
    rho, m, phi = (np.asarray(a, float) for a in (positions, masses, shapes))
    whole = _sums(rho, m, phi, inertias, turns, second, offsets)
    beside = masses_beside(rho, m, phi, inertias, turns, second, offsets)
    if not beside:
        return whole
    left = np.isin(np.arange(len(m)), list(beside), invert=True)
    others = None if inertias is None else inertias * left[:, None, None]
    alone = replace(_sums(rho, m * left, phi, others, turns, second, offsets), mass=whole.mass)
    return replace(whole, beside=tuple(beside.values()), alone=alone)


def _sums(rho, m, phi, inertias, turns, second, offsets) -> Integrals:
    """The sums over all points, to second order."""
    tilde = _tilde(np.zeros_like(phi) if turns is None else turns)  # (N, P, 3, 3) ψ̃_μ
    if offsets is not None:
        arm = np.asarray(offsets, float)
        drawn = np.einsum("mpij,npjk,pk->mnpi", tilde, tilde, arm, optimize=True)
        rho, phi = rho + arm, phi + np.einsum("npij,pj->npi", tilde, arm)
        second = (0.0 if second is None else second) + 0.5 * (drawn + np.swapaxes(drawn, 0, 1))
    moments = {
        "second": np.einsum("p,pi,pj->ij", m, rho, rho),
        "rho_phi": np.einsum("p,pi,npj->nij", m, rho, phi),
        "phi_phi": np.einsum("p,mpi,npj->mnij", m, phi, phi, optimize=True),
        "rho_h": 0.0 if second is None else np.einsum("p,pi,mnpj->mnij", m, rho, second, optimize=True),
    }
    if inertias is not None:
        moments = {name: moments[name] + more for name, more in _moments_of_turning(inertias, tilde).items()}
    s1_second = None if second is None else np.einsum("p,mnpi->mni", m, second)
    return integrals_of_moments(m.sum(), m @ rho, s1=np.einsum("p,npi->in", m, phi), s1_second=s1_second, **moments)


def _moments_of_turning(inertias, tilde) -> dict[str, np.ndarray]:
    """What nodal inertias J (P, 3, 3) that turn by exp((Σψ_μη_μ)~) add to the plain moments; tilde (N, P, 3, 3) = ψ̃_μ.

    With the node's second moment P = ∫ddᵀdm = ½ tr(J) E − J, shapes ψ̃_μ d and H_μk = ½(ψ̃_μψ̃_k + ψ̃_kψ̃_μ) d:
    ∫ρφ_μᵀ += −Pψ̃_μ,   ∫φ_μφ_kᵀ += −ψ̃_μPψ̃_k,   ∫ρH_μkᵀ += ½P(ψ̃_μψ̃_k + ψ̃_kψ̃_μ).
    So h¹ += Jψ, M_η += ψᵀJψ, and the symmetric part of h³ is the load ψ·(ω × Jω) on the modes of a body that turns.
    """
    J = np.asarray(inertias, float)
    P = 0.5 * np.trace(J, axis1=-2, axis2=-1)[:, None, None] * np.eye(3) - J
    P_tilde = np.einsum("pij,npjk->npik", P, tilde)
    twice = np.einsum("mpij,npjk->mnik", P_tilde, tilde, optimize=True)
    return {
        "second": P.sum(axis=0),
        "rho_phi": -P_tilde.sum(axis=1),
        "phi_phi": -np.einsum("mpij,npjk->mnik", tilde, P_tilde, optimize=True),
        "rho_h": 0.5 * (twice + np.swapaxes(twice, 0, 1)),
    }


def _tilde(vectors):
    """Matrices of the cross product with vectors (…, 3): (…, 3, 3)."""
    return np.cross(np.asarray(vectors, float)[..., None, :], np.eye(3)).swapaxes(-1, -2)


@shared
def rigid_integrals(mass, mass_center, inertia_about_center) -> Integrals:
    """Integrals of a body without modes: mass [kg], mass centre (3,) [m], inertia about it (3, 3) [kg m²]."""
    c = skew(mass_center)
    none = np.zeros((0, 3))
    return Integrals(
        mass=mass,
        first=mass * np.asarray(mass_center),
        inertia=inertia_about_center - mass * (c @ c),
        s1=none.T,
        h1=none,
        h3=np.zeros((0, 3, 3)),
        h4=np.zeros((0, 0, 3)),
        h5=np.zeros((0, 0, 3, 3)),
        modal_mass=np.zeros((0, 0)),
    )


def denser(body: Integrals, factor) -> Integrals:
    """The same body, denser by `factor`: every integral is linear in the density."""
    rigid = {name: getattr(body, name) * factor for name in ("mass", "first", "inertia")}
    alone = None if body.alone is None else denser(body.alone, factor)
    return replace(body, **rigid, density=body.density * factor, alone=alone)


def scaled(body: Integrals, factor: float) -> Integrals:
    """The same, with the tables of the modes scaled themselves."""
    return replace(
        body,
        **{name: getattr(body, name) * factor for name in SUMS},
        beside=tuple(replace(part, mass=part.mass * factor, inertia=part.inertia * factor) for part in body.beside),
        alone=None if body.alone is None else scaled(body.alone, factor),
    )


def mixed_integrals(body: Integrals, mixture) -> Integrals:
    """In new coordinates, η = C η' with C (N, N'): Φ → ΦC."""
    C, pair = mixture, "mn...,ma,nb->ab..."
    return replace(
        body,
        s1=body.s1 @ C,
        h1=C.T @ body.h1,
        h3=np.einsum("nij,na->aij", body.h3, C),
        h4=np.einsum(pair, body.h4, C, C, optimize=True),
        h5=np.einsum(pair, body.h5, C, C, optimize=True),
        modal_mass=C.T @ body.modal_mass @ C,
        s1_second=np.einsum(pair, body.s1_second, C, C, optimize=True),
        beside=tuple(mixed_beside(part, C) for part in body.beside),
        alone=None if body.alone is None else mixed_integrals(body.alone, C),
    )
