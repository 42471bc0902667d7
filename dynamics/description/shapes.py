"""Tables of shapes → geometry; and the shapes of beams and plates without one, from their dimensions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..bodies.body import RigidBody
from ..picture.geometry import SHAPE, THIN, Shape, axes_of
from .beams import sections_of
from .errors import Problems
from .resolver import Entry, Places
from .tables.bodies import BodyTable
from .tables.elastic import BeamTable, PlateTable

SLENDER = 0.015  # radius of a beam, relative to its length, where its section is not given
DENSITY = 1000.0  # of a tip body without inertia [kg/m³]
FLAT = 0.05  # a tip body whose moments are those of a lamina to this share is a dish
MESHES = (".stl", ".obj", ".ply", ".glb", ".gltf")
LARGEST = 20_000_000  # bytes of a mesh: it is stored in the FMU and in each result


class ShapeEntry(Entry):
    """A shape of a description: its body, and the folder of its files."""

    def __init__(self, path: str, table: Any, problems: Problems, places: Places, name: str, folder: Path):
        super().__init__(path, table, problems, places)
        body = places.bodies[name]
        self.name, self.folder, self.bends = name, folder, bool(body.modes)
        self.center = np.array(body.mass_center.start) if isinstance(body, RigidBody) else np.zeros(3)

    def mesh_file(self, key: str) -> tuple[str, bytes] | None:
        file = getattr(self.table, key)
        if Path(file).suffix.lower() not in MESHES:
            self.expected(key, f"a mesh: {', '.join(MESHES)}")
            return None
        try:
            content = (self.folder / file).read_bytes()
        except OSError as error:
            self.expected(key, f"a file that can be read ({error.strerror})")
            return None
        if len(content) > LARGEST:
            megabytes = f"found {len(content) / 1e6:.0f}: it travels with the FMU"
            self.expected(key, f"a mesh of at most {LARGEST // 10**6} MB, {megabytes}")
        return Path(file).name, content


def make_geometry(tables: dict[str, BodyTable], places: Places, problems: Problems, folder: Path) -> tuple[Shape, ...]:
    """Shapes of all bodies: as given; else, for beams and plates, from their dimensions."""
    found: list[Shape] = []
    for name, table in tables.items():
        if table.shape is not None:
            for i, shape in enumerate(table.shape, 1):
                entry = ShapeEntry(f"bodies.{name}.shape[{i}]", shape, problems, places, name, folder)
                found += SHAPE.make(shape, entry)
        elif table.beam is not None and places.bodies[name].modes:
            found += (
                _beam(name, table.beam) if table.beam.segments is None else _segments(places.bodies[name], table.beam)
            )
        elif table.plate is not None and places.bodies[name].modes:
            found += _plate(name, table.plate)
    return tuple(found)


def _beam(name: str, beam: BeamTable, thin: float | None = None) -> list[Shape]:
    """A box of the section's radii of inertia, or a thin rod; at its end the tip body."""
    axes = axes_of(beam.axis, beam.second_axis)
    about_y, about_z = sections_of(beam)
    middle, end = 0.5 * beam.length * axes[:, 0], beam.length * axes[:, 0]
    thin = SLENDER * beam.length if thin is None else thin
    if beam.section_inertia is None:
        radius = max(2.0 * np.sqrt(about_y / beam.mass), thin)  # a round section has ¼ m r² about its y
        shapes = [Shape(name, "cylinder", (radius, beam.length), middle, np.roll(axes, -1, axis=1))]
    else:
        across = (max(np.sqrt(12.0 * about / beam.mass), thin) for about in (about_z, about_y))
        shapes = [Shape(name, "box", (beam.length, *across), middle, axes)]
    return shapes + ([_tip(name, beam, axes, end)] if beam.tip_mass else [])


def _segments(body: Any, beam: BeamTable) -> list[Shape]:
    """A piece of the beam per segment, the tip body on the last."""
    h = beam.length / len(body.chain)
    short = beam.model_copy(update={"length": h, "tip_mass": 0.0})
    thin = SLENDER * beam.length
    shapes = [shape for segment in body.chain for shape in _beam(segment.name, short, thin)]
    axes = axes_of(beam.axis, beam.second_axis)
    return shapes + ([_tip(body.chain[-1].name, beam, axes, h * axes[:, 0])] if beam.tip_mass else [])


def _tip(name: str, beam: BeamTable, axes: np.ndarray, end: np.ndarray) -> Shape:
    """A dish if the moments are those of a lamina across the beam, else the box with these moments, else a sphere of the mass."""
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
