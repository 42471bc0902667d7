"""Motion relative to a rotating frame S (an orbital frame), from motion relative to its origin in non-rotating axes.

r, v, a: position, velocity and acceleration relative to S in its axes; ω, α: its absolute rotation, in its axes (Space).
Proved by tests/environment/test_frames.py: each is the derivative of the one before.
"""

from __future__ import annotations

from ..algebra.rotation import cross
from ..algebra.scalar import shared
from .kinematics import Space


@shared
def seen_from(space: Space, position_N, velocity_N):
    """r and v = ṙ_N − ω×r, (3,) each."""
    r = space.dcm_NS.T @ position_N
    return r, space.dcm_NS.T @ velocity_N - cross(space.omega, r)


@shared
def acceleration_seen_from(space: Space, acceleration_N, r, v):
    """a = r̈_N − α×r − ω×(ω×r) − 2ω×v, (3,)."""
    spun = cross(space.omega, cross(space.omega, r) + 2.0 * v)
    return space.dcm_NS.T @ acceleration_N - cross(space.alpha, r) - spun


@shared
def turning_seen_from(space: Space, dcm_NB, omega):
    """Angular velocity of B relative to S, from the absolute one; both in axes of B, (3,)."""
    return omega - dcm_NB.T @ (space.dcm_NS @ space.omega)
