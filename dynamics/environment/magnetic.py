"""A magnetic dipole on a body in the planet's dipole field: torque m × B.

    B = B_s (a/R)³ [3 (d·e) e − d]     with B_s the field at the magnetic equator, a the planet's radius, e = R/R,
                                       d the planet's dipole axis (unit), which turns with it about N's z axis.

For the Earth d points to 9.4° from the south pole. Proved by tests/environment/test_surfaces.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..bodies.body import Node
from ..loads.wrench import Load
from ..rotation import cross
from ..signals import Signal, vector
from ..tree.kinematics import Place
from .frames import Scene


@dataclass(frozen=True)
class DipoleField:
    """environment.magnetic.*: strength [T], angle of d from −z [rad], its right ascension at time 0, spin [rad/s]."""

    strength: float
    tilt: float
    longitude: float
    spin: float

    def parameters(self):
        return [
            Signal("environment.magnetic.strength", "field at the planet's magnetic equator", "T", self.strength),
            Signal(
                "environment.magnetic.tilt",
                "angle between the dipole axis and the planet's south pole",
                "rad",
                self.tilt,
            ),
            Signal(
                "environment.magnetic.longitude", "right ascension of the dipole axis at time 0", "rad", self.longitude
            ),
            Signal("environment.magnetic.spin", "rate at which it turns with the planet", "rad/s", self.spin),
        ]

    def at(self, t, R, k):
        """B (3,) [T] in N at R (3,) [m] from the planet's centre."""
        tilt = k["environment.magnetic.tilt"]
        turned = k["environment.magnetic.longitude"] + k["environment.magnetic.spin"] * t
        d = np.array([np.sin(tilt) * np.cos(turned), np.sin(tilt) * np.sin(turned), -np.cos(tilt)])
        r = np.sqrt(R @ R)
        e = R / r
        ratio = k["environment.radius"] / r
        return k["environment.magnetic.strength"] * ratio * ratio * ratio * (3.0 * (d @ e) * e - d)


@dataclass(frozen=True)
class Dipole(Load):
    """A residual dipole (parameter) plus a commanded one (input) at a body's frame [A m²], in its axes."""

    name: str
    body: int
    node: Node
    residual: tuple[float, float, float]
    field: DipoleField

    def parameters(self):
        return vector(
            f"{self.name}.residual", f"constant part of {self.name}, in axes of its body", self.residual, "A.m2"
        )

    def inputs(self):
        return vector(f"{self.name}.command", f"commanded part of {self.name}, in axes of its body", [0.0] * 3, "A.m2")

    def wrench(self, u, k, place: Place, scene: Scene):
        B = place.dcm_NP.T @ self.field.at(scene.time, scene.position_N + place.position_N, k)
        return np.zeros(3), cross(u[f"{self.name}.command"] + k[f"{self.name}.residual"], B)
