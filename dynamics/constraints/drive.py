"""A drive prescribes the value of a condition: a reel, a telescopic rod, a driven hinge.

Its acceleration is an input, position and rate are states: consistent however the input is held between communication points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..signals import Signal
from .connection import View

UNITS = {"m": ("m/s", "m/s2"), "rad": ("rad/s", "rad/s2")}


@dataclass(frozen=True)
class Drive:
    """States `prefix.quantity` and `prefix.rate`, input `prefix.acceleration`."""

    prefix: str
    quantity: str
    unit: str
    start: float = 0.0
    start_rate: float = 0.0

    def states(self):
        speed, acceleration = UNITS[self.unit]
        name, rate = f"{self.prefix}.{self.quantity}", f"{self.prefix}.rate"
        return [
            Signal(name, f"{self.quantity} that {self.prefix} prescribes", self.unit, self.start, derivative=rate),
            Signal(rate, f"rate of {name}", speed, self.start_rate, derivative=f"der({rate})", derivative_unit=acceleration),
        ]  # fmt: skip

    def inputs(self):
        return [Signal(f"{self.prefix}.acceleration", f"prescribed acceleration of {self.prefix}", UNITS[self.unit][1])]

    def values(self, view: View):
        """(φ₀, φ̇₀, φ̈₀)."""
        position, rate = view.x[f"{self.prefix}.{self.quantity}"], view.x[f"{self.prefix}.rate"]
        return position, rate, view.u[f"{self.prefix}.acceleration"]

    def rates(self, view: View):
        return np.array(self.values(view)[1:])
