"""(h) Communication steps of bounded work at 1 kHz: the CPU time of every one of them and the worst; and the longest call with steps far too long.

REAL_TIME_STEPS: how many, default 100 000.
"""

from __future__ import annotations

import os
from time import thread_time

import numpy as np

from . import models
from .driver import Unit, build, loops
from .results import Results

STEPS = int(float(os.environ.get("REAL_TIME_STEPS", "1e5")))
STEP = 1e-3  # [s]
METHODS = {"real_time": 4, "real_time_stiff": 5}
SHARES = (50.0, 99.0, 99.99, 100.0)  # [%]
CHUNK = 1_000_000  # steps whose times are kept at once
FAR, ENTRIES = (1e4, 1e9), ("HingedPanel", "FlexibleSatellite", "FourBar")  # steps [s] that no model is made for


def run(results: Results) -> None:
    path, _ = build(models.entry("FlexibleSatellite"), "FlexibleSatellite")
    lines = []
    for name, method in METHODS.items():
        unit = Unit(path, start={"solver.method": method})
        states = len(unit.description.derivatives)
        taken = _taken(unit, STEPS if name == "real_time" else STEPS // 10)
        worst = float(taken.max()) / 1e3
        lines.append([name, str(states), f"{len(taken):,}", *(f"{np.percentile(taken, s) / 1e3:.1f}" for s in SHARES)])
        results.row("h", f"worst of {len(taken):,} steps of 1 ms, {name}, {states} states, CPU", worst, "µs")
        unit.free()
    for entry in ENTRIES:
        results.row("h", f"longest call, steps of 10⁴ and 10⁹ s, all methods, {entry}, CPU", _longest(entry), "s")
    head = ["method", "states", "steps", *(f"{share:g} % [µs]" for share in SHARES)]
    results.tables["CPU time of a communication step of 1 ms, FlexibleSatellite"] = (head, lines)


def _taken(unit: Unit, steps: int) -> np.ndarray:
    """CPU time of each step [ns], in single precision: 40 MB of ten million."""
    parts, time, kept = [], np.zeros(1), np.zeros(min(steps, CHUNK))
    while steps > 0:
        count = min(steps, CHUNK)
        pointers = (time.ctypes.data, STEP, kept.ctypes.data, count)
        if loops().loop_each(unit.function("DoStep"), unit.fmu.component, *pointers) < 0.0:
            raise RuntimeError(f"a step was discarded after {time[0]:g} s")
        parts.append(kept[:count].astype(np.float32))
        steps -= count
    return np.concatenate(parts)


def _longest(entry: str) -> float:
    """CPU time [s] of the longest step of a length that no model is made for; most end by Discard."""
    path, _ = build(models.entry(entry), entry)
    taken = []
    for method in range(1, 6):
        for length in FAR:
            unit, time = Unit(path, start={"solver.method": method}), np.zeros(1)
            begin = thread_time()
            loops().loop_steps(unit.function("DoStep"), unit.fmu.component, time.ctypes.data, length, 1)
            taken.append(thread_time() - begin)
            unit.free()
    return max(taken)
