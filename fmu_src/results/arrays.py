"""Tables of arrays: .npz and .npy files, NumPy's structured arrays (as FMPy gives them), columns by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from .raw_table import TIMES, Fault, RawTable
from .table import ORIGIN, UNITS


def find_columns(path: Path, columns: Mapping[str, np.ndarray], units: Mapping[str, str] | None = None) -> RawTable:
    """Columns by name; an array of n rows becomes one column per element, name[1] and so on. Arrays of other lengths are faults."""
    rows = next((np.size(value) for known in TIMES for name, value in columns.items() if name.lower() == known), None)
    if rows is None:
        return RawTable(path, tuple(columns), np.zeros((0, len(columns))))
    names: list[str] = []
    values: list[np.ndarray] = []
    strange = []
    for name, value in columns.items():
        whole = np.asarray(value)
        if whole.ndim == 2 and whole.shape[0] == 1 and rows != 1:
            whole = whole.T  # MATLAB's rows
        if whole.dtype.kind not in "fiub" or whole.ndim == 0 or len(whole) != rows:
            strange.append(name)
            continue
        shape = whole.shape[1:] if whole.size != rows else ()
        for place in np.ndindex(shape):
            names.append(f"{name}[{','.join(str(i + 1) for i in place)}]" if shape else name)
            values.append(whole[(slice(None), *place)].ravel() if shape else whole.ravel())
    faults = []
    if strange:
        words = f"{path}: {strange[0]!r} does not have one number for each of the {rows} instants of 'time'"
        faults.append(Fault(words, f"left out: {', '.join(strange[:5])}{' …' if len(strange) > 5 else ''}"))
    return RawTable(path, tuple(names), np.column_stack(values).astype(float), dict(units or {}), faults=faults)


def find_records(array: np.ndarray, path: Path) -> RawTable:
    """A structured array, with a field for each column."""
    assert array.dtype.names is not None
    return find_columns(path, {name: array[name] for name in array.dtype.names})


def find_npz(path: Path) -> RawTable:
    try:
        with path.open("rb") as file:
            packed = np.load(file)
            if isinstance(packed, np.ndarray):
                columns = {"": packed}
            else:
                with packed:
                    columns = {name: packed[name] for name in packed.files}
    except FileNotFoundError:
        raise
    except Exception as error:  # a damaged file can fail anywhere
        raise ValueError(f"{path}: not a readable {path.suffix} file: {error}") from None
    alone = next(iter(columns.values()), None)
    if len(columns) == 1 and alone is not None and alone.dtype.names:
        return find_records(alone, path)
    # if it holds numbers it is a column: an FMU may have a variable of that name
    texts = {key: columns.pop(key) for key in (UNITS, ORIGIN) if key in columns and columns[key].dtype.kind == "U"}
    units = np.ravel(texts.get(UNITS, ())).tolist()
    named = dict(zip([name for name in columns if name != "time"], units, strict=False))
    found = find_columns(path, columns, named)
    found.origin = str(np.ravel(texts[ORIGIN])[0]) if ORIGIN in texts and texts[ORIGIN].size else None
    return found
