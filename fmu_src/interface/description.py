"""modelDescription.xml of FMI 2.0, written from the variables of a System: one writer for every flavour of FMU."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from spacefmu.dynamics.solver.rows_seen import indicator_count
from spacefmu.dynamics.system.contract import System
from spacefmu.dynamics.system.signals import State

from .capabilities import NATIVE, Capabilities
from .structure import DependencyNames, model_structure
from .units import DISPLAY_UNITS, display_unit, exponents
from .variables import Variable

# FMI 2.0, section 2.2.4. All but logSolver are the standard's own names.
LOG_CATEGORIES = {
    "logEvents": "events: time, variable and value, one line per variable that switched",
    "logStatusWarning": "what returned fmi2Warning, and why",
    "logStatusDiscard": "what returned fmi2Discard, and why",
    "logStatusError": "what returned fmi2Error, and why",
    "logStatusFatal": "what returned fmi2Fatal, and why",
    "logSolver": "solver statistics at termination: steps, rejected steps, events, evaluations, and what limited the steps",
    "logAll": "everything",
}

ORIGIN = (
    "author",
    "version",
    "copyright",
    "license",
)  # attributes of <fmiModelDescription> that a description may set
RELEASED = 1_764_547_200  # 2025-12-01, seconds since 1970

TYPE_NAMES = {"real": "Real", "integer": "Integer", "boolean": "Boolean", "enumeration": "Enumeration"}


def model_identifier(system: System) -> str:
    """The System's name as a C identifier (section 2.2.1): the name of the library in the FMU."""
    return re.sub(r"^(?=[0-9])|[^A-Za-z0-9_]", "_", system.name)


def model_description(
    system: System,
    variables: Sequence[Variable],
    guid: str,
    dependencies: DependencyNames,
    capabilities: Capabilities = NATIVE,
    source_files: Sequence[str] = (),
) -> str:
    """The text of modelDescription.xml. `source_files`: the files in sources/ that must be compiled, the same for both interfaces.
    Raises ValueError with every variable that FMI can't describe.
    """
    if problems := problems_of(variables):
        raise ValueError(f"{system.name}: " + "; ".join(problems))
    root = Element(
        "fmiModelDescription",
        fmiVersion="2.0",
        modelName=system.name,
        guid=guid,
        description=system.about.description,
        generationTool=f"spacefmu {version('spacefmu')}",
        generationDateAndTime=generation_date(),
        variableNamingConvention="structured",
        numberOfEventIndicators=str(indicator_count(system)),
    )
    for name, text in origin(system).items():
        root.set(name, text)
    for element in ("ModelExchange", "CoSimulation") if capabilities.model_exchange else ("CoSimulation",):
        root.append(_interface(element, model_identifier(system), capabilities, source_files))
    root.append(unit_definitions(variables))
    root.append(_type_definitions(variables))
    categories = SubElement(root, "LogCategories")
    for name, description in LOG_CATEGORIES.items():
        SubElement(categories, "Category", name=name, description=description)
    root.append(default_experiment(system))
    model_variables = SubElement(root, "ModelVariables")
    exposes_derivatives = capabilities.model_exchange or capabilities.providesDirectionalDerivative
    model_variables.extend(_scalar_variable(v, exposes_derivatives) for v in variables)
    root.append(model_structure(variables, dependencies, exposes_derivatives))
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def origin(system: System) -> dict[str, str]:
    """Author, copyright and license of the model, from the description; else only the license of the code."""
    told = {name: system.about.origin[name] for name in ORIGIN if system.about.origin.get(name)}
    return {"license": "sources and runtime: MIT, see documentation/licenses"} | told


def generation_date() -> str:
    """The date of generation, constant per version, so that the same model gives the same bytes: SOURCE_DATE_EPOCH, else the day of this version."""
    moment = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", RELEASED)), UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def problems_of(variables: Sequence[Variable]) -> list[str]:
    """Sentences on everything in the signals that the XML does not allow, each with the signal's name."""
    problems = []
    for signal in (v.signal for v in variables):
        if signal.unit:
            try:
                exponents(signal.unit)
            except ValueError as error:
                problems.append(f"{signal.name}: {error}")
        low = signal.start if signal.min is None else signal.min
        high = signal.start if signal.max is None else signal.max
        if not low <= signal.start <= high:
            problems.append(f"{signal.name}: start {signal.start} is outside min {signal.min} … max {signal.max}")
        if signal.nominal is not None and not signal.nominal > 0.0:
            problems.append(f"{signal.name}: nominal is {signal.nominal}, expected a positive number")
    return problems


