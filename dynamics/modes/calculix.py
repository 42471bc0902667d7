"""CalculiX: the matrices of a free structure (.sti, .mas, .dof), or the mesh and modes of a clamped one (.frd, .dat, .inp).

Matrices come from a step `*FREQUENCY, SOLVER=MATRIXSTORAGE` without supports; coordinates from the .inp file beside them, exact.
Modes come from an ordinary `*FREQUENCY` step: the .frd file has mesh and shapes (six digits), the .dat file the frequencies (seven)
and effective masses; densities stand in the .inp file. Shapes are mass-normalized there, which proves the masses found here.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy  # imported only when used: most descriptions do not need it

from ..bodies.geometric import Loading
from ..bodies.integrals import integrals_of_moments
from . import frd
from .neutral import ModalBody, Structure, in_si
from .solids import nodal_mass
from .text import lines_of, number
from .units import Units

NORMALIZED = 0.02  # allowed difference of ∫φ·φ dm from 1: beyond it, masses and shapes are not of the same model


def read_matrices(path: Path, units: Units) -> Structure:
    """`path` is the .sti file; .mas, .dof and .inp of the same name stand beside it."""
    places = _deck(path.with_suffix(".inp"))[0]
    owners, component = [], []
    names = {name: index for index, name in enumerate(places)}
    dof = path.with_suffix(".dof")
    for line, text in enumerate(lines_of(dof), 1):
        name, _, axis = text.strip().partition(".")
        if not name.isdigit() or axis not in ("1", "2", "3"):
            raise ValueError(f"{dof.name} line {line} has {text.strip()!r}, expected NODE.1 to NODE.3")
        owners.append(names.get(name, -1))  # nodes that CalculiX adds carry the inner modes of C3D8I elements
        component.append(int(axis) - 1)
    size, node = len(owners), np.array(owners)
    used = np.zeros(len(places), bool)
    used[node[node >= 0]] = True
    index = np.where(node >= 0, np.cumsum(used)[node] - 1, -1)
    return in_si(
        Structure(
            f"{path.name} (CalculiX)",
            tuple(name for name, keep in zip(places, used, strict=True) if keep),
            np.array(list(places.values()))[used],
            index,
            np.array(component),
            _triangle(path.with_suffix(".mas"), size),
            _triangle(path, size),
        ),
        units,
    )


def _triangle(path: Path, size: int):
    """A symmetric matrix from `row column value` of its upper half."""
    lines = lines_of(path)
    try:
        table = np.loadtxt(lines, ndmin=2) if lines else np.zeros((0, 3))
    except ValueError:
        bad = next((k for k, line in enumerate(lines, 1) if not _three_numbers(line)), 1)
        raise ValueError(f"{path.name} line {bad} has {lines[bad - 1][:40]!r}, expected row, column, value") from None
    if table.shape[1:] != (3,):
        raise ValueError(f"{path.name} has {table.shape[1]} columns, expected row, column, value")
    rows, columns = table[:, 0].astype(int) - 1, table[:, 1].astype(int) - 1
    if (
        not np.all(np.isfinite(table))
        or len(table) == 0
        or min(rows.min(), columns.min()) < 0
        or max(rows.max(), columns.max()) >= size
    ):
        raise ValueError(f"{path.name} has entries outside its {size} degrees of freedom, or that are not finite")
    upper = scipy.sparse.coo_matrix((table[:, 2], (rows, columns)), (size, size)).tocsr()
    return upper + scipy.sparse.triu(upper, 1).T


def _three_numbers(line: str) -> bool:
    try:
        return len([float(word) for word in line.split()]) == 3
    except ValueError:
        return False


def _deck(path: Path) -> tuple[dict[str, tuple[float, float, float]], dict[str, float]]:
    """Nodes {name: position} and densities {material: value} of an .inp file; its includes beside it are read too."""
    nodes: dict[str, tuple[float, float, float]] = {}
    densities: dict[str, float] = {}
    keyword, material = "", ""
    for file, line, text in _with_includes(path):
        if text.startswith("*"):
            words = [word.strip().upper() for word in text.split(",")]
            keyword = words[0].replace(" ", "")
            if keyword == "*MATERIAL":
                material = next((word.partition("=")[2].strip() for word in words[1:] if word.startswith("NAME")), "")
        elif keyword == "*NODE":
            cells = [cell for cell in text.split(",") if cell.strip()]
            if len(cells) < 4:
                raise ValueError(f"{file.name} line {line} has {text[:40]!r}, expected a node with three coordinates")
            x, y, z = (number(cell, file, line) for cell in cells[1:4])
            nodes[cells[0].strip()] = (x, y, z)
        elif keyword == "*DENSITY" and material not in densities:
            densities[material] = number(text.split(",")[0], file, line)
    if not nodes:
        raise ValueError(f"{path.name} has no *NODE, expected the nodes of the mesh")
    return nodes, densities


def deck_loads(path: Path, units: Units, origin) -> Loading | None:
    """The motion of the body's frame at `origin` (3,) [m] that loads a deck by its GRAV and CENTRIF, or None if it has neither.

    GRAV: a field g along a direction pulls as the acceleration −g does. CENTRIF: ω², a point p and the axis, with p off the frame an acceleration
    of the frame as well, −ω×(ω×(p − origin)).
    """
    keyword, found = "", dict[tuple, str]()  # loads, each once: a deck may give it to several sets of elements
    for file, line, text in _with_includes(path):
        if text.startswith("*"):
            keyword = text.split(",")[0].replace(" ", "").upper()
            continue
        cells = [cell.strip() for cell in text.split(",")]
        if keyword != "*DLOAD" or len(cells) < 6 or cells[1].upper() not in ("GRAV", "CENTRIF"):
            continue
        found[tuple(number(cell, file, line) for cell in cells[2:] if cell)] = cells[1].upper()
    if len(set(found.values())) < len(found):
        raise ValueError(f"has several GRAV or CENTRIF loads that differ in {path.name}, expected one of each")
    acceleration, omega = np.zeros(3), np.zeros(3)
    for (size, *vector), kind in found.items():
        if kind == "GRAV":
            acceleration = acceleration - size * np.array(vector[:3]) * units.length / units.time**2
        else:
            axis = np.array(vector[3:6])
            omega = np.sqrt(size) / units.time * axis / np.linalg.norm(axis)
            arm = np.asarray(origin) - np.array(vector[:3]) * units.length
            acceleration = acceleration + np.cross(omega, np.cross(omega, arm))
    return Loading(acceleration, angular_velocity=omega) if found else None


def _with_includes(path: Path, depth: int = 0):
    """(file, line number, text) of a deck; `*INCLUDE` may name files in its own folder and below."""
    for line, text in enumerate(lines_of(path), 1):
        text = text.strip()
        if text.startswith("**") or not text:
            continue
        if text.upper().replace(" ", "").startswith("*INCLUDE"):
            target = (path.parent / text.partition("=")[2].strip().strip("\"'")).resolve()
            if depth > 8 or not target.is_relative_to(path.parent.resolve()):
                raise ValueError(
                    f"{path.name} line {line} includes {text.partition('=')[2].strip()!r}, which must be a file in the same folder"
                )
            yield from _with_includes(target, depth + 1)
        else:
            yield path, line, text


def read_frd(path: Path, units: Units) -> ModalBody:
    """Mesh and modes of a clamped model, in its own axes; its frame must be moved to the root."""
    names, positions, elements, materials, shapes, printed = frd.read(path)
    frequencies = _frequencies(path.with_suffix(".dat"), printed)
    densities = _deck(path.with_suffix(".inp"))[1]
    lacking = sorted(
        {material for _, _, material in elements for material in material if materials.get(material) not in densities}
    )
    if lacking:
        raise ValueError(f"{path.stem}.inp has no *DENSITY of the material {materials.get(lacking[0], lacking[0])!r}")
    grouped = [
        (kind, nodes, np.array([densities[materials[m]] for m in material])) for kind, nodes, material in elements
    ]
    nodal = nodal_mass(positions * units.length, [(k, n, d * units.mass / units.length**3) for k, n, d in grouped])
    # mass-normalized in the file's units, ∫φ·φ dm = 1 unit of mass; φ in m/m has the same numbers
    field = shapes.transpose(1, 0, 2).reshape(len(names), -1)
    weighted, n, rho = nodal @ field, len(shapes), positions * units.length
    integrals = integrals_of_moments(
        nodal.sum(),
        np.asarray(nodal.sum(axis=0)).ravel() @ rho,
        rho.T @ (nodal @ rho),
        weighted.sum(axis=0).reshape(n, 3).T,
        (rho.T @ weighted).reshape(3, n, 3).transpose(1, 0, 2),
        (field.T @ weighted).reshape(n, 3, n, 3).transpose(0, 2, 1, 3),
    )
    normal = np.diag(integrals.modal_mass) / units.mass
    if np.max(np.abs(normal - 1.0)) > NORMALIZED:
        raise ValueError(
            f"has shapes with ∫φ·φ dm = {normal[np.argmax(np.abs(normal - 1.0))]:.4g} for the masses of its elements, expected 1: "
            "point masses, inner modes of C3D8I and elements other than solids carry mass that the file does not tell; use MATRIXSTORAGE (.sti)"
        )
    square = (2.0 * np.pi * frequencies / units.time) ** 2
    return ModalBody(
        f"{path.name} (CalculiX)",
        names,
        rho,
        shapes,
        None,
        integrals,
        np.diag(square * np.diag(integrals.modal_mass)),
        np.zeros((n, n)),
        framed=False,
        printed=True,
        stated={"mass-normalized to": float(np.max(np.abs(normal - 1.0)))},
    )


def _frequencies(path: Path, printed) -> np.ndarray:
    """Frequencies [1/time] from the .dat file if it exists (seven digits), else as printed in the .frd file (six)."""
    if not path.is_file():
        return printed
    lines = lines_of(path)
    start = next((k for k, text in enumerate(lines) if "E I G E N V A L U E   O U T P U T" in text), None)
    if start is None:
        raise ValueError(f"{path.name} has no eigenvalue output, expected that of a *FREQUENCY step")
    found = []
    for line, text in enumerate(lines[start + 1 :], start + 2):
        cells = text.split()
        if cells and cells[0].isdigit():
            found.append(number(cells[3], path, line))
        elif found:
            break
    if len(found) != len(printed) or np.any(np.abs(np.array(found) - printed) > 1e-4 * np.abs(printed)):
        raise ValueError(
            f"{path.name} lists other frequencies than {path.stem}.frd: the two files are of different runs"
        )
    return np.array(found)
