"""Gravity on every body and on its deformation.

    parameters()              signals
    at(r, scene, k)           g (3,) [m/s²] in N and U [J/kg] that a particle at r (3,) feels; r from the origin of S, in N
    load(body, scene, k)      (6+N,): force, torque about the body frame's origin, both in body axes, and modal forces
    potential(body, scene, k) the energy V [J] whose gradient they are

On an orbital frame both are differential: less the acceleration of the frame's falling origin (attraction.py).
With m, c(η), J_c(η) the body's mass, mass centre and inertia about it, R from the planet's centre to the mass centre, U the
potential of the point mass and of J₂ alike, and H = ∂²U/∂R², whose trace is zero, all in body axes:

    V = m U(R) + ½ H : ∫ρρᵀdm = m U(R) − ½ H : J_c                    to second order in size/R
    F = m g(R) + ½ ∂(H : J_c)/∂R
    T_c = 2 axial part of J_c H = Σ ε_ijk (J_c H)_jk
    Q_k = F · ∂c/∂η_k + ½ ∂J_c/∂η_k : H

(P. C. Hughes, Spacecraft Attitude Dynamics, section 8.1, has the point mass; the modal row is the gradient of the same V.) What is
neglected is of third order: (size/R)³ of the weight. Proved against a brute-force sum over points, differences of V, a body
cut in two, and by the Jacobi integral: tests/environment/test_gravity.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..algebra.dual import duals, rates_of
from ..algebra.rotation import cross, skew
from ..algebra.scalar import where
from ..bodies.equations import deformed_first_moment, first_moment_gradient, rate_coupling_with
from ..system.pieces import Declared, parameter
from ..system.signals import Parameter
from ..tree.kinematics import Moving
from .attraction import (
    attraction,
    attraction_over,
    differential_attraction,
    differential_oblateness,
    oblateness,
    oblateness_over,
    oblateness_rate,
    oblateness_strength,
)
from .frames import Scene, Sky
from .planet import J2, J2_EARTH, MU, MU_EARTH, RADIUS, RADIUS_EARTH
from .surrounding import Around


def mass_center(body: Moving):
    """c(η) (3,) in the body's frame and axes, and ∂c/∂η (3, N). A rotor, which has no mass, sits at its frame."""
    mass = where(body.integrals.mass > 0.0, body.integrals.mass, 1.0)
    return deformed_first_moment(body.integrals, body.eta) / mass, first_moment_gradient(
        body.integrals, body.eta
    ) / mass


def center_N(body: Moving):
    """The mass centre from the origin of S, in N (3,)."""
    return body.position_N + body.dcm_NB @ mass_center(body)[0]


def at_center(body: Moving, force, torque=(0.0, 0.0, 0.0)):
    """Load (6+N,) of a force at the mass centre and a torque, both (3,) in body axes."""
    c, gradient = mass_center(body)
    return np.concatenate([force, torque + cross(c, force), gradient.T @ force])


class Field(Around):
    """A field that is uniform over each body: it acts at the mass centre."""

    name = "environment"
    falls = False  # whether the origin of an orbital frame falls in it, beside the point mass
    weak = False  # whether it acts by its expansion (expansion.py), and is not stored

    def fall(self, R, V, sky: Sky, k) -> Falling:
        """Of a point at R (3,) with velocity V, from the planet's centre in N."""
        raise NotImplementedError

    def at(self, position_N, scene: Scene, k) -> tuple[Any, Any]:
        """Acceleration (3,) in N [m/s²] at a place, and potential [J/kg]."""
        raise NotImplementedError

    def load(self, body: Moving, scene: Scene, k):
        g, _ = self.at(center_N(body), scene, k)
        return at_center(body, body.integrals.mass * (body.dcm_NB.T @ g))

    def potential(self, body: Moving, scene: Scene, k):
        return body.integrals.mass * self.at(center_N(body), scene, k)[1]

    def potential_rate(self, body: Moving, scene: Scene, k):
        """∂V/∂t [W] (Environment.power), by dual numbers: V in closed form has no cancellation, nor has its derivative along V₀."""
        moving = replace(scene, position_N=duals(scene.position_N, scene.velocity_N))
        return rates_of(self.potential(body, moving, k))[()]


@dataclass(frozen=True)
class Falling:
    """The acceleration of a falling point by a field: g (3,) [m/s²] and its rate along the motion, in N."""

    g: np.ndarray
    rate: np.ndarray


