"""Geometric stiffness of bodies from files: stiffness of the loaded structure minus that without loads.

A run's matrix is K_σ of the modes, or a file of the same kind as the body's own: CalculiX' matrices after a static step, whose loads stand in its deck, or
Nastran's stiffness with differential stiffness in it (KAA, KGG …) or only that (KDGG, KDAA …). A loaded run may be clamped: the root has no degrees of freedom then.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy  # imported only when used: most descriptions do not need it

from ..bodies.geometric import Geometric, Loading, geometric
from .calculix import deck_loads
from .clamp import Clamped
from .formats import FileOptions, format_of, read
from .neutral import ModalBody, Structure
from .units import Units


@dataclass(frozen=True)
class PreloadRun:
    """One entry of a description: its loading, and the matrix or the file."""

    loading: Loading
    matrix: np.ndarray | None = None
    file: Path | None = None


def geometric_of(
    runs: tuple[PreloadRun, ...], body: ModalBody, clamped: Clamped | None, given: FileOptions
) -> Geometric:
    """The matrices of a body's modes. `ValueError` names the file."""
    pairs = []
    for run in runs:
        if run.file is None:
            pairs.append((run.loading, np.asarray(run.matrix, float)))
            continue
        if clamped is None or body.shapes is None:
            raise ValueError(
                f"has only modes: geometric_stiffness must have a matrix of these modes instead of the file {run.file.name}: that needs the body's own matrices"
            )
        try:
            pairs.append(_from_file(run.file, run.loading, body.shapes, clamped, given))
        except ValueError as error:
            raise ValueError(f"has geometric_stiffness in {run.file.name}, which {error}") from None
    return geometric(pairs, body.count)


def _from_file(
    file: Path, loading: Loading, shapes, clamped: Clamped, given: FileOptions
) -> tuple[Loading, np.ndarray]:
    loaded = read(file, given)
    if not isinstance(loaded, Structure):
        raise ValueError("has modes, expected the stiffness of the loaded structure")
    own = clamped.structure
    at, kept = _places(own), _places(loaded)
    strange = next((place for place in kept if place not in at), None)
    if strange is not None:
        raise ValueError(f"has the degree of freedom {_said(strange)}, which {own.source} lacks")
    lost = next((place for place, i in at.items() if place not in kept and i in set(clamped.free)), None)
    if lost is not None and not loaded.differential:  # a punched matrix may omit zeros
        raise ValueError(f"lacks the degree of freedom {_said(lost)}; all except those of the root are required")
    rows = np.array([at[place] for place in kept])
    difference = scipy.sparse.csr_matrix(loaded.stiffness)
    if not loaded.differential:
        difference = difference - scipy.sparse.csr_matrix(own.stiffness)[rows][:, rows]
    if format_of(file).name == "CalculiX matrices":
        found = deck_loads(file.with_suffix(".inp"), given.units or Units(), clamped.origin)
        if found is not None and loading.factors(list(loading.forces)).any():
            raise ValueError("has GRAV or CENTRIF loads in its deck; remove the motion")
        if found is not None:
            loading = found
            difference = difference + _softening(own, found.angular_velocity)[rows][:, rows]
    part = shapes[rows]
    return loading, part.T @ (difference @ part)


def _places(structure: Structure) -> dict[tuple[str, int], int]:
    """(name of its node, component) → index of each degree of freedom; generalized coordinates are numbered, without a name."""
    found, generalized = {}, 0
    for i, (node, component) in enumerate(zip(structure.node, structure.component, strict=True)):
        place = (structure.names[node], int(component)) if node >= 0 else ("", generalized)
        generalized += node < 0
        found[place] = i
    return found


def _said(place: tuple[str, int]) -> str:
    return f"{place[1] + 1} of node {place[0]}" if place[0] else f"of generalized coordinate {place[1] + 1}"


def _softening(structure: Structure, omega):
    """m_pq (ω²E − ωωᵀ), (n, n): subtracted by CalculiX from the stiffness under a CENTRIF load; the equations of motion already contain it."""
    spun = omega @ omega * np.eye(3) - np.outer(omega, omega)
    moving = (structure.node >= 0) & (structure.component < 3)
    where = {(n, c): i for i, (n, c) in enumerate(zip(structure.node, structure.component, strict=True)) if moving[i]}
    entries = [
        (i, where[node, other], spun[component, other])
        for (node, component), i in where.items()
        for other in range(3)
        if (node, other) in where
    ]
    rows, columns, values = zip(*entries, strict=True)
    turned = scipy.sparse.csr_matrix((values, (rows, columns)), (structure.count, structure.count))
    softened = scipy.sparse.csr_matrix(structure.mass) @ turned
    return 0.5 * (softened + softened.T)
