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
from .neutral import ModalBody, Structure, in_si
from .solids import SOLIDS, nodal_mass
from .text import lines_of, number, whole
from .units import Units

KINDS = {1: "he8", 2: "pe6", 3: "te4", 4: "he20", 5: "pe15", 6: "te10"}  # of the .frd file
FLAT = {
    7: "tr3, a shell",
    8: "tr6, a shell",
    9: "qu4, a shell",
    10: "qu8, a shell",
    11: "be2, a beam",
    12: "be3, a beam",
}
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
                    f"{path.name} line {line} includes {text.partition('=')[2].strip()!r}, expected a file beside it"
                )
            yield from _with_includes(target, depth + 1)
        else:
            yield path, line, text


def read_frd(path: Path, units: Units) -> ModalBody:
    """Mesh and modes of a clamped model, in its own axes; its frame must be moved to the root."""
    names, positions, elements, materials, shapes, printed = _frd(path)
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


def _frd(path: Path):
    """Names, positions (P, 3), elements, material names, shapes (N, P, 3) and printed frequencies (N,) of an .frd file."""
    lines = lines_of(path)
    if not lines or lines[-1].strip() != "9999":
        raise ValueError(f"{path.name} does not end with 9999: it is truncated")
    names: dict[str, int] = {}
    found: dict[str, list[tuple[int, list[str]]]] = {}  # elements by kind: material, nodes
    moved: list[list[tuple[int, str]]] = []  # lines of each mode's displacements
    places, printed, materials = [], [], {}
    mode, value = None, None  # which block the rows belong to, and its eigenvalue
    code = 0  # of the kind of element
    for line, text in enumerate(lines, 1):
        mark = text[:6].strip()
        if mark in ("2C", "3C"):
            if text[73:75].strip() not in ("0", "1"):
                raise ValueError(
                    f"{path.name} is in the binary form of .frd, expected text (*NODE FILE, not OUTPUT=…BINARY)"
                )
            mode, wide = mark, 10 if text[73:75].strip() == "1" else 5
        elif text.startswith("    1UMAT"):
            materials[whole(text[9:14], path, line)] = text[14:].strip().upper()
        elif text.startswith("  100C"):
            mode, value = "100C", number(text[12:24], path, line)
        elif text.startswith(" -4"):
            mode = "DISP" if text[5:9] == "DISP" else None
            if mode and value is None:
                raise ValueError(f"{path.name} line {line} has displacements, expected their step (100C) before them")
            if mode:
                moved.append([])
                printed.append(value)
        elif text.startswith(" -3"):
            mode = None
        elif text.startswith(" -1") and mode == "2C":
            names[text[3 : 3 + wide].strip()] = len(names)
            places.append((line, text))
        elif text.startswith(" -1") and mode == "3C":
            cells = text[3:].split()
            code, material = whole(cells[1], path, line), whole(cells[3], path, line)
            if code not in KINDS:
                raise ValueError(
                    f"{path.name} line {line} has an element of kind {FLAT.get(code, code)}, expected solids ({', '.join(KINDS.values())})"
                )
            found.setdefault(KINDS[code], []).append((material, []))
        elif text.startswith(" -2") and mode == "3C":
            found[KINDS[code]][-1][1].extend(
                text[3 + wide * k : 3 + wide * (k + 1)].strip() for k in range((len(text) - 3) // wide)
            )
        elif text.startswith(" -1") and mode == "DISP":
            moved[-1].append((line, text))
    if not moved:
        raise ValueError(f"{path.name} has no displacements, expected a *FREQUENCY step with *NODE FILE and U")
    elements = []
    for kind, rows in found.items():
        try:
            nodes = np.array([[names[name] for name in row if name] for _, row in rows])
        except (KeyError, ValueError):
            raise ValueError(f"{path.name} has an element with nodes that the mesh lacks") from None
        if nodes.ndim != 2 or nodes.shape[1] != len(SOLIDS[kind].nodes):
            raise ValueError(f"{path.name} has an element of kind {kind} that has not {len(SOLIDS[kind].nodes)} nodes")
        elements.append((kind, nodes, [material for material, _ in rows]))
    shapes = np.zeros((len(moved), len(names), 3))
    for shape, shifts in zip(shapes, moved, strict=True):
        lacking = [text[3 : 3 + wide].strip() for _, text in shifts if text[3 : 3 + wide].strip() not in names]
        if lacking:
            raise ValueError(f"{path.name} has a displacement of the node {lacking[0]!r}, which the mesh lacks")
        shape[[names[text[3 : 3 + wide].strip()] for _, text in shifts]] = _triples(shifts, 3 + wide, path)
    return tuple(names), _triples(places, 3 + wide, path), elements, materials, shapes, np.array(printed)


def _triples(rows, start: int, path: Path) -> np.ndarray:
    """Three numbers of twelve columns each from (line, text) rows, all together; individually only to name a bad one."""
    cells = np.array([text[start : start + 36].ljust(36).encode("latin-1", "replace") for _, text in rows], "S36")
    try:
        values = cells.view("S12").astype(float).reshape(-1, 3)
    except ValueError:
        values = None
    if values is None or not np.all(np.isfinite(values)):
        return np.array(
            [[number(text[start + 12 * k : start + 12 * (k + 1)], path, line) for k in range(3)] for line, text in rows]
        )
    return values


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
