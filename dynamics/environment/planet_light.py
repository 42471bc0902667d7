"""Light of the planet: scattered sunlight (albedo) and its own infrared radiation, and the share that a face receives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.scalar import maximum, minimum
from ..system.pieces import Declared, parameter
from ..system.signals import Parameter
from .surrounding import Around

ROUND_OFF = 1e-14


@dataclass(frozen=True)
class PlanetLight(Around):
    """A grey, evenly warm planet; both fluxes are those that leave its surface."""

    name = "environment"
    albedo: Declared[Parameter] = parameter("share of sunlight that the planet scatters back", "1", min=0.0, max=1.0)
    infrared: Declared[Parameter] = parameter("infrared radiation of the planet, at its surface", "W/m2", min=0.0)

    def scattered(self, R, sun_N, flux, k):
        """Scattered sunlight as if the whole visible planet were lit as the point below R (3,) is [W/m²]: a S cos(angle there to the Sun).

        The usual first-order model (Gilmore, Spacecraft Thermal Control Handbook I, section 2.2); nothing on the night side.
        """
        return k[self.albedo] * flux * maximum(R @ sun_N / np.sqrt(R @ R), 0.0)


def view_of_sphere(cosine, sine):
    """View factor from a small face to a sphere: `cosine` of the angle θ between normal and centre, `sine` of its angular radius ρ.

    All of it above the face's horizon (cos θ > sin ρ): sin²ρ cos θ. Cut by the horizon:
        F = ½ − asin(cos ρ/sin θ)/π + (sin²ρ/π)[cos θ acos(−cot ρ cot θ) − cot ρ √(1 − cos²θ/sin²ρ)].
    Source: Howell, A Catalog of Radiation Heat Transfer Configuration Factors, B-43. Proved by numerical integration: tests/thermal/test_light.py.
    """
    sine = minimum(sine, 1.0 - ROUND_OFF)
    up = np.sqrt(1.0 - sine * sine)  # cos ρ
    tilt = minimum(maximum(cosine / sine, -1.0), 1.0)
    root = np.sqrt(maximum(1.0 - tilt * tilt, ROUND_OFF))
    horizon = np.arctan2(up, sine * root)  # asin(cos ρ/sin θ)
    lune = np.arctan2(root, -up * tilt)  # acos(−cot ρ cot θ)
    part = 0.5 - horizon / np.pi + sine * (sine * sine * tilt * lune - up * root) / np.pi
    return part + sine * sine * maximum(cosine - sine, 0.0)  # beyond the cut `part` stands at 0, or at sin³ρ
