"""The length of a tether: a parameter, or driven by a reel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..constraints.connection import Connection, View
from ..constraints.drive import Drive
from ..constraints.grip import End
from ..signals import Signal


def reel(name: str, length: float, rate: float = 0.0) -> Drive:
    """States name.reel.length and name.reel.rate, input name.reel.acceleration."""
    return Drive(f"{name}.reel", "length", "m", length, rate)


@dataclass(frozen=True)
class Reeled(Connection):
    """What tethers with an optional reel share. `length` [m] is the start of whichever holds it."""

    name: str
    a: End
    b: End
    length: float
    reel: Drive | None = None

    def inputs(self):
        return self.reel.inputs() if self.reel else []

    def states(self):
        return self.reel.states() if self.reel else []

    def state_rates(self, view: View):
        return self.reel.rates(view) if self.reel else np.zeros(0)

    def length_parameter(self) -> list[Signal]:
        return (
            []
            if self.reel
            else [Signal(f"{self.name}.length0", f"length of tether {self.name}", "m", self.length, min=1e-9)]
        )

    def length_values(self, view: View):
        """L, L̇, L̈."""
        return self.reel.values(view) if self.reel else (view.k[f"{self.name}.length0"], 0.0, 0.0)
