"""Mass centre, momentum, angular momentum and kinetic energy of all bodies together.

Body i alone has (p, L, π) = M_i (v, ω, η̇): linear momentum, angular momentum about its own frame's origin,
both in body axes, and modal momenta; kinetic energy ½ (v, ω, η̇)ᵀ M_i (v, ω, η̇).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..bodies.equations import deformed_first_moment, mass_matrix
from ..bodies.integrals import Integrals
from ..rotation import cross
from ..scalar import shared
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
    own = [_own(body.integrals, body.position_N, body.dcm_NB, body.speeds, body.eta) for body in bodies]
    mass = sum(body.integrals.mass for body in bodies) + sum(sum(masses) for masses, _, _ in particles)
    first = sum(part[0] for part in own) + sum(masses @ places for masses, places, _ in particles)
    center = first / mass
    momentum = sum(part[1] for part in own) + sum(masses @ velocities for masses, _, velocities in particles)
    angular = sum(_about(center, body.position_N, part[1], part[2]) for body, part in zip(bodies, own, strict=True))
    for masses, places, velocities in particles:
        angular = angular + sum(m * cross(r - center, v) for m, r, v in zip(masses, places, velocities, strict=True))
    energy = sum(part[3] for part in own) + sum(0.5 * (masses @ np.sum(v * v, axis=1)) for masses, _, v in particles)
    return Totals(mass, center, momentum, angular, energy)


@shared
def _own(integrals: Integrals, position_N, dcm_NB, speeds, eta):
    """Of one body: first moment about N's origin, momentum, angular momentum about its frame, all in N, and energy."""
    momenta = mass_matrix(integrals, eta) @ speeds
    first = integrals.mass * position_N + dcm_NB @ deformed_first_moment(integrals, eta)
    return first, dcm_NB @ momenta[:3], dcm_NB @ momenta[3:6], 0.5 * (speeds @ momenta)


@shared
def _about(center, position_N, momentum, angular):
    """Angular momentum about the mass centre of one that is given about the body's frame."""
    return angular + cross(position_N - center, momentum)
