"""The frame S that positions are relative to: inertial, or moving on an orbit.

On an orbit the origin of S falls freely. Everything in the tree is relative to that origin, and its acceleration
is subtracted from the gravity of each body in closed form (attraction.py), without cancellation.

    parameters()      signals
    states()          signals of the origin's own motion, where no closed form knows it
    initial(t, k)     their values at the start
    at(t, x, k, sky, falling, u)  Scene: where the origin is, and how S turns; x are the own states, `falling` the fields beside the point mass, u the inputs
    rates(x, scene)   ẋ
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..algebra.rotation import E3, quaternion_dcm
from ..system.frame_text import FALLING, FALLING_OBLATE, INERTIAL, PLANETARY
from ..system.keys import Key, Keys, Resolver, in_km
from ..system.pieces import Declared, Piece, parameter
from ..system.signals import Parameter, State
from ..tree.kinematics import SPACE, Space
from .attraction import attraction
from .kepler import OrbitPoint, orbital_frame, osculating, point_on_orbit
from .planet import MU, RADIUS

ORBIT = "environment.orbit"
ORIGIN = "the origin of O"
ZEROS = [0.0] * 3


@dataclass(frozen=True)
class Sky:
    """The part of a Scene that does not depend on the craft: the planet's own axes F, if there is a date (turning.py), its pole, and its angular velocity
    [rad/s] in N;
    `others`: position [m] and velocity of other bodies from the planet's centre, in N, by name."""

    dcm_FN: np.ndarray | None = None
    pole_N: np.ndarray = field(default_factory=lambda: E3[2])
    spin_N: np.ndarray = field(default_factory=lambda: np.zeros(3))
    others: dict[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)


@dataclass(frozen=True)
class Scene:
    """The environment at one time: the origin of S, its position_N (3,) [m], velocity_N and acceleration_N from the
    planet's centre; S itself; q_NS (4,) if there is one that never jumps; the direction to the Sun in N, if anything needs it, and the state of the planet's
    shadow (eclipse.py).

    For weak fields (expansion.py): `fallen`, their acceleration of the origin of S (3,); `seen`, one expansion per craft; `root`, the index of the one to use.
    """

    time: Any
    position_N: np.ndarray
    velocity_N: np.ndarray
    acceleration_N: np.ndarray
    space: Space
    q_NS: np.ndarray | None = None
    sun_N: np.ndarray | None = None
    eclipse: Any = 0.0
    sky: Sky = field(default_factory=Sky)
    fallen: np.ndarray = field(default_factory=lambda: np.zeros(3))
    seen: tuple = ()
    root: int = 0

    @property
    def dcm_FN(self) -> np.ndarray | None:
        return self.sky.dcm_FN

    @property
    def pole_N(self) -> np.ndarray:
        return self.sky.pole_N


NO_SKY = Sky()


ORBIT_KEYS = Keys("OrbitTable", "The orbit of the frame O from its elements: Kepler's, or osculating at the start where there is j2.", {
    "semi_major_axis": Key("positive", "[m]; needed without a file", None),
    "eccentricity": Key("not negative", "0 is a circle; at most 0.95", 0.0, most=0.95),
    "inclination": Key("angle", "against the equator", 0.0),
    "raan": Key("angle", "right ascension of the ascending node", 0.0),
    "perigee": Key("angle", "argument of perigee", 0.0),
    "mean_anomaly": Key("angle", "of the reference point at time 0", 0.0),
    "file": Key("file", "TLE, OMM or OEM in place of the elements: the orbit at the epoch of environment.time", None),
    "follow": Key("flag", "O moves along the states of an OEM over the whole run, and does not fall from the first", False),
    "attitude": Key("file", "AEM: axes of O over the run, in place of outward, along track and normal", None),
    "input": Key("flag", "position and velocity of O are inputs, which start on the orbit; its axes are those of N", False),
})  # fmt: skip


def check_orbit(orbit: Any, radius: float, names: Resolver) -> None:
    """The elements of an orbit that stays above a planet of this radius."""
    size, round_ = orbit.semi_major_axis, orbit.eccentricity
    if orbit.file is not None:
        return
    if size is None:
        names.missing("orbit.semi_major_axis", "the orbit has no file either")
        return
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


ELEMENTS = ("semi_major_axis", "eccentricity", "inclination", "raan", "perigee", "mean_anomaly")


def elements_of(mu: float, R, V) -> dict[str, float]:
    """The elements of an orbit by position and velocity."""
    found: Any = osculating(mu, R, V)
    e = float(found.eccentricity)
    if not 0.0 <= e <= 0.95:
        raise ValueError(f"has an orbit of eccentricity {e:.3f}, expected at most 0.95")
    half = np.arctan2(
        np.sqrt(1.0 - e) * np.sin(0.5 * found.true_anomaly), np.sqrt(1.0 + e) * np.cos(0.5 * found.true_anomaly)
    )
    eccentric = 2.0 * float(half)
    mean = eccentric - e * np.sin(eccentric)
    values = (found.semi_major_axis, e, found.inclination, found.raan, found.perigee, mean)
    return dict(zip(ELEMENTS, map(float, values), strict=True))


