"""Tables from files: read strictly as input of a simulation, leniently for viewing."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from .arrays import find_npz, find_records
from .csv_file import find_csv, find_numbers
from .mat_file import find_mat
from .raw_table import RawTable
from .table import Result, by_ending

READERS: dict[str, Callable[[Path], RawTable]] = {
    ".csv": find_csv,
    ".npz": find_npz,
    ".npy": find_npz,
    ".mat": find_mat,
}

FAR = 1e3  # times its length, from zero: farther off, pages, which use single precision, could not distinguish instants


def read_table(path: Path | str) -> Result:
    """A table from a file by `Result.write` or another program, read according to its extension; ValueError reports what is wrong with it."""
    found = _found(path)
    result = found.result()
    for fault in found.faults:
        raise ValueError(fault.words)
    return result


def read_result(source: Result | Path | str | np.ndarray) -> tuple[Result, tuple[str, ...]]:
    """A table for viewing: its usable part, and sentences on the rest. From a file, or a structured array as FMPy returns it."""
    if isinstance(source, Result):
        return source, ()
    if isinstance(source, np.ndarray) and source.dtype.names:
        found = find_records(source, Path("the array"))
    elif isinstance(source, str | os.PathLike):
        found = _found(source)
    else:
        raise TypeError(
            f"{type(source).__name__} is not a result; expected a Result, the name of a file, or a structured array as FMPy gives it"
        )
    result = found.result()
    if not len(result.time):
        raise ValueError(found.faults[0].words if found.faults else f"{found.path}: has no time points")
    notes = [f"{fault.words}; {fault.remedy}" for fault in found.faults]
    start, span = result.time[0], np.ptp(result.time)
    if abs(start) > FAR * span > 0.0:
        notes.append(f"{found.path}: begins at {start:.17g} s; shown from there on")
        result = replace(result, time=result.time - start)
    return result, tuple(notes)


def read_numbers(path: Path | str) -> tuple[tuple[str, ...], np.ndarray]:
    """A CSV file of finite numbers that needs no time: names of the m columns, and values (n, m)."""
    found = find_numbers(Path(path))
    names = found.sound_names()
    for fault in found.faults:
        raise ValueError(fault.words)
    return names, found.values


def _found(path: Path | str) -> RawTable:
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path}: is a folder; name a table: {', '.join(READERS)}")
    return by_ending(READERS, path, "tables are read from")(path)
