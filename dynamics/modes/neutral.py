"""The neutral forms that all readers return: modes with their integrals, or the matrices from which modes are computed.

Everything in SI, in the axes of the file. A displacement is u(r) = Φ(r) η, with φ in m/m and ψ in rad/m.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import scipy  # imported only when used: most descriptions do not need it

from ..algebra.rotation import skew
from ..bodies.integrals import Integrals, integrals_of_moments, integrals_of_points, mixed_integrals


@dataclass(frozen=True)
class Lumps:
    """Masses at the nodes: masses (P,) [kg], inertias about the mass centres (P, 3, 3) [kg m²], offsets of these (P, 3) [m]; or None."""

    masses: np.ndarray
    inertias: np.ndarray | None = None
    offsets: np.ndarray | None = None

    def in_si(self, units) -> Lumps:
        inertias = None if self.inertias is None else self.inertias * units.inertia
        offsets = None if self.offsets is None else self.offsets * units.length
        return Lumps(self.masses * units.mass, inertias, offsets)

    def integrals(self, positions, translations, rotations) -> Integrals:
        return integrals_of_points(positions, self.masses, translations, self.inertias, rotations, offsets=self.offsets)


@dataclass(frozen=True)
class ModalBody:
    """N modes of a body whose frame does not move with them: the neutral form.

    P nodes: names (P,), positions (P, 3) [m], translations (N, P, 3), rotations (N, P, 3) or None (a mesh of solids has none),
    second (N, N, P, 3) or None: H of a body that stiffens (bodies/integrals.py).
    Integrals about the frame's origin; stiffness (N, N) [N/m] and damping (N, N) [N s/m], full.
    `framed`: the file defines a frame to which the modes refer; else the frame must be moved to the root. `printed`: shapes of an
    eigenvalue analysis, orthogonal up to the printed digits; its stiffness is diag(μΩ²). `distributed`: the symmetric h³, and h⁴, h⁵, are
    known, not only the mass matrix. `stated`: the file's own statements about its body, for the checks; `notes`: notes for the report.
    """

    source: str
    names: tuple[str, ...]
    positions: np.ndarray
    translations: np.ndarray
    rotations: np.ndarray | None
    integrals: Integrals
    stiffness: np.ndarray
    damping: np.ndarray
    second: np.ndarray | None = None
    framed: bool = True
    printed: bool = False
    distributed: bool = True
    stated: dict[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    lumps: Lumps | None = None  # where masses are at the nodes
    residual: int = 0  # number of static shapes, which are the last modes
    stiffens: bool = False  # its geometric stiffness is known
    shapes: np.ndarray | None = None  # (n, N) over the degrees of freedom of the structure that the modes were made of

    @property
    def count(self) -> int:
        return len(self.stiffness)

    @property
    def frequencies(self) -> np.ndarray:
        """(N,) [Hz], of modes that are diagonal."""
        return np.sqrt(np.diag(self.stiffness) / np.diag(self.integrals.modal_mass)) / (2.0 * np.pi)


@dataclass(frozen=True)
class Structure:
    """Matrices over n degrees of freedom: of a mesh, or of a superelement with its generalized coordinates.

    node (n,) is the index of a degree's node, −1 a generalized coordinate; component (n,) is 0 … 2 for x, y, z, 3 … 5 for the turns.
    mass, stiffness (and damping, or None) are (n, n), dense or sparse. `recovery` (6P, n), or None, gives the displacements of
    every node (row 6p + component), of which `recovered` (6P,) marks the known ones. `lumps`: the mass at the nodes, if a file has it in
    addition to the matrices. `differential`: the stiffness is only the part added by loads (preload.py).
    """

    source: str
    names: tuple[str, ...]
    positions: np.ndarray
    node: np.ndarray
    component: np.ndarray
    mass: object
    stiffness: object
    damping: object | None = None
    recovery: object | None = None
    recovered: np.ndarray | None = None
    lumps: Lumps | None = None
    stated: dict[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    differential: bool = False

    @property
    def count(self) -> int:
        return len(self.node)

    def rigid(self, origin) -> np.ndarray:
        """Rigid motions about `origin`, (n, 6): three translations, three rotations; 0 at generalized coordinates."""
        motion = np.zeros((self.count, 6))
        physical = np.flatnonzero(self.node >= 0)
        arm = self.positions[self.node[physical]] - np.asarray(origin)
        at, turn = self.component[physical] % 3, self.component[physical] >= 3
        motion[physical, at + 3 * turn] = 1.0
        moving = physical[~turn]
        motion[moving, 3:] = -np.array([skew(r) for r in arm[~turn]]).reshape(-1, 3, 3)[
            np.arange(len(moving)), at[~turn]
        ]
        return motion

    def at_nodes(self, shapes) -> tuple[np.ndarray, np.ndarray | None, np.ndarray]:
        """Translations and rotations (N, P, 3) at the nodes of shapes (n, N), and which components are known, (P, 6)."""
        count, nodes = shapes.shape[1], len(self.names)
        moved = np.zeros((6 * nodes, count))
        known: np.ndarray = np.zeros(6 * nodes, bool)
        if self.recovery is not None:
            moved[:] = self.recovery @ shapes
            known |= self.recovered
        physical = self.node >= 0
        rows = 6 * self.node[physical] + self.component[physical]
        moved[rows] = shapes[physical]
        known[rows] = True
        known = known.reshape(nodes, 6)
        moved = moved.reshape(nodes, 6, count).transpose(2, 0, 1)
        return moved[:, :, :3], (moved[:, :, 3:] if known[:, 3:].any() else None), known


def in_si(structure: Structure, units) -> Structure:
    """The same in SI. With u_SI = s u, s = length for translations (and generalized coordinates) and 1 for turns,
    energies scale by mass length²/time²: M_SI = mass length² S⁻¹MS⁻¹."""
    size = np.where((structure.node >= 0) & (structure.component >= 3), 1.0, units.length)
    inverse = scipy.sparse.diags(1.0 / size)

    def scaled(matrix, factor):
        return None if matrix is None else inverse @ (matrix * factor) @ inverse

    recovery = structure.recovery
    if recovery is not None:
        rows = np.tile(np.repeat([units.length, 1.0], 3), len(structure.names))
        recovery = scipy.sparse.diags(rows) @ recovery @ inverse
    return replace(
        structure,
        positions=structure.positions * units.length,
        mass=scaled(structure.mass, units.inertia),
        stiffness=scaled(structure.stiffness, units.inertia / units.time**2),
        damping=scaled(structure.damping, units.inertia / units.time),
        recovery=recovery,
        lumps=None if structure.lumps is None else structure.lumps.in_si(units),
    )


def mixed(body: ModalBody, mixture: np.ndarray) -> ModalBody:
    """The body in new coordinates, η = C η': Φ → ΦC with C (N, N'); everything follows, energies stay."""
    C = mixture
    return replace(
        body,
        integrals=mixed_integrals(body.integrals, C),
        translations=np.einsum("npi,na->api", body.translations, C),
        rotations=None if body.rotations is None else np.einsum("npi,na->api", body.rotations, C),
        second=None if body.second is None else np.einsum("mnpi,ma,nb->abpi", body.second, C, C, optimize=True),
        stiffness=C.T @ body.stiffness @ C,
        damping=C.T @ body.damping @ C,
        shapes=None if body.shapes is None else body.shapes @ C,
    )


def moments_of(integrals: Integrals) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """∫ρρᵀdm (3, 3), ∫ρφᵀdm (N, 3, 3) and ∫φφᵀdm (N, N, 3, 3) of a body without H: tr(A)E − A is undone by ½tr(B)E − B."""

    def undone(spread):
        return 0.5 * np.trace(spread, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - spread

    return undone(integrals.inertia), undone(integrals.h3), undone(integrals.h5)


def moved_frame(body: ModalBody, origin, shift, turn) -> ModalBody:
    """The body in a frame at `origin` that follows the material there: φ' = φ − a − b × (r − origin), r' = r − origin.

    shift a and turn b, (3, N), are φ and ψ of each mode at the root: free–free modes, and modes clamped elsewhere, become
    modes clamped at the root. Exact to first order in the displacements, like the modes themselves.
    """
    old, n, origin = body.integrals, body.count, np.asarray(origin, float)
    a = shift.T
    B = np.array([skew(turn[:, k]) for k in range(n)]).reshape(n, 3, 3)
    positions = body.positions - origin
    translations = body.translations - a[:, None, :] - np.einsum("nij,pj->npi", B, positions)
    rotations = None if body.rotations is None else body.rotations - turn.T[:, None, :]
    moved = replace(body, positions=positions, translations=translations, rotations=rotations)
    if body.lumps is not None:
        return replace(moved, integrals=body.lumps.integrals(positions, translations, rotations))
    bent = max(np.abs(old.s1_second).max(initial=0.0), np.abs(old.h4 + np.swapaxes(old.h4, 0, 1)).max(initial=0.0))
    if bent > 1e-9 * max(1.0, np.abs(old.h4).max(initial=0.0)):
        raise ValueError(
            "has second-order displacements (geometric stiffening) about a frame that is not its root: they can't be moved to it; "
            "expected modes clamped at the root, or a file without geometric stiffening"
        )
    second, rho_phi, phi_phi = moments_of(old)
    mass = old.mass
    first = old.first - mass * origin
    second = second - np.outer(old.first, origin) - np.outer(origin, old.first) + mass * np.outer(origin, origin)
    rho_phi = rho_phi - np.einsum("i,jn->nij", origin, old.s1)  # about the new origin, old shapes
    s1 = old.s1 - mass * shift - np.einsum("nij,j->in", B, first)
    # φ' = φ − a − Bρ': ∫ρ'φ'ᵀ = ∫ρ'φᵀ − ∫ρ' aᵀ − ∫ρ'ρ'ᵀ Bᵀ
    new_rho_phi = rho_phi - np.einsum("i,nj->nij", first, a) - np.einsum("ij,nkj->nik", second, B)
    rigid = np.einsum("mi,jn->mnij", a, old.s1) + np.einsum("mik,nkj->mnij", B, rho_phi)  # ∫(a + Bρ')_m φ_nᵀ
    both = (
        mass * np.einsum("mi,nj->mnij", a, a)
        + np.einsum("mi,njk,k->mnij", a, B, first)
        + np.einsum("mik,k,nj->mnij", B, first, a)
        + np.einsum("mik,kl,njl->mnij", B, second, B)
    )
    change = both - rigid - np.swapaxes(np.swapaxes(rigid, 0, 1), 2, 3)
    moments = integrals_of_moments(mass, first, second, s1, new_rho_phi, phi_phi + change)
    modal_mass = old.modal_mass + np.trace(change, axis1=-2, axis2=-1)
    integrals = replace(moments, modal_mass=modal_mass)
    return replace(moved, integrals=integrals)
