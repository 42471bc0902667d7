"""All partners, by the `kind` of their descriptions."""

from __future__ import annotations

from .attitude_controller import AttitudeController
from .partner import Partner
from .thermal_model import ThermalModel

PARTNERS: dict[str, type[Partner]] = {
    "attitude_controller": AttitudeController,
    "thermal_model": ThermalModel,
}
