"""The motion of a scene: places of all bodies, lines and jets over time, recomputed from the columns of a result.

Columns are found by name; `prefix` precedes the names in results of a system of FMUs (plant.hub.position). Variables that a result lacks
keep their start values; `missing` lists them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from spacefmu.dynamics.algebra.rotation import axis_angle_quaternion, quaternion_product
from spacefmu.dynamics.picture.picture import Line, Picture, Placed, Vessel

from ..results.names import array_name
from ..results.origin import connections_of
from ..results.table import Result

FRAMES = 600  # shown per run
FAR = 1e5  # [m] from the frame's origin: beyond, places are shown relative to the first body
SPAN = 13  # points of a cable
SLOW = 0.4  # largest turn of a wheel between two frames [rad]: faster wheels are shown slower
ARROWS = {"momentum": "system.momentum", "angular momentum": "system.angular_momentum"}  # in axes of N


@dataclass(frozen=True)
class DrawnMotion:
    """n frames of a scene with B bodies, L lines, J jets; places in axes of the frame S.

    time (n,) [s]; positions (n, B, 3); quaternions (n, B, 4), scalar first; amplitudes of each body's modes (n, N);
    lines: points (n, P, 3) of each; tension (n, L) [N]; taut (n, L); thrust (n, J), relative to the largest of the run; fills (n, T) of tanks;
    slowed: how many times slower wheels are shown; arrows: vectors (n, 3) by name; trails: places (n, 3) of nodes by name, and
    guided: those whose path was given; planet (n, 3): its centre, or None;
    attitude (n, 4) of S to N; missing: sentences on what is not in the result.
    """

    time: np.ndarray
    positions: np.ndarray
    quaternions: np.ndarray
    amplitudes: tuple[np.ndarray, ...]
    lines: tuple[np.ndarray, ...]
    tension: np.ndarray
    taut: np.ndarray
    thrust: np.ndarray
    fills: np.ndarray
    slowed: float
    arrows: dict[str, np.ndarray]
    trails: dict[str, np.ndarray]
    guided: tuple[str, ...]
    planet: np.ndarray | None
    attitude: np.ndarray
    missing: tuple[str, ...] = ()


class _Columns:
    """Values over time by name: a column of the result, that of the output which an input followed, a value that was set, or None."""

    def __init__(self, picture: Picture, result: Result, frames: np.ndarray, prefix: str, values: Mapping[str, float]):
        groups = ("states", "inputs", "parameters", "discretes")
        starts = {entry.name: entry.start for group in groups for entry in getattr(picture.coordinates, group)}
        self.at = {name.removeprefix(prefix): i for i, name in enumerate(result.names) if name.startswith(prefix)}
        shown = result.values[frames]
        self.table = np.where(np.isfinite(shown), shown, 0.0)  # nothing is drawn in a gap: no force, no arrow
        self.values = {**starts, **values}
        for given, value in values.items():  # the name of an array sets all of its elements
            self.values |= {name: value for name in starts if array_name(name) == given}
        known = {name: i for i, name in enumerate(result.names)}
        for name, (output, factor) in connections_of(result.origin).items():
            own = name.removeprefix(prefix)
            if name.startswith(prefix) and output in known and own not in self.at:
                self.at[own] = self.table.shape[1]
                self.table = np.column_stack([self.table, factor * self.table[:, known[output]]])
        self.count = len(frames)

    def __contains__(self, name: str) -> bool:
        return name in self.at

    def get(self, name: str, otherwise: float = 0.0) -> np.ndarray:
        if name in self.at:
            return self.table[:, self.at[name]]
        return np.full(self.count, float(self.values.get(name, otherwise)))

    def rows(self, entries) -> np.ndarray:
        """(n, m) of entries of a signal table."""
        return np.array([self.get(entry.name) for entry in entries]).reshape(-1, self.count).T

    def vector(self, name: str) -> np.ndarray | None:
        names = [f"{name}[{i}]" for i in (1, 2, 3)]
        return (
            np.array([self.table[:, self.at[each]] for each in names]).T if all(n in self.at for n in names) else None
        )


def frames_of(time: np.ndarray, most: int = FRAMES) -> np.ndarray:
    """Indices of the instants that are shown: all, or evenly spaced ones."""
    return np.unique(np.linspace(0, len(time) - 1, min(len(time), most)).round().astype(int))


def still(picture: Picture) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x, u, p of the start, as far as the description defines it."""
    table = picture.coordinates
    x, u, p = (np.array(table.starts(group)) for group in ("states", "inputs", "parameters"))
    return x, u, p


