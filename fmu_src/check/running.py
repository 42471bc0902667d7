"""Instances and co-simulation runs shared by several rules, over a part of the default experiment."""

from __future__ import annotations

import ctypes
import itertools
import os
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from . import host2, host3
from .cpu_timeout import CpuTimeout
from .functions import functions
from .host import DISCARD, WARNING, CallRefused, CheckedInstance, Library
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
        known[kind] = load(fmu, kind)
    return known[kind]


def load(fmu: CheckedFmu, kind: str) -> Library:
    """A library of this machine with the functions of its kind."""
    host = host2 if fmu.version == 2 else host3
    signatures = {name: host.SIGNATURES[name] for name in functions(fmu.version, kind)}
    return Library(fmu.library(kind), kind, fmu.watch, signatures, host.RESULTS)


def surroundings(fmu: CheckedFmu) -> dict:
    """The state that an FMU must not change: locale, current folder, files there and in the folder of the FMU."""
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
        if kind == "ScheduledExecution":
            why = "the FMU is for ScheduledExecution, of which nothing is run"
            continue
        try:
            library(fmu, kind)
            found.append(kind)
        except NotPossible as error:
            why = str(error)
    if not found:
        raise Unreadable(why or "the FMU is of no kind")
    return found


def instance(
    fmu: CheckedFmu, kind: str, guid: str | None = None, resources: str | None = None, **more
) -> CheckedInstance:
    """A fresh instance; `with` frees it. resources: their folder, if not in the unpacked FMU."""
    token, name = fmu.token if guid is None else guid, next(_NAMES)
    if fmu.version == 3:
        if kind == "CoSimulation" and fmu.has_clocks:
            more = {"event_mode": True, "early": True} | more  # section 2.3.1: required where there are clocks
        return host3.Instance3(library(fmu, kind), token, resources or resource_path(fmu, fmu.unpacked), name, **more)
    more.setdefault("memory", not fmu.can(kind, "canNotUseMemoryManagementFunctions"))
    return host2.Instance2(library(fmu, kind), token, resources or (fmu.unpacked / "resources").as_uri(), name, **more)


def resource_path(fmu: CheckedFmu, folder: Path) -> str | None:
    """The resources of the FMU unpacked to a folder, as hosts tell them: FMI 2.0 by URI, FMI 3.0 by path, NULL without any."""
    if fmu.version == 2:
        return (folder / "resources").as_uri()
    return f"{folder / 'resources'}{os.sep}" if (folder / "resources").is_dir() else None


@contextmanager
def initialized(fmu: CheckedFmu, kind: str, before=None, start=None, **more):
    """An instance after initialization, ready to step or in continuous-time mode; `before(instance)`: after instantiation."""
    with instance(fmu, kind, **more) as it:
        if before:
            before(it)
        it.initialize(begin(fmu) if start is None else start, None, None)
        if kind == "ModelExchange" or it.event_mode:
            it.settle()
        yield it


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
    found = fmu.some("output") or fmu.scalars
    return [v for v in found if v.number_type or (v.type in ("String", "Binary") and not numbers)]


def continuous(fmu: CheckedFmu) -> list:
    """Of those, the Real ones that change continuously."""
    return [v for v in outputs(fmu) if v.real and v.variability == "continuous"]


def step_through(
    fmu: CheckedFmu, it: CheckedInstance, count: int, size: float | None = None, start=None, first: int = 0
) -> np.ndarray:
    """Step `count` times from step number `first` on; outputs after each step, (count, ny). Shorter if time runs out."""
    size = size or grid(fmu)[0]
    start = begin(fmu) if start is None else start
    wanted, rows, cpu_timeout = outputs(fmu), [], CpuTimeout.own(BUDGET)
    for n in range(first, first + count):
        status = it.step(start + n * size, size, do=False)
        if status == DISCARD:  # the FMU requests the end, or can't continue: section 4.2.2
            break
        if status > WARNING:
            raise CallRefused(it.function("DoStep"), status, it.said[-1][3] if it.said else "")
        rows.append([float(value) for value in it.get(wanted)])
        if cpu_timeout.ended():
            break
    return np.array(rows).reshape(len(rows), len(wanted))


def cs_run(fmu: CheckedFmu) -> np.ndarray:
    """The outputs of the plain run, (steps, ny); run once."""
    if "_cs_run" not in fmu.__dict__:
        fmu.need("CoSimulation")
        with initialized(fmu, "CoSimulation") as it:
            fmu._cs_run = step_through(fmu, it, grid(fmu)[1])
            it.do("Terminate")
    return fmu._cs_run


def few(fmu: CheckedFmu) -> int:
    """Number of steps of a run that is only compared with another."""
    return min(20, len(cs_run(fmu)))


def differs(fmu: CheckedFmu, a: np.ndarray, b: np.ndarray) -> str:
    """Name of the first output by which two runs differ by more than 1e-12 of its largest value; empty if they agree."""
    n = min(len(a), len(b))
    a, b = a[:n], b[:n]
    scale = np.maximum(np.nanmax(np.abs(a), axis=0, initial=0.0), np.nanmax(np.abs(b), axis=0, initial=0.0)) + 1e-300
    bad = (np.isnan(a) != np.isnan(b)) | (np.abs(a - b) > 1e-12 * scale)
    columns = np.flatnonzero(bad.any(axis=0))
    return outputs(fmu)[columns[0]].name if len(columns) else ""


def span(rows: np.ndarray) -> np.ndarray:
    """The range of each column; at least the round-off of its size."""
    return np.ptp(rows, axis=0) + 1e-6 * np.abs(rows).max(axis=0) + 1e-12
