"""The smoke test in an FMU: it is run and compared with its reference result."""

from __future__ import annotations

import csv
import math
import tomllib

import numpy as np

from ..interface.references import EXPERIMENT, FOLDER
from .reference_rules import place_of, related
from .rules import INTEROPERABILITY, NotPossible, Unreadable, rule
from .running import begin, instance

_MOST_STEPS = 1000


@rule(
    "smoke-test",
    INTEROPERABILITY,
    "the smoke test in the FMU (FMI-LS-REF) gives its reference result",
)
def smoke_test(fmu):
    experiments = [each for each in _listed(fmu) if each.get("role", "").partition("/")[0] in ("experiment", "result")]
    if not experiments:
        return
    if FOLDER + EXPERIMENT not in fmu.names:
        listed = ", ".join(f"{each.get('source')!r} ({each.get('role')}, {each.get('type')})" for each in experiments)
        raise NotPossible(f"it carries experiments of other formats, which are not run: {listed}")
    fmu.need("CoSimulation")
    test, names, reference = _test(fmu)
    known = {v.name: v for v in fmu.scalars}
    absent = [name for name in (*names, *test["start"]) if name not in known]
    if absent:
        yield f"it names {absent[0]!r}, which is not a variable of the FMU"
        return
    wanted = [known[name] for name in names]

    step, rows = test["step"], []
    with instance(fmu, "CoSimulation") as it:
        it.enter_initialization(begin(fmu), None, None)
        for name, value in test["start"].items():
            it.set(known[name], value)
        it.do("ExitInitializationMode")
        if it.event_mode:
            it.settle()
        for n in range(len(reference)):
            if n:
                it.step(begin(fmu) + (n - 1) * step, step)
            rows.append([float(value) for value in it.get(wanted)])
    errors = np.abs(np.array(rows) - reference).max(axis=0) / np.maximum(1.0, np.abs(reference).max(axis=0))
    for i in np.flatnonzero(~(errors <= test["bound"]))[:5]:
        yield f"{names[i]} is {errors[i]:.1e} off its reference, the bound is {test['bound']:g}"


def _listed(fmu) -> list[dict[str, str]]:
    try:
        return related(fmu)
    except Unreadable:  # rule references-manifest reports it
        return []


def _test(fmu) -> tuple[dict, list[str], np.ndarray]:
    """(experiment, names of outputs, their values at 0, step, 2 step, …)."""
    try:
        test = tomllib.loads(fmu.read(FOLDER + EXPERIMENT).decode("utf-8"))
        test = {key: float(test[key]) for key in ("stop", "step", "bound")} | {
            "start": {name: float(value) for name, value in test.get("start", {}).items()},
            "result": str(test["result"]),
        }
        result = fmu.read(place_of(test["result"]) or "").decode("utf-8")
        head, *lines = csv.reader(result.splitlines())
        table = np.array(lines, float)
        count = round(test["stop"] / test["step"])
        times = test["step"] * np.arange(count + 1)
        if not (0 < count <= _MOST_STEPS and table.shape == (count + 1, len(head)) and len(head) > 1):
            raise ValueError(f"{len(lines)} rows of {len(head)} columns for {count} steps")
        if not np.allclose(table[:, 0], times, rtol=1e-9, atol=0.0) or not math.isfinite(test["bound"]):
            raise ValueError("its times are not those of the steps")
    except (KeyError, TypeError, ValueError, ZeroDivisionError, OverflowError, AttributeError) as error:
        raise NotPossible(f"its smoke test can't be read: {error}") from None
    return test, head[1:], table[:, 1:]
