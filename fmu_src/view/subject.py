"""What is looked at: a result with what it was made of, a description, an FMU, a system of FMUs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from dynamics.description import DescriptionError, load_files
from dynamics.picture import Picture
from dynamics.system import System

from ..interface.drawing import at_start
from ..results.origin import files_of
from ..results.table import Result
from ..scene.motion import Motion, motion_of
from ..scene.scene import Scene

NOT_OURS = "carries no description of spacefmu's: there is nothing to draw; give one with --model"


@dataclass(frozen=True)
class Subject:
    """A run of a System that can be drawn. prefix: before its names in the result; values: that were set."""

    title: str
    system: System
    prefix: str = ""
    values: Mapping[str, float] | None = None
    result: Result | None = None
    notes: tuple[str, ...] = ()

    @property
    def picture(self) -> Picture:
        assert self.system.picture is not None
        return self.system.picture()


def subject_of(result: Result, title: str, model: System | None = None) -> Subject:
    """The subject of a result: drawn by the description that it carries, or by `model`. ValueError if neither can be drawn."""
    units = result.origin.get("units", {}) if isinstance(result.origin, dict) else {}
    if model is not None:
        if model.picture is None:
            raise ValueError(f"{model.name} has no body that could be drawn")
        prefix = _prefix(result, model.picture())
        return Subject(title, model, prefix, _values(units, prefix), result)
    found, notes = [], []
    for unit, origin in units.items():
        files = files_of(origin)
        if not any(name.endswith(".toml") for name in files):
            continue
        try:
            system = load_files(files, title)
        except DescriptionError as error:
            notes.append(f"{origin.get('model', unit)}: {error}")
            continue
        if system.picture is not None:
            found.append(
                Subject(title, system, f"{unit}." if unit else "", _values(units, f"{unit}." if unit else ""), result)
            )
    if not found:
        raise ValueError("; ".join([f"{title}: {NOT_OURS}", *notes]))
    if len(found) > 1:
        notes.append(f"of {', '.join(each.prefix.rstrip('.') for each in found)} the first is drawn")
    return replace(found[0], notes=tuple(notes))


def _values(units: Mapping, prefix: str) -> dict[str, float]:
    """Numbers that were set, by name; an array's name stands for its elements elsewhere."""
    given = units.get(prefix.rstrip("."), {}).get("values", {})
    numbers = {}
    for name, value in given.items():
        try:
            numbers[name] = float(value)
        except (TypeError, ValueError):
            continue
    return numbers


def _prefix(result: Result, picture: Picture) -> str:
    """Before the names of a System in a result: the unit's, where a system of FMUs made it."""
    wanted = picture.moved_by[0]
    found = [name.removesuffix(wanted) for name in result.names if name == wanted or name.endswith(f".{wanted}")]
    return found[0] if found else ""


def seen(subject: Subject) -> tuple[Scene, Motion]:
    """Scene and motion of a subject: through its result, or one frame at the start."""
    picture = subject.picture
    if subject.result is None:
        return at_start(picture, subject.system)
    if not len(subject.result.time):
        raise ValueError(f"{subject.title}: the result is empty")
    motion = motion_of(picture, subject.result, subject.prefix, subject.values)
    scene, _ = at_start(picture, subject.system)
    return _framed(scene, motion), motion


def _framed(scene: Scene, motion: Motion) -> Scene:
    """The scene with the size of what its motion begins with, which may be elsewhere than the description's start."""
    reach = float(np.linalg.norm(np.ptp(motion.positions[0], axis=0)))
    return replace(scene, size=max(scene.size, min(reach, 10.0 * scene.size)))
