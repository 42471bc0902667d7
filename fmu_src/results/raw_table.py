"""A table as read from a file of any program, and its valid part: finite columns over increasing time, and faults with their treatment."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .origin import sound_origin
from .table import Result

TIMES = ("time", "t", "tout", "zeit")  # names of the time column, in any case; the first one present counts
SECONDS = {"s": 1.0, "sec": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "min": 60.0, "h": 3600.0}


@dataclass(frozen=True)
class Fault:
    """A fault of a file as a sentence, and how a lenient reader treats it."""

    words: str
    remedy: str


@dataclass
class RawTable:
    """Columns of a file: names, values (n, m) with NaN for non-numeric entries, units by name, the origin as stored.

    where: the name of row i in messages; texts: the first non-numeric entry of a column, (row, column) → text; faults: found so far.
    """

    path: Path
    names: tuple[str, ...]
    values: np.ndarray
    units: dict[str, str] = field(default_factory=dict)
    origin: object = None
    where: Callable[[int], str] = lambda row: f"instant {row + 1}"
    texts: dict[tuple[int, int], str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def result(self) -> Result:
        """The usable part: columns that have numbers, rows whose time is a number and does not decrease."""
        names, units = self._named()
        place = _time_of(names)
        if place is None:
            few = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
            raise ValueError(f"{self.path}: has no column 'time'; there are {few or 'none'}")
        keep = [i for i in self._judged(names) if i != place and np.isfinite(self.values[:, i]).any()]
        time, rows = self._instants(place, units)
        whole = len(rows) == len(self.values)
        values = self.values[:, keep] if whole else self.values[np.ix_(rows, np.array(keep, int))]
        kept = tuple(names[i] for i in keep)
        origin, fault = sound_origin(self.origin)
        if fault:
            self.faults.append(Fault(f"{self.path}: the stored origin can't be read: {fault}", "it is ignored"))
        return Result(time, kept, values, {name: units[name] for name in kept if units.get(name)}, origin=origin)

    def sound_names(self) -> tuple[str, ...]:
        """Names of a table that needs no time; faults of its numbers are added to `faults`."""
        names, _ = self._named()
        self._judged(names)
        return tuple(names)

    def _named(self) -> tuple[list[str], dict[str, str]]:
        """Names and units; a unit after a name, as in `time [s]`, is not part of the name."""
        names, units = [], {}
        for i, given in enumerate(self.names):
            name, unit = _split(given.strip())
            names.append(name or f"column {i + 1}")
            if unit:
                units[name] = unit
        return names, units | self.units

    def _judged(self, names: list[str]) -> list[int]:
        """Numbers of the columns, each name once."""
        self._judge(names)
        places: dict[str, int] = {}
        for i, name in enumerate(names):
            if name in places:
                self.faults.append(Fault(f"{self.path}: the column {name!r} appears twice", "the first one counts"))
            places.setdefault(name, i)
        return list(places.values())

    def _judge(self, names: list[str]) -> None:
        """Non-numeric entries, reported once, with the first of them; columns without a name and without numbers are ignored."""
        wrong = ~np.isfinite(self.values)
        named = [bool(given.strip()) or not wrong[:, i].all() for i, given in enumerate(self.names)]
        wrong &= np.array(named, bool)
        if not wrong.any():
            return
        row = int(np.argmax(wrong.any(axis=1)))
        column = int(np.argmax(wrong[row]))
        entry = self.texts.get((row, column), str(self.values[row, column]))
        words = f"{self.path}: {self.where(row)}: {names[column]} is {entry.strip()!r}, expected a finite number"
        columns = [name for name, any_ in zip(names, wrong.any(axis=0), strict=True) if any_]
        few = ", ".join(columns[:3]) + (" …" if len(columns) > 3 else "")
        count = int(wrong.sum())
        self.faults.append(Fault(words, "it is left out" if count == 1 else f"left out: {count} values of {few}"))
        self.values[wrong] = np.nan  # also infinite ones

    def _instants(self, place: int, units: dict[str, str]) -> tuple[np.ndarray, np.ndarray]:
        """The instants [s], and the rows that they are of."""
        time = self.values[:, place]
        unit = next((units.pop(name) for name in list(units) if name.lower() in TIMES), "s")
        if unit not in SECONDS:
            self.faults.append(Fault(f"{self.path}: time is in {unit!r}, expected s", "seconds are assumed"))
        rows = np.flatnonzero(np.isfinite(time))
        latest = np.maximum.accumulate(time[rows]) if len(rows) else time[rows]
        back = time[rows] < latest
        if back.any():
            first = int(np.argmax(back))
            words = f"{self.path}: {self.where(int(rows[first]))}: time decreases from {latest[first]:g} to {time[rows[first]]:g}"
            self.faults.append(Fault(words, f"left out until it has risen again, {int(back.sum())} rows"))
        rows = rows[~back]
        return time[rows] * SECONDS.get(unit, 1.0), rows


def _split(name: str) -> tuple[str, str]:
    """Name and unit of `hub.mass [kg]`, `Time(s)`; hub.position[1] and der(x) have none."""
    match = re.fullmatch(r"(.*?)(\s*)[\[(]\s*([^\[\]()\s][^\[\]()]*?)\s*[\])]", name)
    if match and match[1] and not match[3].isdigit() and (match[2] or match[1].lower() in TIMES):
        return match[1], match[3]
    return name, ""


def _time_of(names: list[str]) -> int | None:
    lower = [name.lower() for name in names]
    exact = ["time"] if "time" in names else []
    return next((place.index(name) for place in (names, lower) for name in (*exact, *TIMES) if name in place), None)
