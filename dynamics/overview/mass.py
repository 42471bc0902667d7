"""Mass, mass centre and inertia of each body and of the whole craft at the start."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.rotation import E3
from ..bodies.equations import deformed_first_moment
from ..tree.kinematics import Moving


@dataclass(frozen=True)
class MassProperties:
    """mass [kg]; center (3,) [m] and inertia (3, 3) about it [kg m²], in the axes of the body (of the whole: of the first body)."""

    name: str
    mass: float
    center: np.ndarray
    inertia: np.ndarray

    @property
    def principal(self) -> np.ndarray:
        """(3,) principal moments of inertia [kg m²], the smallest first."""
        return np.linalg.eigvalsh(self.inertia)


def of_body(name: str, body: Moving) -> MassProperties:
    """Of one body in its deformed state: J about the frame minus m(c·c E − c cᵀ)."""
    mass = float(body.integrals.mass)
    first = np.asarray(deformed_first_moment(body.integrals, body.eta), float)
    center = first / mass if mass else np.zeros(3)
    inertia = np.asarray(body.equations[0].frame[3:, 3:], float)
    return MassProperties(name, mass, center, inertia - mass * _spread(center))


def of_particles(name: str, base: Moving, masses, positions) -> MassProperties:
    """Of mass outside bodies, (n,) at positions (n, 3) in N: a cable's beads, in the axes of the first body and from its origin."""
    places = (np.asarray(positions, float) - np.asarray(base.position_N, float)) @ np.asarray(base.dcm_NB, float)
    masses = np.asarray(masses, float)
    mass = float(masses.sum())
    center = masses @ places / mass if mass else np.zeros(3)
    spread = sum((m * _spread(place - center) for m, place in zip(masses, places, strict=True)), np.zeros((3, 3)))
    return MassProperties(name, mass, center, spread)


def of_all(bodies: list[Moving], own: list[MassProperties], cables: list[MassProperties]) -> MassProperties:
    """Of the whole, in the axes of the first body and from its origin: Steiner's theorem for each body, and for each cable."""
    base = bodies[0]
    places, turned = [], []
    for body, part in zip(bodies, own, strict=True):
        dcm = np.asarray(base.dcm_NB.T @ body.dcm_NB, float)
        places.append(np.asarray(base.dcm_NB.T @ (body.position_N - base.position_N), float) + dcm @ part.center)
        turned.append(dcm @ part.inertia @ dcm.T)
    own = [*own, *cables]
    places += [part.center for part in cables]
    turned += [part.inertia for part in cables]
    mass = sum(part.mass for part in own)
    center = sum(part.mass * place for part, place in zip(own, places, strict=True)) / mass
    about = (J + part.mass * _spread(place - center) for part, place, J in zip(own, places, turned, strict=True))
    return MassProperties("the whole", mass, center, sum(about))


def _spread(r):
    """(r·r) E − r rᵀ."""
    return (r @ r) * E3 - np.outer(r, r)
