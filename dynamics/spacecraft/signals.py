"""The signal table of a spacecraft: one loop over its pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..joints.coordinates import mode_states
from ..system.pieces import Piece
from ..system.signals import SignalTable, State
from .nominals import with_nominals
from .structure import WORK_STATES, Spacecraft


def signal_table(
    craft: Spacecraft, shown: Sequence[Piece], coordinates: tuple[list[State], list[State]] | None = None
) -> SignalTable:
    """`shown` are the pieces that have outputs alone. States are q, v, the work integrals, then those of all pieces in order.

    coordinates: the states of q and of v, if they are not the tree's.
    """
    pieces = [*craft.pieces(), *shown, *craft.couplings, *craft.watches, craft.given_start]
    positions, speeds = _tree_coordinates(craft) if coordinates is None else coordinates
    # Couplings are closed at the start, by moving places and speeds; what locks there stops at a jump of speeds.
    jumps = craft.rows > 0 or any(joint.forces.locks for joint in craft.joints)
    positions = [replace(state, approximate=state.approximate or craft.rows > 0) for state in positions]
    speeds = [replace(state, approximate=jumps) for state in (*speeds, *WORK_STATES)]
    table = SignalTable(
        states=[*positions, *speeds, *(state for piece in pieces for state in piece.states())],
        inputs=[quantity for piece in pieces for quantity in piece.inputs()],
        parameters=[quantity for piece in pieces for quantity in piece.parameters()],
        discretes=[quantity for piece in pieces for quantity in piece.discretes()],
        outputs=[quantity for piece in pieces for quantity in piece.outputs()],
    )
    return with_nominals(craft, table)


def _tree_coordinates(craft: Spacecraft) -> tuple[list[State], list[State]]:
    """q and v of all joints and modes."""
    positions: list[State] = []
    speeds: list[State] = []
    for link, joint in zip(craft.tree.links, craft.joints, strict=True):
        space = craft.environment.frame_text
        q, v = link.joint.states(joint.name, joint.q0, joint.v0, joint.forces.prescribed, space)
        amplitudes, rates = mode_states(link.body.name, link.body.modes, joint.eta0, joint.eta_dot0)
        positions += q + amplitudes
        speeds += v + rates
    return positions, speeds
