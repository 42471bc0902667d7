"""Independent answers for the beam tests: Hermite finite elements, and the frequency equation of a free hub with a cantilever."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import brentq


def finite_element_cantilever(elements, mass_ratio=0.0, inertia_ratio=0.0, modes=4):
    """β of a clamped beam of cubic Hermite elements with a tip body; EI = ρL = L = 1, so ω² = β⁴.

    Also each mode's effective mass (∫w dm)²/∫w²dm of a lateral motion of the root, as a share of the beam's mass.
    Element matrices: Zienkiewicz & Taylor, The Finite Element Method, Euler–Bernoulli beam; error of ω ~ h⁴.
    """
    h = 1.0 / elements
    stiffness = np.array([[12, 6 * h, -12, 6 * h], [6 * h, 4 * h * h, -6 * h, 2 * h * h],
                          [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h * h, -6 * h, 4 * h * h]]) / h**3  # fmt: skip
    mass = np.array([[156, 22 * h, 54, -13 * h], [22 * h, 4 * h * h, 13 * h, -3 * h * h],
                     [54, 13 * h, 156, -22 * h], [-13 * h, -3 * h * h, -22 * h, 4 * h * h]]) * h / 420  # fmt: skip
    n = 2 * (elements + 1)
    K, M = np.zeros((n, n)), np.zeros((n, n))
    for e in range(elements):
        span = slice(2 * e, 2 * e + 4)
        K[span, span] += stiffness
        M[span, span] += mass
    M[-2, -2] += mass_ratio
    M[-1, -1] += inertia_ratio
    lift = np.zeros(n)
    lift[0::2] = 1.0  # a lateral motion of everything
    values, shapes = eigh(K[2:, 2:], M[2:, 2:])
    shares = (shapes.T @ (M @ lift)[2:]) ** 2
    return values[:modes] ** 0.25, shares[:modes]


def hub_and_cantilever_roots(count, mass_ratio, inertia_ratio, offset):
    """β of the elastic planar modes of a free rigid hub with a cantilever, from the transcendental equation.

    Hub: mass m, inertia J about its mass centre; the beam (ρ, L, EI) starts at a distance d from that centre, along
    itself. W(x) is the lateral displacement in space: W(0) = y + dθ, W'(0) = θ, and for all δW, δy, δθ

        EI ∫W''δW''dx = ω² (ρ ∫W δW dx + m y δy + J θ δθ).

    Twice by parts: EI W'''' = ρω²W;  at the free end W''(L) = W'''(L) = 0;  at the root, the factors of δy and δθ,

        EI W'''(0) = ω² m y,     d EI W'''(0) − EI W''(0) = ω² J θ.

    With s = x/L, β⁴ = ρω²L⁴/EI, M = m/(ρL), I = J/(ρL³), e = d/L and W = A cos βs + B sin βs + C cosh βs + D sinh βs
    these are four linear equations of A … D: their determinant is the frequency equation. (M, I → ∞: the cantilever.)
    """

    def determinant(beta):
        c, s, ch, sh = np.cos(beta), np.sin(beta), 1.0, np.tanh(beta)  # cosh and sinh divided by cosh β
        inverse = 1.0 / np.cosh(beta)
        # rows: values at s = 0 of W, W_s, W_ss, W_sss on (cos, sin, cosh/cosh β, sinh/cosh β)
        W = np.array([1.0, 0.0, inverse, 0.0])
        W1 = beta * np.array([0.0, 1.0, 0.0, inverse])
        W2 = beta**2 * np.array([-1.0, 0.0, inverse, 0.0])
        W3 = beta**3 * np.array([0.0, -1.0, 0.0, inverse])
        root_force = (W3 - beta**4 * mass_ratio * (W - offset * W1)) / (1.0 + beta * mass_ratio)
        root_moment = (offset * W3 - W2 - beta**4 * inertia_ratio * W1) / (1.0 + beta**3 * inertia_ratio)
        free_moment, free_force = np.array([-c, -s, ch, sh]), np.array([s, -c, sh, ch])
        return np.linalg.det(np.array([root_force, root_moment, free_moment, free_force])) / beta**5

    roots, left = [], 0.5
    while len(roots) < count:
        right = left + 0.02
        if determinant(left) * determinant(right) < 0.0:
            roots.append(brentq(determinant, left, right, xtol=1e-15, rtol=8.9e-16))
        left = right
    return np.array(roots)
