"""Quantities that are states of the tree and outputs in natural coordinates: motion of free bodies, coordinates of ball joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..spacecraft.outputs import Instant
from ..system.pieces import Piece, output

ZEROS = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class BallMotion(Piece):
    """Coordinates of a ball joint, as the tree's states have them."""

    body: int
    name: str

    quaternion = output("attitude of {self.name} relative to the joint's place, scalar first", "1", (1.0, *ZEROS))
    angular_velocity = output(
        "angular velocity of {self.name} relative to the joint's place, in its own axes", "rad/s", ZEROS
    )

    def values(self, instant: Instant):
        moment: Any = instant.moment  # a NaturalMoment
        return np.concatenate([moment.joint_coordinates[self.body], moment.bodies.motion.joints[self.body].v])