def motion_of(
    picture: Picture, result: Result, prefix: str = "", values: Mapping[str, float] | None = None
) -> DrawnMotion:
    """The motion in a result. values: parameters that were set for the run."""
    frames = frames_of(result.time)
    columns = _Columns(picture, result, frames, prefix, values or {})
    table = picture.coordinates
    x, u, p = (columns.rows(getattr(table, group)) for group in ("states", "inputs", "parameters"))
    time = result.time[frames]
    placed = [picture.place(*instant) for instant in zip(time, x, u, p, strict=True)]
    missing = []
    absent = [name for name in picture.moved_by if name not in columns]
    if absent:
        few = ", ".join(absent[:3]) + (" …" if len(absent) > 3 else "")
        missing.append(f"the result has no {prefix}{few}: parts that depend on it are drawn as at the start")
    return moved(picture, time, placed, columns, tuple(missing))


def moved(picture: Picture, time, placed: list[Placed], columns: _Columns | None, missing=()) -> DrawnMotion:
    """The motion through known places; columns: further data to show, or None."""
    positions = np.array([each.positions for each in placed])
    dcms = np.array([each.dcms for each in placed])
    quaternions = np.array([_unbroken(quaternions_of(dcms[:, i])) for i in range(dcms.shape[1])])
    ends = np.array([each.ends for each in placed])
    dcm_SN = np.array([each.dcm_NS.T for each in placed])
    shift = np.zeros((len(placed), 3))
    planet = None
    if picture.planet and placed[0].origin is not None:
        if np.abs(positions[:, 0]).max() > FAR:
            shift = positions[:, 0].copy()
        planet = -np.array([each.dcm_NS.T @ each.origin for each in placed]) - shift
    elsewhere = tuple(dict.fromkeys(unit for each in placed for unit in each.elsewhere))
    lines, tension, taut, short = [], [], [], []
    for i, line in enumerate(picture.lines):
        points, lacks = _points(line, ends[:, i], None if line.name.startswith(elsewhere) else columns, dcm_SN)
        lines.append(points - shift[:, None])
        short += lacks
        tension.append(_column(columns, line.tension, len(placed)))
        taut.append(_column(columns, line.taut, len(placed), 1.0))
    thrust = np.array([_column(columns, jet.force, len(placed)) for jet in picture.jets]).reshape(-1, len(placed)).T
    fills = [_fill(picture, body.vessel, columns, len(placed)) for body in picture.bodies if body.vessel is not None]
    slowed = _turn_wheels(picture, time, columns, quaternions)
    trails = _trails(picture, shift, columns, elsewhere)
    return DrawnMotion(
        time=np.asarray(time, float),
        positions=positions - shift[:, None],
        quaternions=quaternions.swapaxes(0, 1),
        amplitudes=tuple(np.array(own) for own in zip(*(each.amplitudes for each in placed), strict=True)),
        lines=tuple(lines),
        tension=np.array(tension).reshape(-1, len(placed)).T,
        taut=np.array(taut).reshape(-1, len(placed)).T,
        thrust=np.abs(thrust) / max(np.abs(thrust).max(initial=0.0), 1e-300),
        fills=np.array(fills).reshape(-1, len(placed)).T,
        slowed=slowed,
        arrows=_arrows(picture, placed, columns),
        trails=trails,
        guided=tuple(name for name in trails if columns is not None and f"{name}.path.position_error[1]" in columns),
        planet=planet,
        attitude=_unbroken(quaternions_of(np.array([each.dcm_NS for each in placed]))),
        missing=(*missing, *short),
    )


def _column(columns: _Columns | None, name: str, count: int, otherwise: float = 0.0) -> np.ndarray:
    return np.full(count, otherwise) if columns is None or not name else columns.get(name, otherwise)


def _fill(picture: Picture, vessel: Vessel, columns: _Columns | None, count: int) -> np.ndarray:
    """(n,) of a tank: by its output, or by its propellant; without a result as at the start."""
    if columns is None:
        starts = {
            e.name: float(e.start) for group in ("states", "parameters") for e in getattr(picture.coordinates, group)
        }
        return np.full(count, starts[vessel.propellant] / starts[vessel.capacity])
    if vessel.fill in columns:
        return columns.get(vessel.fill)
    return columns.get(vessel.propellant) / np.maximum(columns.get(vessel.capacity), 1e-300)


def quaternions_of(dcms: np.ndarray) -> np.ndarray:
    """Quaternions (n, 4) of rotation matrices (n, 3, 3), up to their sign: spacefmu.dynamics.algebra.rotation.dcm_quaternion for many at a time.

    4 q qᵀ is known from the matrix; its row with the largest diagonal gives q.
    """
    d = np.moveaxis(dcms, 0, 2)
    x, y, z = d[2, 1] - d[1, 2], d[0, 2] - d[2, 0], d[1, 0] - d[0, 1]
    xy, xz, yz = d[0, 1] + d[1, 0], d[0, 2] + d[2, 0], d[1, 2] + d[2, 1]
    squares = 1.0 + np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) @ np.array([d[0, 0], d[1, 1], d[2, 2]])
    rows = np.array([[squares[0], x, y, z], [x, squares[1], xy, xz], [y, xy, squares[2], yz], [z, xz, yz, squares[3]]])
    q = rows[squares.argmax(axis=0), :, np.arange(len(dcms))]
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def _unbroken(quaternions: np.ndarray) -> np.ndarray:
    """The same attitudes (n, 4) with continuous signs."""
    turns = np.sum(quaternions[1:] * quaternions[:-1], axis=1) < 0.0
    signs = np.concatenate([[1.0], np.cumprod(np.where(turns, -1.0, 1.0))])
    return quaternions * signs[:, None]


