"""A table over time with named columns: what simulations give and what inputs are read from.

Units travel with it: inside .npz and .mat, beside run.csv in run.csv.json.
"""

from __future__ import annotations

import csv
import json
import re
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .files import whole_file
from .names import array_name, resolve


@dataclass(frozen=True)
class Result:
    """Values of named variables over time.

    time (n,) [s]; names, the m columns; values (n, m); units by name (none given: without unit).
    `result["hub.mass"]` is a column (n,), `result["hub.position"]` the array (n, 3) of hub.position[1..3].
    """

    time: np.ndarray
    names: tuple[str, ...]
    values: np.ndarray
    units: dict[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()  # what the FMU warned of during the run
    origin: dict = field(default_factory=dict)  # what it was made of (origin.py), as far as it is known

    def __repr__(self) -> str:
        """One line: numbers of a run fill pages."""
        if not len(self.time):
            return "Result: empty"
        arrays = list(dict.fromkeys(array_name(name) for name in self.names))
        few = ", ".join(arrays[:4]) + (", …" if len(arrays) > 4 else "")
        span = f"{len(self.time)} instants from {self.time[0]:g} to {self.time[-1]:g} s"
        return f"Result: {len(self.names)} variables at {span}" + (f": {few}" if few else "")

    def __getitem__(self, name: str) -> np.ndarray:
        columns = [self.names.index(found) for found in resolve(name, self.names, "variable of this result")]
        return self.values[:, columns[0]] if name in self.names else self.values[:, columns]

    def chosen(self, names: Iterable[str]) -> Result:
        """The same with only these columns; an array's name stands for all its elements."""
        wanted = [found for name in names for found in resolve(name, self.names, "variable of this result")]
        columns = [self.names.index(name) for name in wanted]
        return Result(self.time, tuple(wanted), self.values[:, columns], self.units, origin=self.origin)

    def write(self, path: Path | str) -> Path:
        """Write a .csv, .npz or .mat file, and return its path. The file appears complete or not at all."""
        path = Path(path)
        writer = writer_of(path)
        with whole_file(path) as unfinished:
            writer(self, unfinished)
        if path.suffix.lower() == ".csv":
            self._write_beside(_beside(path))
        return path

    def _write_beside(self, path: Path) -> None:
        """Units and origin of a CSV, which has no place for them; without any, a file of an earlier run must not stay."""
        units = {name: self.units[name] for name in self.names if self.units.get(name)}
        content = ({"units": {"time": "s"} | units} if units else {}) | ({_ORIGIN: self.origin} if self.origin else {})
        if not content:
            return path.unlink(missing_ok=True)
        with whole_file(path) as unfinished:
            unfinished.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        return None


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")


def writer_of(path: Path | str):
    """The function that writes the kind of file that the ending says; ValueError for others."""
    return _by_ending(WRITERS, path, "results are written as")


def _by_ending(table: dict, path: Path | str, what: str):
    suffix = Path(path).suffix.lower()
    if suffix not in table:
        raise ValueError(f"{path}: {what} {', '.join(table)}, but the name ends with {suffix or 'nothing'!r}")
    return table[suffix]


def _write_csv(result: Result, path: Path) -> None:
    """One row an instant; 17 digits, so that every number reads back to the same bits."""
    with open(path, "w", newline="", encoding="utf-8") as stream:
        rows = csv.writer(stream)
        rows.writerow(["time", *result.names])
        for time, values in zip(result.time, result.values, strict=True):
            rows.writerow([f"{value:.17g}" for value in (time, *values)])


_UNITS, _ORIGIN = "units", "origin"


def _write_npz(result: Result, path: Path) -> None:
    """One array a column, under its own name: np.load(path)["hub.position[1]"]; `units`, one a column, in their order."""
    columns = dict(zip(result.names, result.values.T, strict=True))
    texts = {_UNITS: np.array(_unit_list(result), dtype=str)}
    if result.origin:
        texts[_ORIGIN] = np.array(json.dumps(result.origin))
    np.savez_compressed(path, **texts | {"time": result.time} | columns)


def _write_mat(result: Result, path: Path) -> None:
    """MATLAB level 5: `time`, `values`, cells of `names` and `units`, and every variable under a legal name (hub_position_1)."""
    from scipy.io import savemat

    legal = {_matlab_name(name): column for name, column in zip(result.names, result.values.T, strict=True)}
    texts: dict[str, Any] = {
        "names": np.array(result.names, dtype=object),
        _UNITS: np.array(_unit_list(result), dtype=object),
    }
    if result.origin:
        texts[_ORIGIN] = json.dumps(result.origin)
    whole = {"time": result.time, "values": result.values} | texts
    savemat(path, legal | whole, oned_as="column", long_field_names=True, do_compression=True)


def _unit_list(result: Result) -> list[str]:
    return [result.units.get(name, "") for name in result.names]


def _matlab_name(name: str) -> str:
    """A legal MATLAB name, at most 63 characters, that begins with a letter."""
    legal = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
    return (legal if legal[:1].isalpha() else f"v_{legal}")[:63]


WRITERS = {".csv": _write_csv, ".npz": _write_npz, ".mat": _write_mat}


def read_table(path: Path | str) -> Result:
    """A table from a file that `Result.write` wrote or a person did, by its ending; ValueError says what is wrong."""
    return _by_ending(READERS, path, "tables are read from")(Path(path))


def _read_csv(path: Path) -> Result:
    """A header, `time` first, then named columns. What is wrong is said with its line."""
    names, values, lines = read_numbers(path)
    if names[0] != "time":
        raise ValueError(f"{path}: line {lines[0]}: the first column is {names[0]!r}, expected 'time'")
    backwards = np.flatnonzero(np.diff(values[:, 0]) < 0.0)
    if backwards.size:
        line, before = lines[backwards[0] + 2], values[backwards[0], 0]
        raise ValueError(f"{path}: line {line}: time goes back from {before:g} to {values[backwards[0] + 1, 0]:g}")
    return Result(values[:, 0], names[1:], values[:, 1:], *_read_beside(_beside(path)))


def read_numbers(path: Path | str) -> tuple[tuple[str, ...], np.ndarray, list[int]]:
    """A CSV file of finite numbers: names of the m columns, values (n, m), and the lines of names and values in the file."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: is not a text file: {error}") from None
    rows = [
        (line, row) for line, row in enumerate(csv.reader(text.splitlines()), 1) if any(cell.strip() for cell in row)
    ]
    if len(rows) < 2:
        raise ValueError(f"{path}: expected a line of names and at least one line of numbers, found {len(rows)} lines")
    header = tuple(cell.strip() for cell in rows[0][1])
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise ValueError(f"{path}: line {rows[0][0]}: the column {twice[0]!r} appears twice")
    values = np.array([_numbers(path, line, row, header) for line, row in rows[1:]])
    return header, values, [line for line, _ in rows]


def _read_beside(path: Path) -> tuple[dict[str, str], tuple[str, ...], dict]:
    """Units, remarks (a file has none) and origin of a CSV."""
    if not path.exists():
        return {}, (), {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        units = {str(name): str(unit) for name, unit in content.get(_UNITS, {}).items() if name != "time"}
        return units, (), dict(content.get(_ORIGIN, {}))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: holds no units: {error!r}; remove it to go without them") from None


def _numbers(path: Path, line: int, row: list[str], header: tuple[str, ...]) -> list[float]:
    if len(row) != len(header):
        raise ValueError(f"{path}: line {line}: has {len(row)} values, expected {len(header)}")
    numbers = []
    for name, cell in zip(header, row, strict=True):
        try:
            number = float(cell)
        except ValueError:
            number = np.nan
        if not np.isfinite(number):
            raise ValueError(f"{path}: line {line}: {name} is {cell.strip()!r}, expected a finite number")
        numbers.append(number)
    return numbers


def _read_npz(path: Path) -> Result:
    try:
        with path.open("rb") as file, np.load(file) as packed:
            columns = {name: packed[name] for name in packed.files}
    except (ValueError, TypeError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"{path}: is no .npz file of ours: {error}") from None
    time = columns.pop("time", None)
    # numbers of that name are a column: another program's FMU may have such a variable
    texts = {key: columns.pop(key) for key in (_UNITS, _ORIGIN) if key in columns and columns[key].dtype.kind == "U"}
    return _joined(path, time, tuple(columns), list(columns.values()), texts.get(_UNITS), texts.get(_ORIGIN))


def _read_mat(path: Path) -> Result:
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    try:
        data = loadmat(path)
        names = [str(name) for name in _flat(data["names"])]
        values = np.asarray(data["values"], float)
    except (ValueError, KeyError, NotImplementedError, MatReadError, zlib.error) as error:
        raise ValueError(f"{path}: is no .mat file of ours: {error}") from None
    units = _flat(data[_UNITS]) if _UNITS in data else None
    origin = data[_ORIGIN] if _ORIGIN in data and np.asarray(data[_ORIGIN]).dtype.kind == "U" else None
    return _joined(path, data.get("time"), tuple(names), list(values.T), units, origin)


def _flat(cells: np.ndarray) -> list:
    """Texts of a cell array; an empty text is an empty array there."""
    return [cell.item() if cell.size else "" for cell in cells.ravel()]


def _joined(path: Path, time, names: tuple[str, ...], columns: list, units, origin=None) -> Result:
    """The table of columns, if they are of the same length."""
    if time is None:
        raise ValueError(f"{path}: has no 'time'")
    time = np.asarray(time, float).ravel()
    wrong = [name for name, column in zip(names, columns, strict=True) if np.shape(column) != time.shape]
    if wrong:
        raise ValueError(f"{path}: {wrong[0]!r} has not one value for each of the {len(time)} instants of 'time'")
    values = np.column_stack([np.asarray(column, float) for column in columns]) if columns else np.zeros((len(time), 0))
    named = {name: str(unit) for name, unit in zip(names, units, strict=True) if unit} if units is not None else {}
    return Result(time, names, values, named, origin=_origin(path, origin))


def _origin(path: Path, text) -> dict:
    """The origin as a file has it: a text, or an array of one."""
    if text is None:
        return {}
    try:
        return dict(json.loads(str(np.ravel(text)[0])))
    except (ValueError, TypeError, IndexError) as error:
        raise ValueError(f"{path}: what it was made of can't be read: {error!r}") from None


READERS = {".csv": _read_csv, ".npz": _read_npz, ".mat": _read_mat}