class Known(Piece):
    """A frame whose motion is known in closed form: no states.

    `steady`: it turns at a constant rate on a circle; `shown`: outputs give the position of its origin; `followed`: a Scene has no q_NS."""

    name = "environment"
    steady = shown = followed = False

    def initial(self, t, k):
        return np.zeros(0)

    def rates(self, x, scene: Scene):
        return np.zeros(0)


@dataclass(frozen=True)
class InertialFrame(Known):
    """S = N: the origin is the planet's centre (or any point, if there is no planet)."""

    text = INERTIAL
    orbiting = False

    def at(self, t, x, k, sky: Sky = NO_SKY, falling: Sequence = (), u=None) -> Scene:
        return Scene(t, np.zeros(3), np.zeros(3), np.zeros(3), SPACE, np.array([1.0, 0.0, 0.0, 0.0]), sky=sky)


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
    orbiting = steady = shown = True

    def laws(self, k) -> list[tuple[str, Any]]:
        lowest = k[self.semi_major_axis] * (1.0 - k[self.eccentricity])
        below = f"{ORBIT}: the perigee, semi_major_axis · (1 − eccentricity), must be above environment.radius, the planet's surface"
        return [(below, lowest - k[RADIUS])]

    def at(self, t, x, k, sky: Sky = NO_SKY, falling: Sequence = (), u=None) -> Scene:
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
            sky=sky,
        )

    def _point(self, t, k) -> OrbitPoint:
        """The point on Kepler's orbit of the parameters at time t."""
        mu, a = k[MU], k[self.semi_major_axis]
        mean = k[self.mean_anomaly] + np.sqrt(mu / (a * a * a)) * t
        shape = k[self.eccentricity], k[self.inclination], k[self.raan], k[self.perigee]
        return point_on_orbit(mu, a, *shape, mean)


@dataclass(frozen=True)
class OblateOrbitFrame(OrbitFrame):
    """S = O, whose origin falls in the gravity of a planet that is not a point mass, and of other bodies, from the elements as osculating ones at the start.

    Its position R and velocity V are six states. O is spanned by them: x along R, z along h = R × V. With g the
    acceleration of gravity at R, in O's axes (g_x, g_y, g_z) (Gauss' equations; Battin, section 10.3):

        ω = (R g_z/h, 0, h/R²),   ḣ = R g_y,
        α = (Ṙ g_z/h + R ġ_z/h − R g_z ḣ/h², 0, ḣ/R² − 2hṘ/R³)   with ġ_z = z·ġ_N − ω_x g_y, ġ_N the rate of g in axes of N

    (a point mass pulls within the plane, so g_y, g_z and z·ġ_N are those of the other fields alone). Proved by
    tests/environment/test_oblate_orbit.py and test_harmonics.py.
    """

    text = FALLING_OBLATE
    steady = shown = False
    followed = True

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

    def rates(self, x, scene: Scene):
        return np.concatenate([x[3:], scene.acceleration_N])

    def at(self, t, x, k, sky: Sky = NO_SKY, falling: Sequence = (), u=None) -> Scene:
        R, V = x[:3], x[3:]
        g, g_dot, fallen = fall_of(R, V, sky, k, falling)
        space = along_orbit(R, V, g, g_dot)
        return Scene(t, R, V, attraction(k[MU], R)[0] + g, space, sky=sky, fallen=fallen)


def fall_of(R, V, sky: Sky, k, falling: Sequence):
    """g (3,) of fields beside the point mass, its rate along the motion, and the share of weak ones in g, in N."""
    found = [field.fall(R, V, sky, k) for field in falling]
    g, g_dot = (sum((getattr(each, name) for each in found), np.zeros(3)) for name in ("g", "rate"))
    fallen = sum((each.g for each, field in zip(found, falling, strict=True) if field.weak), np.zeros(3))
    return g, g_dot, fallen


def along_orbit(R, V, g, g_dot) -> Space:
    """O spanned by R and V (3,), with the acceleration g of its origin and its rate; parts of g within the plane along R do not matter."""
    dcm_NO, rate = orbital_frame(R, V)
    r, r_dot = np.sqrt(R @ R), dcm_NO[:, 0] @ V
    h = rate * r * r
    _, g_y, g_z = dcm_NO.T @ g
    tilting, h_dot = r * g_z / h, r * g_y
    g_z_dot = dcm_NO[:, 2] @ g_dot - tilting * g_y
    tilting_dot = (r_dot * g_z + r * g_z_dot - tilting * h_dot) / h
    rate_dot = (h_dot - 2.0 * rate * r * r_dot) / (r * r)
    x_O, _, z_O = E3
    return Space(dcm_NO, x_O * tilting + z_O * rate, x_O * tilting_dot + z_O * rate_dot)
