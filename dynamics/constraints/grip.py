"""The ends of a connection: places on bodies, in the axes of N, with their partial velocities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..algebra.scalar import shared
from ..bodies.body import Node
from ..tree.kinematics import STILL, Moving, Place, Space, place_in, place_on
from ..tree.transfer import Transfer


@dataclass(frozen=True)
class End:
    """The body and its node; body −1 is space: N, or the orbital frame of the motion."""

    body: int
    node: Node


@dataclass(frozen=True)
class Grip:
    """position (3,) in N, dcm to N; motion (6,) = (velocity, omega) in N = rows v, rows (6, nv); bias (6,): its rate at v̇ = 0.

    map: the same motion from (v, ω, η̇) of its body; so a wrench at the place is mapᵀ wrench on the body.
    """

    position: np.ndarray
    dcm: np.ndarray
    motion: np.ndarray
    rows: np.ndarray | None
    bias: np.ndarray | None
    map: Transfer

    @property
    def velocity(self):
        return self.motion[:3]

    @property
    def omega(self):
        return self.motion[3:]


def grip(end: End, bodies: Sequence[Moving] | Mapping[int, Moving], space: Space, V, B, nv: int) -> Grip:
    """The motion of an end. V, B: partial velocities and bias accelerations of all bodies (tree/kane.py); None: without rows and bias."""
    if end.body < 0:
        place = place_in(space, end.node.position)
        motion, map_, _, bias = _in_N(place, STILL)
        return Grip(place.position_N, place.dcm_NP, motion, np.zeros((6, nv)), bias, map_)
    place = place_on(bodies[end.body], end.node)
    if V is None:
        motion, map_, _, _ = _in_N(place, np.zeros(6 + len(bodies[end.body].eta)))
        return Grip(place.position_N, place.dcm_NP, motion, None, None, map_)
    motion, map_, outward, bias = _in_N(place, B[end.body])
    return Grip(place.position_N, place.dcm_NP, motion, V.mapped(end.body, outward), bias, map_)


@shared
def _in_N(place: Place, B):
    """(v, ω) (6,), map by its factors and as a matrix (6, 6+N), and bias (6,) of a place, rotated from its axes into N; B (6+N,) is its body's."""

    def to_N(pair):
        return np.concatenate([place.dcm_NP @ pair[:3], place.dcm_NP @ pair[3:]])

    map_ = place.map.then(np.zeros(3), place.dcm_NP)
    motion = np.concatenate([place.velocity, place.omega])
    return to_N(motion), map_, map_.matrix, map_.motion(B) + to_N(place.bias)
