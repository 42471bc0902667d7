"""Equations of motion of one flexible body in its own frame.

With a the absolute acceleration of the frame's origin, α the angular acceleration, both in body axes,
and η the modal coordinates, the body alone obeys

    M(η) (a, α, η̈) + b(ω, η, η̇) = loads        sizes 3 + 3 + N.

Source: [jin1991] eq. (31)–(35), corrected as docs/theory/jin1991.md says (absolute accelerations, the transposes of (33)).
Proved against a brute-force sum over mass points: tests/papers/test_jin1991.py.

With a second-order displacement H (integrals.py) the kinetic energy is T = ½(v, ω, η̇)ᵀ M(η) (v, ω, η̇) with every
entry of M kept to the order that makes T complete to second order in (η, η̇). The bias follows from this very T by
Hamel's equations, d/dt ∂T/∂v + ω×∂T/∂v = F and so on: hence energy, momentum and angular momentum hold exactly in
all rows, which a stiffness ω²K_g added to the modal rows alone would lose. Proved by tests/flexible/test_stiffening.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..algebra.rotation import E3, cross, skew
from ..algebra.scalar import contract, contract_twice, shared, symmetric
from .beside import Moved, bias_wrench, inertia_about_origin, moved, rate_coupling_of
from .integrals import Integrals
from .strain import moved_sections


def _alone(body: Integrals) -> Integrals:
    """The integrals without the masses beside nodes; M_η, which defines the frequencies, less their part at rest."""
    if body.alone is None:
        return body
    if body.slices is not None:
        return body.alone
    at_rest = [moved(part, 1.0, *np.zeros((2, body.count))) for part in body.beside]
    return replace(
        body.alone, modal_mass=body.modal_mass - sum(part.motion.T @ part.wrench @ part.motion for part in at_rest)
    )


def _beside(body: Integrals, eta, eta_dot=None) -> list[Moved]:
    """The masses beside nodes at η and η̇."""
    rates = np.zeros(body.count) if eta_dot is None else eta_dot
    if body.slices is not None:
        return moved_sections(body.slices, eta, rates)
    return [moved(part, body.density, eta, rates) for part in body.beside]


def deformed_first_moment(body: Integrals, eta):
    """m c(η) = ∫(ρ + u) dm, (3,) [kg m]."""
    if body.growth is not None:
        return body.growth.first_moment(eta)
    own = _alone(body)
    first = own.first + 0.5 * (own.density * (eta @ contract(own.s1_second, eta, 2.0 * own.s1.T)))
    return sum((part.mass * part.r for part in _beside(body, eta)), first)


def first_moment_gradient(body: Integrals, eta):
    """S₁(η) = ∂(mc)/∂η = ∫(φ_k + Σ H_μk η_μ) dm, (3, N)."""
    if body.growth is not None:
        return body.growth.first_moment_gradient(eta)
    own = _alone(body)
    gradient = own.density * contract(own.s1_second, eta, own.s1.T).T
    return sum((part.mass * part.motion[:3] for part in _beside(body, eta)), gradient)


def deformed_inertia(body: Integrals, eta):
    """J(η) = ∫[(ζ·ζ)E − ζζᵀ] dm, (3, 3) [kg m²]."""
    if body.growth is not None:
        return body.growth.inertia(eta)
    own = _alone(body)
    (K_eta,), _ = contract_twice(own.h5, eta, own.h3, eta[None, :], np.zeros((3, 3)))
    return sum((inertia_about_origin(part) for part in _beside(body, eta)), _inertia(own, eta, K_eta))


def _inertia(body: Integrals, eta, K_eta):
    """I + Σ h²_μ η_μ + sym ΣΣ h⁵_μk η_μ η_k, h² = h³ + h³ᵀ, from Σ K_k η_k = Σ h³_k η_k + ΣΣ h⁵_μk η_μ η_k of density 1."""
    half = 0.5 * body.density * (contract(body.h3, eta) + K_eta)
    return body.inertia + half + half.T


def _rotation_coupling(body: Integrals, eta):
    """S₂(η) = ∫ζ̃ φ dm, (3, N): column k is h¹_k + Σ h⁴_μk η_μ."""
    return body.density * contract(body.h4, eta, body.h1).T


def rate_coupling(body: Integrals, eta):
    """K_k(η) = ∫[(ζ·φ_k)E − ζφ_kᵀ] dm = h³_k + Σ h⁵_μk η_μ, (N, 3, 3): D of [jin1991] (35)."""
    if body.growth is not None:
        return body.growth.rate_coupling(eta)
    own = _alone(body)
    K = own.density * contract(own.h5, eta, own.h3)
    return sum((rate_coupling_of(part) for part in _beside(body, eta)), K)


def rate_coupling_with(body: Integrals, eta, W):
    """K_k(η) : W, (N,), for W (3, 3)."""
    if body.growth is not None:
        return np.einsum("nij,ij->n", body.growth.rate_coupling(eta), W)
    own = _alone(body)
    _, K_W = contract_twice(own.h5, eta, own.h3, eta[None, :], W)
    more = (np.einsum("nij,ij->n", rate_coupling_of(part), W) for part in _beside(body, eta))
    return sum(more, own.density * K_W)


@dataclass(frozen=True)
class Inertia:
    """M(η) by its blocks, [[frame, coupling], [couplingᵀ, modal]]: frame (6, 6), coupling (6, N) = [S₁; S₂], modal (N, N) = M_η.

    `carried`: pairs (B (6, N), C (6, 6)) of masses beside its nodes and bodies at them (tree/recursion.py), which add Σ BᵀCB to `modal`.
    """

    frame: np.ndarray
    coupling: np.ndarray
    modal: np.ndarray
    carried: tuple = ()

    @property
    def matrix(self):
        """(6+N, 6+N)."""
        modal = sum((symmetric(B.T @ C @ B) for B, C in self.carried), self.modal)
        return np.block([[self.frame, self.coupling], [self.coupling.T, modal]])


@shared
def body_equations(body: Integrals, omega, eta, eta_dot) -> tuple[Inertia, np.ndarray]:
    """M(η) and b, the loads at zero acceleration, (6+N,).

    frame = [[mE, −(mc)~], [(mc)~, J]], coupling = [S₁; S₂], modal = M_η

    force   ω×(ω×mc) + 2ω×S₁η̇ + ΣΣ ∫H_μk dm η̇_μ η̇_k
    torque  ω×Jω + 2Σ K_kᵀ ω η̇_k + ΣΣ h⁴_μk η̇_μ η̇_k
    modes   −ωᵀK_kω + ω·Σ (h⁴_μk − h⁴_kμ) η̇_μ
    The last terms of force and torque vanish without H and without inertia at nodes, and h⁴ is then antisymmetric.
    Both need K, from the largest table; it is computed once.
    """
    if body.growth is not None:
        return body.growth.equations(omega, eta, eta_dot)
    M, b = _own_equations(_alone(body), omega, eta, eta_dot)
    if body.slices is not None:
        M = replace(M, carried=((np.eye(body.count), np.diag(body.slices.added)),))
    for part in _beside(body, eta, eta_dot):
        M, b = _joined(M, b, part, omega, eta_dot)
    return M, b


def _joined(M: Inertia, b, part: Moved, omega, eta_dot) -> tuple[Inertia, np.ndarray]:
    """Add a mass beside a node: its motion is [E −r~ S; 0 E B] (a, α, η̈), and its loads act through the transpose of that matrix (beside.py)."""
    r, S, B, none = skew(part.r), part.motion[:3], part.motion[3:], np.zeros((3, 3))
    frame = np.block([[none, -part.mass * r], [part.mass * r, inertia_about_origin(part)]])  # the mass itself is in M
    coupling = np.vstack([part.mass * S, part.mass * (r @ S) + part.inertia @ B])
    force, torque = np.split(bias_wrench(part, omega, eta_dot), 2)
    needed = np.concatenate([force, r @ force + torque, S.T @ force + B.T @ torque])
    carried = (*M.carried, (part.motion, part.wrench))
    return Inertia(symmetric(M.frame + frame), M.coupling + coupling, M.modal, carried), b + needed


def _own_equations(body: Integrals, omega, eta, eta_dot) -> tuple[Inertia, np.ndarray]:
    """The same without masses beside nodes."""
    rho, speeds = body.density, np.array([eta, eta_dot])
    (K_eta, K_eta_dot), centrifugal = contract_twice(body.h5, eta, body.h3, speeds, np.outer(omega, omega))
    J = _inertia(body, eta, K_eta)
    mc, s1 = deformed_first_moment(body, eta), first_moment_gradient(body, eta)
    frame = np.block([[body.mass * E3, -skew(mc)], [skew(mc), J]])
    coupling = np.vstack([s1, _rotation_coupling(body, eta)])

    transposed, now = np.swapaxes(body.h4, 0, 1), eta_dot[None, :]
    (_,), gyroscopic = contract_twice(body.h4 - transposed, eta_dot, np.zeros_like(body.h1), now, omega)
    turned = 0.5 * (eta_dot @ contract(body.h4 + transposed, eta_dot))
    drawn = eta_dot @ contract(body.s1_second, eta_dot)
    force = cross(omega, cross(omega, mc) + 2.0 * (s1 @ eta_dot)) + rho * drawn
    torque = cross(omega, J @ omega) + rho * (2.0 * (omega @ K_eta_dot) + turned)
    b = np.concatenate([force, torque, rho * (gyroscopic - centrifugal)])
    return Inertia(symmetric(frame), coupling, rho * body.modal_mass), b


def mass_matrix(body: Integrals, eta):
    """M(η) = [[mE, −(mc)~, S₁], [(mc)~, J, S₂], [S₁ᵀ, S₂ᵀ, M_η]], (6+N, 6+N)."""
    M, _ = body_equations(body, np.zeros(3), eta, np.zeros(body.count))
    return M.matrix


def bias(body: Integrals, omega, eta, eta_dot):
    """b alone."""
    return body_equations(body, omega, eta, eta_dot)[1]


@shared
def momenta(body: Integrals, M: Inertia, speeds):
    """M(η) w, (6+N,): the momenta of speeds w = (v, ω, η̇), or the forces that accelerations need."""
    w, w_modes = speeds[:6], speeds[6:]
    modal = M.modal @ w_modes if body.growth is not None else body.density * contract(_alone(body).modal_mass, w_modes)
    modal = sum((B.T @ (C @ (B @ w_modes)) for B, C in M.carried), modal)
    return np.concatenate([M.frame @ w + M.coupling @ w_modes, M.coupling.T @ w + modal])
