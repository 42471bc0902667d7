"""Geometric stiffness of a body under loads: modal stiffness under steady accelerations, spin and forces at nodes.

Stress changes the stiffness of a body, linearly: under an acceleration a of its frame, an angular acceleration α and an angular velocity ω

    K_σ = Σ a_i K_i + Σ α_i K'_i + Σ ω_iω_j K''_ij        three, three and six matrices, (N, N) [N/m]

as SID has them ([wallrapp1994]). K_σ of a load f is −f·H, with H_μk the second-order displacement of the unloaded body when bent by the modes μ and k. With f =
−∫(a + α×ρ + ω×(ω×ρ)) dm the twelve are the integrals of H,

    K_i = ∫H_i dm,   K'_i = (∫ρ×H dm)_i,   K''_ii = −∫(ρ·H − ρ_iH_i) dm,   K''_ij = ∫(ρ_iH_j + ρ_jH_i) dm

and determine ∫H dm and ∫ρHᵀdm, the only integrals of H in the equations of motion (integrals.py). So forces on the frame, momenta and energy are also
consistent. The softening by ω comes from the first-order shapes and is not part of H, so nothing counts twice. Under a force f at a node K_σ = −f·H there.
Proved by tests/flexible/test_geometric.py: the built-in beam, from its own matrices, from CalculiX's and in Nastran's forms.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from .integrals import Integrals, axial, spread

SPINS = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))  # order of the products ω_iω_j
MOTIONS = 12
SYMMETRIC = 1e-6  # of the largest entry: largest asymmetry of a matrix


@dataclass(frozen=True)
class Loading:
    """A steady motion about the origin of the body's frame, in its axes [m/s², rad/s², rad/s], and forces (3,) [N] at nodes by name."""

    acceleration: np.ndarray = field(default_factory=lambda: np.zeros(3))
    angular_acceleration: np.ndarray = field(default_factory=lambda: np.zeros(3))
    angular_velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    forces: dict[str, np.ndarray] = field(default_factory=dict)

    def factors(self, nodes: list[str]) -> np.ndarray:
        """Of the twelve matrices, then of three per node, (12 + 3n,)."""
        w = np.asarray(self.angular_velocity, float)
        products = [w[i] * w[j] for i, j in SPINS]
        forces = [self.forces.get(node, np.zeros(3)) for node in nodes]
        return np.concatenate([self.acceleration, self.angular_acceleration, products, *forces])


@dataclass(frozen=True)
class Geometric:
    """The matrices: `motions` (12, N, N), and H (N, N, 3) of second order [1/m] at nodes by name."""

    motions: np.ndarray
    seconds: dict[str, np.ndarray]


def geometric(runs: list[tuple[Loading, np.ndarray]], modes: int) -> Geometric:
    """The matrices of single loads from K_σ (N, N) [N/m] of several loadings. `ValueError` names loads that these do not determine."""
    for _, matrix in runs:
        size = np.max(np.abs(matrix), initial=0.0)
        if np.shape(matrix) != (modes, modes):
            shape = " × ".join(map(str, np.shape(matrix)))
            raise ValueError(f"has a matrix of {shape}, expected {modes} × {modes}, one row per mode")
        if np.max(np.abs(matrix - np.transpose(matrix)), initial=0.0) > SYMMETRIC * size:
            raise ValueError("has a matrix that is not symmetric, as a stiffness matrix must be")
    nodes = list(dict.fromkeys(node for loading, _ in runs for node in loading.forces))
    factors = np.array([loading.factors(nodes) for loading, _ in runs])
    size = np.linalg.norm(factors, axis=1, keepdims=True)
    if not np.all(size > 0.0):
        raise ValueError("has a matrix without a load; give an acceleration, an angular velocity or a force")
    rows, matrices = factors / size, np.array([matrix for _, matrix in runs]) / size[:, :, None]
    used = np.any(rows, axis=0)
    rank = np.linalg.matrix_rank(rows[:, used], tol=1e-9)
    if rank < np.sum(used):
        raise ValueError(
            f"has {len(runs)} loadings with {np.sum(used)} single loads in them, of which they tell {rank} apart: "
            "expected a matrix per acceleration, angular acceleration and product of two angular velocities that is not zero"
        )
    found = np.zeros((len(used), modes, modes))
    found[used] = np.tensordot(np.linalg.pinv(rows[:, used]), matrices, 1)
    found = 0.5 * (found + np.swapaxes(found, 1, 2))
    at_nodes = -found[MOTIONS:].reshape(-1, 3, modes, modes).transpose(0, 2, 3, 1)
    return Geometric(found[:MOTIONS], dict(zip(nodes, at_nodes, strict=True)))


def stiffened(body: Integrals, motions) -> Integrals:
    """With the second-order displacements whose integrals are the twelve matrices, (12, N, N)."""
    s1_second, rho_h = integrals_of_second_order(motions)
    alone = None if body.alone is None else _added(body.alone, s1_second, rho_h)
    return replace(_added(body, s1_second, rho_h), alone=alone)


def _added(body: Integrals, s1_second, rho_h) -> Integrals:
    return replace(body, s1_second=body.s1_second + s1_second, h4=body.h4 + axial(rho_h), h5=body.h5 + spread(rho_h))


def integrals_of_second_order(motions) -> tuple[np.ndarray, np.ndarray]:
    """∫H dm (N, N, 3) and ∫ρHᵀdm (N, N, 3, 3) of the twelve."""
    n = motions.shape[-1]
    s1_second, turned, spins = np.split(np.moveaxis(motions, 0, -1), [3, 6], axis=-1)
    rho_h = np.zeros((n, n, 3, 3))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        rho_h[..., i, i] = 0.5 * (spins[..., i] - spins[..., j] - spins[..., k])
        rho_h[..., j, k] += 0.5 * turned[..., i]
        rho_h[..., k, j] -= 0.5 * turned[..., i]
    for column, (i, j) in enumerate(SPINS[3:], 3):
        rho_h[..., i, j] += 0.5 * spins[..., column]
        rho_h[..., j, i] += 0.5 * spins[..., column]
    return s1_second, rho_h
