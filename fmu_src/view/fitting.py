"""Prepares a result for a picture: its columns under any known spelling, in SI units, at the instants at which all places are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import pi

import numpy as np

from spacefmu.dynamics.picture.picture import Picture

from ..results.table import Result, matlab_name

LARGEST = 1e30  # of a coordinate: larger values have diverged, and exceed the range of graphics cards
# Factors of units to the SI unit of the picture.
FACTORS = {
    "deg": ("rad", pi / 180.0), "°": ("rad", pi / 180.0), "deg/s": ("rad/s", pi / 180.0), "°/s": ("rad/s", pi / 180.0),
    "rpm": ("rad/s", pi / 30.0), "rev/min": ("rad/s", pi / 30.0), "mm": ("m", 1e-3), "cm": ("m", 1e-2), "km": ("m", 1e3),
    "mm/s": ("m/s", 1e-3), "km/s": ("m/s", 1e3), "km/h": ("m/s", 1.0 / 3.6),
}  # fmt: skip


def prefix_of(result: Result, picture: Picture) -> str | None:
    """The prefix of a System's names in a result, such as a unit's or a model's: the one that matches most names; None if none matches."""
    return _commonest(_tails(result.names, set(picture.moved_by), "."))


def renamed(result: Result, picture: Picture) -> tuple[Result, tuple[str, ...]]:
    """The result with the picture's names instead of other spellings, such as hub_position_1_ from programs without dots and brackets."""
    wanted = {matlab_name(name).lower(): name for name in picture.moved_by}
    spelt = {matlab_name(name).lower(): name for name in result.names}
    prefix = _commonest(_tails(spelt, set(wanted), "_"))
    if prefix is None:
        return result, ()
    every = {matlab_name(e.name).lower(): e.name for group in GROUPS for e in getattr(picture.coordinates, group)}
    names = {spelt[prefix + key]: name for key, name in (every | wanted).items() if prefix + key in spelt}
    old, new = next(iter(names.items()))
    taken = tuple(names.get(name, name) for name in result.names)
    units = {names.get(name, name): unit for name, unit in result.units.items()}
    return replace(result, names=taken, units=units), (f"renamed columns: {old} is read as {new}",)


GROUPS = ("states", "inputs", "parameters", "discretes")


def _tails(names: Iterable[str], wanted: set[str], mark: str) -> Counter[str]:
    """The prefixes of the names sought, and how often they occur."""
    found: Counter[str] = Counter()
    for name in names:
        start = 0
        while True:
            if name[start:] in wanted:
                found[name[:start]] += 1
            start = name.find(mark, start) + 1
            if not start:
                break
    return found


def _commonest(found: Counter[str]) -> str | None:
    return max(found, key=lambda prefix: found[prefix]) if found else None


def fitted(result: Result, pictures: Sequence[tuple[str, Picture]]) -> tuple[Result, tuple[str, ...]]:
    """Coordinates in SI units, at the instants at which all of them are finite; pictures by the prefix of their names. ValueError if there is no such instant."""
    values, units, notes = result.values, dict(result.units), []
    strange: dict[str, tuple[str, str]] = {}
    moved = []
    for prefix, picture in pictures:
        moved += [result.places[prefix + name] for name in picture.moved_by if prefix + name in result.places]
        for entry in (entry for group in GROUPS for entry in getattr(picture.coordinates, group)):
            name = prefix + entry.name
            given = units.get(name, "")
            if name not in result.places or given in ("", entry.unit):
                continue
            meant, factor = FACTORS.get(given, ("", 1.0))
            if meant != entry.unit:
                strange[name] = given, entry.unit
                continue
            values = values.copy() if values is result.values else values
            values[:, result.places[name]] *= factor
            units[name] = meant
    if strange:
        name, (given, expected) = next(iter(strange.items()))
        notes.append(f"{name} is in {given!r} instead of {expected!r}; drawn without conversion")
    sound = (np.abs(values[:, moved]) < LARGEST).all(axis=1)  # false for NaN
    if not sound.all():
        if not sound.any():
            raise ValueError("no time point has all positions, so there is nothing to draw")
        notes.append(
            f"{int((~sound).sum())} of {len(sound)} instants are not drawn: places are not finite there, or out of range"
        )
    if values is result.values and sound.all():
        return result, tuple(notes)
    return replace(result, time=result.time[sound], values=values[sound], units=units), tuple(notes)
