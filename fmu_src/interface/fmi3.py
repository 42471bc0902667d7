"""modelDescription.xml and buildDescription.xml of FMI 3.0, written from the arrays of a System (arrays.py)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from importlib.metadata import version
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from spacefmu.dynamics.system.contract import System
from spacefmu.dynamics.system.signals import Quantity, State

from .arrays import Array
from .description import (
    LOG_CATEGORIES,
    attribute_text,
    default_experiment,
    generation_date,
    model_identifier,
    origin,
    present,
    problems_of,
    type_of,
    unit_definitions,
)
from .structure import LONG, LONG_WITHOUT_ARRAYS, NEVER, DependencyNames, left_out
from .units import display_unit
from .variables import Group

BETWEEN = (Group.STATE, Group.DERIVATIVE, Group.INPUT, Group.OUTPUT)  # what changes within a communication step
ELEMENTS = {"real": "Float64", "integer": "Int32", "boolean": "Boolean", "enumeration": "Enumeration"}

_COMMON: dict[str, bool | int] = {
    "needsExecutionTool": False,
    "canBeInstantiatedOnlyOncePerProcess": False,
    "canGetAndSetFMUState": True,
    "canSerializeFMUState": True,
    "providesDirectionalDerivatives": True,
    "providesAdjointDerivatives": True,
    "providesPerElementDependencies": False,
}
CAPABILITIES: dict[str, dict[str, bool | int]] = {
    "ModelExchange": _COMMON | {"needsCompletedIntegratorStep": True, "providesEvaluateDiscreteStates": False},
    "CoSimulation": _COMMON
    | {
        "canHandleVariableCommunicationStepSize": True,
        "maxOutputDerivativeOrder": 1,
        "providesIntermediateUpdate": True,
        "mightReturnEarlyFromDoStep": True,
        "canReturnEarlyAfterIntermediateUpdate": True,
        "hasEventMode": True,
        "providesEvaluateDiscreteStates": False,
    },
}


def model_description(system: System, arrays: Sequence[Array], token: str, dependencies: DependencyNames) -> str:
    """The text of modelDescription.xml. ValueError names every variable that FMI can't describe."""
    scalars = [member for array in arrays for member in array.members]
    if problems := problems_of(scalars):
        raise ValueError(f"{system.name}: " + "; ".join(problems))
    root = Element(
        "fmiModelDescription",
        fmiVersion="3.0",
        modelName=system.name,
        instantiationToken=token,
        description=system.about.description,
        generationTool=f"spacefmu {version('spacefmu')}",
        generationDateAndTime=generation_date(),
        variableNamingConvention="structured",
    )
    for name, text in origin(system).items():
        root.set(name, text)
    for interface, flags in CAPABILITIES.items():
        own = {name: attribute_text(value) for name, value in flags.items()}
        SubElement(root, interface, {"modelIdentifier": model_identifier(system)} | own)
    root.append(unit_definitions(scalars))
    types = SubElement(root, "TypeDefinitions")
    for array in arrays:
        if array.signal.kind == "enumeration":
            declared = SubElement(types, "EnumerationType", name=type_of(array.first))
            for value, item in enumerate(array.signal.items, 1):
                SubElement(declared, "Item", name=item, value=str(value))
    categories = SubElement(root, "LogCategories")
    for name, description in LOG_CATEGORIES.items():
        SubElement(categories, "Category", name=name, description=description.replace("fmi2", "fmi3"))
    root.append(default_experiment(system))
    SubElement(root, "ModelVariables").extend(_variable(array) for array in arrays)
    root.append(_structure(arrays, dependencies))
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def build_description(system: System, sources: Iterable[str]) -> str:
    """The text of sources/buildDescription.xml: the files that must be compiled, as C99."""
    root = Element("fmiBuildDescription", fmiVersion="3.0")
    files = SubElement(
        SubElement(root, "BuildConfiguration", modelIdentifier=model_identifier(system)),
        "SourceFileSet",
        language="C99",
    )
    for name in sources:
        SubElement(files, "SourceFile", name=name)
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _variable(array: Array) -> Element:
    first, signal = array.first, array.signal
    attributes: dict = {
        "name": array.name,
        "valueReference": array.reference,
        "description": array.description or None,
        "causality": first.causality,
        "variability": first.variability,
        "initial": first.initial,
    }
    if signal.kind == "real":
        nominals = {member.signal.nominal for member in array.members}
        attributes |= {
            "unit": signal.unit or None,
            "displayUnit": display_unit(signal.name, signal.unit),
            "min": signal.min,
            "max": signal.max,
            "nominal": nominals.pop() if len(nominals) == 1 else None,
            "derivative": array.derivative_of,
            "intermediateUpdate": True if array.first.group in BETWEEN and first.variability == "continuous" else None,
            "reinit": True if isinstance(signal, State) and signal.reinit else None,
        }
    elif signal.kind != "boolean":
        whole = {
            name: None if value is None else int(value) for name, value in (("min", signal.min), ("max", signal.max))
        }
        attributes |= {"declaredType": type_of(first) if signal.kind == "enumeration" else None} | whole
    if first.has_start:
        attributes["start"] = " ".join(_start(member.signal) for member in array.members)
    element = Element(ELEMENTS[signal.kind], present(attributes))
    for length in array.shape:
        SubElement(element, "Dimension", start=str(length))
    return element


