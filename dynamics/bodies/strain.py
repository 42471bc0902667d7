"""A piece of a beam with large deflections: its shape by strains instead of displacements, with exact finite rotations.

Curvature is linear along the piece, ξ from 0 to 1 over its length h; its coordinates e (N,) are the mean and the slope of each strain:

    h κ(ξ) = a + b ξ       a = a₀ + A e,  b = b₀ + B e     [rad], (a₀, b₀) of the unloaded shape
    g(ξ)   = 1 + G(ξ) e    length over unloaded length

The section at ξ is turned by R = exp(φ~), φ = a ξ + b ξ²/2 + a×b ξ³/12: Magnus' expansion to fourth order, exact where the axis bends in one
plane. Its place follows from the tangents at Gauss' three points, r(ξ) = h Σ w_i(ξ) g_i t_i,  t_i = R_i t₀: of sixth order at the end, ξ = 1.

    ṙ = S ė,  S = h Σ w_i (t_i G_i − g_i t_i~ Q_i)     σ = Q ė,  Q = Γ ∂φ/∂e

σ is the angular velocity, Γ the Jacobian of the rotation vector. All in axes of the piece's own frame, at ξ = 0. Masses are rigid sections at Gauss' points
(beside.py has their terms in the equations of motion). Proved by tests/flexible/test_segments.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from ..algebra.rotation import E3, cross, rotation_vector, skew
from ..algebra.scalar import DATA
from .beside import Moved

POINTS = (np.polynomial.legendre.leggauss(3)[0] + 1.0) / 2.0  # on (0, 1)


@dataclass(frozen=True)
class Strained:
    """The strains of a piece by its coordinates: h [m], t₀ (3,) its direction; A, B (3, N), a₀, b₀ (3,) [rad], G (2, N): at ξ = 0, and its slope [1/m]."""

    length: float
    direction: np.ndarray
    start: np.ndarray
    slope: np.ndarray
    rest_start: np.ndarray = field(metadata=DATA)
    rest_slope: np.ndarray = field(metadata=DATA)
    stretch: np.ndarray


@dataclass(frozen=True)
class Spot:
    """A place ξ on a piece, and the weights (3,) of the tangents at Gauss' points in its position."""

    xi: float
    weights: np.ndarray


@cache
def _integrals_of_lagrange() -> np.ndarray:
    """(3, 4): coefficients of ∫₀^ξ ℓ_i, the highest power first."""
    return np.array([np.polyint(np.poly(np.delete(POINTS, i)) / np.prod(x - np.delete(POINTS, i))) for i, x in enumerate(POINTS)])  # fmt: skip


def spot(xi: float) -> Spot:
    return Spot(float(xi), np.array([np.polyval(row, xi) for row in _integrals_of_lagrange()]))


@dataclass(frozen=True)
class Turned:
    """A section: R (3, 3), Q (3, N), σ = Q ė (3,), and σ̇ at ë = 0 (3,)."""

    R: np.ndarray
    Q: np.ndarray
    sigma: np.ndarray
    spin_bias: np.ndarray


@dataclass(frozen=True)
class Swept:
    """A place and its section: r (3,), S (3, N), r̈ at ë = 0 (3,)."""

    r: np.ndarray
    S: np.ndarray
    bias: np.ndarray
    section: Turned


def rotation_of(piece: Strained, xi, e):
    """φ(ξ) (3,) [rad]."""
    a, b = piece.rest_start + piece.start @ e, piece.rest_slope + piece.slope @ e
    return xi * a + 0.5 * xi**2 * b + xi**3 / 12.0 * cross(a, b)


def _turned(piece: Strained, xi, e, e_dot) -> Turned:
    a, b = piece.rest_start + piece.start @ e, piece.rest_slope + piece.slope @ e
    a_dot, b_dot = piece.start @ e_dot, piece.slope @ e_dot
    third = xi**3 / 12.0
    phi = xi * a + 0.5 * xi**2 * b + third * cross(a, b)
    gradient = (xi * E3 - third * skew(b)) @ piece.start + (0.5 * xi**2 * E3 + third * skew(a)) @ piece.slope
    phi_dot = gradient @ e_dot
    R, gamma, gamma_dot = rotation_vector(phi, phi_dot)
    Q = gamma @ gradient
    return Turned(R, Q, gamma @ phi_dot, gamma_dot @ phi_dot + gamma @ (2.0 * third * cross(a_dot, b_dot)))


def swept(piece: Strained, spots, e, e_dot) -> list[Swept]:
    """All of `spots` at e and ė (N,)."""
    sections = {xi: _turned(piece, xi, e, e_dot) for xi in (*POINTS, *(spot.xi for spot in spots))}
    tangents = [_tangent(piece, xi, sections[xi], e, e_dot) for xi in POINTS]
    found = []
    for each in spots:
        weights = piece.length * each.weights
        r, S, bias = (sum(w * row[i] for w, row in zip(weights, tangents, strict=True)) for i in range(3))
        found.append(Swept(r, S, bias, sections[each.xi]))
    return found


def _tangent(piece: Strained, xi, at: Turned, e, e_dot):
    """g t (3,), its gradient (3, N), and its second rate at ë = 0 (3,)."""
    G = piece.stretch[0] + xi * piece.stretch[1]
    t = at.R @ piece.direction
    turning = cross(at.spin_bias, t) + cross(at.sigma, cross(at.sigma, t))
    if not np.any(piece.stretch):
        return t, -skew(t) @ at.Q, turning
    g, g_dot = 1.0 + G @ e, G @ e_dot
    return g * t, np.outer(t, G) - g * (skew(t) @ at.Q), g * turning + 2.0 * g_dot * cross(at.sigma, t)


@dataclass(frozen=True)
class RigidSlice:
    """A rigid slice at a place: mass [kg], offset d (3,) [m] of its mass centre, inertia J (3, 3) [kg m²] about that, in axes of the section."""

    at: Spot
    mass: float
    offset: np.ndarray
    inertia: np.ndarray


@dataclass(frozen=True)
class Slices:
    """A piece with its masses, and inertia (N,) that its coordinates have beside that of the masses: of ½ Σ added ė² (segmented_beam.py)."""

    piece: Strained
    sections: tuple[RigidSlice, ...]
    added: np.ndarray


def moved_sections(slices: Slices, e, e_dot) -> list[Moved]:
    """The masses of a piece, as beside.py has those beside nodes."""
    places = swept(slices.piece, [section.at for section in slices.sections], e, e_dot)
    return [_moved(section, at) for section, at in zip(slices.sections, places, strict=True)]


def _moved(section: RigidSlice, at: Swept) -> Moved:
    turn = at.section
    r, S, bias = at.r, at.S, at.bias
    if np.any(section.offset):
        arm = turn.R @ section.offset
        r, S = r + arm, S - skew(arm) @ turn.Q
        bias = bias + cross(turn.spin_bias, arm) + cross(turn.sigma, cross(turn.sigma, arm))
    return Moved(
        mass=section.mass,
        r=r,
        motion=np.vstack([S, turn.Q]),
        inertia=turn.R @ section.inertia @ turn.R.T,
        sigma=turn.sigma,
        bias=bias,
        spin_bias=turn.spin_bias,
    )
