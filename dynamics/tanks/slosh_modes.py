"""Lateral slosh of a liquid in a tank that is round about its outlet: modes by Ritz's method, and their mechanical equivalents.

Linear potential flow Φ = φ(r, z) cos θ with a free surface z = z_s under an acceleration g along the axis: ω² = g λ, and

    λ = min ∫|∇Φ|²dV / ∫_surface Φ²dS             (no flow through the wall is the natural condition of this quotient)

with φ = r Σ c_ij P_i(2r²/R² − 1) P_j(z), for which Gauss's quadrature is exact in cylinders and ellipsoids. Of the mode with ∫|∇Φ|²dV = 1

    pendulum length L = 1/λ,  slosh mass m = ρ X²,  height z = Y/X     X = ∫∂Φ/∂x dV,  Y = ∫(z ∂Φ/∂x − x ∂Φ/∂z) dV

so that m ẋ is the momentum and m ẋ z the angular momentum of the flow in a still tank. In cylinders these are the closed forms of NASA SP-106
(Abramson, 1966) and Dodge, "The New Dynamic Behavior of Liquids in Moving Containers" (SwRI, 2000). Proved by tests/tanks/test_slosh_modes.py.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy  # its parts come when they are used: most descriptions need none
from numpy.polynomial import legendre

RADIAL, AXIAL = 7, 9  # terms
POINTS = 24


def slosh_modes(
    radius: Callable[[np.ndarray], np.ndarray], bottom: float, surface: float, count: int
) -> list[tuple[float, float, float]]:
    """(slosh mass over density [m³], pendulum length [m], height z [m]) of the first modes; radius(z) of the wall, bottom and surface [m]."""
    nodes, weights = legendre.leggauss(POINTS)
    z = 0.5 * (surface - bottom) * nodes + 0.5 * (surface + bottom)
    wide = float(np.max(radius(np.linspace(bottom, surface, 200))))
    across = np.outer(radius(z), 0.5 * (nodes + 1.0))  # (z, r)
    area = np.outer(0.5 * (surface - bottom) * weights * 0.5 * radius(z), weights) * across  # r dr dz
    values, slope_r, slope_z = _basis(across, np.broadcast_to(z[:, None], across.shape), wide, bottom, surface)
    turned = values / across
    A = np.pi * sum(np.einsum("azr,bzr,zr->ab", f, f, area, optimize=True) for f in (slope_r, turned, slope_z))
    edge = 0.5 * (nodes + 1.0) * float(radius(np.array([surface]))[0])
    top = _basis(edge[None, :], np.full((1, POINTS), surface), wide, bottom, surface)[0][:, 0]
    B = np.pi * np.einsum("ar,br,r->ab", top, top, 0.5 * weights * edge[-1] / (0.5 * (nodes[-1] + 1.0)) * edge)
    lengths, modes = scipy.linalg.eigh(B, A)
    spread = slope_r + turned
    X = np.pi * np.einsum("azr,zr->a", spread, area)
    Y = np.pi * np.einsum("azr,zr->a", z[:, None] * spread - across * slope_z, area)
    found = []
    for length, c in list(zip(lengths, modes.T, strict=True))[::-1][:count]:
        found.append((float((c @ X) ** 2), float(length), float((c @ Y) / (c @ X))))
    return found


def _basis(r, z, wide: float, bottom: float, surface: float):
    """φ, ∂φ/∂r, ∂φ/∂z of all terms, (terms, *shape of r)."""
    s, t = 2.0 * (r / wide) ** 2 - 1.0, 2.0 * (z - bottom) / (surface - bottom) - 1.0
    P, Q = legendre.legvander(s, RADIAL - 1), legendre.legvander(t, AXIAL - 1)
    dP, dQ = (_slopes(v, n) for v, n in ((s, RADIAL), (t, AXIAL)))

    def product(a, b):
        return np.moveaxis(a[..., :, None] * b[..., None, :], (-2, -1), (0, 1)).reshape(-1, *r.shape)

    values = product(r[..., None] * P, Q)
    slope_r = product(P + (4.0 * (r / wide) ** 2)[..., None] * dP, Q)
    slope_z = product(r[..., None] * P, dQ) * (2.0 / (surface - bottom))
    return values, slope_r, slope_z


def _slopes(x, count: int):
    """Slopes of Legendre's polynomials 0 … count − 1 at x."""
    return np.stack(
        [legendre.legval(x, legendre.legder(np.eye(count)[n])) if n else 0.0 * x for n in range(count)], axis=-1
    )
