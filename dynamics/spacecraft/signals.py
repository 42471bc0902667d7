"""The signal table of a spacecraft: one loop over its pieces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..joints.coordinates import states_of
from ..system.layout import Layout
from ..system.pieces import Piece, at_terminals
from ..system.signals import Quantity, SignalTable, State, Terminal
from .nominals import with_nominals
from .structure import WORK_STATES, Spacecraft


def signal_table(
    craft: Spacecraft, shown: Sequence[Piece], coordinates: tuple[list[State], list[State]] | None = None
) -> SignalTable:
    """`shown` are the pieces that have only outputs. `layouts` name the parts of states and of discrete states.

    coordinates: the states of q and of v, if they are not the tree's.
    """
    pieces = [*craft.pieces(), *shown, *craft.couplings, *craft.watches, craft.given_start]
    positions, speeds = _tree_coordinates(craft) if coordinates is None else coordinates
    # Couplings are closed at the start by changing positions and speeds; an axis that locks there stops by a jump of its speed.
    jumps = craft.rows > 0 or any(forces.locks for forces, _, _ in craft.axes(craft.tree))
    positions = [replace(state, approximate=state.approximate or craft.rows > 0) for state in positions]
    speeds = [replace(state, approximate=jumps) for state in (*speeds, *WORK_STATES)]
    groups = {group: [q for piece in pieces for q in getattr(piece, group)()] for group in SignalTable.GROUPS}
    groups["states"] = [*positions, *speeds, *groups["states"]]
    terminals = {name: terminal for piece in pieces for name, terminal in piece.terminals().items()}
    placed = {group: at_terminals(found, terminals) for group, found in groups.items()}
    layouts = _layouts(craft, shown, _count(positions), _count(speeds) - len(WORK_STATES))
    return with_nominals(craft, SignalTable(**placed).in_parts(layouts))


def _layouts(craft: Spacecraft, shown: Sequence[Piece], nq: int, nv: int) -> dict[str, Layout]:
    """The parts of x and of d. Pieces that are not named here have no states: SignalTable counts."""
    frame, environment, connections = craft.environment.frame, craft.environment, (*craft.couplings, *craft.watches)
    states = {
        "coordinates": nq,
        "speeds": nv,
        "energies": len(WORK_STATES),
        "tanks": _count(state for link in craft.tree.links for state in link.body.states()),
        "propulsion": _count(craft.propulsion.states()),
        "frame": _count(frame.states()),
        "environment_work": _count(environment.states()) - _count(frame.states()),
        "shown": _count(state for piece in shown for state in piece.states()),
        "connections": _count(state for each in connections for state in each.states()),
    }
    discretes = {
        "locks": _count(mode for forces, _, _ in craft.axes(craft.tree) for mode in forces.discretes()),
        "connections": _count(mode for each in connections for mode in each.discretes()),
        "given_start": _count(craft.given_start.discretes()),
    }
    return {"states": Layout(states), "discretes": Layout(discretes)}


def _count(quantities: Iterable[Quantity]) -> int:
    """Entries of quantities."""
    return sum(quantity.size for quantity in quantities)


def _tree_coordinates(craft: Spacecraft) -> tuple[list[State], list[State]]:
    """q and v of all joints and modes."""
    positions: list[State] = []
    speeds: list[State] = []
    for link, joint in zip(craft.tree.links, craft.joints, strict=True):
        space = craft.environment.frame_text
        q, v = link.joint.states(joint.name, joint.q0, joint.v0, joint.forces.prescribed, space)
        terminal = Terminal(
            joint.forces.terminal or "frame", joint.name
        )  # a body without a joint has the name of its states
        q, v = ([replace(state, terminal=terminal) for state in own] for own in (q, v))
        amplitudes, rates = states_of(link.body, joint.eta0, joint.eta_dot0)
        positions += q + amplitudes
        speeds += v + rates
    return positions, speeds
