"""Prescribed motions of an inverse problem: paths of nodes and joints by formulas, tables or inputs → tasks."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np

from ..algebra.rotation import dcm_quaternion
from ..bodies.body import plain_node
from ..inverse.paths import FormulaPath, InputPath
from ..inverse.spline import spline_through
from ..inverse.start import node_at_start
from ..inverse.tasks import JointAxis, NodeAttitude, NodePosition
from ..joints.forces import AxesForces
from ..spacecraft.motion import Dynamics
from .errors import Problems, show
from .formula import Names, make_formula
from .inverse_drives import joint_and_axis

MOST_WAYPOINTS = 200
QUANTITIES = {
    "position": (("position", "velocity", "acceleration"), ("m", "m/s", "m/s2")),
    "attitude": (("rotation", "rotation_rate", "rotation_acceleration"), ("rad", "rad/s", "rad/s2")),
    "angle": (("angle", "rate", "angular_acceleration"), ("rad", "rad/s", "rad/s2")),
}


def find_body(craft, path, name, problems: Problems) -> int | None:
    names = [link.body.name for link in craft.tree.links]
    if name not in names:
        problems.unknown(path, name, names, "body")
        return None
    return names.index(name)


def frame_of(craft, body: int):
    return plain_node("frame", np.zeros(3), craft.tree.links[body].body.modes)


def make_task(name, entry, dynamics: Dynamics, problems: Problems, folder: Path):
    path, craft = f"inverse.paths.{name}", dynamics.craft
    if (entry.node is None) == (entry.joint is None):
        problems.found.append(
            f"{path} names {'both' if entry.node else 'neither'} a node {'and' if entry.node else 'nor'} a joint, expected one of them"
        )
        return None
    if entry.joint is not None:
        return _joint_task(path, entry, craft, problems, folder)
    body_name, _, node_name = entry.node.partition(".")
    body = find_body(craft, f"{path}.node", body_name, problems)
    if body is None:
        return None
    nodes = craft.tree.links[body].body.nodes
    if node_name and node_name != "frame" and node_name not in nodes:
        problems.unknown(f"{path}.node", node_name, nodes, f"node of body {body_name}")
        return None
    node = nodes[node_name] if node_name and node_name != "frame" else frame_of(craft, body)
    body = body + node.link
    start = _node_start(dynamics, body, node, entry.follows)
    quantities, units = QUANTITIES[entry.follows]
    if entry.follows == "attitude":
        if "along" in entry.model_fields_set:
            problems.add(f"{path}.along", entry.along, "nothing: an attitude is prescribed as a whole")
        given = _path(path, entry, 3, InputPath(entry.node, quantities, units, _rows(start)), problems, folder)
        return NodeAttitude(entry.node, body, node, given)
    along = tuple("xyz".index(letter) for letter in entry.along)
    if len(set(along)) < len(along):
        problems.add(f"{path}.along", entry.along, "each axis once")
    by_inputs = InputPath(entry.node, quantities, units, _rows(start[:, list(along)]))
    return NodePosition(entry.node, body, node, _path(path, entry, len(along), by_inputs, problems, folder), along)


def _node_start(dynamics: Dynamics, body, node, follows):
    """(2, 3): value and rate of a node at the start, relative to the frame of the roots."""
    position, velocity, dcm, omega = node_at_start(dynamics, body, node)
    if follows == "position":
        return np.array([position, velocity])
    q = dcm_quaternion(dcm)
    size = float(np.linalg.norm(q[1:]))
    turn = 2.0 * np.arctan2(size, q[0]) * q[1:] / size if size > 0.0 else np.zeros(3)
    return np.array([turn, omega])


def _rows(array) -> tuple:
    return tuple(tuple(float(value) for value in row) for row in array)


def _joint_task(path, entry, craft, problems: Problems, folder: Path):
    name, number = joint_and_axis(entry.joint)
    by_name = {joint.name: i for i, joint in enumerate(craft.joints)}
    i = by_name.get(name)
    if i is None:
        problems.unknown(f"{path}.joint", name, by_name, "joint")
        return None
    joint = craft.joints[i]
    axes = joint.forces.axes if isinstance(joint.forces, AxesForces) else ()
    axis = int(number or 1) - 1
    if axis >= len(axes) or (number is None and len(axes) > 1):
        problems.add(f"{path}.joint", entry.joint, f"an axis of joint {name}, which has {len(axes)}")
        return None
    slides = axes[axis].kind.coordinate == "position"
    quantities, units = QUANTITIES["position" if slides else "angle"]
    label = f"{name}.axis[{number}]" if number else name
    start = np.array([[joint.q0[axis]], [joint.v0[axis]]])
    given = _path(path, entry, 1, InputPath(label, quantities, units, _rows(start)), problems, folder)
    tree = craft.tree
    return JointAxis(label, tree.joint_q[i].start + axis, tree.joint_v[i].start + axis, given, units[0])


def _path(path, entry, rows: int, by_inputs: InputPath, problems: Problems, folder: Path):
    if entry.formula is not None and entry.table is not None:
        problems.found.append(f"{path} has a formula and a table, expected one of them")
    elif entry.formula is not None:
        if len(entry.formula) != rows:
            problems.add(f"{path}.formula", entry.formula, f"{rows} formula{'s' if rows > 1 else ''} of time")
            return by_inputs
        names = Names({"time": 0.0}, ())
        return FormulaPath(
            tuple(
                make_formula(f"{path}.formula[{i}]", text, names, problems) for i, text in enumerate(entry.formula, 1)
            )
        )
    elif entry.table is not None:
        try:
            times, values = read_waypoints(folder / entry.table, rows)
        except ValueError as error:
            problems.found.append(f"{path}.table {entry.table} {error}")
            return by_inputs
        return spline_through(times, values)
    return by_inputs


def _lines(file: Path) -> list[tuple[int, list[str]]]:
    """(number, cells) of the lines of a CSV file that are not empty."""
    try:
        every = list(csv.reader(io.StringIO(file.read_bytes().decode("utf-8-sig"))))
    except FileNotFoundError:
        raise ValueError("does not exist; paths are relative to the description") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"can't be read: {error}") from None
    return [(number, line) for number, line in enumerate(every, 1) if any(cell.strip() for cell in line)]


def _numbers(number: int, line: list[str], count: int) -> list[float]:
    try:
        values = [float(cell) for cell in line]
    except ValueError:
        raise ValueError(f"has {show(line)} in line {number}, expected {count} numbers") from None
    if len(line) != count or not np.all(np.isfinite(values)):
        raise ValueError(f"has {show(line)} in line {number}, expected {count} finite numbers")
    return values


def read_waypoints(file: Path, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """times (n,) and values (n, rows) of a CSV file: a header, the first column is time. `ValueError` ends a sentence."""
    lines = _lines(file)
    if not lines or len(lines[0][1]) != rows + 1 or lines[0][1][0].strip() != "time":
        raise ValueError(
            f"begins with {show(lines[0][1] if lines else '')}, expected a header of time and {rows} columns"
        )
    table = [_numbers(number, line, rows + 1) for number, line in lines[1:]]
    times = np.array([row[0] for row in table])
    if not 2 <= len(table) <= MOST_WAYPOINTS or np.any(np.diff(times) <= 0.0):
        raise ValueError(f"has {len(table)} waypoints, expected 2 to {MOST_WAYPOINTS} with increasing times")
    return times, np.array([row[1:] for row in table])
