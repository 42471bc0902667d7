"""Transfer of motion from a body B to a frame C that it carries, and of C's forces and inertia back to B.

    (a, α)_C = T A_B + …,    T = diag(R, R) [[E, −r~, Φ], [0, E, Ψ]]    (6, 6+N)

shift by the arm r, then rotation by R. T is never multiplied out: TᵀIaT by its two factors costs half as much as products of 6×6 matrices,
and the zeros of a rotation about one axis are preserved. The matrix itself: `matrix`.
Proved by tests/tree/test_transfer.py against the matrix.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.rotation import E3, skew
from ..algebra.scalar import symmetric


@dataclass(frozen=True)
class Transfer:
    """dcm_CB = R (3, 3); arm = r (3,) [m], C's origin from B's, in B; shape Φ and rotation Ψ (3, N) of C by B's modes, in B."""

    dcm_CB: np.ndarray
    arm: np.ndarray
    shape: np.ndarray
    turn: np.ndarray

    @property
    def modes(self):
        """[Φ; Ψ], (6, N)."""
        return np.vstack([self.shape, self.turn])

    @property
    def matrix(self):
        """T (6, 6+N)."""
        return self.motion(np.eye(6 + self.shape.shape[1]))

    def then(self, s, dcm_DC) -> Transfer:
        """To a further frame D: at s (3,) from C's origin, in C, and rotated by dcm_DC."""
        beyond = self.dcm_CB.T @ s
        return Transfer(dcm_DC @ self.dcm_CB, self.arm + beyond, self.shape - skew(beyond) @ self.turn, self.turn)

    def motion(self, A):
        """T A, (6,) or (6, n): of accelerations, or velocities, (6+N,) or (6+N, n) of B."""
        a, alpha, modal = A[:3], A[3:6], A[6:]
        moved = a - skew(self.arm) @ alpha + self.shape @ modal
        return np.concatenate([self.dcm_CB @ moved, self.dcm_CB @ (alpha + self.turn @ modal)])

    def force(self, F):
        """Tᵀ F, (6+N,) or (6+N, n): the (force, torque) at C's origin, in C, transferred to B."""
        force, torque = self.dcm_CB.T @ F[:3], self.dcm_CB.T @ F[3:]
        return np.concatenate([force, torque + skew(self.arm) @ force, self.shape.T @ force + self.turn.T @ torque])

    def inertia(self, Ia):
        """Tᵀ Ia T by its blocks: frame (6, 6), coupling (6, N), and Ia rotated into B's axes, which adds ΦΨᵀ Ia ΦΨ to the modes. The shift
        turns the rotated Ia = [[A, B], [Bᵀ, D]] into [[A, B′], [B′ᵀ, D + r~B′ − Bᵀr~]] with B′ = B − A r~.
        """
        R, r = self.dcm_CB, skew(self.arm)
        A, B, D = (R.T @ block @ R for block in (Ia[:3, :3], Ia[:3, 3:], Ia[3:, 3:]))
        shifted = B - A @ r
        frame = symmetric(np.block([[A, shifted], [shifted.T, D + r @ shifted - B.T @ r]]))
        turned = symmetric(np.block([[A, B], [B.T, D]]))
        needed = turned @ self.modes
        return frame, np.vstack([needed[:3], r @ needed[:3] + needed[3:]]), turned


HERE = Transfer(E3, np.zeros(3), np.zeros((3, 0)), np.zeros((3, 0)))  # C is B, which has no modes
