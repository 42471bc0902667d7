"""The state of an FMU instance as bytes: all variable numbers, preceded by a checksum of them and of their FMU.

Bytes with a valid checksum can still be forged, so every number is checked before any is used.
The native flavour has the same rows in runtime/core/saved.c.
"""

from __future__ import annotations

import math
import sys
import zlib
from dataclasses import dataclass
from functools import reduce

import numpy as np

from spacefmu.dynamics.solver.rows_seen import COUNT, RANK

from ..interface.legal import COSIMULATION, FMI2, STARTING, InstanceMode
from ..interface.variables import Group

_CHECKSUM = 4  # bytes
_INT = 2.0**31


class Refusal(Exception):
    """A call that FMI forbids, or a value that the model forbids; the message says which and why."""


@dataclass(frozen=True)
class SavedField:
    """Numbers of one attribute, each from low to high; whole: only whole numbers. "solver.…": of the solver."""

    name: str
    low: float = -sys.float_info.max
    high: float = sys.float_info.max
    whole: bool = False

    def owner(self, instance):
        return reduce(getattr, self.name.split(".")[:-1], instance)

    @property
    def attribute(self) -> str:
        return self.name.split(".")[-1]


def _flag(name: str) -> SavedField:
    return SavedField(name, 0.0, 1.0, whole=True)


def _counted(name: str) -> SavedField:
    return SavedField(name, 0.0, 2.0**53, whole=True)


# Everything that varies: one row per field.
FIELDS = (
    SavedField("mode", 1.0, float(InstanceMode.ERROR), whole=True),
    _flag("initialized"),
    SavedField("stop_time", high=math.inf),
    SavedField("tolerance", 0.0, 1.0),
    SavedField("p"),
    SavedField("settings", 0.0),
    SavedField("x_given"),
    SavedField("d_given"),
    SavedField("solver.t"),
    SavedField("solver.x"),
    SavedField("solver.u"),
    SavedField("solver.d"),
    SavedField("solver.control.step"),
    _counted("solver.steps"),
    _counted("solver.attempts.rejections"),
    _counted("solver.events"),
    _counted("solver.to_points"),
    _counted("solver.to_events"),
    _counted("solver.to_limits"),
    _counted("solver.splits.lates"),
    SavedField("solver.clock.offset"),
    SavedField("solver.clock.doubt", -1.0),
    SavedField("solver.clock.early", 0.0),
    SavedField("solver.control.within", 0.0, 1.0),
    _flag("solver.control.choice.implicit"),
    *(
        SavedField(f"solver.control.choice.{name}", 0.0)
        for name in ("tries", "steps", "span", "work", "patience", "pace", "radius", "length", "taken")
    ),
    _flag("solver.disturbed"),
    SavedField("solver.ahead.begins"),
    SavedField("solver.ahead.ends"),
    _flag("solver.ahead.event"),
    SavedField("solver.ahead.x_from"),
    SavedField("solver.ahead.x_to"),
    SavedField("solver.ahead.dense"),
    SavedField("solver.control.norm.x_start"),
    SavedField("solver.control.norm.moved", 0.0, 1.0),
    SavedField("solver.changes.weakness", 0.0),
    SavedField("solver.changes.gap"),
)
_OF_THE_STEP_AHEAD = ("solver.ahead.x_from", "solver.ahead.x_to", "solver.ahead.dense")
# Places of the variables' values and start values.
_PLACES = {
    Group.STATE: ("x_given", "solver.x"),
    Group.DISCRETE: ("d_given", "solver.d"),
    Group.INPUT: ("solver.u",),
    Group.PARAMETER: ("p",),
    Group.SOLVER: ("settings",),
}


def save(instance) -> bytes:
    numbers = np.concatenate([np.ravel(np.asarray(_present(instance, field), float)) for field in FIELDS])
    data = numbers.astype("<f8").tobytes()
    return checksum(instance, data) + data


