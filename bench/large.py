"""Chains of many bodies: what one generated function a kind costs and gains against flat C, as ratios of the same run.

Build: writing C and compiling it for the host. Evaluation: derivatives, through model exchange.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from fmpy.fmi2 import FMU2Model

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench.evaluation import best_of, chain, compiled
from dynamics.description import load_text
from fmu_src.build import build_native
from fmu_src.native import trace
from tests.catalogue_fmus import open_unpacked, unpack


def measured(links: int, limit: int) -> tuple[float, float]:
    """Seconds of the build and of one evaluation, with functions shared from `limit` states on."""
    trace.LARGE = limit
    system = load_text(chain(links))
    begin = time.perf_counter()
    folder = unpack(build_native, system)
    build = time.perf_counter() - begin
    return build, best_of(compiled(open_unpacked(folder, FMU2Model)[0], system.nx), 500)


def main() -> None:
    print(f"{'links':>6}{'build':>10}{'flat':>10}{'ratio':>8}{'evaluation':>14}{'flat':>12}{'ratio':>8}")
    for links in (10, 30, 100):
        (build, run), (flat_build, flat_run) = measured(links, 1), measured(links, 10**6)
        print(
            f"{links:>6}{build:>8.1f} s{flat_build:>8.1f} s{flat_build / build:>8.2f}"
            f"{run * 1e6:>11.2f} µs{flat_run * 1e6:>9.2f} µs{flat_run / run:>8.2f}"
        )


if __name__ == "__main__":
    main()
