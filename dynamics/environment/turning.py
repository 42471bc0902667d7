"""The planet's rotation in N: the table [environment.time], and the ground track of the craft.

    R_F = W R₃(θ₀ + ω t + σ(t)) Q(X(t), Y(t)) R_N       F: ITRF, the planet's own axes

X, Y are the first two components of the pole in N, Q is the smallest rotation that takes it to z (IERS Conventions 2010, eq. (5.6) with s = 0), σ the remaining
angle. With axes = "equator" N's z stays the pole at time 0 (the Earth: TEME of that date) and Q = E; with axes = "GCRF" X, Y and σ
are polynomials through the values of earth.py over a `span` from time 0; after it the pole is constant, an error of at most 0.05" per day.
Proved by tests/environment/test_turning.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algebra.scalar import maximum, minimum, where
from ..system.keys import Key, Resolver
from ..system.pieces import Declared, Piece, parameter
from ..system.signals import Parameter, Quantity
from .earth import (
    ERA_RATE,
    PLANETS,
    TURN,
    bias_precession,
    celestial_to_terrestrial,
    planet_axes,
    rotation_z,
    sidereal_time_1982,
)
from .eop import Observed, no_observation, read_eop
from .epoch import DAY, SCALES, Epoch, epoch_of
from .frames import Sky
from .planet import RADIUS, SPIN_EARTH
from .surrounding import Around, Surrounding

FLATTENING_EARTH = 1.0 / 298.257223563  # WGS 84
LONGEST_SPAN = 30.0 * DAY
GOOD = 1e-10  # of X, Y and the angle [rad]; polynomials grow to degree 10 for it
NEAR_AXIS = 1e-14  # squared distance from the planet's axis, by its radius, within which there is no longitude


@dataclass(frozen=True)
class Turning(Around):
    """`days` of TT after J2000.0 at time 0; pole (3, n): X, Y and σ by powers of t/span; `wobble` (2, 2): x and y of the pole of rotation in F at time 0, and their change over the span [rad]; `mean` (3, 3): to N from the mean equator of date; `dcm_NG` (3, 3): from GCRF; `dcm_TG`: from GCRF to TEME of time 0, of the Earth; `utc`: days after J2000.0."""

    name = "environment.rotation"
    angle: Declared[Parameter] = parameter("angle from N's x axis to the planet's prime meridian at time 0, about its pole", "rad")  # fmt: skip
    rate: Declared[Parameter] = parameter("rate at which the planet turns about its pole", "rad/s")
    flattening: Declared[Parameter] = parameter("flattening of the planet: that of its polar radius", "1", min=0.0, max=0.5)  # fmt: skip
    days: float = 0.0
    planet: str = "earth"
    pole: np.ndarray | None = None
    span: float = DAY
    wobble: np.ndarray | None = None
    mean: np.ndarray | None = None
    dcm_NG: np.ndarray | None = None
    dcm_TG: np.ndarray | None = None
    utc: float = 0.0

    @property
    def rate_start(self) -> float:
        """Rate of its rotation, as in the description [rad/s]."""
        return float(self.rate.start)

    @property
    def start(self) -> np.ndarray:
        """dcm_FN at time 0, as in the description."""
        return self.at(0.0, {self.angle: float(self.angle.start), self.rate: self.rate_start})

    def from_GCRF(self, vector):
        """Components in N of a vector (3,) in GCRF."""
        return vector if self.dcm_NG is None else self.dcm_NG @ vector

    def at(self, t, k):
        """dcm_FN (3, 3): from N to the planet's own axes."""
        angle = k[self.angle] + k[self.rate] * t
        if self.pole is None:
            turned = about_z(angle)
        else:
            X, Y, more = self._followed(t)
            turned = about_z(angle + more) @ to_pole(X, Y)
        return turned if self.wobble is None else small_polar_motion(*(self.wobble @ np.array([1.0, self._share(t)]))) @ turned  # fmt: skip

    def _share(self, t):
        """Of the span that has passed."""
        return minimum(maximum(t, 0.0), self.span) / self.span

    def sky(self, t, k) -> Sky:
        """The planet's axes, pole and angular velocity; the pole's own motion is left out of the latter."""
        dcm_FN = self.at(t, k)
        return Sky(dcm_FN, dcm_FN[2], dcm_FN[2] * k[self.rate])

    def _followed(self, t):
        assert self.pole is not None
        s = self._share(t)
        found = self.pole[:, -1]
        for column in self.pole.T[-2::-1]:
            found = found * s + column
        return found

    def from_mean_equator(self, vector):
        """Components in N of a vector (3,) in the mean equator and equinox of date."""
        return vector if self.mean is None else self.mean @ vector


def about_z(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])


def to_pole(X, Y):
    """The smallest turn that takes the unit vector (X, Y, Z), Z > −1, to z."""
    Z = np.sqrt(1.0 - X * X - Y * Y)
    a = 1.0 / (1.0 + Z)
    return np.array([[1.0 - a * X * X, -a * X * Y, -X], [-a * X * Y, 1.0 - a * Y * Y, -Y], [X, Y, Z]])


