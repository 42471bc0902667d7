"""(d) Beads of a damped cable: what more of them cost, and what a tolerance costs, by explicit steps and by implicit ones."""

from __future__ import annotations

import numpy as np

from . import models
from .before import built_before
from .driver import FMU2Model, NotBuilt, Unit, build
from .results import Results
from .timing import alternate

SIZES = (10, 30, 100, 300)
LIMIT = 600.0  # [s] that a build may take
TOLERANCES = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10)
EXPLICIT, IMPLICIT = 1, 3  # solver.method, then as now
ENDS = tuple(f"{body}.position[{i}]" for body in "ab" for i in (1, 2, 3))


def run(results: Results, sizes=SIZES) -> None:
    evaluation, second = {}, {}
    for count in sizes:
        try:
            path, _ = build(models.beads(count), f"beads{count}", LIMIT)
        except NotBuilt as error:
            results.row("d", f"{count} beads", None, note=str(error), key=f"beads{count}")
            continue
        unit = Unit(path, FMU2Model)
        evaluation[count] = alternate({"": unit.evaluations})[""]
        unit.free()
        second[count] = min(_second(path)[0] for _ in range(3 if count <= 100 else 1))
        if count == 100:
            _against_before(results, path)
        results.point("beaded cable", "evaluation", count, evaluation[count])
        results.point("beaded cable", "one second of motion", count, second[count])
    for a, b in zip(list(evaluation)[:-1], list(evaluation)[1:], strict=True):
        results.row("d", f"evaluation per bead, {b} beads over {a}", evaluation[b] * a / (evaluation[a] * b))
    results.tables["A damped beaded cable"] = (
        ["beads", "evaluation [µs]", "one second [ms of CPU]"],
        [[str(n), f"{evaluation[n] / 1e3:.1f}", f"{second[n] / 1e6:.1f}"] for n in evaluation],
    )


def _second(path, tolerance: float | None = None, method: int = EXPLICIT) -> tuple[float, np.ndarray]:
    """Nanoseconds of CPU of the first second of motion, in one communication step, and where the two bodies are then."""
    start = {"solver.method": method} | ({} if tolerance is None else {"solver.tolerance": tolerance})
    unit = Unit(path, start=start)
    taken = 1e9 * unit.run(1.0, 1.0)
    places = np.array(unit.real(*ENDS))
    unit.free()
    return taken, places


def _against_before(results: Results, path) -> None:
    what = "one second of 100 damped beads, relative to commit c30f815"
    try:
        before = built_before(models.beads(100), "beads100")
    except NotBuilt as error:
        results.row("d", what, None, note=f"before: {error}", key="beads100")
        return
    rounds = [(_second(path)[0], _second(before)[0]) for _ in range(3)]
    now, then = map(min, zip(*rounds, strict=True))
    results.row("d", what, now / then, key="beads100")
    _work_and_precision(
        results, {"explicit": (path, EXPLICIT), "rodas5p": (path, IMPLICIT), "at commit c30f815": (before, EXPLICIT)}
    )


def _work_and_precision(results: Results, solvers) -> None:
    """solvers: words → FMU and method. Errors are those of the bodies' places, beside the first one's at 1e-12."""
    path, method = next(iter(solvers.values()))
    _, wanted = _second(path, 1e-12, method)
    lines = []
    for words, (path, method) in solvers.items():
        for tolerance in TOLERANCES:
            rounds = [_second(path, tolerance, method) for _ in range(2)]
            taken, error = min(taken for taken, _ in rounds), float(np.max(np.abs(rounds[0][1] - wanted)))
            lines.append([words, f"tolerance {tolerance:g}", f"{1e-6 * taken:.1f}", f"{error:.1e}"])
            results.point("work and precision of beads", words, max(error, 1e-16), 1e-9 * taken)
    results.tables["One second of 100 damped beads, milliseconds of CPU"] = (
        ["", "", "ms", "error of the bodies' places [m]"],
        lines,
    )
