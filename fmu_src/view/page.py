"""The page: three.js, the scene as glTF, the numbers that run along, and view.js, in one HTML file."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from string import Template

import numpy as np

from dynamics.rotation import quaternion_dcm

from ..results.names import array_name
from ..results.table import Result
from ..scene.gltf import glb
from ..scene.motion import Motion, frames_of
from ..scene.scene import Scene
from .three import three_js

SCRIPTS = ("view.js", "names.js", "plot.js")
VARIABLES = 200  # columns that the running plot can show
NOISE = 1e-7  # of a variable: less is not what one looks at first


@dataclass(frozen=True)
class Clip:
    """One run to look at: how it moves, and the result that is plotted along with it, or nothing."""

    motion: Motion
    result: Result | None = None


def view_page(
    title: str, scene: Scene, clips: Mapping[str, Clip], subtitle: str = "", notes: Sequence[str] = ()
) -> str:
    """The HTML of a view. clips: runs by name, all of the same scene."""
    page = Template((files(__package__) / "page.html").read_text("utf-8"))
    script = "\n".join((files(__package__) / name).read_text("utf-8") for name in SCRIPTS)
    data = json.dumps(page_data(scene, clips, notes), separators=(",", ":"))
    return page.substitute(
        title=escape(title),
        subtitle=escape(subtitle),
        three=three_js(),
        data=data.replace("</", "<\\/"),
        script=script,
    )


def page_data(scene: Scene, clips: Mapping[str, Clip], notes: Sequence[str]) -> dict:
    """What view.js reads."""
    picture = scene.picture
    motions = {name: clip.motion for name, clip in clips.items()}
    every = next(iter(clips.values()))
    columns = _columns(every.result)
    turning = any(np.ptp(motion.attitude, axis=0).max() > 1e-9 for motion in motions.values())
    slowed = max(motion.slowed for motion in motions.values())
    said = list(notes)
    if slowed > 1.0:
        said.append(f"wheels are shown turning {slowed:.0f} times slower than they do")
    return {
        "glb": b64encode(glb(scene, motions)).decode(),
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
        "first": _first(every.result, columns),
        "clips": [_clip(name, clip, picture.planet, columns) for name, clip in clips.items()],
        "notes": said,
    }


def _numbers(values) -> str:
    return b64encode(np.ascontiguousarray(values, "<f4").tobytes()).decode()


def _corners(points) -> list[list[float]]:
    return [points.min(axis=0).tolist(), points.max(axis=0).tolist()]


def _box(scene: Scene, motion: Motion) -> list[list[float]]:
    """Two corners of the box around all that is seen at first."""
    points = [motion.positions[0], *(line[0] for line in motion.lines)]
    for i, own in enumerate(scene.bodies):
        dcm = quaternion_dcm(motion.quaternions[0, i])
        points += [motion.positions[0, i] + mesh.bent(motion.amplitudes[i][0]) @ dcm.T for mesh in own]
    return _corners(np.concatenate(points))


def _reach(motions: list[Motion]) -> list[list[float]]:
    """Two corners of the box around all bodies' frames and lines in all frames."""
    every = np.concatenate([part.reshape(-1, 3) for motion in motions for part in (motion.positions, *motion.lines)])
    return _corners(every)


def _center(meshes) -> list[float]:
    if not meshes:
        return [0.0, 0.0, 0.0]
    points = np.concatenate([mesh.vertices for mesh in meshes])
    return (0.5 * (points.min(axis=0) + points.max(axis=0))).tolist()


def _radius(meshes) -> float:
    """Of the box around what is drawn of a body, half its diagonal [m]."""
    if not meshes:
        return 0.0
    return float(0.5 * np.linalg.norm(np.ptp(np.concatenate([mesh.vertices for mesh in meshes]), axis=0)))


def _clip(name: str, clip: Clip, radius: float, columns: list[str]) -> dict:
    motion, result = clip.motion, clip.result
    values = np.zeros((len(motion.time), 0))
    if result is not None and columns:
        known = {column: i for i, column in enumerate(result.names)}
        rows = result.values[frames_of(result.time)]
        values = np.array([rows[:, known[c]] if c in known else np.zeros(len(rows)) for c in columns]).T
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
    }
    if motion.planet is not None:
        outward = [quaternion_dcm(q) @ -place for q, place in zip(motion.attitude, motion.planet, strict=True)]
        data |= {"planet": _numbers(motion.planet), "orbit": _numbers(np.array(outward) / radius)}
    return data


def _columns(result: Result | None) -> list[str]:
    """What the running plot can show: whole arrays that change, up to VARIABLES columns."""
    if result is None:
        return []
    groups: dict[str, list[str]] = {}
    for name in result.names:
        groups.setdefault(array_name(name), []).append(name)
    found: list[str] = []
    for names in groups.values():
        own = result.chosen(names).values
        changes = np.ptp(own, axis=0).max() > 1e-13 * max(1.0, np.abs(own).max())
        if changes and len(found) + len(names) <= VARIABLES:
            found += names
    return found


def _stir(result: Result, name: str) -> bool:
    """Whether a variable changes by more than a solver's noise."""
    own = result[name]
    return bool(np.ptp(own, axis=0).max() > NOISE * max(1.0, np.abs(own).max()))


def _variables(result: Result | None, columns: list[str]) -> dict:
    """Columns and unit of each variable, by name."""
    found: dict[str, dict] = {}
    for i, name in enumerate(columns):
        unit = result.units.get(name, "") if result is not None else ""
        found.setdefault(array_name(name), {"columns": [], "unit": unit})["columns"].append(i)
    return found


def _first(result: Result | None, columns: list[str]) -> str:
    """The variable that is plotted at first: an elastic displacement, a tension, a joint's angle, whichever there is and moves."""
    names = list(dict.fromkeys(map(array_name, columns)))
    names = [name for name in names if result is not None and _stir(result, name)] or names
    for ending in (".displacement", ".tension", ".angle", ".angular_velocity"):
        for name in names:
            if name.endswith(ending):
                return name
    return names[0] if names else ""
