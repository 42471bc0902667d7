"""Torque-free craft of any shape as first-order equations, from the same description: the general case of [liu1998] eq. (23), (53).

A free-floating craft in natural coordinates (`formulation = "natural"`), with loops or without, has

    (Ψ, Φ, G) v = (H₀, P₀, 0),       Φ = TᵀM,   Ψ = Rᵀ(q) M

where T translates all points at unit speed and does not change vectors, R rotates points and vectors about the origin of N at unit rate: momentum and
angular momentum are M times a rigid motion. The missing rows are *given*: rates of joints and speeds of wheels by name, or rows of a node's velocity.
Proved by tests/natural/test_first_order.py, against the tree and by the holonomy of the planar arm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algebra.rotation import skew
from ..joints.kinds import FreeJoint
from ..system.contract import System
from ..system.evaluate import constants
from ..system.signals import Bag
from ..tree.kinematics import place_on
from .carriers import Carriers
from .kinematics import move_at
from .layout import CartesianLayout
from .system import NotNatural, natural_system

SINGULAR = 1e-10  # of the scaled rows


@dataclass(frozen=True)
class FirstOrder:
    """Rates v (nv,) of points, vectors, axes and wheels, without accelerations. x is a state of the System, k its constants."""

    system: System
    layout: CartesianLayout
    k: np.ndarray

    @staticmethod
    def of(system: System) -> FirstOrder:
        """The first-order form of a System made by `natural_system`; the craft must float freely."""
        made: Any = system.made_by or (None, None)
        maker, craft = made
        if maker is not natural_system:
            raise NotNatural(f'{system.name} is in joint coordinates, expected formulation = "natural"')
        held = [
            link.body.name for link in craft.tree.links if link.parent < 0 and not isinstance(link.joint, FreeJoint)
        ]
        held += [coupling.name for coupling in craft.couplings if min(coupling.a.body, coupling.b.body) < 0]
        if held:
            raise NotNatural(f"{system.name}: {held[0]} is connected to space; the craft must float freely")
        layout = CartesianLayout(Carriers(craft.tree, tuple(joint.name for joint in craft.joints)))
        return FirstOrder(system, layout, constants(system, np.array(system.signals.starts("parameters"))))

    @property
    def _resting(self):
        """Inputs and discrete states at their start values: drives give no force, couplings are as in the description."""
        return np.array(self.system.signals.starts("inputs")), np.array(self.system.signals.starts("discretes"))

    def equations(self, x):
        """Ψ (3, nv), Φ (3, nv) and G (m, nv): angular momentum about N's origin, momentum, rates of all conditions."""
        u, d = self._resting
        M, G, *_ = self.system.motion.assemble(0.0, x, u, self.k, d)
        steps, turns = self._rigid_motions(x)
        return turns.T @ M, steps.T @ M, G

    def _rigid_motions(self, x):
        """T and R (nv, 3): rates of all coordinates as the whole craft translates along, or rotates about, the axes of N."""
        points = [carrier.direction is None for carrier in self.layout.carriers.rows]
        X = np.reshape(x[self.layout.coordinates["points"]], (-1, 3))
        beside = np.zeros((self.layout.nv - self.layout.points, 3))
        steps = np.vstack([*(np.eye(3) * point for point in points), beside])
        return steps, np.vstack([*(-skew(place) for place in X), beside])

    def node_rows(self, x, body: str, node: str):
        """Rows (3, nv) of a node's velocity in N."""
        links = self.layout.links
        i = [link.body.name for link in links].index(body)
        motion = move_at(
            self.layout,
            x[self.system.signals.layouts["states"]["coordinates"]],
            np.zeros(self.layout.nv),
            Bag(self.system.signals, "parameters", self.k),
        )
        place = place_on(motion.bodies[i], links[i].body.nodes[node])
        return place.dcm_NP @ place.map.motion(motion.V[i])[:3]

    def rates(self, x, given: Mapping[str, float], rows: Sequence = (), values: Sequence[float] = (),
              angular_momentum=(0.0, 0.0, 0.0), momentum=(0.0, 0.0, 0.0)):  # fmt: skip
        """v (nv,): `given` are rates of joints' axes and speeds of wheels by name, `rows` (m, nv) times v are `values` (m,).

        `ValueError` states how many rows are missing or too many, or that the given motions are singular.
        """
        Psi, Phi, G = self.equations(x)
        A = np.vstack([Psi, Phi, G])
        asked = np.vstack([*(self._row(name) for name in given), *np.reshape(rows, (-1, self.layout.nv))])
        missing = self.layout.nv - _rank(A)
        if len(asked) != missing:
            raise ValueError(
                f"{len(asked)} motions are given, expected {missing}: {_rank(A)} equations for {self.layout.nv} speeds"
            )
        whole = np.vstack([A, asked])
        if _rank(whole) < self.layout.nv:
            raise ValueError("the given motions do not determine the rates: the configuration is singular for them")
        right = np.concatenate([angular_momentum, momentum, np.zeros(len(G)), [*given.values(), *values]])
        size = np.linalg.norm(whole, axis=1)
        return np.linalg.lstsq(whole / size[:, None], right / size)[0]

    def _row(self, name: str):
        index = self.system.signals.where("states", name) - self.layout.nq
        if not 0 <= index < self.layout.nv:
            raise ValueError(f"{name!r} is not a rate, expected one of a joint's axis or a wheel")
        return np.eye(self.layout.nv)[index]


def _rank(rows) -> int:
    size = np.linalg.norm(rows, axis=1)
    return int(np.linalg.matrix_rank(rows[size > 0.0] / size[size > 0.0, None], tol=SINGULAR))
