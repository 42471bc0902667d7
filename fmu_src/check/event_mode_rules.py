"""Co-simulation of FMI 3.0 with events that the host handles, and with steps that end early."""

from __future__ import annotations

import math

import numpy as np

from .host import POISON, WARNING
from .rules import INTEROPERABILITY, ROBUSTNESS, VIOLATION, NotPossible, rule
from .running import begin, cs_run, few, grid, initialized, instance, outputs, runnable, span, step_through


def _needs(fmu, flag: str) -> None:
    if "CoSimulation" not in runnable(fmu) or not fmu.can("CoSimulation", flag):
        raise NotPossible(f"the FMU does not have {flag}")


def _run(fmu, event_mode: bool, early: bool):
    """(time before, size, StepInfo) of each step of the default experiment, by a host that acts on each StepInfo. Run once."""
    known = fmu.__dict__.setdefault("_event_runs", {})
    if (event_mode, early) not in known:
        step, count = grid(fmu)
        found: list = []
        known[event_mode, early] = found
        with initialized(fmu, "CoSimulation", event_mode=event_mode, early=early) as it:
            t, end = begin(fmu), begin(fmu) + count * step
            while t < end - 1e-9 * step and len(found) < 5 * count + 100:
                size = min(step, end - t)
                if it.plain_step(t, size) > WARNING:
                    break
                found.append((t, size, it.info))
                if it.info.event == 1 and event_mode:
                    it.do("EnterEventMode")
                    it.settle()
                if it.info.terminate == 1 or not (math.isfinite(it.info.time) and it.info.time >= t):
                    break
                t = it.info.time if it.info.early == 1 else t + size
    return known[event_mode, early]


@rule(
    "step-answers",
    VIOLATION,
    "a step writes all of its results",
    fmi3=("2.2.4", "The call was successful. The output argument values are defined."),
)
def step_answers(fmu):
    fmu.need("CoSimulation")
    runnable(fmu)
    names = ("event", "terminate", "early")
    with initialized(fmu, "CoSimulation") as it:
        if it.plain_step(begin(fmu), grid(fmu)[0]) <= WARNING:
            left = [name for name in names if getattr(it.info, name) == POISON]
            left += ["lastSuccessfulTime"] if math.isnan(it.info.time) else []
            if left:
                yield f"fmi3DoStep left {', '.join(left)} as they were"


@rule(
    "event-unasked",
    VIOLATION,
    "no event is signalled to a host that does not handle events",
    fmi3=(
        "4.2.1",
        "eventHandlingNeeded = fmi3True must not be signalled, if the importer indicates to not support EventMode by eventModeUsed = fmi3False.",
    ),
)
def event_unasked(fmu):
    fmu.need("CoSimulation")
    runnable(fmu)
    if fmu.has_clocks:
        raise NotPossible("an FMU with clocks needs event mode")
    for t, size, info in _run(fmu, False, False):
        if info.event == 1:
            yield f"the step to {t + size:g} s asks for event handling"
            return


@rule(
    "early-unasked",
    VIOLATION,
    "no step ends early for a host that does not allow it",
    fmi3=(
        "4.2.1",
        "earlyReturn = fmi3True is only allowed if earlyReturnAllowed = fmi3True in fmi3InstantiateCoSimulation.",
    ),
)
def early_unasked(fmu):
    fmu.need("CoSimulation")
    runnable(fmu)
    ways = [] if fmu.has_clocks else [(False, False)]
    ways += [(True, False)] if fmu.can("CoSimulation", "hasEventMode") else []
    for way in ways:
        for t, size, info in _run(fmu, *way):
            if info.early == 1:
                yield f"the step from {t:g} s ends early{' in event mode' if way[0] else ''}, at {info.time:g} of {t + size:g} s"
                return


@rule(
    "early-promised",
    VIOLATION,
    "an FMU that returns early declares this in the XML",
    fmi3=("4.4", "If this flag is false, the importer can assume that the FMU computes the fmi3DoStep as instructed"),
)
def early_promised(fmu):
    _needs(fmu, "hasEventMode")
    if not fmu.can("CoSimulation", "mightReturnEarlyFromDoStep"):
        for t, _, info in _run(fmu, True, True):
            if info.early == 1:
                yield f"the step from {t:g} s ends early, and mightReturnEarlyFromDoStep is false"
                return


