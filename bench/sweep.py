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

from fmu_src import api
from fmu_src.studies.folder import read_sweep, reopened
from fmu_src.studies.work import Bench

RUNS = 10_000
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
    """One plain process: its runs one after the other, FMU loaded once. Seconds of wall clock and of CPU."""
    study = reopened(read_sweep(folder))
    with Bench(study) as bench:
        bench.outcome(study.values[:1])
        wall, cpu = time.perf_counter(), time.process_time()
        bench.outcome(study.values[first:last])
        answers.put((time.perf_counter() - wall, time.process_time() - cpu))


def memory() -> float:
    """[MB] of this process and all below it."""
    here = psutil.Process()
    return sum(p.memory_info().rss for p in [here, *here.children(recursive=True)]) / 1e6


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        fmu = api.build("FlexibleSatellite", folder / "FlexibleSatellite.fmu")
        (folder / "plan.toml").write_text(PLAN.format(model=fmu.name, runs=RUNS))
        seen, megabytes = [], {}
        marks = [RUNS // 10, RUNS // 2, RUNS]

        def tell(state) -> None:
            seen.append((time.perf_counter(), state.done))
            if marks and state.done >= marks[0]:  # looking at all processes takes a while
                megabytes[marks.pop(0)] = memory()

        api.sweep(folder / "plan.toml", folder / "Bench", workers=2, tell=tell)
        times, done = np.array(seen).T
        sweep_rate = (done[-1] - done[4]) / (times[-1] - times[4])  # the first tasks load the FMU and are short

        context = multiprocessing.get_context("spawn")
        answers = context.Queue()
        half = RUNS // 2
        parts = [(str(folder / "Bench"), half * k, half * (k + 1), answers) for k in range(2)]
        processes = [context.Process(target=plain, args=part) for part in parts]
        for process in processes:
            process.start()
        seconds = [answers.get() for _ in processes]
        plain_rate = RUNS / max(wall for wall, _ in seconds)

    print(f"FlexibleSatellite, runs of 1 s with 10 steps, {RUNS} runs, two workers")
    print(f"  sweep             {sweep_rate:8.1f} runs a second")
    print(
        f"  plain processes   {plain_rate:8.1f} runs a second ({1e3 * sum(c for _, c in seconds) / RUNS:.2f} ms of CPU a run)"
    )
    print(f"  ratio             {sweep_rate / plain_rate:8.2f}")
    for count, size in megabytes.items():
        print(f"  memory after {count:6d} runs {size:8.1f} MB (client, scheduler and two workers)")


if __name__ == "__main__":
    main()
