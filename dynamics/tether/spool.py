"""The reel of a tether with mass: the drive of its length, and the stowed part, as a body without speeds at the outlet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..algebra.scalar import where
from ..bodies.body import Node, WithoutModes
from ..bodies.integrals import Integrals, rigid_integrals
from ..constraints.drive import Drive
from ..system.pieces import Declared, input_, parameter, state
from ..system.signals import SMALLEST, Bag, Parameter
from .outlet import Stock

BORN, MERGED = (
    2.0,
    2.0 / 3.0,
)  # ℓ/h at which a bead is born in the middle of the segment at the outlet, and at which the first one merges into it


@dataclass(frozen=True)
class Reel(Drive):
    """States name.length, name.rate and the length of the segment at the outlet; `braked`: the input is the force at the drum's rim, else the acceleration.

    `full`: length of the whole tether [m], of `beads` + 1 parts.
    """

    full: float = 1.0
    beads: int = 1
    braked: bool = False

    # fmt: off
    outlet_length = state("unstretched length of the segment between {self.name} and the first bead", "m", lambda self: float(self.first(self.start)[1]), derivative_unit="m/s", calculated=True, reinit=True)
    rate = state("rate of {self.name}.length", "m/s", lambda self: self.start_rate, derivative_unit="m/s2", reinit=True)
    acceleration = input_("prescribed acceleration of {self.name}", "m/s2", when=lambda self: not self.braked)
    pull = input_("force of motor and brake of {self.name} at the drum's rim; positive winds in", "N", when=lambda self: self.braked)
    # fmt: on

    @property
    def part(self) -> float:
        """h [m]."""
        return self.full / (self.beads + 1)

    def first(self, length):
        """How many beads are out at a length [m], and ℓ [m] in [h, 2h); L = (n − ½)h + ℓ."""
        count = sum(where(length >= (j + 1.5) * self.part, 1.0, 0.0) for j in range(self.beads))
        return count, length - (count - 0.5) * self.part


@dataclass(frozen=True)
class Spool(WithoutModes):
    """Its frame is at the outlet. Its mass is the effective mass on its host: m_s and the part of the segment at the outlet (outlet.py)."""

    name: str
    reel: Reel
    tether_mass: Declared[Parameter] = parameter("mass of the whole tether on {self.name}, stowed and out", "kg", 1.0, min=SMALLEST)  # fmt: skip
    drum_mass: Declared[Parameter] = parameter("moment of inertia of the empty drum of {self.name} over its radius squared", "kg", 0.0, min=0.0)  # fmt: skip
    nodes: Mapping[str, Node] = field(default_factory=dict)

    def density(self, k):
        """ρ [kg/m]."""
        return k[self.tether_mass] / self.reel.full

    def stowed(self, k, length):
        """m_s [kg] with `length` [m] out."""
        return k[self.tether_mass] - self.density(k) * length

    def stock(self, k, first, rate=0.0, acceleration=0.0) -> Stock:
        return Stock(self.density(k), self.reel.part, first, rate, acceleration)

    def felt(self, k, length, first):
        """Mass [kg] that the host feels at the outlet."""
        return self.stowed(k, length) + self.stock(k, first).carried

    def integrals(self, k, x: Bag | None = None) -> Integrals:
        reel = self.reel
        length = reel.start if x is None else x[reel.position]
        first = reel.outlet_length.start if x is None else x[reel.outlet_length]
        return rigid_integrals(self.felt(k, length, first), np.zeros(3), np.zeros((3, 3)))
