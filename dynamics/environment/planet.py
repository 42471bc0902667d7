"""Numbers of the Earth: the defaults of a description."""

MU_EARTH = 3.986004418e14  # gravitational parameter [m³/s²], WGS 84
RADIUS_EARTH = 6378137.0  # equatorial radius [m], WGS 84
J2_EARTH = 1.08262668e-3  # oblateness, EGM96
SPIN_EARTH = 7.2921159e-5  # rate of rotation [rad/s]
SUN_PRESSURE = 1361.0 / 299792458.0  # solar constant over the speed of light: pressure at 1 AU on a black plate [N/m²]
FIELD_EARTH = 2.98e-5  # of the Earth's dipole at the magnetic equator [T], IGRF-13, 2020
TILT_EARTH = 0.164  # angle of the dipole from the spin axis [rad] (9.4°), IGRF-13, 2020
