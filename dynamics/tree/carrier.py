"""Bodies as seen from one that carries them and is taken to be at rest: all that conditions between two of their places need.

What holds between two places holds whatever moves both alike. So neither the motion of a body that carries both enters, nor the speeds of
its own joint and of all that carries it: their columns are zeros, not the round-off of two sums that cancel. Its modes do.
Proved by tests/constraints/test_carrier.py against the same rows as seen from N.
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
    """Bodies by number: in motion, and their accelerations B at v̇ = 0, (6+N,), from body `carrier`, which is one of them, in its axes."""

    tree: Tree
    carrier: int
    bodies: dict[int, Moving]
    B: dict[int, np.ndarray]

    def mapped(self, i: int, outward) -> np.ndarray:
        """`outward` V_i (n, nv) as PartialVelocities has it; zero from the carrier's joint inward."""
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
    """Body `number`, the carrier, and all between it and the `others`, which it carries."""
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
