"""Flexible bodies from tables: nodes with lumped masses and mode shapes, or the modal integrals themselves.

Elastic forces are K = diag(μ_k Ω_k²), which needs ∫ΦᵀΦ dm = diag(μ). Shapes that a finite-element program printed with few digits, or for another mass lumping,
deviate slightly: they are orthogonalised, or rejected.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..algebra.rotation import skew
from .body import FlexibleBody, Node
from .equations import mass_matrix
from .integrals import Integrals, integrals_of_points
from .line import foreshortening, lines_through_root

ORTHOGONAL = 1e-10  # coupling of two modes that counts as round-off
REPAIRABLE = 0.1  # coupling up to which shapes are orthogonalised


@dataclass(frozen=True)
class NodalTable:
    """P nodes and N modes, clamped at the body frame's origin.

    names (P,), positions (P, 3) [m], masses (P,) [kg], inertias (P, 3, 3) [kg m²] about each mass centre or None,
    translations (N, P, 3) [m/m], rotations (N, P, 3) [rad/m] or None, frequencies (N,) [Hz], damping ratios (N,),
    offsets (P, 3) [m] of the mass centres from the nodes or None: all in body axes.
    """

    names: tuple[str, ...]
    positions: np.ndarray
    masses: np.ndarray
    inertias: np.ndarray | None
    translations: np.ndarray
    rotations: np.ndarray | None
    frequencies: np.ndarray
    damping: np.ndarray
    offsets: np.ndarray | None = None


def coupling_of_modes(modal_mass) -> float:
    """Largest |∫φ_μ·φ_k dm| / √(μ_μ μ_k) of two different modes: 0 if they are orthogonal, 1 if they are the same."""
    size = np.sqrt(np.diag(modal_mass))
    relative = modal_mass / np.outer(size, size)
    return float(np.max(np.abs(relative - np.diag(np.diag(relative))), initial=0.0))


def orthogonal_mixture(modal_mass) -> np.ndarray:
    """C (N, N) that mixes the shapes, Φ → Φ C, to Cᵀ(∫ΦᵀΦ dm)C = diag(μ): C = D^-½ (D^-½ M D^-½)^-½ D^½, D = diag M.

    Of all such mixtures the symmetric one (Löwdin's) changes the shapes least, and keeps the modal masses μ = diag M.
    """
    size = np.sqrt(np.diag(modal_mass))
    values, vectors = np.linalg.eigh(modal_mass / np.outer(size, size))
    return (vectors / np.sqrt(values)) @ vectors.T * (size[None, :] / size[:, None])


def repairable_coupling(modal_mass, says: str) -> float:
    """The coupling of modes that can be made orthogonal; `ValueError` if a mode moves no mass, or if they are too far from it. says: how the sentence begins."""
    if np.any(np.diag(modal_mass) <= 0.0):
        raise ValueError(
            f"mode {int(np.argmin(np.diag(modal_mass))) + 1} moves no mass, expected shapes with a modal mass ∫φ·φ dm > 0"
        )
    coupling = coupling_of_modes(modal_mass)
    if coupling > REPAIRABLE:
        raise ValueError(
            f"{says} orthogonal: the largest coupling |∫φ_i·φ_k dm|/√(m_i m_k) is {coupling:.3g}, expected at most {REPAIRABLE}; "
            "check that masses and shapes belong to the same model"
        )
    return coupling


def nodal_body(name: str, table: NodalTable, lines: list[list[int]] | None = None) -> FlexibleBody:
    """A FlexibleBody whose integrals are the papers' sums over the table's nodes ([jin1991] (34)).

    Every node of the table becomes a node of the body; nodes on `lines` stiffen (line.py): None: nodes on one line through the root are found automatically; an
    empty list: no lines. `ValueError` names impossible data.
    Proved by tests/description/test_flexible_tables.py.
    """
    rotations = np.zeros_like(table.translations) if table.rotations is None else table.rotations
    translations = table.translations
    modal_mass = _sums(table, translations, rotations).modal_mass
    if repairable_coupling(modal_mass, "modes are not") > ORTHOGONAL:
        mixture = orthogonal_mixture(modal_mass)
        translations = np.einsum("npi,nm->mpi", translations, mixture)
        rotations = np.einsum("npi,nm->mpi", rotations, mixture)
    lines = lines_through_root(table.positions) if lines is None else lines
    second = foreshortening(lines, table.positions, translations, rotations) if lines else None
    integrals = _diagonal(_sums(table, translations, rotations, second))
    nodes = {
        node: Node(
            node,
            table.positions[p],
            translations[:, p, :].T,
            rotations[:, p, :].T,
            None if second is None else second[:, :, p],
        )
        for p, node in enumerate(table.names)
    }
    return FlexibleBody(name, integrals, table.frequencies, table.damping, nodes, stiffening=second is not None)


def _sums(table: NodalTable, translations, rotations, second=None) -> Integrals:
    return integrals_of_points(
        table.positions, table.masses, translations, table.inertias, rotations, second, table.offsets
    )


def _diagonal(integrals: Integrals) -> Integrals:
    """The Integrals with off-diagonal round-off of ∫ΦᵀΦ dm set to zero."""
    return replace(integrals, modal_mass=np.diag(np.diag(integrals.modal_mass)))


def modal_integrals(mass, mass_center, inertia, s1, h1, modal_mass, h3=None, h4=None, h5=None) -> Integrals:
    """Integrals from given ones: s1, h1 (N, 3), h3 (N, 3, 3), h4 (N, N, 3), h5 (N, N, 3, 3), inertia about the mass centre.

    h³ − h³ᵀ = (h¹)~ and h⁵ − h⁵ᵀ = (h⁴)~ whatever the body is (both sides are ∫(φρᵀ − ρφᵀ)dm): the antisymmetric parts follow, and given ones are checked
    against them. The symmetric part of a tensor that is not given is zero: the body's inertia then does not change with its deflection. h⁴ is antisymmetric,
    h⁴_μk = −h⁴_kμ, except for the contributions of second-order shapes and inertia at nodes, which also enter h⁵. `ValueError` names what is wrong.
    """
    s1, h1 = np.asarray(s1, float), np.asarray(h1, float)
    n = len(h1)
    h4 = np.zeros((n, n, 3)) if h4 is None else np.asarray(h4, float)
    symmetric = np.max(np.abs(h4 + np.swapaxes(h4, 0, 1)), initial=0.0) > 2e-9 * np.max(np.abs(h4), initial=0.0)
    if symmetric and h5 is None:
        raise ValueError(
            "h4 is not antisymmetric, expected h4[i][k] = −h4[k][i]; "
            "second-order shapes and inertia at nodes give it a symmetric part, which requires h5 too"
        )
    center = np.asarray(mass_center, float)
    integrals = Integrals(
        mass=float(mass),
        first=mass * center,
        inertia=np.asarray(inertia, float) - mass * skew(center) @ skew(center),
        s1=s1.T,
        h1=h1,
        h3=_completed("h3", h3, h1, "h1"),
        h4=h4,
        h5=_completed("h5", h5, h4, "h4"),
        modal_mass=np.diag(np.asarray(modal_mass, float)),
    )
    own = mass_matrix(integrals, np.zeros(n))
    scale = np.sqrt(np.maximum(np.diag(own), 1e-300))
    lowest = float(np.linalg.eigvalsh(own / np.outer(scale, scale))[0])
    if lowest < -1e-9:
        raise ValueError(
            f"these integrals are not possible for a body: the mass matrix has the negative eigenvalue {lowest:.3g} (scaled to a unit diagonal); "
            "check that s1 and h1 belong to mass, inertia and modal_mass"
        )
    return integrals


def _completed(name: str, given, axial, axial_name: str):
    """The tensors with the antisymmetric part given by `axial` (…, 3); a given tensor must have it already."""
    wanted = 0.5 * np.apply_along_axis(skew, -1, axial) if axial.size else np.zeros((*axial.shape, 3))
    if given is None:
        return wanted
    given = np.asarray(given, float)
    transposed = np.swapaxes(given, -1, -2)
    missed = float(np.max(np.abs(0.5 * (given - transposed) - wanted), initial=0.0))
    allowed = 1e-6 * float(np.max(np.abs(given), initial=0.0))
    if missed > allowed:
        raise ValueError(
            f"{name} does not go with {axial_name}: {name} − {name}ᵀ differs from the matrix of {axial_name} by {2 * missed:.3g}"
        )
    return 0.5 * (given + transposed) + wanted
