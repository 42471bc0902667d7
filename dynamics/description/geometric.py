"""Tables `geometric_stiffness` of bodies → loadings with their matrices, and bodies with given modes that stiffen by them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from ..bodies.body import FlexibleBody
from ..bodies.geometric import Loading, geometric, stiffened
from ..bodies.line import ROOT, STRAIGHT
from ..bodies.nodal import NodalTable
from ..modes.preload import PreloadRun
from .errors import GIVEN, Problems
from .tables.bodies import BodyTable
from .tables.modal import GeometricRun


def runs_of(path: str, given: list[GeometricRun], nodes, problems: Problems, folder: Path) -> tuple[PreloadRun, ...]:
    """One PreloadRun per entry; `nodes` are the names that forces may act at."""
    runs = []
    for i, run in enumerate(given, 1):
        where = f"{path}.geometric_stiffness[{i}]"
        if (run.matrix is None) == (run.file is None):
            problems.add(where, "both" if run.file else "neither", "either a matrix or a file")
        if (run.force is None) != (run.at is None):
            problems.add(where, "one of them", "force together with at, the node that it acts at")
        if run.at is not None and run.at not in nodes:
            problems.unknown(f"{where}.at", run.at, nodes, "node")
        forces = {} if run.at is None or run.force is None else {run.at: np.array(run.force)}
        vectors = (run.acceleration, run.angular_acceleration, run.angular_velocity)
        acceleration, angular_acceleration, angular_velocity = (np.array(vector) for vector in vectors)
        loading = Loading(acceleration, angular_acceleration, angular_velocity, forces)
        matrix = None if run.matrix is None else _matrix(where, run.matrix, problems)
        runs.append(PreloadRun(loading, matrix, None if run.file is None else folder / run.file))
    return tuple(runs)


def _matrix(where: str, rows: list[list[float]], problems: Problems) -> np.ndarray:
    if len({len(row) for row in rows}) > 1:
        problems.add(f"{where}.matrix", rows, "rows of one length")
        return np.zeros((0, 0))
    return np.array(rows, float)


def with_geometric(path: str, body: FlexibleBody, given: list[GeometricRun], problems: Problems) -> FlexibleBody:
    """A body with given modes that stiffens by the matrices of its modes."""
    before = len(problems.found)
    runs = runs_of(path, given, body.nodes, problems, Path())
    for i, run in enumerate(given, 1):
        if run.file is not None:
            problems.add(
                f"{path}.geometric_stiffness[{i}].file",
                run.file,
                "a matrix of the modes: this body has no matrices of its own",
            )
    if not runs or len(problems.found) > before:
        return body
    try:
        found = geometric([(run.loading, run.matrix) for run in runs if run.matrix is not None], body.modes)
    except ValueError as error:
        problems.found.append(f"{path}.geometric_stiffness {error}")
        return body
    nodes = body.nodes
    for name, second in found.seconds.items():
        nodes[name] = replace(nodes[name], second=second)
    return replace(
        body, integrals_at_build=stiffened(body.integrals_at_build, found.motions), nodes=nodes, stiffening=True
    )


def lines_of(path: str, table: BodyTable, nodal: NodalTable, problems: Problems) -> list[list[int]] | None:
    """The lines of a nodal table that stiffen it, by indices of nodes: None for those detected in the table, an empty list for no lines."""
    if not table.lines:
        return [] if table.geometric_stiffness else None
    before = len(problems.found)
    if table.geometric_stiffness:
        problems.add(f"{path}.lines", GIVEN, "nothing with geometric_stiffness; give one of them")
    numbers = {"frame": ROOT, **{name: p for p, name in enumerate(nodal.names)}}
    on_lines, places = {"frame"}, np.vstack([nodal.positions, np.zeros(3)])
    for i, line in enumerate(table.lines, 1):
        where = f"{path}.lines[{i}]"
        if strange := [node for node in line if node not in numbers]:
            problems.unknown(where, strange[0], numbers, f"node of {table.nodal_table}")
            continue
        _check_way(where, line, on_lines, problems)
        on_lines.update(line)
        _check_steps(where, line, np.diff(places[[numbers[node] for node in line]], axis=0), nodal, problems)
    if len(problems.found) == before:
        _check_reached(path, on_lines, nodal, problems)
    if len(problems.found) > before:
        return []
    return [[numbers[node] for node in line] for line in table.lines]


def _check_reached(path: str, on_lines: set[str], nodal: NodalTable, problems: Problems) -> None:
    left = [name for name, mass in zip(nodal.names, nodal.masses, strict=True) if mass > 0.0 and name not in on_lines]
    if left:
        problems.add(f"{path}.lines", left[0], "every node with mass on a line: its load takes some way to the root")


def _check_way(where: str, line: list[str], on_lines: set[str], problems: Problems) -> None:
    """Checks that a line begins on an earlier one, and meets no other line again."""
    if line[0] not in on_lines:
        problems.add(where, line[0], 'a line that begins at "frame" or at a node of a line before it')
    twice = next((node for k, node in enumerate(line[1:], 1) if node in on_lines or node in line[1:k]), None)
    if twice is not None:
        problems.add(where, twice, "every node on one line: forces take one way to the root")


def _check_steps(where: str, line: list[str], steps: np.ndarray, nodal: NodalTable, problems: Problems) -> None:
    """steps (n, 3) from node to node have a length, and without rotations in the table one direction."""
    lengths = np.linalg.norm(steps, axis=1)
    straight = np.linalg.norm(np.cross(steps, steps[0]), axis=1) <= STRAIGHT * lengths * lengths[0]
    turned = nodal.rotations is not None and np.any(nodal.rotations)
    if not np.all(lengths > 0.0):
        problems.add(where, line, "nodes at different places")
    elif not turned and not np.all(straight):
        problems.add(where, line, "a straight line, or rotations in the table, which tell the slopes of a bent one")


def refuse_geometric(path: str, table: BodyTable, problems: Problems, what: str) -> None:
    """For bodies that stiffen without matrices, or not at all."""
    if table.geometric_stiffness:
        problems.add(f"{path}.geometric_stiffness", GIVEN, f"nothing: {what}")
