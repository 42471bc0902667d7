"""The page of a view: three.js, the scene as glTF, the plotted numbers, and view.js, in one HTML file."""

from __future__ import annotations

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from string import Template

import numpy as np

from spacefmu.dynamics.algebra.rotation import quaternion_dcm

from ..interface.licences import OF_VIEW, licence_block
from ..results.events import events
from ..results.names import array_name
from ..results.table import Result, changes
from ..scene.gltf import glb
from ..scene.motion import FRAMES, DrawnMotion, frames_of
from ..scene.scene import DrawnScene
from .modules import module_texts, script_of
from .three import three_js

ENTRY = "view.js"
VARIABLES = 200  # columns that the running plot can show
FIRST = 2  # variables that are plotted at first
MARKS = 500  # events on the time bar: more would hide it
MANY = 10  # times the number of instants that are shown
NOISE = 1e-7  # of a variable: a smaller change is not plotted first


@dataclass(frozen=True)
class Clip:
    """One run to view: its motion, and the result that is plotted with it, or None."""

    motion: DrawnMotion
    result: Result | None = None


def view_page(
    title: str, scene: DrawnScene, clips: Mapping[str, Clip], subtitle: str = "", notes: Sequence[str] = ()
) -> str:
    """The HTML of a view. clips: runs by name, all of the same scene."""
    page = Template((files(__package__) / "page.html").read_text("utf-8"))
    data = json.dumps(page_data(scene, clips, notes), separators=(",", ":"), allow_nan=False)
    return page.substitute(
        title=escape(title),
        subtitle=escape(subtitle),
        looks=looks(),
        three=three_js(),
        data=data.replace("<", "\\u003c"),  # nothing in it ends or hides the script
        scripts=script_of(ENTRY, module_texts(__package__)),
        licences=licence_block(OF_VIEW),
    )


def looks() -> str:
    """Controls of the view that all pages share (looks.js)."""
    return (files(__package__) / "looks.html").read_text("utf-8")


def page_data(scene: DrawnScene, clips: Mapping[str, Clip], notes: Sequence[str], every_mode: bool = False) -> dict:
    """The data that view.js reads. every_mode: see `glb`."""
    picture = scene.picture
    motions = {name: clip.motion for name, clip in clips.items()}
    every = next(iter(clips.values()))
    columns = _columns(every.result)
    turning = any(np.ptp(motion.attitude, axis=0).max() > 1e-9 for motion in motions.values())
    slowed = max(motion.slowed for motion in motions.values())
    said = list(notes)
    if slowed > 1.0:
        said.append(f"wheels are shown turning {slowed:.0f} times slower than in the run")
    longest = max((len(clip.result.time) for clip in clips.values() if clip.result is not None), default=0)
    if longest > MANY * FRAMES:  # so few that motion between them may be missed
        said.append(f"{FRAMES} of {longest} instants are shown")
    return {
        "glb": b64encode(glb(scene, motions, True, every_mode)).decode(),
        "size": scene.size,
        "bends": any(body.modes for body in picture.bodies),
        "planet": picture.planet if every.motion.planet is not None else 0,
        "turning": turning,
        "lines": [
            {"name": line.name, "tension": bool(line.tension), "taut": bool(line.taut)} for line in picture.lines
        ],
        "wheels": [body.name for body in picture.bodies if body.sort == "wheel"],
        "centers": {body.name: _center(own) for body, own in zip(picture.bodies, scene.bodies, strict=True)},
        "radii": {body.name: _radius(own) for body, own in zip(picture.bodies, scene.bodies, strict=True)},
        "box": _box(scene, every.motion),
        "reach": _reach(list(motions.values())),
        "spread": max(float(np.linalg.norm(m.positions - m.positions[:, :1], axis=2).max()) for m in motions.values()),
        "variables": _variables(every.result, columns),
        "columns": len(columns),
        "first": first_variables(every.result, columns),
        "swings": every.result is None and len(every.motion.time) > 1,
        "clips": [_clip(name, clip, picture.planet, columns) for name, clip in clips.items()],
        "notes": said,
    }


def _numbers(values) -> str:
    values = np.asarray(values, float)
    sound = np.where(np.abs(values) < np.finfo("<f4").max, values, np.nan)
    return b64encode(np.ascontiguousarray(sound, "<f4").tobytes()).decode()


def _corners(points) -> list[list[float]]:
    return [points.min(axis=0).tolist(), points.max(axis=0).tolist()]


def _box(scene: DrawnScene, motion: DrawnMotion) -> list[list[float]]:
    """Two corners of the box around everything that is visible at first."""
    points = [motion.positions[0], *(line[0] for line in motion.lines)]
    for i, own in enumerate(scene.bodies):
        dcm = quaternion_dcm(motion.quaternions[0, i])
        points += [motion.positions[0, i] + mesh.bent(motion.amplitudes[i][0]) @ dcm.T for mesh in own]
    return _corners(np.concatenate(points))


def _reach(motions: list[DrawnMotion]) -> list[list[float]]:
    """Two corners of the box around all bodies' frames and lines in all frames."""
    every = np.concatenate([part.reshape(-1, 3) for motion in motions for part in (motion.positions, *motion.lines)])
    return _corners(every)


