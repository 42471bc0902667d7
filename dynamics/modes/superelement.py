"""Nastran external superelements: EXTSEOUT with .op4, .asm and .pch, and DMIG matrices with their grids."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import scipy  # imported only when used: most descriptions do not need it

from .bulk_mass import lumped
from .neutral import Lumps, Structure, in_si
from .pyyeti_files import Grids, assembly, bulk_cards, bulk_grids, dmig, matrices, recovered_rows
from .units import Units

# names of a matrix in OP4 files and DMIG entries, by solver and form of EXTSEOUT
MASS = ("mxx", "maa", "maax", "maa1", "m2gg", "mgg")
STIFFNESS = ("kxx", "kaa", "kaax", "kaa1", "k2gg", "kgg")
DIFFERENTIAL = ("kdgg", "kdxx", "kdaa", "kdff", "kdnn", "kdjj")  # geometric stiffness by loads
VISCOUS = ("bxx", "bxx1", "baa", "baax", "b2gg")
STRUCTURAL = ("k4xx", "k4xx1", "k4aa", "k4aax", "k42gg")


def read_superelement(path: Path, units: Units, geometry: Path | None) -> Structure:
    """`path` is the .op4 file; .asm and .pch of the same name stand beside it. `geometry`: bulk data with recovered grids."""
    found = matrices(path)
    grids = assembly(path.with_suffix(".asm"))
    size = len(grids.ids)
    mass, stiffness = _one_of(found, MASS, size), _one_of(found, STIFFNESS, size)
    differential = _one_of(found, DIFFERENTIAL, size)
    if differential is not None:
        return in_si(_differential(path, grids, differential), units)
    if mass is None or stiffness is None:
        raise ValueError(
            f"has the matrices {', '.join(found)}, expected mass (MXX or MAA) and stiffness (KXX or KAA) of {size} × {size}"
        )
    structure = _structure(f"{path.name} (Nastran superelement)", grids, mass, stiffness, _one_of(found, VISCOUS, size))
    notes = list(structure.notes)
    if _one_of(found, STRUCTURAL, size) is not None:
        notes.append(
            "structural damping (K4) is ignored: it is not defined in the time domain; give damping = … instead"
        )
    recovery = _recovery(path, found, grids, geometry, structure)
    return in_si(Structure(**{**structure.__dict__, **recovery, "notes": tuple(notes)}), units)


def read_dmig(path: Path, units: Units, geometry: Path | None) -> Structure:
    """Mass (MAAX, M2GG, …) and stiffness as DMIG in bulk data; grids there too, or in `geometry`."""
    found = dmig(path)
    names = {
        kind: next((name for name in options if name in found), None)
        for kind, options in (("M", MASS), ("K", STIFFNESS), ("B", VISCOUS))
    }
    added = next((name for name in DIFFERENTIAL if name in found), None)
    names = names if added is None else {"M": None, "K": added, "B": None}
    if names["K"] is None or (added is None and names["M"] is None):
        raise ValueError(
            f"has the DMIG matrices {', '.join(found) or 'none'}, expected mass (MAAX) and stiffness (KAAX)"
        )
    rows = found[names["K"]][0]
    places = bulk_grids(geometry or path)
    grids = Grids(
        rows[:, 0], np.where([i in places.places for i in rows[:, 0]], rows[:, 1], -1), places.places, places.axes
    )

    def ordered(name):
        """The matrix over the degrees of freedom of the stiffness; missing entries are zero."""
        index, matrix = found[name]
        at = {tuple(row): k for k, row in enumerate(rows)}
        if any(tuple(row) not in at for row in index):
            raise ValueError(f"has {name.upper()} over degrees of freedom that {names['K'].upper()} lacks")
        whole, to = np.zeros((len(rows), len(rows))), [at[tuple(row)] for row in index]
        whole[np.ix_(to, to)] = matrix
        return whole

    if added is not None:
        return in_si(_differential(path, grids, ordered(added)), units)
    matrices_found = [ordered(names[kind]) if names[kind] else None for kind in "MKB"]
    return in_si(_structure(f"{path.name} (Nastran DMIG)", grids, *matrices_found), units)


def _one_of(found, names, size):
    """The first matrix of these names that is of the right size and not zero; a 1 × 1 zero stands for none."""
    for name in names:
        matrix = found.get(name)
        if matrix is not None and matrix.shape == (size, size) and np.any(matrix):
            return matrix
        if matrix is not None and matrix.shape not in ((1, 1), (size, size)):
            raise ValueError(
                f"has {name.upper()} of {' × '.join(map(str, matrix.shape))}, expected {size}: the degrees of freedom of its .asm file"
            )
    return None


def _structure(source, grids: Grids, mass, stiffness, damping) -> Structure:
    """Matrices in the basic system: displacements u_local = C u_basic, so M → CᵀMC."""
    boundary = list(dict.fromkeys(int(i) for i, c in zip(grids.ids, grids.components, strict=True) if c >= 0))
    place = {grid: index for index, grid in enumerate(boundary)}
    node = np.array([place[int(i)] if c >= 0 else -1 for i, c in zip(grids.ids, grids.components, strict=True)])
    turned = _to_local(grids)
    mass, stiffness = (
        _symmetric(turned.T @ matrix @ turned, name) for matrix, name in ((mass, "mass"), (stiffness, "stiffness"))
    )
    if damping is not None:
        damping = turned.T @ damping @ turned
    positions = np.array([grids.places[grid] for grid in boundary]).reshape(-1, 3)
    return Structure(
        source, tuple(map(str, boundary)), positions, node, np.maximum(grids.components, 0), mass, stiffness, damping
    )


def _differential(path: Path, grids: Grids, stiffness) -> Structure:
    """Only the stiffness added by loads (preload.py)."""
    nothing = np.zeros_like(stiffness)
    return replace(_structure(f"{path.name} (Nastran)", grids, nothing, stiffness, None), differential=True)


def _symmetric(matrix, name):
    size = np.abs(matrix).max()
    if np.abs(matrix - matrix.T).max() > 1e-6 * size:
        raise ValueError(
            f"has a {name} matrix that is not symmetric, by {np.abs(matrix - matrix.T).max() / size:.2g} of its largest entry"
        )
    return 0.5 * (matrix + matrix.T)


def _to_local(grids: Grids):
    """C (n, n): displacement axes of each grid from basic ones, for its translations and for its rotations."""
    rows, columns, values = list[int](), list[int](), list[float]()
    where = {(int(i), int(c)): k for k, (i, c) in enumerate(zip(grids.ids, grids.components, strict=True))}
    for (grid, component), k in where.items():
        axes = grids.axes.get(grid)
        if component < 0 or axes is None or np.allclose(axes, np.eye(3)):
            rows, columns, values = [*rows, k], [*columns, k], [*values, 1.0]
            continue
        triad = [(grid, 3 * (component // 3) + axis) for axis in range(3)]
        if any(degree not in where for degree in triad):
            raise ValueError(
                f"has the grid {grid} with some of its degrees of freedom, in axes of its own, expected all of them (or basic axes)"
            )
        rows, columns = [*rows, k, k, k], [*columns, *(where[degree] for degree in triad)]
        values = [*values, *axes[component % 3]]
    return scipy.sparse.csr_matrix((values, (rows, columns)), (len(where), len(where)))


def _recovery(path: Path, found, grids: Grids, geometry, structure: Structure) -> dict:
    """Displacements of further grids, MUG1 over the boundary's degrees of freedom; their places and masses stand in `geometry`."""
    table = found.get("mug1")
    punched = path.with_suffix(".pch")
    if table is None or table.shape[1] != structure.count or geometry is None or not punched.is_file():
        return {}
    rows = recovered_rows(punched)
    more = bulk_grids(geometry)
    if rows is None or len(rows) != len(table):
        return {}
    names = list(structure.names)
    extra = [int(i) for i in dict.fromkeys(rows[:, 0]) if str(int(i)) not in names and int(i) in more.places]
    names += map(str, extra)
    place = {name: index for index, name in enumerate(names)}
    recovery, known = np.zeros((6 * len(names), structure.count)), np.zeros(6 * len(names), bool)
    basic = table @ _to_local(grids)
    for k, (grid, component) in enumerate(rows):
        if int(grid) in more.axes and str(int(grid)) in place and component >= 0:
            axis = more.axes[int(grid)][component % 3]  # a row of local displacement is a sum over basic axes: C⁻¹ = Cᵀ
            start = 6 * place[str(int(grid))] + 3 * (component // 3)
            recovery[start : start + 3] += np.outer(axis, basic[k])
            known[start : start + 3] = True
    positions = np.vstack([structure.positions, *(more.places[grid][None] for grid in extra)])
    masses = lumped(bulk_cards(geometry), more.places)
    everywhere = masses.mass and all(str(grid) in place for grid, mass in masses.mass.items() if mass > 0.0)
    lumps = Lumps(*masses.arrays([int(name) for name in names])) if everywhere else None
    return {"names": tuple(names), "positions": positions, "recovery": recovery, "recovered": known, "lumps": lumps}
