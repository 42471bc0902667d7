"""A body whose modes come from a file: its keys, and how it is read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from ..bodies.body import FlexibleBody
from ..modes.checks import report
from ..modes.formats import FileOptions
from ..modes.load import Wanted, flexible_body, load, with_ratios
from ..modes.preload import PreloadRun
from ..modes.select import Selection
from ..modes.units import Units
from ..texts import read_toml
from .errors import DescriptionError, Problems, sentences
from .fields import node_names
from .geometric import runs_of
from .tables.bodies import BodyTable
from .thermal import with_given_loads

KEYS = (
    "geometry",
    "units",
    "root",
    "origin",
    "modes",
    "residual",
    "residual_damping",
    "residual_frequency",
    "scale",
)  # keys that need `file`


def wanted_of(table: BodyTable, folder: Path, runs: tuple[PreloadRun, ...] = ()) -> Wanted:
    """The keys about its file."""
    units = Units(**table.units.model_dump()) if table.units else None
    chosen = table.modes.model_dump() if table.modes else {}
    return Wanted(
        FileOptions(
            units,
            None if table.geometry is None else folder / table.geometry,
            table.mass,
            table.mass_center,
            None if table.inertia is None else np.array(table.inertia),
        ),
        table.root,
        table.origin,
        {name: node_names(place) for name, place in table.nodes.items()},
        Selection(**{**chosen, "numbers": tuple(chosen["numbers"]) if chosen.get("numbers") else None}),
        tuple(table.residual),
        table.residual_damping,
        table.residual_frequency,
        table.scale.mass,
        table.scale.frequency,
        runs,
    )


def file_body(path: str, name: str, table: BodyTable, problems: Problems, folder: Path) -> FlexibleBody | None:
    """The body, or None after a problem has been noted; one way of `flexible.WAYS`."""
    assert table.file is not None  # which is why this way was taken
    before = len(problems.found)
    for node, place in table.nodes.items():
        try:
            node_names(place)
        except ValueError:
            problems.add(f"{path}.nodes.{node}", place, f"a node of {table.file}, or a list of nodes around the place")
    for node in table.residual:
        if node not in table.nodes:
            problems.unknown(f"{path}.residual", node, table.nodes, "node")
    runs = runs_of(path, table.geometric_stiffness, table.nodes, problems, folder)
    if len(problems.found) > before:
        return None
    try:
        modal, nodes = load(folder / table.file, wanted_of(table, folder, runs))
    except ValueError as error:
        problems.found.append(f"{path}.file: {table.file} {error}")
        return None
    if table.damping is not None:
        flexible = modal.count - modal.residual
        if len(table.damping) not in (1, flexible):
            problems.add(f"{path}.damping", table.damping, f"one damping ratio, or {flexible}: one per mode")
            return None
        modal = with_ratios(modal, table.damping)
    body = replace(flexible_body(name, modal, nodes), report=report(name, modal))
    return with_given_loads(path, body, table, problems)


def body_table(data: dict) -> BodyTable:
    """The checked table of a body that comes from a file; ValueError has its faults."""
    try:
        return BodyTable.model_validate(data)
    except ValidationError as error:
        raise ValueError("\n".join(sentences(error, BodyTable, data))) from None


def file_bodies(path: Path) -> dict[str, tuple[BodyTable, Path]]:
    """The bodies of a description that come from files, each with the folder in which its file is searched."""
    try:
        bodies = read_toml(path).get("bodies", {})
    except ValueError as error:
        raise DescriptionError(str(path), [str(error)]) from None
    found = {name: table for name, table in bodies.items() if isinstance(table, dict) and "file" in table}
    if not found:
        raise ValueError(f"{path} has no body with a file")
    tables = {}
    for name, data in found.items():
        try:
            tables[name] = (body_table(data), path.parent)
        except ValueError as error:
            raise DescriptionError(str(path), [f"bodies.{name}.{text}" for text in str(error).split("\n")]) from None
    return tables
