"""The table of readers: one row per format. Each returns a `ModalBody` or a `Structure`, or raises a `ValueError` of one sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .calculix import read_frd, read_matrices
from .flex42 import read_flex42
from .neutral import Lumps, ModalBody, Structure
from .sid import read_sid
from .tables import read_nodal_table
from .units import Units


@dataclass(frozen=True)
class FileOptions:
    """Further data from a description: units, a second file, and the rigid-body properties if the file has none."""

    units: Units | None = None
    geometry: Path | None = None
    mass: float | None = None
    mass_center: tuple[float, float, float] = (0.0, 0.0, 0.0)
    inertia: np.ndarray | None = None


@dataclass(frozen=True)
class Format:
    """`endings`: file extensions; `beside`: extensions of files of the same name that are also read; `si`: the units are fixed."""

    name: str
    endings: tuple[str, ...]
    read: Callable[[Path, Units, FileOptions], ModalBody | Structure]
    beside: tuple[str, ...] = ()
    si: bool = False


def _table(path: Path, units: Units, given: FileOptions) -> ModalBody:
    """A nodal table (docs/descriptions/bodies.md), always in SI, clamped at the origin."""
    table = read_nodal_table(path)
    lumps = Lumps(table.masses, table.inertias, table.offsets)
    integrals = lumps.integrals(table.positions, table.translations, table.rotations)
    angular = 2.0 * np.pi * table.frequencies
    modal_mass = np.diag(integrals.modal_mass)
    return ModalBody(
        f"{path.name} (nodal table)",
        table.names,
        table.positions,
        table.translations,
        table.rotations,
        integrals,
        np.diag(modal_mass * angular**2),
        np.diag(2.0 * table.damping * modal_mass * angular),
        printed=True,
        lumps=lumps,
    )


def _flex42(path: Path, units: Units, given: FileOptions) -> ModalBody:
    if given.mass is None or given.inertia is None:
        raise ValueError("has no mass (42 has it in the spacecraft file); give mass, mass_center and inertia")
    return read_flex42(path, units, given.geometry, given.mass, given.mass_center, given.inertia)


def _superelement(path: Path, units: Units, given: FileOptions) -> Structure:
    from .superelement import read_superelement  # pyyeti takes a second to import

    return read_superelement(path, units, given.geometry)


def _dmig(path: Path, units: Units, given: FileOptions) -> Structure:
    from .superelement import read_dmig

    return read_dmig(path, units, given.geometry)


def _nastran_modes(path: Path, units: Units, given: FileOptions) -> ModalBody:
    from .nastran import read_modes

    return read_modes(path, units, given.geometry)


FORMATS = (
    Format("nodal table", (".csv", ".json", ".npz"), _table, si=True),
    Format("SID", (".sid_fem", ".sid"), lambda path, units, _: read_sid(path, units)),
    Format("42 flex file", (".txt",), _flex42),
    Format("CalculiX matrices", (".sti",), lambda path, units, _: read_matrices(path, units), (".mas", ".dof", ".inp")),
    Format("Nastran external superelement", (".op4",), _superelement, (".asm", ".pch")),
    Format("Nastran modes", (".op2", ".f06"), _nastran_modes, (".bdf", ".dat", ".nas")),
    Format("Nastran DMIG", (".pch", ".dmig"), _dmig),
    Format("CalculiX modes", (".frd",), lambda path, units, _: read_frd(path, units), (".dat", ".inp")),
)


def format_of(path: Path) -> Format:
    for row in FORMATS:
        if path.suffix.lower() in row.endings:
            return row
    known = ", ".join(ending for row in FORMATS for ending in row.endings)
    raise ValueError(
        f"{f'ends in {path.suffix!r}' if path.suffix else 'has no file extension'}, expected one of {known}"
    )


def beside(path: Path) -> list[Path]:
    """The files that are read together with this one."""
    endings = {ending for row in FORMATS if path.suffix.lower() in row.endings for ending in row.beside}
    return [more for ending in sorted(endings) if (more := path.with_suffix(ending)).is_file()]


def read(path: Path, given: FileOptions) -> ModalBody | Structure:
    """The file's contents in SI. `ValueError` has its fault, in one sentence that continues from the file's name."""
    row = format_of(path)
    if not path.is_file():
        raise ValueError("does not exist; paths are relative to the description")
    if row.si and given.units not in (None, Units()):
        raise ValueError('is in SI; units must be "SI", or left out')
    if not row.si and given.units is None:
        raise ValueError('has no units; give units = "SI", "mm-t-s", … or { length, mass, time } in SI')
    try:
        return row.read(path, given.units or Units(), given)
    except ValueError:
        raise
    except OSError as error:
        raise ValueError(f"can't be read: {error.strerror}") from None
    except (
        IndexError,
        KeyError,
        OverflowError,
        MemoryError,
        TypeError,
        EOFError,
    ) as error:  # a damaged file that no check has caught
        raise ValueError(f"is damaged: it can't be read as {row.name} ({type(error).__name__})") from None
