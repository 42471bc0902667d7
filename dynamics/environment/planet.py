"""Numbers of the Earth, the defaults of a description; and the planet's quantities."""

from __future__ import annotations

from ..system.signals import Parameter

MU_EARTH = 3.986004418e14  # gravitational parameter [m³/s²], WGS 84
RADIUS_EARTH = 6378137.0  # equatorial radius [m], WGS 84
J2_EARTH = 1.08262668e-3  # oblateness, EGM96
SPIN_EARTH = 7.2921159e-5  # rate of rotation [rad/s]
SPEED_OF_LIGHT = 299792458.0  # [m/s]
SUN_PRESSURE = (
    1361.0 / SPEED_OF_LIGHT
)  # solar constant over the speed of light: pressure at 1 AU on a black plate [N/m²]
FIELD_EARTH = 2.98e-5  # of the Earth's dipole at the magnetic equator [T], IGRF-13, 2020
ALBEDO_EARTH = 0.3  # share of sunlight that it scatters back, mean
INFRARED_EARTH = 237.0  # its own radiation at the surface, mean [W/m²]
TILT_EARTH = 0.164  # angle of the dipole from the spin axis [rad] (9.4°), IGRF-13, 2020

# Quantities that CentralGravity and Oblateness (gravity.py) declare; other pieces read them by name.
MU = Parameter("environment.mu", "gravitational parameter of the planet", "m3/s2", MU_EARTH, min=0.0)
RADIUS = Parameter("environment.radius", "equatorial radius of the planet", "m", RADIUS_EARTH, min=0.0)
J2 = Parameter("environment.j2", "oblateness coefficient J2 of the planet", "1", J2_EARTH)
