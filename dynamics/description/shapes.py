"""Tables of shapes → geometry; and the shapes of beams and plates that have none, from their dimensions."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..bodies.body import RigidBody
from ..geometry import Shape
from .errors import Problems
from .flexible import axes_of, sections_of
from .tables.bodies import BeamTable, BodyTable, PlateTable
from .tables.shapes import ShapeTable

THIN = 0.01  # thickness of a plate, relative to its length, where none is given
SLENDER = 0.015  # radius of a beam, relative to its length, where its section is not given
DENSITY = 1000.0  # of a tip body without inertia [kg/m³]
FLAT = 0.05  # a tip body whose moments are those of a lamina to this share is a dish
MESHES = (".stl", ".obj", ".ply", ".glb", ".gltf")
LARGEST = 20_000_000  # bytes of a mesh: it travels in the FMU and with each result
KEYS = {  # kind: keys it needs, keys it may have besides place, orientation and color
    "box": (("size",), ()),
    "plate": (("size",), ("thickness", "axis")),
    "cylinder": (("radius", "length"), ("axis",)),
    "sphere": (("radius",), ()),
    "dish": (("radius",), ("depth", "axis")),
    "mesh": (("file",), ("scale",)),
}
COMMON = ("kind", "place", "orientation", "color")
SIDES = {"box": 3, "plate": 2}


def make_geometry(tables: dict[str, BodyTable], bodies: dict, problems: Problems, folder: Path) -> tuple[Shape, ...]:
    """Shapes of all bodies: as given, else of beams and plates as they follow from their dimensions."""
    found: list[Shape] = []
    for name, table in tables.items():
        body = bodies[name]
        if table.shape is not None:
            for i, shape in enumerate(table.shape, 1):
                found += _given(f"bodies.{name}.shape[{i}]", name, shape, body, problems, folder)
        elif table.beam is not None and body.modes:
            found += _beam(name, table.beam)
        elif table.plate is not None and body.modes:
            found += _plate(name, table.plate)
    return tuple(found)


def _given(path: str, name: str, table: ShapeTable, body, problems: Problems, folder: Path) -> list[Shape]:
    before = len(problems.found)
    needed, allowed = KEYS[table.kind]
    for key in needed:
        if getattr(table, key) is None:
            problems.found.append(f"{path}.{key} is missing: a {table.kind} has one")
    for key in sorted(table.model_fields_set - {*COMMON, *needed, *allowed}):
        problems.add(f"{path}.{key}", getattr(table, key), f"nothing: a {table.kind} has none")
    if table.axis is not None and table.orientation is not None:
        problems.add(f"{path}.axis", table.axis, "nothing beside an orientation")
    if table.kind in SIDES and table.size is not None and len(table.size) != SIDES[table.kind]:
        problems.add(f"{path}.size", table.size, f"{SIDES[table.kind]} numbers")
    content = None if table.file is None else _mesh_file(path, table.file, problems, folder)
    if len(problems.found) > before:
        return []
    dcm = np.eye(3) if table.orientation is None else np.array(table.orientation)
    if table.axis is not None or (table.kind in ("cylinder", "dish") and table.orientation is None):
        along = np.array(table.axis or (0.0, 0.0, 1.0))
        dcm = axes_of(along, None) if table.kind == "plate" else np.roll(axes_of(along, None), -1, axis=1)
    center = np.array(body.mass_center.start) if isinstance(body, RigidBody) and table.kind != "mesh" else np.zeros(3)
    size = _size(table)
    if table.kind == "plate" and body.modes:  # from where it is clamped, outward
        center = dcm[:, 0] * 0.5 * size[0]
    place = center if table.place is None else np.array(table.place)
    kind = "box" if table.kind == "plate" else table.kind
    return [Shape(name, kind, size, place, dcm, table.color or "", file=content)]


def _size(table: ShapeTable) -> tuple[float, ...]:
    match table:
        case ShapeTable(kind="box", size=list(size)):
            return tuple(size)
        case ShapeTable(kind="plate", size=list(size)):
            return (*size, table.thickness or THIN * max(size))
        case ShapeTable(kind="cylinder", radius=float(radius), length=float(length)):
            return radius, length
        case ShapeTable(kind="dish", radius=float(radius)):
            return radius, table.depth or 0.25 * radius
        case ShapeTable(kind="sphere", radius=float(radius)):
            return (radius,)
        case _:
            return (table.scale or 1.0,)


def _mesh_file(path: str, file: str, problems: Problems, folder: Path) -> tuple[str, bytes] | None:
    if Path(file).suffix.lower() not in MESHES:
        problems.add(f"{path}.file", file, f"a mesh: {', '.join(MESHES)}")
        return None
    try:
        content = (folder / file).read_bytes()
        if len(content) <= LARGEST:
            return Path(file).name, content
        problems.add(
            f"{path}.file",
            file,
            f"a mesh of at most {LARGEST // 10**6} MB, found {len(content) / 1e6:.0f}: it travels with the FMU",
        )
        return None
    except OSError as error:
        problems.add(f"{path}.file", file, f"a file that can be read ({error.strerror})")
        return None


def _beam(name: str, beam: BeamTable) -> list[Shape]:
    """A box of the section's radii of inertia, or a thin rod; at its end the tip body."""
    axes = axes_of(beam.axis, beam.second_axis)
    about_y, about_z = sections_of(beam)
    middle, end = 0.5 * beam.length * axes[:, 0], beam.length * axes[:, 0]
    thin = SLENDER * beam.length
    if beam.section_inertia is None:
        radius = max(2.0 * np.sqrt(about_y / beam.mass), thin)  # a round section has ¼ m r² about its y
        shapes = [Shape(name, "cylinder", (radius, beam.length), middle, np.roll(axes, -1, axis=1))]
    else:
        across = (max(np.sqrt(12.0 * about / beam.mass), thin) for about in (about_z, about_y))
        shapes = [Shape(name, "box", (beam.length, *across), middle, axes)]
    return shapes + ([_tip(name, beam, axes, end)] if beam.tip_mass else [])


def _tip(name: str, beam: BeamTable, axes: np.ndarray, end: np.ndarray) -> Shape:
    """A dish where the moments are those of a lamina across the beam, else the box of these moments, else a sphere of the mass."""
    about_x, about_y, about_z = beam.tip_inertia
    if not any(beam.tip_inertia):
        return Shape(name, "sphere", ((0.75 * beam.tip_mass / (np.pi * DENSITY)) ** (1 / 3),), end, axes, rides=end)
    if abs(about_x - about_y - about_z) <= FLAT * about_x:
        radius = np.sqrt(2.0 * about_x / beam.tip_mass)
        return Shape(name, "dish", (radius, 0.3 * radius), end, np.roll(axes, -1, axis=1), rides=end)
    squares = 0.5 * np.sum(beam.tip_inertia) - np.array(beam.tip_inertia)
    sides = np.sqrt(12.0 * np.maximum(squares, 0.0) / beam.tip_mass)
    return Shape(name, "box", tuple(np.maximum(sides, THIN * beam.length)), end, axes, rides=end)


def _plate(name: str, plate: PlateTable) -> list[Shape]:
    axes = axes_of(plate.axis, plate.second_axis)
    return [Shape(name, "box", (plate.length, plate.width, THIN * plate.length), 0.5 * plate.length * axes[:, 0], axes)]
