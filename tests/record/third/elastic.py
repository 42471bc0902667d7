"""Beams and plates by Ritz's method with Legendre polynomials, or by their characteristic equation; Andrews' mechanism in seven angles."""

from __future__ import annotations

import numpy as np
from numpy.polynomial import Legendre
from scipy.linalg import eig, eigh
from scipy.optimize import brentq

from .plain import ode

NODES, WEIGHTS = np.polynomial.legendre.leggauss(60)
AT, WEIGHT = 0.5 * (NODES + 1.0), 0.5 * WEIGHTS  # on 0 … 1


def shapes(count: int, clamped: int) -> list[np.ndarray]:
    """x^clamped times Legendre polynomials on 0 … 1, and their first two derivatives, at the nodes: (3, count, nodes)."""
    x = Legendre([0.5, 0.5], [0.0, 1.0]) ** clamped
    found = [x * Legendre.basis(i, [0.0, 1.0]) for i in range(count)]
    return [np.array([(each.deriv(order) if order else each)(AT) for each in found]) for order in range(3)]


def product(a, b, factor=1.0) -> np.ndarray:
    """∫ a b factor dx of all pairs."""
    return (a * (WEIGHT * factor)) @ b.T


def bending_tip_spring(_times):
    """Cantilever of unit length, mass and stiffness with a unit spring at its tip: w''(1) = 0, w'''(1) = w(1)."""

    def determinant(k):
        ch, c, sh, s = np.cosh(k), np.cos(k), np.sinh(k), np.sin(k)
        return (ch + c) * (k**3 * (ch + c) - (sh - s)) - (sh + s) * (k**3 * (sh - s) - (ch - c))

    return [
        np.array([[brentq(determinant, *span, xtol=1e-14) ** 2 / (2 * np.pi) for span in ((1.5, 2.5), (4.0, 5.0))]])
    ]


def _flap(speed: float):
    """Beam that turns about an axis through its root, across its plane: tension (Ω²/2)(1 − x²)."""

    def case(_times):
        w = shapes(18, 2)
        stiff = product(w[2], w[2]) + product(w[1], w[1], 0.5 * speed**2 * (1.0 - AT**2))
        return [np.array([[np.sqrt(eigh(stiff, product(w[0], w[0]), eigvals_only=True)[0]) / (2 * np.pi)]])]

    return case


def _chord(speed: float):
    """The same in its plane, with the stretch u: u'' − 2 Ω v' − Ω² u = EA u_xx, v'' + 2 Ω u' − Ω² v = …; EA = 70² EI/L²."""

    def case(_times):
        v, u = shapes(18, 2), shapes(18, 1)
        mass_v, mass_u, across = product(v[0], v[0]), product(u[0], u[0]), product(v[0], u[0])
        stiff_v = product(v[2], v[2]) + product(v[1], v[1], 0.5 * speed**2 * (1.0 - AT**2)) - speed**2 * mass_v
        stiff_u = 4900.0 * product(u[1], u[1]) - speed**2 * mass_u
        n = len(mass_v)
        none = np.zeros((n, n))
        M, K = np.block([[mass_v, none], [none, mass_u]]), np.block([[stiff_v, none], [none, stiff_u]])
        G = 2.0 * speed * np.block([[none, across], [-across.T, none]])
        eye = np.eye(2 * n)
        poles = eig(np.block([[0 * eye, eye], [-K, -G]]), np.block([[eye, 0 * eye], [0 * eye, M]]), right=False)
        return [np.array([[np.min(poles.imag[poles.imag > 1e-3]) / (2 * np.pi)]])]

    return case


def nafems_fv16(_times):
    """Square Kirchhoff plate, 10 m, 0.05 m thick, clamped at one edge: D/2 ∫ (Δw)² − 2 (1 − ν)(w_xx w_yy − w_xy²)."""
    side, thick, young, poisson, density = 10.0, 0.05, 200e9, 0.3, 8000.0
    stiffness = young * thick**3 / (12.0 * (1.0 - poisson**2))
    x, y = shapes(14, 2), shapes(14, 0)

    def pairs(a, b, c, d):
        """∫∫ of ∂ᵃ/∂x ∂ᵇ/∂y of one shape times ∂ᶜ/∂x ∂ᵈ/∂y of another."""
        return np.kron(product(x[a], x[c]), product(y[b], y[d]))

    K = pairs(2, 0, 2, 0) + pairs(0, 2, 0, 2) + poisson * (pairs(2, 0, 0, 2) + pairs(0, 2, 2, 0))
    K = stiffness / side**2 * (K + 2.0 * (1.0 - poisson) * pairs(1, 1, 1, 1))
    M = density * thick * side**2 * pairs(0, 0, 0, 0)
    return [np.sqrt(eigh(K, M, eigvals_only=True)[:6])[None] / (2 * np.pi)]


