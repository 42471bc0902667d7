"""Sweeps: throughput on two workers against two plain processes that do the same runs, and memory over 10 000 runs.

python bench/sweep.py
"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil

from spacefmu.fmu_src import api
from spacefmu.fmu_src.studies.folder import read_sweep, reopened
from spacefmu.fmu_src.studies.work import Bench

RUNS, ROUNDS = 10_000, 5
PLAN = """
kind = "sweep"
name = "Bench"
model = "{model}"
method = "sobol"
runs = {runs}
seed = 1
stop = 1.0
step = 0.1

[parameters]
"hub.mass" = {{ distribution = "uniform", low = 400.0, high = 500.0 }}
"panel.mode[1].frequency" = {{ distribution = "normal", mean = 1.0, deviation = 0.1, relative = true }}

[metrics]
tip = {{ of = "panel.tip.displacement", kind = "max" }}
"""


def plain(folder: str, first: int, last: int, answers) -> None:
    """One plain process: its runs one after the other, FMU loaded once. Puts the seconds that they took."""
    study = reopened(read_sweep(folder))
    with Bench(study) as bench:
        bench.outcome(study.values[:1])
        begin = time.perf_counter()
        bench.outcome(study.values[first:last])
        answers.put(time.perf_counter() - begin)


def memory() -> float:
    """[MB] of this process and all below it."""
    here = psutil.Process()
    return sum(p.memory_info().rss for p in [here, *here.children(recursive=True)]) / 1e6


def sweep_rate(folder: Path, name: str, marks: list[int]) -> tuple[float, dict[int, float]]:
    """Runs per second once both workers have the FMU, to the last run's end; memory [MB] when so many runs were done."""
    seen, megabytes = [], {}

    def tell(state) -> None:
        seen.append((time.perf_counter(), state.done))
        if marks and state.done >= marks[0]:  # looking at all processes takes a while
            megabytes[marks.pop(0)] = memory()

    api.sweep(folder / "plan.toml", folder / name, workers=2, on_state=tell)
    times, done = np.array(seen).T
    return (done[-1] - done[4]) / (times[-1] - times[4]), megabytes  # the first tasks load the FMU and are short


def plain_rate(folder: Path) -> float:
    """Runs per second of two plain processes that do half of the sweep each."""
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    half = RUNS // 2
    parts = [(str(folder), half * k, half * (k + 1), answers) for k in range(2)]
    processes = [context.Process(target=plain, args=part) for part in parts]
    for process in processes:
        process.start()
    return RUNS / max(answers.get() for _ in processes)


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        fmu = api.build("FlexibleSatellite", folder / "FlexibleSatellite.fmu")
        (folder / "plan.toml").write_text(PLAN.format(model=fmu.name, runs=RUNS))
        marks = [RUNS // 10, RUNS // 2, RUNS]
        rates, megabytes = [], {}
        for turn in range(ROUNDS):  # alternating: whatever else the machine does hits both
            rate, seen = sweep_rate(folder, f"Bench{turn}", [] if turn else marks)
            megabytes |= seen
            rates.append((rate, plain_rate(folder / f"Bench{turn}")))

    print(f"FlexibleSatellite, runs of 1 s with 10 steps, {RUNS} runs, two workers")
    for sweep, processes in rates:
        print(f"  sweep {sweep:8.1f}, plain processes {processes:8.1f} runs per second, ratio {sweep / processes:.2f}")
    print(f"  median ratio {np.median([sweep / processes for sweep, processes in rates]):.2f}")
    for count, size in megabytes.items():
        print(f"  memory after {count:6d} runs {size:8.1f} MB (client, scheduler and two workers)")


if __name__ == "__main__":
    main()
