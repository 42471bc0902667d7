"""The life of an instance: made, run, reset, freed; alone, beside others, in any folder."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import shutil
import sys
import threading
import time
from pathlib import Path

import numpy as np

from .host import ERROR, OK, WARNING, Library, Refused
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
    me_run,
    outputs,
    runnable,
    step_through,
    surroundings,
)

_FREES = (
    "Disposes the given instance, unloads the loaded model, and frees all the allocated memory and other resources that "
    "have been allocated by the functions of the FMU interface."
)


@rule(
    "loads",
    VIOLATION,
    "the library for this machine can be loaded, and has the functions of its kind",
    "2.3",
    "FMUs should contain all resources that are required to load and execute a shared library",
)
def loads(fmu):
    for kind in fmu.kinds:
        try:
            path = fmu.library(kind)
        except NotPossible:
            continue
        try:
            Library(path, kind, fmu.watch)
        except NotPossible as error:
            yield f"{kind}: {error}"


@rule(
    "version",
    VIOLATION,
    "the library says that it is of FMI 2.0",
    "2.1.4",
    'The standard header file as documented in this specification has version "2.0" (so this function usually returns "2.0").',
)
def version(fmu):
    for kind in runnable(fmu):
        for function, expected in (("fmi2GetVersion", "2.0"), ("fmi2GetTypesPlatform", "default")):
            found = library(fmu, kind)(function)
            if found is None or found.decode("utf-8", "replace") != expected:
                yield f"{kind}: {function} gives {found!r}, expected {expected!r}"


@rule(
    "wrong-guid",
    VIOLATION,
    "another GUID is refused",
    "2.1.5",
    "It must be identical to the one stored inside the fmi2Instantiate function; otherwise the C code and the XML file of the FMU are not consistent with each other.",
)
def wrong_guid(fmu):
    for kind in runnable(fmu):
        it = instance(fmu, kind, guid="{00000000-dead-beef-0000-000000000000}")
        if it.component:
            yield f"{kind}: fmi2Instantiate took a GUID that is not the FMU's"
            it.__exit__(None)


@rule(
    "refusal-said",
    VIOLATION,
    "an instantiation that fails says why",
    "2.1.5",
    "If a null pointer is returned, then instantiation failed. In that case, functions->logger is called with detailed information about the reason.",
)
def refusal_said(fmu):
    for kind in runnable(fmu):
        it = instance(fmu, kind, guid="{00000000-dead-beef-0000-000000000000}", logging=True)
        if not it.component and not it.said:
            yield f"{kind}: fmi2Instantiate refused a wrong GUID without a message"
        it.__exit__(None)


@rule(
    "life",
    VIOLATION,
    "an instance can be made, initialized, run, terminated and freed",
    "2.1.5",
    "The function returns a new instance of an FMU.",
)
def life(fmu):
    for kind in runnable(fmu):
        with initialized(fmu, kind) as it:
            it.get(outputs(fmu, numbers=False))
            it.do("Terminate")
            it.get(outputs(fmu, numbers=False))
    if "CoSimulation" in runnable(fmu):
        cs_run(fmu)
    if "ModelExchange" in runnable(fmu):
        me_run(fmu)
    return
    yield


@rule(
    "resource-location",
    VIOLATION,
    "resources are found in any folder, by every form of its URI",
    "2.1.5",
    'Argument fmuResourceLocation is a URI according to the IETF RFC3986 syntax […] Mandatory: "file" with absolute path (either including or omitting the authority component)',
    abuse=True,
)
def resource_location(fmu):
    folder = fmu.folder / "an FMU ü"
    if not folder.exists():
        shutil.copytree(fmu.unpacked, folder)
    (folder / "resources").mkdir(exist_ok=True)
    uri = (folder / "resources").as_uri()
    for kind in runnable(fmu):
        for form in (uri, uri.replace("file:///", "file:/")):
            it = instance(fmu, kind, resources=form)
            if not it.component:
                yield f"{kind}: fmi2Instantiate is refused with {form.replace(str(fmu.folder), '…')}"
            with contextlib.suppress(Refused), it:
                it.initialize(begin(fmu))


@rule(
    "free-null",
    VIOLATION,
    "fmi2FreeInstance ignores a null pointer",
    "2.1.5",
    "If a null pointer is provided for c, the function call is ignored (does not have an effect).",
    abuse=True,
)
def free_null(fmu):
    for kind in runnable(fmu):
        library(fmu, kind)("fmi2FreeInstance", None)
    return
    yield


@rule(
    "reset",
    VIOLATION,
    "after fmi2Reset an instance is as good as new",
    "2.1.6",
    "The FMU goes into the same state as if fmi2Instantiate would have been called. All variables have their default values.",
)
def reset(fmu):
    if "CoSimulation" in runnable(fmu):
        parameters = [v for v in fmu.some("parameter", "Real", "fixed") if v.start][:20]

        def change(it):
            for v in parameters:  # within bounds, mostly; what is refused is refused
                it.set(v, v.start * 1.0001, do=False)

        def plainly(it):
            pass

        for prepare in (plainly, change):
            with instance(fmu, "CoSimulation") as it:
                prepare(it)
                try:
                    it.initialize(begin(fmu))
                    step_through(fmu, it, 3)
                except Exception as error:
                    if prepare is plainly or "Refused" not in type(error).__name__:
                        raise
                it.do("Reset")
                it.initialize(begin(fmu))
                again = step_through(fmu, it, few(fmu))
            if (j := differs(again, cs_run(fmu))) is not None:
                after = "with other parameters " if prepare is change else ""
                yield f"after a run {after}and fmi2Reset, {outputs(fmu)[j].name} is not what it was in the first run"
                return
    if "ModelExchange" in runnable(fmu):
        with initialized(fmu, "ModelExchange") as it:
            first = it.vector("GetContinuousStates", len(fmu.states))
            it.set_states(begin(fmu), [x + 0.01 for x in first])
            it.do("Reset")
            it.initialize(begin(fmu))
            if it.vector("GetContinuousStates", len(fmu.states)) != first:
                yield "ModelExchange: after fmi2Reset and initialization the continuous states are not what they were"


@rule(
    "reset-after-error",
    VIOLATION,
    "fmi2Reset brings an instance back from an error",
    "2.1.3",
    "It is also possible to reset the instance of the FMU by calling fmi2Reset.",
    abuse=True,
)
def reset_after_error(fmu):
    fmu.need("CoSimulation")
    with initialized(fmu, "CoSimulation") as it:
        status = it.call("GetReal", (ctypes.c_uint * 1)(0xFFFFFFF0), 1, (ctypes.c_double * 1)())
        if status != ERROR:
            status = it.call("DoStep", begin(fmu), -1.0, 1)
        if status != ERROR:
            raise NotPossible("no error could be provoked")
        status = it.call("Reset")
        if status > WARNING:
            yield "fmi2Reset is refused after fmi2Error"
            return
        it.initialize(begin(fmu))
        if (j := differs(step_through(fmu, it, few(fmu)), cs_run(fmu))) is not None:
            yield f"after fmi2Error and fmi2Reset, {outputs(fmu)[j].name} is not what it was in the first run"


@rule(
    "start-time",
    VIOLATION,
    "an experiment may start at any time",
    "2.1.6",
    "Argument startTime is the fixed initial value of the independent variable value",
)
def start_time(fmu):
    start = begin(fmu) + 10 * grid(fmu)[0]
    for kind in runnable(fmu):
        with initialized(fmu, kind, start=start) as it:
            for v in fmu.some("independent"):
                if it.get([v]) != [start]:
                    yield f"{kind}: {v.name} is {it.get([v])[0]:g} after a start at {start:g}"
            if kind == "CoSimulation":
                it.step(start, grid(fmu)[0])


@rule(
    "stop-optional",
    VIOLATION,
    "an experiment needs no stop time, nor a tolerance",
    "2.1.6",
    "If stopTimeDefined = fmi2False, then no final value of the independent variable is defined and argument stopTime is meaningless.",
)
def stop_optional(fmu):
    for kind in runnable(fmu):
        for stop, tolerance in ((None, None), (begin(fmu) + 1e3 * grid(fmu)[0], 1e-5)):
            with instance(fmu, kind) as it:
                arguments = (
                    int(tolerance is not None),
                    tolerance or 0.0,
                    begin(fmu),
                    int(stop is not None),
                    stop or 0.0,
                )
                if it.call("SetupExperiment", *arguments) > WARNING:
                    yield f"{kind}: fmi2SetupExperiment is refused {'with' if stop else 'without'} stop time and tolerance"


@rule(
    "stop-time",
    VIOLATION,
    "no step goes past the stop time",
    "2.1.6",
    "if the environment tries to compute past stopTime the FMU has to return fmi2Status = fmi2Error",
)
def stop_time(fmu):
    if "CoSimulation" not in runnable(fmu):
        raise NotPossible("the FMU has no CoSimulation")
    step = grid(fmu)[0]
    with instance(fmu, "CoSimulation") as it:
        it.initialize(begin(fmu), begin(fmu) + 1.5 * step)
        it.step(begin(fmu), step)
        status = it.step(begin(fmu) + step, step, do=False)
        if status <= WARNING:
            yield f"a step to {begin(fmu) + 2 * step:g} s was taken, the stop time is {begin(fmu) + 1.5 * step:g} s"


@rule(
    "variable-steps",
    VIOLATION,
    "steps may have different sizes, if the FMU says so",
    "4.3.1",
    "The slave can handle variable communication step size.",
)
def variable_steps(fmu):
    fmu.need("CoSimulation")
    if not fmu.can("CoSimulation", "canHandleVariableCommunicationStepSize"):
        raise NotPossible("the FMU does not say that it can handle variable steps")
    with initialized(fmu, "CoSimulation") as it:
        t = begin(fmu)
        for part in (1.0, 0.5, 0.25, 0.001, 1.0, 0.7):
            size = part * grid(fmu)[0]
            if it.step(t, size, do=False) > WARNING:
                yield f"a step of {size:g} s at t = {t:g} s was refused"
                return
            t += size


@rule("split-steps", INTEROPERABILITY, "two half steps lead where one step leads: the FMU has a solver of its own")
def split_steps(fmu):
    fmu.need("CoSimulation")
    if not fmu.can("CoSimulation", "canHandleVariableCommunicationStepSize"):
        raise NotPossible("the FMU does not say that it can handle variable steps")
    size, n = grid(fmu)[0], few(fmu)
    with initialized(fmu, "CoSimulation") as it:
        halves = step_through(fmu, it, 2 * n, size / 2)[1::2]
    reals = [j for j, v in enumerate(outputs(fmu)) if v.variability == "continuous"]
    whole = cs_run(fmu)
    span = np.ptp(whole, axis=0) + 1e-6 * np.abs(whole).max(axis=0) + 1e-12
    for j in reals:
        worst = np.abs(halves[:n, j] - whole[: len(halves), j][:n]).max(initial=0.0) / span[j]
        if worst > 0.01:
            yield f"{outputs(fmu)[j].name} differs by {100 * worst:.0f} % of its range between whole and half steps"


@rule(
    "two-instances",
    VIOLATION,
    "instances do not disturb each other",
    "2.1.5",
    "An FMU can be instantiated many times (provided capability flag canBeInstantiatedOnlyOncePerProcess = false).",
)
def two_instances(fmu):
    fmu.need("CoSimulation")
    if fmu.can("CoSimulation", "canBeInstantiatedOnlyOncePerProcess"):
        raise NotPossible("the FMU says that it can be instantiated only once")
    inputs = fmu.some("input", "Real")
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
    if (j := differs(np.array(rows), cs_run(fmu))) is not None:
        yield f"{outputs(fmu)[j].name} is another when a second instance runs beside the first"


@rule(
    "two-threads",
    VIOLATION,
    "instances in different threads do not disturb each other",
    "2.1",
    "Additionally, they can be called in parallel provided the functions are called in different process/threads.",
)
def two_threads(fmu):
    fmu.need("CoSimulation")
    if fmu.can("CoSimulation", "canBeInstantiatedOnlyOncePerProcess"):
        raise NotPossible("the FMU says that it can be instantiated only once")
    found: list = []

    def run(turns):
        try:
            for _ in range(turns):
                with initialized(fmu, "CoSimulation") as it:
                    found.append(step_through(fmu, it, few(fmu)))
        except Exception as error:
            found.append(error)

    turns = max(1, min(10, int(200 / few(fmu))))
    threads = [threading.Thread(target=run, args=(turns,), daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for rows in found:
        if isinstance(rows, Exception):
            yield f"in two threads: {rows}"
            return
        if (j := differs(rows, cs_run(fmu))) is not None:
            yield f"{outputs(fmu)[j].name} is another when a second instance runs in another thread"
            return


@rule("memory-leak", VIOLATION, "memory of allocateMemory is given back", "2.1.5", _FREES)
def memory_leak(fmu):
    for kind in runnable(fmu):
        it = instance(fmu, kind)
        with it:
            it.initialize(begin(fmu))
        if it.live:
            size = sum(len(block) for block in it.live.values())
            yield f"{kind}: {len(it.live)} blocks, {size} bytes, were not freed with the instance"


@rule("memory-growth", VIOLATION, "instances that come and go leave nothing behind", "2.1.5", _FREES)
def memory_growth(fmu):
    if not Path("/proc/self/statm").exists():
        raise NotPossible("memory is measured on Linux alone")
    for kind in runnable(fmu):
        sizes, until = [], time.monotonic() + 5.0
        for _ in range(121):
            with instance(fmu, kind) as it:
                it.initialize(begin(fmu))
            del it
            gc.collect(0)
            sizes.append(int(Path("/proc/self/statm").read_text("utf-8").split()[1]) * os.sysconf("SC_PAGE_SIZE"))
            if time.monotonic() > until:
                break
        quarter = len(sizes) // 4
        growth = (sizes[-1] - sizes[quarter]) / max(1, len(sizes) - 1 - quarter)
        if quarter >= 5 and growth > 20_000:
            yield f"{kind}: {growth / 1000:.0f} kB an instance stay behind, over {len(sizes)} of them"


@rule(
    "memory-functions",
    VIOLATION,
    "an FMU that can't use memory functions does not",
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


@rule("callbacks-copied", INTEROPERABILITY, "what fmi2Instantiate is given is copied: hosts free it after the call", abuse=True)  # fmt: skip
def callbacks_copied(fmu):
    for kind in runnable(fmu):
        it = instance(fmu, kind, spoil=True, logging=True)
        with it:
            it.initialize(begin(fmu))
            it.call("GetReal", (ctypes.c_uint * 1)(0xFFFFFFF0), 1, (ctypes.c_double * 1)())
        names = {said[0] for said in it.said} - {it.name, ""}
        if names:
            yield f"{kind}: messages name the instance {names.pop()[:20]!r}, its name is {it.name!r}"


@rule("step-finished", ROBUSTNESS, "stepFinished may be absent and may be there", abuse=True)
def step_finished(fmu):
    fmu.need("CoSimulation")
    for finished in (False, True):
        with initialized(fmu, "CoSimulation", finished=finished) as it:
            it.step(begin(fmu), grid(fmu)[0])
    return
    yield


@rule(
    "log-category",
    VIOLATION,
    "messages are of the categories in the XML",
    "2.1.5",
    "The allowed values for category are defined in the modelDescription.xml file via the element <fmiModelDescription><LogCategories>",
    abuse=True,
)
def log_category(fmu):
    known = {element.get("name") for element in fmu.fmi2.findall("LogCategories/Category")}
    for kind in runnable(fmu):
        with initialized(fmu, kind, logging=True) as it:
            it.call("GetReal", (ctypes.c_uint * 1)(0xFFFFFFF0), 1, (ctypes.c_double * 1)())
            for category in sorted({said[2] or "" for said in it.said} - known):
                if known or category:
                    yield f"{kind}: a message is of the category {category!r}, the XML has {', '.join(sorted(known)) or 'none'}"


@rule(
    "error-said",
    VIOLATION,
    "an error comes with a message",
    "2.1.3",
    "Function logger was called in the FMU (see below), and it is expected that this function has shown the prepared information message to the user.",
    abuse=True,
)
def error_said(fmu):
    for kind in runnable(fmu):
        with initialized(fmu, kind, logging=True) as it:
            before = len(it.said)
            status = it.call("GetReal", (ctypes.c_uint * 1)(0xFFFFFFF0), 1, (ctypes.c_double * 1)())
            if status == ERROR and not [said for said in it.said[before:] if said[3].strip()]:
                yield f"{kind}: fmi2GetReal returned fmi2Error without a message"


@rule("log-off", INTEROPERABILITY, "with logging off there are no mere remarks")
def log_off(fmu):
    for kind in runnable(fmu):
        with initialized(fmu, kind, logging=False) as it:
            if kind == "CoSimulation":
                it.step(begin(fmu), grid(fmu)[0])
            remarks = [said for said in it.said if said[1] == OK]
            if remarks:
                yield f"{kind}: with loggingOn = false it says {remarks[0][3][:60]!r}"


@rule(
    "log-setting",
    VIOLATION,
    "fmi2SetDebugLogging takes the categories of the XML",
    "2.1.5",
    "The allowed values of categories are defined in the modelDescription.xml file via element <LogCategories>",
)
def log_setting(fmu):
    names = [element.get("name", "").encode() for element in fmu.fmi2.findall("LogCategories/Category")]
    for kind in runnable(fmu):
        for some in ([], names, *([name] for name in names)):
            with instance(fmu, kind) as it:
                array = (ctypes.c_char_p * max(1, len(some)))(*some)
                if it.call("SetDebugLogging", 1, len(some), array) > WARNING:
                    words = ", ".join(name.decode() for name in some) or "all of them"
                    yield f"{kind}: fmi2SetDebugLogging is refused for {words}"
                    break


@rule("log-promised", INTEROPERABILITY, "a category that is promised is used: logEvents when there are events")
def log_promised(fmu):
    known = {element.get("name") for element in fmu.fmi2.findall("LogCategories/Category")}
    run = me_run(fmu)
    if (
        "logEvents" in known
        and run.state_events + run.time_events
        and "logEvents" not in {said[2] for said in run.said}
    ):
        yield f"{run.state_events + run.time_events} events, and no message of the category logEvents"


def _live(fmu):
    for kind in runnable(fmu):
        with initialized(fmu, kind) as it:
            if kind == "CoSimulation":
                step_through(fmu, it, 3)
            it.do("Terminate")


@rule("prints", ROBUSTNESS, "an FMU says what it has to say to its logger, not to the terminal")
def prints(fmu):
    if sys.platform == "win32":
        raise NotPossible("looked at on Linux and macOS alone")
    flush = ctypes.CDLL(None).fflush
    flush(None)
    before = os.fstat(1).st_size
    _live(fmu)
    flush(None)
    if os.fstat(1).st_size > before:
        yield f"{os.fstat(1).st_size - before} bytes came out of it on stdout or stderr"


@rule("files", ROBUSTNESS, "an FMU leaves no files in the current folder or its own")
def files(fmu):
    _live(fmu)
    before, after = fmu.surroundings["files"], surroundings(fmu)["files"]
    for path in sorted(after):
        if before.get(path) != after[path]:
            yield f"it {'changed' if path in before else 'wrote'} {path.relative_to(fmu.folder)}"


@rule(
    "settings",
    VIOLATION,
    "rounding, floating-point traps, locale and current folder stay as they are",
    "2.1",
    "FMI functions must not change global settings which affect other processes/threads.",
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
    "float-exceptions", INTEROPERABILITY, "no call divides by zero: hosts that trap floating-point exceptions would end"
)
def float_exceptions(fmu):
    for kind in runnable(fmu):
        used = library(fmu, kind)
        used.exceptions.clear()
        with initialized(fmu, kind) as it:
            it.get(fmu.variables)
            if kind == "CoSimulation":
                step_through(fmu, it, 5)
                it.get(fmu.variables)
        for function, what in used.exceptions.items():
            yield f"{kind}: {function} raises the floating-point exception {what}"


@rule("deterministic", ROBUSTNESS, "the same run in another process gives the same numbers")
def deterministic(fmu):
    from .second import in_another_process

    fmu.need("CoSimulation")
    ours = cs_run(fmu)[: few(fmu)]
    theirs = np.array(in_another_process(fmu, "run", steps=len(ours))).reshape(-1, len(outputs(fmu)))
    if (j := differs(theirs, ours)) is not None:
        yield f"{outputs(fmu)[j].name} is another in a second process"
