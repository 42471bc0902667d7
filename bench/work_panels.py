"""(a) 1000 s of a hub with sprung panels through FMI co-simulation at 10 Hz, beside Basilisk and MuJoCo: work against precision."""

from __future__ import annotations

import numpy as np

from . import models
from .before import built_before
from .driver import NotBuilt, Unit, build
from .results import Results

STOP, STEP = 1000.0, 0.1
TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10)
COMPARED = 1e-10  # of the run that peers are compared with: its error is what 10 Hz in steps of order 8 give
PEERS = {"basilisk": "Basilisk, RK4", "basilisk_rkf78": "Basilisk, RKF78", "mujoco": "MuJoCo, RK4"}
BEFORE = "spacefmu at commit c30f815"
ROUNDS = 3


def energy(unit: Unit) -> float:
    return sum(unit.real("system.kinetic_energy", "system.potential_energy"))


def ours(path, tolerance: float, stop: float) -> tuple[float, float]:
    """(seconds of CPU, |ΔE/E|), best of some runs."""
    best, error = np.inf, 0.0
    for _ in range(ROUNDS):
        unit = Unit(path, tolerance=tolerance)
        before = energy(unit)
        best = min(best, unit.run(stop, STEP))
        error = abs(energy(unit) / before - 1.0)
        unit.free()
    return best, error


def run(results: Results, counts=(1, 4), stop: float = STOP) -> None:
    for count in counts:
        path, _ = build(models.panels(count), f"panels{count}")
        title, lines = f"{count} panel{'s' if count > 1 else ''}", []
        curve = _curve(results, lines, title, "spacefmu", path, stop)
        try:
            _curve(results, lines, title, BEFORE, built_before(models.panels(count), f"panels{count}"), stop)
        except NotBuilt as error:
            results.missing[BEFORE] = str(error)
        taken, error = curve[COMPARED]
        for name, words in PEERS.items():
            try:
                module = __import__(f"bench.peers.{name}_peer", fromlist=["work_precision"])
            except (ImportError, OSError) as failure:
                results.missing[name] = str(failure)
                results.row("a", f"{words} over spacefmu, {title}", None, note="not installed", key=f"{name}{count}")
                continue
            theirs = []
            setting = getattr(module, "SETTING", "step {:g} s")
            for step, cpu, off in module.work_precision(count, stop, error):
                theirs.append((off, cpu))
                lines.append([words, setting.format(step), f"{1e3 * cpu:.1f}", f"{off:.1e}"])
                results.point(f"work and precision, {title}", words, max(off, 1e-16), cpu)
            cost, note = _at(theirs, error)
            results.row(
                "a",
                f"{words} over spacefmu for no larger energy error ({error:.1e}), {title}",
                cost / taken,
                note=note,
                key=f"{name}{count}",
            )
        results.tables[f"1000 s of a hub with {title}, milliseconds of CPU"] = (
            ["", "", "ms", "relative error of the energy"],
            lines,
        )


def _curve(results: Results, lines: list[list[str]], title: str, words: str, path, stop: float):
    """Tolerance → (seconds, error), put into table and picture."""
    curve = {tolerance: ours(path, tolerance, stop) for tolerance in TOLERANCES}
    for tolerance, (taken, error) in curve.items():
        lines.append([words, f"tolerance {tolerance:g}", f"{1e3 * taken:.1f}", f"{error:.1e}"])
        results.point(f"work and precision, {title}", words, max(error, 1e-16), taken)
    return curve


def _at(curve: list[tuple[float, float]], error: float) -> tuple[float, str]:
    """Seconds at an error, between the two measured points around it (straight in logarithms)."""
    (off, cpu), before = curve[-1], curve[-2] if len(curve) > 1 else None
    if off > error:
        return cpu, f"its error is still {off:.1e} there: a lower bound"
    if before is None or not off > 0.0:
        return cpu, ""
    part = np.log(error / before[0]) / np.log(off / before[0])
    return float(np.exp(np.log(before[1]) + part * np.log(cpu / before[1]))), ""
