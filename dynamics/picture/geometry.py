"""Shapes of bodies: given in the description, or derived from its dimensions. No equation reads them.

A shape is placed in its body's frame: `dcm` (3, 3) maps its own axes to the body's, its centre is at `place` (3,) [m].

    kind        size [m]
    box         sides along x, y, z
    cylinder    radius, length along z
    sphere      radius
    dish        radius, depth: a paraboloid that opens along z, its apex at the place
    mesh        scale: metres per unit of the file
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from ..system.keys import Declaration, Key, Kinds, Resolver

THIN = 0.01  # thickness of a plate, relative to its length, where none is given
Z = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Shape:
    """One part of a body's shape.

    rides: the place (3,) on a flexible body to which the shape is rigidly attached; None: the shape bends with the body.
    file: name and content of a mesh. color: "#rrggbb", or empty for the one of its kind.
    """

    body: str
    kind: str
    size: tuple[float, ...]
    place: np.ndarray = field(default_factory=lambda: np.zeros(3))
    dcm: np.ndarray = field(default_factory=lambda: np.eye(3))
    color: str = ""
    rides: np.ndarray | None = None
    file: tuple[str, bytes] | None = None


def axes_of(axis, second_axis=None) -> np.ndarray:
    """Columns: x along `axis`, then y and z, in body axes. y is the second direction orthogonalised, else the next axis."""
    x = np.array(axis)
    hint = np.roll(np.eye(3)[int(np.argmax(np.abs(x)))], 1) if second_axis is None else np.array(second_axis)
    y = hint - x * (hint @ x)
    y = y / np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])


# ---- the shapes of descriptions: one row per kind, each made as a list of the shapes above


class ShapeContext(Resolver, Protocol):
    """Data for the maker of a shape, in addition to names."""

    center: np.ndarray  # mass centre of the rigid body that it belongs to (3,), else zero
    bends: bool  # whether the body has modes

    def mesh_file(self, key: str) -> tuple[str, bytes] | None:
        """Name and content of the mesh at `key`; None where it can't be read."""


def _oriented(table: Any) -> np.ndarray:
    return np.eye(3) if table.orientation is None else np.array(table.orientation)


def _about(table: Any) -> np.ndarray:
    """dcm of a shape whose z is along its axis."""
    if table.axis is None and table.orientation is not None:
        return _oriented(table)
    return np.roll(axes_of(table.axis or Z), -1, axis=1)


def _made(kind: str, size: tuple, dcm: np.ndarray, table: Any, names: ShapeContext, center=None) -> list[Shape]:
    if getattr(table, "axis", None) is not None and table.orientation is not None:
        names.expected("axis", "nothing with an orientation")
    place = table.place if table.place is not None else names.center if center is None else center
    return [Shape(names.name, kind, size, np.array(place), dcm, table.color or "")]


def _plate(table: Any, names: ShapeContext) -> list[Shape]:
    """A box; on a clamped body it begins at the frame, outward."""
    size = (*table.size, table.thickness or THIN * max(table.size))
    dcm = _oriented(table) if table.axis is None else axes_of(table.axis)
    return _made("box", size, dcm, table, names, dcm[:, 0] * 0.5 * size[0] if names.bends else None)


def _mesh(table: Any, names: ShapeContext) -> list[Shape]:
    (shape,) = _made("mesh", (table.scale or 1.0,), _oriented(table), table, names, np.zeros(3))
    return [replace(shape, file=names.mesh_file("file"))]


RADIUS = {"radius": Key("positive", "[m]")}


def _axis(text: str) -> dict[str, Key]:
    return {"axis": Key("axis", text, None)}


SHAPES = {
    "box": Declaration("a box", {"size": Key("positive", "sides along its x, y, z [m]", count=(3, 3))},
        lambda table, names: _made("box", tuple(table.size), _oriented(table), table, names)),
    "plate": Declaration("a thin box", {
        "size": Key("positive", "sides along its axis and across [m]", count=(2, 2)),
        "thickness": Key("positive", "[m]; default: a hundredth of its length", None),
        **_axis("direction along it, in body axes; default: x")}, _plate),
    "cylinder": Declaration("a cylinder", {**RADIUS, "length": Key("positive", "length along its axis [m]"), **_axis("its axis, in body axes; default: z")},
        lambda table, names: _made("cylinder", (table.radius, table.length), _about(table), table, names)),
    "sphere": Declaration("a sphere", RADIUS,
        lambda table, names: _made("sphere", (table.radius,), _oriented(table), table, names)),
    "dish": Declaration("a paraboloid that opens along its axis", {
        **RADIUS, "depth": Key("positive", "[m]; default: a quarter of its radius", None), **_axis("its axis, in body axes; default: z")},
        lambda table, names: _made("dish", (table.radius, table.depth or 0.25 * table.radius), _about(table), table, names)),
    "mesh": Declaration("triangles of a file", {
        "file": Key("file", ".stl, .obj, .ply, .glb or .gltf"),
        "scale": Key("positive", "metres per unit of the file; default: 1", None)}, _mesh),
}  # fmt: skip
SHAPE = Kinds("Shape", "", "The shape of a body in views and drawings; it does not enter the equations. Each kind has its own sizes.", {
    "place": Key("vector", "of its centre (a dish: its apex; a mesh: the file's origin) in the body frame [m]; default: the mass centre of a rigid body; "
        "where a plate is clamped it begins at the frame", None),
    "orientation": Key("orientation", "attitude of the shape in the body frame, instead of an axis", None),
    "color": Key("color", '"#rrggbb"', None),
}, SHAPES)  # fmt: skip
