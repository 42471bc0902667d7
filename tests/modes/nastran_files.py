"""Nastran files made here: OP2 with eigenvectors, record by record; bulk data; external superelements by pyyeti's own writer."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pandas as pd
from pyyeti.nastran import bulk, n2p


def _record(data: bytes) -> bytes:
    return struct.pack("<i", len(data)) + data + struct.pack("<i", len(data))


def _key(number: int) -> bytes:
    return _record(struct.pack("<i", number))


def write_op2(path: Path, ids, frequencies, shapes) -> None:
    """An OUGV1 table of real eigenvectors: shapes (N, P, 6) in displacement axes. The layout is that of Nastran's own files."""
    out = _key(3) + _record(struct.pack("<3i", 1, 26, 12)) + _key(7) + _record(b"NASTRAN FORT TAPE ID CODE - ")
    out += _key(2) + _record(b"XXXXXXXX") + _key(-1) + _key(0)
    out += (
        _key(2)
        + _record(b"OUGV1   ")
        + _key(-1)
        + _key(7)
        + _record(struct.pack("<7i", 101, 0, 18480, 0, 0, 0, 1))
        + _key(-2)
    )
    out += _key(1) + _key(0) + _key(7) + _record(b"OUG1    " + struct.pack("<5i", 1, 26, 12, 0, 1)) + _key(-3)
    count = -4
    for number, (frequency, shape) in enumerate(zip(frequencies, shapes, strict=True), 1):
        ident = struct.pack("<5if", 21, 7, 0, 1, number, (2 * np.pi * frequency) ** 2) + struct.pack(
            "<140i", 0, 0, 1, 8, *([0] * 136)
        )
        rows = b"".join(struct.pack("<2i6f", 10 * int(i) + 1, 1, *row) for i, row in zip(ids, shape, strict=True))
        for data in (ident, rows):
            out += _key(1) + _key(0) + _key(len(data) // 4) + _record(data) + _key(count)
            count -= 1
    path.write_bytes(out + _key(1) + _key(0) + _key(0) + _key(0))


def write_f06(path: Path, ids, frequencies, shapes, grids_a_page=4) -> None:
    """Printed eigenvectors as Nastran lays them out: a heading a page, zeros as 0.0, a message and a scalar point in between."""
    lines = ["1    TITLE                                                NASTRAN   PAGE     1", "0   G E N E R A L   E C H O", "         1      G   not a row of a mode"]  # fmt: skip
    for mode, (frequency, shape) in enumerate(zip(frequencies, shapes, strict=True), 1):
        rows = list(zip(ids, shape, strict=True))
        for first in range(0, len(rows), grids_a_page):
            lines += [
                "1    TITLE                                                NASTRAN   PAGE     2",
                "0" + 30 * " " + "SUBCASE 1",
            ]
            lines += [f"      EIGENVALUE = {(2 * np.pi * frequency) ** 2:13.6E}"]
            lines += [
                f"          CYCLES = {frequency:13.6E}         R E A L   E I G E N V E C T O R   N O . {mode:10d}",
                "",
            ]
            lines += [
                "      POINT ID.   TYPE          T1             T2             T3             R1             R2             R3"
            ]
            for grid, row in rows[first : first + grids_a_page]:
                values = "".join(f"{value:15.6E}" if value else "   0.0         " for value in row)
                lines.append(f"{int(grid):14d}      G   {values}")
        lines.append("          9001      S      1.000000E+00")
    path.write_text("\n".join(lines) + "\n")


# displacement axes of some grids: y, z, x of the basic system, as CORD2R 10 below
TURNED = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
CORD2R = "CORD2R,10,0,0.,0.,0.,1.,0.,0.\n,0.,1.,0.\n"


def grid_cards(places, turned=()) -> str:
    """Grids 1, 2, …; those in `turned` have displacement axes of their own."""
    rows = [
        f"GRID,{p + 1},0,{x!r},{y!r},{z!r},{10 if p in turned else 0}"
        for p, (x, y, z) in enumerate(np.asarray(places).tolist())
    ]
    return CORD2R + "\n".join(rows) + "\n"


def bar_cards(bars, area, density, young=70e9, shear=26e9) -> str:
    rows = [f"CBAR,{k},1,{a + 1},{b + 1},0.,0.,1." for k, (a, b) in enumerate(bars, 1)]
    return "\n".join(rows) + f"\nPBAR,1,1,{area!r},1e-5,8e-6,9e-6\nMAT1,1,{young!r},{shear!r},,{density!r}\n"


def turning(turned, nodes: int) -> np.ndarray:
    """C (6P, 6P): displacements in the grids' own axes from basic ones."""
    C = np.eye(6 * nodes)
    for p in turned:
        C[6 * p : 6 * p + 3, 6 * p : 6 * p + 3] = C[6 * p + 3 : 6 * p + 6, 6 * p + 3 : 6 * p + 6] = TURNED
    return C


def write_superelement(path: Path, boundary, places, mass, stiffness, damping=None, turned=(), **more) -> None:
    """EXTSEOUT's three files: boundary nodes (indices) first, then generalized coordinates."""
    uset = None
    for p in boundary:
        axes = np.array([[10, 1, 0], [0, 0, 0], [1, 0, 0], [0, 1, 0]], float) if p in turned else 0
        uset = n2p.addgrid(uset, p + 1, "b", 0, places[p], axes)
    given = {"maa": mass, "kaa": stiffness} | ({} if damping is None else {"baa": damping}) | more
    bulk.wtextseout(
        str(path.with_suffix("")), se=100, bset=np.arange(6 * len(boundary)), uset=uset, spoint1=9001, **given
    )


def write_dmig(path: Path, index, matrices) -> None:
    """Matrices by name over (grid, component), component 0 for scalar points."""
    axes = pd.MultiIndex.from_tuples([tuple(map(int, row)) for row in index], names=["id", "dof"])
    bulk.wtdmig(str(path), {name: pd.DataFrame(matrix, axes, axes) for name, matrix in matrices.items()})
