"""A tank: a body fixed to a place of another body, without its own speeds, whose mass properties follow a state, the propellant.

    m = dry + propellant,  S = capacity s(f),  J = capacity (tr Q E − Q) + dry shell,   f = propellant/capacity      (fill.py)

The liquid is settled flat towards the outlet and does not reorient. So a tank contributes to every total like any other body, on rigid and on flexible
carriers. Outflow and its effect on the craft are in flow.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..algebra.rotation import E3
from ..algebra.scalar import reciprocal
from ..bodies.body import Node, WithoutModes
from ..bodies.integrals import Integrals, rigid_integrals
from ..system.formula import Curve
from ..system.pieces import Declared, parameter, state
from ..system.signals import SMALLEST, Bag, Parameter, State
from .fill import Liquid, TankShape


@dataclass(frozen=True)
class SloshMode:
    """A mode's mechanical equivalent over the fill: mass over capacity, height from the tank's centre along `up` [m], 1/L [1/m], ω_c² [1/s²], 2ζω [1/s].

    up: unit vector away from the outlet; across: two unit vectors perpendicular to it. springs: 1/L is 0, the mass slides in a plane.
    """

    mass: Curve
    height: Curve
    bend: Curve
    capillary: Curve
    damping: Curve
    up: tuple[float, float, float]
    across: tuple
    springs: bool = False

    def rest(self, fill):
        """Where the mass is at rest from the tank's centre, (3,) [m]."""
        return np.array(self.up) * self.height.value(fill)


@dataclass(frozen=True)
class Tank(WithoutModes):
    """Its frame is at its centre, in the axes of its place; `propellant` at the start [kg]."""

    name: str
    shape: TankShape
    capacity: Declared[Parameter] = parameter("propellant that {self.name} holds when it is full", "kg", min=SMALLEST)
    dry: Declared[Parameter] = parameter("mass of {self.name} without propellant", "kg", min=0.0)
    residual: Declared[Parameter] = parameter("propellant that can't be drawn from {self.name}", "kg", min=0.0)
    propellant: Declared[State] = state("propellant in {self.name}", "kg", min=0.0, reinit=True, derivative_unit="kg/s")
    slosh: tuple[SloshMode, ...] = ()  # masses that are separate bodies (slosh.py): the tank has the rest
    nodes: Mapping[str, Node] = field(default_factory=dict)

    def laws(self, k) -> list[tuple[str, object]]:
        return [
            (f"{self.name}.capacity must be positive", k[self.capacity]),
            (f"{self.name}.dry must not be negative", k[self.dry] + SMALLEST),
            (f"{self.name}.residual must not be negative", k[self.residual] + SMALLEST),
        ]

    def mass_of(self, x: Bag | None):
        """Propellant [kg] in the state x; None: as the craft starts."""
        return self.propellant.start if x is None else x[self.propellant]

    def fill(self, k, x: Bag | None):
        return self.mass_of(x) * reciprocal(k[self.capacity])

    def liquid(self, k, x: Bag | None) -> Liquid:
        return self.shape.at(self.fill(k, x))

    def integrals(self, k, x=None) -> Integrals:
        """Of liquid at rest and wall, about the tank's centre, less the slosh masses at rest."""
        liquid, capacity, dry = self.liquid(k, x), k[self.capacity], k[self.dry]
        mass, first, second = self.mass_of(x) + dry, capacity * liquid.first, capacity * liquid.second
        for mode in self.slosh:
            fill = self.fill(k, x)
            own, rest = capacity * mode.mass.value(fill), mode.rest(fill)
            mass, first, second = mass - own, first - own * rest, second - own * np.outer(rest, rest)
        still = rigid_integrals(mass, np.zeros(3), spread_of(second + dry * self.shape.shell))
        return replace(still, first=first)


def spread_of(second: Any):
    """(tr Q) E − Q (3, 3), the inertia of ∫r rᵀ dm = Q."""
    return np.trace(second) * E3 - second
