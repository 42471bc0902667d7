"""Forces and torques at a node, in the axes of the node (which turn with the body and its deformation).

inputs(), parameters()   signals
wrench(u, k)             (force (3,) [N], torque (3,) [N m])
place(k)                 where it acts, if that is a parameter: overrides the node's position
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..bodies.body import Node
from ..pieces import Piece
from ..signals import Signal, vector


@dataclass(frozen=True)
class BodyWrench(Piece):
    """Three forces and three torques as inputs: name.force[1..3], name.torque[1..3]."""

    name: str
    body: int
    node: Node

    def inputs(self):
        return [
            *vector(f"{self.name}.force", f"force on {self.name}, in its axes", [0.0] * 3, "N"),
            *vector(f"{self.name}.torque", f"torque on {self.name}, in its axes", [0.0] * 3, "N.m"),
        ]

    def parameters(self):
        return []

    def place(self, k):
        return None

    def wrench(self, u, k):
        return u[f"{self.name}.force"], u[f"{self.name}.torque"]


@dataclass(frozen=True)
class Thruster(Piece):
    """A force input along a fixed direction of the body; on a rigid body its place is a parameter (modes move the others)."""

    name: str
    body: int
    node: Node
    direction: tuple[float, float, float]  # unit vector, the way the force pushes

    def inputs(self):
        return [Signal(f"{self.name}.force", f"thrust of {self.name} along its direction", "N")]

    @property
    def _moved_by_modes(self) -> bool:
        return self.node.shape.shape[1] > 0

    def parameters(self):
        if self._moved_by_modes:
            return []
        return vector(f"{self.name}.place", f"place of {self.name} on its body", self.node.position, "m")

    def place(self, k):
        return None if self._moved_by_modes else k[f"{self.name}.place"]

    def wrench(self, u, k):
        return np.array(self.direction) * u[f"{self.name}.force"], np.zeros(3)
