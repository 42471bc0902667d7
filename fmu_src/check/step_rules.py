"""Experiments and communication steps: any start, any stop, any size."""

from __future__ import annotations

import math
from ctypes import byref, c_double

import numpy as np

from .host import WARNING
from .host2 import LAST_SUCCESSFUL_TIME
from .rules import INTEROPERABILITY, ROBUSTNESS, VIOLATION, NotPossible, rule
from .running import begin, cs_run, few, grid, initialized, instance, outputs, runnable, span, step_through


@rule(
    "start-time",
    VIOLATION,
    "an experiment may start at any time",
    "2.1.6",
    "Argument startTime is the fixed initial value of the independent variable value",
    fmi3=("2.3.2", "startTime is the fixed initial value of the independent variable and inherits its unit."),
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
    "an experiment needs neither a stop time nor a tolerance",
    "2.1.6",
    "If stopTimeDefined = fmi2False, then no final value of the independent variable is defined and argument stopTime is meaningless.",
    fmi3=(
        "2.3.2",
        "If stopTimeDefined = fmi3False, then no final value of the independent variable is defined and argument stopTime is meaningless.",
    ),
)
def stop_optional(fmu):
    for kind in runnable(fmu):
        for stop, tolerance in ((None, None), (begin(fmu) + 1e3 * grid(fmu)[0], 1e-5)):
            with instance(fmu, kind) as it:
                if it.enter_initialization(begin(fmu), stop, tolerance, do=False) > WARNING:
                    yield f"{kind}: initialization is refused {'with' if stop else 'without'} stop time and tolerance"


@rule(
    "stop-time",
    VIOLATION,
    "no step goes past the stop time",
    "2.1.6",
    "if the environment tries to compute past stopTime the FMU has to return fmi2Status = fmi2Error",
    fmi3=("2.3.2", "If the environment tries to compute past stopTime, the FMU has to return fmi3Status = fmi3Error."),
)
def stop_time(fmu):
    if "CoSimulation" not in runnable(fmu):
        raise NotPossible("the FMU has no CoSimulation")
    step = grid(fmu)[0]
    with instance(fmu, "CoSimulation") as it:
        it.initialize(begin(fmu), begin(fmu) + 1.5 * step)
        if it.event_mode:
            it.settle()
        it.step(begin(fmu), step)
        status = it.step(begin(fmu) + step, step, do=False)
        if status <= WARNING:
            yield f"a step to {begin(fmu) + 2 * step:g} s was taken, the stop time is {begin(fmu) + 1.5 * step:g} s"


@rule(
    "variable-steps",
    VIOLATION,
    "steps may have different sizes, if declared",
    "4.3.1",
    "The slave can handle variable communication step size.",
    fmi3=(
        "4.4",
        "then the communication step size (argument communicationStepSize of fmi3DoStep) can vary for each call",
    ),
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


@rule("split-steps", INTEROPERABILITY, "two half steps give the result of one step: the FMU has its own solver")
def split_steps(fmu):
    fmu.need("CoSimulation")
    if not fmu.can("CoSimulation", "canHandleVariableCommunicationStepSize"):
        raise NotPossible("the FMU does not say that it can handle variable steps")
    size, n = grid(fmu)[0], few(fmu)
    with initialized(fmu, "CoSimulation") as it:
        halves = step_through(fmu, it, 2 * n, size / 2)[1::2]
    whole = cs_run(fmu)
    gap, allowed = np.abs(halves[:n] - whole[: len(halves)][:n]).max(axis=0, initial=0.0), 0.01 * span(whole)
    least = max(1e-8, 10.0 * fmu.experiment("tolerance", 1e-4))
    for j, v in enumerate(outputs(fmu)):
        # a quantity that stays zero, such as the total momentum, shows only round-off and errors within the tolerance
        if v.variability == "continuous" and gap[j] > max(allowed[j], least * (v.number("nominal") or 1.0)):
            yield f"{v.name} differs by {gap[j] / allowed[j]:.0f} % of its range between whole and half steps"


@rule(
    "last-time",
    VIOLATION,
    "the last successful time is the end of the last step",
    "4.2.3",
    "Returns the end time of the last successfully completed communication step.",
    fmi3=(
        "4.2.1",
        "lastSuccessfulTime represents the internal time t_{i+1} of the FMU when fmi3DoStep returns, for any value of earlyReturn.",
    ),
)
def last_time(fmu):
    fmu.need("CoSimulation")
    with initialized(fmu, "CoSimulation") as it:
        size, out = grid(fmu)[0], c_double()
        for n in range(3):
            it.step(begin(fmu) + n * size, size)
            end = begin(fmu) + (n + 1) * size
            if fmu.version == 3:  # which allows it to deviate from the end of the step, not from the FMU's own time
                out.value = it.info.time
                end = float(it.get(fmu.some("independent")[:1])[0])
            elif it.call("GetRealStatus", LAST_SUCCESSFUL_TIME, byref(out)) > WARNING:
                raise NotPossible("the FMU does not tell it after a step that is done")
            if not math.isclose(out.value, end, rel_tol=1e-9, abs_tol=1e-9 * size):
                yield f"it is {out.value:g} s after the step to {end:g} s"
                return


@rule("step-finished", ROBUSTNESS, "stepFinished may be given or absent", abuse=True, only=2)
def step_finished(fmu):
    fmu.need("CoSimulation")
    for finished in (False, True):
        with initialized(fmu, "CoSimulation", finished=finished) as it:
            it.step(begin(fmu), grid(fmu)[0])
    return
    yield
