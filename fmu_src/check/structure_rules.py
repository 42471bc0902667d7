"""ModelStructure: complete, in order, and with allowed variables only."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from .rules import INTEROPERABILITY, VIOLATION, rule

_GROUPS: dict[int, tuple[str, ...]] = {2: ("Outputs", "Derivatives", "InitialUnknowns")}
_GROUPS[3] = (*_GROUPS[2], "EventIndicators", "ClockedStates")


@rule(
    "structure-indices",
    VIOLATION,
    "every entry is a variable, and appears once in a list",
    "2.2.8",
    "a list of ScalarVariable indices",
    fmi3=("2.4.8", "The value reference of the unknown […] The resulting list is not allowed to have duplicates"),
)
def indices(fmu):
    for group in _GROUPS[fmu.version]:
        listed = Counter(unknown.key for unknown in fmu.unknowns(group))
        keys = {v.key: v.name for v in fmu.variables}
        for key, count in listed.items():
            if key not in keys:
                yield f"{group} has {key}, which no variable has"
            elif count > 1:
                yield f"{group} has {keys[key]} {count} times"
        for unknown in fmu.unknowns(group):
            for key in unknown.dependencies or ():
                if key not in keys:
                    yield f"{group} has a dependency on {key}, which no variable has"


@rule(
    "structure-outputs",
    VIOLATION,
    "Outputs lists exactly the outputs",
    "2.2.8",
    'every variable with causality="output" must be listed here',
    fmi3=(
        "2.4.8",
        "a list of value references where every corresponding variable must have causality = output (and every variable with causality = output must be listed here)",
    ),
)
def outputs(fmu):
    listed = {unknown.key for unknown in fmu.unknowns("Outputs")}
    expected = {v.key for v in fmu.some("output")}
    yield from (f"the output {fmu.where(i).name} is not listed" for i in sorted(expected - listed))
    yield from (f"{fmu.where(i).name} is listed, but is not an output" for i in sorted(listed - expected))


@rule(
    "structure-derivatives",
    VIOLATION,
    "Derivatives lists state derivatives, which refer to their states",
    "2.2.7",
    "All ScalarVariables listed in this element must have attribute derivative (in order that the continuous-time states are uniquely defined).",
    fmi3=(
        "2.4.7.5",
        "The derivatives of continuous states of an FMU are listed as elements ContinuousStateDerivative in ModelStructure. All variables listed in these elements must have attribute derivative.",
    ),
)
def derivatives(fmu):
    keys = {v.key for v in fmu.variables}
    for v in (fmu.where(unknown.key) for unknown in fmu.unknowns("Derivatives")):
        state = v.own.get("derivative", "")
        if not state.isdigit() or int(state) not in keys:
            yield f"{v.name} is listed, but names no variable that it is the derivative of"
        elif not v.real or v.variability != "continuous":
            yield f"{v.name} is a state derivative, but {v.variability} and of type {v.type}"


@rule(
    "state-causality",
    VIOLATION,
    "continuous states are local or outputs, and continuous Reals",
    "2.2.7",
    'A continuous-time state must have causality = "local" or "output"',
    fmi3=("2.4.7.4", "A continuous-time state or an event indicator must have causality = local or output"),
)
def state_causality(fmu):
    for v in fmu.states:
        if v.causality not in ("local", "output") or not v.real or v.variability != "continuous":
            yield f"{v.name} is a state, but {v.causality}, {v.variability} and of type {v.type}"


@rule(
    "structure-initial",
    VIOLATION,
    "InitialUnknowns lists exactly the unknowns of Initialization Mode",
    "2.2.8",
    'This list consists of all variables with 1. causality = "output" and (initial = "approx" or "calculated"), and 2. causality = "calculatedParameter" and 3. all continuous-time states and all state derivatives […] with initial = "approx" or "calculated"',
    fmi3=(
        "2.4.8",
        "This list consists of all variables which: * are not clocked variables and have causality = output (with initial = approx or calculated), or * have causality = calculatedParameter, or * are continuous-time states or state derivatives (defined with elements ContinuousStateDerivative) with initial = approx or calculated, or * are clocked variables that the FMU wishes to initialize in initialization mode.",
    ),
)
def initial_unknowns(fmu):
    listed = {unknown.key for unknown in fmu.unknowns("InitialUnknowns")}
    unknown = ("approx", "calculated")
    expected = {v.key for v in fmu.some("output") if v.initial in unknown and not v.clocked}
    expected |= {v.key for v in fmu.some("calculatedParameter")}
    expected |= {v.key for v in (*fmu.states, *fmu.derivatives) if v.initial in unknown}
    yield from (f"{fmu.where(i).name} is missing" for i in sorted(expected - listed))
    own = {v.key for v in fmu.variables if v.clocked}  # an FMU may initialize them or not
    yield from (f"{fmu.where(i).name} is listed, but not unknown" for i in sorted(listed - expected - own))


@rule(
    "structure-initial-order",
    VIOLATION,
    "InitialUnknowns is in the order of the variables",
    "2.2.8",
    "The Unknowns in this list must be ordered according to their ScalarVariable index",
)
def initial_order(fmu):
    listed = [unknown.key for unknown in fmu.unknowns("InitialUnknowns")]
    for before, after in pairwise(listed):
        if before > after:
            yield f"{fmu.where(before).name} stands before {fmu.where(after).name}"


@rule(
    "dependency-order",
    VIOLATION,
    "dependencies are in the order of the variables",
    "2.2.8",
    "The indices are ordered according to magnitude, starting with the smallest index.",
)
def dependency_order(fmu):
    for group in _GROUPS[fmu.version]:
        for unknown in fmu.unknowns(group):
            listed = unknown.dependencies or ()
            if list(listed) != sorted(set(listed)):
                yield f"{group}: the dependencies of {fmu.where(unknown.key).name} are not in order, or repeated"


@rule(
    "dependency-kinds",
    VIOLATION,
    "there is one kind per dependency",
    "2.2.8",
    "If dependenciesKind is present, dependencies must be present and must have the same number of list elements.",
    fmi3=(
        "2.4.8",
        "If dependenciesKind is present, dependencies must be present and must have the same number of list elements.",
    ),
)
def dependency_kinds(fmu):
    for group in _GROUPS[fmu.version]:
        for unknown in fmu.unknowns(group):
            if unknown.kinds is not None and len(unknown.kinds) != len(unknown.dependencies or ()):
                name = fmu.where(unknown.key).name
                yield f"{group}: {name} has {len(unknown.dependencies or ())} dependencies, {len(unknown.kinds)} kinds"


@rule(
    "dependency-knowns",
    VIOLATION,
    "dependencies are on known variables",
    "2.2.8",
    "Knowns […] for elements Outputs, Derivatives: inputs (variables with causality = “input”) […] continuous-time states […] independent variable […] in Initialization Mode (for elements InitialUnknowns): inputs (variables with causality = “input”) […] variables with initial = “exact”",
    fmi3=(
        "2.4.8",
        "* inputs (variables with causality = input), * continuous states and discrete-time states, * parameters (variables with causality = parameter), * independent variable (usually time; causality = independent).",
    ),
)
def dependency_knowns(fmu):
    states = {v.key for v in fmu.states}
    for group in _GROUPS[fmu.version]:
        for unknown in fmu.unknowns(group):
            for index in unknown.dependencies or ():
                v = fmu.where(index)
                known = v.causality in ("input", "independent") or (
                    v.initial == "exact" if group == "InitialUnknowns" else index in states or _known(fmu, v)
                )
                if not known:
                    yield f"{group}: {fmu.where(unknown.key).name} depends on {v.name}, which is {v.causality} and no known"


def _known(fmu, v) -> bool:
    """FMI 2.0 has tunable parameters in the formula of section 2.2.8, though not in its list; FMI 3.0 lists parameters and discrete states."""
    if fmu.version == 2:
        return v.causality == "parameter" and v.variability == "tunable"
    return v.causality == "parameter" or v.variability == "discrete" or v.type == "Clock"


@rule(
    "reinit",
    VIOLATION,
    "only continuous states in model exchange have `reinit`",
    "2.2.7",
    "Can only be present for a continuous-time state.",
    fmi3=("2.4.7.5", "May only be present for a continuous-time state."),
)
def reinit(fmu):
    states = {v.key for v in fmu.states}
    for v in fmu.variables:
        if "reinit" in v.own and (v.key not in states or fmu.kind("ModelExchange") is None):
            yield f"{v.name} has reinit, but {'is not a state' if v.key not in states else 'the FMU has no ModelExchange'}"


@rule(
    "dependencies-said", INTEROPERABILITY, "dependencies are declared: without them every tool assumes algebraic loops"
)
def dependencies_said(fmu):
    mute = [fmu.where(u.key).name for u in fmu.unknowns("Outputs") if u.dependencies is None]
    if mute and fmu.some("input"):
        yield f"{len(mute)} outputs do not say what they depend on: {', '.join(mute[:3])}{' …' if len(mute) > 3 else ''}"
