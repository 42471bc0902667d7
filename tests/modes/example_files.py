"""Makes the finite-element files of examples/ anew: python -m tests.modes.example_files"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from tests.modes import ccx
from tests.modes.frames import BARS, PLACES, craig_bampton, frame, geometric_stiffness, lumped_mass, tensions

EXAMPLES = Path(__file__).parents[2] / "examples"
HONEYCOMB = (2000.0, 0.3, 1e-10)  # a sandwich as one material: E [MPa], ν, density [t/mm³]


def calculix_panel(folder: Path) -> None:
    """A solar panel 2 m × 0.6 m × 20 mm, clamped at its yoke: panel_ccx.frd, .dat and .inp."""
    nodes, elements = ccx.brick_mesh((6, 2, 1), (2000.0, 600.0, 20.0), (0.0, -300.0, -10.0))
    yoke = [n for n in ccx.at(nodes, 0, 0.0) if abs(nodes[n][1]) <= 150.0]
    with tempfile.TemporaryDirectory() as work:
        made = ccx.run(Path(work), "panel_ccx", ccx.deck(nodes, elements, HONEYCOMB, yoke, modes=8))
        for ending in (".frd", ".dat", ".inp"):
            (folder / f"panel_ccx{ending}").write_bytes(made.with_suffix(ending).read_bytes())


def nastran_boom(folder: Path) -> None:
    """A boom with two arms as an external superelement: root 1, interface 5, eight modes; every grid is recovered.

    boom_pulled.pch: its differential stiffness under 1 kN along x at grid 5."""
    from tests.modes.nastran_files import bar_cards, grid_cards, write_dmig, write_superelement

    _, stiffness = frame(PLACES, BARS, Iyz=(3e-8, 2e-8), J=2e-8)
    mass = lumped_mass(PLACES, BARS)
    boundary = np.r_[0:6, 24:30]
    mass, stiffness, T = craig_bampton(mass, stiffness, boundary, 8)
    rows = np.array([(p + 1, c + 1) for p in range(len(PLACES)) for c in range(6)])
    write_superelement(folder / "boom.op4", [0, 4], PLACES, mass, stiffness, 2e-4 * stiffness, mug1=T, tug1=rows)
    (folder / "boom.bdf").write_text(grid_cards(PLACES) + bar_cards(BARS, 4e-4, 2700.0))
    _, stiffness = frame(PLACES, BARS, Iyz=(3e-8, 2e-8), J=2e-8)
    pull = np.zeros_like(PLACES)
    pull[4] = [1000.0, 0.0, 0.0]
    added = T.T @ geometric_stiffness(PLACES, BARS, tensions(PLACES, BARS, stiffness, pull)) @ T
    index = [(p, c) for p in (1, 5) for c in range(1, 7)] + [(9001 + k, 0) for k in range(8)]
    write_dmig(folder / "boom_pulled.pch", index, {"KDAA": added})


if __name__ == "__main__":
    calculix_panel(EXAMPLES)
    nastran_boom(EXAMPLES)
