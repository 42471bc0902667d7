"""Plain tables: nodes with masses and shapes (CSV, JSON, NPZ), and modal integrals (JSON, NPZ).

All are data only: NPZ archives are read without pickle. docs/descriptions/bodies.md shows each format.
Every reader raises `ValueError` with the place in the file, what was found and what was expected.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np

from ..bodies.body import checked_inertia
from ..bodies.nodal import NodalTable
from ..limits import TABLE_SIZE
from ..texts import parse_json, read_bytes
from .text import shown

SHAPE_COLUMNS = ("ux", "uy", "uz", "rx", "ry", "rz")
INERTIA_COLUMNS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
OFFSET_COLUMNS = ("cx", "cy", "cz")
REQUIRED = ("node", "position", "mass", "translation", "frequency")
OPTIONAL = ("inertia", "offset", "rotation", "damping")


def read_nodal_table(path: Path) -> NodalTable:
    """The checked table; arrays as in `NodalTable`."""
    readers = {".csv": _csv_columns, ".json": _json_columns, ".npz": _npz_columns}
    columns = _read(path, readers)
    missing = [key for key in REQUIRED if key not in columns]
    unknown = [key for key in columns if key not in REQUIRED + OPTIONAL]
    if missing or unknown:
        found = f"lacks {', '.join(missing)}" if missing else f"has the unknown entry {', '.join(map(str, unknown))}"
        raise ValueError(f"{found}; expected {', '.join(REQUIRED)} and optionally {', '.join(OPTIONAL)}")
    names = tuple(str(name) for name in np.atleast_1d(columns["node"]))
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"has the node {repeated[0]!r} twice; names must be unique")
    frequencies = _array(columns, "frequency", (-1,), "one per mode [Hz]")
    p, n = len(names), len(frequencies)
    table = NodalTable(
        names,
        _array(columns, "position", (p, 3), "x, y, z of each node"),
        _array(columns, "mass", (p,), "one per node"),
        _array(columns, "inertia", (p, 3, 3), "3 × 3 per node") if "inertia" in columns else None,
        _array(columns, "translation", (n, p, 3), "modes × nodes × 3"),
        _array(columns, "rotation", (n, p, 3), "modes × nodes × 3") if "rotation" in columns else None,
        frequencies,
        _array(columns, "damping", (n,), "one per mode") if "damping" in columns else np.zeros(n),
        _array(columns, "offset", (p, 3), "mass centre from its node") if "offset" in columns else None,
    )
    _check_physics(table)
    return table


def _check_physics(table: NodalTable) -> None:
    for name, mass in zip(table.names, table.masses, strict=True):
        if mass < 0.0:
            raise ValueError(f"mass of node {name} is {mass:g}, expected a number that is not negative")
    if not table.masses.sum() > 0.0:
        raise ValueError("mass is 0 at all nodes, expected some of them to have mass")
    for mode, frequency in enumerate(table.frequencies, 1):
        if not frequency > 0.0:
            raise ValueError(f"frequency of mode {mode} is {frequency:g}, expected a number greater than 0")
    for mode, ratio in enumerate(table.damping, 1):
        if ratio < 0.0:
            raise ValueError(f"damping of mode {mode} is {ratio:g}, expected a number that is not negative")
    for name, inertia in zip(
        table.names, [] if table.inertias is None else table.inertias, strict=table.inertias is not None
    ):
        try:
            checked_inertia(inertia)
        except ValueError as error:
            raise ValueError(f"inertia of node {name} is {shown(inertia.tolist())}, {error}") from None


def read_modal_file(path: Path) -> dict:
    """The data of a modal table; names with dots (nodes.tip.position) in an NPZ archive stand for tables in tables."""
    flat = _read(path, {".json": _json_columns, ".npz": _npz_columns})
    data: dict = {}
    for key, value in flat.items():
        *outer, last = str(key).split(".")
        table = data
        for part in outer:
            table = table.setdefault(part, {})
        table[last] = value.tolist() if isinstance(value, np.ndarray) else value
    return data


def _read(path: Path, readers: dict):
    if path.suffix.lower() not in readers:
        raise ValueError(f"ends in {path.suffix!r}, expected one of {', '.join(readers)}")
    try:
        return readers[path.suffix.lower()](read_bytes(path, TABLE_SIZE))
    except FileNotFoundError:
        raise ValueError("does not exist; paths are relative to the description") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"can't be read: {error}") from None


def _json_columns(raw: bytes) -> dict:
    data = parse_json(raw)
    if not isinstance(data, dict):
        raise ValueError(f"is {shown(data)}, expected a JSON object")
    return data


def _npz_columns(raw: bytes) -> dict:
    try:
        with np.load(io.BytesIO(raw), allow_pickle=False) as archive:
            return {key: archive[key] for key in archive.files}
    except Exception as error:  # numpy and zipfile raise many kinds for a damaged archive
        raise ValueError(f"is not an NPZ archive of plain arrays: {error}") from None


def _csv_columns(raw: bytes) -> dict:
    """Rows `frequency, …` and `damping, …`, then the header `node, x, y, z, mass, …, ux1, uy1, …` and one row per node."""
    try:
        found = list(csv.reader(io.StringIO(raw.decode("utf-8-sig"), newline="")))
    except csv.Error as error:
        raise ValueError(f"is not a table of comma-separated values: {error}") from None
    rows = [(number, [cell.strip() for cell in row]) for number, row in enumerate(found, 1)]
    rows = [(number, row) for number, row in rows if any(row) and not row[0].startswith("#")]
    columns: dict = {}
    while rows and rows[0][1][0] in ("frequency", "damping"):
        line, (key, *cells) = rows.pop(0)
        columns[key] = np.array([_cell(cell, line, key) for cell in cells if cell])
    if not rows or rows[0][1][0] != "node":
        raise ValueError(
            f"line {rows[0][0] if rows else 1} begins with {shown(rows[0][1][0] if rows else '')}, expected frequency, damping or the header row: node, x, y, z, mass, …"
        )
    (line, header), body = rows[0], rows[1:]
    modes = len(columns.get("frequency", ()))
    shapes = {f"{column}{mode}" for column in SHAPE_COLUMNS for mode in range(1, modes + 1)}
    for name in header:
        if name not in {"node", "x", "y", "z", "mass", *INERTIA_COLUMNS, *OFFSET_COLUMNS, *shapes}:
            raise ValueError(
                f"line {line} has the column {name!r}, expected node, x, y, z, mass, ixx … iyz, cx, cy, cz, and ux1 … rz1 to ux{modes} … rz{modes} for {modes} frequencies"
            )
    for key in ("x", "y", "z", "mass"):
        if key not in header:
            raise ValueError(f"line {line} lacks the column {key}")
    for number, row in body:
        if len(row) != len(header):
            raise ValueError(f"line {number} has {len(row)} cells, expected {len(header)} as in the header")

    def column(name):
        """Values of a column; a missing one is zero."""
        if name not in header:
            return np.zeros(len(body))
        at = header.index(name)
        return np.array([_cell(row[at], number, name) for number, row in body])

    def shape(letters):
        return (
            np.array([[column(f"{letter}{mode}") for letter in letters] for mode in range(1, modes + 1)])
            .reshape(modes, 3, -1)
            .transpose(0, 2, 1)
        )

    columns["node"] = np.array([row[0] for _, row in body])
    columns["position"] = np.stack([column(name) for name in "xyz"], axis=-1)
    columns["mass"] = column("mass")
    columns["translation"] = shape(SHAPE_COLUMNS[:3])
    columns["rotation"] = shape(SHAPE_COLUMNS[3:])
    if any(name in header for name in INERTIA_COLUMNS):
        xx, yy, zz, xy, xz, yz = (column(name) for name in INERTIA_COLUMNS)
        columns["inertia"] = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).transpose(2, 0, 1)
    if any(name in header for name in OFFSET_COLUMNS):
        columns["offset"] = np.stack([column(name) for name in OFFSET_COLUMNS], axis=-1)
    return columns


def _cell(text: str, line: int, column: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"line {line}, column {column}: {text!r} found, expected a number") from None


def _array(columns: dict, key: str, shape: tuple[int, ...], meaning: str) -> np.ndarray:
    wanted = f"{' × '.join('any number of' if n < 0 else str(n) for n in shape)} finite numbers ({meaning})"
    try:
        array = np.asarray(columns[key])
    except ValueError:  # rows of different lengths
        raise ValueError(f"{key} is ragged, expected {wanted}") from None
    if array.dtype.kind not in "fiu":
        raise ValueError(f"{key} holds {shown(columns[key])}, expected {wanted}")
    if array.ndim != len(shape) or any(n not in (-1, m) for n, m in zip(shape, array.shape, strict=True)):
        raise ValueError(
            f"{key} has the shape {' × '.join(map(str, array.shape)) or 'of one number'}, expected {wanted}"
        )
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{key} holds {array[~np.isfinite(array)][0]}, expected {wanted}")
    return array.astype(float)
