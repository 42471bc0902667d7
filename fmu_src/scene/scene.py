"""A Picture as triangles: the meshes of each body, wheels, thrusters, in sizes that suit the whole."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from spacefmu.dynamics.picture.geometry import Shape
from spacefmu.dynamics.picture.picture import Picture, PicturedBody, Placed, Vessel

from .meshes import CELLS, INK, Mesh, box, cone, cylinder, mesh_of, surface, turned

COLORS = {"first": "#c9a86a", "rigid": "#aeb9c4", "flexible": "#2f6da8", "boom": "#8c99a6", "dish": "#e6eaee",
          "wheel": "#dfe5ea", "spoke": "#d9541e", "nozzle": "#5b646d", "plume": "#ffb347", "tank": "#c3ccd4", "liquid": "#3f8fc4"}  # fmt: skip
CELL = "#9fb9d6"  # of the lines between the cells of a panel
FLAT = 0.25  # a flexible box thinner than this share of its width is a panel, else a boom
OFF = 1.5  # of its radius: offset of a drawn wheel along its axis
CROWD = 40  # bodies: above this number, rigid boxes have few triangles
LEVELS = (
    0.5 + np.cos(np.pi * np.arange(12, -1, -1) / 12) * (3.0 - np.cos(np.pi * np.arange(12, -1, -1) / 12) ** 2) / 4.0
)  # drawn fills of liquids, interpolated in between: heights in a sphere, closer at its ends
AROUND_TANK = 24  # facets
INSIDE = 0.98  # size of the liquid relative to its tank, against flicker
SMALLEST = 0.01  # drawn thickness of a box without thickness, relative to the whole


@dataclass(frozen=True)
class Nozzle:
    """A thruster on a body: its place and the unit vector of its plume, in the body's frame; size [m]."""

    body: int
    place: np.ndarray
    away: np.ndarray
    size: float


@dataclass(frozen=True)
class DrawnLiquid:
    """The liquid in a tank: its body, and a mesh in the body's frame whose modes interpolate between LEVELS, with weights by `at_level`."""

    body: int
    vessel: Vessel
    mesh: Mesh


@dataclass(frozen=True)
class DrawnScene:
    """picture: its source; bodies: meshes of each, in its frame; nozzles; liquids of tanks; start: the initial places; size [m] of the whole."""

    picture: Picture
    bodies: tuple[tuple[Mesh, ...], ...]
    nozzles: tuple[Nozzle, ...]
    liquids: tuple[DrawnLiquid, ...]
    start: Placed
    size: float


def scene_of(picture: Picture, start: Placed) -> DrawnScene:
    """The triangles of everything visible. start: the initial places; bodies without a given shape get one from their properties."""
    given = [_given(picture, body, i == 0) for i, body in enumerate(picture.bodies)]
    grid = CELLS if len(picture.bodies) <= CROWD else 2
    rough = [own or _default(body, 0.0, i == 0, grid) for i, (own, body) in enumerate(zip(given, picture.bodies, strict=True))]  # fmt: skip
    size = extent(start, rough)
    bodies = [own or _default(body, SMALLEST * size, i == 0, grid) for i, (own, body) in enumerate(zip(given, picture.bodies, strict=True))]  # fmt: skip
    bodies = [[*own, *_struts(body, own, size)] for own, body in zip(bodies, picture.bodies, strict=True)]
    carriers = {body.parent for body in picture.bodies if body.sort == "wheel" or body.vessel is not None}
    bodies = [[replace(mesh, opacity=0.45) for mesh in own] if i in carriers else own for i, own in enumerate(bodies)]
    hosts = [own if body.modes == 0 else [] for body, own in zip(picture.bodies, bodies, strict=True)]
    nozzles = []
    for jet, place in zip(picture.jets, start.nozzles, strict=True):
        away = start.dcms[jet.body].T @ (place - start.positions[jet.body])
        width = np.ptp(np.concatenate([mesh.vertices for mesh in hosts[jet.body]]), axis=0).max() if hosts[jet.body] else size  # fmt: skip
        nozzles.append(Nozzle(jet.body, away, -jet.direction, 0.06 * width))
    liquids = [
        DrawnLiquid(i, body.vessel, _liquid(body.vessel)) for i, body in enumerate(picture.bodies) if body.vessel
    ]
    return DrawnScene(picture, tuple(map(tuple, bodies)), tuple(nozzles), tuple(liquids), start, size)


def _liquid(vessel: Vessel) -> Mesh:
    """Empty, with what each of the other LEVELS adds."""
    empty, *filled = [
        INSIDE * turned(vessel.outline(float(fill)), AROUND_TANK).vertices @ vessel.axes.T for fill in LEVELS
    ]
    mesh = turned(vessel.outline(0.5), AROUND_TANK)  # which sides are sharp
    color = COLORS["liquid"]
    return replace(mesh, vertices=empty, modes=np.array([each - empty for each in filled]), color=color, opacity=0.85)


def at_level(fills) -> np.ndarray:
    """(n, K) weights of a liquid's modes at fills (n,): straight between the two nearest LEVELS."""
    return np.array([np.interp(fills, LEVELS, each) for each in np.eye(len(LEVELS))[1:]]).T


