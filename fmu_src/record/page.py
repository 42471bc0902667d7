"""The record as a page: one row per case, what came out of disagreements, what cannot be expressed; and the picture of the worst."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .case import Case
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
    "orbit": "Orbits, attitude and tethers against STK, GMAT, Orekit, JEOD, Basilisk and textbooks",
}
HEAD = """# Record of validation

References outside this project, rerun by us. `spacefmu validate` runs all of them on your machine, compares, and fails if one is outside its bound; it wrote this page.
A case is one file below `fmu_src/record/cases`: a description, the reference's numbers, their source, and a bound.

- **Bounds** are half a unit of the reference's last printed digit, or what its own tolerance, step or a third solution shows it to be off, with 4 to 20 % on top.
- *Worst* is our largest difference from the reference over the bound, of all columns; *error* and *bound* are those of that number.
- Where an exact or independent solution exists, *off the exact one* has the largest error of the reference and of ours.

How far to trust it:

| cases | what to know |
|---|---|
| `euler_*`, `top_*`, `gyroscope_*`, `momentum_bias`, `pendulum_150`, `loaded_string`, `generalized_jacobian`, `dumbbell_*`, `tether_*`, `clohessy_wiltshire`, `debra_delp`, `bar_axial`, `shaft_torsion`, `radiation_*`, `absorber_steady`, `thermal_boom_*` | closed forms of textbooks, evaluated with parameters that we chose; the books' sections are cited from memory |
| `mujoco_*`, `basilisk_hinged_panels`, `iftomm_*` | foreign models; we ran the foreign program or equations, and chose starts and steps |
| about 45 of `modelica`, `adams` and `exudyn_*` | the bound is the reference's distance from a third solution, which we wrote too and did not commit: a model that both misread would pass |
| STK's and Orekit's orbits, `basilisk_translation`, `basilisk_body_torque`, the tolerance of exact solutions | the bound was set or argued after a first comparison |
| `blevins_*`, `wright_*`, NAFEMS, rotating beams | numbers quoted from other texts; we have not seen the print |

All cases run by our solver or SciPy on the model's equations, none as a built FMU.

{totals}
"""
COLUMNS = "| case | what it proves | numbers | worst | error | bound | where the bound comes from | off the exact one: reference, ours |\n|---|---|---|---|---|---|---|---|"


def page(cases: Sequence[Case], outcomes: Sequence[Outcome], picture: bool = False) -> str:
    """Markdown. outcomes: those of the cases, in their order."""
    done = list(zip(cases, outcomes, strict=True))
    numbers = sum(each.count for case in cases for each in case.compare)
    outside = sum(not outcome.passed for outcome in outcomes)
    totals = (
        f"**{len(cases)} cases, {sum(case.over_time for case in cases)} of them over whole trajectories, {numbers} numbers; "
        f"{outside or 'none'} outside.**"
    )
    parts = [HEAD.format(totals=totals).rstrip()]
    for family in dict.fromkeys(case.family for case in cases):
        rows = [row for case, outcome in done if case.family == family for row in [_row(case, outcome)]]
        sources = dict.fromkeys(_source(case) for case in cases if case.family == family)
        parts += [
            f"## {FAMILIES.get(family, family)} {{ #{family} }}",
            "\n".join([COLUMNS, *rows]),
            "Sources: " + "; ".join(sources) + ".",
        ]
    if picture:
        parts += [
            "## The ten nearest to their bounds { #worst }",
            f"![Difference from the reference over the bound, over time]({PICTURE})",
        ]
    findings = [f"- **{case.name}**: {case.finding}" for case in cases if case.finding]
    if findings:
        parts += ["## What disagreements turned out to be { #findings }", "\n".join(findings)]
    limits = tomllib.loads(LIMITS.read_text("utf-8"))["limit"]
    parts += [
        "## What cannot be expressed { #limits }",
        "Foreign cases that a description has no words for, by the feature that is missing.",
        "\n".join(
            ["| missing | cases |", "|---|---|", *(f"| {each['feature']} | {each['cases']} |" for each in limits)]
        ),
    ]
    return "\n\n".join(parts) + "\n"


def _row(case: Case, outcome: Outcome) -> str:
    name = f"`{case.name.partition('/')[2]}`"
    count = sum(each.count for each in case.compare)
    if outcome.failure:
        return f"| {name} | {case.title}: {case.proves} | {count} | failed | {outcome.failure} | | | |"
    w = outcome.worst
    known = [each for each in outcome.found if not math.isnan(each.ours_off)]
    exact = max(known, key=lambda each: each.theirs_off, default=None)
    off = f"{exact.theirs_off:.1e}, {exact.ours_off:.1e} {exact.unit}" if exact else ""
    return (
        f"| {name} | {case.title}: {case.proves} | {count} | {w.worst:.2f} | {w.error:.1e} {w.unit} ({w.what}{_when(w)}) "
        f"| {w.allowed:.1e} | {w.why} | {off} |"
    )


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
                theirs = np.asarray(comparison.values, float)
                allowed = comparison.bound * (np.abs(theirs) if comparison.relative else np.ones_like(theirs))
                axes.plot(
                    comparison.time, np.max(np.abs(found.ours - theirs) / allowed, axis=1), ".-", label=found.what, ms=3
                )
        axes.set_title(case.name)
        axes.set_ylim(0.0, 1.05 * max(1.0, outcome.worst.worst))
        axes.legend(fontsize=6)
    figure.supxlabel("time [s]")
    figure.supylabel("difference over bound")
    return figure
