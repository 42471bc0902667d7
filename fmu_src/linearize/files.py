"""Linear models and families as files: .npz, .mat, .json and .csv. The arrays of a family have an additional first axis, one entry per point.

npz, mat, json   A, B, C, D, x, u, y, x_dot, time, and states, inputs, outputs with *_units; MATLAB: ss(A, B, C, D)
csv              one line per entry that is not zero: matrix, row, column, value (names of rows and columns)
"""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from spacefmu.dynamics.linearize.linear import Linear, VectorEntry
from spacefmu.dynamics.texts import read_json

from ..results.files import whole_file

GROUPS = ("states", "inputs", "outputs")
ARRAYS = ("A", "B", "C", "D", "x", "u", "y", "x_dot", "time")
# Errors raised by a damaged archive or a foreign file.
_DAMAGED = (KeyError, IndexError, TypeError, OverflowError, EOFError, NotImplementedError, MemoryError, struct.error, zipfile.BadZipFile, zlib.error)  # fmt: skip


def contents(model: Linear) -> dict:
    """Everything of a model as arrays and lists of texts."""
    data: dict[str, Any] = {key: np.asarray(getattr(model, key)) for key in ARRAYS}
    for group in GROUPS:
        data[group] = [each.name for each in getattr(model, group)]
        data[f"{group}_units"] = [each.unit for each in getattr(model, group)]
    return data | {"name": model.name, "time_varying": model.time_varying}


def write(model, path: Path | str) -> Path:
    """Write a Linear or a Family in the format of the file extension."""
    path = Path(path)
    writer = writer_of(path)
    data = contents(model) if isinstance(model, Linear) else model.contents()
    with whole_file(path) as unfinished:
        writer(unfinished, data)
    return path


def writer_of(path: Path):
    try:
        return _WRITERS[path.suffix.lower()]
    except KeyError:
        raise ValueError(f"{path}: linear models are written as {', '.join(_WRITERS)}") from None


def read(path: Path | str) -> Linear:
    """A Linear from .npz or .json; `ValueError` says what is wrong with the file."""
    path = Path(path)
    try:
        return _read(path)
    except _DAMAGED as error:
        raise ValueError(f"{path}: can't be read as a linear model ({type(error).__name__})") from None


def _read(path: Path) -> Linear:
    if path.suffix.lower() == ".json":
        try:
            data = read_json(path)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
    elif path.suffix.lower() == ".npz":
        with np.load(path, allow_pickle=False) as archive:
            data = {key: archive[key] for key in archive.files}
    else:
        raise ValueError(f"{path}: linear models are read from .npz and .json")
    if np.ndim(data["A"]) != 2:
        raise ValueError(f"{path}: holds a family of {len(data['A'])} models; only a single model can be read")
    named: dict[str, Any] = {
        g: tuple(map(VectorEntry, map(str, data[g]), map(str, data[f"{g}_units"]))) for g in GROUPS
    }
    n, m, p = (len(named[g]) for g in GROUPS)
    shapes = {"A": (n, n), "B": (n, m), "C": (p, n), "D": (p, m), "x": (n,), "u": (m,), "y": (p,), "x_dot": (n,)}
    arrays: dict[str, Any] = {key: np.array(data[key], float).reshape(shape) for key, shape in shapes.items()}
    return Linear(
        str(data["name"]), **arrays, **named, time=float(data["time"]), time_varying=bool(data["time_varying"])
    )


def _write_npz(path: Path, data: dict) -> None:
    arrays: dict[str, Any] = {key: np.array(value) for key, value in data.items()}
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)


def _write_mat(path: Path, data: dict) -> None:
    from scipy.io import savemat

    texts = {key: np.array(value, dtype=object) if isinstance(value, list) else value for key, value in data.items()}
    for key in ("A", "B", "C", "D"):  # MATLAB's toolboxes have the axes of model arrays last
        if texts[key].ndim == 3:
            texts[key] = np.moveaxis(texts[key], 0, -1)
    savemat(path, texts)


def _write_json(path: Path, data: dict) -> None:
    plain = {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in data.items()}
    path.write_text(json.dumps(plain, indent=1), "utf-8")


def _write_csv(path: Path, data: dict) -> None:
    if np.ndim(data["A"]) != 2:
        raise ValueError(f"{path.name.lstrip('.')}: a family is written as .npz, .mat or .json")
    sides = {
        "A": ("states", "states"),
        "B": ("states", "inputs"),
        "C": ("outputs", "states"),
        "D": ("outputs", "inputs"),
    }
    lines = ["matrix,row,column,value"]
    for matrix, (rows, columns) in sides.items():
        for i, j in np.argwhere(data[matrix]):
            lines.append(
                f"{matrix},{data[rows][i]},{data[columns][j]},{data[matrix][i, j]!r}".replace("np.float64(", "").rstrip(
                    ")"
                )
            )
    path.write_text("\n".join(lines) + "\n", "utf-8")


_WRITERS = {".npz": _write_npz, ".mat": _write_mat, ".json": _write_json, ".csv": _write_csv}
