"""[tkachev]'s satellite linearized about rest: S₀ z = N₀ with 8 + 2N_a + 2N_p states (attitude, hinge, modes and their rates).

At rest, undeformed, the hinge at its start, (18) leaves S₀ constant and of N the loads alone: torques, hinge moment, elastic and damping
forces. The paper's linear form is that of light appendages (no 1/m terms); the exact one keeps them, costs no more, and is to be preferred.
The hub's place is no state: nothing depends on it. Proved by tests/satellite/test_linear.py.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..signals import SignalTable, State
from ..system import Staged, System
from .motion import Dynamics
from .outputs import NodeMotion
from .satellite_route import ClosedForm
from .signals import signal_table
from .structure import Spacecraft

HUB_Q, HUB_V = 7, 6  # of the free joint, which comes first: position and quaternion; velocity and angular velocity


def linear_satellite(craft: Spacecraft, light: bool) -> System:
    """The System; its inputs and parameters are those of the spacecraft."""
    table = signal_table(craft, ())
    dynamics = Dynamics(craft, table)
    route, tree = ClosedForm(dynamics, (), light), craft.tree
    nodes = [piece for piece in craft.sensors if isinstance(piece, NodeMotion) and tree.links[piece.body].body.modes]
    starts = np.array(table.starts("states"))
    rest = np.concatenate([np.zeros(3), [1.0, 0.0, 0.0, 0.0], starts[HUB_Q : tree.nq]])
    for i, _ in enumerate(tree.links):
        rest[tree.mode_q[i]] = 0.0
    states, n = _states(craft, table), tree.nv - 3  # small angles, then what follows the hub; rates of all

    def finish(t, x, u, k, d, z, multipliers, carry):
        coordinates, speeds = x[:n], x[n:]
        still = np.concatenate([rest, np.zeros(tree.nv + 2)])
        moved = np.concatenate([rest[:HUB_Q], coordinates[3:], np.zeros(3), speeds, np.zeros(2)])
        there = dynamics.moment(t, moved, u, k, d)  # for its springs, dampers and drives: they are linear
        v_dot, _, _ = route.solved(
            replace(dynamics.moment(t, still, u, k, d), passive=there.passive, drive=there.drive)
        )
        y = [part for node in nodes for part in _shown(node, coordinates[_modes(tree, node.body)])]
        return np.concatenate([speeds, v_dot[3:]]), np.concatenate([np.zeros(0), *y]), np.zeros(0)

    return System(
        name=craft.name,
        description=craft.description,
        signals=SignalTable(
            states=states,
            inputs=table.quantities("inputs"),
            parameters=table.quantities("parameters"),
            outputs=[quantity for node in nodes for quantity in (node.displacement, node.rotation)],
        ),
        motion=Staged(finish),
        experiment=craft.experiment,
        documentation=craft.documentation,
        baked=(*craft.baked, "the hinge's angle that the equations are linearized about"),
    )


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
