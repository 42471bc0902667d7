"""The record as a page: one row per case, what is wrong in references and was wrong in ours, what cannot be expressed; and the picture of the worst."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .case import MARGIN, ORIGINS, PROMISED, ROUND_OFF, Case
from .running import Found, Outcome

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LIMITS = Path(__file__).with_name("limits.toml")
WORST = 10  # cases in the picture
PICTURE = "images/record/worst.png"  # beside the page
FAMILIES = {
    "adams": "Rigid bodies and joints against MSC ADAMS",
    "flexible": "Flexible and heated bodies against textbooks, benchmarks and other programs",
    "modelica": "Examples of the Modelica Standard Library against Dymola",
    "multibody": "Mechanisms, arms and tops against MuJoCo, EXUDYN, published benchmarks and textbooks",
    "nesc": "Check cases of the NASA Engineering and Safety Center",
    "papers": "Configurations of the four papers that spacefmu implements",
    "orbit": "Orbits, attitude and tethers against STK, GMAT, Orekit, JEOD, Basilisk and textbooks",
}
HEAD = """# Record of validation

This page compares spacefmu with references from outside this project. `spacefmu validate` reruns all cases on your machine and fails if one is outside its bound; it writes this page.
A case is one file below `fmu_src/record/cases`: a description, the reference's numbers, their source, and where its bound comes from.

{totals}

| numbers of a case | cases |
|---|---|
{origins}

**How cases run.** {ways}

**Bounds** come from the reference, never from our result:

