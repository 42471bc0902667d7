"""The groups of a description whose entries make pieces: one row per group, each piece with its keys and its maker beside it."""

from __future__ import annotations

from dataclasses import dataclass

from ..constraints.force_elements import PAIR, SPRING
from ..constraints.relation import RELATION
from ..constraints.table import COUPLING
from ..environment.magnetic import DIPOLE
from ..environment.surface import SURFACE
from ..loads.thrusters import THRUSTER
from ..spacecraft.outputs import SENSOR
from ..spacecraft.wheels import WHEEL
from ..system.keys import Declaration, Kinds
from ..tether.table import CABLE
from .conditions import CONDITION


@dataclass(frozen=True)
class Group:
    """Entries by name: what they are, what declares them, and the `prefix` of their signals; without one an entry's own name is it."""

    text: str
    entries: Declaration | Kinds
    prefix: str = ""


# in the order in which they are made: links before formulas name their coordinates
GROUPS = {
    "wheels": Group("reaction wheels", WHEEL, "wheel"),
    "thrusters": Group("forces along a direction", THRUSTER, "thruster"),
    "sensors": Group("gyros, accelerometers", SENSOR, "sensor"),
    "couplings": Group("conditions between two places: closed loops, docking, contacts", COUPLING),
    "relations": Group("gears and differentials between joint axes", RELATION),
    "conditions": Group("conditions by formulas: linear in speeds, or held as positions", CONDITION),
    "cables": Group("cables that only pull", CABLE),
    "springs": Group("springs and dampers along a line, which pull and push", SPRING),
    "pairs": Group("forces and torques between two bodies", PAIR),
    "surfaces": Group("flat surfaces in sunlight and air", SURFACE, "surface"),
    "dipoles": Group("magnetic dipoles", DIPOLE, "dipole"),
}
