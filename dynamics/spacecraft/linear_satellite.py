"""[tkachev]'s satellite linearized about rest: S₀ z = N₀ with 8 + 2N_a + 2N_p states (attitude, hinge, modes and their rates).

At rest, undeformed, the hinge at its start, (18) leaves S₀ constant and of N the loads alone: torques, hinge moment, elastic and damping
forces. The paper's linear form is that of light appendages (no 1/m terms); the exact one keeps them, costs no more, and is to be preferred.
The hub's place is no state: nothing depends on it. Proved by tests/satellite/test_linear.py.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..system.contract import Attitude, Projection, Staged
from ..system.signals import SignalTable, State
from .motion import Dynamics
from .outputs import NodeMotion
from .route import Route
from .satellite_route import ClosedForm
from .signals import signal_table
from .structure import Spacecraft

HUB_Q, HUB_V = 7, 6  # of the free joint, which comes first: position and quaternion; velocity and angular velocity


class LinearSatellite(Route):
    """Its inputs and parameters are those of the spacecraft; `table`: its own signals."""

    def __init__(self, craft: Spacecraft, light: bool):
        super().__init__(Dynamics(craft, signal_table(craft, ())), _nodes(craft))
        self.closed_form = ClosedForm(self.dynamics, (), light)
        tree, given = craft.tree, self.dynamics.table
        self.rest = np.concatenate(
            [np.zeros(3), [1.0, 0.0, 0.0, 0.0], np.array(given.starts("states"))[HUB_Q : tree.nq]]
        )
        for span in tree.mode_q:
            self.rest[span] = 0.0
        self.table = SignalTable(
            states=_states(craft, given),
            inputs=given.quantities("inputs"),
            parameters=given.quantities("parameters"),
            outputs=[quantity for node in self.pieces for quantity in (node.displacement, node.rotation)],
        )

    def motion(self) -> Staged:
        return Staged(self._finish)

    def projections(self) -> tuple[Projection, ...]:
        return ()

    def attitudes(self) -> tuple[Attitude, ...]:
        return ()

    def initialize(self, t, x, u, k, d):
        return x, d

    def _finish(self, t, x, u, k, d, z, multipliers, carry):
        tree, dynamics = self.dynamics.tree, self.dynamics
        n = tree.nv - 3  # small angles, then what follows the hub; rates of all
        coordinates, speeds = x[:n], x[n:]
        still = np.concatenate([self.rest, np.zeros(tree.nv + 2)])
        moved = np.concatenate([self.rest[:HUB_Q], coordinates[3:], np.zeros(3), speeds, np.zeros(2)])
        there = dynamics.moment(t, moved, u, k, d)  # for its springs, dampers and drives: they are linear
        v_dot, _, _ = self.closed_form.solved(
            replace(dynamics.moment(t, still, u, k, d), passive=there.passive, drive=there.drive)
        )
        y = [part for node in self.pieces for part in _shown(node, coordinates[_modes(tree, node.body)])]
        return np.concatenate([speeds, v_dot[3:]]), np.concatenate([np.zeros(0), *y]), np.zeros(0)


def _nodes(craft: Spacecraft) -> list[NodeMotion]:
    """The nodes whose motion is shown."""
    links = craft.tree.links
    return [piece for piece in craft.sensors if isinstance(piece, NodeMotion) and links[piece.body].body.modes]


def _states(craft: Spacecraft, table: SignalTable) -> list[State]:
    """Small angles of the hub, and the other coordinates and speeds as the spacecraft has them."""
    tree, hub = craft.tree, craft.joints[0].name
    given = list(table.states)
    turned = State(
        f"{hub}.rotation", f"small angles by which {hub} is turned from its attitude at rest, in its axes", "rad", (0.0, 0.0, 0.0),
        derivative=f"{hub}.angular_velocity", nominal=1.0,
    )  # fmt: skip
    behind = slice(tree.nq + 3, tree.nq + tree.nv)
    return [turned, *given[HUB_Q : tree.nq], *given[behind]]


def _modes(tree, body: int) -> slice:
    """Where a body's amplitudes stand among the coordinates, which begin with three angles in place of the hub's seven."""
    span = tree.mode_q[body]
    return slice(span.start - HUB_Q + 3, span.stop - HUB_Q + 3)


def _shown(piece: NodeMotion, eta):
    """Displacement and rotation (3,) of a node."""
    return piece.node.shape @ eta, piece.node.turn @ eta
