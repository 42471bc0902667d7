"""<ModelStructure>: which variables are unknowns, in which order, and what each depends on (FMI 2.0, section 2.2.8).

A list of dependencies holds indices, which are value references + 1, in increasing order; an empty list means that the unknown depends on
nothing known. Without a list it may depend on everything known. A long list that contains all inputs is left out (for outputs only if there
are no inputs), so masters see the same loops. The lists of a chain of 1000 links would take 370 MB. Kinds that are all "dependent", the
default, are also left out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Protocol
from xml.etree.ElementTree import Element, SubElement

from .variables import Group, Variable

LONG = 100  # names
LONG_WITHOUT_ARRAYS = 1000  # FMI 3.0 cut into scalars is for importers that need lists, as CasADi's
NEVER = ("",)  # not the name of any input: an unknown that depends on it has a list


def left_out(names: Iterable[Collection[str]], inputs: Collection[str], long: int = LONG) -> bool:
    """Whether the list of an unknown that depends on more than `long` names is left out; `inputs`: those that it must contain for that."""
    names = list({id(each): each for each in names}.values())
    if max(map(len, names), default=0) <= long:
        return False
    return all(any(name in each for each in names) for name in inputs)


class DependencyNames(Protocol):
    """Names of the dependencies of each unknown, one entry per element of the array; made by spacefmu.fmu_src.native.trace.sparsity."""

    @property
    def derivatives(self) -> Sequence[Collection[str]]:
        """On states, inputs and "time", while the simulation runs; likewise outputs."""

    @property
    def outputs(self) -> Sequence[Collection[str]]: ...

    @property
    def initial_states(self) -> Sequence[Collection[str]]:
        """On inputs, "time", parameters and start values, in initialization mode; likewise the others."""

    @property
    def initial_derivatives(self) -> Sequence[Collection[str]]: ...

    @property
    def initial_outputs(self) -> Sequence[Collection[str]]: ...

    @property
    def initial_discretes(self) -> Sequence[Collection[str]]: ...


def model_structure(variables: Sequence[Variable], dependencies: DependencyNames, with_derivatives: bool) -> Element:
    """The element <ModelStructure>; an FMU that does not expose its derivatives leaves <Derivatives> out."""
    derivative_of = {v.derivative_of: v for v in variables if v.derivative_of is not None}
    # the order of the states is the order of fmi2GetDerivatives
    states = [v for v in variables if v.group == Group.STATE and with_derivatives]
    derivatives = {derivative_of[state.reference]: dependencies.derivatives[state.index] for state in states}
    running = _indices(variables, lambda v: with_derivatives and v.group == Group.STATE)
    initial = _indices(variables, lambda v: v.initial == "exact")

    inputs = [v.name for v in variables if v.causality == "input"]
    root = Element("ModelStructure")
    outputs = {v: _running(v, dependencies) for v in variables if v.causality == "output"}
    _list(root, "Outputs", running, outputs, [*inputs, *NEVER[: len(inputs)]], with_kinds=True)
    _list(root, "Derivatives", running, derivatives, inputs, with_kinds=True)
    shown = set(outputs) | set(states) | set(derivatives)
    unknowns = sorted((v for v in shown if v.initial in ("approx", "calculated")), key=lambda v: v.reference)
    _list(root, "InitialUnknowns", initial, {v: _initial(v, dependencies) for v in unknowns}, inputs)
    return root


def _indices(variables: Sequence[Variable], is_known: Callable[[Variable], bool]) -> dict[str, int]:
    """Index of each known variable by name: always inputs and time, and those of the mode."""
    always = ("input", "independent")
    return {v.name: v.reference + 1 for v in variables if v.causality in always or is_known(v)}


def _running(variable: Variable, dependencies: DependencyNames) -> Collection[str]:
    """The dependencies of a variable at communication points, in continuous-time mode and in event mode.

    A discrete state changes only between such instants, so it depends on no known variable.
    """
    if variable.group == Group.STATE:
        return {variable.name}
    if variable.group == Group.DISCRETE:
        return set()
    entries = {Group.DERIVATIVE: dependencies.derivatives, Group.OUTPUT: dependencies.outputs}[variable.group]
    return entries[variable.index]


def _initial(variable: Variable, dependencies: DependencyNames) -> Collection[str]:
    """The dependencies of a variable in initialization mode."""
    entries = {
        Group.STATE: dependencies.initial_states,
        Group.DERIVATIVE: dependencies.initial_derivatives,
        Group.OUTPUT: dependencies.initial_outputs,
        Group.DISCRETE: dependencies.initial_discretes,
    }[variable.group]
    return entries[variable.index]


def _list(
    root: Element,
    tag: str,
    knowns: Mapping[str, int],
    unknowns: Mapping[Variable, Collection[str]],
    inputs: Collection[str],
    with_kinds: bool = False,
) -> None:
    """One list of unknowns with their known dependencies; omitted if empty, which the schema forbids.

    with_kinds: a state that is itself an unknown depends on itself by the constant factor 1; all other dependencies are of kind "dependent".
    """
    if not unknowns:
        return
    parent = SubElement(root, tag)
    listed: dict[int, list[int] | None] = {}  # most lists serve many unknowns
    for variable, names in unknowns.items():
        if id(names) not in listed:
            found = None if left_out([names], inputs) else sorted(knowns[name] for name in names if name in knowns)
            listed[id(names)] = found
        indices, own = listed[id(names)], variable.reference + 1
        unknown = SubElement(parent, "Unknown", index=str(own))
        if indices is None:
            continue
        unknown.set("dependencies", " ".join(map(str, indices)))
        if with_kinds and own in indices:
            kinds = ("constant" if index == own else "dependent" for index in indices)
            unknown.set("dependenciesKind", " ".join(kinds))