def small_polar_motion(x, y):
    """earth.polar_motion to second order in x and y, which are 3e-6 rad at most."""
    return np.array([[1.0 - 0.5 * x * x, 0.0, x], [x * y, 1.0 - 0.5 * y * y, -y], [-x, y, 1.0 - 0.5 * (x * x + y * y)]])


def _of_earth(epoch: Epoch, observed: Observed, axes: str, span: float, flattening: float) -> Turning:
    dcm_TG = rotation_z(sidereal_time_1982(epoch.ut1)).T @ celestial_to_terrestrial(epoch.tt, epoch.ut1)
    named = {"dcm_TG": dcm_TG, "utc": epoch.ut1 - observed.ut1_utc / DAY}
    wobble = np.stack([observed.pole, span * observed.pole_rate], axis=1) if observed.wobbles else None
    if axes == "equator":
        start, end = (sidereal_time_1982(epoch.ut1 + day) for day in (0.0, 1.0))
        rate = (TURN + (end - start) % TURN) / DAY
        turned = (start % TURN, observed.slowed(rate), flattening, epoch.tt)
        return Turning(*turned, span=span, wobble=wobble, dcm_NG=dcm_TG, **named)
    rate = observed.slowed(TURN * ERA_RATE / DAY)
    days = np.linspace(0.0, span, 49) / DAY
    found = np.array([_split(celestial_to_terrestrial(epoch.tt + d, epoch.ut1 + d * rate * DAY / (TURN * ERA_RATE))) for d in days])  # fmt: skip
    found[:, :2] += observed.offsets
    found[:, 2] = np.unwrap(found[:, 2] - rate * days * DAY)
    start = found[0, 2]
    found[:, 2] -= start
    mean = bias_precession(epoch.tt).T
    pole = _polynomials(days / days[-1], found)
    return Turning(start % TURN, rate, flattening, epoch.tt, pole=pole, span=span, wobble=wobble, mean=mean, **named)


def _split(dcm):
    """X, Y and the angle of a matrix from N to a planet's axes."""
    X, Y, _ = dcm[2]
    left = dcm @ to_pole(X, Y).T
    return X, Y, np.arctan2(left[0, 1], left[0, 0])


def _polynomials(s, values):
    """Coefficients (3, n) of polynomials in s through values (m, 3), of the lowest degree that is GOOD."""
    for degree in range(2, 11):
        fitted = np.polynomial.polynomial.polyfit(s, values, degree)
        if np.abs(np.polynomial.polynomial.polyval(s, fitted) - values.T).max() < GOOD:
            break
    return fitted.T


def _of_planet(name: str, epoch: Epoch, axes: str, flattening: float) -> Turning:
    dcm, meridian, rate = planet_axes(name, epoch.tt)
    if axes == "equator":
        return Turning(meridian % TURN, rate, flattening, epoch.tt, name, dcm_NG=dcm)
    X, Y, angle = _split(rotation_z(meridian) @ dcm)
    if dcm[2, 2] < 0.0:
        raise ValueError(f'"equator": the pole of {name} is below the plane of GCRF')
    return Turning(angle % TURN, rate, flattening, epoch.tt, name, pole=np.array([[X], [Y], [0.0]]))


def make_turning(table: Any, names: Resolver) -> Turning:
    observed = no_observation(table.ut1_utc, table.polar_motion)
    flattening = table.flattening
    if flattening is None:
        flattening = FLATTENING_EARTH if table.planet == "earth" else 0.0
    try:
        epoch = epoch_of(table.epoch, table.scale, table.ut1_utc)
    except ValueError as error:
        names.expected("epoch", str(error))
        return Turning(0.0, 0.0, 0.0)
    if table.eop is not None:
        try:
            observed = read_eop(names.file("eop"), epoch.utc_day, table.span)
            epoch = epoch_of(table.epoch, table.scale, observed.ut1_utc)
        except ValueError as error:
            names.refused("eop", f"{table.eop} {error}")
    if table.planet == "earth":
        return _of_earth(epoch, observed, table.axes, table.span, flattening)
    try:
        return _of_planet(table.planet, epoch, table.axes, flattening)
    except ValueError as error:
        names.expected("axes", str(error))
        return Turning(0.0, 0.0, 0.0)


