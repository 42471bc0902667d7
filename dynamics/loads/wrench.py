"""Loads: forces and torques at a node, in the axes of the node (which turn with the body and its deformation).

wrench(u, k, place, scene)   (force (3,) [N], torque (3,) [N m]) at the place, with the surroundings if it needs them
position(k)                  where it acts, if that is a parameter: overrides the node's position
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..bodies.body import Node
from ..system.pieces import Piece, input_, parameter


class Load(Piece):
    """Base of all loads: subclasses are frozen dataclasses with `name`, `body` (its number) and `node`.

    `of_surroundings`: its power is the environment's work, not that of inputs.
    """

    body: int
    node: Node
    of_surroundings: ClassVar[bool] = False

    def position(self, k):
        return None

    def wrench(self, u, k, place, scene):
        raise NotImplementedError


@dataclass(frozen=True)
class BodyWrench(Load):
    """Three forces and three torques as inputs: name.force[1..3], name.torque[1..3]."""

    name: str
    terminal = "frame"
    body: int
    node: Node

    force = input_("force on {self.name} at its origin, in axes of {self.name}", "N", np.zeros(3))
    torque = input_("torque on {self.name}, in axes of {self.name}", "N.m", np.zeros(3))

    def wrench(self, u, k, place, scene):
        return u[self.force], u[self.torque]


@dataclass(frozen=True)
class Thruster(Load):
    """A force input along a fixed direction of the body; on a rigid body its place is a parameter (on a flexible one modes move it)."""

    name: str
    terminal = "thruster"
    body: int
    node: Node
    direction: tuple[float, float, float]  # unit vector of the force

    force = input_("thrust of {self.name} along its direction", "N")
    place = parameter(
        "place of {self.name} from the frame of its body, in axes of that body",
        "m",
        lambda self: self.node.position,
        when=lambda self: not self.node.shape.shape[1],
    )

    @property
    def shown_force(self) -> str:
        """The quantity by which pictures scale its plume."""
        return self.force.name

    def position(self, k):
        return None if self.place is None else k[self.place]

    def wrench(self, u, k, place, scene):
        return np.array(self.direction) * u[self.force], np.zeros(3)