def restore(instance, state: bytes) -> None:
    """All or nothing."""
    length = len(save(instance))
    if len(state) != length:
        raise Refusal(f"fmi2SetFMUstate: the state has {len(state)} bytes, expected {length}")
    data = state[_CHECKSUM:]
    if state[:_CHECKSUM] != checksum(instance, data):
        raise Refusal("fmi2SetFMUstate: the state is damaged, or belongs to another FMU")
    ends = np.cumsum([np.size(_present(instance, field)) for field in FIELDS])
    parts = np.split(np.frombuffer(data, "<f8").astype(float), ends[:-1])
    _inspect(instance, {field.name: part for field, part in zip(FIELDS, parts, strict=True)})
    for field, part in zip(FIELDS, parts, strict=True):
        old = _present(instance, field)
        new = part.reshape(old.shape) if isinstance(old, np.ndarray) else type(old)(part[0])
        setattr(field.owner(instance), field.attribute, new)


def checksum(instance, data: bytes) -> bytes:
    return zlib.crc32(data, zlib.crc32(instance.identity.encode())).to_bytes(_CHECKSUM, "little")


def _present(instance, field: SavedField):
    return getattr(field.owner(instance), field.attribute)


def _inspect(instance, saved: dict[str, np.ndarray]) -> None:
    """Checks each number against its field's range, values of variables against their kind and bounds, and their consistency."""
    ahead = saved["solver.ahead.ends"] > saved["solver.ahead.begins"]
    for field in FIELDS:
        if ahead or field.name not in _OF_THE_STEP_AHEAD:  # without one no one reads what the last one left
            _within(field.name, saved[field.name], field.low, field.high, field.whole)
    for variable in instance.variables:
        signal = variable.signal
        low, high = -math.inf, math.inf
        if variable.group in (Group.PARAMETER, Group.SOLVER) or signal.kind == "enumeration":
            low, high = (low if signal.min is None else signal.min), (high if signal.max is None else signal.max)
        if signal.kind == "boolean":
            low, high = 0.0, 1.0
        if signal.kind == "integer":
            low, high = max(low, -_INT), min(high, _INT - 1.0)
        for place in _PLACES.get(variable.group, ()):
            _within(variable.name, saved[place][[variable.index]], low, high, signal.kind != "real")
    if len(gap := saved["solver.changes.gap"]):  # none without loops
        weak, rows = (
            instance.solver.changes.loops.weak_shape[1],
            min(len(instance.solver.changes.loops.owners), len(instance.solver.changes.loops.speeds)),
        )
        _within("gap's rank", gap[[RANK]], 0.0, rows, True)
        _within("gap's weak rows", gap[[COUNT]], 0.0, min(weak, gap[RANK]), True)
    mode, t = int(saved["mode"][0]), saved["solver.t"]
    if mode not in list(InstanceMode) or not mode & FMI2.modes[COSIMULATION - 1]:
        raise Refusal(f"fmi2SetFMUstate: mode is {mode} in the saved state, which this instance does not have")
    if not mode & (STARTING | InstanceMode.ERROR) and not saved["initialized"]:
        raise Refusal(f"fmi2SetFMUstate: the state was saved in {InstanceMode(mode).words!r} without being initialized")
    if ahead and not saved["solver.ahead.begins"] <= t <= saved["solver.ahead.ends"]:
        begins, ends = saved["solver.ahead.begins"][0], saved["solver.ahead.ends"][0]
        raise Refusal(
            f"fmi2SetFMUstate: the saved state's time {t[0]:.17g} is outside its step ahead, from {begins:.17g} to {ends:.17g}"
        )


def _within(name: str, values: np.ndarray, low: float, high: float, whole: bool) -> None:
    legal = (low <= values) & (values <= high) & (not whole or values == np.floor(values))  # NaN is in no range
    for value in values[~legal]:
        kind = "a whole number" if whole else "a number"
        raise Refusal(
            f"fmi2SetFMUstate: {name} is {value:g} in the saved state, expected {kind} from {low:g} to {high:g}"
        )
