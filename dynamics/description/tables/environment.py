"""Tables of the environment: frame, gravity, Sun, air, magnetic field; surfaces and dipoles on bodies."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ...environment.planet import FIELD_EARTH, J2_EARTH, MU_EARTH, RADIUS_EARTH, SPIN_EARTH, SUN_PRESSURE, TILT_EARTH
from ..fields import (
    Angle,
    AxisVector,
    Date,
    Fraction,
    NotNegative,
    Number,
    NumberOrFlag,
    Positive,
    Table,
    Vector,
)


class OrbitTable(Table):
    """The orbit of the frame O from its elements: Kepler's, or osculating at the start where there is j2."""

    semi_major_axis: Positive
    """[m]"""
    eccentricity: Annotated[NotNegative, Field(le=0.95)] = 0.0
    """0 is a circle; at most 0.95"""
    inclination: Angle = 0.0
    """against the equator"""
    raan: Angle = 0.0
    """right ascension of the ascending node"""
    perigee: Angle = 0.0
    """argument of perigee"""
    mean_anomaly: Angle = Field(0.0, description="of the reference point at time 0")


class SunTable(Table):
    """Where the Sun is: by date, else as an input that starts at `direction`."""

    date: Date | None = Field(None, description="UTC at time 0, e.g. 2026-03-20T12:00:00Z")
    direction: AxisVector = Field((1.0, 0.0, 0.0), description="in N; start of the input environment.sun_direction")
    pressure: NotNegative = SUN_PRESSURE
    """of sunlight at the planet [N/m²]; its flux is that times the speed of light"""
    shadow: Literal["conical", "cylindrical", "none"] = Field(
        "conical", description="of the planet: with penumbra, of a Sun without size (jumps without an event), or none"
    )


class AirTable(Table):
    """An exponential atmosphere: density at a height above the equatorial radius, scale height."""

    density: NotNegative
    """at the height [kg/m³]"""
    height: Number
    """above the equatorial radius [m]"""
    scale_height: Positive
    """over which the density falls by e [m]"""
    spin: Number = SPIN_EARTH
    """of the atmosphere [rad/s]"""


class MagneticTable(Table):
    """The planet's dipole field: strength at the magnetic equator [T], tilt, right ascension of its southern pole at time 0."""

    strength: Number = FIELD_EARTH
    """at the magnetic equator, on the planet's radius [T]"""
    tilt: Angle = TILT_EARTH
    """of the dipole from the south pole"""
    longitude: Angle = 0.0
    """right ascension at time 0 of the pole in the southern hemisphere, where field lines leave the planet"""
    spin: Number = SPIN_EARTH
    """of the planet [rad/s]"""


class EnvironmentTable(Table):
    """What surrounds the spacecraft; every piece is off unless it is written here."""

    frame: Literal["inertial", "orbit"] = "inertial"
    """what states are relative to: N, or O on an orbit"""
    gravity: Literal["none", "uniform", "central"] = "none"
    """field of gravity"""
    acceleration: Vector = Field((0.0, 0.0, 0.0), description="of uniform gravity, in N")
    mu: Positive = MU_EARTH
    """gravitational parameter of the planet [m³/s²]"""
    radius: Positive = RADIUS_EARTH
    """equatorial radius of the planet [m]"""
    j2: NumberOrFlag = Field(False, description="oblateness coefficient; true: the Earth's")
    orbit: OrbitTable | None = None
    """of the frame O, and where the planet is"""
    sun: SunTable | None = None
    """sunlight"""
    air: AirTable | None = None
    """atmosphere"""
    magnetic: MagneticTable | None = None
    """the planet's field"""
    albedo: Fraction = Field(
        0.0,
        description="share of sunlight that the planet scatters back (the Earth: 0.3), for sections with temperatures",
    )
    infrared: NotNegative = Field(
        0.0,
        description="radiation of the planet itself at its surface [W/m²] (the Earth: 237), for sections with temperatures",
    )

    @property
    def oblateness(self) -> float | None:
        """J₂, or None."""
        if isinstance(self.j2, bool):
            return J2_EARTH if self.j2 else None
        return self.j2
