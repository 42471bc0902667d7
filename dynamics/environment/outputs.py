"""Output pieces of the environment: outputs() and values(instant), as dynamics.spacecraft.outputs has them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..pieces import Piece
from ..rotation import cross, dcm_quaternion
from ..signals import Signal, vector
from ..tree.totals import totals
from .kepler import orbital_frame, osculating
from .magnetic import DipoleField
from .sun import Sun


def _pose_signals(name: str, frame: str):
    return [
        *vector(f"{name}.position", f"position relative to {frame}", [0.0] * 3, "m"),
        *vector(f"{name}.velocity", f"velocity relative to {frame}", [0.0] * 3, "m/s"),
        *vector(f"{name}.quaternion", f"attitude relative to {frame}, scalar first", [1.0, 0.0, 0.0, 0.0], "1"),
        *vector(f"{name}.angular_velocity", f"angular velocity relative to {frame}, in body axes", [0.0] * 3, "rad/s"),
    ]


@dataclass(frozen=True)
class InertialMotion(Piece):
    """Of a body's frame, beside its states relative to O: from the planet's centre, in N."""

    body: int
    name: str

    def outputs(self):
        return _pose_signals(f"{self.name}.inertial", "N, from the planet's centre")

    def values(self, instant):
        body, scene = instant.moment.bodies[self.body], instant.moment.scene
        return np.concatenate(
            [
                scene.position_N + body.position_N,
                scene.velocity_N + body.dcm_NB @ body.velocity,
                dcm_quaternion(body.dcm_NB),
                body.omega,
            ]
        )


@dataclass(frozen=True)
class OrbitalMotion(Piece):
    """Of a body's frame, beside its states in N: relative to the orbital frame O that osculates the mass centre's motion."""

    body: int
    name: str

    def outputs(self):
        return _pose_signals(f"{self.name}.orbital", "the orbital frame O of the mass centre, in O")

    def values(self, instant):
        moment = instant.moment
        body = moment.bodies[self.body]
        center, velocity = _center(instant)
        dcm_NO, rate = orbital_frame(center, velocity)
        omega_O = np.array([0.0, 0.0, 1.0]) * rate
        dcm_OB = dcm_NO.T @ body.dcm_NB
        position = dcm_NO.T @ (body.position_N - center)
        moved = dcm_NO.T @ (body.dcm_NB @ body.velocity - velocity) - cross(omega_O, position)
        return np.concatenate([position, moved, dcm_quaternion(dcm_OB), body.omega - dcm_OB.T @ omega_O])


@dataclass(frozen=True)
class Directions(Piece):
    """To the Earth (the planet) and, if known, to the Sun, and the magnetic field: all in body axes."""

    body: int
    name: str
    sun: Sun | None
    field: DipoleField | None

    def outputs(self):
        rows = vector(
            f"{self.name}.earth_direction", "unit vector to the planet's centre, in body axes", [0.0] * 3, "1"
        )
        if self.sun is not None:
            rows += vector(f"{self.name}.sun_direction", "unit vector to the Sun, in body axes", [0.0] * 3, "1")
            rows.append(Signal(f"{self.name}.sunlit", "share of the Sun's disc that the planet does not hide", "1"))
        if self.field is not None:
            rows += vector(f"{self.name}.magnetic_field", "the planet's magnetic field, in body axes", [0.0] * 3, "T")
        return rows

    def values(self, instant):
        body, scene, k = instant.moment.bodies[self.body], instant.moment.scene, instant.moment.k
        R = scene.position_N + body.position_N
        parts = [body.dcm_NB.T @ (-R / np.sqrt(R @ R))]
        if self.sun is not None:
            parts += [body.dcm_NB.T @ scene.sun_N, [self.sun.lit(R, scene.sun_N, k)]]
        if self.field is not None:
            parts.append(body.dcm_NB.T @ self.field.at(scene.time, R, k))
        return np.concatenate(parts)


@dataclass(frozen=True)
class SystemOrbit(Piece):
    """Osculating elements of the mass centre."""

    NAMES = (
        ("semi_major_axis", "semi-major axis", "m"),
        ("eccentricity", "eccentricity", "1"),
        ("inclination", "inclination", "rad"),
        ("raan", "right ascension of the ascending node", "rad"),
        ("perigee", "argument of perigee", "rad"),
        ("true_anomaly", "true anomaly", "rad"),
        ("latitude", "argument of latitude", "rad"),
    )

    def outputs(self):
        return [
            Signal(f"system.orbit.{name}", f"{text} of the mass centre's osculating orbit", unit)
            for name, text, unit in self.NAMES
        ]

    def values(self, instant):
        orbit = osculating(instant.moment.k["environment.mu"], *_center(instant))
        return np.array([getattr(orbit, name) for name, _, _ in self.NAMES])


@dataclass(frozen=True)
class JacobiIntegral(Piece):
    """T − ω_O·L + V with T, L, V relative to the origin of O, L about it: constant on a circular orbit without losses."""

    def outputs(self):
        return [
            Signal(
                "system.jacobi_integral",
                "Jacobi integral: kinetic plus potential energy of motion relative to the orbital frame",
                "J",
            )
        ]

    def values(self, instant):
        total, space = totals(instant.moment.bodies, instant.particles), instant.moment.scene.space
        about_origin = total.angular_momentum + cross(total.mass_center, total.momentum)
        return np.array([total.kinetic_energy - (space.dcm_NS @ space.omega) @ about_origin + instant.potential])


def _center(instant):
    """Position and velocity of the mass centre from the planet's centre, in N."""
    total, scene = totals(instant.moment.bodies, instant.particles), instant.moment.scene
    return scene.position_N + total.mass_center, scene.velocity_N + total.momentum / total.mass
