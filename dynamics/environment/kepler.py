"""Two-body orbits: Kepler's equation, and the osculating elements of a position and velocity.

N has its z axis along the planet's spin axis, x to the vernal equinox (Earth). Textbook relations,
e.g. R. H. Battin, An Introduction to the Mathematics and Methods of Astrodynamics, chapters 3 and 4.
Proved by tests/environment/test_orbit.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algebra.rotation import axis_angle_quaternion, cross, quaternion_dcm, quaternion_product
from ..algebra.scalar import absolute, minimum, where

X, Y, Z = np.eye(3)
DEGENERATE = 1e-12  # an orbit closer than this to an equatorial, circular, radial or parabolic one is treated as such
CENTRE = 1e-50  # closer than this to the planet's centre [m] no outward direction is defined: R⁴ must not underflow
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
    radius: Any
    radius_dot: Any
    rate: Any
    acceleration: Any


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


def point_and_velocity(mu, a, e, inclination, raan, perigee, mean) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Position [m] and velocity [m/s] from the planet's centre, in N, of numbers as `point_on_orbit` takes."""
    point = point_on_orbit(mu, a, e, inclination, raan, perigee, mean)
    dcm_NO = quaternion_dcm(point.q_NO)
    return tuple(dcm_NO @ (X * point.radius)), tuple(dcm_NO @ (X * point.radius_dot + Y * (point.radius * point.rate)))


def orbital_frame(R, V):
    """dcm_NO (3, 3) of the orbital frame O of a point at R moving with V (3,), and |R × V|/R² [rad/s], its rate about z.

    x along R, z along R × V (of a radial orbit: as `osculating` has it, at the rate 0), from the planet's centre in N.
    In the centre itself, where gravity has no value either, the frame is that of a point at rest on the x axis: it keeps the axes of N.
    """
    centre = R @ R < CENTRE**2
    R, V = where(centre, X, R), where(centre, np.zeros(3), V)
    h, square = _normal(R, V), R @ R
    x, size = R / np.sqrt(square), np.sqrt(h @ h)
    z = h / size
    return np.column_stack([x, cross(z, x), z]), where(_radial(R, V), 0.0, size / square)


@dataclass(frozen=True)
class Elements:
    """Osculating elements: a [m], e [-], i, Ω, ω, ν, u = ω + ν [rad]."""

    semi_major_axis: object
    eccentricity: object
    inclination: object
    raan: object
    perigee: object
    true_anomaly: object
    latitude: object


def osculating(mu, R, V) -> Elements:
    """Elements of position R (3,) [m] and velocity V (3,) [m/s] from the planet's centre, in N.

    h = R × V,  e = V × h/μ − R/R,  1/a = 2/R − V²/μ; the node is along z × h.

    Every orbit has finite elements with finite derivatives, and none jumps but by a whole turn. Where one is not defined, to
    DEGENERATE of its size:

        equatorial       the node is the x axis: Ω = 0, and i = 0 or π
        circular         the perigee is at the node: e = ω = 0
        radial, at rest  the plane is that in which it would start eastward: i is the latitude (over a pole: toward y)
        parabolic        a = R/DEGENERATE

    There the derivatives of the fixed elements are zero; within DEGENERATE, Ω and ω blend into them (`_held`). Proved by tests/environment/test_orbit.py.
    """
    r = np.sqrt(R @ R)
    h = _normal(R, V)
    h_size = np.sqrt(h @ h)
    equatorial = h[0] * h[0] + h[1] * h[1] < (DEGENERATE * h_size) ** 2
    across = np.array([where(equatorial, 0.0, h[0]), where(equatorial, 1.0, h[1])])  # of h, perpendicular to z
    to_node = _held(np.array([-h[1], h[0]]) / h_size, X[:2])
    raan = np.arctan2(to_node[1], to_node[0])
    tilted = np.arctan2(np.sqrt(across @ across), h[2])
    node = np.array([np.cos(raan), np.sin(raan), 0.0 * raan])
    ahead = cross(h, node) / h_size
    e_vector = cross(V, cross(R, V)) / mu - R / r
    circular = e_vector @ e_vector < DEGENERATE**2
    latitude = np.arctan2(R @ ahead, R @ node)
    to_perigee = _held(e_vector, node)
    perigee = np.arctan2(to_perigee @ ahead, to_perigee @ node)
    energy = 2.0 - (V @ V) * r / mu  # r/a
    return Elements(
        semi_major_axis=r / where(absolute(energy) < DEGENERATE, DEGENERATE, energy),
        eccentricity=where(circular, 0.0, np.sqrt(where(circular, 1.0, e_vector @ e_vector))),
        inclination=where(equatorial, where(h[2] < 0.0, np.pi, 0.0), tilted),
        raan=raan,
        perigee=perigee,
        true_anomaly=np.arctan2(np.sin(latitude - perigee), np.cos(latitude - perigee)),
        latitude=latitude,
    )


def _held(vector, instead):
    """A vector that may vanish, with a defined direction: unchanged above DEGENERATE, below it blends into the unit vector `instead`."""
    share = minimum((vector @ vector) / DEGENERATE**2, 1.0)
    return share * vector + (1.0 - share) * DEGENERATE * instead


def _radial(R, V):
    """Whether V is along R or zero, to DEGENERATE: there is no orbital plane."""
    h = cross(R, V)
    return h @ h <= DEGENERATE**2 * ((R @ R) * (V @ V))


def _normal(R, V):
    """h = R × V (3,), or that of a start eastward where V is along R: z R² − (z·R) R, over a pole R × y."""
    pole = R[0] * R[0] + R[1] * R[1] <= DEGENERATE**2 * (R @ R)
    eastward = where(pole, cross(R, Y), Z * (R @ R) - R[2] * R)
    return where(_radial(R, V), eastward, cross(R, V))
