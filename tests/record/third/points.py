"""Flexible trees as clouds of mass points, by NumPy and SciPy alone: Kane's equations with one partial velocity per point and speed.

Each body has points ρ with masses and mode shapes φ; a point is at ζ = ρ + Σ φ_k η_k in the body's frame. A joint moves the frame of a
body from a place on its parent: translations along axes of the parent, then rotations about axes that go along. The first body is free.
Speeds u: velocity of its frame (space axes), its angular velocity (body axes), rates of all joints, rates of all modes.
Nothing here is from spacefmu, and no inertia integral is formed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

from .rigid import cross, dcm_of, turn


@dataclass
class Cloud:
    """A body. points (n, 3) [m], masses (n,) [kg], shapes (modes, n, 3), frequency: circular (modes,) [rad/s]."""

    points: np.ndarray
    masses: np.ndarray
    shapes: np.ndarray
    frequency: Sequence[float] = ()
    parent: int = -1
    place: Sequence[float] = (0.0, 0.0, 0.0)
    slides: Sequence = ()
    turns: Sequence = ()

    @property
    def joints(self) -> int:
        return len(self.slides) + len(self.turns)


@dataclass
class Frame:
    """Of a body, in space axes: place, axes, partial velocities V and W (3, speeds), accelerations where u̇ = 0."""

    r: np.ndarray
    A: np.ndarray
    V: np.ndarray
    W: np.ndarray
    a: np.ndarray
    alpha: np.ndarray


class Tree:
    """joint_springs: stiffness per joint coordinate, in their order [N/m or N m/rad]."""

    def __init__(self, clouds: Sequence[Cloud], joint_springs=()):
        self.clouds = clouds
        self.joints = sum(c.joints for c in clouds)
        self.modes = sum(len(c.frequency) for c in clouds)
        self.speeds = 6 + self.joints + self.modes
        self.springs = np.asarray(joint_springs or np.zeros(self.joints), float)

    def frames(self, q: np.ndarray, u: np.ndarray) -> list[Frame]:
        found: list[Frame] = []
        j = 0
        for i, cloud in enumerate(self.clouds):
            if i == 0:
                A = dcm_of(q[3:7] / np.linalg.norm(q[3:7]))
                V, W = np.zeros((3, self.speeds)), np.zeros((3, self.speeds))
                V[:, :3], W[:, 3:6] = np.eye(3), A
                found.append(Frame(q[:3], A, V, W, np.zeros(3), np.zeros(3)))
                continue
            p = found[cloud.parent]
            omega, A = p.W @ u, p.A
            travel = sum((q[7 + j + k] * np.asarray(axis) for k, axis in enumerate(cloud.slides)), np.zeros(3))
            d = A @ (np.asarray(cloud.place) + travel)
            V, W, alpha = p.V - cross(d) @ p.W, p.W.copy(), p.alpha.copy()
            a = p.a + np.cross(p.alpha, d) + np.cross(omega, np.cross(omega, d))
            for axis in cloud.slides:
                V[:, 6 + j] += A @ axis
                a = a + 2.0 * np.cross(omega, A @ axis) * u[6 + j]
                j += 1
            for axis in cloud.turns:
                along = A @ axis
                alpha += np.cross(omega, along) * u[6 + j]
                W[:, 6 + j] += along
                omega = omega + along * u[6 + j]
                A = A @ turn(axis, q[7 + j])
                j += 1
            found.append(Frame(p.r + d, A, V, W, a, alpha))
        return found

    def rates(self, t: float, y: np.ndarray) -> np.ndarray:
        q, u = y[: self.speeds + 1], y[self.speeds + 1 :]
        M, f = np.zeros((self.speeds, self.speeds)), np.zeros(self.speeds)
        f[6 : 6 + self.joints] -= self.springs * q[7 : 7 + self.joints]
        m = 6 + self.joints
        for cloud, at in zip(self.clouds, self.frames(q, u), strict=True):
            mine = slice(m, m + len(cloud.frequency))
            eta, rate, omega = q[1:][mine], u[mine], at.W @ u
            phi = np.einsum("ij,mkj->kim", at.A, cloud.shapes)  # (points, 3, modes)
            zeta = cloud.points @ at.A.T + phi @ eta
            J = at.V - np.einsum("kij,js->kis", [cross(each) for each in zeta], at.W)
            J[:, :, mine] += phi
            bias = at.a + np.cross(at.alpha, zeta) + np.cross(omega, np.cross(omega, zeta))
            bias = bias + 2.0 * np.cross(omega, phi @ rate)
            weighted = (cloud.masses[:, None, None] * J).reshape(-1, self.speeds)
            M += weighted.T @ J.reshape(-1, self.speeds)
            f -= weighted.T @ bias.ravel()
            modal = np.einsum("k,mki,mki->m", cloud.masses, cloud.shapes, cloud.shapes)
            f[mine] -= modal * np.asarray(cloud.frequency) ** 2 * eta
            m = mine.stop
        w, x, yy, z = q[3:7]
        E = np.array([[-x, -yy, -z], [w, -z, yy], [z, w, -x], [-yy, x, w]])
        return np.concatenate([u[:3], 0.5 * E @ u[3:6], u[6:], np.linalg.solve(M, f)])

    def run(self, times, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Rows (n, q and u): place, quaternion, joints, modes, speeds."""
        span = (times[0], times[-1])
        return solve_ivp(self.rates, span, np.concatenate([q, u]), "DOP853", times, rtol=1e-13, atol=1e-13).y.T
