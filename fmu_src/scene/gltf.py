"""A scene and its motions as one binary glTF 2.0 file (.glb): one node per body, modes as morph targets, one animation per motion.

Morph targets are modal superposition: vertex = base + Σ weight·shape, with the modes' amplitudes as weights. Lines are chains of
thin cylinders. glTF has y upward: the node `scene` turns z there. Names: "body hub", "line tether", "plume thruster.x", "liquid tank.main".
Source: Khronos, glTF 2.0 specification, sections 3.6 (accessors), 3.7.2 (morph targets), 3.11 (animations), 4 (GLB).
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256

import numpy as np
from matplotlib.colors import to_rgb

from .meshes import Mesh, cylinder
from .motion import DrawnMotion
from .scene import DrawnScene, at_level, nozzle_meshes

FLOAT, UNSIGNED = 5126, 5125
VERTICES, INDICES = 34962, 34963  # buffer targets of glTF
LINES = 1  # the mode of a primitive
TYPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}
Z_UP = (-np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))  # (x, y, z, w)
THIN = 0.002  # radius of a line, relative to the scene, or to the line if that is larger
LINE = {"cable": "#d08a2e", "spring": "#4f9d69", "rod": "#8c99a6"}
UNSEEN = 1e-3  # of the largest: what a mode moves
NOTHING = 1e-4  # scale of a plume that is off: zero would not be invertible


class Writer:
    """Collects numbers in one buffer, and the glTF tables that refer to it."""

    def __init__(self) -> None:
        self.data = bytearray()
        self._known: dict[tuple, int] = {}  # accessors, by what they hold
        self.tables: dict[str, list[dict]] = {
            key: [] for key in ("accessors", "bufferViews", "meshes", "materials", "nodes", "animations")
        }

    def add(self, table: str, entry: dict) -> int:
        self.tables[table].append(entry)
        return len(self.tables[table]) - 1

    def numbers(self, values: np.ndarray, bounds: bool = False, target: int = 0) -> int:
        """An accessor of rows (n, 1, 3 or 4), float or integer; target: VERTICES, INDICES, or neither. Equal data are stored once."""
        values = np.ascontiguousarray(values, np.uint32 if values.dtype.kind in "iu" else np.float32)
        rows = values.reshape(len(values), -1)
        key = (sha256(values.tobytes()).digest(), values.dtype.kind, rows.shape, bounds, target)
        if key not in self._known:
            self._known[key] = self._accessor(values, rows, bounds, target)
        return self._known[key]

    def _accessor(self, values: np.ndarray, rows: np.ndarray, bounds: bool, target: int) -> int:
        place = {"buffer": 0, "byteOffset": len(self.data), "byteLength": values.nbytes}
        view = self.add("bufferViews", place | ({"target": target} if target else {}))
        self.data += values.tobytes()
        kind = UNSIGNED if values.dtype == np.uint32 else FLOAT
        entry = {"bufferView": view, "componentType": kind, "count": len(rows), "type": TYPES[rows.shape[1]]}
        if bounds:
            entry |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        return self.add("accessors", entry)

    def material(self, color: str, opacity: float = 1.0, name: str = "") -> int:
        linear = [((c + 0.055) / 1.055) ** 2.4 if c > 0.04045 else c / 12.92 for c in to_rgb(color)]  # sRGB's curve
        entry = {
            "pbrMetallicRoughness": {
                "baseColorFactor": [*linear, opacity],
                "metallicFactor": 0.1,
                "roughnessFactor": 0.7,
            },
            "doubleSided": True,
        }
        if opacity < 1.0:
            entry["alphaMode"] = "BLEND"
        entry |= {"name": name} if name else {}
        known = self.tables["materials"]
        return known.index(entry) if entry in known else self.add("materials", entry)

    def mesh(self, mesh: Mesh, material: int, ink: int | None = None) -> int:
        """ink: the material of its lines, if they are drawn; they deform with its triangles."""
        primitive = {
            "attributes": {"POSITION": self.numbers(mesh.vertices, True, VERTICES)},
            "indices": self.numbers(mesh.faces.ravel().astype(np.uint32), target=INDICES),
            "material": material,
        }
        entry: dict = {"primitives": [primitive]}
        if len(mesh.modes):
            primitive["targets"] = [{"POSITION": self.numbers(shape, True, VERTICES)} for shape in mesh.modes]
            entry["weights"] = [0.0] * len(mesh.modes)
        if ink is not None and mesh.lines.any():
            lines = self.numbers(mesh.drawn_lines().ravel().astype(np.uint32), target=INDICES)
            entry["primitives"].append(primitive | {"indices": lines, "material": ink, "mode": LINES})
        return self.add("meshes", entry)

    def node(self, name: str, **entry) -> int:
        return self.add("nodes", {"name": name, **entry})

    def child(self, parent: int, node: int) -> int:
        self.tables["nodes"][parent].setdefault("children", []).append(node)
        return node

    def glb(self, root: int) -> bytes:
        """The file: a header, the tables as JSON, the buffer; both parts padded to four bytes."""
        tables = {key: rows for key, rows in self.tables.items() if rows}
        content = {"asset": {"version": "2.0", "generator": "spacefmu"}, "scene": 0, "scenes": [{"nodes": [root]}]}
        content |= tables | {"buffers": [{"byteLength": len(self.data)}]}
        text = json.dumps(content, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        data = bytes(self.data) + b"\0" * (-len(self.data) % 4)
        chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x004E4942) + data
        return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks


class Animation:
    """Channels of one motion: which data move which node."""

    def __init__(self, writer: Writer, name: str, time: np.ndarray):
        self.writer, self.name = writer, name
        single = np.asarray(time, np.float32)
        self.kept = np.append(
            np.diff(single) > 0.0, True
        )  # instants must increase: of the two at an event, the later one is used
        self.time = writer.numbers(single[self.kept, None], bounds=True)
        self.samplers: list[dict] = []
        self.channels: list[dict] = []

    def move(self, node: int, path: str, values: np.ndarray) -> None:
        """path: translation, rotation (x, y, z, w), scale or weights; values: one row per frame."""
        values = values[self.kept]
        output = self.writer.numbers(values.reshape(-1, 1) if path == "weights" else values)
        self.samplers.append({"input": self.time, "output": output, "interpolation": "LINEAR"})
        self.channels.append({"sampler": len(self.samplers) - 1, "target": {"node": node, "path": path}})

    def write(self) -> None:
        self.writer.add("animations", {"name": self.name, "samplers": self.samplers, "channels": self.channels})


def glb(scene: DrawnScene, motions: Mapping[str, DrawnMotion], lines: bool = False, every_mode: bool = False) -> bytes:
    """The file of a scene with its motions by name. lines: also draw edges of bodies and cells of panels, for readers that support more
    than triangles. every_mode: also keep modes that no motion here excites, for motion from elsewhere.
    """
    writer = Writer()
    root = writer.node("scene", rotation=list(Z_UP))
    first = next(iter(motions.values()))
    seen = [
        np.arange(scene.picture.bodies[i].modes)
        if every_mode
        else _seen_modes(own, [motion.amplitudes[i] for motion in motions.values()])
        for i, own in enumerate(scene.bodies)
    ]
    bodies = [_body(writer, scene, first, i, root, seen[i], lines) for i in range(len(scene.bodies))]
    plumes = _nozzles(writer, scene, [body for body, _ in bodies])
    liquids = _liquids(writer, scene, first, [body for body, _ in bodies])
    cables = _lines(writer, scene, first, root)
    for name, motion in motions.items():
        animation = Animation(writer, name, motion.time)
        for i, (node, bending) in enumerate(bodies):
            animation.move(node, "translation", motion.positions[:, i])
            animation.move(node, "rotation", _xyzw(motion.quaternions[:, i]))
            for mesh in bending:
                animation.move(mesh, "weights", motion.amplitudes[i][:, seen[i]])
        for plume, thrust in zip(plumes, motion.thrust.T, strict=True):
            animation.move(plume, "scale", np.repeat(np.maximum(thrust, NOTHING)[:, None], 3, axis=1))
        for liquid, fills in zip(liquids, motion.fills.T, strict=True):
            animation.move(liquid, "weights", at_level(fills))
        for segments, points in zip(cables, motion.lines, strict=True):
            longest = float(np.linalg.norm(points[:, -1] - points[:, 0], axis=1).max())
            _stretch(animation, segments, points, THIN * max(scene.size, longest))
        animation.write()
    return writer.glb(root)


def _seen_modes(meshes: tuple[Mesh, ...], amplitudes: list[np.ndarray]) -> np.ndarray:
    """Indices of the modes that move a body by more than a thousandth of the largest motion by a mode, over all motions: others are
    invisible next to it at any magnification."""
    shapes = np.max([np.abs(mesh.modes).max(axis=(1, 2), initial=0.0) for mesh in meshes], axis=0) if meshes else 1.0
    moved = shapes * np.max([np.abs(own).max(axis=0) for own in amplitudes], axis=0)
    return np.flatnonzero(moved >= UNSEEN * moved.max(initial=0.0))


def _body(
    writer: Writer, scene: DrawnScene, motion: DrawnMotion, i: int, root: int, modes: np.ndarray, lines: bool
) -> tuple[int, list[int]]:
    """The node of a body, and those of its meshes that bend."""
    seen = scene.picture.bodies[i]
    place = {"translation": motion.positions[0, i].tolist(), "rotation": _xyzw(motion.quaternions[:1, i])[0].tolist()}
    node = writer.child(root, writer.node(f"body {seen.name}", **place))
    bending = []
    for number, mesh in enumerate(scene.bodies[i], 1):
        ink = writer.material(mesh.ink, name="ink") if lines else None
        mesh = replace(mesh, modes=mesh.modes[modes])
        drawn = writer.mesh(mesh, writer.material(mesh.color, mesh.opacity), ink)
        own = writer.child(node, writer.node(f"{seen.name} {number}", mesh=drawn))
        if len(mesh.modes):
            bending.append(own)
    return node, bending


def _nozzles(writer: Writer, scene: DrawnScene, bodies: list[int]) -> list[int]:
    """Nozzles and plumes on their bodies; returns the plumes' nodes."""
    plumes = []
    for jet, nozzle in zip(scene.picture.jets, scene.nozzles, strict=True):
        bell, plume = nozzle_meshes(nozzle)
        place = {"translation": nozzle.place.tolist(), "rotation": _xyzw(_from_z(nozzle.away[None]))[0].tolist()}
        holder = writer.child(bodies[nozzle.body], writer.node(f"nozzle {jet.name}", **place))
        writer.child(holder, writer.node(f"bell {jet.name}", mesh=writer.mesh(bell, writer.material(bell.color))))
        drawn = writer.mesh(plume, writer.material(plume.color, plume.opacity))
        off = [NOTHING] * 3
        plumes.append(writer.child(holder, writer.node(f"plume {jet.name}", mesh=drawn, scale=off)))
    return plumes


