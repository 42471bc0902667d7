"""An FMU shares its process with other instances and threads, and must leave memory, terminal, files and settings of the host alone."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import threading
import time
from pathlib import Path

import numpy as np

from .cpu_timeout import CpuTimeout
from .host import WARNING
from .rules import INTEROPERABILITY, ROBUSTNESS, VIOLATION, NotPossible, rule
from .running import (
    begin,
    cs_run,
    differs,
    few,
    grid,
    initialized,
    instance,
    library,
    outputs,
    runnable,
    step_through,
    surroundings,
)
from .second import in_another_process

_FREES = (
    "Disposes the given instance, unloads the loaded model, and frees all the allocated memory and other resources that "
    "have been allocated by the functions of the FMU interface."
)


@rule(
    "two-instances",
    VIOLATION,
    "instances do not affect each other",
    "2.1.5",
    "An FMU can be instantiated many times (provided capability flag canBeInstantiatedOnlyOncePerProcess = false).",
    fmi3=(
        "2.3.1",
        "An FMU can be instantiated many times (provided capability flag canBeInstantiatedOnlyOncePerProcess = false).",
    ),
)
def two_instances(fmu):
    fmu.need("CoSimulation")
    if fmu.can("CoSimulation", "canBeInstantiatedOnlyOncePerProcess"):
        raise NotPossible("the FMU says that it can be instantiated only once")
    inputs = fmu.some("input", True)
    with initialized(fmu, "CoSimulation") as one, initialized(fmu, "CoSimulation") as two:
        rows = []
        for n in range(few(fmu)):
            t, size = begin(fmu) + n * grid(fmu)[0], grid(fmu)[0]
            one.step(t, size)
            for v in inputs:
                two.set(v, (v.start or 0.0) + 0.1 * (v.number("nominal") or 1.0), do=False)
            if two.step(t, size, do=False) <= WARNING:
                two.get(outputs(fmu))
            rows.append([float(value) for value in one.get(outputs(fmu))])
    if name := differs(fmu, np.array(rows), cs_run(fmu)):
        yield f"{name} is another when a second instance runs beside the first"


@rule(
    "two-threads",
    VIOLATION,
    "instances in different threads do not affect each other",
    "2.1",
    "Additionally, they can be called in parallel provided the functions are called in different process/threads.",
)
@rule("threads", INTEROPERABILITY, "instances in different threads do not affect each other: hosts use threads", only=3)
def two_threads(fmu):
    fmu.need("CoSimulation")
    if fmu.can("CoSimulation", "canBeInstantiatedOnlyOncePerProcess"):
        raise NotPossible("the FMU says that it can be instantiated only once")
    found: list = []

    def run(turns, late=0.0):
        try:
            for _ in range(turns):
                time.sleep(late)
                with initialized(fmu, "CoSimulation") as it:
                    found.append(step_through(fmu, it, few(fmu)))
        except Exception as error:
            found.append(error)

    turns = max(1, min(10, int(200 / few(fmu))))
    begun = time.perf_counter()
    run(1)
    # Two runs in lockstep would overwrite shared values by equal ones: so the second one lags by a different part of the run each time.
    delays = (0.0, 0.3 * (time.perf_counter() - begun))
    threads = [threading.Thread(target=run, args=(turns, late), daemon=True) for late in delays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for rows in found:
        if isinstance(rows, Exception):
            yield f"in two threads: {rows}"
            return
        if name := differs(fmu, rows, cs_run(fmu)):
            yield f"{name} is another when a second instance runs in another thread"
            return


@rule("memory-leak", VIOLATION, "memory of allocateMemory is freed", "2.1.5", _FREES)
def memory_leak(fmu):
    for kind in runnable(fmu):
        it = instance(fmu, kind)
        with it:
            it.initialize(begin(fmu))
        if it.live:
            size = sum(len(block) for block in it.live.values())
            yield f"{kind}: {len(it.live)} blocks, {size} bytes, were not freed with the instance"


@rule(
    "memory-growth",
    VIOLATION,
    "instances that are created and freed leave no memory behind",
    "2.1.5",
    _FREES,
    fmi3=(
        "2.3.1",
        "frees all the allocated memory and other resources that have been allocated by the functions of the FMU interface",
    ),
)
def memory_growth(fmu):
    if not Path("/proc/self/statm").exists():
        raise NotPossible("memory is measured only on Linux")
    for kind in runnable(fmu):
        sizes, cpu_timeout = [], CpuTimeout.own(5.0)
        for _ in range(121):
            with instance(fmu, kind) as it:
                it.initialize(begin(fmu))
            del it
            gc.collect(0)
            sizes.append(_resident())
            if cpu_timeout.ended():
                break
        quarter = len(sizes) // 4
        growth = (sizes[-1] - sizes[quarter]) / max(1, len(sizes) - 1 - quarter)
        if quarter >= 5 and growth > 20_000:
            yield f"{kind}: {growth / 1000:.0f} kB an instance stay behind, over {len(sizes)} of them"


@rule("memory-steps", ROBUSTNESS, "the memory in use does not grow with the number of steps")
def memory_steps(fmu):
    fmu.need("CoSimulation")
    size, count = grid(fmu)
    blocks, sizes, cpu_timeout = [], [], CpuTimeout.own(2.0)
    with instance(fmu, "CoSimulation") as it:
        while len(blocks) < 4000 and not cpu_timeout.ended():
            it.initialize(begin(fmu))
            if it.event_mode:
                it.settle()
            for n in range(count):
                if cpu_timeout.ended() or it.step(begin(fmu) + n * size, size, do=False) > WARNING:
                    break
                blocks.append(len(it.live))
                sizes.append(_resident())
            it.do("Reset")
    quarter = len(blocks) // 4
    if quarter < 25:
        raise NotPossible("there was time for only a few steps")
    turns = [
        min(part) for part in (blocks[quarter : 2 * quarter], blocks[2 * quarter : 3 * quarter], blocks[3 * quarter :])
    ]
    if turns[0] < turns[1] < turns[2]:
        yield f"{turns[2] - turns[0]} more blocks of allocateMemory are in use after {2 * quarter} steps"
    growth = sizes[-1] - sizes[quarter]
    if growth > max(2 << 20, 200 * 3 * quarter):
        yield f"{growth / (3 * quarter):.0f} bytes per step stay behind, over {3 * quarter} steps"


def _resident() -> int:
    """Resident memory of this process [bytes]; 0 where the system does not report it."""
    try:
        return int(Path("/proc/self/statm").read_text("utf-8").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


@rule(
    "memory-functions",
    VIOLATION,
    "an FMU that declares that it can't use memory functions does not use them",
    "2.1.5",
    "If attribute canNotUseMemoryManagementFunctions = true […], then function allocateMemory is not used in the FMU and a void pointer can be provided.",
)
def memory_functions(fmu):
    for kind in runnable(fmu):
        if fmu.can(kind, "canNotUseMemoryManagementFunctions"):
            with instance(fmu, kind, memory=True) as it:
                it.initialize(begin(fmu))
                if it.allocations:
                    yield f"{kind}: allocateMemory was called {it.allocations} times"


@rule("callbacks-copied", INTEROPERABILITY, "arguments of an instantiation are copied: hosts free them after the call", abuse=True)  # fmt: skip
def callbacks_copied(fmu):
    for kind in runnable(fmu):
        it = instance(fmu, kind, spoil=True, logging=True)
        with it:
            it.initialize(begin(fmu))
            it.provoke()
        names = {said[0] for said in it.said} - {it.name, ""}
        if names:
            yield f"{kind}: messages name the instance {names.pop()[:20]!r}, its name is {it.name!r}"


def _live(fmu):
    for kind in runnable(fmu):
        with initialized(fmu, kind) as it:
            if kind == "CoSimulation":
                step_through(fmu, it, 3)
            it.do("Terminate")


@rule("prints", ROBUSTNESS, "an FMU writes messages to its logger, not to the terminal")
def prints(fmu):
    if sys.platform == "win32":
        raise NotPossible("checked only on Linux and macOS")
    flush = ctypes.CDLL(None).fflush
    flush(None)
    before = os.fstat(1).st_size
    _live(fmu)
    flush(None)
    if os.fstat(1).st_size > before:
        yield f"{os.fstat(1).st_size - before} bytes came out of it on stdout or stderr"


@rule("files", ROBUSTNESS, "an FMU leaves no files in the current folder or its own folder")
def files(fmu):
    _live(fmu)
    before, after = fmu.surroundings["files"], surroundings(fmu)["files"]
    for path in sorted(after):
        if before.get(path) != after[path]:
            yield f"it {'changed' if path in before else 'wrote'} {path.relative_to(fmu.folder)}"


@rule(
    "settings",
    VIOLATION,
    "rounding mode, floating-point traps, locale and current folder are unchanged",
    "2.1",
    "FMI functions must not change global settings which affect other processes/threads.",
    fmi3=("2.2.1", "FMI functions must not change global settings which affect other processes/threads."),
)
def settings(fmu):
    _live(fmu)
    before, after = fmu.surroundings, surroundings(fmu)
    for what in ("locale", "folder"):
        if after[what] != before[what]:
            yield f"the {what} went from {before[what]} to {after[what]}"
    for kind in runnable(fmu):
        for function, what in library(fmu, kind).settings.items():
            yield f"{kind}: {function} leaves {what} changed"


@rule(
    "float-exceptions",
    INTEROPERABILITY,
    "no call divides by zero: hosts that trap floating-point exceptions would crash",
)
def float_exceptions(fmu):
    for kind in runnable(fmu):
        used = library(fmu, kind)
        used.exceptions.clear()
        with initialized(fmu, kind) as it:
            it.get([v for v in fmu.scalars if not v.clocked and v.type != "Clock"])
            if kind == "CoSimulation":
                step_through(fmu, it, 5)
                it.get([v for v in fmu.scalars if not v.clocked and v.type != "Clock"])
        for function, what in used.exceptions.items():
            yield f"{kind}: {function} raises the floating-point exception {what}"


@rule("deterministic", ROBUSTNESS, "the same run in another process gives the same results")
def deterministic(fmu):

    fmu.need("CoSimulation")
    ours = cs_run(fmu)[: few(fmu)]
    theirs = np.array(in_another_process(fmu, "run", steps=len(ours))).reshape(-1, len(outputs(fmu)))
    if name := differs(fmu, theirs, ours):
        yield f"{name} is another in a second process"
