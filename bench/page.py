"""docs/benchmarks.md from build/bench/results.json: all of it. What was tried, with the day of each number, is in tried.md beside this file."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from . import plots
from .bars import verdict
from .results import Results, Row, folder

DOCS = Path(__file__).parent.parent / "docs"
SECTIONS = {  # letter → title, and the works whose tables and pictures belong there
    "a": ("Forward dynamics and 1000 s of panels", ("dynamics", "panels")),
    "b": ("Modes of a flexible satellite", ("modes",)),
    "c": ("Loops and tethers against trees", ("loops", "planned")),
    "d": ("A beaded tether", ("beads",)),
    "e": ("Native against Python flavour", ()),
    "f": ("Overheads", ("sharing", "overheads")),
    "g": ("The mission year", ("mission",)),
    "h": ("Steps of bounded work", ("real_time",)),
    "i": ("Live pages", ("live",)),
    "j": ("Many runs", ("batch",)),
    "k": ("FMI 3.0 against FMI 2.0", ("versions",)),
    "l": ("The environment of an orbit", ("environment",)),
}
WORKS = tuple(work for _, works in SECTIONS.values() for work in works)
LETTERS = {work: letter for letter, (_, works) in SECTIONS.items() for work in works}


def page(works: Mapping[str, Results], pictures: Mapping[str, list[Path]]) -> str:
    """All that is kept, work by work, with when and on what each was measured."""
    asked = [met for bar, met in (verdict(row) for results in works.values() for row in results.rows) if bar]
    parts = [
        "# Benchmarks",
        "",
        "`make bench` writes this page. spacefmu's native FMUs and their peers do the same work in one process, in turns; times are CPU times, best of many chunks.",
        "Compare ratios within one work; absolute times depend on the machine.",
        f"{len(asked)} bars: {asked.count('met')} met, {asked.count('**not met**')} not met, {asked.count('not measured')} not measured.",
        "",
    ]
    for letter, (title, its) in SECTIONS.items():
        rows = [row for results in works.values() for row in results.rows if row.work == letter]
        if not rows:
            continue
        parts += [f"## ({letter}) {title}", "", *_judged(rows), ""]
        for work in (work for work in its if work in works):
            for name, (head, lines) in works[work].tables.items():
                parts += [f"### {name}", "", *_table(head, lines), ""]
            parts += [f"![{path.stem.replace('_', ' ')}](images/bench/{path.name})\n" for path in pictures[work]]
    return "\n".join([*parts, _HOW, *_measured(works), ""])


_HOW = """\
## How it is measured

spacefmu's code is compiled as for every user: any x86-64, AVX where available, no fused operations. Pinocchio's code is compiled by gcc with `-O2 -march=native`, MuJoCo and Basilisk are
the wheels of PyPI (`bench/requirements.txt`). Before the chain is timed, the accelerations of all programs are compared. Costs at equal error are interpolated between the
two nearest measured steps. Earlier values are measured as well, with FMUs built by the code of an earlier commit (`bench/before.py`).
"""


def _measured(works: Mapping[str, Results]) -> Iterator[str]:
    """When, where and of which code each work was measured; which are missing, and which are not of the last code."""
    last = max(works.values(), key=lambda results: results.begun).code if works else ""
    for words, names in (
        ("Not measured", [work for work in WORKS if work not in works]),
        ("Measured with older code than the newest row", [work for work in works if works[work].code != last]),
    ):
        if names:
            yield f"{words}: {', '.join(names)}."
    for peer, why in {peer: why for results in works.values() for peer, why in results.missing.items()}.items():
        yield f"{peer} did not take part: {why}."
    yield ""
    lines = [
        [work, each.begun, each.code, "" if each.load is None else f"{each.load:.1f}", each.machine]
        for work, each in works.items()
    ]
    yield from _table(["work", "begun", "code", "load", "machine"], lines)


def table(works: Mapping[str, Results]) -> str:
    """All rows with their bars, as they are measured."""
    rows = [row for results in works.values() for row in results.rows]
    return "\n".join(_judged(sorted(rows, key=lambda row: row.work)))


def _judged(rows: list[Row]) -> list[str]:
    lines = []
    for row in rows:
        value = "–" if row.value is None else f"{row.value:.3g} {row.unit}".strip()
        lines.append([row.what + (f" ({row.note})" if row.note else ""), value, *verdict(row)])
    return _table(["", "value", "bar", ""], lines)


def _table(head: list[str], lines: list[list[str]]) -> list[str]:
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return [f"| {' | '.join(cells)} |" for cells in (head, rule, *lines)]


def write(works: Mapping[str, Results]) -> Path:
    """The page and its pictures; those of works that are not kept any more go."""
    pictures = {work: plots.write(results, folder()) for work, results in works.items()}
    place = DOCS / "images" / "bench"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for path in (path for paths in pictures.values() for path in paths):
        shutil.copy(path, place / path.name)
    (DOCS / "benchmarks.md").write_text(page(works, pictures), "utf-8")
    return DOCS / "benchmarks.md"
