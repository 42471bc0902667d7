"""Shapes → triangles. Round shapes are profiles revolved about z; boxes have a grid on their faces, so that they can bend.

Sides of triangles at which a surface ends or bends sharply are drawn as lines: otherwise a white box on white has no visible shape.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from io import BytesIO
from pathlib import Path

import numpy as np

from spacefmu.dynamics.picture.geometry import Shape
from spacefmu.dynamics.texts import parse_json

AROUND = 32  # facets around round shapes
CELLS = 12  # of a box along its longest side: it can bend, and renderers that sort triangles draw it correctly
ACROSS = 4  # about so many cells of a panel across its width
SHARP = np.cos(np.deg2rad(35.0))  # of the angle between two faces whose common side is drawn
INK = "#1d2733"  # of lines


@dataclass(frozen=True)
class Mesh:
    """vertices (V, 3) [m], faces (F, 3) of vertex numbers, modes (N, V, 3): displacement per mode [m/m]; color "#rrggbb".

    lines (F, 3): which sides of the faces are drawn, from each corner to the next; ink: their color.
    """

    vertices: np.ndarray
    faces: np.ndarray
    modes: np.ndarray
    lines: np.ndarray
    color: str = "#aeb9c4"
    opacity: float = 1.0
    ink: str = INK

    def placed(self, place, dcm) -> Mesh:
        """Rotated by dcm (3, 3), then moved to a place (3,)."""
        return replace(self, vertices=self.vertices @ np.asarray(dcm).T + place)

    def bent(self, amplitudes) -> np.ndarray:
        """Vertices (V, 3) with modes of these amplitudes (N,)."""
        return self.vertices + np.einsum("nvi,n->vi", self.modes, amplitudes)

    def drawn_lines(self) -> np.ndarray:
        """(L, 2) of vertex numbers: each line once."""
        return np.unique(np.sort(_sides(self.faces)[self.lines], axis=1), axis=0)


def mesh_of(shape: Shape, panel: bool = False, grid: int = CELLS) -> Mesh:
    """The triangles of a shape, in its body's frame; ValueError if its file is not a mesh. panel: a box with cells; grid: along it."""
    match shape.kind:
        case "box":
            mesh = box(tuple(shape.size), grid)
            mesh = replace(mesh, lines=cells(mesh)) if panel else mesh
        case "cylinder":
            mesh = cylinder(shape.size[0], shape.size[1], grid)
        case "sphere":
            mesh = sphere(*shape.size)
        case "dish":
            mesh = dish(*shape.size)
        case _:
            assert shape.file is not None
            mesh = read_mesh(*shape.file, *shape.size)
    return mesh.placed(shape.place, shape.dcm)


@lru_cache(64)  # many bodies are equal
def box(lengths: tuple[float, ...], grid: int = CELLS) -> Mesh:
    """Centred at the origin; a grid with this many cells along the longest side, and proportionally fewer along the others."""
    sides = np.asarray(lengths, float)
    cells = np.maximum(1, np.ceil(grid * sides / sides.max())).astype(int)
    vertices: list[np.ndarray] = []
    faces: list[np.ndarray] = []
    for normal in range(3):
        a, b = (normal + 1) % 3, (normal + 2) % 3
        for side in (-0.5, 0.5):
            u, v = np.meshgrid(
                np.linspace(-0.5, 0.5, cells[a] + 1), np.linspace(-0.5, 0.5, cells[b] + 1), indexing="ij"
            )
            points = np.empty((u.size, 3))
            points[:, normal], points[:, a], points[:, b] = side, u.ravel(), v.ravel()
            faces.append(_grid(cells[a] + 1, cells[b] + 1, flip=side < 0) + sum(map(len, vertices)))
            vertices.append(points * sides)
    return _rigid(np.concatenate(vertices), np.concatenate(faces))


