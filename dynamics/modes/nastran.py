"""Nastran's modes: eigenvectors of an OP2 or F06 file, grids and masses of the bulk data.

Shapes are those of the clamped structure (SOL 103 with SPC at the root, DISP = ALL, for OP2 with PARAM, POST, −1); masses are lumped at the
grids as Nastran's default is, and the orthogonality of the shapes shows whether both belong together.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from . import f06, pyyeti_files
from .bulk_mass import lumped
from .neutral import Lumps, ModalBody
from .pyyeti_files import bulk_cards, bulk_grids
from .units import Units

BULK = (".bdf", ".dat", ".nas")  # extensions of the bulk data next to the results


def read_modes(path: Path, units: Units, geometry: Path | None) -> ModalBody:
    """`geometry` is the bulk data file; without it one of the same name."""
    bulk = geometry or next((path.with_suffix(end) for end in BULK if path.with_suffix(end).is_file()), None)
    if bulk is None:
        raise ValueError(f"has no masses; put its bulk data {path.stem}.bdf in the same folder, or give geometry = …")
    grids = bulk_grids(bulk)
    results = f06 if path.suffix.lower() == ".f06" else pyyeti_files
    ids, frequencies, shapes = results.eigenvectors(path)
    lacking = [i for i in ids if i not in grids.places]
    if lacking:
        raise ValueError(f"has the grid {lacking[0]}, which {bulk.name} lacks: they are of different models")
    point_masses = lumped(bulk_cards(bulk), grids.places)
    outside = [grid for grid, mass in point_masses.mass.items() if mass > 0.0 and grid not in set(ids)]
    if outside:
        raise ValueError(
            f"has no displacements of the grid {outside[0]}, which has mass; write the results with DISP = ALL"
        )
    masses = point_masses.arrays(ids)[0]
    used = (masses > 0.0) | np.any(shapes != 0.0, axis=(0, 2))  # reference points of beams neither move nor have mass
    ids, shapes = [i for i, keep in zip(ids, used, strict=True) if keep], shapes[:, used]
    axes = np.array([grids.axes[i] for i in ids])
    translations, rotations = (np.einsum("npi,pij->npj", part, axes) for part in (shapes[:, :, :3], shapes[:, :, 3:]))
    lumps = Lumps(*point_masses.arrays(ids)).in_si(units)
    positions = np.array([grids.places[i] for i in ids]) * units.length
    integrals = lumps.integrals(positions, translations, rotations / units.length)
    square = (2.0 * np.pi * frequencies / units.time) ** 2
    said = results.weighed(path)
    return ModalBody(
        f"{path.name} (Nastran modes)",
        tuple(map(str, ids)),
        positions,
        translations,
        rotations / units.length,
        integrals,
        np.diag(square * np.diag(integrals.modal_mass)),
        np.zeros((len(square), len(square))),
        framed=False,
        printed=True,
        lumps=lumps,
        stated={} if said is None else {"mass": said[0] * units.mass, "inertia": said[1] * units.inertia},
    )
