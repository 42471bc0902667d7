"""Two-body orbits: Kepler's equation, and the osculating elements of a position and velocity.

N has its z axis along the planet's spin axis, x to the vernal equinox (Earth). Textbook relations,
e.g. R. H. Battin, An Introduction to the Mathematics and Methods of Astrodynamics, chapters 3 and 4.
Proved by tests/environment/test_orbit.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..rotation import axis_angle_quaternion, cross, quaternion_product
from ..scalar import where

X, Z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
NEWTON_STEPS = 7  # E − e sin E = M to round-off for every e ≤ 0.95


def eccentric_anomaly(mean, e):
    """E of Kepler's equation E − e sin E = M, by a fixed number of Newton steps (the same text for symbols).

    Start: M + 0.85 e sign(sin M) (Danby), from which Newton's iteration converges for every M and e.
    """
    E = mean + 0.85 * e * where(np.sin(mean) < 0.0, -1.0, 1.0)
    for _ in range(NEWTON_STEPS):
        E = E - (E - e * np.sin(E) - mean) / (1.0 - e * np.cos(E))
    return E


@dataclass(frozen=True)
class OrbitPoint:
    """A point on a Kepler orbit: q_NO (4,) of its orbital frame O (x outward, y along track, z normal), radius R [m],
    Ṙ [m/s], rate of O about z θ̇ [rad/s] and θ̈ [rad/s²]."""

    q_NO: np.ndarray
    radius: object
    radius_dot: object
    rate: object
    acceleration: object


def orbit_quaternion(raan, inclination, latitude):
    """q_NO of a turn by Ω about z, i about the node, and the argument of latitude about the normal, (4,)."""
    node = quaternion_product(axis_angle_quaternion(Z, raan), axis_angle_quaternion(X, inclination))
    return quaternion_product(node, axis_angle_quaternion(Z, latitude))


def point_on_orbit(mu, a, e, inclination, raan, perigee, mean) -> OrbitPoint:
    """Where mean anomaly M [rad] is on the orbit; angles in rad, a in m, mu in m³/s².

    R = a(1 − e cos E),  Ṙ = √(μa) e sin E / R,  θ̇ = h/R²,  θ̈ = −2hṘ/R³ with h = √(μa(1 − e²));
    (cos ν/2, sin ν/2) = (√(1−e) cos E/2, √(1+e) sin E/2) / √(1 − e cos E) turns the frame by the true anomaly.
    """
    E = eccentric_anomaly(mean, e)
    shrink = 1.0 - e * np.cos(E)
    radius = a * shrink
    radius_dot = np.sqrt(mu * a) * e * np.sin(E) / radius
    h = np.sqrt(mu * a * (1.0 - e * e))
    half = np.array([np.sqrt(1.0 - e) * np.cos(0.5 * E), np.sqrt(1.0 + e) * np.sin(0.5 * E)]) / np.sqrt(shrink)
    turned = np.array([half[0], 0.0, 0.0, half[1]])
    q_NO = quaternion_product(orbit_quaternion(raan, inclination, perigee), turned)
    return OrbitPoint(q_NO, radius, radius_dot, h / radius**2, -2.0 * h * radius_dot / radius**3)


@dataclass(frozen=True)
class Elements:
    """Osculating elements: a [m], e [-], i, Ω, ω, ν, u = ω + ν [rad]; and the orbital rate h/R² [rad/s]."""

    semi_major_axis: object
    eccentricity: object
    inclination: object
    raan: object
    perigee: object
    true_anomaly: object
    latitude: object
    rate: object


def osculating(mu, R, V) -> Elements:
    """Elements of position R (3,) [m] and velocity V (3,) [m/s] from the planet's centre, in N.

    The node of an equatorial orbit is taken as the x axis and the perigee of a circular one where rounding puts it:
    u, and with it the frame O, is well defined all the same.
    """
    h = cross(R, V)
    r, h_size = np.sqrt(R @ R), np.sqrt(h @ h)
    flat = np.sqrt(h[0] * h[0] + h[1] * h[1])
    equatorial = flat < 1e-12 * h_size
    raan = np.arctan2(where(equatorial, 0.0, h[0]), where(equatorial, 1.0, -h[1]))
    node = np.array([np.cos(raan), np.sin(raan), 0.0 * raan])
    ahead = cross(h, node) / h_size
    e_vector = cross(V, h) / mu - R / r
    latitude = np.arctan2(R @ ahead, R @ node)
    perigee = np.arctan2(e_vector @ ahead, e_vector @ node)
    return Elements(
        semi_major_axis=1.0 / (2.0 / r - (V @ V) / mu),
        eccentricity=np.sqrt(e_vector @ e_vector),
        inclination=np.arctan2(flat, h[2]),
        raan=raan,
        perigee=perigee,
        true_anomaly=np.arctan2(np.sin(latitude - perigee), np.cos(latitude - perigee)),
        latitude=latitude,
        rate=h_size / (r * r),
    )