def _start(signal: Quantity) -> str:
    if signal.kind == "boolean":
        return attribute_text(signal.start != 0.0)
    return attribute_text(float(signal.start) if signal.kind == "real" else int(signal.start))


def _structure(arrays: Sequence[Array], dependencies: DependencyNames) -> Element:
    """<ModelStructure> (FMI 3.0.2, section 2.4.8): an array depends on everything that any of its entries depends on."""
    owner = {member.name: array for array in arrays for member in array.members}
    states = [array for array in arrays if array.first.group == Group.STATE]
    rate_of = {array.derivative_of: array for array in arrays if array.derivative_of is not None}
    always = ("input", "independent")
    running = {array.reference for array in arrays if array.first.causality in always or array in states}
    starting = {
        array.reference for array in arrays if array.first.causality in always or array.first.initial == "exact"
    }

    inputs = [member.name for array in arrays if array.first.causality == "input" for member in array.members]
    long = LONG if any(array.shape for array in arrays) else LONG_WITHOUT_ARRAYS

    def known(names: Sequence[Collection[str]], allowed: set[int], also: Sequence[str] = ()) -> list[int] | None:
        if left_out(names, [*inputs, *also], long):
            return None
        found = {owner[name].reference for each in {id(each): each for each in names}.values() for name in each}
        return sorted(found & allowed)

    def listed(root: Element, tag: str, array: Array, references: list[int] | None, own: bool) -> None:
        element = SubElement(root, tag, valueReference=str(array.reference))
        if references is None:
            return
        element.set("dependencies", " ".join(map(str, references)))
        if own and array.reference in references:
            kinds = ("constant" if own and each == array.reference else "dependent" for each in references)
            element.set("dependenciesKind", " ".join(kinds))

    root = Element("ModelStructure")
    outputs = [array for array in arrays if array.first.causality == "output"]
    for array in outputs:
        listed(root, "Output", array, known(_running(array, dependencies), running, NEVER[: len(inputs)]), own=True)
    rates = [rate_of[state.reference] for state in states]
    for state, rate in zip(states, rates, strict=True):
        names = [dependencies.derivatives[member.index] for member in state.members]
        listed(root, "ContinuousStateDerivative", rate, known(names, running), own=True)
    shown = {array.reference: array for array in (*outputs, *states, *rates)}
    for array in (shown[reference] for reference in sorted(shown)):
        if array.first.initial in ("approx", "calculated"):
            listed(root, "InitialUnknown", array, known(_starting(array, dependencies), starting), own=False)
    for array in arrays:
        if array.first.group == Group.INDICATOR:
            SubElement(root, "EventIndicator", valueReference=str(array.reference))
    return root


def _running(array: Array, dependencies: DependencyNames) -> list[Collection[str]]:
    """As in structure.py: a state depends on itself, a discrete state on no known variable."""
    group, members = array.first.group, array.members
    if group == Group.STATE:
        return [{member.name} for member in members]
    if group == Group.DISCRETE:
        return []
    entries = {Group.DERIVATIVE: dependencies.derivatives, Group.OUTPUT: dependencies.outputs}[group]
    return [entries[member.index] for member in members]


def _starting(array: Array, dependencies: DependencyNames) -> list[Collection[str]]:
    entries = {
        Group.STATE: dependencies.initial_states,
        Group.DERIVATIVE: dependencies.initial_derivatives,
        Group.OUTPUT: dependencies.initial_outputs,
        Group.DISCRETE: dependencies.initial_discretes,
    }[array.first.group]
    return [entries[member.index] for member in array.members]
