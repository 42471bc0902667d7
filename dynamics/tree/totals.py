"""Mass centre, momentum, angular momentum and kinetic energy of all bodies together.

Body i alone has (p, L, π) = M_i (v, ω, η̇): linear momentum, angular momentum about its own frame's origin,
both in body axes, and modal momenta; kinetic energy ½ (v, ω, η̇)ᵀ M_i (v, ω, η̇).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.rotation import cross
from ..algebra.scalar import shared
from ..bodies.equations import Inertia, deformed_first_moment, momenta
from ..bodies.integrals import Integrals
from .kinematics import Moving


@dataclass(frozen=True)
class Totals:
    """All in N: mass [kg], mass_center [m], momentum [N s], angular_momentum about the mass centre [N m s], [J]."""

    mass: object
    mass_center: np.ndarray
    momentum: np.ndarray
    angular_momentum: np.ndarray
    kinetic_energy: object


def totals(bodies: list[Moving], particles=()) -> Totals:
    """The totals; the angular momentum is summed directly about the mass centre, not as a difference of large moments.

    `particles`: groups of (masses (n,), positions (n, 3), velocities (n, 3), accelerations (n, 3)), in N, in addition to the bodies.
    """
    points = [point for group in particles for point in zip(*group[:3], strict=True)]  # (mass, position, velocity)
    places = [body.position_N for body in bodies] + [position for _, position, _ in points]
    own = [
        _own(body.integrals, body.equations[0], body.position_N, body.dcm_NB, body.speeds, body.eta) for body in bodies
    ]
    own += [_own_of_particle(*point) for point in points]
    first, momentum, angular, energy = zip(*own, strict=True)
    mass = sum(body.integrals.mass for body in bodies) + sum(m for m, _, _ in points)
    center = sum(first) / mass
    about_center = map(_about, [center] * len(own), places, momentum, angular)
    return Totals(mass, center, sum(momentum), sum(about_center), sum(energy))


def center_acceleration(bodies: list[Moving], accelerations, particles=()):
    """Acceleration of the mass centre (3,) [m/s²] in N, from the A_i = (a, α, η̈) of all bodies: Σ ṗ_i over the mass."""
    gained = [_momentum_rate(body.integrals, *body.equations, body.dcm_NB, A) for body, A in zip(bodies, accelerations, strict=True)]  # fmt: skip
    gained += [mass * acceleration for masses, _, _, rates in particles for mass, acceleration in zip(masses, rates, strict=True)]  # fmt: skip
    return sum(gained) / (sum(body.integrals.mass for body in bodies) + sum(np.sum(group[0]) for group in particles))


@shared
def _momentum_rate(integrals: Integrals, M: Inertia, b, dcm_NB, A):
    """ṗ of one body, the first rows of its equations of motion, in N."""
    return dcm_NB @ (momenta(integrals, M, A) + b)[:3]


@shared
def _own(integrals: Integrals, M: Inertia, position_N, dcm_NB, speeds, eta):
    """Of one body: first moment about N's origin, momentum, angular momentum about its frame, all in N, and energy."""
    own = momenta(integrals, M, speeds)
    first = integrals.mass * position_N + dcm_NB @ deformed_first_moment(integrals, eta)
    return first, dcm_NB @ own[:3], dcm_NB @ own[3:6], 0.5 * (speeds @ own)


@shared
def _own_of_particle(mass, position_N, velocity_N):
    return mass * position_N, mass * velocity_N, np.zeros(3), 0.5 * mass * (velocity_N @ velocity_N)


@shared
def _about(center, position_N, momentum, angular):
    """Angular momentum about the mass centre, from that about the body's frame."""
    return angular + cross(position_N - center, momentum)
