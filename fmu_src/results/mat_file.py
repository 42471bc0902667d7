"""MATLAB files: those of spacefmu, trajectories of Dymola and OpenModelica, Simulink's structures with time, and plain arrays with a `time`.

Source: the layout of trajectories (Aclass, name, dataInfo, data_1, data_2) is Dymola's, as its User Manual and OpenModelica's have it.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from warnings import catch_warnings, simplefilter

import numpy as np

from .arrays import find_columns
from .raw_table import TIMES, RawTable
from .table import ORIGIN, UNITS


def find_mat(path: Path) -> RawTable:
    from scipy.io.matlab import MatlabFunction, MatlabObject, MatlabOpaque

    data = _loaded(path)
    objects = [name for name, value in data.items() if isinstance(value, MatlabOpaque | MatlabObject | MatlabFunction)]
    data = {name: value for name, value in data.items() if not name.startswith("__") and name not in objects}
    layout = next((read for keys, read in LAYOUTS.items() if all(key in data for key in keys)), None)
    try:
        found = layout(path, data) if layout is not None else _plain(path, data)
    except (ValueError, TypeError, KeyError, IndexError) as error:
        raise ValueError(f"{path}: not a readable .mat file: {error}") from None
    if found is None:
        held = "MATLAB objects (timeseries, Dataset), which only MATLAB can read" if objects else "no array 'time'"
        raise ValueError(f"{path}: holds {held}; expected `time` and arrays of its length")
    return found


def _loaded(path: Path) -> dict[str, np.ndarray]:
    """The variables of a file, read in a separate process: SciPy's reader crashes on some damaged files."""
    path.read_bytes()  # raises if there is nothing to read
    program = f"from {__name__} import hand_over; hand_over()"
    done = subprocess.run([sys.executable, "-P", "-c", program, str(path)], capture_output=True, check=False)
    try:
        data, problem = pickle.loads(done.stdout)
    except (EOFError, pickle.UnpicklingError):
        data, problem = {}, "not a readable .mat file: SciPy's reader crashed"
    if problem:
        raise ValueError(f"{path}: {problem}")
    return data


def hand_over() -> None:
    """In that process: writes the variables of the file, or a sentence on its fault, to standard output."""
    from scipy.io import loadmat

    data, problem = {}, ""
    try:
        with catch_warnings():
            simplefilter("ignore")  # warnings about a damaged file: an error follows, or the damage is irrelevant
            data = loadmat(BytesIO(Path(sys.argv[1]).read_bytes()), chars_as_strings=False)
    except NotImplementedError:
        problem = "is a file of MATLAB 7.3 (HDF5); MATLAB's save with '-v7' writes one that can be read"
    except Exception as error:  # a damaged file can fail anywhere
        problem = f"not a readable .mat file: {error}"
    sys.stdout.buffer.write(pickle.dumps((data, problem)))


def _ours(path: Path, data: Mapping[str, np.ndarray]) -> RawTable:
    """`time`, `values`, cells of `names` and `units`, a text `origin`."""
    names = [_joined(cell) for cell in data["names"].ravel()]
    columns = dict(zip(names, np.asarray(data["values"], float).T, strict=True))
    units = [_joined(cell) for cell in data[UNITS].ravel()] if UNITS in data else [""] * len(names)
    found = find_columns(path, {"time": data["time"], **columns}, dict(zip(names, units, strict=True)))
    if ORIGIN in data and data[ORIGIN].dtype.kind == "U":
        found.origin = _joined(data[ORIGIN])
    return found


def _joined(letters: np.ndarray) -> str:
    return "".join(np.ravel(letters)).rstrip()


def _trajectory(path: Path, data: Mapping[str, np.ndarray]) -> RawTable:
    """For each name a table and a signed column in it; the instants are the first column of data_2; data_1 has two rows, for constants."""
    if _joined(data["Aclass"][3]) == "binTrans":
        data = {key: matrix.T for key, matrix in data.items()}
    names = ["".join(letters).rstrip(" \0") for letters in data["name"]]
    tables = {number: data[f"data_{number}"] for number in (1, 2) if f"data_{number}" in data}
    time = tables[2][:, 0]
    found: dict[str, np.ndarray] = {"time": time}
    for name, (table, place, *_) in zip(names[1:], np.nan_to_num(data["dataInfo"][1:]).astype(np.int32), strict=True):
        values = np.sign(place) * tables[table or 2][:, abs(place) - 1]
        found[name] = values if table != 1 else np.full(len(time), values[0])
    return find_columns(path, found)


def _plain(path: Path, data: Mapping[str, np.ndarray]) -> RawTable | None:
    """Structures with time if there are any, else arrays; None without instants."""
    columns: dict[str, np.ndarray] = {}
    for name, value in data.items():
        if value.dtype.names and {"time", "signals"} <= set(value.dtype.names) and value.size == 1:
            record = value.ravel()[0]
            columns.setdefault("time", record["time"])
            signals = record["signals"].ravel()
            for number, signal in enumerate(signals, 1):
                label = _joined(signal["label"]) if "label" in signal.dtype.names else ""
                columns[label or (f"{name}.{number}" if len(signals) > 1 else name)] = signal["values"]
    columns |= {name: value for name, value in data.items() if value.dtype.kind in "fiub"}
    return find_columns(path, columns) if any(name.lower() in TIMES for name in columns) else None


LAYOUTS: dict[tuple[str, ...], Callable[[Path, Mapping[str, np.ndarray]], RawTable]] = {
    ("names", "values", "time"): _ours,
    ("Aclass", "name", "dataInfo", "data_2"): _trajectory,
}
