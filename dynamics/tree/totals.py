"""Mass centre, momentum, angular momentum and kinetic energy of all bodies together.

Body i alone has (p, L, π) = M_i (v, ω, η̇): linear momentum, angular momentum about its own frame's origin,
both in body axes, and modal momenta; kinetic energy ½ (v, ω, η̇)ᵀ M_i (v, ω, η̇).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..bodies.equations import deformed_first_moment, mass_matrix
from ..rotation import cross
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
    """The totals; the angular momentum is summed about the mass centre at once, not as a difference of large moments.

    `particles`: groups of (masses (n,), positions (n, 3), velocities (n, 3)), in N, beside the bodies.
    """
    momenta = [mass_matrix(body.integrals, body.eta) @ body.speeds for body in bodies]
    mass = sum(body.integrals.mass for body in bodies) + sum(sum(masses) for masses, _, _ in particles)
    first = sum(
        body.integrals.mass * body.position_N + body.dcm_NB @ deformed_first_moment(body.integrals, body.eta)
        for body in bodies
    ) + sum(masses @ places for masses, places, _ in particles)
    center = first / mass
    momentum = sum(body.dcm_NB @ own[:3] for body, own in zip(bodies, momenta, strict=True))
    momentum = momentum + sum(masses @ velocities for masses, _, velocities in particles)
    angular = sum(
        body.dcm_NB @ own[3:6] + cross(body.position_N - center, body.dcm_NB @ own[:3])
        for body, own in zip(bodies, momenta, strict=True)
    )
    for masses, places, velocities in particles:
        angular = angular + sum(m * cross(r - center, v) for m, r, v in zip(masses, places, velocities, strict=True))
    energy = sum(0.5 * (body.speeds @ own) for body, own in zip(bodies, momenta, strict=True))
    energy = energy + sum(0.5 * (masses @ np.sum(v * v, axis=1)) for masses, _, v in particles)
    return Totals(mass, center, momentum, angular, energy)
