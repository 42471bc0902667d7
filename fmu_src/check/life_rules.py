"""The life of an instance: loaded, made, run, reset, freed; in any folder."""

from __future__ import annotations

import contextlib
import shutil

from .exchange import me_run
from .host import ERROR, WARNING, CallRefused, Library
from .rules import VIOLATION, NotPossible, rule
from .running import begin, cs_run, differs, few, initialized, instance, library, outputs, runnable, step_through


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
            with contextlib.suppress(CallRefused), it:
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
                    if prepare is plainly or not isinstance(error, CallRefused):
                        raise
                it.do("Reset")
                it.initialize(begin(fmu))
                again = step_through(fmu, it, few(fmu))
            if name := differs(fmu, again, cs_run(fmu)):
                after = "with other parameters " if prepare is change else ""
                yield f"after a run {after}and fmi2Reset, {name} is not what it was in the first run"
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
        status = it.provoke()
        if status != ERROR:
            status = it.call("DoStep", begin(fmu), -1.0, 1)
        if status != ERROR:
            raise NotPossible("no error could be provoked")
        status = it.call("Reset")
        if status > WARNING:
            yield "fmi2Reset is refused after fmi2Error"
            return
        it.initialize(begin(fmu))
        if name := differs(fmu, step_through(fmu, it, few(fmu)), cs_run(fmu)):
            yield f"after fmi2Error and fmi2Reset, {name} is not what it was in the first run"
