"""The frame S that positions are relative to: inertial, or moving on an orbit.

On an orbit the origin of S falls freely. Everything in the tree is relative to that origin, and its acceleration
is taken off the gravity of each body in closed form (attraction.py): nothing small is the difference of
two large numbers.

    parameters()      signals
    states()          signals of the origin's own motion, where no closed form knows it
    initial(t, k)     their values at the start
    at(t, x, k)       Scene: where the origin is, and how S turns; x are the own states
    rates(x, k)       ẋ
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algebra.rotation import E3, quaternion_dcm
from ..system.frame_text import FALLING, FALLING_OBLATE, INERTIAL, PLANETARY
from ..system.keys import Key, Keys, Resolver, in_km
from ..system.pieces import Declared, Piece, parameter
from ..system.signals import Parameter, State
from ..tree.kinematics import SPACE, Space
from .attraction import attraction, oblateness, oblateness_rate, oblateness_strength
from .kepler import OrbitPoint, orbital_frame, point_on_orbit
from .planet import J2, MU, RADIUS

ORBIT = "environment.orbit"
ORIGIN = "the origin of O"
ZEROS = [0.0] * 3


@dataclass(frozen=True)
class Scene:
    """The surroundings at one instant: the origin of S, its position_N (3,) [m], velocity_N and acceleration_N from the
    planet's centre; S itself; q_NS (4,) where one is known that never jumps; the direction to the Sun in N, if anything
    asks for it, and how far the craft is in the planet's shadow (eclipse.py)."""

    time: Any
    position_N: np.ndarray
    velocity_N: np.ndarray
    acceleration_N: np.ndarray
    space: Space
    q_NS: np.ndarray | None = None
    sun_N: np.ndarray | None = None
    eclipse: Any = 0.0


ORBIT_KEYS = Keys("OrbitTable", "The orbit of the frame O from its elements: Kepler's, or osculating at the start where there is j2.", {
    "semi_major_axis": Key("positive", "[m]"),
    "eccentricity": Key("not negative", "0 is a circle; at most 0.95", 0.0, most=0.95),
    "inclination": Key("angle", "against the equator", 0.0),
    "raan": Key("angle", "right ascension of the ascending node", 0.0),
    "perigee": Key("angle", "argument of perigee", 0.0),
    "mean_anomaly": Key("angle", "of the reference point at time 0", 0.0),
})  # fmt: skip


def check_orbit(orbit: Any, radius: float, names: Resolver) -> None:
    """The elements of an orbit that stays above a planet of this radius."""
    size, round_ = orbit.semi_major_axis, orbit.eccentricity
    lowest = size * (1.0 - round_)
    if lowest > radius:
        return
    where = f"its lowest point is {lowest:g} m from the centre, the planet's radius {radius:g} m"
    if size > radius:
        most = 1.0 - radius / size
        less = f"less than {most:.4g} to stay above the surface with a semi-major axis of {size:g} m: {where}"
        names.expected("orbit.eccentricity", less, round_)
    else:
        names.expected("orbit.semi_major_axis", f"an orbit above the surface: {where}{in_km(size, radius)}", size)


class Known(Piece):
    """A frame whose motion is known in closed form: no states."""

    name = "environment"

    def initial(self, t, k):
        return np.zeros(0)

    def rates(self, x, k):
        return np.zeros(0)


@dataclass(frozen=True)
class InertialFrame(Known):
    """S = N: the origin is the planet's centre (or any point, where nothing attracts)."""

    text = INERTIAL
    orbiting = False

    def at(self, t, x, k) -> Scene:
        return Scene(t, np.zeros(3), np.zeros(3), np.zeros(3), SPACE, np.array([1.0, 0.0, 0.0, 0.0]))


