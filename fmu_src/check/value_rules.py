"""Values during the run: reading, setting and rejecting them."""

from __future__ import annotations

import ctypes
import math

from .host import DISCARD, ERROR, OK, WARNING
from .rules import INTEROPERABILITY, ROBUSTNESS, VIOLATION, NotPossible, rule
from .running import begin, continuous, cs_run, grid, initialized, outputs, runnable
from .variables import shown

MANY = 300  # values in one call
_POISONS = {"Real": -1.234567e300, "Float64": -1.234567e300, "Integer": -1_234_567_890, "Int32": -1_234_567_890}
_WRONG = "If a function in the following sections is called with a wrong fmi2ValueReference value […], then the function has to return with an error"  # fmt: skip


@rule("get-again", INTEROPERABILITY, "reading values does not change them, one by one, together or in another order")
def get_again(fmu):
    for kind in runnable(fmu):
        with initialized(fmu, kind) as it:
            if kind == "CoSimulation":
                it.step(begin(fmu), grid(fmu)[0])
            wanted = outputs(fmu)
            first, second, backward = it.get(wanted), it.get(wanted), it.get(wanted[::-1])[::-1]
            alone = [it.get([v])[0] for v in wanted[:100]]
            for v, *values in zip(wanted, first, second, backward, alone + first[100:], strict=True):
                if len({str(value) for value in values}) > 1:
                    yield f"{kind}: {v.name} is {', '.join(map(shown, values))} when it is read again, backward, alone"


