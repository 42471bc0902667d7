"""Curves of formulas from files: two columns, through whose points a cubic spline goes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy  # its parts come when they are used: most descriptions need none

from ..modes.text import lines_of
from ..system.formula import Curve

MOST = 500  # points: each is a choice in the FMU's code


def read_curve(path: Path) -> Curve:
    """The spline through the points of a file; `ValueError` says what is wrong with it, as the end of a sentence.

    Lines of two numbers, with commas, semicolons or blanks between them; lines that begin with # and one heading are left out.
    """
    if not path.is_file():
        raise ValueError("does not exist, expected a file beside the description")
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
            raise ValueError(f"line {number} has {line.strip()[:40]!r}, expected two numbers") from None
        if len(point) != 2 or not np.all(np.isfinite(point)):
            raise ValueError(f"line {number} has {line.strip()[:40]!r}, expected two numbers")
        points.append(point)
    if not 2 <= len(points) <= MOST:
        raise ValueError(f"has {len(points)} points, expected 2 to {MOST}")
    x, y = np.array(points).T
    if not np.all(np.diff(x) > 0.0):
        raise ValueError("has a first column that does not increase from line to line")
    ends = "not-a-knot" if len(x) > 3 else "natural"
    return Curve(tuple(map(float, x)), scipy.interpolate.CubicSpline(x, y, bc_type=ends).c.T.copy())
