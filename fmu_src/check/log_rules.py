"""The messages that an FMU sends to its logger, and when."""

from __future__ import annotations

import ctypes

from .exchange import me_run
from .host import ERROR, OK, WARNING
from .rules import INTEROPERABILITY, VIOLATION, rule
from .running import begin, grid, initialized, instance, runnable


@rule(
    "refusal-said",
    VIOLATION,
    "a failed instantiation logs the reason",
    "2.1.5",
    "If a null pointer is returned, then instantiation failed. In that case, functions->logger is called with detailed information about the reason.",
    fmi3=("2.3.1", "In that case, the FMU must call logMessage with detailed information about the reason."),
)
def refusal_said(fmu):
    for kind in runnable(fmu):
        it = instance(fmu, kind, guid="{00000000-dead-beef-0000-000000000000}", logging=True)
        if not it.component and not it.said:
            yield f"{kind}: {fmu.fmi}Instantiate refused a wrong token without a message"
        it.__exit__(None)


@rule(
    "log-category",
    VIOLATION,
    "messages have categories of the XML",
    "2.1.5",
    "The allowed values for category are defined in the modelDescription.xml file via the element <fmiModelDescription><LogCategories>",
    abuse=True,
    fmi3=(
        "2.3.1",
        "The allowed values for category are defined in the modelDescription.xml file via the element <LogCategories>.",
    ),
)
def log_category(fmu):
    known = {element.get("name") for element in fmu.description.findall("LogCategories/Category")}
    for kind in runnable(fmu):
        with initialized(fmu, kind, logging=True) as it:
            it.provoke()
            for category in sorted({said[2] or "" for said in it.said} - known):
                if known or category:
                    yield f"{kind}: a message is of the category {category!r}, the XML has {', '.join(sorted(known)) or 'none'}"


@rule(
    "error-said",
    VIOLATION,
    "an error has a message",
    "2.1.3",
    "Function logger was called in the FMU (see below), and it is expected that this function has shown the prepared information message to the user.",
    abuse=True,
    fmi3=(
        "2.3.1",
        "If a function does not return fmi3OK, it must provide the reason by calling logMessage at least once with this status.",
    ),
)
def error_said(fmu):
    for kind in runnable(fmu):
        with initialized(fmu, kind, logging=True) as it:
            before = len(it.said)
            status = it.provoke()
            if status == ERROR and not [said for said in it.said[before:] if said[3].strip()]:
                yield f"{kind}: {it.function(f'Get{it.real}')} returned {fmu.fmi}Error without a message"


@rule(
    "log-origin",
    VIOLATION,
    "a message has the environment and the instance name given by the host",
    "2.1.5",
    "a pointer to the environment is provided (componentEnvironment) that needs to be passed to the logger function […] instanceName is the name of the FMU instance that calls this function.",
    abuse=True,
    fmi3=(
        "2.3.1",
        "a pointer to the environment is provided (instanceEnvironment) that needs to be passed to the callback functions logMessage, intermediateUpdate, clockUpdate",
    ),
)
def log_origin(fmu):
    for kind in runnable(fmu):
        with initialized(fmu, kind, logging=True) as it:
            it.provoke()
        if it.from_elsewhere:
            yield f"{kind}: {it.from_elsewhere} of {len(it.said)} messages came without the componentEnvironment that was given"
        for name in sorted({said[0] for said in it.said} - {it.name})[:1]:  # FMI 3.0 does not tell it
            yield f"{kind}: a message is of the instance {name[:20]!r}, its name is {it.name!r}"


@rule(
    "log-silent",
    VIOLATION,
    "with logging off the logger is not called",
    abuse=True,
    fmi3=(
        "2.3.1",
        "If loggingOn = fmi3False, then any logging is disabled and the logMessage callback function must not be called by the FMU.",
    ),
)
def log_silent(fmu):
    for kind in runnable(fmu):
        with initialized(fmu, kind, logging=False) as it:
            it.provoke()
            if it.said:
                yield f"{kind}: with loggingOn = fmi3False it says {it.said[0][3][:60]!r}"


@rule("log-off", INTEROPERABILITY, "with logging off there are no messages except errors", only=2)
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
    "the categories of the XML can be set",
    "2.1.5",
    "The allowed values of categories are defined in the modelDescription.xml file via element <LogCategories>",
    fmi3=(
        "2.3.1",
        "The importer must only use values specified in the modelDescription.xml via element <LogCategories> as elements of argument categories.",
    ),
)
def log_setting(fmu):
    names = [element.get("name", "").encode() for element in fmu.description.findall("LogCategories/Category")]
    for kind in runnable(fmu):
        for some in ([], names, *([name] for name in names)):
            with instance(fmu, kind) as it:
                array = (ctypes.c_char_p * max(1, len(some)))(*some) if some else None
                if it.call("SetDebugLogging", 1, len(some), array) > WARNING:
                    words = ", ".join(name.decode() for name in some) or "all of them"
                    yield f"{kind}: {fmu.fmi}SetDebugLogging is refused for {words}"
                    break


@rule("log-promised", INTEROPERABILITY, "a declared category is used: logEvents if there are events")
def log_promised(fmu):
    known = {element.get("name") for element in fmu.description.findall("LogCategories/Category")}
    run = me_run(fmu)
    if (
        "logEvents" in known
        and run.state_events + run.time_events
        and "logEvents" not in {said[2] for said in run.said}
    ):
        yield f"{run.state_events + run.time_events} events, and no message of the category logEvents"