def _liquids(writer: Writer, scene: DrawnScene, motion: DrawnMotion, bodies: list[int]) -> list[int]:
    """The liquid of each tank, as the motion has it at first; gives their nodes."""
    found = []
    for liquid, fill in zip(scene.liquids, motion.fills[0], strict=True):
        drawn = writer.mesh(liquid.mesh, writer.material(liquid.mesh.color, liquid.mesh.opacity))
        writer.tables["meshes"][drawn]["weights"] = at_level(np.array([fill]))[0].tolist()
        name = scene.picture.bodies[liquid.body].name
        found.append(writer.child(bodies[liquid.body], writer.node(f"liquid {name}", mesh=drawn)))
    return found


def _lines(writer: Writer, scene: DrawnScene, motion: DrawnMotion, root: int) -> list[list[int]]:
    """The segments of every line, each a cylinder of unit length and radius."""
    lines = []
    for line, points in zip(scene.picture.lines, motion.lines, strict=True):
        holder = writer.child(root, writer.node(f"line {line.name}"))
        mesh = writer.mesh(
            cylinder(1.0, 1.0, grid=1, around=8), writer.material(LINE[line.sort], name=f"line {line.name}")
        )
        lines.append(
            [writer.child(holder, writer.node(f"{line.name} {s}", mesh=mesh)) for s in range(1, points.shape[1])]
        )
    return lines


def _stretch(animation: Animation, segments: list[int], points: np.ndarray, radius: float) -> None:
    """Cylinders from point to point (n, P, 3)."""
    for s, node in enumerate(segments):
        a, b = points[:, s], points[:, s + 1]
        span = b - a
        length = np.linalg.norm(span, axis=1)
        animation.move(node, "translation", 0.5 * (a + b))
        animation.move(node, "rotation", _xyzw(_from_z(span / np.maximum(length, 1e-12)[:, None])))
        thick = np.full_like(length, radius)
        animation.move(node, "scale", np.column_stack([thick, thick, np.maximum(length, 1e-6)]))


def _from_z(directions: np.ndarray) -> np.ndarray:
    """Quaternions (n, 4) that turn z to unit vectors (n, 3): (1 + z·d, z × d), normalized."""
    w = 1.0 + directions[:, 2]
    q = np.column_stack([w, -directions[:, 1], directions[:, 0], np.zeros(len(w))])
    q[w < 1e-9] = (0.0, 1.0, 0.0, 0.0)
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def _xyzw(quaternions: np.ndarray) -> np.ndarray:
    """glTF has the scalar last."""
    return np.roll(quaternions, -1, axis=1)
