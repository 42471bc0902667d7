"""The length of a tether: a parameter, or driven by a reel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.scalar import where
from ..constraints.connection import Connection, View
from ..constraints.drive import Drive
from ..constraints.grip import End
from ..system.pieces import discrete, parameter


def reel(name: str, length: float, rate: float = 0.0) -> Drive:
    """States name.reel.length and name.reel.rate, input name.reel.acceleration."""
    return Drive(f"{name}.reel", "length", "m", length, rate)


@dataclass(frozen=True)
class Reeled(Connection):
    """Base of tethers with an optional reel. `length` [m] is the start value of the parameter or the state."""

    name: str
    terminal = "cable"
    a: End
    b: End
    length: float
    reel: Drive | None = None
    seen_as = "cable"

    length0 = parameter("length of tether {self.name}", "m", lambda self: self.length, when=lambda self: self.reel is None, min=1e-9)  # fmt: skip

    def parts(self):
        return (self.reel,) if self.reel else ()

    def state_rates(self, view: View):
        return self.reel.rates(view) if self.reel else np.zeros(0)

    def length_values(self, view: View):
        """L, L̇, L̈."""
        return self.reel.values(view) if self.reel else (view.k[self.length0], 0.0, 0.0)


@dataclass(frozen=True)
class Springy(Reeled):
    """Base of elastic tethers: whether they are taut, and the number of slack events."""

    taut = discrete("tether {self.name} is taut", kind="boolean", calculated=True)
    slack_events = discrete("times tether {self.name} has gone slack", kind="integer", calculated=True)

    def counted(self, view: View, stretch):
        """(taut, slack events) after an event that left the tether with `stretch`."""
        taut = where(stretch > 0.0, 1.0, 0.0)
        return np.array([taut, view.d[self.slack_events] + view.d[self.taut] * (1.0 - taut)])
