"""A spacecraft with its signal table, made once: for checks of its start, its System and its picture."""

from __future__ import annotations

from ..system.pieces import Piece
from .motion import Dynamics
from .outputs import SystemTotals
from .signals import signal_table
from .structure import Spacecraft


def shown_by(craft: Spacecraft) -> tuple[Piece, ...]:
    """The pieces that have only outputs: totals, then sensors."""
    return (SystemTotals(craft.environment.frame_text), *craft.sensors)


def dynamics_of(craft: Spacecraft, known: Dynamics | None = None) -> Dynamics:
    """The Dynamics of a spacecraft in the coordinates of its tree; `known`, if it is that of this spacecraft."""
    if known is not None and known.craft is craft:
        return known
    return Dynamics(craft, signal_table(craft, shown_by(craft)))
