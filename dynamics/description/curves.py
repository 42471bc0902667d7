"""Curves from files: cubic splines of columns over the first column."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..modes.text import lines_of
from ..system.formula import Curve
from ..system.splines import curve_through

MOST = 500  # points: each is a branch in the FMU's code


def read_curve(path: Path) -> Curve:
    """The spline through the points of a file of two columns."""
    return read_curves(path, 2)[0]


def read_curves(path: Path, columns: int) -> tuple[Curve, ...]:
    """The splines of all columns over the first; `ValueError` has the fault of the file, as the end of a sentence.

    Lines of numbers, separated by commas, semicolons or blanks; lines that begin with # and one heading are ignored.
    """
    if not path.is_file():
        raise ValueError("does not exist; paths are relative to the description")
    expected = f"expected {'two' if columns == 2 else columns} numbers"
    points: list[list[float]] = []
    for number, line in enumerate(lines_of(path), 1):
        cells = line.replace(",", " ").replace(";", " ").split()
        if not cells or cells[0].startswith("#"):
            continue
        try:
            point = [float(cell) for cell in cells]
        except ValueError:
            if not points and number < 20:  # a heading
                continue
            raise ValueError(f"line {number} has {line.strip()[:40]!r}, {expected}") from None
        if len(point) != columns or not np.all(np.isfinite(point)):
            raise ValueError(f"line {number} has {line.strip()[:40]!r}, {expected}")
        points.append(point)
    if not 2 <= len(points) <= MOST:
        raise ValueError(f"has {len(points)} points, expected 2 to {MOST}")
    x, *rest = np.array(points).T
    if not np.all(np.diff(x) > 0.0):
        raise ValueError("has a first column that does not increase from line to line")
    return tuple(curve_through(x, y) for y in rest)
