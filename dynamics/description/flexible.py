"""Tables of flexible bodies → bodies: a beam, a nodal table, modal integrals.

One maker per way of definition, all with the same arguments. A maker returns None after a problem has been noted.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from ..bodies.beam import beam_body
from ..bodies.body import FlexibleBody, Node, Scattered
from ..bodies.nodal import modal_integrals, nodal_body
from ..modes.finite import solvable
from ..modes.tables import read_modal_file, read_nodal_table
from ..picture.geometry import axes_of
from .beams import OF_SEGMENTS, check_section, in_segments, placed_nodes, properties, stations_of
from .errors import Problems, sentences
from .extends import extending, refuse_beside_extends
from .file_body import file_body
from .geometric import lines_of, refuse_geometric, with_geometric
from .names import NAME
from .reserved import RESERVED_NODES
from .tables.elastic import PlateTable
from .tables.modal import ModalTable
from .thermal import heated_beam, heated_plate, with_given_loads, with_static_damping

RIGID = ("mass", "inertia", "mass_center")


def _beam(path, name, table, problems, folder):
    beam, before = table.beam, len(problems.found)
    _refuse_rigid(path, table, problems, "a beam")
    refuse_geometric(path, table, problems, "a beam stiffens by itself")
    if beam.segments is not None:
        return in_segments(path, name, table, problems)
    if beam.extends is not None:
        refuse_beside_extends(path, table, problems)
    for key in OF_SEGMENTS:
        if key in beam.model_fields_set:
            problems.add(f"{path}.beam.{key}", getattr(beam, key), "nothing: it belongs to a beam with segments")
    for kind in beam.modes:
        if getattr(beam, kind) <= 0.0:
            problems.add(f"{path}.beam.{kind}", getattr(beam, kind), f"a positive stiffness for the {kind} modes")
    if not beam.modes and beam.extends is None:
        problems.add(
            f"{path}.beam.modes",
            beam.modes,
            "how many of which modes, such as { bending_y = 2 }; a beam without modes or segments is a rigid body",
        )
    check_section(path, beam, "the torsion modes" if "torsion" in beam.modes else "", problems)
    damping = _damping(path, table, np.zeros(sum(beam.modes.values())), problems)
    stations = stations_of(path, table, problems)
    heated = heated_beam(path, list(beam.modes), table.thermal, problems)
    if damping is None or len(problems.found) > before:
        return None
    axes = axes_of(beam.axis, beam.second_axis)
    if beam.extends is not None:
        return extending(path, name, table, damping, axes, problems)
    body = beam_body(name, properties(beam), dict(beam.modes), 0.0, stations, axes, beam.stiffening, heated)
    return with_static_damping(body, damping, table)


def _check_plate(path: str, plate: PlateTable, problems: Problems) -> None:
    layers = plate.sandwich
    if plate.bending is None and layers is None:
        problems.found.append(f"{path}.plate.bending is missing: an isotropic plate has one, another a table sandwich")
    if plate.bending is not None and layers is not None:
        problems.add(f"{path}.plate.bending", plate.bending, "nothing with a table sandwich")
    if layers is not None and layers.d12**2 >= layers.d11 * layers.d22:
        problems.add(
            f"{path}.plate.sandwich.d12", layers.d12, "a number with d12² < d11 d22: every bending takes energy"
        )
    if plate.second_axis is not None and np.linalg.norm(np.cross(plate.axis, plate.second_axis)) < 1e-6:
        problems.add(f"{path}.plate.second_axis", plate.second_axis, f"another direction than axis = {plate.axis}")


def _plate(path, name, table, problems, folder):
    from ..bodies.plate import Plate, isotropic, plate_body  # scikit-fem: imported only when a plate is made

    plate, before = table.plate, len(problems.found)
    _refuse_rigid(path, table, problems, "a plate")
    refuse_geometric(path, table, problems, "a plate stiffens by itself")
    _check_plate(path, plate, problems)
    layers = plate.sandwich
    damping = _damping(path, table, np.zeros(plate.modes), problems)
    places = placed_nodes(
        path,
        table,
        problems,
        lambda place: isinstance(place, tuple) and len(place) == 2 and 0.0 <= place[0] <= 1.0 and abs(place[1]) <= 0.5,
        "[x/L, y/W] on a plate, x/L from 0 to 1 and y/W from -0.5 to 0.5",
    )
    heated = heated_plate(path, table.thermal, problems)
    if damping is None or len(problems.found) > before:
        return None
    stiffness = (
        isotropic(plate.bending, plate.poisson) if layers is None else (layers.d11, layers.d22, layers.d12, layers.d66)
    )
    shape = Plate(plate.length, plate.width, plate.mass, stiffness)
    spots = {node: (x * plate.length, y * plate.width) for node, (x, y) in places.items()}
    axes = axes_of(plate.axis, plate.second_axis)
    body = plate_body(name, shape, plate.modes, spots, axes, plate.stiffening, heated)
    return with_static_damping(body, damping, table)


def _nodal(path, name, table, problems, folder):
    """A body of a nodal table: `nodes` selects and renames the ones that are outputs; all may carry joints and loads."""
    _refuse_rigid(path, table, problems, "a body with a nodal table")
    try:
        with solvable():
            nodal = read_nodal_table(folder / table.nodal_table)
            body = nodal_body(name, nodal, lines_of(path, table, nodal, problems))
    except ValueError as error:
        problems.found.append(f"{path}.nodal_table: {table.nodal_table} {error}")
        return None
    for node, place in table.nodes.items():
        if not isinstance(place, str):
            problems.add(f"{path}.nodes.{node}", place, f"the name of a node in {table.nodal_table}")
        elif place not in body.nodes:
            problems.unknown(f"{path}.nodes.{node}", place, body.nodes, f"node of {table.nodal_table}")
    damping = _damping(path, table, nodal.damping, problems)
    if damping is None or any(place not in body.nodes for place in table.nodes.values()):
        return None
    named = {node: replace(body.nodes[place], name=node) for node, place in table.nodes.items()}
    callable_nodes = {node: place for node, place in body.nodes.items() if NAME.fullmatch(node)}
    nodes = Scattered({**callable_nodes, **named}, *_scattered(body))
    body = replace(body, damping_ratios=damping, nodes=nodes)
    body = with_geometric(path, body, table.geometric_stiffness, problems)
    return with_given_loads(path, body, table, problems)


def _scattered(body: FlexibleBody) -> tuple[np.ndarray, np.ndarray]:
    """Positions (P, 3) and translations (N, P, 3) of all nodes."""
    nodes = body.nodes.values()
    return np.array([node.position for node in nodes]), np.array([node.shape.T for node in nodes]).swapaxes(0, 1)


def _modal(path, name, table, problems, folder):
    """A body of given modal integrals; those in a file are checked like those in the description."""
    where = f"{path}.modal" if table.modal is not None else f"{path}.modal_file: {table.modal_file}"
    modal = table.modal or _modal_file(where, folder / table.modal_file, problems)
    for key in ("mass", "inertia"):
        if getattr(table, key) is None:
            problems.found.append(
                f"{path}.{key} is missing: modal integrals go with the mass and the inertia of the undeformed body"
            )
    if table.nodes:
        problems.add(f"{path}.nodes", table.nodes, f"nothing: nodes with their mode shapes belong to {where}.nodes")
    if modal is None or table.mass is None or table.inertia is None or not _right_shapes(where, modal, problems):
        return None
    given = [0.0] if modal.damping is None else modal.damping
    n = len(modal.frequency)
    damping = _damping(path, table, np.full(n, given[0]) if len(given) == 1 else np.array(given), problems)
    try:
        integrals = modal_integrals(
            table.mass,
            table.mass_center,
            table.inertia,
            modal.s1,
            modal.h1,
            modal.modal_mass or np.ones(n),
            modal.h3,
            modal.h4,
            modal.h5,
        )
    except ValueError as error:
        problems.found.append(f"{where}: {error}")
        return None
    body = FlexibleBody(name, integrals, np.array(modal.frequency), damping, _modal_nodes(modal))
    body = with_geometric(path, body, [*modal.geometric_stiffness, *table.geometric_stiffness], problems)
    return with_given_loads(path, body, table, problems)


def _modal_nodes(modal: ModalTable) -> dict[str, Node]:
    still = np.zeros((len(modal.frequency), 3))
    return {
        node: Node(node, np.array(at.position), np.array(at.translation).T, np.array(at.rotation or still).T)
        for node, at in modal.nodes.items()
    }


def _modal_file(where: str, file: Path, problems: Problems) -> ModalTable | None:
    data: dict = {}
    try:
        data = read_modal_file(file)
        return ModalTable.model_validate(data)
    except ValidationError as error:
        problems.found += [f"{where}: {sentence}" for sentence in sentences(error, ModalTable, data)]
    except ValueError as error:
        problems.found.append(f"{where} {error}")
    return None


def _right_shapes(where: str, modal: ModalTable, problems: Problems) -> bool:
    """Checks that every list of a modal table has one entry per mode (or per pair of modes, or three rows, as required)."""
    n = len(modal.frequency)
    before = len(problems.found)
    shapes = {"modal_mass": (n,), "s1": (n, 3), "h1": (n, 3), "h3": (n, 3, 3), "h4": (n, n, 3), "h5": (n, n, 3, 3)}
    rows = [(key, getattr(modal, key), shape) for key, shape in shapes.items()]
    for node, at in modal.nodes.items():
        rows += [(f"nodes.{node}.translation", at.translation, (n, 3)), (f"nodes.{node}.rotation", at.rotation, (n, 3))]
        if node in RESERVED_NODES:
            problems.add(f"{where}.nodes.{node}", node, "another name: it is one of the body's own signals")
    if modal.damping is not None and len(modal.damping) not in (1, n):
        problems.add(f"{where}.damping", modal.damping, f"one damping ratio, or {n}: one per mode")
    for key, value, shape in rows:
        if value is not None and _shape(value) != shape:
            problems.add(
                f"{where}.{key}", value, f"{' × '.join(map(str, shape))} numbers, for the {n} modes of frequency"
            )
    return len(problems.found) == before


def _shape(value) -> tuple[int, ...] | None:
    """Shape of nested lists, None if they are ragged."""
    try:
        return np.shape(value)
    except ValueError:
        return None


def _refuse_rigid(path, table, problems, what) -> None:
    for key in RIGID:
        if key in table.model_fields_set:
            problems.add(f"{path}.{key}", getattr(table, key), f"nothing: {what} has its own mass and inertia")


def _damping(path, table, default: np.ndarray, problems) -> np.ndarray | None:
    """Damping ratios (N,): those of the body's table, else the default."""
    if table.damping is None:
        return default
    if len(table.damping) not in (1, len(default)):
        problems.add(f"{path}.damping", table.damping, f"one damping ratio, or {len(default)}: one per mode")
        return None
    return np.full(len(default), table.damping[0]) if len(table.damping) == 1 else np.array(table.damping)


WAYS = {"beam": _beam, "plate": _plate, "file": file_body, "nodal_table": _nodal, "modal": _modal, "modal_file": _modal}
