"""Events of a run: as reported by the solvers of its FMUs, to round-off; else as visible between the instants of the result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .table import Result

MOST_CHANGES = 200  # a column that changes more often is not considered a switch


@dataclass(frozen=True)
class Event:
    """A switch: exactly at `time` if `until` is the same, else between the two [s]."""

    time: float
    until: float
    name: str
    value: float
    text: str = ""  # its meaning, as worded by the FMU


@dataclass(frozen=True)
class Events:
    """Of one run, in the order of time. more: number of further switches per name that were not recorded; others: events that switched no named variable."""

    found: tuple[Event, ...]
    more: Mapping[str, int]
    others: int = 0

    @property
    def exact(self) -> bool:
        return all(event.time == event.until for event in self.found)


def events(result: Result) -> Events:
    """The switches of a run, in the order of time: `.found`, each with its `time` [s], `name` and `value`.

    Events that units report are exact: `until` is the same as `time`. For integer variables without reports, changes between two instants,
    `time` and `until`, are listed. `.more`: number of further switches per name that were not recorded; `.others`: events that switched no
    named variable, such as samples.
    """
    told, more, others = _told(result.origin)
    names = {event.name for event in told} | set(more)
    rest = (event for event in _seen(result) if event.name not in names)
    return Events(tuple(sorted([*told, *rest], key=lambda event: (event.time, event.name))), more, others)


def _told(origin: Mapping) -> tuple[list[Event], dict[str, int], int]:
    """Events reported by the units' solvers (see origin.py); unreadable entries are left out."""
    found: list[Event] = []
    more: dict[str, int] = {}
    others = 0
    units = origin.get("events") if isinstance(origin, Mapping) else None
    for unit, own in (units if isinstance(units, Mapping) else {}).items():
        try:
            prefix, texts = f"{unit}." if unit else "", own.get("texts", {})
            found += [
                Event(float(t), float(t), prefix + name, float(value), texts.get(name, ""))
                for t, name, value in own["switched"]
            ]
            more |= {prefix + name: int(count) for name, count in own.get("more", {}).items()}
            others += int(own.get("others", 0))
        except (AttributeError, KeyError, TypeError, ValueError):
            continue
    return found, more, others


def _seen(result: Result) -> list[Event]:
    """Changes of columns with only integer values: switches, counts, modes."""
    found = []
    for name, values in zip(result.names, result.values.T, strict=True):
        if result.units.get(name, "") not in ("", "1") or not np.array_equal(values, np.round(values)):
            continue
        jumps = np.flatnonzero(np.diff(values))
        if 0 < len(jumps) <= MOST_CHANGES:
            found += [
                Event(float(result.time[i]), float(result.time[i + 1]), name, float(values[i + 1])) for i in jumps
            ]
    return found
