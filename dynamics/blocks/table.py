"""All partners, by the `kind` of their descriptions."""

from __future__ import annotations

from .actuation import ThrusterModulator, WheelDistribution
from .attitude_controller import AttitudeController
from .drives import JointController, OrbitBurns, ReelController, SunDrive
from .gyro_steering import GyroSteering
from .partner import Partner
from .sensors import Gyro, Magnetometer, StarTracker, SunSensor, TetherSensor
from .thermal_model import ThermalModel

PARTNERS: dict[str, type[Partner]] = {
    "attitude_controller": AttitudeController,
    "wheel_distribution": WheelDistribution,
    "gyro_steering": GyroSteering,
    "thruster_modulator": ThrusterModulator,
    "gyro": Gyro,
    "star_tracker": StarTracker,
    "sun_sensor": SunSensor,
    "magnetometer": Magnetometer,
    "sun_drive": SunDrive,
    "joint_controller": JointController,
    "reel_controller": ReelController,
    "orbit_burns": OrbitBurns,
    "tether_sensor": TetherSensor,
    "thermal_model": ThermalModel,
}