@dataclass(frozen=True)
class UniformGravity(Field):
    """The same acceleration everywhere, in N: environment.gravity[1..3].

    With the first moment s = ∫(r + u) dm instead of the mass centre, so that it also acts on the imbalance of a massless rotor:
    F = m g,   T = s × g,   Q = (∂s/∂η)ᵀ g,   V = −g · (m R + s) with R the frame's place.
    """

    acceleration: Declared[Parameter] = parameter("uniform acceleration of gravity, in N", "m/s2", np.zeros(3), name="gravity", tunable=True)  # fmt: skip

    def at(self, r, scene: Scene, k):
        return k[self.acceleration], -k[self.acceleration] @ r

    def load(self, body: Moving, scene: Scene, k):
        g, s = body.dcm_NB.T @ k[self.acceleration], deformed_first_moment(body.integrals, body.eta)
        return np.concatenate(
            [body.integrals.mass * g, cross(s, g), first_moment_gradient(body.integrals, body.eta).T @ g]
        )

    def potential(self, body: Moving, scene: Scene, k):
        s = body.dcm_NB @ deformed_first_moment(body.integrals, body.eta)
        return -k[self.acceleration] @ (body.integrals.mass * body.position_N + s)


@dataclass(frozen=True)
class Pull:
    """The effect of a field on a body: g (3,) at its mass centre, in N; H (3, 3), and force and torque about the mass centre (3,) in addition to g, in body
    axes."""

    g: np.ndarray
    H: np.ndarray
    force: np.ndarray
    torque: np.ndarray


def pulled(body: Moving, pulls: Sequence[Pull]):
    """The load (6+N,) of several fields together: common operations are applied to their sum."""
    g, H, force, torque = (sum((getattr(each, name) for each in pulls[1:]), getattr(pulls[0], name)) for name in ("g", "H", "force", "torque"))  # fmt: skip
    spread = np.concatenate([np.zeros(6), central_inertia_change(body, H)])
    return at_center(body, body.integrals.mass * (body.dcm_NB.T @ g) + force, torque) + spread


class Attracting(Field):
    """The field of a planet, to second order in size/R of each body; differential on an orbital frame."""

    def over(self, R, z, J, k):
        """What it adds over a body, all in body axes: H (3, 3), force and torque about the mass centre (3,) of this file's heading;
        R (3,) the mass centre from the planet's, z (3,) the planet's axis, J (3, 3)."""
        raise NotImplementedError

    def pull(self, body: Moving, scene: Scene, k) -> Pull:
        return Pull(self.at(center_N(body), scene, k)[0], *self._over(body, scene, k))

    def load(self, body: Moving, scene: Scene, k):
        return pulled(body, [self.pull(body, scene, k)])

    def potential(self, body: Moving, scene: Scene, k):
        H, _, _ = self._over(body, scene, k)
        return super().potential(body, scene, k) - 0.5 * np.sum(H * central_inertia(body))

    def _over(self, body: Moving, scene: Scene, k):
        R = body.dcm_NB.T @ (scene.position_N + center_N(body))
        return self.over(R, body.dcm_NB.T @ scene.pole_N, central_inertia(body), k)


@dataclass(frozen=True)
class Oblateness(Attracting):
    """J₂ of the planet (attraction.py)."""

    j2: Declared[Parameter] = parameter(J2.description, J2.unit, J2_EARTH)
    orbiting: bool = False
    falls = True

    def fall(self, R, V, sky: Sky, k) -> Falling:
        strength = _strength(k)
        return Falling(oblateness(strength, R, sky.pole_N)[0], oblateness_rate(strength, R, V, sky.pole_N))

    def at(self, r, scene: Scene, k):
        if self.orbiting:
            return differential_oblateness(_strength(k), scene.position_N, r, scene.pole_N)
        return oblateness(_strength(k), r, scene.pole_N)

    def over(self, R, z, J, k):
        return oblateness_over(_strength(k), R, z, J)


def _strength(k):
    return oblateness_strength(k[MU], k[J2], k[RADIUS])


@dataclass(frozen=True)
class CentralGravity(Attracting):
    """A planet's point-mass field (attraction.py)."""

    mu: Declared[Parameter] = parameter(MU.description, MU.unit, MU_EARTH, min=0.0)
    radius: Declared[Parameter] = parameter(RADIUS.description, RADIUS.unit, RADIUS_EARTH, min=0.0)
    orbiting: bool = False

    def at(self, r, scene: Scene, k):
        if self.orbiting:
            return differential_attraction(k[MU], scene.position_N, r)
        return attraction(k[MU], r)

    def over(self, R, z, J, k):
        return attraction_over(k[MU], R, J)


def central_inertia(body: Moving):
    """J_c(η) = J + m c̃c̃, about the mass centre, (3, 3)."""
    c, _ = mass_center(body)
    return body.equations[0].frame[3:, 3:] + body.integrals.mass * (skew(c) @ skew(c))


def central_inertia_change(body: Moving, W):
    """½ ∂J_c/∂η_k : W for a symmetric W (3, 3) without trace, (N,): K_k : W + m cᵀW c_k, since
    ∂J_c/∂η_k = K_k + K_kᵀ − m[2(c·c_k)E − c c_kᵀ − c_k cᵀ] with c_k = ∂c/∂η_k.
    """
    c, gradient = mass_center(body)
    return rate_coupling_with(body.integrals, body.eta, W) + body.integrals.mass * (W @ c) @ gradient