def cylinder(radius: float, length: float, grid: int = CELLS, around: int = AROUND) -> Mesh:
    """Along z, centred at the origin."""
    wall = [(radius, z) for z in np.linspace(-0.5 * length, 0.5 * length, grid + 1)]
    return turned([(0.0, -0.5 * length), *wall, (0.0, 0.5 * length)], around)


def cone(radius: float, length: float, tip: float = 0.0) -> Mesh:
    """From a small end of radius `tip` at the origin to a wide one at z = length."""
    return turned([(0.0, 0.0), (tip, 0.0), (radius, length), (0.0, length)])


def sphere(radius: float) -> Mesh:
    angles = np.linspace(0.0, np.pi, AROUND // 2 + 1)
    return turned([(radius * np.sin(a), -radius * np.cos(a)) for a in angles])


def dish(radius: float, depth: float) -> Mesh:
    """A paraboloid shell that opens along z, apex at the origin."""
    inner = [(radius * s, depth * s * s) for s in np.linspace(0.0, 1.0, 9)]
    shell = 0.03 * radius
    return turned([(r, z - shell) for r, z in inner] + inner[::-1])


def turned(profile, around: int = AROUND) -> Mesh:
    """The surface of a profile (r, z), revolved about z."""
    angle = np.linspace(0.0, 2.0 * np.pi, around + 1)
    rings = [np.column_stack([r * np.cos(angle), r * np.sin(angle), np.full(around + 1, z)]) for r, z in profile]
    return _rigid(np.concatenate(rings), _grid(len(profile), around + 1, flip=True))


def _grid(rows: int, columns: int, flip: bool) -> np.ndarray:
    """Triangles of a grid whose vertices are numbered row by row."""
    i, j = np.meshgrid(np.arange(rows - 1), np.arange(columns - 1), indexing="ij")
    a = (i * columns + j).ravel()
    b, c, d = a + 1, a + columns, a + columns + 1
    faces = np.concatenate([np.column_stack([a, c, b]), np.column_stack([b, c, d])])
    return faces[:, ::-1] if flip else faces


def _rigid(vertices, faces) -> Mesh:
    return Mesh(vertices, faces, np.zeros((0, len(vertices), 3)), creases(vertices, faces))


def _sides(faces) -> np.ndarray:
    """(F, 3, 2) of vertex numbers."""
    return np.stack([faces, np.roll(faces, -1, axis=1)], axis=2)


def creases(vertices, faces) -> np.ndarray:
    """(F, 3): sides of triangles at which the surface ends or bends sharply; coincident vertices count as one."""
    grain = 1e-6 * max(float(np.ptp(vertices, axis=0).max()), 1e-300)
    _, same = np.unique(np.round(vertices / grain), axis=0, return_inverse=True)
    whole = same.reshape(-1)[faces]
    corners = vertices[faces]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.linalg.norm(normal, axis=1)
    solid = (size > 1e-6 * grain * grain) & (np.diff(np.sort(whole, axis=1), axis=1) > 0).all(axis=1)
    normal = normal / np.maximum(size, 1e-300)[:, None]
    sides = np.sort(_sides(whole[solid]).reshape(-1, 2), axis=1)
    _, number, count = np.unique(sides, axis=0, return_inverse=True, return_counts=True)
    number = number.reshape(-1)
    total = np.zeros((len(count), 3))
    np.add.at(total, number, np.repeat(normal[solid], 3, axis=0))
    # of two unit normals at an angle α the sum has the square 2 + 2 cos α; of a hull some point inward
    sharp = (count != 2) | (np.abs(np.sum(total**2, axis=1) - 2.0) < 2.0 * SHARP)
    found = np.zeros(faces.shape, bool)
    found[solid] = sharp[number].reshape(-1, 3)
    return found


def cells(mesh: Mesh) -> np.ndarray:
    """(F, 3) of a flat box in its own axes: squares on its two large faces, along its grid, like the cells of a solar panel."""
    low, sides = mesh.vertices.min(axis=0), np.ptp(mesh.vertices, axis=0)
    thin, _, _ = order = np.argsort(sides)
    count = np.maximum(1, np.ceil(CELLS * sides / sides.max())).astype(int)
    apart = max(1, round(count[order[1]] / ACROSS))
    corners = np.round((mesh.vertices[mesh.faces] - low) / sides * count).astype(int)  # of the grid
    moves = np.roll(corners, -1, axis=1) != corners
    large = (np.ptp(corners[:, :, thin], axis=1) == 0)[:, None]
    kept = np.where(moves | (corners % apart == 0) | (corners == count), 0, 1)[:, :, order[1:]].sum(axis=2) == 0
    return mesh.lines | (large & (moves.sum(axis=2) == 1) & kept)


def read_mesh(name: str, content: bytes, scale: float) -> Mesh:
    """A mesh file by trimesh, all its parts as one."""
    import trimesh  # takes a second: only where there is a file to read

    if name.lower().endswith(".gltf"):
        _refuse_elsewhere(name, content)
    try:
        found = trimesh.load_scene(BytesIO(content), file_type=Path(name).suffix.lower().lstrip(".")).to_mesh()
    except Exception as error:  # trimesh passes on the exceptions of its readers
        raise ValueError(f"{name}: can't be read as a mesh: {error}") from error
    if not len(found.faces):
        raise ValueError(f"{name}: has no triangles, so it is not a mesh")
    vertices, faces = thinned(np.array(found.vertices), np.array(found.faces))
    mesh = _rigid(vertices * scale, faces)
    return (
        mesh if len(faces) == len(found.faces) else replace(mesh, lines=np.zeros(faces.shape, bool))
    )  # has creases of its own


def _refuse_elsewhere(name: str, content: bytes) -> None:
    """Refuse a .gltf file with its data in other files: only the file itself travels with a description."""
    try:
        places = [buffer.get("uri", "") for buffer in parse_json(content).get("buffers", [])]
    except (ValueError, AttributeError):
        return  # no glTF at all: its reader says so
    if any(not place.startswith("data:") for place in places):
        raise ValueError(f"{name}: has its data in other files ({places[0]}); save it as one .glb file")


def thinned(vertices, faces, most: int = 20_000) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and faces of a mesh reduced to at most so many triangles: vertices in the same cell of a grid are merged, with the finest grid that suffices."""
    cell, size = 0.005, float(np.ptp(vertices, axis=0).max())
    every, whole = vertices, faces
    while len(faces) > most:
        _, first, cells = np.unique(np.round(every / (cell * size)), axis=0, return_index=True, return_inverse=True)
        faces = cells.reshape(-1)[whole]
        faces = faces[(np.diff(np.sort(faces, axis=1), axis=1) > 0).all(axis=1)]
        _, kept = np.unique(np.sort(faces, axis=1), axis=0, return_index=True)
        vertices, faces, cell = every[first], faces[np.sort(kept)], 1.3 * cell
    return vertices, faces


def surface(positions, translations, most: int = 2500) -> Mesh:
    """Nodes (P, 3) of a finite-element body joined by triangles: a Delaunay triangulation if they are in a plane, else their convex hull."""
    from scipy.spatial import ConvexHull, Delaunay

    keep = np.arange(len(positions))[:: max(1, -(-len(positions) // most))]
    points, modes = positions[keep], translations[:, keep]
    center = points.mean(axis=0)
    _, spread, axes = np.linalg.svd(points - center, full_matrices=False)
    if len(points) < 4 or spread[1] < 1e-6 * spread[0]:  # on a line: nothing to join
        raise ValueError("nodes on a line have no surface")
    if spread[2] < 0.02 * spread[0]:
        faces = Delaunay((points - center) @ axes[:2].T).simplices
    else:
        faces = ConvexHull(points).simplices
    used, faces = np.unique(faces, return_inverse=True)
    points, faces = points[used], faces.reshape(-1, 3)
    return Mesh(points, faces, modes[:, used], creases(points, faces))
