"""The data of a live page about its model: variables with their value references, and which of them move the picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import floor, log10

import numpy as np

from spacefmu.dynamics.picture.picture import Picture
from spacefmu.dynamics.system.contract import System

from ..interface.drawing import at_start, starts_of
from ..interface.variables import Variable
from ..native.trace.placing import parts_of
from ..results.names import array_name, resolve
from ..results.table import Result
from ..scene.motion import ARROWS, SPAN, DrawnMotion
from ..scene.scene import LEVELS, DrawnScene
from ..view.page import Clip, first_variables, page_data

FIRST_KINDS = (".displacement", ".tension", ".torque", ".angular_velocity", ".angle")  # plots that respond to inputs
SLOWEST = 1e-3  # of an input's unit: the least range of a slider
RANGES = {"rad": 1.0, "rad/s": 1.0, "m": 1.0, "m/s": 0.1, "K": 100.0, "W": 100.0, "W/m2": 1000.0, "A.m2": 10.0}
ACCELERATION, TURNING = 0.01, 0.01  # m/s² and rad/s² of the spacecraft: the range of a force or torque gives these


def live_data(system: System, variables: tuple[Variable, ...], table: Result | None) -> dict:
    """Everything except the module. table: inputs over time that the page can follow."""
    known = {variable.name: variable for variable in variables}
    picture = None if system.about.picture is None else system.about.picture()
    columns = [*dict.fromkeys(name for name in _columns(variables, picture) if name in known)]
    experiment = system.about.experiment
    data = _seen(system, picture, columns, known) if picture is not None else _unseen()
    shown = _plotted(columns, known)
    size, mass = data["size"], _mass(variables)
    return data | {
        "title": system.name,
        "variables": shown,
        "columns": len(columns),
        "first": first_variables(None, [name for name in columns if known[name].causality == "output"], FIRST_KINDS),
        "experiment": {key: float(experiment[key]) for key in ("step", "stop", "tolerance")},
        "recorded": [{"name": name, "reference": known[name].reference} for name in columns],
        "inputs": [_entry(v) | {"range": _range(v, size, mass)} for v in variables if v.causality == "input"],
        "parameters": [_entry(v) for v in variables if v.causality == "parameter"],
        "starts": [_entry(v) for v in variables if v.has_start and v.causality in ("output", "local")],
        "table": None if table is None else _table(table, system.name, known),
    }


def _columns(variables: Iterable[Variable], picture: Picture | None) -> Iterable[str]:
    """The recorded variables: inputs, outputs, and others that the picture follows."""
    yield from (v.name for v in variables if v.causality == "input")
    yield from (v.name for v in variables if v.causality == "output")
    if picture is None:
        return
    beads = {line.beads for line in picture.lines if line.beads}
    yield from (v.name for v in variables if array_name(v.name) in beads)
    for line in picture.lines:
        yield from (line.tension, line.length, line.taut)
    yield from (body.spin[2] for body in picture.bodies if body.spin is not None)


def _entry(variable: Variable) -> dict:
    signal = variable.signal
    found = {
        "name": signal.name,
        "text": signal.description,
        "unit": "" if signal.unit == "1" else signal.unit,
        "reference": variable.reference,
        "kind": signal.kind,
        "start": float(signal.start),
        "tunable": variable.variability == "tunable",
    }
    bounds = {"min": signal.min, "max": signal.max}
    return found | {key: float(value) for key, value in bounds.items() if value is not None} | ({"items": list(signal.items)} if signal.items else {})  # fmt: skip


def _range(variable: Variable, size: float, mass: float) -> float:
    """The initial range of an input's slider: enough for a visible motion."""
    signal = variable.signal
    given = [abs(float(bound)) for bound in (signal.min, signal.max) if bound is not None and np.isfinite(bound)]
    scaled = {"N": ACCELERATION * mass, "N.m": TURNING * mass * size**2 / 24.0}
    wanted = max([*given, 2.0 * abs(float(signal.start))]) if given or signal.start else scaled.get(signal.unit) or RANGES.get(signal.unit, 1.0)  # fmt: skip
    ten = 10.0 ** floor(log10(max(wanted, SLOWEST)))
    return wanted if given else next(each * ten for each in (1.0, 2.0, 5.0, 10.0) if each * ten >= 0.999 * wanted)


def _mass(variables: Iterable[Variable]) -> float:
    return sum(float(v.signal.start) for v in variables if v.causality == "parameter" and v.name.endswith(".mass"))


