"""The subject of a view: a result with its origin, a description, an FMU, a system of FMUs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version

import numpy as np

from spacefmu.dynamics.description import DescriptionError, load_files
from spacefmu.dynamics.fuse.picture import together
from spacefmu.dynamics.picture.picture import Picture
from spacefmu.dynamics.system.contract import System

from ..interface.drawing import at_start, starts_of
from ..results.origin import files_of, unfused
from ..results.table import Result
from ..scene.motion import DrawnMotion, motion_of
from ..scene.scene import DrawnScene
from .fitting import fitted, prefix_of, renamed

NOT_OURS = "contains no spacefmu description, so there is nothing to draw; give one with --model"
NO_BODY = "has no body that could be drawn"


@dataclass(frozen=True)
class Subject:
    """A run of a System that can be drawn. prefix: of its names in the result; values: that were set, by name without the prefix; beside:
    other units drawn from the same result, each with its own prefix and values."""

    title: str
    system: System
    prefix: str = ""
    values: Mapping[str, float] | None = None
    result: Result | None = None
    notes: tuple[str, ...] = ()
    beside: tuple[Subject, ...] = ()

    @property
    def picture(self) -> Picture:
        assert self.system.about.picture is not None
        return self.system.about.picture()

    @property
    def unit(self) -> str:
        return self.prefix.rstrip(".")


def with_bodies(system: System, of: object = None) -> System:
    """The System, if it has something to draw. of: its name in messages."""
    if system.about.picture is None:
        raise ValueError(f"{of or system.name}: {NO_BODY}")
    return system


Loaded = dict[tuple[tuple[str, bytes], ...], System]  # Systems by the files of their description


def subject_of(
    result: Result, title: str, model: System | None = None, units: Collection[str] = (), loaded: Loaded | None = None
) -> Subject:
    """The subject of a result: drawn with the descriptions that it carries, or with `model`. ValueError if none can be drawn.

    units: the units of a system to draw; default: all that have bodies, except an inverse problem whose motion another unit follows.
    loaded: Systems already read for earlier results, which are reused.
    """
    loaded = {} if loaded is None else loaded
    origins = unfused(result.origin.get("units", {})) if isinstance(result.origin, dict) else {}
    if model is not None:
        return _drawn_by(model, result, title, origins, units)
    found, notes, empty = {}, [], False
    for unit, origin in origins.items():
        try:
            files = files_of(origin)
            if not any(name.endswith(".toml") for name in files):
                continue
            key = tuple(sorted(files.items()))
            system = loaded[key] = loaded.get(key) or load_files(files, title)
        except (ValueError, OSError) as error:
            problems = "; ".join(error.problems) if isinstance(error, DescriptionError) else str(error)
            notes.append(
                f"the description of {origin.get('model', unit)} can't be read: {problems}{_other_version(result)}"
            )
            continue
        empty = empty or system.about.picture is None
        if system.about.picture is not None:
            prefix = f"{unit}." if unit else ""
            found[unit] = Subject(title, system, prefix, _values(origins, prefix), result)
    unknown = [unit for unit in units if unit not in found]
    if unknown and found:
        known = f"expected one of {', '.join(found)}" if any(found) else "it is a run of one FMU"
        raise ValueError(f"{title}: has no unit {unknown[0]!r} that could be drawn; {known}")
    if not found:
        why = f"{'; '.join(notes)}; give another one with --model" if notes else NO_BODY if empty else NOT_OURS
        raise ValueError(f"{title}: {why}")
    if units:
        drawn = [found[unit] for unit in dict.fromkeys(units)]
    else:
        drawn = [each for each in found.values() if not each.picture.given] or [*found.values()][:1]
    left_out = [each.unit for each in found.values() if each not in drawn]
    if left_out:
        notes.append(
            f"drawn: {', '.join(each.unit for each in drawn)}; not drawn: {', '.join(left_out)} (--unit chooses)"
        )
    fit, more = _fitted(title, result, drawn)
    drawn = [replace(each, result=fit) for each in drawn]
    return replace(drawn[0], notes=(*notes, *more), beside=tuple(drawn[1:]))


def _drawn_by(model: System, result: Result, title: str, origins: Mapping, units: Collection[str]) -> Subject:
    """A result drawn with another description than its own; units: at most one, whose names it has."""
    picture = Subject(title, with_bodies(model)).picture
    if len(units) > 1:
        raise ValueError(f"{model.name} draws one unit, but --unit names {', '.join(units)}; name one")
    prefix = "".join(f"{unit}." for unit in units) or prefix_of(result, picture)
    notes: tuple[str, ...] = ()
    if prefix is None:
        result, notes = renamed(result, picture)
        prefix = prefix_of(result, picture) or ""
    subject = Subject(title, model, prefix, _values(origins, prefix), result)
    result, more = _fitted(title, result, [subject])
    return replace(subject, result=result, notes=(*notes, *more))


def can_draw(model: System, result: Result) -> bool:
    """Whether a result has any variable that moves the picture of a System."""
    if model.about.picture is None:
        return False
    return prefix_of(result, model.about.picture()) is not None or bool(renamed(result, model.about.picture())[1])


def _fitted(title: str, result: Result, drawn: Sequence[Subject]) -> tuple[Result, tuple[str, ...]]:
    if not len(result.time):
        raise ValueError(f"{title}: the result is empty")
    try:
        return fitted(result, [(each.prefix, each.picture) for each in drawn])
    except ValueError as error:
        raise ValueError(f"{title}: {error}") from None


def _other_version(result: Result) -> str:
    """A possible reason why a description can't be read: another version."""
    wrote = result.origin.get("spacefmu", version("spacefmu"))
    return "" if wrote == version("spacefmu") else f" (written by spacefmu {wrote}, this is {version('spacefmu')})"


def _values(units: Mapping, prefix: str) -> dict[str, float]:
    """Numbers that were set, by name; arrays are expanded by their users."""
    given = units.get(prefix.rstrip("."), {}).get("values", {})
    numbers = {}
    for name, value in given.items():
        try:
            numbers[name] = float(value)
        except (TypeError, ValueError):
            continue
    return numbers


def seen(subject: Subject) -> tuple[DrawnScene, DrawnMotion]:
    """Scene and motion of a subject: through its result, or one frame at the start."""
    drawn = (subject, *subject.beside)
    alone = len(drawn) == 1
    picture = subject.picture if alone else together({each.unit: each.picture for each in drawn})
    known: dict[str, float] = {}
    values: dict[str, float] = {}
    for each in drawn:
        before = "" if alone else each.prefix
        known |= starts_of(each.system, before)
        values |= {f"{before}{name}": value for name, value in (each.values or {}).items()}
    scene, motion = at_start(picture, known)
    if subject.result is None:
        return scene, motion
    motion = motion_of(picture, subject.result, subject.prefix if alone else "", values)
    return _framed(scene, motion), motion


def _framed(scene: DrawnScene, motion: DrawnMotion) -> DrawnScene:
    """The scene, sized for the first frame of its motion, which may differ from the description's start."""
    reach = float(np.linalg.norm(np.ptp(motion.positions[0], axis=0)))
    return replace(scene, size=max(scene.size, min(reach, 10.0 * scene.size)))
