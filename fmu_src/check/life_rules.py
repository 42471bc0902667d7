"""The life cycle of an instance: loaded, instantiated, run, reset, freed; in any folder."""

from __future__ import annotations

import contextlib
import shutil

from .exchange import me_run
from .host import ERROR, WARNING, CallRefused
from .rules import INTEROPERABILITY, VIOLATION, NotPossible, rule
from .running import (
    begin,
    cs_run,
    differs,
    few,
    initialized,
    instance,
    library,
    load,
    outputs,
    resource_path,
    runnable,
    step_through,
)

_VERSIONS = {2: (("fmi2GetVersion", "2.0"), ("fmi2GetTypesPlatform", "default")), 3: (("fmi3GetVersion", "3.0"),)}


def _begin(fmu, it) -> None:
    """Initialize, and leave event mode if the instance has it."""
    it.initialize(begin(fmu))
    if it.event_mode:
        it.settle()


@rule(
    "loads",
    VIOLATION,
    "the library for this machine can be loaded, and has the functions of its interfaces",
    "2.3",
    "FMUs should contain all resources that are required to load and execute a shared library",
    fmi3=("2.5.1.4", "FMUs should contain all resources that are required to load and execute a shared library"),
)
def loads(fmu):
    for kind in fmu.kinds:
        try:
            fmu.library(kind)
        except NotPossible:
            continue
        try:
            load(fmu, kind)
        except NotPossible as error:
            yield f"{kind}: {error}"


@rule(
    "version",
    VIOLATION,
    "the library reports the FMI version of the XML",
    "2.1.4",
    'The standard header file as documented in this specification has version "2.0" (so this function usually returns "2.0").',
    fmi3=(
        "2.2.5",
        "The standard header file as documented in this specification has version 3.0, so this function returns 3.0.",
    ),
)
def version(fmu):
    for kind in runnable(fmu):
        for function, expected in _VERSIONS[fmu.version]:
            found = library(fmu, kind)(function)
            if found is None or found.decode("utf-8", "replace") != expected:
                yield f"{kind}: {function} gives {found!r}, expected {expected!r}"


@rule(
    "wrong-guid",
    VIOLATION,
    "a wrong GUID is refused",
    "2.1.5",
    "It must be identical to the one stored inside the fmi2Instantiate function; otherwise the C code and the XML file of the FMU are not consistent with each other.",
)
@rule(
    "wrong-token",
    INTEROPERABILITY,
    "a wrong instantiation token is refused: the XML may be that of another build",
    only=3,
)
def wrong_guid(fmu):
    for kind in runnable(fmu):
        it = instance(fmu, kind, guid="{00000000-dead-beef-0000-000000000000}")
        if it.component:
            yield f"{kind}: {fmu.fmi}Instantiate took a token that is not the FMU's"
            it.__exit__(None)


@rule(
    "life",
    VIOLATION,
    "an instance can be created, initialized, run, terminated and freed",
    "2.1.5",
    "The function returns a new instance of an FMU.",
    fmi3=("2.3.1", "These functions return a new instance of an FMU with the respective interface type."),
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
    "resources are found in any folder, with every form of its path or URI",
    "2.1.5",
    'Argument fmuResourceLocation is a URI according to the IETF RFC3986 syntax […] Mandatory: "file" with absolute path (either including or omitting the authority component)',
    abuse=True,
    fmi3=(
        "2.3.1",
        "resourcePath is the absolute file path (with a trailing file separator) of the resources directory of the extracted FMU archive.",
    ),
)
def resource_location(fmu):
    folder = fmu.folder / "an FMU ü"
    if not folder.exists():
        shutil.copytree(fmu.unpacked, folder)
    (folder / "resources").mkdir(exist_ok=True)
    path = resource_path(fmu, folder)
    forms = (path, path.replace("file:///", "file:/")) if fmu.version == 2 else (path, None)
    for kind in runnable(fmu):
        for form in forms:
            it = instance(fmu, kind, resources=form)
            if not it.component:
                yield f"{kind}: {fmu.fmi}Instantiate is refused with {form.replace(str(fmu.folder), '…')}"
            with contextlib.suppress(CallRefused), it:
                it.initialize(begin(fmu))


@rule(
    "free-null",
    VIOLATION,
    "freeing a null pointer has no effect",
    "2.1.5",
    "If a null pointer is provided for c, the function call is ignored (does not have an effect).",
    abuse=True,
    fmi3=(
        "2.3.1",
        "If a NULL pointer is provided for argument instance, the function call is ignored (does not have an effect).",
    ),
)
def free_null(fmu):
    for kind in runnable(fmu):
        library(fmu, kind)(f"{fmu.fmi}FreeInstance", None)
    return
    yield


@rule(
    "reset",
    VIOLATION,
    "after a reset an instance behaves like a new one",
    "2.1.6",
    "The FMU goes into the same state as if fmi2Instantiate would have been called. All variables have their default values.",
    fmi3=(
        "2.3.1",
        "The FMU goes into the same state as if fmi3InstantiateXXX would have been called. All variables have their default values.",
    ),
)
def reset(fmu):
    if "CoSimulation" in runnable(fmu):
        parameters = [v for v in fmu.some("parameter", True, "fixed") if v.start][:20]

        def change(it):
            for v in parameters:  # mostly within bounds; the FMU may reject values
                it.set(v, v.start * 1.0001, do=False)

        def plainly(it):
            pass

        for prepare in (plainly, change):
            with instance(fmu, "CoSimulation") as it:
                prepare(it)
                try:
                    _begin(fmu, it)
                    step_through(fmu, it, 3)
                except Exception as error:
                    if prepare is plainly or not isinstance(error, CallRefused):
                        raise
                it.do("Reset")
                _begin(fmu, it)
                again = step_through(fmu, it, few(fmu))
            if name := differs(fmu, again, cs_run(fmu)):
                after = "with other parameters " if prepare is change else ""
                yield f"after a run {after}and {fmu.fmi}Reset, {name} is not what it was in the first run"
                return
    if "ModelExchange" in runnable(fmu):
        with initialized(fmu, "ModelExchange") as it:
            first = it.vector("GetContinuousStates", len(fmu.states))
            it.set_states(begin(fmu), [x + 0.01 for x in first])
            it.do("Reset")
            it.initialize(begin(fmu))
            it.settle()  # as before: the first event iteration may change states
            if it.vector("GetContinuousStates", len(fmu.states)) != first:
                yield f"ModelExchange: after {fmu.fmi}Reset and initialization the continuous states are not what they were"


@rule(
    "reset-after-error",
    VIOLATION,
    "a reset recovers an instance from an error",
    "2.1.3",
    "It is also possible to reset the instance of the FMU by calling fmi2Reset.",
    abuse=True,
    fmi3=(
        "2.2.4",
        "If a function returns fmi3Error, it is possible to restore a previously retrieved FMU state by calling fmi3SetFMUState or to reset the instance by calling fmi3Reset.",
    ),
)
def reset_after_error(fmu):
    fmu.need("CoSimulation")
    with initialized(fmu, "CoSimulation") as it:
        status = it.provoke()
        if status != ERROR:
            status = it.step(begin(fmu), -1.0, do=False)
        if status != ERROR:
            raise NotPossible("no error could be provoked")
        status = it.call("Reset")
        if status > WARNING:
            yield f"{fmu.fmi}Reset is refused after {fmu.fmi}Error"
            return
        _begin(fmu, it)
        if name := differs(fmu, step_through(fmu, it, few(fmu)), cs_run(fmu)):
            yield f"after {fmu.fmi}Error and {fmu.fmi}Reset, {name} is not what it was in the first run"
