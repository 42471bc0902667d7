"""Craig–Bampton: matrices of a free structure → modes clamped at a root, with the integrals of the body.

The body's frame is fixed to the root: one node, or several that are tied rigidly to it. With the degrees of freedom split into root r and
free f, the motion is u = R x + (0, Φη), R the rigid motions of the frame, and Φ the modes of (K_ff, M_ff).
All modes of the free part span what fixed-interface modes and constraint modes of every other interface span, and leave
M_η and K diagonal. Source: [craig1968]. Proved by tests/modes/test_coupled.py: coupled frequencies equal those of a direct assembly.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import scipy  # imported only when used: most descriptions do not need it

from ..algebra.rotation import skew
from ..bodies.integrals import Integrals, integrals_of_moments
from .neutral import ModalBody, Structure

DENSE = 1200  # degrees of freedom up to which all modes are computed at once
GROUNDED = 1e-5  # relative resistance to rigid motion above which a model is not free


class Clamped:
    """A structure clamped at its root, for the solution of modes and static shapes."""

    def __init__(self, structure: Structure, root: list[int], origin=None):
        self.structure = structure
        self.origin = structure.positions[root].mean(axis=0) if origin is None else np.asarray(origin, float)
        fixed = np.isin(structure.node, root)
        self.free = np.flatnonzero(~fixed)
        self.rigid = structure.rigid(self.origin)
        _check_root(structure, self.rigid[fixed], [structure.names[r] for r in root])
        self.stiffness = scipy.sparse.csc_matrix(structure.stiffness)
        self.mass = scipy.sparse.csc_matrix(structure.mass)
        self.grounding = _resistance(self.stiffness, self.rigid)
        if self.grounding > GROUNDED:
            raise ValueError(
                f"resists rigid motion: |K R| is {self.grounding:.2g} of |K||R|, expected at most {GROUNDED:g}; the matrices have to be those "
                "of the free structure (no supports, no springs to ground), which is clamped here, at root"
            )

    @cached_property
    def _free_stiffness(self):
        return self.stiffness[self.free][:, self.free]

    @cached_property
    def _free_mass(self):
        return self.mass[self.free][:, self.free]

    @cached_property
    def _factors(self):
        try:
            return scipy.sparse.linalg.splu(
                self._free_stiffness, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}
            )
        except RuntimeError:
            raise ValueError(_MECHANISM) from None

    def static(self, loads) -> np.ndarray:
        """Shapes (n, L) of loads (n, L) on the clamped structure."""
        shapes = np.zeros(loads.shape)
        shapes[self.free] = self._factors.solve(np.ascontiguousarray(loads[self.free]))
        return shapes

    def modes(self, count: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """ω² (N,) [rad²/s²] and mass-normalized shapes (n, N): the lowest `count`, or all that move mass (small structures)."""
        size = len(self.free)
        if size <= DENSE:
            square, shapes = self._all_modes()
            square, shapes = square[:count], shapes[:, :count]
        elif count is None:
            raise ValueError(f"has {size} degrees of freedom; give modes = … to select some")
        else:
            square, shapes = self._lowest_modes(min(count, size - 1))
        full = np.zeros((self.structure.count, len(square)))
        full[self.free] = shapes
        # the largest entry of a shape is positive: the same modes, signs and all, on every run
        peak = full[np.argmax(np.round(np.abs(full) / np.abs(full).max(axis=0), 6), axis=0), np.arange(len(square))]
        return square, full * np.sign(peak)

    def _all_modes(self):
        """1/ω² are the eigenvalues of M v = λ K v: degrees of freedom without mass have λ = 0 and follow the others."""
        stiffness, mass = self._free_stiffness.toarray(), self._free_mass.toarray()
        try:
            inverse, shapes = scipy.linalg.eigh(0.5 * (mass + mass.T), 0.5 * (stiffness + stiffness.T))
        except scipy.linalg.LinAlgError:
            raise ValueError(_MECHANISM) from None
        if inverse[0] < -1e-9 * inverse[-1]:
            raise ValueError("has a mass matrix that is not positive: one shape has negative kinetic energy")
        moving = np.flatnonzero(inverse > 1e-13 * inverse[-1])[::-1]
        return 1.0 / inverse[moving], shapes[:, moving] / np.sqrt(inverse[moving])

    def _lowest_modes(self, count):
        size = len(self.free)
        solve = scipy.sparse.linalg.LinearOperator((size, size), matvec=self._factors.solve)
        try:
            square, shapes = scipy.sparse.linalg.eigsh(
                self._free_stiffness, count, self._free_mass, sigma=0.0, OPinv=solve, v0=np.ones(size), tol=1e-12
            )
        except scipy.sparse.linalg.ArpackError as error:
            raise ValueError(f"has modes that could not be computed: {error}") from None
        order = np.argsort(square)
        shapes = shapes[:, order]
        square = square[order]
        return square, shapes / np.sqrt(np.einsum("ij,ij->j", shapes, self._free_mass @ shapes))


_MECHANISM = (
    "is a mechanism when clamped at its root: some motion has no stiffness; connect all parts by elements or ties"
)


def _check_root(structure: Structure, held, names) -> None:
    if np.linalg.matrix_rank(held, tol=1e-6 * max(1.0, np.abs(held).max(initial=0.0))) < 6:
        shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        raise ValueError(
            f"root ({shown}) does not hold the body; give one node with all six degrees of freedom, or nodes that are not on one line"
        )


def _resistance(stiffness, rigid) -> float:
    """Largest |K R| relative to |K||R|, by row and motion: 0 for a free structure."""
    forces, size = np.abs(stiffness @ rigid), np.abs(stiffness) @ np.abs(rigid)
    return float(np.max(forces.max(axis=0) / np.maximum(size.max(axis=0), 1e-300)))


def modal_body(clamped: Clamped, square, shapes) -> ModalBody:
    """The neutral form of the modes (ω², mass-normalized shapes), positions from the frame's origin."""
    structure = clamped.structure
    damping = np.zeros((len(square), len(square)))
    if structure.damping is not None:
        damping = shapes.T @ (structure.damping @ shapes)
    translations, rotations, known = structure.at_nodes(shapes)
    integrals, distributed, missed = integrals_of(clamped, shapes, translations, rotations, known)
    notes = list(structure.notes)
    if missed is not None and missed > 1e-6:  # the error of spin loads on the modes
        notes.append(
            f"mass lumped at the nodes against the mass matrix: largest difference in inertia and coupling {missed:.2g}"
        )
    return ModalBody(
        structure.source,
        structure.names,
        structure.positions - clamped.origin,
        translations,
        rotations,
        integrals,
        np.diag(square),
        0.5 * (damping + damping.T),
        distributed=distributed,
        stated=structure.stated,
        notes=tuple(notes),
        shapes=shapes,
    )