def _points(line: Line, ends: np.ndarray, columns: _Columns | None, dcm_SN) -> tuple[np.ndarray, list[str]]:
    """Points (n, P, 3) along a line with ends (n, 2, 3): its beads; for a slack cable an arc of its length, in an arbitrary direction;
    else straight."""
    a, b = ends[:, 0], ends[:, 1]
    if line.sort != "cable":
        return ends, []
    lacks = []
    if line.beads and columns is not None:
        beads = sorted((n for n in columns.at if n.startswith(f"{line.beads}[")), key=_indices)
        if beads:
            inner = np.array([columns.table[:, columns.at[n]] for n in beads]).T.reshape(len(a), -1, 3)
            inner = np.einsum("nij,npj->npi", dcm_SN, inner)
            return np.concatenate([a[:, None], inner, b[:, None]], axis=1), []
        lacks.append(f"the result has no {line.beads}: {line.name} is drawn without its beads")
    along = np.linspace(0.0, 1.0, SPAN)[None, :, None]
    straight = (1.0 - along) * a[:, None] + along * b[:, None]
    span = b - a
    distance = np.linalg.norm(span, axis=1)
    length = distance if columns is None or not line.length else columns.get(line.length)
    spare = np.maximum(length - distance, 0.0)
    # a parabola of sag s on a span D is longer than it by (8/3) s²/D
    sag = np.minimum(np.sqrt(0.375 * spare * np.maximum(length, distance)), 0.5 * np.maximum(length, distance))
    down = np.cross(span, np.cross(span, [0.0, 0.0, 1.0]))
    size = np.linalg.norm(down, axis=1, keepdims=True)
    down = np.where(size > 1e-9, down / np.maximum(size, 1e-9), [1.0, 0.0, 0.0])
    return straight + (sag[:, None, None] * 4.0 * along * (1.0 - along)) * down[:, None], lacks


def _indices(name: str) -> tuple[int, ...]:
    return tuple(int(part) for part in name[name.rindex("[") + 1 : -1].split(","))


def _turn_wheels(picture: Picture, time, columns: _Columns | None, quaternions: np.ndarray) -> float:
    """Turns wheels (quaternions (B, n, 4)) by angles integrated from their speeds; returns how many times slower they are shown."""
    turns = []  # number of a wheel, its axis, its angles (n,) [rad]
    for i, body in enumerate(picture.bodies):
        if body.spin is not None and columns is not None:
            axis, _, name = body.spin
            speed = columns.get(name)
            turns.append((i, axis, np.append(0.0, np.cumsum(0.5 * (speed[1:] + speed[:-1]) * np.diff(time)))))
    slowed = max([1.0, *(np.abs(np.diff(angle)).max(initial=0.0) / SLOW for _, _, angle in turns)])
    for i, axis, angle in turns:
        turned = [axis_angle_quaternion(axis, each / slowed) for each in angle]
        quaternions[i] = [quaternion_product(q, turn) for q, turn in zip(quaternions[i], turned, strict=True)]
    return slowed


def _trails(picture: Picture, shift: np.ndarray, columns: _Columns | None, elsewhere) -> dict[str, np.ndarray]:
    """Places of the nodes of bodies, (n, 3) in S each, as far as the result has them in S."""
    found: dict[str, np.ndarray] = {}
    if columns is None:
        return found
    for name in columns.at:
        node = name.removesuffix(".position[1]")
        if (
            node != name
            and not node.startswith(elsewhere)
            and any(node.startswith(f"{body.name}.") for body in picture.bodies)
        ):
            places = columns.vector(f"{node}.position")
            if places is not None:
                found[node] = places - shift
    return found


def _arrows(picture: Picture, placed: list[Placed], columns: _Columns | None) -> dict[str, np.ndarray]:
    """Vectors over time (n, 3), in S: momenta, the first body's velocity, the direction to the Sun."""
    found = {}
    dcm_SN = np.array([each.dcm_NS.T for each in placed])
    if columns is not None:
        for name, quantity in ARROWS.items():
            vector = columns.vector(quantity)
            if vector is not None:
                found[name] = np.einsum("nij,nj->ni", dcm_SN, vector)
        velocity = columns.vector(f"{picture.bodies[0].name}.velocity")
        if velocity is not None:
            found["velocity"] = velocity
    if placed[0].sun is not None:
        found["Sun"] = np.array([each.sun for each in placed])
    return {name: vector for name, vector in found.items() if np.abs(vector).max() > 1e-12}
