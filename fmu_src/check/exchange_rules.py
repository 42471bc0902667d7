"""Model exchange: the functions on states, derivatives and events that integrators call."""

from __future__ import annotations

import math
import random
from ctypes import c_double

from .exchange import me_run, seen
from .host import POISON, WARNING, EventInfo
from .rules import INTEROPERABILITY, VIOLATION, NotPossible, rule
from .running import begin, initialized, instance


@rule(
    "nominals",
    VIOLATION,
    "nominal values of states are positive",
    "3.2.2",
    "Note that it is required that x_nominal[i] > 0.0.",
    fmi3=("2.3.3", "It is required that nominals[i] > 0.0."),
)
def nominals(fmu):
    fmu.need("ModelExchange")
    with initialized(fmu, "ModelExchange") as it:
        for v, value in zip(fmu.states, it.vector("GetNominalsOfContinuousStates", len(fmu.states)), strict=True):
            if not (value > 0.0 and math.isfinite(value)):
                yield f"{v.name} has the nominal value {value:g}"


@rule(
    "nominals-agree",
    INTEROPERABILITY,
    "nominal values of states are those of the XML until an event changes them: hosts use either",
)
def nominals_agree(fmu):
    fmu.need("ModelExchange")
    with instance(fmu, "ModelExchange") as it:
        it.initialize(begin(fmu), None, None)
        for v, value in zip(fmu.states, it.vector("GetNominalsOfContinuousStates", len(fmu.states)), strict=True):
            said = v.number("nominal")
            if said is not None and not math.isclose(said, value, rel_tol=1e-9):
                yield f"{v.name} has the nominal value {said:g} in the XML, {value:g} by {fmu.fmi}GetNominalsOfContinuousStates"


@rule(
    "states-agree",
    VIOLATION,
    "vectors of states and derivatives equal the variables, in the order of ModelStructure",
    "3.2.2",
    "The ordering of the elements of the derivatives vector is identical to the ordering of the state vector",
    fmi3=(
        "3.2.1",
        "The order of the continuousStates vector must be the same as the ordered list of elements ContinuousStateDerivative in ModelStructure.",
    ),
)
def states_agree(fmu):
    fmu.need("ModelExchange")
    with initialized(fmu, "ModelExchange") as it:
        n, rng = len(fmu.states), random.Random(4)
        for where in ("at the start", "away from the start"):  # where what is zero at the start is not
            for function, variables in (("GetContinuousStates", fmu.states), ("GetDerivatives", fmu.derivatives)):
                for v, a, b in zip(variables, it.vector(function, n), it.get(variables), strict=True):
                    if not math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-300):
                        yield f"{where} {v.name} is {a:.10g} by {it.function(function)}, {b:.10g} as a variable"
            x = it.vector("GetContinuousStates", n)
            it.set_states(begin(fmu), [value + 1e-4 * rng.uniform(-1.0, 1.0) * max(1.0, abs(value)) for value in x])


@rule(
    "states-set",
    VIOLATION,
    "states that are set are kept",
    "3.2.1",
    "Set a new (continuous) state vector and re-initialize caching of variables that depend on the states.",
    fmi3=("3.2.1", "Set new continuous state values."),
)
def states_set(fmu):
    fmu.need("ModelExchange")
    with initialized(fmu, "ModelExchange") as it:
        n = len(fmu.states)
        x = [value + 1e-3 * (abs(value) or 1.0) for value in it.vector("GetContinuousStates", n)]
        if it.call("SetContinuousStates", (c_double * max(1, n))(*x), n) > WARNING:
            return
        for v, a, b in zip(fmu.states, x, it.vector("GetContinuousStates", n), strict=True):
            if a != b:
                yield f"{v.name} was set to {a:.17g} and is {b:.17g}"


@rule(
    "event-info",
    VIOLATION,
    "event iteration writes all of its results",
    "3.2.2",
    "If return argument fmi2eventInfo->newDiscreteStatesNeeded = fmi2True, the FMU should stay in Event Mode […] If no element of the continuous state vector has changed its value, valuesOfContinuousStatesChanged must return fmi2False.",
    fmi3=(
        "2.3.5",
        "When discreteStatesNeedUpdate = fmi3True, the importer must stay in EventMode for another event iteration, starting a new super-dense time instant.",
    ),
)
def event_info(fmu):
    yield from seen(fmu, "event-info")


@rule("event-info-on-error", INTEROPERABILITY, "results of event iteration are also written on error: hosts read them before the status", abuse=True)  # fmt: skip
def event_info_on_error(fmu):
    fmu.need("ModelExchange")
    with instance(fmu, "ModelExchange") as it:
        info = EventInfo()
        if it.update(info) > WARNING and info.newDiscreteStatesNeeded == POISON:
            yield f"{it.function('NewDiscreteStates')} returned an error and left its first answer as it was: a host may iterate for ever"


@rule(
    "completed-step",
    VIOLATION,
    "CompletedIntegratorStep writes both of its results",
    "3.2.2",
    "The function returns enterEventMode to signal to the environment if the FMU shall call fmi2EnterEventMode, and it returns terminateSimulation to signal if the simulation shall be terminated.",
    fmi3=(
        "3.2.1",
        "The return argument enterEventMode signals that the importer must call fmi3EnterEventMode to handle a step-event.",
    ),
)
def completed_step(fmu):
    yield from seen(fmu, "completed-step")


@rule(
    "completed-step-effect",
    VIOLATION,
    "CompletedIntegratorStep has no effect if it is declared as not needed",
    "3.3.1",
    "If true, function fmi2CompletedIntegratorStep need not be called […]. If it is called, it has no effect.",
    fmi3=("3.4", "If false and the function is called anyway, it has no effect."),
)
def completed_step_effect(fmu):
    fmu.need("ModelExchange")
    if not fmu.can("ModelExchange", "completedIntegratorStepNotNeeded"):
        raise NotPossible(f"the FMU needs {fmu.fmi}CompletedIntegratorStep")
    without, called = me_run(fmu), me_run(fmu, completing=True)
    if called.step_events:
        yield f"it asks for {called.step_events} events when it is called"
    elif without.complete and called.complete:
        for v, a, b in zip(fmu.states, without.final, called.final, strict=True):
            if not math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6 * (v.number("nominal") or 1.0)):
                yield f"{v.name} is {a:.8g} at the end, {b:.8g} if it is called after every step"


@rule(
    "states-changed",
    VIOLATION,
    "valuesOfContinuousStatesChanged is true exactly when states jump",
    "3.2.2",
    "If valuesOfContinuousStatesChanged = fmi2True, then at least one element of the continuous state vector has changed its value due to the function call.",
    fmi3=("2.3.5", "then at least one continuous state has changed its value because it was re-initialized"),
)
def states_changed(fmu):
    yield from seen(fmu, "states-changed")


@rule(
    "reinit-said",
    VIOLATION,
    "states that jump at events are declared as such",
    "2.2.7",
    "If false, the state will not be reinitialized at an event by the FMU.",
    fmi3=("2.4.7.5", "If false, the state will not be reinitialized."),
)
def reinit_said(fmu):
    yield from seen(fmu, "reinit-said")


@rule("next-event", INTEROPERABILITY, "the next time event is not in the past")
def next_event(fmu):
    yield from seen(fmu, "next-event")


@rule("event-iteration", INTEROPERABILITY, "event iteration terminates")
def event_iteration(fmu):
    yield from seen(fmu, "event-iteration")
