"""A drawing of the spacecraft itself, at the start of a run or at any instant of one: its scene, by matplotlib."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d import Axes3D
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

from dynamics.evaluate import start
from dynamics.picture import Picture
from dynamics.rotation import quaternion_dcm
from dynamics.system import System

from ..scene.motion import Motion, moved, still
from ..scene.scene import Scene, scene_of
from .icon import generic_icon, png_bytes

_EDGE, _JOINT, _CABLE = "#39434d", "#d0712e", "#7b3f98"
_PALE = "#dfe3e7"
LIGHT = np.array([0.3, -0.5, 0.8]) / np.linalg.norm([0.3, -0.5, 0.8])
SMALL = 0.04  # of the whole: bodies smaller than that are marked with a dot
MANY_NAMES = 30  # bodies; of more than these, small ones have no names: they would cover each other


def drawing_of(system: System) -> bytes:
    """PNG of a spacecraft; a System that shows nothing (a controller, a person's block) has the generic icon."""
    if system.picture is None:
        return generic_icon()
    picture = system.picture()
    scene, motion = at_start(picture, starts_of(system))
    return png_bytes(figure_of(scene, motion, 0))


def starts_of(system: System, prefix: str = "") -> dict[str, float]:
    """The assembled initial state by name."""
    x, _, _, _ = start(system)
    return {f"{prefix}{entry.name}": float(value) for entry, value in zip(system.signals.states, x, strict=True)}


def at_start(picture: Picture, known: Mapping[str, float]) -> tuple[Scene, Motion]:
    """The scene, and one frame of it: at the states that are known by name, as far as the picture has them as coordinates."""
    x, u, p = still(picture)
    x = np.array([known.get(entry.name, value) for entry, value in zip(picture.coordinates.states, x, strict=True)])
    placed = picture.place(0.0, x, u, p)
    return scene_of(picture, placed), moved(picture, np.zeros(1), [placed], None)


def figure_of(scene: Scene, motion: Motion, frame: int, names: bool = True) -> Figure:
    """One frame of a motion, seen from the side and a little from above."""
    figure = Figure(figsize=(5.12, 5.12), dpi=100)
    axes = space(figure)
    axes.view_init(elev=24.0, azim=-58.0)
    points = draw(axes, scene, motion, frame, names)
    framed(axes, points)
    return figure


def space(figure: Figure) -> Axes3D:
    """Axes without perspective that fill a figure."""
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), projection="3d", proj_type="ortho")
    assert isinstance(axes, Axes3D)
    return axes


def draw(axes: Axes3D, scene: Scene, motion: Motion, frame: int, names: bool, pale: int | None = None) -> np.ndarray:
    """Draws all bodies and lines; gives the points (n, 3) that have to be seen. pale: another frame, like a shadow of it."""
    seen = [*(line[frame] for line in motion.lines)]
    triangles, colors, dots, behind = [np.zeros((0, 3, 3))], [np.zeros((0, 4))], [], []
    bodies = scene.picture.bodies
    for i, own in enumerate(scene.bodies):
        placed = _placed(scene, motion, frame, i)
        seen += placed
        small = own and np.ptp(np.concatenate(placed), axis=0).max() < SMALL * scene.size
        if own and bodies[i].sort != "wheel":
            center = np.concatenate(placed).mean(axis=0)
            if small:
                dots.append(center)
            if names and not (small and len(bodies) > MANY_NAMES):
                axes.text(*center, bodies[i].name, fontsize=8, ha="center", color="black", zorder=10)
        for mesh, at in zip(own, placed, strict=True):
            if small and len(bodies) > MANY_NAMES:
                continue  # not to be seen under its dot
            corners = at[mesh.faces]
            normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
            shade = 0.6 + 0.4 * np.abs(normal @ LIGHT)  # triangles have no inside
            rgb = np.clip(shade[:, None] * to_rgb(mesh.color), 0.0, 1.0)
            triangles.append(corners)
            colors.append(np.column_stack([rgb, np.full(len(rgb), max(mesh.opacity, 0.7))]))
        if pale is not None:
            behind += [at[mesh.faces] for mesh, at in zip(own, _placed(scene, motion, pale, i), strict=True)]
    if dots:
        axes.scatter(*np.transpose(dots), color=_JOINT, s=24, depthshade=False)
    if behind:
        axes.computed_zorder = False  # else what lies nearer would cover
        axes.add_collection3d(Poly3DCollection(np.concatenate(behind), facecolors=_PALE, edgecolors=_PALE, zorder=0))
    painted = np.concatenate(colors)
    axes.add_collection3d(
        Poly3DCollection(np.concatenate(triangles), facecolors=painted, edgecolors=painted, linewidths=0.2)
    )
    for line in motion.lines:
        axes.plot(*line[frame].T, color=_CABLE, linewidth=1.2)
    return np.concatenate(seen)


def _placed(scene: Scene, motion: Motion, frame: int, body: int) -> list[np.ndarray]:
    """Vertices (V, 3) of each mesh of a body, bent and in its place."""
    dcm, amplitudes = quaternion_dcm(motion.quaternions[frame, body]), motion.amplitudes[body][frame]
    return [motion.positions[frame, body] + mesh.bent(amplitudes) @ dcm.T for mesh in scene.bodies[body]]


def framed(axes: Axes3D, points: np.ndarray) -> None:
    """Equal scales around all points, no box; a triad shows the directions of N."""
    low, high = points.min(axis=0), points.max(axis=0)
    center, half = 0.5 * (low + high), 0.55 * float(np.max(high - low))
    for name, value in zip("xyz", center, strict=True):
        getattr(axes, f"set_{name}lim")(value - half, value + half)
    axes.set_box_aspect((1.0, 1.0, 1.0), zoom=1.25)
    axes.set_axis_off()
    corner = center - 0.95 * half
    for direction, name in zip(np.eye(3), "xyz", strict=True):
        tip = corner + 0.3 * half * direction
        axes.plot(*np.array([corner, tip]).T, color=_EDGE, linewidth=1.0)
        axes.text(*(corner + 0.36 * half * direction), name, fontsize=8, color=_EDGE, ha="center", va="center")