def _center(meshes) -> list[float]:
    if not meshes:
        return [0.0, 0.0, 0.0]
    points = np.concatenate([mesh.vertices for mesh in meshes])
    return (0.5 * (points.min(axis=0) + points.max(axis=0))).tolist()


def _radius(meshes) -> float:
    """Half the diagonal of the box around a drawn body [m]."""
    if not meshes:
        return 0.0
    return float(0.5 * np.linalg.norm(np.ptp(np.concatenate([mesh.vertices for mesh in meshes]), axis=0)))


def _clip(name: str, clip: Clip, radius: float, columns: list[str]) -> dict:
    motion, result = clip.motion, clip.result
    values = np.zeros((len(motion.time), 0))
    if result is not None and columns:
        known = {column: i for i, column in enumerate(result.names)}
        rows = result.values[frames_of(result.time)]
        values = np.array([rows[:, known[c]] if c in known else np.full(len(rows), np.nan) for c in columns]).T
    data = {
        "name": name,
        "time": _numbers(motion.time),
        "tension": _numbers(motion.tension),
        "taut": _numbers(motion.taut),
        "attitude": _numbers(motion.attitude),
        "arrows": {arrow: _numbers(vector) for arrow, vector in motion.arrows.items()},
        "trails": {node: _numbers(places) for node, places in motion.trails.items()},
        "guided": list(motion.guided),
        "values": _numbers(values),
        "events": marks(result),
    }
    if motion.planet is not None:
        outward = [quaternion_dcm(q) @ -place for q, place in zip(motion.attitude, motion.planet, strict=True)]
        way = np.array(outward) / radius
        whole = whole_orbit(motion.time, way)
        data |= {"planet": _numbers(motion.planet), "orbit": _numbers(way), "ellipse": _numbers(whole)}
    return data


def whole_orbit(time: np.ndarray, way: np.ndarray) -> np.ndarray:
    """The Kepler ellipse (361, 3) about the origin that contains the places (n, 3) over time, from r, v, a at their middle; None if there is none."""
    middle, around = len(time) // 2, max(3, len(time) // 50)
    near = slice(max(0, middle - around), middle + around + 1)
    t = time[near] - time[middle]
    scale = np.ptp(t)
    if len(np.unique(t)) < 6:
        return np.zeros((0, 3))
    _, _, a, v, r = np.polyfit(t / scale, way[near], 4)
    v, a, distance = v / scale, 2.0 * a / scale**2, np.linalg.norm(r)
    mu = -(a @ r) * distance  # a = -μ r / |r|³
    h = np.cross(r, v)
    e = np.cross(v, h) / mu - r / distance  # towards the lowest point, as long as the eccentricity
    if not (mu > 0.0 and np.linalg.norm(e) < 1.0):
        return np.zeros((0, 3))
    angle = np.linspace(0.0, 2.0 * np.pi, 361)[:, None]
    across = np.cross(h, r) / np.linalg.norm(np.cross(h, r))
    toward = np.cos(angle) * r / distance + np.sin(angle) * across
    return (h @ h / mu) / (1.0 + toward @ e)[:, None] * toward


def marks(result: Result | None) -> list[list]:
    """(time, until, words) of each event, those at one instant together; all events of a variable or none, the rarest first."""
    if result is None:
        return []
    known = events(result)
    room, shown = MARKS, set()
    for name, count in sorted(Counter(event.name for event in known.found).items(), key=lambda each: each[1]):
        room -= count
        if room >= 0 and name not in known.more:
            shown.add(name)
    found: dict[tuple[float, float], list[str]] = {}
    for event in known.found:
        if event.name in shown:
            found.setdefault((event.time, event.until), []).append(f"{event.name} = {event.value:g}")
    return [[*when, ", ".join(words)] for when, words in found.items()]


def _columns(result: Result | None) -> list[str]:
    """The variables that the running plot can show: whole arrays that change, up to VARIABLES columns."""
    if result is None:
        return []
    groups: dict[str, list[str]] = {}
    for name in result.names:
        groups.setdefault(array_name(name), []).append(name)
    found: list[str] = []
    for names in groups.values():
        if changes(result.chosen(names).values) and len(found) + len(names) <= VARIABLES:
            found += names
    return found


def _stir(result: Result, name: str) -> bool:
    """Whether a variable changes by more than numerical noise."""
    return changes(result[name], NOISE)


def _variables(result: Result | None, columns: list[str]) -> dict:
    """Columns and unit of each variable, by name."""
    found: dict[str, dict] = {}
    for i, name in enumerate(columns):
        unit = result.units.get(name, "") if result is not None else ""
        found.setdefault(array_name(name), {"columns": [], "unit": unit})["columns"].append(i)
    return found


FIRST_KINDS = (".displacement", ".tension", ".angle", ".angular_velocity")


def first_variables(result: Result | None, columns: list[str], kinds: Sequence[str] = FIRST_KINDS) -> list[str]:
    """The variables that are plotted at first: two that change, chosen by the ends of their names: elastic displacement, tension, joint angle, rotation."""
    names = list(dict.fromkeys(map(array_name, columns)))
    names = [name for name in names if result is not None and _stir(result, name)] or names
    found = [[name for name in names if name.endswith(ending)] for ending in kinds]
    return [each[0] for each in found if each][:FIRST] or names[:1]