| reference | bound |
|---|---|
| printed with few digits, or with a step or run of its own that shows its error | typed in the case: half a unit of the last printed digit, or what that step changes |
| differs from an independent solution | {margin:g} × its largest distance from that solution, and {round_off:g} of the largest value for round-off. `tests/record/third` computes these solutions with NumPy and SciPy only, from the models of the references; `make test-ci` reruns them |
| exact formula | {promised:g} of the largest value: what spacefmu promises at tight tolerances. `tests/record/third/closed.py` has the formulas |
| has a more detailed model of the environment than ours | the size of the neglected terms, with its source: `orbit/vallado_3_15_gcrf` (nutation), `orbit/igrf14` (UT1), `orbit/harris_priester` (direction of the height), `orbit/gmat_week` (series of the Moon, within the gate of the reference's own test) |

Dymola's errors are explained by its tolerance: LSODA at the same tolerance has a similar distance from the independent solution, within a factor of 50, mostly of 5 (`tests/record/test_third.py`).

*Worst* is our largest difference from the reference, divided by the bound; *error* and *bound* are those of the same number.
*Distance from the independent solution* has the largest error of the reference and of spacefmu, where there is such a solution.
"""
COLUMNS = (
    "| case | what it proves | source | numbers | worst | error | bound | where the bound comes from | distance from the independent solution: reference, ours |\n"
    "|---|---|---|---|---|---|---|---|---|"
)


def page(cases: Sequence[Case], outcomes: Sequence[Outcome], picture: bool = False) -> str:
    """Markdown. outcomes: those of the cases, in their order."""
    done = list(zip(cases, outcomes, strict=True))
    parts = [_head(done).rstrip()]
    for family in dict.fromkeys(case.family for case in cases):
        own = [(case, outcome) for case, outcome in done if case.family == family]
        sources = list(dict.fromkeys(_source(case) for case, _ in own))
        rows = [_row(case, outcome, 1 + sources.index(_source(case))) for case, outcome in own]
        parts += [
            f"## {FAMILIES.get(family, family)} {{ #{family} }}",
            "\n".join([COLUMNS, *rows]),
            "\n".join(["Sources:", "", *(f"{number}. {text}" for number, text in enumerate(sources, 1))]),
        ]
    if picture:
        parts += [
            "## The ten nearest to their bounds { #worst }",
            f"![Difference from the reference over the bound, over time]({PICTURE})",
        ]
    told = tomllib.loads(LIMITS.read_text("utf-8"))
    findings = [f"- **{case.name}**: {case.finding}" for case in cases if case.finding]
    if findings:
        parts += ["## References that are wrong or unclear { #findings }", "\n".join(findings)]
    faults = [
        f"- {each['fault']} Found by {each['found']}; held by `{each['test']}`." for each in told.get("fault", ())
    ]
    if faults:
        parts += ["## Faults of spacefmu that cases have found { #faults }", "\n".join(faults)]
    parts += [
        "## What cannot be expressed { #limits }",
        "Published cases that a description cannot express, by the missing feature.",
        "\n".join(
            [
                "| missing | cases |",
                "|---|---|",
                *(f"| {each['feature']} | {each['cases']} |" for each in told["limit"]),
            ]
        ),
        "## References that could not be had { #absent }",
        "\n".join(
            [
                "| reference | why it is not here |",
                "|---|---|",
                *(f"| {each['reference']} | {each['reason']} |" for each in told["absent"]),
            ]
        ),
    ]
    return "\n\n".join(parts) + "\n"


def _head(done: Sequence[tuple[Case, Outcome]]) -> str:
    numbers = sum(each.count for case, _ in done for each in case.compare)
    outside = sum(not outcome.passed for _, outcome in done)
    totals = (
        f"**{len(done)} cases, {sum(case.over_time for case, _ in done)} of them over whole trajectories, {numbers} numbers; "
        f"{outside or 'none'} outside.**"
    )
    by_origin = {origin: [case for case, _ in done if case.source.origin == origin] for origin in ORIGINS}
    origins = [f"| {origin}: {ORIGINS[origin]} | {len(own)} |" for origin, own in by_origin.items()]
    plain = [f"`{case.name}`" for case, outcome in done if not outcome.fmu]
    ways = f"{len(done) - len(plain)} as native FMUs, built by `spacefmu build`, run in co-simulation or linearized by their directional derivatives. "
    if plain:
        ways += f"{len(plain)} by the model's equations, not as FMUs: {', '.join(plain)}."
    return HEAD.format(
        totals=totals,
        origins="\n".join(origins),
        ways=ways.strip(),
        margin=MARGIN,
        round_off=ROUND_OFF,
        promised=PROMISED,
    )


def _row(case: Case, outcome: Outcome, source: int) -> str:
    name = f"`{case.name.partition('/')[2]}`"
    count = sum(each.count for each in case.compare)
    begin = f"| {name} | {case.title}: {case.proves} | {source}, {case.source.origin} | {count} |"
    if outcome.failure:
        return f"{begin} failed | {outcome.failure} | | | |"
    w = outcome.worst
    known = [each for each in outcome.found if not math.isnan(each.ours_off)]
    exact = max(known, key=lambda each: each.theirs_off, default=None)
    off = f"{exact.theirs_off:.1e}, {exact.ours_off:.1e} {exact.unit}" if exact else ""
    return f"{begin} {w.worst:.2f} | {w.error:.1e} {w.unit} ({w.what}{_when(w)}) | {w.allowed:.1e} | {w.why} | {off} |"


def _when(found: Found) -> str:
    return "" if math.isnan(found.time) else f", {found.time:g} s"


def _source(case: Case) -> str:
    s = case.source
    program = f"{s.program} {s.version}".strip()
    folder = s.where.rpartition("/")[0] if "github.com" in s.where and "/" in s.where.partition(", ")[2] else s.where
    return f"{program} ({folder}; {s.licence}; {s.accuracy})"


def picture(cases: Sequence[Case], outcomes: Sequence[Outcome]) -> Figure:
    """Differences over bounds, over time, of the WORST cases that have a history."""
    from ..results.plot import empty_figure

    ran = [(c, o) for c, o in zip(cases, outcomes, strict=True) if c.over_time and not o.failure]
    ran.sort(key=lambda pair: -pair[1].worst.worst)
    figure = empty_figure(9.0, 9.5)
    for i, (case, outcome) in enumerate(ran[:WORST]):
        axes = figure.add_subplot(WORST // 2, 2, i + 1)
        for comparison, found in zip(case.compare, outcome.found, strict=True):
            if comparison.time:
                off = np.abs(found.ours - np.asarray(comparison.values, float)) / comparison.allowed
                axes.plot(comparison.time, np.max(off, axis=1), ".-", label=found.what, ms=3)
        axes.set_title(case.name)
        axes.set_ylim(0.0, 1.05 * max(1.0, outcome.worst.worst))
        axes.legend(fontsize=6)
    figure.supxlabel("time [s]")
    figure.supylabel("difference over bound")
    return figure