TIME = Surrounding("Time 0, and how the planet turns: what fields that turn with it, and latitude and longitude, need.", {
    "epoch": Key("date", "time 0, e.g. 2026-03-20T12:00:00Z"),
    "scale": Key(SCALES, "of the epoch; TAI and TT without Z", "UTC"),
    "planet": Key(("earth", *PLANETS), "whose pole and rotation (IAU)", "earth"),
    "axes": Key(("equator", "GCRF"), "of N: z along the pole at time 0 (the Earth: TEME of that date), or GCRF", "equator"),
    "ut1_utc": Key("number", "UT1 − UTC at time 0 [s]", 0.0, least=-0.9, most=0.9),
    "polar_motion": Key("angle", "x and y of the Earth's pole of rotation in ITRF", (0.0, 0.0), count=(2, 2)),
    "eop": Key("file", "Earth orientation parameters in place of the two above: finals2000A of the IERS", None),
    "span": Key("positive", "time over which the pole in GCRF is followed [s]; behind it the pole stands still", 10.0 * DAY, most=LONGEST_SPAN),
    "flattening": Key("fraction", "of the planet, for latitude and altitude; default: that of WGS 84 for the Earth, else 0", None),
}, make_turning, "date of time 0, and the planet's rotation", planet=True)  # fmt: skip


def of_another_planet(names: Resolver) -> str:
    """The planet's name, unless it is the Earth or there is no date."""
    turning = names.environment.medium(Turning)
    return "" if turning is None or turning.planet == "earth" else turning.planet


def spin_of(table: Any, names: Resolver) -> float:
    """The `spin` [rad/s] of a table, else that of another planet, else the Earth's."""
    if table.spin is not None:
        return table.spin
    turning = names.environment.medium(Turning)
    return turning.rate_start if turning is not None and of_another_planet(names) else SPIN_EARTH


@dataclass(frozen=True)
class GroundTrack(Piece):
    """Position of the mass centre over the planet; with a Sun the local solar time and the angle between orbit and Sun."""

    turning: Turning
    sun: bool

    NAMES = (
        ("latitude", "geodetic latitude of the mass centre", "rad", (-np.pi / 2, np.pi / 2)),
        ("longitude", "longitude of the mass centre, eastward, goes round from pi to -pi", "rad", (-np.pi, np.pi)),
        ("altitude", "altitude of the mass centre above the planet's ellipsoid", "m", (None, None)),
    )
    OF_SUN = (
        ("local_solar_time", "true solar time of the mass centre, goes round from 86400 s to 0 at midnight", "s", (0.0, DAY)),
        ("beta_angle", "angle between the Sun and the plane of the mass centre's orbit, positive on the side of its angular momentum", "rad", (-np.pi / 2, np.pi / 2)),
    )  # fmt: skip

    def outputs(self):
        rows = (*self.NAMES, *(self.OF_SUN if self.sun else ()))
        return [Quantity(f"system.{name}", text, unit, min=low, max=high) for name, text, unit, (low, high) in rows]

    def values(self, instant):
        moment, total = instant.moment, instant.totals
        scene, k = moment.scene, moment.k
        R, V = scene.position_N + total.mass_center, scene.velocity_N + total.momentum / total.mass
        values = geodetic(scene.dcm_FN @ R, k[RADIUS], k[self.turning.flattening])
        if not self.sun:
            return np.array(values)
        craft, sun = scene.dcm_FN @ R, scene.dcm_FN @ scene.sun_N
        apart = np.arctan2(craft[1] * sun[0] - craft[0] * sun[1], craft[0] * sun[0] + craft[1] * sun[1] + NEAR_AXIS)
        h = np.array([R[1] * V[2] - R[2] * V[1], R[2] * V[0] - R[0] * V[2], R[0] * V[1] - R[1] * V[0]])
        size = h @ h
        along = (h @ scene.sun_N) / np.sqrt(where(size > 0.0, size, 1.0))
        return np.array(
            [*values, (0.5 + apart / TURN) * DAY, np.arctan2(along, np.sqrt(maximum(1.0 - along * along, NEAR_AXIS)))]
        )


def geodetic(R, radius, flattening):
    """Latitude, longitude [rad] and altitude [m] over an ellipsoid of R (3,) in the planet's axes, by three of Bowring's steps (Survey Review 23 (1976) 323):

    from 1000 km below the surface on to 1e-12 rad and a micrometre. On the axis the longitude is 0.
    """
    shrink = 1.0 - flattening
    e2 = flattening * (2.0 - flattening)
    square = R[0] * R[0] + R[1] * R[1]
    on_axis = square < NEAR_AXIS * radius * radius
    p = where(on_axis, 0.0, np.sqrt(where(on_axis, 1.0, square)))
    longitude = np.arctan2(where(on_axis, 0.0, R[1]), where(on_axis, 1.0, R[0]))
    sine, cosine = _unit(R[2], shrink * p)
    for _ in range(3):
        up = R[2] + e2 / shrink * radius * sine * sine * sine
        out = p - e2 * radius * cosine * cosine * cosine
        sine, cosine = _unit(shrink * up, out)
    latitude = np.arctan2(sine, shrink * cosine)
    s, c = _unit(sine, shrink * cosine)
    return latitude, longitude, p * c + R[2] * s - radius * np.sqrt(1.0 - e2 * s * s)


def _unit(y, x):
    """Sine and cosine of the direction (x, y)."""
    size = np.sqrt(x * x + y * y)
    return y / size, x / size
