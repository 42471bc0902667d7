"""Cost of one evaluation in natural coordinates over the tree's, compiled C inside native FMUs, alternating in one run."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench.evaluation import best_of, compiled
from dynamics.natural.system import natural_system
from fmu_src import api
from fmu_src.build import build_native
from tests.catalogue_fmus import open_unpacked, unpack

ENTRIES = ("SpaceManipulatorPlanar", "SpaceManipulatorSpatial", "FourBar", "SpaceStation")


def cost(system, folder: Path) -> float:
    """Seconds an evaluation."""
    folder.mkdir()
    fmu = build_native(system, folder / f"{system.name}.fmu", ("host",))
    return best_of(compiled(open_unpacked(unpack(fmu)), system.nx), 2000)


def main() -> None:
    print("entry                     states tree/natural   natural over tree")
    for name in ENTRIES:
        tree = api.load(name)
        natural = natural_system(tree.made_by[1])
        with tempfile.TemporaryDirectory() as folder:
            ratio = cost(natural, Path(folder, "natural")) / cost(tree, Path(folder, "tree"))
        print(f"{name:25s} {tree.nx:6d} / {natural.nx:<6d}      {ratio:8.1f}")


if __name__ == "__main__":
    main()
