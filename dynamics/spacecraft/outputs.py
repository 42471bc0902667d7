"""Output pieces: each has signals and the values for them, from one evaluated instant.

    signals()            list of Signal
    values(instant)      array, same order
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..bodies.body import Node
from ..signals import Signal, vector
from ..tree.kinematics import place_on
from ..tree.totals import totals
from .motion import Moment


@dataclass(frozen=True)
class Instant:
    """A Moment with its accelerations A_i = (a, α, η̈) of every body, and the potential energy."""

    moment: Moment
    accelerations: list[np.ndarray]
    potential: object


@dataclass(frozen=True)
class SystemTotals:
    """Mass centre, momenta and energies of the whole spacecraft."""

    def signals(self):
        return [
            *vector("system.mass_center", "mass centre of the system, in N", [0.0] * 3, "m"),
            *vector("system.momentum", "momentum of the system, in N", [0.0] * 3, "N.s"),
            *vector("system.angular_momentum", "angular momentum about the system's mass centre, in N", [0.0] * 3, "N.m.s"),
            Signal("system.kinetic_energy", "kinetic energy", "J"),
            Signal("system.potential_energy", "elastic energy of modes, joints and cables", "J"),
        ]

    def values(self, instant: Instant):
        total = totals(instant.moment.bodies)
        return np.concatenate(
            [total.mass_center, total.momentum, total.angular_momentum, [total.kinetic_energy, instant.potential]]
        )


@dataclass(frozen=True)
class NodeMotion:
    """Elastic displacement and rotation of a named node in body axes, its position and acceleration in N."""

    body: int
    body_name: str
    node: Node

    def signals(self):
        name = f"{self.body_name}.{self.node.name}"
        rows = [
            *vector(f"{name}.position", f"position of {name}, in N", [0.0] * 3, "m"),
            *vector(f"{name}.acceleration", f"acceleration of {name}, in N", [0.0] * 3, "m/s2"),
        ]
        if self.node.shape.shape[1]:
            rows += [
                *vector(f"{name}.displacement", f"elastic displacement of {name}, in axes of {self.body_name}", [0.0] * 3, "m"),
                *vector(f"{name}.rotation", f"elastic rotation vector of {name}, in axes of {self.body_name}", [0.0] * 3, "rad"),
            ]
        return rows

    def values(self, instant: Instant):
        body = instant.moment.bodies[self.body]
        place = place_on(body, self.node)
        frame = place.map @ instant.accelerations[self.body] + place.bias
        parts = [place.position_N, place.dcm_NP @ frame[:3]]
        if self.node.shape.shape[1]:
            parts += [self.node.shape @ body.eta, self.node.turn @ body.eta]
        return np.concatenate(parts)
