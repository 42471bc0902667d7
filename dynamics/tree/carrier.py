"""Motion of bodies relative to one that carries them and is assumed to be at rest, for conditions between two of their places.

Such conditions do not depend on common motion of both places: neither the motion of a body that carries both enters, nor the speeds of its
joint and of everything inboard. Their columns are exact zeros, instead of the round-off of two sums that cancel. The carrier's modes do
enter.
Proved by tests/constraints/test_carrier.py against the same rows relative to N.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from ..algebra.rotation import E3
from .kane import bias, columns_of
from .kinematics import Moving, moved
from .topology import Tree


@dataclass(frozen=True)
class CarriedBodies:
    """Bodies by number: their motion, and accelerations B at v̇ = 0, (6+N,), relative to body `carrier`, which is one of them, in its axes."""

    tree: Tree
    carrier: int
    bodies: dict[int, Moving]
    B: dict[int, np.ndarray]

    def mapped(self, i: int, outward) -> np.ndarray:
        """`outward` V_i (n, nv) as in PartialVelocities; zero from the carrier's joint inward."""
        columns = [np.zeros((len(outward), link.joint.nv + link.body.modes)) for link in self.tree.links]
        while i != self.carrier:
            columns[i], outward = columns_of(outward, self.bodies[i].H, self.bodies[i].T)
            i = self.tree.inner_body(i)
        columns[i] = np.hstack([np.zeros((len(outward), self.tree.links[i].joint.nv)), outward[:, 6:]])
        return np.hstack(columns)


def common_carrier(tree: Tree, a: int, b: int) -> int:
    """The outermost body on the paths to both; −1: space."""
    while a != b:
        a, b = (tree.inner_body(a), b) if a > b else (a, tree.inner_body(b))
    return a


def carried_by(tree: Tree, carrier: Moving, number: int, others: Iterable[int], q, v, k) -> CarriedBodies:
    """Body `number`, the carrier, and all bodies between it and the `others`, which it carries."""
    at_rest = replace(carrier, position_N=np.zeros(3), dcm_NB=E3, velocity=np.zeros(3), omega=np.zeros(3))
    bodies, B = {number: at_rest}, {number: np.zeros(6 + len(carrier.eta))}
    for other in others:
        path = []
        while other not in bodies:
            path.append(other)
            other = tree.inner_body(other)
        for i in reversed(path):
            inner = tree.inner_body(i)
            bodies[i] = moved(tree, i, bodies[inner].frame, q, v, k)
            B[i] = bias(bodies[i].T, B[inner], bodies[i].beta, tree.links[i].body.modes)
    return CarriedBodies(tree, number, bodies, B)
