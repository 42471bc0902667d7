"""Attitude: quaternions, direction cosines, finite rotations.

Convention, stated here once: quaternions are Hamilton's, scalar first; `q_NB` is the rotation that maps
components in B to components in N, and `dcm_NB` is its matrix: v_N = dcm_NB v_B. Quaternions of rotations are unit ones; within a
step of a solver, and in a Jacobian, they are not quite, and their use depends only on their direction.
All functions run on floats and on symbols. Proved by tests/algebra/test_rotation.py.
"""

from __future__ import annotations

import numpy as np

from .scalar import maximum, where

E3 = np.eye(3)
NO_QUATERNION = 1e-300  # |q|² below it counts as zero
GIMBAL_LOCK = 1e-12  # cosine of the middle Euler angle below which it counts as ±90°


def skew(a):
    """ã, the matrix with ã b = a × b. a (3,) → (3, 3)."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def cross(a, b):
    """a × b of two (3,) arrays (np.cross refuses some object arrays)."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def quaternion_dcm(q):
    """dcm_NB of q_NB/|q_NB|. q (4,) → (3, 3)."""
    w, x, y, z = q
    two = 2.0 / (q @ q)
    return np.array(
        [
            [1.0 - two * (y * y + z * z), two * (x * y - w * z), two * (x * z + w * y)],
            [two * (x * y + w * z), 1.0 - two * (x * x + z * z), two * (y * z - w * x)],
            [two * (x * z - w * y), two * (y * z + w * x), 1.0 - two * (x * x + y * y)],
        ]
    )


def quaternion_product(a, b):
    """a ∘ b: first b, then a. (4,), (4,) → (4,)."""
    vector = a[0] * b[1:] + b[0] * a[1:] + cross(a[1:], b[1:])
    return np.concatenate([[a[0] * b[0] - a[1:] @ b[1:]], vector])


def quaternion_conjugate(q):
    """The inverse rotation: q_BN of q_NB."""
    return np.concatenate([q[:1], -q[1:]])


def quaternion_rate(q, omega_BN_B):
    """q̇_NB = ½ q_NB ∘ (0, ω), ω in body axes [rad/s]. (4,), (3,) → (4,)."""
    return quaternion_rate_matrix(q) @ omega_BN_B


def quaternion_rate_matrix(q):
    """T (4, 3) with q̇ = T ω, ω in body axes."""
    w, x, y, z = q
    return 0.5 * np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])


def axis_angle_dcm(axis, angle):
    """Rotation by `angle` [rad] about the unit vector `axis`: dcm = aaᵀ + cos (E − aaᵀ) + sin ã."""
    along = np.outer(axis, axis)
    return along + np.cos(angle) * (E3 - along) + np.sin(angle) * skew(axis)


def axis_angle_quaternion(axis, angle):
    """Unit quaternion of a rotation by `angle` [rad] about the unit vector `axis`."""
    return np.concatenate([[np.cos(0.5 * angle)], np.sin(0.5 * angle) * np.asarray(axis)])


def vector_quaternion(theta):
    """Unit quaternion of the finite rotation exp(θ̃), θ (3,) [rad]: (cos θ/2, sin θ/2 along θ), entire in θ."""
    quarter = 0.25 * (theta @ theta)  # (θ/2)²
    a, b, *_ = rotation_coefficients(quarter)
    return np.concatenate([[1.0 - b * quarter], 0.5 * a * theta])


def quaternion_vector(q):
    """The rotation vector θ (3,) [rad] of a unit quaternion, |θ| from 0 to 2π: continuous where q is, but at a full turn."""
    square = q[1:] @ q[1:]
    small = square < 1e-16
    sine = np.sqrt(where(small, 1.0, square))
    return where(small, 2.0, 2.0 * np.arctan2(sine, q[0]) / sine) * q[1:]


def unit_quaternion(q):
    """q/|q|; zero stays zero."""
    return q / np.sqrt(maximum(q @ q, NO_QUATERNION))


def dcm_quaternion(dcm):
    """q of a rotation matrix (Shepperd's choice of the largest component), scalar part ≥ 0."""
    d = np.asarray(dcm)
    squares = [
        1.0 + d[0, 0] + d[1, 1] + d[2, 2],
        1.0 + d[0, 0] - d[1, 1] - d[2, 2],
        1.0 - d[0, 0] + d[1, 1] - d[2, 2],
        1.0 - d[0, 0] - d[1, 1] + d[2, 2],
    ]
    products = [
        np.array([squares[0], d[2, 1] - d[1, 2], d[0, 2] - d[2, 0], d[1, 0] - d[0, 1]]),
        np.array([d[2, 1] - d[1, 2], squares[1], d[0, 1] + d[1, 0], d[0, 2] + d[2, 0]]),
        np.array([d[0, 2] - d[2, 0], d[0, 1] + d[1, 0], squares[2], d[1, 2] + d[2, 1]]),
        np.array([d[1, 0] - d[0, 1], d[0, 2] + d[2, 0], d[1, 2] + d[2, 1], squares[3]]),
    ]
    largest, q = squares[0], products[0]
    for square, product in zip(squares[1:], products[1:], strict=True):
        q = where(square > largest, product, q)
        largest = where(square > largest, square, largest)
    return q * where(q[0] < 0.0, -1.0, 1.0) / np.sqrt(q @ q)