@rule(
    "get-many",
    VIOLATION,
    "a call for hundreds of values returns all of them",
    "2.1.7",
    "Get actual values of variables by providing their variable references.",
    fmi3=("2.2.7.2", "values is a vector consisting of the serialized values of these variables."),
)
def get_many(fmu):
    """The values; entries that the FMU does not write keep a poison value that no variable has."""
    for kind in runnable(fmu):
        with initialized(fmu, kind) as it:
            for base, poison in _POISONS.items():
                own = list({v.reference: v for v in outputs(fmu) if v.base == base}.values())
                alone = {v.reference: it.get(fmu.where(v.key).entries()) for v in own[:MANY]}
                wanted = (own * (MANY // max(1, len(own)) + 1))[: max(MANY, len(own))] if own else []
                size = sum(v.size for v in wanted)
                status, found = it.read(base, [v.reference for v in wanted], size, poison) if wanted else (0, [])
                it.accept(f"Get{base}", status)
                place = 0
                for v in wanted:
                    values, place = found[place : place + v.size], place + v.size
                    expected = alone.get(v.reference, values)
                    if poison in values or list(map(str, values)) != list(map(str, expected)):
                        yield f"{kind}: in one call for {size} values number {place - v.size + 1}, {v.name}, is {shown(values[0])}, alone {shown(expected[0])}"
                        break


@rule("finite", ROBUSTNESS, "outputs are finite numbers in the default experiment")
def finite(fmu):
    rows = cs_run(fmu)
    for j, v in enumerate(outputs(fmu)):
        bad = [n for n in range(len(rows)) if not math.isfinite(rows[n, j])]
        if bad:
            yield f"{v.name} is {rows[bad[0], j]} at t = {begin(fmu) + (bad[0] + 1) * grid(fmu)[0]:g} s"


@rule("range", INTEROPERABILITY, "outputs stay within their min and max in the default experiment")
def in_range(fmu):
    rows = cs_run(fmu)
    for j, v in enumerate(outputs(fmu)):
        low, high = v.number("min"), v.number("max")
        slack = 1e-6 * max(1.0, abs(low or 0.0), abs(high or 0.0))
        column = rows[:, j]
        if low is not None and column.min() < low - slack:
            yield f"{v.name} reaches {column.min():.6g}, its min is {low:g}"
        if high is not None and column.max() > high + slack:
            yield f"{v.name} reaches {column.max():.6g}, its max is {high:g}"


@rule(
    "set-kept",
    VIOLATION,
    "tunable parameters and inputs can be set during the run, and keep their values",
    "2.2.7",
    'fmi2SetXXX can be called on any variable for ModelExchange at an event instant […] and for Co-Simulation at every communication point, if causality = "parameter" and variability = "tunable" […], or if causality = "input"',
    fmi3=(
        "2.2.7.2",
        "all variables that are allowed to be set with fmi3Set{VariableType} keep their respective values until the next call to fmi3Set{VariableType}",
    ),
)
def set_kept(fmu):
    own = [v for v in fmu.scalars if v.start is not None and (v.causality == "input" or (v.causality, v.variability) == ("parameter", "tunable"))]  # fmt: skip
    for kind in runnable(fmu):
        with initialized(fmu, kind) as it:
            if kind == "CoSimulation":
                it.step(begin(fmu), grid(fmu)[0])
            else:
                it.do("EnterEventMode")
            given = {v.name: v.near if v.real else v.start for v in own}
            for v in own:
                if it.set(v, given[v.name], do=False) == ERROR:
                    yield f"{kind}: {v.name} ({v.causality}, {v.variability}) can't be set during the run"
                    return
            if kind == "CoSimulation" and it.step(begin(fmu) + grid(fmu)[0], grid(fmu)[0], do=False) > WARNING:
                continue
            for v, value in zip(own, it.get(own), strict=True):
                if v.real and not v.same(value, given[v.name]):
                    yield f"{kind}: {v.name} was set to {given[v.name]:.10g} and is {value:.10g}"


@rule("caching", VIOLATION, "values that are read follow from the values set before", "3.2.1", "re-initialize caching of variables that depend on the states", fmi3=('2.2.10', "This enables computation on demand with subsequent calls returning the same value until some set operation requires re-computation."))  # fmt: skip
def caching(fmu):
    fmu.need("ModelExchange")
    if not fmu.states:
        raise NotPossible("there are no continuous states")
    reals = continuous(fmu)
    with initialized(fmu, "ModelExchange") as it:
        x = it.vector("GetContinuousStates", len(fmu.states))
        first = it.get(reals)
        moved = [value + 1e-3 for value in x]
        it.set_states(begin(fmu), moved)
        there = it.get(reals)
    with initialized(fmu, "ModelExchange") as it:  # the same without the first reading
        it.set_states(begin(fmu), moved)
        expected = it.get(reals)
        it.set_states(begin(fmu), x)
        back = it.get(reals)
    for v, a, b, c, d in zip(reals, there, expected, back, first, strict=True):
        if a != b or not math.isclose(c, d, rel_tol=1e-12, abs_tol=1e-12):
            yield f"{v.name} depends on what was read before: {a:.10g} and {b:.10g} at the same states"


@rule(
    "wrong-reference",
    VIOLATION,
    "an unknown value reference is an error",
    "2.1.2",
    _WRONG,
    abuse=True,
    fmi3=(
        "2.2.4",
        "When detecting illegal arguments or a function call not allowed in the current state according to the respective state machine, the FMU must return fmi3Error.",
    ),
)
def wrong_reference(fmu):
    for kind in runnable(fmu):
        for base in ("Real", "Integer", "Boolean") if fmu.version == 2 else ("Float64", "Int32", "Boolean"):
            taken = {v.reference for v in fmu.scalars if v.base == base}
            free = next(r for r in range(max(taken, default=0) + 1, 1 << 32) if r not in taken)
            for reference in (free, 0xFFFFFFF0):
                for function in (f"Get{base}", f"Set{base}"):
                    with initialized(fmu, kind) as it:
                        if kind == "ModelExchange":
                            it.do("EnterEventMode")
                        get = function.startswith("Get")
                        status = it.read(base, [reference], 1)[0] if get else it.write(base, [reference], [0])
                        if status <= WARNING:
                            yield f"{kind}: {it.function(function)} of the reference {reference}, which no variable has, returned OK"
                            return


@rule("set-calculated", INTEROPERABILITY, "calculated variables can't be set")
def set_calculated(fmu):
    states = {v.reference for v in fmu.states}  # may be set in Event Mode, whatever their initial values come from
    own = [v for v in fmu.some("output", True) if v.initial == "calculated" and v.reference not in states][:1]
    own += fmu.some("parameter", True, "fixed")[:1]
    for kind in runnable(fmu):
        for v in own:
            with initialized(fmu, kind) as it:
                if kind == "ModelExchange":
                    it.do("EnterEventMode")
                if it.set(v, 0.5, do=False) <= WARNING:
                    yield f"{kind}: setting {v.name} ({v.causality}, {v.variability}) returned OK during the run"


@rule("no-values", ROBUSTNESS, "calls for zero variables are harmless", abuse=True)
def no_values(fmu):
    for kind in runnable(fmu):
        with initialized(fmu, kind) as it:
            for base in it.ctypes:
                if base not in ("Clock", "Binary") and it.read(base, None, 0, out=False)[0] > WARNING:
                    yield f"{kind}: {it.function(f'Get{base}')} of no variables is refused"


@rule(
    "status-functions",
    VIOLATION,
    "the status functions return a status, or report that they can't",
    "4.2.3",
    "If a status is required which cannot be retrieved by the slave it returns fmi2Discard.",
)
def status_functions(fmu):
    fmu.need("CoSimulation")
    asked = {
        "GetStatus": (0, ctypes.c_int()), "GetRealStatus": (2, ctypes.c_double()), "GetBooleanStatus": (3, ctypes.c_int()),
        "GetStringStatus": (1, ctypes.c_char_p()), "GetIntegerStatus": (0, ctypes.c_int()),
    }  # fmt: skip
    for function, (kind, out) in asked.items():
        with initialized(fmu, "CoSimulation") as it:
            it.step(begin(fmu), grid(fmu)[0])
            status = it.call_library(f"fmi2{function}", it.component, kind, ctypes.byref(out))
            if status not in (OK, WARNING, DISCARD):
                yield f"fmi2{function} returned {status}, expected fmi2OK or fmi2Discard"


@rule("set-in-event-mode", VIOLATION, "inputs of every type can be set in Event Mode", "3.2.3", "for a variable with causality = “input”, or (causality = “parameter” and variability = “tunable”)", fmi3=('2.3.5', 'This function can be called for variables with causality = input, causality = parameter and variability = tunable, and continuous-time states with reinit = false.'))  # fmt: skip
def set_in_event_mode(fmu):
    fmu.need("ModelExchange")
    with initialized(fmu, "ModelExchange") as it:
        it.do("EnterEventMode")
        for v in fmu.some("input"):
            if v.start is not None and it.set(v, v.start, do=False) > WARNING:
                yield f"{v.name} can't be set to its start value in Event Mode"
        it.settle()
