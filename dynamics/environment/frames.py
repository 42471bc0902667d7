"""The frame S that positions are relative to: inertial, or moving on a Kepler orbit.

On an orbit the origin of S falls freely. Everything in the tree is relative to that origin, and its acceleration
−μR₀/R₀³ is taken off the gravity of each body in closed form (gravity.py): nothing small is the difference of
two large numbers.

    parameters()      signals
    at(t, k)          Scene: where the origin is, and how S turns
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..rotation import E3, quaternion_dcm
from ..signals import Signal
from ..tree.kinematics import SPACE, Space
from .kepler import point_on_orbit

ORBIT = "environment.orbit"


@dataclass(frozen=True)
class Scene:
    """The surroundings at one instant: the origin of S, its position_N (3,) [m] and velocity_N (3,) [m/s] from the
    planet's centre; S itself; the direction to the Sun in N, if anything asks for it."""

    time: object
    position_N: np.ndarray
    velocity_N: np.ndarray
    q_NS: np.ndarray
    space: Space
    sun_N: np.ndarray | None = None


@dataclass(frozen=True)
class InertialFrame:
    """S = N: the origin is the planet's centre (or any point, where nothing attracts)."""

    label = "N"
    orbiting = False

    def parameters(self):
        return []

    def at(self, t, k) -> Scene:
        return Scene(t, np.zeros(3), np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]), SPACE)


@dataclass(frozen=True)
class OrbitFrame:
    """S = O on a circular or elliptic orbit: x outward, y along track, z normal to the orbit. Angles in rad."""

    semi_major_axis: float
    eccentricity: float = 0.0
    inclination: float = 0.0
    raan: float = 0.0
    perigee: float = 0.0
    mean_anomaly: float = 0.0
    label = "O"
    orbiting = True

    def parameters(self):
        return [
            Signal(
                f"{ORBIT}.semi_major_axis", "semi-major axis of the reference orbit", "m", self.semi_major_axis, min=1.0
            ),
            Signal(
                f"{ORBIT}.eccentricity",
                "eccentricity of the reference orbit",
                "1",
                self.eccentricity,
                min=0.0,
                max=0.95,
            ),
            Signal(f"{ORBIT}.inclination", "inclination of the reference orbit", "rad", self.inclination),
            Signal(f"{ORBIT}.raan", "right ascension of its ascending node", "rad", self.raan),
            Signal(f"{ORBIT}.perigee", "its argument of perigee", "rad", self.perigee),
            Signal(f"{ORBIT}.mean_anomaly", "mean anomaly of the reference point at time 0", "rad", self.mean_anomaly),
        ]

    def at(self, t, k) -> Scene:
        mu, a = k["environment.mu"], k[f"{ORBIT}.semi_major_axis"]
        mean = k[f"{ORBIT}.mean_anomaly"] + np.sqrt(mu / (a * a * a)) * t
        shape = (k[f"{ORBIT}.{name}"] for name in ("eccentricity", "inclination", "raan", "perigee"))
        point = point_on_orbit(mu, a, *shape, mean)
        dcm_NO = quaternion_dcm(point.q_NO)
        x, y, z = E3
        return Scene(
            time=t,
            position_N=dcm_NO @ (x * point.radius),
            velocity_N=dcm_NO @ (x * point.radius_dot + y * (point.radius * point.rate)),
            q_NS=point.q_NO,
            space=Space(dcm_NO, z * point.rate, z * point.acceleration),
        )