@rule(
    "early-time",
    VIOLATION,
    "a step that ends early ends within the step",
    fmi3=("4.2.1", "The time reached is specified in lastSuccessfulTime."),
)
def early_time(fmu):
    _needs(fmu, "hasEventMode")
    for t, size, info in _run(fmu, True, True):
        slack = 1e-9 * max(size, abs(t))
        if info.early == 1 and not t - slack <= info.time < t + size + slack:
            yield f"the step from {t:g} s of {size:g} s ends early at {info.time:g} s"
            return


@rule("event-progress", ROBUSTNESS, "events do not stop the progress of time", only=3)
def event_progress(fmu):
    _needs(fmu, "hasEventMode")
    found = _run(fmu, True, True)
    stuck = 0
    for t, _, info in found:
        stuck = stuck + 1 if info.early == 1 and info.time <= t else 0
        if stuck > 20:
            yield f"20 steps end where they began, at {t:g} s"
            return


@rule(
    "event-mode-start",
    VIOLATION,
    "after initialization an instance is in event mode exactly if event mode is used",
    fmi3=("4.4", "If eventModeUsed = fmi3True, the importer must actively trigger event handling at communication points in the FMU using fmi3EnterEventMode."),
    abuse=True,
)  # fmt: skip
def event_mode_start(fmu):
    _needs(fmu, "hasEventMode")
    with instance(fmu, "CoSimulation", event_mode=True, early=True) as it:
        it.initialize(begin(fmu))
        if it.call("EnterStepMode") > WARNING:
            yield "fmi3EnterStepMode is refused after initialization with eventModeUsed"


@rule(
    "event-mode-agrees", INTEROPERABILITY, "a co-simulation gives the same results with and without event mode", only=3
)
def event_mode_agrees(fmu):
    _needs(fmu, "hasEventMode")
    if fmu.has_clocks:
        raise NotPossible("an FMU with clocks needs event mode")
    n = few(fmu)
    with initialized(fmu, "CoSimulation", event_mode=True, early=True) as it:
        with_events = step_through(fmu, it, n)
    plain = cs_run(fmu)
    m = min(len(plain), len(with_events))
    gap = np.abs(with_events[:m] - plain[:m]).max(axis=0, initial=0.0)
    least = max(1e-8, 10.0 * fmu.experiment("tolerance", 1e-4))
    for j, v in enumerate(outputs(fmu)):
        # in event mode discrete outputs are up to date; without it they lag by one communication step
        if v.variability == "continuous" and gap[j] > max(0.01 * span(plain)[j], least * (v.number("nominal") or 1.0)):
            yield f"{v.name} differs by {gap[j]:.3g} with and without event mode"


@rule(
    "event-mode-refused",
    VIOLATION,
    "an FMU without event mode refuses to be instantiated with it",
    fmi3=("2.3.1", "The flag may only be fmi3True, if hasEventMode = true, otherwise the FMU must raise an error."),
    abuse=True,
)
def event_mode_refused(fmu):
    if "CoSimulation" not in runnable(fmu) or fmu.can("CoSimulation", "hasEventMode"):
        raise NotPossible("the FMU has event mode")
    it = instance(fmu, "CoSimulation", event_mode=True)
    if it.component:
        yield "fmi3InstantiateCoSimulation takes eventModeUsed, and hasEventMode is false"
        it.__exit__(None)


@rule(
    "counts-agree",
    VIOLATION,
    "the numbers of states and indicators are those of the XML",
    fmi3=("2.3.2", "The initial value of nContinuousStates is the sum of the sizes of the variables referenced by the ContinuousStateDerivative elements."),
)  # fmt: skip
def counts_agree(fmu):
    from ctypes import byref, c_size_t

    if "ModelExchange" not in runnable(fmu):
        raise NotPossible("the FMU has no ModelExchange")
    with instance(fmu, "ModelExchange") as it:
        for what, expected in (("ContinuousStates", len(fmu.states)), ("EventIndicators", fmu.indicators)):
            count = c_size_t(POISON)
            it.do(f"GetNumberOf{what}", byref(count))
            if count.value != expected:
                yield f"fmi3GetNumberOf{what} gives {count.value}, the XML has {expected}"
