"""The table of an inverse problem → the craft without the drives that are looked for, tasks and actuators."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..bodies.body import plain_node
from ..inverse.aims import Aim
from ..inverse.paths import FormulaPath, InputPath
from ..inverse.route import Problem
from ..inverse.spline import spline_through
from ..inverse.stability import runaway_modes
from ..inverse.start import node_at_start
from ..inverse.system import GivenMotion, OffPath, inverse_system, started_on_path
from ..inverse.tasks import JointAxis, NodeAttitude, NodePosition, NoTurn
from ..joints.forces import AxesForces, BallForces
from ..rotation import dcm_quaternion
from ..spacecraft import Spacecraft
from ..system import System
from .errors import Problems, show
from .formula import Names, make_formula

AXIS = re.compile(r"([^\[\]]+)(?:\[([1-9])\])?")
MOST_WAYPOINTS = 200
QUANTITIES = {
    "position": (("position", "velocity", "acceleration"), ("m", "m/s", "m/s2")),
    "attitude": (("rotation", "rotation_rate", "rotation_acceleration"), ("rad", "rad/s", "rad/s2")),
    "angle": (("angle", "rate", "angular_acceleration"), ("rad", "rad/s", "rad/s2")),
}


def make_inverse(craft: Spacecraft, table, problems: Problems, folder: Path) -> System | None:
    """The System of the inverse problem, or None with all that is wrong in `problems`."""
    entry = table.inverse
    _refuse_what_it_cannot_hold(craft, problems)
    actuated, forces, craft = _actuators(craft, entry, problems)
    if problems.found:
        return None
    tasks = [_task(name, path, craft, problems, folder) for name, path in entry.paths.items()]
    if entry.still is not None:
        body = _body(craft, "inverse.still", entry.still, problems)
        tasks += [] if body is None else [NoTurn(entry.still, body, _frame(craft, body))]
    if problems.found:
        return None
    rows = sum(task.rows for task in tasks)
    aim = None
    if entry.redundancy is not None and rows < len(actuated):
        aim = _aim(craft, entry.redundancy, actuated, problems)
    elif rows != len(actuated):
        wanted = f"{len(actuated)} given motions, or fewer and a table inverse.redundancy"
        problems.found.append(
            f"inverse has {rows} given motions (a node's position or attitude is three, or as many as it is given along) for {len(actuated)} drives, expected {wanted}"
        )
    if problems.found:
        return None
    try:
        given = started_on_path(GivenMotion(craft, Problem(tuple(tasks), actuated, entry.correction, aim), forces))
    except OffPath as error:
        problems.found.append(f"inverse: {error}")
        return None
    system = inverse_system(given)
    growth = runaway_modes(system, craft)
    if growth:
        problems.found.append(
            f"inverse: the modes of {growth[0]} run away along these paths, at {growth[1]:.3g} 1/s (the path's place is not where the drives "
            "act, and the bending between them answers the wrong way at first), expected a path of a place nearer the drives, or a rigid body"
        )
    return system


def _refuse_what_it_cannot_hold(craft: Spacecraft, problems: Problems) -> None:
    for coupling in craft.couplings:
        problems.found.append(f"inverse: {coupling.name} closes a loop or pulls, expected a tree of joints alone")
    for joint in craft.joints:
        if joint.forces.prescribed:
            problems.found.append(
                f"inverse: the motion of joint {joint.name} is driven already, expected it among inverse.paths"
            )
        if joint.forces.stops:
            problems.found.append(f"inverse: joint {joint.name} has stops, expected joints without")
        if joint.forces.locks:
            problems.found.append(f"inverse: joint {joint.name} can lock, expected joints that do not")


def _actuators(craft: Spacecraft, entry, problems: Problems):
    """(speeds, (name, description, unit) of each force, the craft without these drives)."""
    wanted = entry.actuators or [joint.name for joint in craft.joints if _driven(joint.forces)]
    if not wanted:
        problems.found.append("inverse has no drive to look for, expected inverse.actuators, or joints with a drive")
    speeds, forces, joints = [], [], list(craft.joints)
    by_name = {joint.name: i for i, joint in enumerate(joints)}
    for text in wanted:
        name, number = (AXIS.fullmatch(text) or re.fullmatch(r"(.*)()", text)).groups()
        i = by_name.get(name)
        if i is None:
            problems.unknown("inverse.actuators", name, by_name, "joint or free body")
            continue
        axes, described, joints[i] = _freed(craft, i, joints[i], int(number) if number else None)
        if axes is None:
            problems.add("inverse.actuators", text, f"an axis of joint {name}")
            continue
        speeds += [craft.tree.joint_v[i].start + axis for axis in axes]
        forces += described
    if len(set(speeds)) < len(speeds):
        problems.add("inverse.actuators", wanted, "every axis once")
    return tuple(speeds), tuple(forces), replace(craft, joints=tuple(joints))


def _driven(forces) -> bool:
    if isinstance(forces, BallForces):
        return forces.driven
    return isinstance(forces, AxesForces) and any(axis.law.drive == "force" for axis in forces.axes)


def _freed(craft, i, joint, number: int | None):
    """Axes of a joint that are looked for, the names of their forces, and the joint without those drives."""
    forces, count = joint.forces, craft.tree.links[i].joint.nv
    if isinstance(forces, BallForces) and number is None:
        rows = [
            (f"{joint.name}.torque[{a}]", f"torque of {joint.name} that the paths take, in the child's axes", "N.m")
            for a in (1, 2, 3)
        ]
        return [0, 1, 2], rows, replace(joint, forces=replace(forces, driven=False))
    if isinstance(forces, AxesForces) and count:
        axes = [number - 1] if number else [a for a, axis in enumerate(forces.axes)]
        if max(axes) >= count:
            return None, None, joint
        rows = []
        for a in axes:
            axis = forces.axes[a]
            text = f"drive of {joint.name} that the paths take: on the child, its reaction on the parent"
            rows.append((axis.called(axis.kind.force), text, axis.kind.force_unit))
        kept = tuple(
            replace(axis, law=replace(axis.law, drive="none")) if a in axes else axis
            for a, axis in enumerate(forces.axes)
        )
        return axes, rows, replace(joint, forces=AxesForces(kept))
    if count == 6 and number is None:
        rows = [
            (
                f"{joint.name}.required_{what}[{a}]",
                f"{what} on {joint.name}'s frame that the paths take, in {axes}",
                unit,
            )
            for what, unit, axes in (("force", "N", "the axes of its position"), ("torque", "N.m", "its own axes"))
            for a in (1, 2, 3)
        ]
        return list(range(6)), rows, joint
    return None, None, joint


def _body(craft, path, name, problems: Problems) -> int | None:
    names = [link.body.name for link in craft.tree.links]
    if name not in names:
        problems.unknown(path, name, names, "body")
        return None
    return names.index(name)


def _frame(craft, body: int):
    return plain_node("frame", np.zeros(3), craft.tree.links[body].body.modes)


def _task(name, entry, craft, problems: Problems, folder: Path):
    path = f"inverse.paths.{name}"
    if (entry.node is None) == (entry.joint is None):
        problems.found.append(
            f"{path} names {'both' if entry.node else 'neither'} a node {'and' if entry.node else 'nor'} a joint, expected one of them"
        )
        return None
    if entry.joint is not None:
        return _joint_task(path, entry, craft, problems, folder)
    body_name, _, node_name = entry.node.partition(".")
    body = _body(craft, f"{path}.node", body_name, problems)
    if body is None:
        return None
    nodes = craft.tree.links[body].body.nodes
    if node_name and node_name != "frame" and node_name not in nodes:
        problems.unknown(f"{path}.node", node_name, nodes, f"node of body {body_name}")
        return None
    node = nodes[node_name] if node_name and node_name != "frame" else _frame(craft, body)
    start = _node_start(craft, body, node, entry.follows)
    quantities, units = QUANTITIES[entry.follows]
    if entry.follows == "attitude":
        if "along" in entry.model_fields_set:
            problems.add(f"{path}.along", entry.along, "nothing: an attitude is given as a whole")
        given = _path(path, entry, 3, InputPath(entry.node, quantities, units, _rows(start)), problems, folder)
        return NodeAttitude(entry.node, body, node, given)
    along = tuple("xyz".index(letter) for letter in entry.along)
    if len(set(along)) < len(along):
        problems.add(f"{path}.along", entry.along, "each axis once")
    by_inputs = InputPath(entry.node, quantities, units, _rows(start[:, list(along)]))
    return NodePosition(entry.node, body, node, _path(path, entry, len(along), by_inputs, problems, folder), along)


def _node_start(craft, body, node, follows):
    """(2, 3): value and rate of a node at the start, relative to the frame of the roots."""
    position, velocity, dcm, omega = node_at_start(craft, body, node)
    if follows == "position":
        return np.array([position, velocity])
    q = dcm_quaternion(dcm)
    size = float(np.linalg.norm(q[1:]))
    turn = 2.0 * np.arctan2(size, q[0]) * q[1:] / size if size > 0.0 else np.zeros(3)
    return np.array([turn, omega])


def _rows(array) -> tuple:
    return tuple(tuple(float(value) for value in row) for row in array)


def _joint_task(path, entry, craft, problems: Problems, folder: Path):
    name, number = (AXIS.fullmatch(entry.joint) or re.fullmatch(r"(.*)()", entry.joint)).groups()
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


def read_waypoints(file: Path, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """times (n,) and values (n, rows) of a CSV file: a header, the first column is time. `ValueError` ends a sentence."""
    try:
        lines = list(csv.reader(io.StringIO(file.read_bytes().decode("utf-8-sig"))))
    except FileNotFoundError:
        raise ValueError("does not exist, expected a file beside the description") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"can't be read: {error}") from None
    lines = [(number, line) for number, line in enumerate(lines, 1) if any(cell.strip() for cell in line)]
    if not lines or len(lines[0][1]) != rows + 1 or lines[0][1][0].strip() != "time":
        raise ValueError(
            f"begins with {show(lines[0][1] if lines else '')}, expected a header of time and {rows} columns"
        )
    table = []
    for number, line in lines[1:]:
        try:
            table.append([float(cell) for cell in line])
        except ValueError:
            raise ValueError(f"has {show(line)} in line {number}, expected {rows + 1} numbers") from None
        if len(line) != rows + 1 or not np.all(np.isfinite(table[-1])):
            raise ValueError(f"has {show(line)} in line {number}, expected {rows + 1} finite numbers")
    times = np.array([row[0] for row in table])
    if not 2 <= len(table) <= MOST_WAYPOINTS or np.any(np.diff(times) <= 0.0):
        raise ValueError(f"has {len(table)} waypoints, expected 2 to {MOST_WAYPOINTS} with increasing times")
    return times, np.array([row[1:] for row in table])


def _aim(craft, entry, actuated, problems: Problems) -> Aim | None:
    if entry.aim != "posture":
        return Aim(entry.aim)
    tree, places, starts, names = craft.tree, {}, {}, {}
    for i, joint in enumerate(craft.joints):
        axes = joint.forces.axes if isinstance(joint.forces, AxesForces) else ()
        for a in range(len(axes)):
            speed = tree.joint_v[i].start + a
            places[speed], starts[speed] = tree.joint_q[i].start + a, float(joint.q0[a])
            names[f"{joint.name}[{a + 1}]" if len(axes) > 1 else joint.name] = speed
    without = [p for p in actuated if p not in places]
    if without:
        problems.found.append("inverse.redundancy.aim is posture, expected joints with axes as the only drives")
        return None
    for text, value in entry.posture.items():
        if text not in names:
            problems.unknown("inverse.redundancy.posture", text, names, "axis")
            return None
        starts[names[text]] = float(value)
    return Aim("posture", entry.gain, tuple(starts[p] for p in actuated), tuple(places[p] for p in actuated))
