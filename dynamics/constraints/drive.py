"""A drive prescribes the value of a condition: a reel, a telescopic rod, a driven hinge.

Its acceleration is an input, position and rate are states, so they are consistent however the input is held between communication points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..system.keys import Key, Keys
from ..system.pieces import Piece, input_, state
from .connection import View

DRIVEN = Keys("Driven", "A prescribed value: its acceleration is an input, position and rate are states that start here.", {
    "position": Key("angle", "start value of the prescribed quantity [m or rad]", 0.0),
    "rate": Key("number", "start value of its rate [m/s or rad/s]", 0.0),
})  # fmt: skip
UNITS = {"m": ("m/s", "m/s2"), "rad": ("rad/s", "rad/s2")}


@dataclass(frozen=True)
class Drive(Piece):
    """States `name.quantity` and `name.rate`, input `name.acceleration`."""

    name: str
    quantity: str
    unit: str
    start: float = 0.0
    start_rate: float = 0.0

    # fmt: off
    position = state("{self.quantity} prescribed by {self.name}", "{self.unit}", lambda self: self.start, name="{self.quantity}", derivative="{self.name}.rate")
    rate = state("rate of {self.name}.{self.quantity}", "{self.units[0]}", lambda self: self.start_rate, derivative_unit="{self.units[1]}")
    acceleration = input_("prescribed acceleration of {self.name}", "{self.units[1]}")
    # fmt: on

    @property
    def units(self) -> tuple[str, str]:
        """Of rate and acceleration."""
        return UNITS[self.unit]

    def values(self, view: View):
        """(φ₀, φ̇₀, φ̈₀)."""
        return view.x[self.position], view.x[self.rate], view.u[self.acceleration]

    def rates(self, view: View):
        return np.array(self.values(view)[1:])
