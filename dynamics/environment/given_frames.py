"""Frames O whose motion is given: along a table of states (OEM), with axes of a table of attitudes (AEM), or at a place that is an input.

A table is the motion of O itself, whatever its cause. A body that is fixed to O moves as in the tables, a prescribed motion that acts on all bodies connected
to it; a free body falls in the gravity of the description and drifts from O if the table's acceleration differs from it, since relative to O

    r̈ = g(R + r) − A        A: acceleration of the table, of which g(R) is taken in closed form (attraction.py), the rest by `CarriedAlong`

With inputs A is not known: O is then assumed to fall in the described gravity at the position given by the co-simulation. Inputs are held between
communication points, so O has the axes of N, which no step turns. Proved by tests/environment/test_given_frames.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..algebra.rotation import quaternion_conjugate, quaternion_dcm, quaternion_product
from ..system.frame_text import FOLLOWING, OWNED, TURNED
from ..system.pieces import Piece, input_
from ..tree.kinematics import SPACE, Space
from .attraction import attraction
from .expansion import FieldExpansion, Weak
from .frames import NO_SKY, ORBIT, ORIGIN, PLANETARY, InertialFrame, Known, OrbitFrame, Scene, Sky, along_orbit, fall_of
from .over_time import OverTime
from .planet import MU


@dataclass(frozen=True)
class FollowingFrame(Known):
    """`path`: position of O's origin [m] from the planet's centre, in N, with three derivatives."""

    path: OverTime
    name = ORBIT
    text = FOLLOWING
    orbiting = shown = followed = True

    def at(self, t, x, k, sky: Sky = NO_SKY, falling: Sequence = (), u=None) -> Scene:
        R, V, A, A_dot = self.path.at(t)
        g, _, fallen = fall_of(R, V, sky, k, falling)
        carried = A - (attraction(k[MU], R)[0] + g)
        return Scene(t, R, V, A, along_orbit(R, V, A, A_dot), sky=sky, fallen=fallen + carried)


@dataclass(frozen=True)
class OwnedFrame(Known):
    """Position and velocity of O's origin as inputs; `start`: (2, 3)."""

    start: tuple[tuple[float, ...], tuple[float, ...]]
    name = ORBIT
    text = OWNED
    orbiting = True

    position = input_(f"position of {ORIGIN} {PLANETARY.place}", "m", lambda self: self.start[0])
    velocity = input_(f"velocity of {ORIGIN} {PLANETARY.motion}", "m/s", lambda self: self.start[1])

    def at(self, t, x, k, sky: Sky = NO_SKY, falling: Sequence = (), u=None) -> Scene:
        assert u is not None
        R, V = u[self.position], u[self.velocity]
        g, _, fallen = fall_of(R, V, sky, k, falling)
        return Scene(t, R, V, attraction(k[MU], R)[0] + g, SPACE, np.array([1.0, 0.0, 0.0, 0.0]), sky=sky, fallen=fallen)  # fmt: skip


@dataclass(frozen=True)
class TurnedFrame(Piece):
    """The origin of another frame, with axes of a table: `attitude` q_NO (4,), near unit length, with two derivatives.

    ω = 2 vec(p), ω̇ = 2 vec(q⁻¹q̈ − p p) with p = q⁻¹q̇: exact for q of any length.
    """

    origin: OrbitFrame | FollowingFrame
    attitude: OverTime
    name = ORBIT
    text = TURNED
    orbiting = True
    steady = followed = False

    @property
    def shown(self) -> bool:
        return self.origin.shown

    def parts(self):
        return (self.origin,)

    def initial(self, t, k):
        return self.origin.initial(t, k)

    def rates(self, x, scene: Scene):
        return self.origin.rates(x, scene)

    def at(self, t, x, k, sky: Sky = NO_SKY, falling: Sequence = (), u=None) -> Scene:
        q, q_dot, q_ddot = self.attitude.at(t)
        square = q @ q
        back = quaternion_conjugate(q) / square
        p = quaternion_product(back, q_dot)
        turning = 2.0 * (quaternion_product(back, q_ddot) - quaternion_product(p, p))
        unit = q / np.sqrt(square)
        space = Space(quaternion_dcm(unit), 2.0 * p[1:], turning[1:])
        return replace(self.origin.at(t, x, k, sky, falling, u), space=space, q_NS=unit)


Frame = InertialFrame | OrbitFrame | FollowingFrame | OwnedFrame | TurnedFrame


@dataclass(frozen=True)
class CarriedAlong(Weak):
    """The acceleration of a table that differs from the described gravity acts on all bodies equally: it is part of `Scene.fallen`."""

    falls = False

    def seen(self, R, sky: Sky, k) -> FieldExpansion:
        return FieldExpansion(R, np.zeros(3), np.zeros((3, 3)))
