"""docs/benchmarks.md from build/bench/results.json."""

from __future__ import annotations

import shutil
from pathlib import Path

from .bars import verdict
from .results import Results

DOCS = Path(__file__).parent.parent / "docs"
_TRIED = """\
## What pays, and what does not

Nanoseconds of `rates` of the hub with its links, one after the other on a busy machine, so that differences below a tenth mean little
(30 links before: from an earlier `make bench`):

|  | N = 1 | N = 4 | N = 10 | N = 30 |
| --- | ---: | ---: | ---: | ---: |
| before, parameters live | 264 | 666 | 1,506 | 5,720 |
| recursion by factors: shift, then turn; free joints in the body's axes; reciprocal pivots (`dynamics/tree/transfer.py`) | 133 | 493 | 1,206 | 4,349 |
| what follows from parameters alone computed once (`fmu_src/native/hoisting.py`) | 133 | 438 | 1,109 | 3,874 |
| AVX beside plain x86-64, chosen at load (`fmu_src/native/wide.py`) | 123 | 372 | 881 | 3,502 |
| `rates` without calls up to 80 states (30 links folded: 2,596 to 1,967) |  |  |  | 2,928 |

The last one takes some 3 s more of CPU to build 30 links. Tried for 10 links, and not kept: fused operations and all else that gcc's `-march=native` has
(1,291 ns beside 1,233 with `-mavx` alone); AVX2 and a schedule for this processor (1,238 beside 1,217); gcc in the place of clang (1,699 beside 1,492 without AVX, 1,233 beside
1,217 with it). Where the calls of a large System are concerned, functions that compute no more than accelerations need (`posed` beside `carried`) changed nothing that could be measured.
"""
_WORKS = {
    "a": "Forward dynamics and 1000 s of panels", "b": "Modes of a flexible satellite", "c": "Loops and tethers against trees",
    "d": "A beaded tether", "e": "Native against Python flavour", "f": "Overheads", "g": "The mission year",
}  # fmt: skip


def _table(head: list[str], lines: list[list[str]]) -> list[str]:
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return [f"| {' | '.join(cells)} |" for cells in (head, rule, *lines)]


def table(results: Results) -> str:
    """All rows with their bars, by work."""
    parts = []
    for work in dict.fromkeys(row.work for row in results.rows):
        lines = []
        for row in (row for row in results.rows if row.work == work):
            value = "–" if row.value is None else f"{row.value:.3g} {row.unit}".strip()
            lines.append([row.what + (f" ({row.note})" if row.note else ""), value, *verdict(row)])
        parts += [f"## ({work}) {_WORKS[work]}", "", *_table(["", "value", "bar", ""], lines), ""]
    return "\n".join(parts)


def page(results: Results, pictures: list[Path]) -> str:
    rows = [verdict(row) for row in results.rows]
    busy = "" if results.load is None else f", load at most {results.load:.1f} when a work began"
    asked = [met for bar, met in rows if bar]
    parts = [
        "# Benchmarks",
        "",
        "Made by `make bench`: spacefmu's native FMUs and their peers on the same work in one process, alternating, by CPU time, best of many chunks.",
        f"{results.machine}{busy}. What counts are ratios within a work; nanoseconds are this machine's.",
        f"{len(asked)} bars: {asked.count('met')} met, {asked.count('**not met**')} not met, {asked.count('not measured')} not measured.",
        *(f"{peer} did not take part: {why}." for peer, why in results.missing.items()),
        "",
        table(results),
    ]
    for title, (head, lines) in results.tables.items():
        parts += [f"### {title}", "", *_table(head, lines), ""]
    parts += [f"![{path.stem.replace('_', ' ')}](images/bench/{path.name})\n" for path in pictures]
    parts += [
        "## How it is measured",
        "",
        "Ours is compiled as it is for every user: any x86-64, AVX where there is, no fused operations. Pinocchio's code is compiled by gcc with `-O2 -march=native`, MuJoCo and Basilisk are",
        "the wheels of PyPI (`bench/requirements.txt`). Accelerations of all who compute the chain are compared before they are timed. Costs at equal error are taken between the",
        "two measured steps around it. What a value was before is measured, too: FMUs are built by the code of the commit before issue 20 (`bench/before.py`).",
        "",
        _TRIED,
    ]
    return "\n".join(parts)


def write(results: Results, pictures: list[Path]) -> Path:
    place = DOCS / "images" / "bench"
    place.mkdir(parents=True, exist_ok=True)
    for path in pictures:
        shutil.copy(path, place / path.name)
    (DOCS / "benchmarks.md").write_text(page(results, pictures), "utf-8")
    return DOCS / "benchmarks.md"
