"""What a beaded cable costs as its beads double, as ratios measured in the same run.

One evaluation of the equations of motion in compiled C should take at most twice as long. The run of one second passes a
wave in which every segment goes slack, an event each. Steps of an explicit solver grow with N because the chain's highest
frequency 2 √(k N (N + 1)/m) does, and with N² where its damping 4 c N (N + 1)/m limits them.

    python bench/beads.py [N N …]
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from pathlib import Path

from fmpy.fmi2 import FMU2Model

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench.evaluation import best_of, compiled
from dynamics.description import load_text
from tests.catalogue_fmus import close_fmu, open_unpacked
from tests.fmi.conftest import Built, Unit, unpack

TEXT = (Path(__file__).parent.parent / "examples" / "couplings_beaded.toml").read_text("utf-8")


def a_second(built: Built) -> tuple[float, list[str]]:
    """Seconds for one second of motion in one communication step, and (steps, rejected, events, evaluations) of it."""
    unit = Unit(built)
    unit.fmu.setDebugLogging(True, [])
    unit.initialize()
    begin = time.perf_counter()
    unit.run(1.0, 1.0)
    taken = time.perf_counter() - begin
    unit.fmu.terminate()
    statistics = next(message for _, _, message in reversed(unit.log) if "evaluations" in message)
    unit.free()
    return taken, re.findall(r"\d+", statistics)


def main(sizes: list[int]) -> None:
    print(
        f"{'beads':>6}{'evaluation':>13}{'ratio':>7}{'a second':>12}{'ratio':>7}   steps, rejected, events, evaluations"
    )
    before = None
    for beads in sizes:
        system = load_text(TEXT.replace("beads = 20", f"beads = {beads}"))
        with tempfile.TemporaryDirectory() as folder:
            built = unpack(system, Path(folder) / "beads")
            fmu, _ = open_unpacked(built.folder, FMU2Model)
            one = best_of(compiled(fmu, system.nx), 200)
            close_fmu(fmu)
            run, counts = min(a_second(built) for _ in range(3))
        ratios = (f"{one / before[0]:.2f}", f"{run / before[1]:.2f}") if before else ("", "")
        print(
            f"{beads:>6}{one * 1e6:>10.1f} µs{ratios[0]:>7}{run:>10.3f} s{ratios[1]:>7}   {', '.join(counts)}",
            flush=True,
        )
        before = one, run


if __name__ == "__main__":
    main([int(text) for text in sys.argv[1:]] or [25, 50, 100, 200])
