"""Nastran's printed output (F06): real eigenvectors, and the mass and inertia of its grid point weight generator.

Every page of an eigenvector repeats its heading, so pages, messages and other tables in between do not matter:

      EIGENVALUE =  6.158494E+07
          CYCLES =  1.248985E+03         R E A L   E I G E N V E C T O R   N O .          1
      POINT ID.   TYPE          T1             T2             T3             R1             R2             R3
             1      G      2.547245E-17  -6.388945E-16   2.292728E+00   0.0            0.0            0.0
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from .text import lines_of, number

HEADING = re.compile(r"CYCLES =\s*(\S+)\s+R E A L {3}E I G E N V E C T O R {3}N O \.\s+(\d+)")
ROW = re.compile(r"^0?\s+(\d+)\s+G\s+(.*)$")
WEIGHT = "MASS AXIS SYSTEM (S)"


def eigenvectors(path: Path) -> tuple[list[int], np.ndarray, np.ndarray]:
    """Grids (P,), frequencies (N,) [1/time] and shapes (N, P, 6), in the grids' displacement axes."""
    frequencies: dict[int, float] = {}
    shapes: dict[int, dict[int, list[float]]] = {}
    mode = None
    for line, text in enumerate(lines_of(path), 1):
        heading = HEADING.search(text)
        if heading:
            mode = int(heading[2])
            frequencies[mode] = number(heading[1], path, line)
        elif text.startswith("1"):  # a new page, which may be of another table
            mode = None
        elif mode is not None and (row := ROW.match(text)):
            values = [number(value, path, line) for value in row[2].split()]
            if len(values) != 6:
                raise ValueError(f"{path.name} line {line} has {len(values)} displacements, expected six of a grid")
            if int(row[1]) in shapes.setdefault(mode, {}):
                raise ValueError(
                    f"{path.name} line {line} has mode {mode} of grid {row[1]} again, expected one subcase"
                )
            shapes[mode][int(row[1])] = values
    if not shapes:
        raise ValueError("has no eigenvectors (REAL EIGENVECTOR NO.), expected SOL 103 with DISP(PRINT) = ALL")
    ids = list(next(iter(shapes.values())))
    for mode, rows in shapes.items():
        if list(rows) != ids:
            raise ValueError(
                f"has {len(rows)} grids of mode {mode} and {len(ids)} of the first, expected the same: it is cut off"
            )
    return (
        ids,
        np.array([frequencies[mode] for mode in shapes]),
        np.array([list(rows.values()) for rows in shapes.values()]),
    )


def weighed(path: Path) -> tuple[float, np.ndarray] | None:
    """Mass, and moments of inertia about the mass centre (3,), of the grid point weight generator, in the file's units, or None."""
    lines = lines_of(path)
    at = next((i for i, text in enumerate(lines) if WEIGHT in text), None)
    inertia = next((i for i, text in enumerate(lines) if at is not None and i > at and text.strip() == "I(S)"), None)
    if at is None or inertia is None:
        return None
    rows = [
        [number(value, path, inertia + k + 1) for value in lines[inertia + k].split() if value != "*"]
        for k in (1, 2, 3)
    ]
    if any(len(row) != 3 for row in rows):
        return None
    return number(lines[at + 1].split()[1], path, at + 2), np.diag(np.array(rows))
