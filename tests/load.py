"""FMUs under load, by figures: python -m tests.load [SCALE]

1000 instances, 8 threads × 10⁵ steps, 10⁷ steps of one instance, a soak of 10⁶ rounds (tests/fuzz/load.c), of HingedPanel in free motion
with `solver.method = explicit`. SCALE, default 1, multiplies all but the threads.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from spacefmu.fmu_src.interface.variables import variables_of
from tests.catalogue_fmus import system_of
from tests.fuzz.programs import program

ENTRY, KEPT, SPUN, STEP = "HingedPanel", "system.angular_momentum[3]", "hub.angular_velocity[3]", 0.01
PLAIN, THREADS = ("clang-19", "-O2"), ("clang-19", "-fsanitize=thread")


def load(folder: Path, scale: float, compiler=PLAIN) -> list[str]:
    """Lines of figures; a fault raises with its sentence."""
    system = system_of(ENTRY)
    references = {v.name: str(v.reference) for v in variables_of(system)}
    made = program(system, 2, folder / "load", compiler, ("load.c",))
    counts = [max(2, round(scale * each)) for each in (1000, 1e5, 1e7, 1e6)]
    line = [str(made), str(counts[0]), "8", *map(str, counts[1:]), str(STEP), references[KEPT], references[SPUN]]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return done.stdout.splitlines()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        print("\n".join(load(Path(name), float(sys.argv[1]) if len(sys.argv) > 1 else 1.0)))
