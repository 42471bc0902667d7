"""Independent solutions for beams that bend far: a rod's equilibrium by shooting, frequencies by Galerkin's method, a planar chain of rigid links.

None uses the package: they share with it no more than NumPy and SciPy.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial import legendre
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve


def _dual(w) -> np.ndarray:
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def tip_under_load(
    force, stiffness: Callable, curvature: Callable, center=(0.0, 0.0), length: float = 1.0
) -> np.ndarray:
    """Tip (3,) of a rod that is clamped along x at the origin, under a force (3,) there that keeps its direction.

    Kirchhoff's rod: r' = (1 + ε) R e_x,  R' = R κ~,  m' = −κ×m − (1 + ε) e_x×n,  n = Rᵀ F, with m(L) = 0 found by shooting.
    stiffness(s) → (GJ, EI about y, EI about z, EA), EA 0: it does not stretch; curvature(s) (3,) of the unloaded rod; `center` (y, z) of the point
    where a pull does not bend: n_x = EA (ε − y Δκ_z + z Δκ_y), m_y = EI_y Δκ_y + z n_x, m_z = EI_z Δκ_z − y n_x.
    """
    y, z = center

    def rates(s, state):
        R, m = state[3:12].reshape(3, 3), state[12:]
        GJ, about_y, about_z, EA = stiffness(s)
        n = R.T @ force
        change = np.array([m[0] / GJ, (m[1] - z * n[0]) / about_y, (m[2] + y * n[0]) / about_z])
        stretch = 1.0 + (n[0] / EA + y * change[2] - z * change[1] if EA else 0.0)
        kappa = curvature(s) + change
        m_rate = -_dual(kappa) @ m - stretch * np.array([0.0, -n[2], n[1]])
        return np.concatenate([stretch * R[:, 0], (R @ _dual(kappa)).ravel(), m_rate])

    def end(m_root):
        begin = np.concatenate([np.zeros(3), np.eye(3).ravel(), m_root])
        return solve_ivp(rates, (0.0, length), begin, method="DOP853", rtol=1e-9, atol=1e-10).y[:, -1]

    m_root, full = np.zeros(3), np.asarray(force, float)
    for share in (0.5, 1.0):
        force = share * full
        m_root, _, found, message = fsolve(lambda m: end(m)[12:], m_root, full_output=True, xtol=1e-9)
        assert found == 1, message
    return end(m_root)[:3]


def frequencies(mass: Callable, stiffness: Callable, speed: float = 0.0, about: Callable | None = None, center=(0.0, 0.0), size: int = 14) -> np.ndarray:  # fmt: skip
    """Natural frequencies [rad/s] of a straight cantilever of length 1 along x, rising: Galerkin's method with `size` polynomials per displacement.

    v along y, w along z, θ about x:  V = ½∫ (v'', w'') S (v'', w'')ᵀ + ½∫ T (v'² + w'²) − ½Ω²∫ μ v² + ½∫ GJ θ'²,  T = ∫ₓ μ Ω² x dx as it turns about z;
    kinetic energy ½∫ μ [(v̇ − c_z θ̇)² + (ẇ + c_y θ̇)² + (c_y v̇' + c_z ẇ')²] + ½∫ I (θ̇² + v̇'²/2 + ẇ'²/2).  mass(x) = μ, stiffness(x) = S (2, 2), about(x) = (GJ, I) or None: it does not twist.
    """
    points, weights = legendre.leggauss(60)
    points, weights = 0.5 * (points + 1.0), 0.5 * weights
    shapes = [
        legendre.Legendre.basis(i, domain=[0.0, 1.0]) * legendre.Legendre([0.5, 0.5], domain=[0.0, 1.0])
        for i in range(size)
    ]  # x P_i
    bending = [each * legendre.Legendre([0.5, 0.5], domain=[0.0, 1.0]) for each in shapes]  # x² P_i
    w, slope, bent = (np.array([each.deriv(d)(points) if d else each(points) for each in bending]) for d in (0, 1, 2))
    twist, twisted = np.array([each(points) for each in shapes]), np.array([each.deriv()(points) for each in shapes])
    mu, S = np.array([mass(x) for x in points]), np.array([stiffness(x) for x in points])
    fine, shares = 0.5 * (legendre.leggauss(40)[0] + 1.0), 0.5 * legendre.leggauss(40)[1]
    tension = speed**2 * np.array([(1.0 - x) * shares @ [mass(s) * s for s in x + (1.0 - x) * fine] for x in points])

    def along(a, factor, b):
        return (a * (weights * factor)) @ b.T

    fields = 2 if about is None else 3
    K, M = np.zeros((2, fields, size, fields, size))
    for i in range(2):
        for j in range(2):
            K[i, :, j] = along(bent, S[:, i, j], bent)
        K[i, :, i] += along(slope, tension, slope)
        M[i, :, i] = along(w, mu, w)
    K[0, :, 0] -= speed**2 * M[0, :, 0]
    if about is not None:
        GJ, inertia = np.array([about(x) for x in points]).T
        K[2, :, 2] = along(twisted, GJ, twisted)
        M[2, :, 2] = along(twist, inertia + mu * np.dot(center, center), twist)
        for i in range(2):
            M[i, :, i] += along(slope, 0.5 * inertia, slope)
            for j in range(2):
                M[i, :, j] += center[i] * center[j] * along(slope, mu, slope)
        for i, arm in ((0, -center[1]), (1, center[0])):
            M[i, :, 2] = arm * along(w, mu, twist)
            M[2, :, i] = M[i, :, 2].T
    K, M = (each.reshape(fields * size, fields * size) for each in (K, M))
    root = np.linalg.inv(np.linalg.cholesky(M))
    return np.sqrt(np.maximum(np.linalg.eigvalsh(root @ K @ root.T), 0.0))


class Links:
    """A planar rod of n rigid links with springs EI/h between them, by Lagrange's equations in its base's place and the links' angles θ (n,).

    Link i lies from joint i to joint i + 1 and has the mass ρA h, and the inertia ρA h³/12 + ρI h about its centre. Errors fall by h².
    """

    def __init__(self, n: int, length: float, density: float, inertia: float, EI: float):
        self.n, self.h, self.mass, self.k = n, length / n, density * length / n, EI * n / length
        self.J = self.mass * self.h**2 / 12.0 + inertia * self.h
        self.arm = self.h * (np.tril(np.ones((n, n)), -1) + 0.5 * np.eye(n))  # (link, angle)

    def rates(self, state, force, torque):
        """Of (x, y, θ) and its rates (2n + 4,), under a force (2,) and a torque at the base, on its first link."""
        n, (q, v) = self.n, np.split(state, 2)
        along = np.array([np.cos(q[2:]), np.sin(q[2:])])
        across = np.array([-along[1], along[0]])
        J = np.concatenate(
            [np.tile(np.eye(2)[:, None], (1, n, 1)), self.arm * across[:, None]], axis=2
        )  # (2, link, 2 + n)
        M = self.mass * np.einsum("cli,clj->ij", J, J)
        M[2:, 2:] += self.J * np.eye(n)
        bias = -self.mass * np.einsum("cli,cl->i", J, (self.arm * along[:, None]) @ v[2:] ** 2)
        bent = self.k * np.diff(q[2:])
        Q = np.concatenate([force, np.append(bent, 0.0) - np.insert(bent, 0, 0.0)])
        Q[2] += torque
        return np.concatenate([v, np.linalg.solve(M, Q - bias)])

    def tip(self, state) -> np.ndarray:
        """(2,)."""
        q = state[: self.n + 2]
        return q[:2] + self.h * np.array([np.sum(np.cos(q[2:])), np.sum(np.sin(q[2:]))])
