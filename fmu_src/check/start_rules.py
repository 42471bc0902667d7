"""Start values: those of the XML, or those that were set before initialization."""

from __future__ import annotations

import ctypes

from .host import WARNING
from .rules import VIOLATION, NotPossible, rule
from .running import begin, cs_run, differs, few, initialized, instance, runnable, step_through
from .variables import shown


@rule(
    "start-values",
    VIOLATION,
    "parameters, inputs and constants have the start values of the XML",
    "2.2.7",
    "Initial or guess value of variable. This value is also stored in the C functions.",
    fmi3=("2.4.7.5", "During instantiation, the FMU initializes its variables with their start values."),
)
def start_values(fmu):
    own = [v for v in fmu.scalars if v.start is not None and (v.causality in ("parameter", "input") or v.variability == "constant")]  # fmt: skip
    for kind in runnable(fmu):
        with initialized(fmu, kind) as it:
            for v, value in zip(own, it.get(own), strict=True):
                if not v.same(value, v.start):
                    yield f"{kind}: {v.name} is {shown(value)}, its start value in the XML {v.start}"


@rule(
    "exact-start",
    VIOLATION,
    "variables that are initialized exactly have their start values after initialization",
    "2.2.7",
    'If (C) and initial = "exact", then the variable is explicitly defined by its start value in Initialization Mode (so directly after calling fmi2ExitInitializationMode, the value of the variable is either the start value stored in element <ScalarVariable><XXX start=YYY/> or the value provided by fmiSetXXX',
    fmi3=("2.4.7.5", "The variable is initialized with the start value by the FMU."),
)
def exact_start(fmu):
    own = [v for v in fmu.scalars if v.initial == "exact" and v.causality in ("output", "local") and v.start is not None]  # fmt: skip
    for kind in runnable(fmu):
        with instance(fmu, kind) as it:
            it.initialize(begin(fmu))
            for v, value in zip(own, it.get(own), strict=True):
                if not v.same(value, v.start):
                    yield f"{kind}: {v.name} is {shown(value)} after initialization, its exact start value {v.start}"


@rule(
    "exact-set",
    VIOLATION,
    "exact start values that are set are kept by initialization",
    "2.2.7",
    "directly after calling fmi2ExitInitializationMode, the value of the variable is […] the value provided by fmiSetXXX, if this function was called on this variable",
    fmi3=(
        "2.4.7.5",
        "The variable is initialized with the start value by the FMU. The importer may set a different initial value using fmi3Set{VariableType}.",
    ),
)
def exact_set(fmu):
    own = [v for v in fmu.some(real=True) if v.initial == "exact" and v.variability != "constant" and v.start is not None]  # fmt: skip
    for kind in runnable(fmu):
        groups = [own] + [[v] for v in own if v.causality in ("output", "local")][:20]
        for group in groups:
            with instance(fmu, kind, logging=True) as it:
                given = {v.name: v.near for v in group}
                if any(it.set(v, given[v.name], do=False) > WARNING for v in group):
                    continue  # the FMU may refuse values
                statuses = [it.enter_initialization(begin(fmu), do=False), it.call("ExitInitializationMode")]
                # a wrapper that can't return an error, such as pythonfmu's, at least logs a message
                if max(*statuses, *(said[1] for said in it.said)) > WARNING:
                    continue
                for v, value in zip(group, it.get(group), strict=True):
                    if not v.same(value, given[v.name]):
                        yield f"{kind}: {v.name} was set to {given[v.name]:.10g} and is {value:.10g} after initialization"


@rule(
    "input-start",
    VIOLATION,
    "an input that is not set has its start value",
    "2.2.7",
    'If fmiSetXXX is not called on a variable with causality = "input", then the FMU must use the start value as value of this input.',
    fmi3=(
        "2.4.7.5",
        "If causality = input, the start value is used by the FMU as value of the input, if it is not set by the importer",
    ),
)
def input_start(fmu):
    inputs = [v for v in fmu.some("input") if v.start is not None]
    if not inputs or "CoSimulation" not in runnable(fmu):
        raise NotPossible("there is no input, or no CoSimulation")
    with instance(fmu, "CoSimulation") as it:
        it.enter_initialization(begin(fmu))
        for v in inputs:
            it.set(v, v.start)
        it.do("ExitInitializationMode")
        if it.event_mode:
            it.settle()
        rows = step_through(fmu, it, few(fmu))
    if name := differs(fmu, rows, cs_run(fmu)):
        yield f"{name} is another if inputs are set to their start values than if they are not set"


@rule(
    "strings-copied",
    VIOLATION,
    "strings that are set are copied",
    "2.1.7",
    "All strings passed as arguments to fmi2SetString must be copied inside this function, because there is no guarantee of the lifetime of strings when this function returns.",
    fmi3=(
        "2.2.7.2",
        "All strings passed as arguments to fmi3SetString, as well as all binary values passed as arguments to fmi3SetBinary, must be copied during these function calls by the FMU",
    ),
)
def strings_copied(fmu):
    own = [v for v in fmu.some("parameter") if v.type == "String" and v.start is not None and not v.shape]
    for kind in runnable(fmu) if own else []:
        with instance(fmu, kind) as it:
            text = ctypes.create_string_buffer(own[0].start.encode())
            references, values = (ctypes.c_uint * 1)(own[0].reference), (ctypes.c_char_p * 1)(ctypes.addressof(text))
            it.do("SetString", references, 1, values, *((1,) if fmu.version == 3 else ()))
            ctypes.memset(text, ord("?"), len(text) - 1)
            it.initialize(begin(fmu))
            (value,) = it.get(own[:1])
            if value is None or value.decode("utf-8", "replace") != own[0].start:
                yield f"{kind}: {own[0].name} changed with the host's memory after {fmu.fmi}SetString"
