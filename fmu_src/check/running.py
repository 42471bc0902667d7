"""Instances and co-simulation runs that several rules look at, over a part of the default experiment."""

from __future__ import annotations

import ctypes
import itertools
import os
import sys
from contextlib import contextmanager

import numpy as np

from .cpu_timeout import CpuTimeout
from .host import DISCARD, WARNING, CallRefused, CheckedInstance, EventInfo, Library
from .rules import NotPossible, Unreadable
from .subject import CheckedFmu

MOST_STEPS = 200


BUDGET = 6.0  # [s] of one run, roughly


_LC_ALL = {"darwin": 0, "win32": 0}.get(sys.platform, 6)


_NAMES = (f"checked {i}" for i in itertools.count(1))


def library(fmu: CheckedFmu, kind: str) -> Library:
    fmu.need(kind)
    known = fmu.__dict__.setdefault("_loaded", {})
    if not known:
        _ = fmu.unpacked
        fmu.surroundings = surroundings(fmu)
    if kind not in known:
        known[kind] = Library(fmu.library(kind), kind, fmu.watch)
    return known[kind]


def surroundings(fmu: CheckedFmu) -> dict:
    """What an FMU should leave alone: locale, current folder, files in it and in the FMU's own."""
    c = ctypes.CDLL(None if sys.platform != "win32" else "msvcrt")
    c.setlocale.restype = ctypes.c_char_p
    own = [
        path
        for path in fmu.folder.rglob("*")
        if path.is_file() and not {"__pycache__", "second", "an FMU ü"} & set(path.parts)
    ]
    return {
        "locale": c.setlocale(_LC_ALL, None),
        "folder": os.getcwd(),
        "files": {path: path.stat().st_size for path in own},
    }


def runnable(fmu: CheckedFmu) -> list[str]:
    """The kinds that can be run here; NotPossible if there are none."""
    found, why = [], ""
    for kind in fmu.kinds:
        try:
            library(fmu, kind)
            found.append(kind)
        except NotPossible as error:
            why = str(error)
    if not found:
        raise Unreadable(why or "the FMU is of no kind")
    return found


def instance(fmu: CheckedFmu, kind: str, guid: str | None = None, resources: str = "", **more) -> CheckedInstance:
    """A fresh instance; `with` frees it. resources: the URI of its resources/, if another than the unpacked FMU's."""
    more.setdefault("memory", not fmu.can(kind, "canNotUseMemoryManagementFunctions"))
    resources = resources or (fmu.unpacked / "resources").as_uri()
    return CheckedInstance(
        library(fmu, kind), fmu.fmi2.get("guid", "") if guid is None else guid, resources, next(_NAMES), **more
    )


@contextmanager
def initialized(fmu: CheckedFmu, kind: str, before=None, start=None, **more):
    """An instance after initialization, ready to step or in continuous-time mode; `before(instance)`: after instantiation."""
    with instance(fmu, kind, **more) as it:
        if before:
            before(it)
        it.initialize(begin(fmu) if start is None else start, None, None)
        if kind == "ModelExchange":
            settle(it)
        yield it


def settle(it: CheckedInstance) -> EventInfo:
    """Iterate events until nothing is left to do, and enter continuous-time mode."""
    for _ in range(1000):
        info = EventInfo()
        it.do("NewDiscreteStates", info)
        if not info.newDiscreteStatesNeeded or info.terminateSimulation:
            break
    it.do("EnterContinuousTimeMode")
    return info


def begin(fmu: CheckedFmu) -> float:
    return fmu.experiment("startTime", 0.0)


def grid(fmu: CheckedFmu) -> tuple[float, int]:
    """(step [s], number of steps) of the runs: the default experiment's, at most MOST_STEPS."""
    length = max(fmu.experiment("stopTime", begin(fmu) + 1.0) - begin(fmu), 0.0) or 1.0
    step = fmu.experiment("stepSize", 0.0)
    step = step if 0.0 < step <= length else length / 100
    return step, max(2, min(MOST_STEPS, round(length / step)))


def outputs(fmu: CheckedFmu, numbers: bool = True) -> list:
    """Outputs, or all variables if there are none; with numbers: no strings."""
    found = fmu.some("output") or fmu.variables
    return [v for v in found if v.type and not (numbers and v.type == "String")]


def continuous(fmu: CheckedFmu) -> list:
    """Of those, the Real ones that change continuously."""
    return [v for v in outputs(fmu) if v.type == "Real" and v.variability == "continuous"]


def step_through(
    fmu: CheckedFmu, it: CheckedInstance, count: int, size: float | None = None, start=None, first: int = 0
) -> np.ndarray:
    """Step `count` times from step number `first` on; outputs after each step, (count, ny). Shorter if time runs out."""
    size = size or grid(fmu)[0]
    start = begin(fmu) if start is None else start
    wanted, rows, cpu_timeout = outputs(fmu), [], CpuTimeout.own(BUDGET)
    for n in range(first, first + count):
        status = it.step(start + n * size, size, do=False)
        if status == DISCARD:  # the FMU wants to end, or can't go further: section 4.2.2
            break
        if status > WARNING:
            raise CallRefused("fmi2DoStep", status, it.said[-1][3] if it.said else "")
        rows.append([float(value) for value in it.get(wanted)])
        if cpu_timeout.ended():
            break
    return np.array(rows).reshape(len(rows), len(wanted))


def cs_run(fmu: CheckedFmu) -> np.ndarray:
    """The outputs of the plain run, (steps, ny); made once."""
    if "_cs_run" not in fmu.__dict__:
        fmu.need("CoSimulation")
        with initialized(fmu, "CoSimulation") as it:
            fmu._cs_run = step_through(fmu, it, grid(fmu)[1])
            it.do("Terminate")
    return fmu._cs_run


def few(fmu: CheckedFmu) -> int:
    """Steps of a run that only has to be like another."""
    return min(20, len(cs_run(fmu)))


def differs(fmu: CheckedFmu, a: np.ndarray, b: np.ndarray) -> str:
    """Name of the first output by which two runs differ beyond 1e-12 of its largest value; nothing if they agree."""
    n = min(len(a), len(b))
    a, b = a[:n], b[:n]
    scale = np.maximum(np.nanmax(np.abs(a), axis=0, initial=0.0), np.nanmax(np.abs(b), axis=0, initial=0.0)) + 1e-300
    bad = (np.isnan(a) != np.isnan(b)) | (np.abs(a - b) > 1e-12 * scale)
    columns = np.flatnonzero(bad.any(axis=0))
    return outputs(fmu)[columns[0]].name if len(columns) else ""


def span(rows: np.ndarray) -> np.ndarray:
    """The range of each column; not less than what round-off makes of its size."""
    return np.ptp(rows, axis=0) + 1e-6 * np.abs(rows).max(axis=0) + 1e-12
