"""Calls that hosts must not make, but some make: wrong values, null pointers, calls in the wrong state, wrong step sizes, steps of unbounded work."""

from __future__ import annotations

import math
from ctypes import c_double, c_uint

from .calls import WORDS, each_call
from .host import ERROR, WARNING, CallRefused, Fatal
from .rules import INTEROPERABILITY, ROBUSTNESS, VIOLATION, NotPossible, rule
from .running import begin, grid, initialized, outputs, runnable


@rule(
    "legal-calls",
    VIOLATION,
    "every call works in every state in which it is allowed",
    "3.2.3, 4.2.4",
    "The allowed function calls in the respective states are summarized in the following table",
    fmi3=(
        "2.3",
        "Each state description lists the governing equations and actions and the corresponding API functions influencing these equations in a table (not defining the calling order), and also lists the allowed function calls and usage restrictions.",
    ),
)
def legal_calls(fmu):
    for kind, function, state, status in each_call(fmu, legal=True):
        discard = function.endswith("Status") and status == 2
        if status is not None and status > WARNING and not discard:
            yield f"{kind}: {function} is refused in the state {WORDS[state]!r}"


@rule("illegal-calls", ROBUSTNESS, "no call in the wrong state crashes the host", abuse=True)
def illegal_calls(fmu):
    for kind, function, state, status in each_call(fmu, legal=False):
        if status == 4:
            yield f"{kind}: {function} returns {fmu.fmi}Fatal in the state {WORDS[state]!r}"


@rule(
    "illegal-refused",
    INTEROPERABILITY,
    "a call in the wrong state is an error, so that hosts find their faults (FMI 3.0.2, section 2.2.4)",
    only=3,
    abuse=True,
)
def illegal_refused(fmu):
    for kind, function, state, status in each_call(fmu, legal=False):
        if status is not None and status <= WARNING:
            yield f"{kind}: {function} is taken in the state {WORDS[state]!r}"


@rule("null-pointers", ROBUSTNESS, "null pointers for values do not crash the host", abuse=True)
def null_pointers(fmu):
    for kind in runnable(fmu):
        with initialized(fmu, kind) as it:
            it.read(outputs(fmu)[0].base, [outputs(fmu)[0].reference], outputs(fmu)[0].size, out=False)
        with initialized(fmu, kind) as it:
            it.call(f"Get{it.real}", None, 1, (c_double * 1)(), *((1,) if fmu.version == 3 else ()))
    return
    yield


@rule("null-component", ROBUSTNESS, "a null pointer for the instance does not crash the host", abuse=True)
def null_component(fmu):
    for kind in runnable(fmu):
        with initialized(fmu, kind) as it:
            sizes = (1,) if fmu.version == 3 else ()
            it.call_library(f"{fmu.fmi}Get{it.real}", None, (c_uint * 1)(0), 1, (c_double * 1)(), *sizes)
            it.call_library(f"{fmu.fmi}Reset", None)
            it.call_library(f"{fmu.fmi}Terminate", None)
    return
    yield


@rule(
    "not-numbers",
    ROBUSTNESS,
    "inputs that are not finite numbers are refused, or at least do not crash the FMU",
    abuse=True,
)
def not_numbers(fmu):
    inputs = fmu.some("input", True)
    if not inputs or "CoSimulation" not in runnable(fmu):
        raise NotPossible("there is no Real input, or no CoSimulation")
    size = grid(fmu)[0]
    for value in (math.nan, math.inf, -math.inf, 1e300):
        for v in inputs[:5]:
            with initialized(fmu, "CoSimulation", logging=True) as it:
                said = len(it.said)
                try:
                    statuses = [it.set(v, value, do=False)]
                    if statuses[0] <= WARNING:
                        statuses.append(it.step(begin(fmu), size, do=False))
                    if max(statuses) <= WARNING and any(not math.isfinite(float(y)) for y in it.get(outputs(fmu))):
                        yield f"{v.name} = {value} is taken, and outputs are not finite numbers any more, with {fmu.fmi}OK"
                    elif statuses[0] == 2 and len(it.said) == said:
                        yield f"{v.name} = {value} is discarded without a message"
                    if max(statuses) >= ERROR:  # the way back
                        it.do("Reset")
                        it.initialize(begin(fmu))
                        it.step(begin(fmu), size)
                except Fatal:
                    yield f"{v.name} = {value} makes it return {fmu.fmi}Fatal: the process is lost for all instances"
                except CallRefused as error:
                    yield f"after {v.name} = {value}, {fmu.fmi}Reset does not bring it back: {error}"


@rule("work-bounded", ROBUSTNESS, "a step that is far too long is refused, or its work is bounded", abuse=True)
def work_bounded(fmu):
    if "CoSimulation" not in runnable(fmu):
        raise NotPossible("the FMU has no CoSimulation")
    with initialized(fmu, "CoSimulation") as it:
        it.step(begin(fmu), 1e9 * grid(fmu)[0], do=False)
    return
    yield


@rule(
    "wrong-steps",
    ROBUSTNESS,
    "steps of zero length, backward steps and steps from the wrong time do not crash the FMU",
    abuse=True,
)
def wrong_steps(fmu):
    if "CoSimulation" not in runnable(fmu):
        raise NotPossible("the FMU has no CoSimulation")
    size = grid(fmu)[0]
    for time, length in (
        (begin(fmu), -size),
        (begin(fmu), math.nan),
        (math.nan, size),
        (begin(fmu) + 100 * size, size),
    ):
        with initialized(fmu, "CoSimulation") as it:
            if it.step(time, length, do=False) <= WARNING and not length >= 0.0:
                yield f"a step of {length} s is taken with {fmu.fmi}OK"