def _plotted(columns: list[str], known: Mapping[str, Variable]) -> dict:
    """Columns and unit of each variable that can be plotted, by name."""
    found: dict[str, dict] = {}
    for i, name in enumerate(columns):
        found.setdefault(array_name(name), {"columns": [], "unit": known[name].signal.unit})["columns"].append(i)
    return found


def _table(table: Result, of: str, known: Mapping[str, Variable]) -> dict:
    """A table of inputs; ValueError for columns that are not inputs, and for non-numeric entries."""
    inputs = {name: variable for name, variable in known.items() if variable.causality == "input"}
    for name in table.names:
        if resolve(name, inputs, f"input of {of}") != [name]:
            raise ValueError(f"the column {name!r} names an array: give each element a column, {name}[1], {name}[2], …")
    if not len(table.time) or not np.all(np.isfinite(table.values)) or np.any(np.diff(table.time) < 0.0):
        raise ValueError("the inputs must be finite numbers, and time must not decrease")
    columns = {known[name].reference: table.values[:, i].tolist() for i, name in enumerate(table.names)}
    return {"time": table.time.tolist(), "columns": columns}


def _unseen() -> dict:
    """For a model without bodies: only plots."""
    return {"glb": "", "size": 1.0, "bends": False, "planet": 0, "turning": False, "lines": [], "wheels": [], "picture": None, "clips": [{"arrows": {}, "trails": {}}], "notes": []}  # fmt: skip


def _seen(system: System, picture: Picture, columns: list[str], known: Mapping[str, Variable]) -> dict:
    """The scene of a view, and the variables that move it."""
    starts = starts_of(system)
    scene, motion = at_start(picture, starts)
    place = {name: i for i, name in enumerate(columns)}
    motion = replace(motion, lines=tuple(_points(line, ends, columns) for line, ends in zip(picture.lines, motion.lines, strict=True)))  # fmt: skip
    data = _still(scene, motion)
    entries = [e for group in ("states", "inputs", "parameters") for e in getattr(picture.coordinates, group)]
    coordinates = [(i, known[e.name].reference) for i, e in enumerate(entries) if e.name in known]
    vectors = {**ARROWS, "velocity": f"{picture.bodies[0].name}.velocity"}
    arrows = {name: _vector(vector, place) for name, vector in vectors.items()}
    lines = [
        {
            "cable": line.sort == "cable",
            "beads": [i for i, name in enumerate(columns) if line.beads and array_name(name) == line.beads],
            **{key: place.get(getattr(line, key), -1) for key in ("tension", "length", "taut")},
        }
        for line in picture.lines
    ]
    data["picture"] = {
        "starts": [starts.get(e.name, float(e.start)) for e in entries],
        "slots": [slot for slot, _ in coordinates],
        "references": [reference for _, reference in coordinates],
        "parts": {part: len(numbers) for part, numbers in parts_of(scene.start).items()},
        "bodies": [
            {
                "name": body.name,
                "modes": body.modes,
                "axis": None if body.spin is None else [float(each) for each in body.spin[0]],
                "speed": -1 if body.spin is None else place.get(body.spin[2], -1),
            }
            for body in picture.bodies
        ],
        "lines": lines,
        "liquids": [
            {"name": picture.bodies[each.body].name, "fill": place[each.vessel.fill]} for each in scene.liquids
        ],
        "levels": LEVELS.tolist(),
        "jets": [{"name": jet.name, "force": place.get(jet.force, -1)} for jet in picture.jets],
        "arrows": {name: vector for name, vector in arrows.items() if vector},
    }
    data["turning"] = bool(picture.planet)
    clip = data["clips"][0]
    clip["arrows"] = dict.fromkeys([*data["picture"]["arrows"], *clip["arrows"]], "")
    return data


def _still(scene: DrawnScene, motion: DrawnMotion) -> dict:
    return page_data(scene, {"live": Clip(motion)}, (), every_mode=True)


def _vector(name: str, place: Mapping[str, int]) -> list[int]:
    found = [place.get(f"{name}[{i}]", -1) for i in (1, 2, 3)]
    return found if min(found) >= 0 else []


def _points(line, ends: np.ndarray, columns: list[str]) -> np.ndarray:
    """The points (1, P, 3) of a line that the page will place."""
    beads = sum(1 for name in columns if line.beads and array_name(name) == line.beads) // 3
    count = beads + 2 if beads else SPAN if line.sort == "cable" else 2
    share = np.linspace(0.0, 1.0, count)[None, :, None]
    return (1.0 - share) * ends[:, :1] + share * ends[:, -1:]