def andrews(times):
    """Andrews' squeezing mechanism: masses, forces and closures in the angles of Hairer and Wanner's chapter VII.7 and of the IVP test set."""
    m = dict(enumerate([0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498], 1))
    i = dict(enumerate([2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5], 1))
    rr, ra, d, da, e, ea, zf, fa, zt, u = 0.007, 0.00092, 0.028, 0.0115, 0.02, 0.01421, 0.02, 0.01421, 0.04, 0.04
    ss, sa, sb, sc, sd, ta, tb, ua, ub = 0.035, 0.01874, 0.01043, 0.018, 0.02, 0.02308, 0.00916, 0.01228, 0.00449
    xb, yb, xc, yc = -0.03635, 0.03273, 0.014, 0.072
    ee, ff = e - ea, zf - fa

    def rates(t, y):
        _, th, g, ph, _, om, _ = y[:7]
        vb, vth, _, vph, vde, vom, vep = y[7:]
        M, f, G, gamma = np.zeros((7, 7)), np.zeros(7), np.zeros((6, 7)), np.zeros(6)
        M[0, 0] = m[1] * ra**2 + m[2] * (rr**2 - 2 * da * rr * np.cos(th) + da**2) + i[1] + i[2]
        M[0, 1] = M[1, 0] = m[2] * (da**2 - da * rr * np.cos(th)) + i[2]
        M[1, 1] = m[2] * da**2 + i[2]
        M[2, 2] = m[3] * (sa**2 + sb**2) + i[3]
        M[3, 3] = m[4] * ee**2 + i[4]
        M[3, 4] = M[4, 3] = m[4] * (ee**2 + zt * ee * np.sin(ph)) + i[4]
        M[4, 4] = m[4] * (zt**2 + 2 * zt * ee * np.sin(ph) + ee**2) + m[5] * (ta**2 + tb**2) + i[4] + i[5]
        M[5, 5] = m[6] * ff**2 + i[6]
        M[5, 6] = M[6, 5] = m[6] * (ff**2 - u * ff * np.sin(om)) + i[6]
        M[6, 6] = m[6] * (ff**2 - 2 * u * ff * np.sin(om) + u**2) + m[7] * (ua**2 + ub**2) + i[6] + i[7]
        xd, yd = sd * np.cos(g) + sc * np.sin(g) + xb, sd * np.sin(g) - sc * np.cos(g) + yb
        long = np.hypot(xd - xc, yd - yc)
        fx, fy = -4530.0 * (long - 0.07785) / long * np.array([xd - xc, yd - yc])
        f[0] = 0.033 - m[2] * da * rr * vth * (vth + 2 * vb) * np.sin(th)
        f[1] = m[2] * da * rr * vb**2 * np.sin(th)
        f[2] = fx * (sc * np.cos(g) - sd * np.sin(g)) + fy * (sd * np.cos(g) + sc * np.sin(g))
        f[3] = m[4] * zt * ee * vde**2 * np.cos(ph)
        f[4] = -m[4] * zt * ee * vph * (vph + 2 * vde) * np.cos(ph)
        f[5] = -m[6] * u * ff * vep**2 * np.cos(om)
        f[6] = m[6] * u * ff * vom * (vom + 2 * vep) * np.cos(om)
        # closures: sums of arms a exp(i φ); each row's two equations are real and imaginary parts
        arms = [(rr, (0,), 0.0), (-d, (0, 1), 0.0)]
        ends = ([(ss, (2,), 0.5)], [(e, (3, 4), 0.5), (-zt, (4,), 0.0)], [(-zf, (5, 6), 0.0), (u, (6,), 0.5)])
        for row, end in enumerate(ends):
            for length, own, quarter in (*arms, *end):
                way = length * np.exp(1j * (sum(y[k] for k in own) + quarter * np.pi))
                speed = sum(y[7 + k] for k in own)
                for k in own:
                    G[2 * row, k] += (1j * way).real
                    G[2 * row + 1, k] += (1j * way).imag
                gamma[2 * row] += (way * speed**2).real
                gamma[2 * row + 1] += (way * speed**2).imag
        K = np.block([[M, G.T], [G, np.zeros((6, 6))]])
        return np.concatenate([y[7:], np.linalg.solve(K, np.concatenate([f, gamma]))[:7]])

    start = [-0.0617138900142764496, 0.0, 0.455279819163070380, 0.222668390165885885, 0.487364979543842550]
    start += [-0.222668390165885885, 1.23054744454982119]
    return [ode(rates, [*start, *np.zeros(7)], times)[:, :7]]


CASES = {
    "flexible/bending_tip_spring": bending_tip_spring,
    "flexible/nafems_fv16": nafems_fv16,
    **{f"flexible/rotating_flap_{speed}": _flap(speed) for speed in (2, 4, 6, 8, 10, 50)},
    **{f"flexible/rotating_chord_{speed}": _chord(speed) for speed in (2, 4, 6, 8, 10, 50)},
    "multibody/andrews": andrews,
}