@dataclass(frozen=True)
class OrbitFrame(Known):
    """S = O on a circular or elliptic Kepler orbit: x outward, y along track, z normal to the orbit. Angles in rad."""

    # fmt: off
    semi_major_axis: Declared[Parameter] = parameter("semi-major axis of the orbit that O falls on", "m", 7e6, min=1.0)
    eccentricity: Declared[Parameter] = parameter("eccentricity of the orbit that O falls on", "1", min=0.0, max=0.95)
    inclination: Declared[Parameter] = parameter("inclination of the orbit that O falls on", "rad")
    raan: Declared[Parameter] = parameter("right ascension of the ascending node of the orbit that O falls on", "rad")
    perigee: Declared[Parameter] = parameter("argument of perigee of the orbit that O falls on", "rad")
    mean_anomaly: Declared[Parameter] = parameter("mean anomaly of the origin of O at time 0", "rad")
    # fmt: on
    name = ORBIT
    text = FALLING
    orbiting = True

    def laws(self, k) -> list[tuple[str, Any]]:
        lowest = k[self.semi_major_axis] * (1.0 - k[self.eccentricity])
        below = f"{ORBIT}: the perigee, semi_major_axis · (1 − eccentricity), must be above environment.radius, the planet's surface"
        return [(below, lowest - k[RADIUS])]

    def at(self, t, x, k) -> Scene:
        point = self._point(t, k)
        dcm_NO = quaternion_dcm(point.q_NO)
        x, y, z = E3
        return Scene(
            time=t,
            position_N=dcm_NO @ (x * point.radius),
            velocity_N=dcm_NO @ (x * point.radius_dot + y * (point.radius * point.rate)),
            acceleration_N=dcm_NO @ (x * (-k[MU] / (point.radius * point.radius))),
            space=Space(dcm_NO, z * point.rate, z * point.acceleration),
            q_NS=point.q_NO,
        )

    def _point(self, t, k) -> OrbitPoint:
        """Where Kepler's orbit of the parameters is at time t."""
        mu, a = k[MU], k[self.semi_major_axis]
        mean = k[self.mean_anomaly] + np.sqrt(mu / (a * a * a)) * t
        shape = k[self.eccentricity], k[self.inclination], k[self.raan], k[self.perigee]
        return point_on_orbit(mu, a, *shape, mean)


@dataclass(frozen=True)
class OblateOrbitFrame(OrbitFrame):
    """S = O, whose origin falls in the gravity of an oblate planet, from the elements as osculating ones at the start.

    Its position R and velocity V are six states. O is spanned by them: x along R, z along h = R × V. With g the
    acceleration of gravity at R, in O's axes (g_x, g_y, g_z) (Gauss' equations; Battin, section 10.3):

        ω = (R g_z/h, 0, h/R²),   ḣ = R g_y,
        α = (Ṙ g_z/h + R ġ_z/h − R g_z ḣ/h², 0, ḣ/R² − 2hṘ/R³)   with ġ_z = z·(∂g/∂R V) − ω_x g_y

    (a point mass pulls within the plane, so g_y, g_z and z·∂g/∂R V are those of J₂ alone). Proved by
    tests/environment/test_oblate_orbit.py.
    """

    text = FALLING_OBLATE

    def states(self):
        size, text = self.semi_major_axis.start, f"acceleration of {ORIGIN} {PLANETARY.motion}"
        return [
            State(f"{ORBIT}.position", f"position of {ORIGIN} {PLANETARY.place}", "m", (size, 0.0, 0.0), nominal=size, derivative=f"{ORBIT}.velocity", calculated=True),
            State(f"{ORBIT}.velocity", f"velocity of {ORIGIN} {PLANETARY.motion}", "m/s", (0.0, 0.0, 0.0), nominal=1e-3 * size, derivative=f"{ORBIT}.acceleration",
                  derivative_unit="m/s2", derivative_description=text, calculated=True),
        ]  # fmt: skip

    def initial(self, t, k):
        start = super().at(t, np.zeros(0), k)
        return np.concatenate([start.position_N, start.velocity_N])

    def rates(self, x, k):
        return np.concatenate([x[3:], attraction(k[MU], x[:3])[0] + oblateness(_strength(k), x[:3])[0]])

    def at(self, t, x, k) -> Scene:
        R, V, strength = x[:3], x[3:], _strength(k)
        dcm_NO, rate = orbital_frame(R, V)
        r, r_dot = np.sqrt(R @ R), dcm_NO[:, 0] @ V
        h = rate * r * r
        _, g_y, g_z = dcm_NO.T @ oblateness(strength, R)[0]
        tilting, h_dot = r * g_z / h, r * g_y
        g_z_dot = dcm_NO[:, 2] @ oblateness_rate(strength, R, V) - tilting * g_y
        tilting_dot = (r_dot * g_z + r * g_z_dot - tilting * h_dot) / h
        rate_dot = (h_dot - 2.0 * rate * r * r_dot) / (r * r)
        x_O, _, z_O = E3
        space = Space(dcm_NO, x_O * tilting + z_O * rate, x_O * tilting_dot + z_O * rate_dot)
        return Scene(t, R, V, self.rates(x, k)[3:], space)


def _strength(k):
    return oblateness_strength(k[MU], k[J2], k[RADIUS])