def integrals_of(clamped: Clamped, shapes, translations, rotations, known) -> tuple[Integrals, bool, float | None]:
    """Integrals of the body, whether mass and displacements are known everywhere, and the difference of the two routes.

    RᵀMR = [[mE, −(mc)~], [(mc)~, I]] and RᵀMΦ = (S₁, h¹) follow from the matrices only. The symmetric part of h³, and h⁴, h⁵,
    need products of displacements with the mass at each place: without them Coriolis, centrifugal and gravity loads on the modes are
    missing, and inertia does not change with the deflection.
    """
    structure = clamped.structure
    moving, rigid = clamped.mass @ shapes, clamped.mass @ clamped.rigid
    six = clamped.rigid.T @ rigid
    coupling = clamped.rigid.T @ moving
    mass = np.trace(six[:3, :3]) / 3.0
    n = shapes.shape[1]
    exact = Integrals(
        mass=float(mass),
        first=np.array([six[5, 1] - six[4, 2], six[3, 2] - six[5, 0], six[4, 0] - six[3, 1]]) / 2.0,
        inertia=six[3:, 3:],
        s1=coupling[:3],
        h1=coupling[3:].T,
        h3=_axial(coupling[3:].T),
        h4=np.zeros((n, n, 3)),
        h5=np.zeros((n, n, 3, 3)),
        modal_mass=np.eye(n),
    )
    spread = _spread(structure, clamped.mass, structure.positions - clamped.origin, translations, rotations, known)
    if spread is None:
        return exact, False, None
    size = {
        "inertia": np.trace(exact.inertia),
        "s1": np.sqrt(mass),
        "h1": np.sqrt(np.trace(exact.inertia)),
        "modal_mass": 1.0,
    }
    missed = max(
        float(np.max(np.abs(getattr(exact, key) - getattr(spread, key)), initial=0.0)) / size[key] for key in size
    )
    whole = Integrals(
        **{key: getattr(exact, key) for key in ("mass", "first", "inertia", "s1", "h1", "modal_mass")},
        h3=0.5 * (spread.h3 + np.swapaxes(spread.h3, -1, -2)) + exact.h3,
        h4=spread.h4,
        h5=spread.h5,
        s1_second=spread.s1_second,
    )
    return whole, True, missed


def _axial(h1):
    """½ h̃¹, the antisymmetric part of h³ of any body, (N, 3, 3)."""
    return 0.5 * np.array([skew(row) for row in h1]).reshape(-1, 3, 3)


def _spread(structure: Structure, mass, positions, translations, rotations, known) -> Integrals | None:
    """Integrals from mass and displacement at each place, or None where a place with mass has no displacement.

    Mass lumped at nodes, or the mass matrix itself where it is that of translations, m_pq E: what solid elements have.
    """
    if structure.lumps is not None:
        if not known[structure.lumps.masses > 0.0, :3].all():
            return None
        return structure.lumps.integrals(positions, translations, rotations)
    nodal = _scalar_mass(structure, mass)
    if nodal is None:
        return None
    n, field = len(translations), translations.transpose(1, 0, 2).reshape(len(positions), -1)  # (P, 3N)
    weighted = nodal @ field
    return integrals_of_moments(
        nodal.sum(),
        np.asarray(nodal.sum(axis=0)).ravel() @ positions,
        positions.T @ (nodal @ positions),
        weighted.sum(axis=0).reshape(n, 3).T,
        (positions.T @ weighted).reshape(3, n, 3).transpose(1, 0, 2),
        (field.T @ weighted).reshape(n, 3, n, 3).transpose(0, 2, 1, 3),
    )


def _scalar_mass(structure: Structure, mass):
    """m_pq (P, P) of a mass matrix m_pq E that has only translations, else None."""
    if abs(mass[structure.node < 0]).sum() > 0.0:
        return None
    nodes, blocks = len(structure.names), []
    for axis in range(3):
        rows = np.flatnonzero((structure.component == axis) & (structure.node >= 0))
        place = scipy.sparse.csc_matrix((np.ones(len(rows)), (structure.node[rows], rows)), (nodes, structure.count))
        blocks.append(place @ mass @ place.T)
    size = abs(blocks[0]).max()
    alike = all(abs(block - blocks[0]).max() <= 1e-8 * size for block in blocks[1:])
    whole = sum(block.sum() for block in map(abs, blocks))
    return blocks[0] if alike and abs(abs(mass).sum() - whole) <= 1e-8 * whole else None
