"""A table over time with named columns, the result of a simulation, and the files it is written to (reading.py reads them).

Units are stored with it: inside .npz and .mat; for run.csv in run.csv.json.
"""

from __future__ import annotations

import csv
import json
import re
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from .files import whole_file
from .names import array_name, resolve

ROWS = 1000  # of a CSV file, written at a time
ROUND_OFF = 1e-13  # relative to a variable's size, and at least 1 (SI): smaller changes are numerical noise
UNITS, ORIGIN = "units", "origin"  # their name in files


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
    remarks: tuple[str, ...] = ()  # warnings of the FMU during the run
    origin: dict = field(default_factory=dict)  # its origin (origin.py), as far as it is known

    def __repr__(self) -> str:
        """One line, since the numbers would fill pages."""
        if not len(self.time):
            return "Result: empty"
        arrays = list(dict.fromkeys(array_name(name) for name in self.names))
        few = ", ".join(arrays[:4]) + (", …" if len(arrays) > 4 else "")
        span = f"{len(self.time)} instants from {self.time[0]:g} to {self.time[-1]:g} s"
        return f"Result: {len(self.names)} variables at {span}" + (f": {few}" if few else "")

    @cached_property
    def places(self) -> dict[str, int]:
        """Number of each column, by its name."""
        return {name: i for i, name in enumerate(self.names)}

    def __getitem__(self, name: str) -> np.ndarray:
        if name in self.places:
            return self.values[:, self.places[name]]
        return self.values[:, [self.places[found] for found in resolve(name, self.places, "variable of this result")]]

    def chosen(self, names: Iterable[str]) -> Result:
        """The same with only these columns; an array's name selects all its elements."""
        wanted = [found for name in names for found in resolve(name, self.places, "variable of this result")]
        columns = [self.places[name] for name in wanted]
        return Result(self.time, tuple(wanted), self.values[:, columns], self.units, origin=self.origin)

    def write(self, path: Path | str) -> Path:
        """Write a .csv, .npz or .mat file, or orbit or attitude as .oem or .aem of CCSDS, and return its path. The file is written atomically."""
        path = Path(path)
        writer = writer_of(path)
        with whole_file(path) as unfinished:
            writer(self, unfinished)
        if path.suffix.lower() == ".csv":
            self._write_beside(beside(path))
        return path

    def _write_beside(self, path: Path) -> None:
        """Units and origin of a CSV, which can't hold them; if there are none, the file of an earlier run is removed."""
        units = {name: self.units[name] for name in self.names if self.units.get(name)}
        content = ({UNITS: {"time": "s"} | units} if units else {}) | ({ORIGIN: self.origin} if self.origin else {})
        if not content:
            return path.unlink(missing_ok=True)
        with whole_file(path) as unfinished:
            unfinished.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        return None


def changes(values: np.ndarray, share: float = ROUND_OFF) -> bool:
    """Whether any of some columns (n, m), or one (n,), changes by more than a share of their size; gaps (NaN) aside."""
    low, high = np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)
    size = np.fmax.reduce(np.fmax(np.abs(low), np.abs(high)), axis=None, initial=1.0)
    return bool(np.fmax.reduce(high - low, axis=None, initial=0.0) > share * size)


def beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")


def writer_of(path: Path | str):
    """The writer for a file extension; ValueError for unknown ones."""
    return by_ending(WRITERS, path, "results are written as")


def by_ending(table: dict, path: Path | str, what: str):
    suffix = Path(path).suffix.lower()
    if suffix not in table:
        raise ValueError(f"{path}: {what} {', '.join(table)}, but the name ends with {suffix or 'nothing'!r}")
    return table[suffix]


def _write_csv(result: Result, path: Path) -> None:
    """One row per instant; 17 digits, so that every number reads back to the same bits."""
    row = ",".join(["%.17g"] * (1 + len(result.names))) + "\r\n"
    with open(path, "w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerow(["time", *result.names])
        for begin in range(0, len(result.time), ROWS):
            block = slice(begin, begin + ROWS)
            numbers = np.column_stack([result.time[block], result.values[block]]).tolist()
            stream.writelines([row % tuple(instant) for instant in numbers])


def _write_npz(result: Result, path: Path) -> None:
    """One array per column, under its own name: np.load(path)["hub.position[1]"]; `units`, one per column, in their order."""
    columns = dict(zip(result.names, result.values.T, strict=True))
    texts = {UNITS: np.array(_unit_list(result), dtype=str)}
    if result.origin:
        texts[ORIGIN] = np.array(json.dumps(result.origin))
    # as np.savez_compressed, which takes names as keywords and reserves some, such as "file"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, values in (texts | {"time": result.time} | columns).items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asarray(values))


def _write_mat(result: Result, path: Path) -> None:
    """MATLAB level 5: `time`, `values`, cells of `names` and `units`, and every variable under a legal name (hub_position_1)."""
    from scipy.io import savemat

    legal = {matlab_name(name): column for name, column in zip(result.names, result.values.T, strict=True)}
    texts: dict[str, Any] = {
        "names": np.array(result.names, dtype=object),
        UNITS: np.array(_unit_list(result), dtype=object),
    }
    if result.origin:
        texts[ORIGIN] = json.dumps(result.origin)
    whole = {"time": result.time, "values": result.values} | texts
    savemat(path, legal | whole, oned_as="column", long_field_names=True, do_compression=True)


def _unit_list(result: Result) -> list[str]:
    return [result.units.get(name, "") for name in result.names]


def matlab_name(name: str) -> str:
    """A legal MATLAB name, at most 63 characters, that begins with a letter."""
    legal = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
    return (legal if legal[:1].isalpha() else f"v_{legal}")[:63]


def _write_oem(result: Result, path: Path) -> None:
    from .ccsds import as_oem

    as_oem(result, path)


def _write_aem(result: Result, path: Path) -> None:
    from .ccsds import as_aem

    as_aem(result, path)


WRITERS = {".csv": _write_csv, ".npz": _write_npz, ".mat": _write_mat, ".oem": _write_oem, ".aem": _write_aem}
