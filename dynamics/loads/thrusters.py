"""Thrusters of descriptions: a load, and where there is a maximum the valve in front of it."""

from __future__ import annotations

from typing import Any

from ..system.keys import PLACE, Declaration, Key, Resolver
from .actuator import ThrusterValve
from .wrench import Thruster


def make_thruster(table: Any, names: Resolver) -> list:
    found = names.place()
    load = [] if found is None else [Thruster(names.signal, *found, table.direction)]
    if table.maximum is not None:
        fall = table.fall_time if table.rise_time is None else table.fall_time or table.rise_time
        rise = table.rise_time or fall
        return [*load, ThrusterValve(names.signal, table.maximum, table.minimum_impulse, rise, fall)]
    if any(value is not None for value in (table.minimum_impulse, table.rise_time, table.fall_time)):
        names.missing("maximum", "a shortest pulse, a rise and a fall need it")
    return load


THRUSTER = Declaration("A force input at a place of a body, along `direction` (the way it pushes the body).", {
    **PLACE,
    "direction": Key("axis", "the way it pushes, in the axes of its place"),
    "maximum": Key("positive", "largest thrust [N]; with it the thrust can't be negative", None),
    "minimum_impulse": Key("positive", "of the shortest pulse [N s]; needs a maximum", None),
    "rise_time": Key("positive", "time constant with which thrust builds up [s]; needs a maximum", None),
    "fall_time": Key("positive", "time constant with which it decays [s]; default rise_time", None),
}, make_thruster)  # fmt: skip
