"""A drawing of the spacecraft at any instant of a run: its scene, painted from far to near.

Drawn by Pillow, which loads in 0.05 s; matplotlib would take ten times as long in each build.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from PIL import ImageColor

from spacefmu.dynamics.algebra.rotation import quaternion_dcm
from spacefmu.dynamics.picture.picture import Picture
from spacefmu.dynamics.system.contract import System
from spacefmu.dynamics.system.evaluate import start

from ..scene.meshes import Mesh
from ..scene.motion import DrawnMotion, moved, still
from ..scene.scene import DrawnScene, at_level, nozzle_meshes, scene_of, turned_to
from .canvas import Canvas
from .icon import generic_icon, png_bytes

_JOINT, CABLE, _SLACK, TRAIL = "#d0712e", "#7b3f98", "#9aa7b4", "#c0392b"  # trail: of paths that were given
_PALE = np.array([223, 227, 231, 255])
LIGHT = np.array([0.3, -0.5, 0.8]) / np.linalg.norm([0.3, -0.5, 0.8])
SMALL = 0.04  # relative to the whole: smaller bodies are marked with a dot
FAINT = 0.01  # of the largest thrust: less is invisible
MANY_NAMES = 30  # bodies; above this number, small ones have no names, which would overlap


def drawing_of(system: System) -> bytes:
    """PNG of a spacecraft; a System without bodies (a controller, a user's block) has the generic icon."""
    if system.about.picture is None:
        return generic_icon()
    return png_bytes(drawn(*at_start(system.about.picture(), starts_of(system)), 0).finished())


def starts_of(system: System, prefix: str = "") -> dict[str, float]:
    """The assembled initial state by name."""
    x, _, _, _ = start(system)
    return {f"{prefix}{entry.name}": float(value) for entry, value in zip(system.signals.states, x, strict=True)}


def at_start(picture: Picture, known: Mapping[str, float]) -> tuple[DrawnScene, DrawnMotion]:
    """The scene, and one frame of it, at the given states that are coordinates of the picture."""
    x, u, p = still(picture)
    x = np.array([known.get(entry.name, value) for entry, value in zip(picture.coordinates.states, x, strict=True)])
    placed = picture.place(0.0, x, u, p)
    return scene_of(picture, placed), moved(picture, np.zeros(1), [placed], None)


def drawn(
    scene: DrawnScene,
    motion: DrawnMotion,
    frame: int,
    size: tuple[int, int] = (512, 512),
    reach: np.ndarray | None = None,
    names: bool = True,
    pale: int | None = None,
) -> Canvas:
    """One frame of a motion, with the paths that were given. size: width and height in pixels; reach: points (n, 3) that must be visible;
    default: everything drawn; pale: another frame, drawn pale behind it.
    """
    placed = [_placed(scene, motion, frame, i) for i in range(len(scene.bodies))]
    lines = [line[frame] for line in motion.lines]
    canvas = Canvas(size, np.concatenate([*sum(placed, []), *lines]) if reach is None else reach)
    for i, (own, points) in enumerate(zip(scene.bodies, placed, strict=True)):
        if pale is not None:
            for mesh, at in zip(own, _placed(scene, motion, pale, i), strict=True):
                canvas.behind(at[mesh.faces], _PALE)
        if own:
            _draw_body(canvas, scene, i, points, names)
    _draw_nozzles(canvas, scene, motion, frame)
    for liquid, fill in zip(scene.liquids, motion.fills[frame], strict=True):
        dcm = quaternion_dcm(motion.quaternions[frame, liquid.body])
        _paint(canvas, liquid.mesh, motion.positions[frame, liquid.body] + liquid.mesh.bent(at_level(fill)) @ dcm.T)
    for i, line in enumerate(lines):
        canvas.line(line, line_color(scene, motion, frame, i))
    for node in motion.guided:
        canvas.line(motion.trails[node], TRAIL, dotted=True)
        canvas.dot(motion.trails[node][frame], TRAIL)
    return canvas


def _draw_body(canvas: Canvas, scene: DrawnScene, body: int, placed: list[np.ndarray], names: bool) -> None:
    """The meshes of a body, its name, and a dot if it is small."""
    points = np.concatenate(placed)
    crowded = len(scene.bodies) > MANY_NAMES
    small = np.ptp(points, axis=0).max() < SMALL * scene.size
    if scene.picture.bodies[body].sort != "wheel":
        if small:
            canvas.dot(points.mean(axis=0), _JOINT)
        if names and not (small and crowded):
            canvas.name(points.mean(axis=0), scene.picture.bodies[body].name)
    if small and crowded:
        return  # hidden by its dot
    for mesh, at in zip(scene.bodies[body], placed, strict=True):
        _paint(canvas, mesh, at)
        canvas.sides(at[mesh.faces], mesh.lines, mesh.ink)


def _paint(canvas: Canvas, mesh: Mesh, at: np.ndarray) -> None:
    """The triangles of a mesh with its vertices at places (V, 3)."""
    corners = at[mesh.faces]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    shade = 0.6 + 0.4 * np.abs(normal @ LIGHT)  # triangles have no interior
    colors = np.full((len(corners), 4), 255.0 * max(mesh.opacity, 0.7))
    colors[:, :3] = shade[:, None] * ImageColor.getrgb(mesh.color)[:3]
    canvas.triangles(corners, colors)


def _draw_nozzles(canvas: Canvas, scene: DrawnScene, motion: DrawnMotion, frame: int) -> None:
    """Thrusters, with plumes in proportion to their thrust."""
    for nozzle, thrust in zip(scene.nozzles, motion.thrust[frame], strict=True):
        dcm = quaternion_dcm(motion.quaternions[frame, nozzle.body])
        for mesh, size in zip(nozzle_meshes(nozzle), (1.0, thrust), strict=True):
            if size > FAINT:
                own = nozzle.place + size * mesh.vertices @ turned_to(nozzle.away).T
                _paint(canvas, mesh, motion.positions[frame, nozzle.body] + own @ dcm.T)


def line_color(scene: DrawnScene, motion: DrawnMotion, frame: int, i: int) -> str:
    """Cables coloured by tension from blue to red, slack ones grey, as in the view; those with unknown tension and other lines plain."""
    line, most = scene.picture.lines[i], np.abs(motion.tension).max(initial=0.0)
    if not line.tension or not most > 0.0:
        return CABLE
    pull = abs(motion.tension[frame, i]) / most
    if motion.taut[frame, i] < 0.5 if line.taut else pull < 1e-6:
        return _SLACK
    return f"hsl({220.0 * (1.0 - pull):.0f}, 80%, 50%)"


def _placed(scene: DrawnScene, motion: DrawnMotion, frame: int, body: int) -> list[np.ndarray]:
    """Vertices (V, 3) of each mesh of a body, bent and in its place."""
    dcm, amplitudes = quaternion_dcm(motion.quaternions[frame, body]), motion.amplitudes[body][frame]
    return [motion.positions[frame, body] + mesh.bent(amplitudes) @ dcm.T for mesh in scene.bodies[body]]
