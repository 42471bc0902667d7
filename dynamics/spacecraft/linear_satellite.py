"""[tkachev]'s satellite linearized about rest: S₀ z = N₀ with 8 + 2N_a + 2N_p states (attitude, hinge, modes and their rates).

At rest, undeformed, the hinge at its start, (18) leaves S₀ constant and of N only the loads: torques, hinge moment, elastic and damping
forces. The paper's linear form is that of light appendages (no 1/m terms); the exact one keeps them, costs no more, and is to be preferred.
The hub's position is not a state, because nothing depends on it. Proved by tests/satellite/test_linear.py.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..system.contract import Attitude, Projection, Staged
from ..system.layout import Layout, end_to_end
from ..system.signals import SignalTable, State
from .motion import Dynamics
from .outputs import NodeMotion
from .route import Route
from .satellite_route import ClosedForm
from .signals import signal_table
from .structure import Spacecraft

AT_ORIGIN = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)  # the hub's free joint, which comes first: position and quaternion


class LinearSatellite(Route):
    """Its inputs and parameters are those of the spacecraft; `table`: its own signals.

    Parts: of the spacecraft's coordinates (`q`) and speeds (`v`), and of its own states (`x`), which leave out where the hub is.
    """

    def __init__(self, craft: Spacecraft, light: bool):
        super().__init__(Dynamics(craft, signal_table(craft, ())), _nodes(craft))
        self.closed_form = ClosedForm(self.dynamics, (), light)
        tree, given = craft.tree, self.dynamics.table
        self.q = Layout({"hub": len(AT_ORIGIN), "others": tree.nq - len(AT_ORIGIN)})
        self.v = Layout({"velocity": 3, "rates": tree.nv - 3})
        self.x = Layout({"angles": 3, "others": tree.nq - len(AT_ORIGIN), "rates": tree.nv - 3})
        start, _ = self.dynamics.split(np.array(given.starts("states")))
        self.rest = self.q.replaced(start, hub=AT_ORIGIN)
        for span in tree.mode_q:
            self.rest[span] = 0.0
        self.table = SignalTable(
            states=self._states(),
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
        dynamics, states = self.dynamics, self.dynamics.states
        _, others, rates = self.x.parts(x).values()
        still = states.replaced(np.zeros(states.size), coordinates=self.rest)
        coordinates = self.q.replaced(self.rest, others=others)
        speeds = self.v.joined({"velocity": np.zeros(3), "rates": rates})
        moved = states.replaced(still, coordinates=coordinates, speeds=speeds)
        there = dynamics.moment(t, moved, u, k, d)  # for its springs, dampers and drives: they are linear
        v_dot, _, _ = self.closed_form.solved(
            replace(dynamics.moment(t, still, u, k, d), passive=there.passive, drive=there.drive)
        )
        y = [part for node in self.pieces for part in _shown(node, coordinates[dynamics.tree.mode_q[node.body]])]
        return np.concatenate([rates, v_dot[self.v["rates"]]]), end_to_end(y), np.zeros(0)

    def _states(self) -> list[State]:
        """Small angles of the hub, and the other coordinates and speeds as the spacecraft has them."""
        hub, given = self.dynamics.craft.joints[0].name, self.dynamics.table
        turned = State(
            f"{hub}.rotation", f"small angles by which {hub} is turned from its attitude at rest, in its axes", "rad", (0.0, 0.0, 0.0),
            derivative=f"{hub}.angular_velocity", nominal=1.0,
        )  # fmt: skip
        coordinates, speeds = self.dynamics.split(given.states)
        return [turned, *coordinates[self.q["others"]], *speeds[self.v["rates"]]]


def _nodes(craft: Spacecraft) -> list[NodeMotion]:
    """The nodes whose motion is shown."""
    links = craft.tree.links
    return [piece for piece in craft.sensors if isinstance(piece, NodeMotion) and links[piece.body].body.modes]


def _shown(piece: NodeMotion, eta):
    """Displacement and rotation (3,) of a node."""
    return piece.node.shape @ eta, piece.node.turn @ eta
