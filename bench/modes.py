"""A body of many modes: size of the C, time to write and to compile it, and one evaluation, with tables as data against written out.

`python bench/modes.py [modes …]`: hub and hinged panel; with `carried` a body at a node of the panel; with `flat` written-out C beside.
Times are CPU time of this process and of the compiler; the evaluation is of the derivatives, through model exchange.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench.driver import FMU2Model, Unit
from bench.timing import alternate
from spacefmu.dynamics.algebra import scalar
from spacefmu.dynamics.description import load_text
from spacefmu.dynamics.spacecraft import system as spacecraft_system
from spacefmu.fmu_src.build import build_native
from spacefmu.fmu_src.interface.variables import variables_of
from spacefmu.fmu_src.native.c.generator import generate
from tests.large_crafts import many_modes


def measured(modes: int, carried: bool, many: int) -> tuple[float, int, float, float, float]:
    """Bytes and lines of the C, seconds to trace and write it, seconds of the whole build's compilers, seconds of one evaluation."""
    scalar.MANY = spacecraft_system.MANY = many
    with tempfile.TemporaryDirectory() as folder:
        system = load_text(many_modes(Path(folder), modes, carried), folder=Path(folder))
    begin = time.process_time()
    text = generate(system, variables_of(system), "")["model.c"]
    write = time.process_time() - begin
    before = _children()
    with tempfile.TemporaryDirectory() as folder:
        path = build_native(system, Path(folder) / "modes.fmu", ["host"])
        build = _children() - before
        unit = Unit(path, FMU2Model)
        run = 1e-9 * alternate({"": unit.evaluations})[""]
        unit.free()
    return len(text), text.count("\n"), write, build, run


def _children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main(arguments: list[str]) -> None:
    sizes = [int(argument) for argument in arguments if argument.isdigit()] or [5, 10, 20, 40, 80, 100]
    print(f"{'modes':>6}{'':>8}{'C':>10}{'lines':>10}{'write':>9}{'compile':>9}{'evaluation':>14}")
    for modes in sizes:
        for way, many in (("data", 1), ("flat", 10**6)) if "flat" in arguments else (("", scalar.MANY),):
            size, lines, write, build, run = measured(modes, "carried" in arguments, many)
            print(f"{modes:>6}{way:>8}{size / 1e6:>7.2f} MB{lines:>10}{write:>7.1f} s{build:>7.1f} s{run * 1e6:>11.2f} µs", flush=True)  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1:])
