"""A table over time with named columns: what simulations give and what inputs are read from."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .files import whole_file
from .names import resolve


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

    def __getitem__(self, name: str) -> np.ndarray:
        columns = [self.names.index(found) for found in resolve(name, self.names, "variable of this result")]
        return self.values[:, columns[0]] if name in self.names else self.values[:, columns]

    def chosen(self, names: Iterable[str]) -> Result:
        """The same with only these columns; an array's name stands for all its elements."""
        wanted = [found for name in names for found in resolve(name, self.names, "variable of this result")]
        columns = [self.names.index(name) for name in wanted]
        return Result(self.time, tuple(wanted), self.values[:, columns], self.units)

    def write(self, path: Path | str) -> Path:
        """Write a .csv, .npz or .mat file, and return its path. The file appears complete or not at all."""
        path = Path(path)
        writer = writer_of(path)
        with whole_file(path) as unfinished:
            writer(self, unfinished)
        return path


def writer_of(path: Path | str):
    """The function that writes the kind of file that the ending says; ValueError for others."""
    suffix = Path(path).suffix.lower()
    if suffix not in WRITERS:
        raise ValueError(
            f"{path}: results are written as {', '.join(WRITERS)}, but the name ends with {suffix or 'nothing'!r}"
        )
    return WRITERS[suffix]


def _write_csv(result: Result, path: Path) -> None:
    """One row an instant; 17 digits, so that every number reads back to the same bits."""
    with open(path, "w", newline="", encoding="utf-8") as stream:
        rows = csv.writer(stream)
        rows.writerow(["time", *result.names])
        for time, values in zip(result.time, result.values, strict=True):
            rows.writerow([f"{value:.17g}" for value in (time, *values)])


def _write_npz(result: Result, path: Path) -> None:
    """One array a column, under its own name: np.load(path)["hub.position[1]"]."""
    columns = dict(zip(result.names, result.values.T, strict=True))
    np.savez_compressed(path, **{"time": result.time} | columns)


def _write_mat(result: Result, path: Path) -> None:
    """MATLAB level 5: `time`, `values` and a cell of `names`, and every variable under a legal name (hub_position_1)."""
    from scipy.io import savemat

    legal = {_matlab_name(name): column for name, column in zip(result.names, result.values.T, strict=True)}
    whole = {"time": result.time, "values": result.values, "names": np.array(result.names, dtype=object)}
    savemat(path, legal | whole, oned_as="column", long_field_names=True, do_compression=True)


def _matlab_name(name: str) -> str:
    """A legal MATLAB name, at most 63 characters, that begins with a letter."""
    legal = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
    return (legal if legal[:1].isalpha() else f"v_{legal}")[:63]


WRITERS = {".csv": _write_csv, ".npz": _write_npz, ".mat": _write_mat}


def read_table(path: Path | str) -> Result:
    """A CSV file with a header: `time` first, then named columns. ValueError says what is wrong, and in which line."""
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
    if header[0] != "time":
        raise ValueError(f"{path}: line 1: the first column is {header[0]!r}, expected 'time'")
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise ValueError(f"{path}: line 1: the column {twice[0]!r} appears twice")
    values = np.array([_numbers(path, line, row, header) for line, row in rows[1:]])
    backwards = np.flatnonzero(np.diff(values[:, 0]) < 0.0)
    if backwards.size:
        line, before = rows[backwards[0] + 2][0], values[backwards[0], 0]
        raise ValueError(f"{path}: line {line}: time goes back from {before:g} to {values[backwards[0] + 1, 0]:g}")
    return Result(values[:, 0], header[1:], values[:, 1:])


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
