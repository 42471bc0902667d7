"""The smoke test in an FMU: a short experiment and its reference result, by the layered standard FMI-LS-REF.

Followed: modelica/fmi-ls-ref, commit baf43cc8808a96a868f3b1f51132d8aa69bfa5a2 (1.0.0-alpha.1), for FMI 2.0 and 3.0. Its format of
experiments, MA-HS-Experiments, is not public, so the experiment is a TOML file.

    extra/org.fmi-standard.fmi-ls-ref/fmi-ls-manifest.xml   lists the files and their roles
                                      smoke_test.toml       the experiment
                                      smoke_test.csv        its result, by SciPy (spacefmu.dynamics.system.reference)
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from spacefmu.dynamics.system.contract import System
from spacefmu.dynamics.system.reference import Trajectory, integrate

from .variables import Group, variables_of

FOLDER = "extra/org.fmi-standard.fmi-ls-ref/"
MANIFEST = FOLDER + "fmi-ls-manifest.xml"
EXPERIMENT, RESULT = "smoke_test.toml", "smoke_test.csv"
NAME, VERSION = "org.fmi-standard.fmi-ls-ref", "1.0.0-alpha.1"
TEXT = "Layered Standard providing information on related files included in an FMU."
_STEPS = 5
_MOST_EVALUATIONS = 800  # of a model of at most 40 states; larger ones take longer for each
_PUSH = 0.01  # value of continuous inputs that start at zero
_TOLERANCE = 1e-10  # of the reference
_BOUND = 1e3  # tolerances of the FMU


def smoke_test(system: System, quick: System) -> dict[str, str]:
    """The files by their paths in the FMU; none if the model can't be run from its start values. quick: the same System, fast on floats."""
    tolerance = float(system.about.experiment.get("tolerance", 1e-8))
    for inputs in (_pushed(system), {}):
        for share in (1.0, 0.1, 0.01):
            step = share * float(system.about.experiment.get("step", 0.1))
            found = _reference(system, quick, inputs, step)
            if found is not None:
                bound = _BOUND * max(tolerance, _TOLERANCE)
                return _files(system, found, step, tolerance, bound, inputs)
    return {}


def _pushed(system: System) -> dict[str, float]:
    """Inputs that excite the model."""
    inputs = [v for v in variables_of(system) if v.group is Group.INPUT]
    return {v.name: _PUSH for v in inputs if v.variability == "continuous" and v.signal.start == 0.0}


class _TooLong(Exception):
    pass


def _reference(system: System, quick: System, inputs: Mapping[str, float], step: float) -> Trajectory | None:
    """The motion over _STEPS steps; None if it fails or takes too many evaluations for a build."""
    u = [inputs.get(signal.name, signal.start) for signal in system.signals.inputs]
    left = [max(100, _MOST_EVALUATIONS * 40 // max(system.nx, 40))]

    def counted(*arguments: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise _TooLong
        return quick.motion.parts[0](*arguments)

    limited = replace(quick, motion=replace(quick.motion, parts=(counted, *quick.motion.parts[1:])))
    try:
        with np.errstate(all="ignore"):
            found = integrate(limited, step * np.arange(_STEPS + 1), u, rtol=_TOLERANCE, atol=_TOLERANCE)
    except (_TooLong, RuntimeError, ValueError, ArithmeticError, np.linalg.LinAlgError):
        return None
    return found if np.all(np.isfinite(found.y)) and np.all(np.isfinite(found.x)) else None


def _files(
    system: System, found: Trajectory, step: float, tolerance: float, bound: float, inputs: Mapping[str, float]
) -> dict[str, str]:
    columns = {Group.STATE: found.x, Group.OUTPUT: found.y, Group.DISCRETE: found.d}
    outputs = [v for v in variables_of(system) if v.causality == "output" and v.group in columns]
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(["time", *(v.name for v in outputs)])
    for i, time in enumerate(found.time):
        writer.writerow([f"{value:.12g}" for value in (time, *(columns[v.group][i, v.index] for v in outputs))])
    lines = [
        "# Smoke test of this FMU in co-simulation: set [start] in initialization mode, take communication steps of `step` to `stop`,",
        "# and compare outputs with `result`: they differ by at most `bound` times the largest value of a column, or 1 if that is larger.",
        f"stop = {_STEPS * step!r}",
        f"step = {step!r}",
        f"tolerance = {tolerance!r}",
        f"bound = {bound!r}",
        f'result = "{RESULT}"',
        "[start]",
        *(f'"{name}" = {value!r}' for name, value in inputs.items()),
    ]
    related = (
        (EXPERIMENT, "application/toml", "experiment/smoke-test", "Smoke test: a few communication steps"),
        (RESULT, "text/csv", "result", "Reference result of the smoke test, by SciPy's DOP853 at 1e-10"),
    )
    return {
        FOLDER + EXPERIMENT: "\n".join(lines) + "\n",
        FOLDER + RESULT: table.getvalue(),
        MANIFEST: manifest(related),
    }


def manifest(related: Iterable[tuple[str, str, str, str]]) -> str:
    """The manifest; related: (source, MIME type, role, description) of each file."""
    rows = [
        f"  <Related type={quoteattr(kind)} source={quoteattr(source)} role={quoteattr(role)} description={quoteattr(text)}/>"
        for source, kind, role, text in related
    ]
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<fmiReferences xmlns:fmi-ls="http://fmi-standard.org/fmi-ls-manifest"',
            f'  fmi-ls:fmi-ls-name="{NAME}"',
            f'  fmi-ls:fmi-ls-version="{VERSION}"',
            f'  fmi-ls:fmi-ls-description="{TEXT}">',
            *rows,
            "</fmiReferences>",
            "",
        ]
    )
