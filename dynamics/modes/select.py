"""Selection of a body's modes, and the static shapes that represent the others."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..bodies.static_shapes import orthogonal
from .clamp import DENSE, Clamped, modal_body
from .frame import index_of
from .neutral import ModalBody, mixed

WITHOUT_ASKING = 100  # modes that are kept by default


@dataclass(frozen=True)
class Selection:
    """All given conditions must hold. `effective_mass` is the smallest share of mass (or inertia about the root) along some axis."""

    first: int | None = None
    up_to: float | None = None  # [Hz]
    effective_mass: float | None = None
    numbers: tuple[int, ...] | None = None


def effective_masses(body: ModalBody) -> np.ndarray:
    """Shares (N, 6) of each mode in the mass (x, y, z) and in the inertia about the root (x, y, z): (RᵀMφ)²/(μ · whole).

    An axis about which there is no inertia has shares 0.
    """
    given = body.integrals
    coupled = np.hstack([given.s1.T, given.h1]) ** 2 / np.diag(given.modal_mass)[:, None]
    whole = np.array([given.mass] * 3 + list(np.diag(given.inertia)))
    whole = np.where(whole > 1e-12 * whole.max(), whole, np.inf)
    return coupled / whole


def chosen(body: ModalBody, selection: Selection) -> ModalBody:
    """The body with the requested modes; static shapes, which are last, are kept."""
    n = body.count - body.residual
    if not n:
        raise ValueError("has no mode that moves mass")
    keep = np.ones(n, bool)
    frequencies = body.frequencies[:n]
    if selection.numbers is not None:
        beyond = [mode for mode in selection.numbers if not 1 <= mode <= n]
        if beyond:
            raise ValueError(f"has no mode {beyond[0]}, expected numbers from 1 to {n}")
        keep &= np.isin(np.arange(1, n + 1), selection.numbers)
    if selection.first is not None:
        keep &= np.arange(n) < selection.first
    if selection.up_to is not None:
        keep &= frequencies <= selection.up_to
    if selection.effective_mass is not None:
        keep &= effective_masses(body)[:n].max(axis=1) >= selection.effective_mass
    if not keep.any():
        raise ValueError(
            f"has none of the requested modes: its lowest is at {frequencies[0]:.4g} Hz, its highest at {frequencies[-1]:.4g} Hz"
        )
    if selection == Selection() and n > WITHOUT_ASKING:
        raise ValueError(f"has {n} modes; give modes = … to select some")
    kept = np.concatenate([np.flatnonzero(keep), np.arange(n, body.count)])
    return body if len(kept) == body.count else mixed(body, np.eye(body.count)[:, kept])


def modes_of(
    clamped: Clamped, selection: Selection, places: dict[str, tuple[str, ...]], residual: tuple[str, ...]
) -> ModalBody:
    """The body of a clamped structure: the requested modes, then the static shapes of the places in `residual`."""
    square, shapes = _found(clamped, selection)
    body = chosen(modal_body(clamped, square, shapes), selection)
    if not residual:
        return body
    kept = np.isin(np.round(square, 12), np.round(np.diag(body.stiffness), 12))
    extra_square, extra = residual_shapes(clamped, shapes[:, kept], [places[name] for name in residual])
    body = modal_body(clamped, np.concatenate([square[kept], extra_square]), np.hstack([shapes[:, kept], extra]))
    return replace(body, residual=len(extra_square))


def _found(clamped: Clamped, selection: Selection):
    """Enough modes to choose from."""
    size = len(clamped.free)
    if size <= DENSE:
        return clamped.modes()
    if selection.numbers:
        return clamped.modes(max(selection.numbers))
    if selection.first is not None:
        return clamped.modes(selection.first)
    if selection.up_to is None:
        raise ValueError(f"has {size} degrees of freedom; select modes with first, up_to or numbers")
    count = 20
    while True:
        square, shapes = clamped.modes(count)
        if np.sqrt(square[-1]) > 2.0 * np.pi * selection.up_to or count >= size - 1:
            return square, shapes
        count *= 2


def residual_shapes(clamped: Clamped, kept, patches: list[tuple[str, ...]]) -> tuple[np.ndarray, np.ndarray]:
    """ω² and shapes of the static deflections under unit forces and torques at the patches, minus the part of the kept modes.

    S = K⁻¹F, S' = S − Φ(ΦᵀMS): M- and K-orthogonal to Φ; the pencil (S'ᵀKS', S'ᵀMS') makes them orthogonal to each other.
    With them the static deflection under any load at the patches is exact. Proved by tests/modes/test_residual.py.
    """
    loads = np.hstack([_unit_loads(clamped, patch) for patch in patches])
    static = clamped.static(loads)
    rest = static - kept @ (kept.T @ (clamped.mass @ static))
    rest = rest - kept @ (kept.T @ (clamped.mass @ rest))  # twice, for round-off
    work, whole = (
        np.einsum("ij,ij->j", rest, clamped.stiffness @ rest),
        np.einsum("ij,ij->j", static, clamped.stiffness @ static),
    )
    rest = rest[:, work > 1e-10 * whole] / np.sqrt(work[work > 1e-10 * whole])
    square, mixture = orthogonal(rest.T @ (clamped.stiffness @ rest), rest.T @ (clamped.mass @ rest))
    return square, rest @ mixture


def _unit_loads(clamped: Clamped, patch: tuple[str, ...]) -> np.ndarray:
    """Loads (n, 6) on the degrees of freedom of a unit force and torque on a patch: transposed, its mean motion and its turn."""
    structure = clamped.structure
    nodes = index_of(structure.names, patch)
    arms = structure.positions[nodes] - structure.positions[nodes].mean(axis=0)
    loads = np.zeros((structure.count, 6))
    spread = np.linalg.pinv(np.concatenate([_arm_matrix(arm) for arm in arms])) if len(nodes) > 1 else None
    for k, node in enumerate(nodes):
        for dof in np.flatnonzero(structure.node == node):
            component = structure.component[dof]
            if component < 3:
                loads[dof, component] = 1.0 / len(nodes)
                if spread is not None:
                    loads[dof, 3:] = spread[:, 3 * k + component]
            elif len(nodes) == 1:
                loads[dof, component] = 1.0
    if structure.recovered is not None:
        rows = [6 * node + c for node in nodes for c in range(6)]
        known = structure.recovered[rows] & ~np.isin(nodes, structure.node).repeat(6)
        if known.any():
            raise ValueError(
                f"has no load at the node {patch[0]}, which is recovered only: static shapes are those of the superelement's interfaces"
            )
    return loads[:, np.any(loads != 0.0, axis=0)]


def _arm_matrix(arm):
    x, y, z = arm
    return np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
