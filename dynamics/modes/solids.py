"""Consistent mass of solid elements, for programs that print shapes and no masses.

m_pq = ∫ρ N_p N_q dV. The shape functions of an element follow from its reference nodes and its monomials: N = p(ξ) V⁻¹, V = p(nodes).
Proved by tests/modes/test_calculix.py: the program's own mass matrix, and mass-normalized shapes.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import scipy  # imported only when used: most descriptions do not need it


@dataclass(frozen=True)
class Solid:
    """Reference nodes (p, 3), exponents of the monomials (p, 3), quadrature points (g, 3) and weights (g,)."""

    nodes: np.ndarray
    monomials: np.ndarray
    points: np.ndarray
    weights: np.ndarray

    def functions(self) -> tuple[np.ndarray, np.ndarray]:
        """N (g, p) and ∂N/∂ξ (g, 3, p) at the quadrature points."""
        inverse = np.linalg.inv(_powers(self.nodes, self.monomials))
        slopes = [_powers(self.points, self.monomials, axis) for axis in range(3)]
        return _powers(self.points, self.monomials) @ inverse, np.stack(slopes, 1) @ inverse


def _powers(points, monomials, derived: int | None = None) -> np.ndarray:
    """Monomials (or their derivatives along one axis) at points, (g, p)."""
    factor, exponents = np.ones(len(monomials)), monomials
    if derived is not None:
        factor = monomials[:, derived].astype(float)
        exponents = np.maximum(monomials - np.eye(3, dtype=int)[derived], 0)
    return factor * np.prod(points[:, None, :] ** exponents[None], axis=2)


def _mid(corners, pairs) -> np.ndarray:
    return np.vstack([corners, *(0.5 * (corners[a] + corners[b]) for a, b in pairs)])


def _gauss(count):
    return np.polynomial.legendre.leggauss(count)


def _cube_rule(count=3):
    x, w = _gauss(count)
    return np.array(list(product(x, repeat=3))), np.array([a * b * c for a, b, c in product(w, repeat=3)])


def _simplex_rule(dimension, count=4):
    """Gauss points of the cube collapsed onto the triangle or tetrahedron with unit corners (Duffy)."""
    x, w = _gauss(count)
    x, w = 0.5 * (x + 1.0), 0.5 * w
    points, weights = [], []
    for index in product(range(count), repeat=dimension):
        rest, point, weight = 1.0, [], 1.0
        for i in index:
            point.append(rest * x[i])
            weight *= w[i] * rest
            rest *= 1.0 - x[i]
        points.append(point)
        weights.append(weight)
    return np.array(points), np.array(weights)


def _wedge_rule():
    (flat, w_flat), (z, w_z) = _simplex_rule(2), _gauss(3)
    return (
        np.array([[*p, h] for p in flat for h in z]),
        np.array([a * b for a in w_flat for b in w_z]),
    )


_CUBE = np.array(
    [(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)], float
)
_TET = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], float)
_WEDGE = np.array([(0, 0, -1), (1, 0, -1), (0, 1, -1), (0, 0, 1), (1, 0, 1), (0, 1, 1)], float)
# edges in the order of CalculiX' .frd file: bottom, upright, top
_CUBE_EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 5), (2, 6), (3, 7), (4, 5), (5, 6), (6, 7), (7, 4)]
_TET_EDGES = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]
_WEDGE_EDGES = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 4), (2, 5), (3, 4), (4, 5), (5, 3)]


def _up_to(degree, keep) -> np.ndarray:
    return np.array([e for e in product(range(degree + 1), repeat=3) if keep(*e)])


def _serendipity(*exponents) -> bool:
    """Superlinear degree at most 2: the twenty-node cube's monomials."""
    return sum(e for e in exponents if e > 1) <= 2


SOLIDS = {
    "he8": Solid(_CUBE, _up_to(1, lambda *e: True), *_cube_rule(2)),
    "he20": Solid(_mid(_CUBE, _CUBE_EDGES), _up_to(2, _serendipity), *_cube_rule()),
    "te4": Solid(_TET, _up_to(1, lambda *e: sum(e) <= 1), *_simplex_rule(3)),
    "te10": Solid(_mid(_TET, _TET_EDGES), _up_to(2, lambda *e: sum(e) <= 2), *_simplex_rule(3)),
    "pe6": Solid(_WEDGE, _up_to(1, lambda a, b, c: a + b <= 1), *_wedge_rule()),
    "pe15": Solid(_mid(_WEDGE, _WEDGE_EDGES), _up_to(2, lambda a, b, c: a + b + c <= 2 or (a + b, c) in ((1, 2), (2, 1))), *_wedge_rule()),
}  # fmt: skip


def nodal_mass(positions, elements: list[tuple[str, np.ndarray, np.ndarray]]):
    """m_pq (P, P), sparse, of elements given as (kind, node indices (e, p), densities (e,)) in consistent units."""
    total = scipy.sparse.csr_matrix((len(positions), len(positions)))
    for kind, nodes, density in elements:
        solid = SOLIDS[kind]
        N, dN = solid.functions()
        jacobian = np.einsum("gap,epi->egai", dN, positions[nodes])
        volume = np.linalg.det(jacobian) * solid.weights
        if np.any(volume.sum(axis=1) <= 0.0):
            raise ValueError(
                f"has an element of kind {kind} without volume (number {int(np.argmin(volume.sum(axis=1))) + 1} of them)"
            )
        block = np.einsum("e,eg,gp,gq->epq", density, volume, N, N, optimize=True)
        rows = np.repeat(nodes, nodes.shape[1], axis=1).ravel()
        columns = np.tile(nodes, (1, nodes.shape[1])).ravel()
        total = total + scipy.sparse.csr_matrix((block.ravel(), (rows, columns)), total.shape)
    return total
