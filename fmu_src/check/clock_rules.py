"""Clocks and clocked variables of FMI 3.0, as the XML has them."""

from __future__ import annotations

from .rules import VIOLATION, rule

_PERIODIC = ("constant", "fixed", "tunable")


def _clocks(fmu):
    return [v for v in fmu.variables if v.type == "Clock"]


@rule(
    "clock-causality",
    VIOLATION,
    "a clock is an input, an output or local, discrete and scalar; clocks that are not inputs are triggered",
    fmi3=(
        "2.4.7.4, 2.2.8.2",
        "The causality of variables of type Clock must be either input, output or local. […] The attribute intervalVariability must be triggered for output Clocks.",
    ),
)
def clock_causality(fmu):
    for v in _clocks(fmu):
        if v.causality not in ("input", "output", "local"):
            yield f"{v.name} is {v.causality}"
        elif v.causality != "input" and v.get("intervalVariability") != "triggered":
            yield f"{v.name} is {v.causality}, its interval is {v.get('intervalVariability')}"
        if v.variability != "discrete" or v.shape:
            yield f"{v.name} is {'an array' if v.shape else v.variability}"


@rule(
    "clock-interval",
    VIOLATION,
    "periodic clocks have a positive interval, others have none",
    fmi3=(
        "2.4.4",
        "This value must be greater than 0.0. This attribute is required if Clock type is constant, fixed or tunable periodic Clocks. It must not be used otherwise.",
    ),
)
def clock_interval(fmu):
    for v in _clocks(fmu):
        periodic, interval = v.get("intervalVariability") in _PERIODIC, v.number("intervalDecimal")
        if periodic and (interval is None or not interval > 0.0):
            yield f"{v.name} is periodic, its interval is {v.get('intervalDecimal')}"
        elif not periodic and (interval is not None or v.get("intervalCounter") is not None):
            yield f"{v.name} is {v.get('intervalVariability')}, and has an interval"


@rule(
    "clock-shift",
    VIOLATION,
    "a shift needs an interval and is not negative; counters need a resolution",
    fmi3=(
        "2.4.4",
        "This attribute requires that intervalDecimal is present. The value of this attribute value must be equal to or greater than 0.0.",
    ),
)
def clock_shift(fmu):
    for v in _clocks(fmu):
        shift = v.number("shiftDecimal")
        if shift is not None and (shift < 0.0 or v.get("intervalDecimal") is None):
            yield f"{v.name} has the shift {shift:g}{'' if shift < 0.0 else ' without an interval'}"
        if v.get("shiftCounter") is not None and v.get("intervalCounter") is None:
            yield f"{v.name} has a shiftCounter without an intervalCounter"
        if v.get("intervalCounter") is not None and v.get("resolution") is None:
            yield f"{v.name} has an intervalCounter without a resolution"


@rule(
    "clock-event-mode",
    VIOLATION,
    "a co-simulation with clocks has event mode",
    fmi3=("4.4", "If the FMU has clocks, then hasEventMode must be true."),
)
def clock_event_mode(fmu):
    if _clocks(fmu) and fmu.kind("CoSimulation") is not None and not fmu.can("CoSimulation", "hasEventMode"):
        yield f"{_clocks(fmu)[0].name} is a clock, and CoSimulation has no event mode"


@rule(
    "clock-priority",
    VIOLATION,
    "input clocks of scheduled execution have a priority, output clocks have none",
    fmi3=("2.4.4", "This attribute is mandatory for input Clocks in Scheduled Execution."),
)
def clock_priority(fmu):
    for v in _clocks(fmu):
        if v.causality == "output" and v.get("priority") is not None:
            yield f"{v.name} is an output, and has a priority"
        if v.causality == "input" and fmu.kind("ScheduledExecution") is not None and v.get("priority") is None:
            yield f"{v.name} has no priority"


@rule(
    "clocked-variables",
    VIOLATION,
    "clocked variables are discrete or tunable, and refer to clocks",
    fmi3=("2.4.7.4", "Only variables with variability = discrete or variability = tunable can have this attribute."),
)
def clocked_variables(fmu):
    clocks = {v.reference for v in _clocks(fmu)}
    for v in [v for v in fmu.variables if v.clocked]:
        if v.variability not in ("discrete", "tunable"):
            yield f"{v.name} is clocked and {v.variability}"
        named = v.own["clocks"].split()
        if not named or not all(word.isdigit() and int(word) in clocks for word in named):
            yield f"{v.name} is clocked by {' '.join(named) or 'nothing'}, which are not all clocks"


@rule(
    "previous",
    VIOLATION,
    "only clocked discrete variables have `previous`, which refers to another one of the same type",
    fmi3=(
        "2.4.7.4",
        "Two variables must not have the same previous attribute reference. * A variable must not refer to itself in the previous attribute.",
    ),
)
def previous(fmu):
    seen: dict[str, str] = {}
    for v in [v for v in fmu.variables if "previous" in v.own]:
        of = v.own["previous"]
        other = fmu.by_reference.get(int(of)) if of.isdigit() else None
        if not v.clocked or v.variability != "discrete" or v.type == "Clock":
            yield f"{v.name} has a previous value, but is not a clocked discrete variable"
        elif other is None or other is v or other.type != v.type or other.causality == "input" or other.variability != "discrete":  # fmt: skip
            yield f"the previous value of {v.name} is {other.name if other else of}, which can't be one"
        elif of in seen:
            yield f"{v.name} and {seen[of]} have the same previous value"
        seen[of] = v.name


@rule(
    "clocked-states",
    VIOLATION,
    "ClockedState lists the variables that have a previous value",
    fmi3=(
        "2.4.8",
        "Each ClockedState must have the attribute previous to represent the previous value of this ClockedState.",
    ),
)
def clocked_states(fmu):
    listed = {unknown.key for unknown in fmu.unknowns("ClockedStates")}
    having = {v.key for v in fmu.variables if "previous" in v.own}
    yield from (f"{fmu.where(key).name} is listed, but has no previous value" for key in sorted(listed - having))
    yield from (f"{fmu.where(key).name} has a previous value, but is not listed" for key in sorted(having - listed))
