"""Cost of one evaluation in natural coordinates over the tree's, compiled C inside native FMUs, alternating in one run."""

from __future__ import annotations

import sys
from pathlib import Path

from fmpy.fmi2 import FMU2Model

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench.evaluation import best_of, compiled
from dynamics.natural.system import natural_system
from fmu_src import api
from fmu_src.build import build_native
from tests.catalogue_fmus import open_unpacked, unpack

ENTRIES = ("SpaceManipulatorPlanar", "SpaceManipulatorSpatial", "FourBar", "SpaceStation")


def cost(system) -> float:
    """Seconds an evaluation."""
    fmu, _ = open_unpacked(unpack(build_native, system), FMU2Model)
    return best_of(compiled(fmu, system.nx), 2000)


def main() -> None:
    print("entry                     states tree/natural   natural over tree")
    for name in ENTRIES:
        tree = api.load(name)
        natural = natural_system(tree.made_by[1])
        ratio = cost(natural) / cost(tree)
        print(f"{name:25s} {tree.nx:6d} / {natural.nx:<6d}      {ratio:8.1f}")


if __name__ == "__main__":
    main()
