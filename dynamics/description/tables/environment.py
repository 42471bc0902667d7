"""Tables of the environment: frame, gravity, Sun, air, magnetic field; surfaces and dipoles on bodies."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ...environment.planet import FIELD_EARTH, J2_EARTH, MU_EARTH, RADIUS_EARTH, SPIN_EARTH, SUN_PRESSURE, TILT_EARTH
from ..fields import (
    Angle,
    AxisVector,
    Date,
    Flag,
    Fraction,
    NotNegative,
    Number,
    NumberOrFlag,
    Place,
    Positive,
    Table,
    Vector,
)


class OrbitTable(Table):
    """The orbit of the frame O from its elements: Kepler's, or osculating at the start where there is j2."""

    semi_major_axis: Positive
    eccentricity: Annotated[NotNegative, Field(le=0.95)] = 0.0
    inclination: Angle = 0.0
    raan: Angle = 0.0
    perigee: Angle = 0.0
    mean_anomaly: Angle = Field(0.0, description="of the reference point at time 0")


class SunTable(Table):
    """Where the Sun is: by date, else as an input that starts at `direction`."""

    date: Date | None = Field(None, description="UTC at time 0, e.g. 2026-03-20T12:00:00Z")
    direction: AxisVector = Field((1.0, 0.0, 0.0), description="in N; start of the input environment.sun_direction")
    pressure: NotNegative = SUN_PRESSURE


class AirTable(Table):
    """An exponential atmosphere: density at a height above the equatorial radius, scale height."""

    density: NotNegative
    height: Number
    scale_height: Positive
    spin: Number = SPIN_EARTH


class MagneticTable(Table):
    """The planet's dipole field: strength at the magnetic equator [T], tilt from the south pole, right ascension at time 0."""

    strength: Number = FIELD_EARTH
    tilt: Angle = TILT_EARTH
    longitude: Angle = 0.0
    spin: Number = SPIN_EARTH


class EnvironmentTable(Table):
    """What surrounds the spacecraft; every piece is off unless it is written here."""

    frame: Literal["inertial", "orbit"] = "inertial"
    gravity: Literal["none", "uniform", "central"] = "none"
    acceleration: Vector = Field((0.0, 0.0, 0.0), description="of uniform gravity, in N")
    mu: Positive = MU_EARTH
    radius: Positive = RADIUS_EARTH
    j2: NumberOrFlag = Field(False, description="oblateness coefficient; true: the Earth's")
    orbit: OrbitTable | None = None
    sun: SunTable | None = None
    air: AirTable | None = None
    magnetic: MagneticTable | None = None

    @property
    def oblateness(self) -> float | None:
        """J₂, or None."""
        if isinstance(self.j2, bool):
            return J2_EARTH if self.j2 else None
        return self.j2


class SurfaceTable(Table):
    """A flat surface of a body (body or body.node) in sunlight and air; place and normal are in its axes."""

    body: Place
    place: Vector | None = Field(None, description="centre of pressure in the body's frame; not with a node")
    normal: AxisVector
    area: Positive
    specular: Fraction = 0.0
    diffuse: Fraction = 0.0
    drag: NotNegative = 2.2
    both_sides: Flag = False


class DipoleTable(Table):
    """A magnetic dipole on a body: a constant residual one plus the input dipole.<name>.command [A m²]."""

    body: Place
    residual: Vector = (0.0, 0.0, 0.0)