def _interface(element: str, identifier: str, capabilities: Capabilities, source_files: Sequence[str]) -> Element:
    flags = {name: attribute_text(value) for name, value in capabilities.attributes(element).items()}
    interface = Element(element, {"modelIdentifier": identifier} | flags)
    if source_files:
        files = SubElement(interface, "SourceFiles")
        for name in source_files:
            SubElement(files, "File", name=name)
    return interface


def unit_definitions(variables: Sequence[Variable]) -> Element:
    definitions = Element("UnitDefinitions")
    for unit in sorted({v.signal.unit for v in variables if v.signal.unit}):
        element = SubElement(definitions, "Unit", name=unit)
        SubElement(element, "BaseUnit", {base: str(exponent) for base, exponent in exponents(unit).items()})
        for display in DISPLAY_UNITS.get(unit, ()):
            attributes = {"name": display.name, "factor": attribute_text(display.factor)}
            if display.offset:
                attributes["offset"] = attribute_text(display.offset)
            SubElement(element, "DisplayUnit", attributes)
    return definitions


def _type_definitions(variables: Sequence[Variable]) -> Element:
    """One type per enumeration variable; there is always one, solver.method."""
    definitions = Element("TypeDefinitions")
    for variable in variables:
        if variable.signal.kind == "enumeration":
            simple_type = SubElement(definitions, "SimpleType", name=type_of(variable))
            enumeration = SubElement(simple_type, "Enumeration")
            for value, item in enumerate(variable.signal.items, 1):
                SubElement(enumeration, "Item", name=item, value=str(value))
    return definitions


def type_of(variable: Variable) -> str:
    """Section 2.2.3: a type must not have the name of a variable."""
    return f"Types.{variable.name}"


def default_experiment(system: System) -> Element:
    experiment = system.about.experiment
    values = {
        "startTime": experiment.get("start", 0.0),
        "stopTime": experiment["stop"],
        "tolerance": experiment["tolerance"],
        "stepSize": experiment["step"],
    }
    return Element("DefaultExperiment", {name: attribute_text(float(value)) for name, value in values.items()})


def _scalar_variable(variable: Variable, has_states: bool) -> Element:
    """has_states: the FMU exposes its states as such; else they are ordinary outputs."""
    signal = variable.signal
    head = {
        "name": variable.name,
        "valueReference": variable.reference,
        "description": signal.description or None,
        "causality": variable.causality,
        "variability": variable.variability,
        "initial": variable.initial,
    }
    if signal.kind == "real":
        body = {
            "unit": signal.unit or None,
            "displayUnit": display_unit(signal.name, signal.unit),
            "min": signal.min,
            "max": signal.max,
            "nominal": signal.nominal,
            "derivative": None if variable.derivative_of is None else variable.derivative_of + 1,
            "reinit": True if has_states and isinstance(signal, State) and signal.reinit else None,
        }
    elif signal.kind == "boolean":
        body = {}
    else:
        body = {"declaredType": type_of(variable) if signal.kind == "enumeration" else None}
        body |= {
            name: None if value is None else int(value) for name, value in (("min", signal.min), ("max", signal.max))
        }
    if variable.has_start:
        body["start"] = _START[signal.kind](signal.start)
    element = Element("ScalarVariable", present(head))
    SubElement(element, TYPE_NAMES[signal.kind], present(body))
    return element


_START: dict[str, Callable] = {"real": float, "integer": int, "enumeration": int, "boolean": lambda value: value != 0.0}


def present(attributes: dict) -> dict[str, str]:
    return {name: attribute_text(value) for name, value in attributes.items() if value is not None}


def attribute_text(value: str | bool | int | float) -> str:
    """An attribute's text. The repr of a double is the shortest text that reads back bit for bit."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(float(value)) if isinstance(value, float) else str(value)