def _middle_angle(sine, first, second):
    """The angle between −90° and 90° with this sine and the cosine √(first² + second²), and whether it is ±90° to round-off.

    There the two outer rotations have the same axis; the redundant one is set to zero, so angles and derivatives stay finite.
    """
    square = first * first + second * second
    locked = square < GIMBAL_LOCK**2
    return np.arctan2(sine, where(locked, 0.0, np.sqrt(where(locked, 1.0, square)))), locked


def euler_123(dcm_NB):
    """Angles (φ1, φ2, φ3) [rad] of the 1-2-3 sequence.

    Source: [stroe] eq. (10), whose [A_i0] is dcm_BN = dcm_NBᵀ. At φ2 = ±90° only φ3 ± φ1 is defined: φ1 = 0 there.
    """
    a = dcm_NB.T
    middle, locked = _middle_angle(a[2, 0], a[0, 0], a[1, 0])
    return np.array(
        [
            np.arctan2(where(locked, 0.0, -a[2, 1]), where(locked, 1.0, a[2, 2])),
            middle,
            np.arctan2(where(locked, a[0, 1], -a[1, 0]), where(locked, a[1, 1], a[0, 0])),
        ]
    )


def euler_321(dcm_NB):
    """Yaw, pitch, roll (ψ, θ, φ) [rad] of the 3-2-1 sequence. At θ = ±90° only ψ ∓ φ is defined: φ = 0 there."""
    a = dcm_NB.T
    middle, locked = _middle_angle(-a[0, 2], a[0, 0], a[0, 1])
    return np.array(
        [
            np.arctan2(where(locked, -a[1, 0], a[0, 1]), where(locked, a[1, 1], a[0, 0])),
            middle,
            np.arctan2(where(locked, 0.0, a[1, 2]), where(locked, 1.0, a[2, 2])),
        ]
    )


def _series(s, first, ratio, terms=10):
    """Σ (−1)ⁿ sⁿ first / Π ratio(n): the entire functions below by Horner's rule; |s| ≤ 1 to round-off, 1/21! of the first term."""
    total = 0.0
    for n in reversed(range(1, terms)):
        total = s * (-1.0 / ratio(n)) * (1.0 + total)
    return first * (1.0 + total)


def rotation_coefficients(s):
    """A, B, C and dB/ds, dC/ds of s = θ²: A = sinθ/θ, B = (1 − cosθ)/θ², C = (θ − sinθ)/θ³.

    Near zero the quotients lose digits, so there (s < 1) the power series is taken.
    """
    small = s < 1.0
    safe = where(small, 1.0, s)
    theta = np.sqrt(safe)
    series = where(small, s, 0.0)
    # Quotients for θ ≥ 1
    a = np.sin(theta) / theta
    b = (1.0 - np.cos(theta)) / safe
    c = (1.0 - a) / safe
    db = (a - 2.0 * b) / (2.0 * safe)
    dc = (b - 3.0 * c) / (2.0 * safe)
    # A = Σ (−s)ⁿ/(2n+1)!, B = Σ (−s)ⁿ/(2n+2)!, C = Σ (−s)ⁿ/(2n+3)!; dB = −Σ (n+1)(−s)ⁿ/(2n+4)!, dC likewise
    return (
        where(small, _series(series, 1.0, lambda n: (2 * n) * (2 * n + 1)), a),
        where(small, _series(series, 1 / 2, lambda n: (2 * n + 1) * (2 * n + 2)), b),
        where(small, _series(series, 1 / 6, lambda n: (2 * n + 2) * (2 * n + 3)), c),
        where(small, _series(series, -1 / 24, lambda n: (2 * n + 3) * (2 * n + 4) * n / (n + 1)), db),
        where(small, _series(series, -1 / 120, lambda n: (2 * n + 4) * (2 * n + 5) * n / (n + 1)), dc),
    )


def rotation_vector(theta, theta_dot):
    """Finite rotation R = exp(θ̃) with its rates: R, the Jacobian Γ and its rate Γ̇.

    ω = Γ θ̇ is the angular velocity of the turned frame in the axes it was turned from:
    R = E + A θ̃ + B θ̃²,   Γ = E + B θ̃ + C θ̃².
    θ, θ̇ (3,) [rad, rad/s] → three (3, 3) arrays.
    """
    s = theta @ theta
    s_dot = 2.0 * (theta @ theta_dot)
    a, b, c, db, dc = rotation_coefficients(s)
    t, t_dot = skew(theta), skew(theta_dot)
    tt = t @ t
    gamma = E3 + b * t + c * tt
    gamma_dot = db * s_dot * t + b * t_dot + dc * s_dot * tt + c * (t_dot @ t + t @ t_dot)
    return E3 + a * t + b * tt, gamma, gamma_dot
