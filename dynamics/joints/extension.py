"""The length of a beam that extends, as an axis: what acts along it is what acts along the axis of a joint (axis.py)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..system.keys import Key, Keys, Resolver
from .acting import SERVO, STOP, axis_law
from .axis import DRIVES, Axis
from .coordinates import AxisKind
from .forces import AxesForces

EXTENSION = AxisKind("length", "rate", "acceleration", "force", "m", "m/s", "m/s2", "N", "N/m", "N.s/m", "along")
ALONG = ("stiffness", "rest", "damping", "friction", "friction_rate", "stop", "drive", "servo", "lock", "latch")
EXTENDS = Keys("Extends", "A beam that extends: part of it is out, the rest is stowed at its root. Its length is a coordinate, NAME.extends.length.", {
    "length": Key("positive", "that is out at the start [m]"),
    "rate": Key("number", "of the length at the start [m/s]", 0.0),
    "stowed": Key(("drum", "at rest"), "the stowed part moves at the rate of the length, or rests and is picked up and stopped at once, which takes energy", "drum"),
    "drum_mass": Key("not negative", "moment of inertia of the empty drum over its radius squared [kg]", None),
    "stiffness": Key("not negative", "spring along the length [N/m]", 0.0),
    "rest": Key("number", "length at which the spring is free [m]; default: that of the start", None),
    "damping": Key("not negative", "damper along the length [N s/m]", 0.0),
    "friction": Key("not negative", "largest Coulomb force [N]", None),
    "friction_rate": Key("positive", "rate over which friction builds up: F tanh(rate/friction_rate) [m/s]", 1e-3),
    "stop": Key(STOP, "ends of the motion", None),
    "drive": Key(DRIVES, "input NAME.extends.force, .acceleration, .length_command or .rate_command", "none"),
    "servo": Key(SERVO, "of position and rate drives", None),
    "lock": Key("flag", "true: a Boolean input NAME.extends.lock", False),
    "latch": Key("number", "length at which it locks by itself [m]", None),
})  # fmt: skip


@dataclass(frozen=True)
class Extension:
    """What acts along the length, how it starts [m, m/s], and the drum's mass; None: the stowed part is at rest."""

    axis: AxesForces
    start: tuple[float, float]
    drum_mass: float | None


def extension(name: str, table: Any, whole: float, names: Resolver) -> Extension:
    """Of a beam of the length `whole` with a table of EXTENDS."""
    if not table.length <= whole:
        names.expected("length", f"at most {whole:g} m, the length of the beam")
    if table.latch is not None and not 0.0 < table.latch <= whole:
        names.expected("latch", f"a length from 0 to {whole:g} m, that of the beam")
    if table.stop is not None and not 0.0 < table.stop.lower < table.stop.upper <= whole:
        names.expected("stop", f"lower and upper between 0 and {whole:g} m, the length of the beam", [table.stop.lower, table.stop.upper])  # fmt: skip
    at_rest = table.stowed == "at rest"
    if at_rest and table.drum_mass is not None:
        names.expected("drum_mass", "nothing where the stowed part is at rest")
    own = {key: getattr(table, key) for key in ALONG} | {"static_friction": None}
    rest = table.length if table.rest is None else table.rest
    law = axis_law(own, rest, table.length, "", names)
    axis = Axis(f"{name}.extends", "", EXTENSION, law, "")
    return Extension(
        AxesForces((axis,), axis.name), (table.length, table.rate), None if at_rest else table.drum_mass or 0.0
    )
