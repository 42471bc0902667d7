"""The groups of a description whose entries make pieces: one row per group, with the keys and makers of its pieces."""

from __future__ import annotations

from dataclasses import dataclass

from ..constraints.force_elements import PAIR, SPRING
from ..constraints.relation import RELATION
from ..constraints.table import COUPLING
from ..environment.magnetic import DIPOLE
from ..environment.surface import SURFACE
from ..loads.command_path import real
from ..spacecraft.gyros import GYRO
from ..spacecraft.outputs import SENSOR
from ..spacecraft.reels import CABLE_OR_REEL
from ..spacecraft.tanks import TANK
from ..spacecraft.thrusters import THRUSTER
from ..spacecraft.wheels import WHEEL
from ..system.keys import Declaration, Kinds
from .conditions import CONDITION


@dataclass(frozen=True)
class EntryGroup:
    """Entries by name: their text, their declaration, and the `prefix` of their signals; default: the entry's own name."""

    text: str
    entries: Declaration | Kinds
    prefix: str = ""


# in the order in which they are made: links before formulas name their coordinates
GROUPS = {
    "wheels": EntryGroup("reaction wheels", real(WHEEL), "wheel"),
    "gyros": EntryGroup("control-moment gyros", real(GYRO), "gyro"),
    "tanks": EntryGroup("tanks, whose propellant is a state", TANK, "tank"),
    "thrusters": EntryGroup("thrusters: forces along a direction", real(THRUSTER), "thruster"),
    "sensors": EntryGroup("gyros, accelerometers", SENSOR, "sensor"),
    "couplings": EntryGroup("conditions between two places: closed loops, docking, contacts", real(COUPLING)),
    "relations": EntryGroup("gears and differentials between joint axes", real(RELATION)),
    "conditions": EntryGroup("conditions by formulas: linear in speeds, or held as positions", CONDITION),
    "cables": EntryGroup("cables that only pull", real(CABLE_OR_REEL)),
    "springs": EntryGroup("springs and dampers along a line, which pull and push", real(SPRING)),
    "pairs": EntryGroup("forces and torques between two bodies", real(PAIR)),
    "surfaces": EntryGroup("surfaces in sunlight and air", SURFACE, "surface"),
    "dipoles": EntryGroup("magnetic dipoles", real(DIPOLE), "dipole"),
}