def extent(start: Placed, bodies) -> float:
    """Diagonal of the box around everything at the start [m]."""
    points = [start.ends.reshape(-1, 3), start.positions]
    points += [start.positions[i] + mesh.vertices @ start.dcms[i].T for i, own in enumerate(bodies) for mesh in own]
    every = np.concatenate(points)
    return max(float(np.linalg.norm(np.ptp(every, axis=0))), 1e-3)


def _given(picture: Picture, body: PicturedBody, first: bool) -> list[Mesh]:
    """Meshes of a body's given shapes, which bend with it."""
    found = []
    for shape in picture.shapes:
        if shape.body != body.name:
            continue
        mesh = _coated(body, shape, first)
        if body.modes and shape.rides is not None:
            # rigidly attached to its place: φ of points around it along ψ
            lever = body.bend(np.vstack([shape.rides, shape.rides + np.eye(3)]))
            about = lever[:, 1:] - lever[:, :1]  # (N, 3, 3): ψ × e_i
            modes = lever[:, :1] + np.einsum("nij,vi->nvj", about, mesh.vertices - shape.rides)
        else:
            modes = body.bend(mesh.vertices)
        found.append(replace(mesh, modes=modes))
    return found


def _struts(body: PicturedBody, own: list[Mesh], size: float) -> list[Mesh]:
    """Rods from a drawn body to joints that lie outside it, so that nothing appears to float."""
    if not own or body.spin is not None:
        return []
    points = np.concatenate([mesh.vertices for mesh in own])
    low, high = points.min(axis=0), points.max(axis=0)
    found = []
    for place in body.joined:
        inside = np.clip(place, low, high)
        away = float(np.linalg.norm(place - inside))
        if away > SMALLEST * size:
            rod = cylinder(0.5 * SMALLEST * size, away, grid=2, around=12)
            rod = rod.placed(0.5 * (place + inside), turned_to(place - inside))
            found.append(replace(rod, modes=body.bend(rod.vertices), color=COLORS["boom"]))
    return found


def turned_to(axis) -> np.ndarray:
    """A rotation matrix whose z is along a vector."""
    z = np.asarray(axis) / np.linalg.norm(axis)
    x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _coated(body: PicturedBody, shape: Shape, first: bool, grid: int = CELLS) -> Mesh:
    """The triangles of a shape in its own color, or that of its kind; flat boxes on flexible bodies have cells."""
    sides = sorted(shape.size)
    panel = body.sort == "flexible" and shape.kind == "box" and sides[0] < FLAT * sides[1]
    if shape.kind == "dish":
        sort = "dish"
    elif body.sort == "rigid":
        sort = "first" if first else "rigid"
    else:
        sort = "flexible" if panel else "boom"
    return replace(mesh_of(shape, panel, grid), color=shape.color or COLORS[sort], ink=CELL if panel else INK)


def _default(body: PicturedBody, smallest: float, first: bool, grid: int) -> list[Mesh]:
    """The drawn shape of a body without a given shape: a wheel, the surface of its nodes, or the solid with its inertia.

    grid: along the solid of a rigid body.
    """
    if body.spin is not None:
        axis, radius, _ = body.spin
        # wheels without a given place coincide: each is offset along its axis, to be visible
        away = 0.0 if body.in_gimbal else OFF * radius
        return [mesh.placed(away * axis, np.eye(3)) for mesh in _wheel(axis, radius)]
    if body.vessel is not None:
        wall = turned(body.vessel.outline(1.0), AROUND_TANK).placed(np.zeros(3), body.vessel.axes)
        return [replace(wall, color=COLORS["tank"], opacity=0.3)]
    if body.points is not None:
        try:
            return [replace(surface(*body.points), color=COLORS["flexible"])]
        except ValueError:
            pass  # a line of nodes: the solid with its inertia, which bends with them
    if body.solid is None:
        return []
    shape = body.solid
    if shape.kind != "sphere":
        shape = replace(shape, size=tuple(np.maximum(shape.size, smallest or 1e-9)))
    mesh = _coated(body, shape, first, CELLS if body.modes else grid)
    return [replace(mesh, modes=body.bend(mesh.vertices))]


def _wheel(axis, radius: float) -> list[Mesh]:
    """A disc about its axis, with a bar that makes its rotation visible."""
    disc = replace(cylinder(radius, radius / 3.0), color=COLORS["wheel"])
    bar = replace(box((1.8 * radius, 0.25 * radius, 0.4 * radius)), color=COLORS["spoke"])
    return [mesh.placed(np.zeros(3), turned_to(axis)) for mesh in (disc, bar)]


def nozzle_meshes(nozzle: Nozzle) -> tuple[Mesh, Mesh]:
    """The nozzle and its plume at full thrust, both along z from the origin."""
    bell = replace(cone(0.5 * nozzle.size, nozzle.size, 0.2 * nozzle.size), color=COLORS["nozzle"])
    plume = cone(1.1 * nozzle.size, 5.0 * nozzle.size, 0.4 * nozzle.size).placed((0.0, 0.0, nozzle.size), np.eye(3))
    return bell, replace(plume, color=COLORS["plume"], opacity=0.6)
