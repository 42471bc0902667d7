"""The primitive conditions between two ends a and b. Every coupling is a table of these ([stroe] 2.2, 2.3).

A condition is linear in the motions of its ends: with (v, ω) of each end in N,

    rate = on_a·(v, ω)_a + on_b·(v, ω)_b,    d(rate)/dt = on_a·(a, α)_a + on_b·(a, α)_b + convective

so its row of the Jacobian is on_a rows_a + on_b rows_b, and λ on_b is the wrench on b at its place, so the multiplier is a physical force.
on_a balances it about any point: total momentum and angular momentum are conserved.
Every rate and convective term is proved by numerical differentiation: tests/constraints/test_rows.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.rotation import cross
from .connection import AT_REST, Conditions
from .grip import Grip

NONE = np.zeros(3)
TINY = 1e-200  # [m²] keeps a direction finite if two places coincide; far below any squared length


@dataclass(frozen=True)
class Row:
    """on_a, on_b (6,), convective; φ as `residual`, None for a condition on velocities only; drive (φ₀, φ̇₀, φ̈₀)."""

    on_a: np.ndarray
    on_b: np.ndarray
    convective: object
    residual: object | None
    drive: tuple = (0.0, 0.0, 0.0)


def slide(a: Grip, b: Grip, e, omega_e, offset=None, arm=AT_REST, arm_dot=None) -> Row:
    """No velocity along e of b's point at r_b + arm, relative to the coincident point of a.

        rate = e·[v_b + ω_b×arm − v_a − ω_a×(s + arm)],   s = r_b − r_a,   arm zero but for rolling

    The arm is fixed in a unless `arm_dot`, its rate in N, is given.

    e turns with ω_e. With e fixed in a and no arm, rate = d(e·s)/dt, and the condition can be held by
    position: e·(s − offset) = 0. Source: [stroe] (18), (23), with the velocity of the *coincident* point of a:
    as printed, with O_j fixed in j apart from O_i, the forces ±λe act on two points not along their line,
    and angular momentum is not conserved (docs/theory/stroe.md).
    """
    s, w = b.position - a.position, b.velocity - a.velocity
    reach = s + arm
    arm_dot = cross(a.omega, arm) if arm_dot is None else arm_dot
    on_a = np.concatenate([-e, -cross(reach, e)])
    on_b = np.concatenate([e, cross(arm, e)])
    relative = w + cross(b.omega, arm) - cross(a.omega, reach)
    turning = cross(b.omega, arm_dot) - cross(a.omega, w + arm_dot)
    residual = None if offset is None else e @ (s - offset)
    return Row(on_a, on_b, e @ turning + cross(omega_e, e) @ relative, residual)


def square(a: Grip, b: Grip, e, f) -> Row:
    """e ⟂ f, e fixed in a, f in b: φ = e·f, rate = (e×f)·(ω_a − ω_b).

    Its gradient e×f is a unit vector if the condition is satisfied, unlike that of [stroe] (14), (16): e·e' = const.
    """
    normal = cross(e, f)
    normal_dot = cross(cross(a.omega, e), f) + cross(e, cross(b.omega, f))
    return Row(np.concatenate([NONE, normal]), np.concatenate([NONE, -normal]), normal_dot @ (a.omega - b.omega), e @ f)


def spin(a: Grip, b: Grip, e) -> Row:
    """No relative angular velocity about e, fixed in a: rate = e·(ω_b − ω_a). Source: [stroe] (25), (27).

    One row is genuinely nonholonomic; a universal joint, with one axis in each body, is `square` instead.
    """
    return Row(
        np.concatenate([NONE, -e]), np.concatenate([NONE, e]), cross(a.omega, e) @ (b.omega - a.omega), residual=None
    )


def apart(a: Grip, b: Grip, length) -> Row:
    """Distance D = |r_b − r_a| = length: rate Ḋ = n·w, D̈ = n·ẇ + (w·w − Ḋ²)/D. Source: [stroe] (17), (38)."""
    distance, n = span(a, b)
    w = b.velocity - a.velocity
    rate = n @ w
    return Row(
        np.concatenate([-n, NONE]), np.concatenate([n, NONE]), (w @ w - rate * rate) / distance, distance - length
    )


def span(a: Grip, b: Grip):
    """D = |r_b − r_a| and the unit vector n from a to b."""
    s = b.position - a.position
    distance = np.sqrt(s @ s + TINY)
    return distance, s / distance


def lowest_edge(a: Grip, b: Grip, z, n, radius):
    """From the centre of a disc to the lowest point of its edge over the plane with normal z, and its rate; (3,) each in N.

    −R d with d = p/|p|, p = z − (z·n) n: z the plane's unit normal, fixed in a, n the disc's axis, fixed in b. A disc that lies flat (p =
    0) has no lowest point. That point moves along the edge, perpendicular to z: z·(s − R d) has the rate of a `slide` along z.
    """
    z_dot, n_dot = cross(a.omega, z), cross(b.omega, n)
    c, c_dot = z @ n, z_dot @ n + z @ n_dot
    p, p_dot = z - c * n, z_dot - c_dot * n - c * n_dot
    size = np.sqrt(p @ p + TINY)
    d = p / size
    return -radius * d, -radius * (p_dot - d * (d @ p_dot)) / size


def weighted(rows: list[Row], multipliers):
    """(6,) wrenches Σ λ on_a and Σ λ on_b of the rows."""
    pairs = list(zip(multipliers, rows, strict=True))
    return sum(force * row.on_a for force, row in pairs), sum(force * row.on_b for force, row in pairs)


def stack(a: Grip, b: Grip, rows: list[Row]) -> Conditions:
    """Rows as Conditions: a drive prescribes φ = φ₀(t)."""
    return Conditions(
        residual=np.array([0.0 if row.residual is None else row.residual - row.drive[0] for row in rows]),
        jacobian=np.array([row.on_a @ a.rows + row.on_b @ b.rows for row in rows]),
        rate=np.array([row.on_a @ a.motion + row.on_b @ b.motion - row.drive[1] for row in rows]),
        gamma=np.array([row.drive[2] - row.on_a @ a.bias - row.on_b @ b.bias - row.convective for row in rows]),
        positional=np.array([0.0 if row.residual is None else 1.0 for row in rows]),
        driven=np.array([row.drive[1] for row in rows]),
    )
