"""Masses beside the nodes of a flexible body: rigid bodies that a node carries and turns by a finite angle.

The mass centre of one is at r = s + R d from the body's frame, with s(η) its node (ρ + Φη + ½ηᵀHη), R = exp((Ψη)~) and d its offset. Its motion is

    ṙ = S η̇,  S = Φ + Hη − (R d)~B        σ = B η̇,  B = ΓΨ, Γ the Jacobian of the rotation vector

so with C = diag(mE, R J Rᵀ) it adds [E −r~ S; 0 E B]ᵀ C [E −r~ S; 0 E B] to the body's mass matrix: the terms of a body on a `fixed` joint, in the same order
of operations. Integrals kept to second order (integrals.py) lack the products of amplitudes in BᵀCB and SᵀCS.
Proved against the fixed joint: tests/flexible/test_beside.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..algebra.rotation import E3, cross, rotation_vector, skew

FEW = 16  # largest number of offset masses that are separate rigid bodies; more of them are kept to second order


@dataclass(frozen=True)
class Beside:
    """One of them. Its node: position ρ (3,) [m], shape Φ and turn Ψ (3, N), second H (N, N, 3) or None; mass [kg], offset d (3,) [m]
    of its mass centre from the node, inertia J (3, 3) [kg m²] about that, all in body axes."""

    position: np.ndarray
    shape: np.ndarray
    turn: np.ndarray
    second: np.ndarray | None
    mass: float
    offset: np.ndarray
    inertia: np.ndarray


def masses_beside(positions, masses, shapes, inertias, turns, second, offsets) -> dict[int, Beside]:
    """By node: the masses that are offset from nodes and turn with them, from arrays as in integrals_of_points; none if there are more than FEW."""
    if turns is None or offsets is None:
        return {}
    turns, offsets = np.asarray(turns, float), np.asarray(offsets, float)
    found = np.flatnonzero(np.any(turns, axis=(0, 2)) & np.any(offsets, axis=1) & (masses > 0.0))
    none = np.zeros((3, 3))
    return {
        int(p): Beside(
            positions[p],
            shapes[:, p].T,
            turns[:, p].T,
            None if second is None else np.asarray(second, float)[:, :, p],
            float(masses[p]),
            offsets[p],
            none if inertias is None else np.asarray(inertias, float)[p],
        )
        for p in (found if len(found) <= FEW else ())
    }


def mixed_beside(part: Beside, mixture) -> Beside:
    """The same in modal coordinates η = C η', C (N, N')."""
    second = None if part.second is None else np.einsum("mni,ma,nb->abi", part.second, mixture, mixture)
    return replace(part, shape=part.shape @ mixture, turn=part.turn @ mixture, second=second)


@dataclass(frozen=True)
class Moved:
    """A mass beside a node, displaced by the modes: r (3,), motion [S; B] (6, N), inertia R J Rᵀ (3, 3), all in body axes, and mass.

    at η̇: σ (3,), and the terms of the accelerations of r and of the turn besides Sη̈ and Bη̈, bias (3,) and spin_bias (3,).
    """

    mass: Any
    r: np.ndarray
    motion: np.ndarray
    inertia: np.ndarray
    sigma: np.ndarray
    bias: np.ndarray
    spin_bias: np.ndarray

    @property
    def wrench(self):
        """C (6, 6): from accelerations of r and of the turn to force and torque."""
        none = np.zeros((3, 3))
        return np.block([[self.mass * E3, none], [none, self.inertia]])


def moved(part: Beside, density, eta, eta_dot) -> Moved:
    """`part` of a body that is denser by `density`, at η and η̇ (N,)."""
    drawn = drawn_dot = np.zeros_like(part.shape)
    if part.second is not None:
        drawn, drawn_dot = (np.tensordot(amplitudes, part.second, 1).T for amplitudes in (eta, eta_dot))
    R, gamma, gamma_dot = rotation_vector(part.turn @ eta, part.turn @ eta_dot)
    arm, B = R @ part.offset, gamma @ part.turn
    sigma, spin_bias = B @ eta_dot, gamma_dot @ (part.turn @ eta_dot)
    return Moved(
        mass=density * part.mass,
        r=part.position + (part.shape + 0.5 * drawn) @ eta + arm,
        motion=np.vstack([part.shape + drawn - skew(arm) @ B, B]),
        inertia=density * (R @ part.inertia @ R.T),
        sigma=sigma,
        bias=drawn_dot @ eta_dot + cross(spin_bias, arm) + cross(sigma, cross(sigma, arm)),
        spin_bias=spin_bias,
    )


def bias_wrench(part: Moved, omega, eta_dot):
    """(force, torque) (6,) about the mass centre that the motion needs at zero accelerations of the body and of η."""
    spin = omega + part.sigma
    force = part.mass * (cross(omega, cross(omega, part.r) + 2.0 * (part.motion[:3] @ eta_dot)) + part.bias)
    torque = part.inertia @ (part.spin_bias + cross(omega, part.sigma)) + cross(spin, part.inertia @ spin)
    return np.concatenate([force, torque])


def inertia_about_origin(part: Moved):
    """R J Rᵀ − m r~r~, (3, 3): about the origin of the body's frame."""
    return part.inertia - part.mass * (skew(part.r) @ skew(part.r))


def rate_coupling_of(part: Moved):
    """K_k = m[(r·S_k)E − r S_kᵀ] + P B̃_k, (N, 3, 3), with P = ½ tr(R J Rᵀ) E − R J Rᵀ (equations.py)."""
    P = 0.5 * np.trace(part.inertia) * E3 - part.inertia
    return np.array(
        [
            part.mass * ((part.r @ S) * E3 - np.outer(part.r, S)) + P @ skew(B)
            for S, B in part.motion.reshape(2, 3, -1).T.swapaxes(1, 2)
        ]
    ).reshape(-1, 3, 3)
