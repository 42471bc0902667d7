"""Variables: names, allowed combinations of attributes, start values, units, aliases."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

from .rules import INTEROPERABILITY, VIOLATION, rule
from .variables import INITIAL

_B_NAME = r"(?:[A-Za-z_][A-Za-z0-9_]*|'(?:[A-Za-z0-9_!#$%&()*+,\-./:;<>=?@\[\]^{}|~ ]|\\['\"?\\abfnrtv])+')"
_IDENTIFIER = rf"{_B_NAME}(?:\[\d+(?:,\d+)*\])?(?:\.{_B_NAME}(?:\[\d+(?:,\d+)*\])?)*"
_STRUCTURED = re.compile(rf"{_IDENTIFIER}|der\({_IDENTIFIER}(?:,\d+)?\)")
_ELEMENT = re.compile(r"(.*)\[(\d+(?:,\d+)*)\]([^\[\]]*)")


@rule(
    "variable-names",
    VIOLATION,
    "names of variables are unique",
    "2.2.9",
    "The names must be unique, non-empty strings.",
    fmi3=(
        "2.4.7.3",
        "Each variable alias has a required attribute name whose value must be unique among all variables and variable aliases",
    ),
)
def unique_names(fmu):
    aliases = [element.get("name", "") for element in fmu.description.iterfind("ModelVariables/*/Alias")]
    for name, count in Counter([*(variable.name for variable in fmu.variables), *aliases]).items():
        if not name:
            yield "a variable has no name"
        elif count > 1:
            yield f"{name} is there {count} times"


@rule(
    "structured-names",
    VIOLATION,
    "names follow the declared naming convention",
    "2.2.9",
    'Structured names are hierarchical using "." as a separator between hierarchies. A name consists of "_", letters and digits or may consist of any characters enclosed in single apostrophes.',
    fmi3=("2.4.7.5", 'Structured names are using "." as a separator between hierarchies.'),
)
def structured(fmu):
    if fmu.description.get("variableNamingConvention") == "structured":
        yield from (f"{v.name!r} is not a structured name" for v in fmu.variables if not _STRUCTURED.fullmatch(v.name))


@rule(
    "array-order",
    VIOLATION,
    "elements of an array are consecutive, in the order of their indices",
    "2.2.9",
    "All array elements are given in a consecutive sequence of ScalarVariables.",
)
def array_order(fmu):
    if fmu.description.get("variableNamingConvention") != "structured":
        return
    places = defaultdict(list)
    for variable in fmu.variables:
        element = _ELEMENT.fullmatch(variable.name)
        if element and not element[3]:  # an array of numbers; records in arrays have members between their elements
            places[element[1]].append((variable.index, tuple(map(int, element[2].split(",")))))
    for name, found in places.items():
        indices, subscripts = zip(*found, strict=True)
        if indices[-1] - indices[0] != len(indices) - 1:
            yield f"the elements of {name} do not stand together"
        elif list(subscripts) != sorted(subscripts):
            yield f"the elements of {name} are not in order"


@rule(
    "causality-variability",
    VIOLATION,
    "the combination of causality and variability is allowed",
    "2.2.7",
    "The following combinations of variability/causality settings are allowed",
    fmi3=("2.4.7.4", "shows the combinations of variability/causality settings that are allowed."),
)
def combinations(fmu):
    for v in fmu.variables:
        if v.variability not in INITIAL[fmu.version].get(v.causality, {}):
            yield f"{v.name} is {v.causality} and {v.variability}"


@rule(
    "initial",
    VIOLATION,
    "`initial` is allowed for causality and variability",
    "2.2.7",
    'If "initial" is not present, it is defined by the table below based on "causality" and "variability".',
    fmi3=(
        "2.4.7.5",
        "defines the allowed values for initial as combination of causality and variability and the default value if initial is not present.",
    ),
)
def initial(fmu):
    for v in fmu.variables:
        given, legal = v.attributes.get("initial"), INITIAL[fmu.version].get(v.causality, {}).get(v.variability, ())
        if given is not None and (legal is None or (legal and given not in legal)):
            yield f"{v.name} is {v.causality}, {v.variability} and initial = {given}"


@rule(
    "continuous-reals",
    VIOLATION,
    "only Real variables are continuous",
    "2.2.7",
    'Only a variable of type = "Real" can be "continuous".',
    fmi3=("2.4.7.4", "Only variables of type Float32 or Float64 may be continuous."),
)
def continuous_reals(fmu):
    for v in fmu.variables:
        if not v.real and v.variability == "continuous":
            yield f"{v.name} is of type {v.type} and continuous"


@rule(
    "start-given",
    VIOLATION,
    "variables that are initialized by a start value have one",
    "2.2.7",
    'If initial = "exact" or "approx", or causality = "input", a start value must be provided.',
    fmi3=("2.4.7.5", "If initial = exact or approx, a start attribute must be provided."),
)
def start_given(fmu):
    for v in fmu.variables:
        if v.texts is None and v.type != "Clock" and (v.initial in ("exact", "approx") or v.causality == "input"):
            yield f"{v.name} ({v.causality}, initial {v.initial}) has no start value"


@rule(
    "start-absent",
    VIOLATION,
    "calculated variables have no start value",
    "2.2.7",
    'If initial = "calculated", or causality = "independent", it is not allowed to provide a start value.',
    fmi3=(
        "2.4.7.5",
        "If initial = calculated or causality = independent, it is not allowed to provide a start attribute.",
    ),
)
def start_absent(fmu):
    for v in fmu.variables:
        if v.texts is not None and (v.initial == "calculated" or v.causality == "independent"):
            yield f"{v.name} is calculated, but has the start value {' '.join(v.texts)}"


@rule(
    "independent",
    VIOLATION,
    "exactly one Real is the independent variable (FMI 2.0: at most one)",
    "2.2.7",
    'At most one ScalarVariable of an FMU can be defined as "independent".',
    fmi3=(
        "2.4.7.4",
        "Exactly one variable of an FMU must be defined as independent. […] The independent variable must be defined as a floating point type without a start attribute.",
    ),
)
def independent(fmu):
    found = fmu.some("independent")
    if len(found) > 1:
        yield f"{', '.join(v.name for v in found)} are all independent"
    if not found and fmu.version == 3:
        yield "there is none"
    yield from (f"{v.name} is independent, but of type {v.type}" for v in found if not v.real)


@rule("start-range", INTEROPERABILITY, "start values are within min and max")
def start_range(fmu):
    for v in fmu.variables:
        low, high = v.number("min"), v.number("max")
        if low is not None and high is not None and low > high:
            yield f"{v.name} has min {low:g} > max {high:g}"
        for entry in v.entries() if v.number_type and v.type != "Boolean" else []:
            start = entry.start
            if start is not None and ((low is not None and start < low) or (high is not None and start > high)):
                yield f"{entry.name} starts at {start:g}, out of its range {low} … {high}"


@rule("nominal", INTEROPERABILITY, "nominal values are positive: integrators use them to scale tolerances")
def nominal(fmu):
    for v in fmu.variables:
        value = v.number("nominal")
        if value is not None and not value > 0.0:
            yield f"{v.name} has the nominal value {value:g}"


@rule(
    "declared-type",
    VIOLATION,
    "declared types exist, and match the variable's type",
    "2.2.7",
    "If present, name of type defined with TypeDefinitions / SimpleType.",
    fmi3=("2.4.7.5", "If present, name of type defined with <TypeDefinitions><TypeDefinition>."),
)
def declared_type(fmu):
    for v in fmu.variables:
        name = v.own.get("declaredType")
        if v.type == "Enumeration" and name is None:
            yield f"{v.name} is an enumeration without a declared type"
        elif name is not None and name not in fmu.types:
            yield f"{v.name} has the declared type {name!r}, which is not defined"
        elif name is not None and fmu.type_of(fmu.types[name]) != v.type:
            yield f"{v.name} is {v.type}, its declared type {name!r} is {fmu.type_of(fmu.types[name])}"


@rule("enumeration-start", INTEROPERABILITY, "an enumeration starts at one of its items")
def enumeration_start(fmu):
    for v in [v for v in fmu.scalars if v.type == "Enumeration"]:
        declared = fmu.types.get(v.own.get("declaredType", ""))
        if declared is not None and v.start is not None:
            items = [item.get("value") for item in declared.findall("Item")]
            if str(v.start) not in items:
                yield f"{v.name} starts at {v.start}, its items are {', '.join(items)}"


@rule(
    "unit-defined",
    VIOLATION,
    "every unit is defined",
    "2.2.3",
    "Unit of the variable defined with UnitDefinitions.Unit.name that is used for the model equations.",
    fmi3=(
        "2.4.7.5",
        "This attribute defines the unit of the variable by referencing a <UnitDefinitions><Unit> with the same name, which must exist.",
    ),
)
def unit_defined(fmu):
    defined = {unit.get("name") for unit in fmu.description.findall("UnitDefinitions/Unit")}
    for v in fmu.variables:
        if v.get("unit") is not None and v.get("unit") not in defined:
            yield f"{v.name} is in {v.get('unit')!r}, which is not defined"


@rule(
    "display-unit",
    VIOLATION,
    "a variable with a display unit has a unit",
    "2.2.3",
    "It is an error if displayUnit is defined in element Real, but unit is not, or unit is not defined under <UnitDefinitions><Unit>.",
    fmi3=(
        "2.4.7.5",
        "Default display unit of the variable referencing to a <DisplayUnit> which must exist under <UnitDefinitions><Unit> with the name of unit. […] If displayUnit is defined a unit must also be defined.",
    ),
)
def display_unit(fmu):
    defined = {unit.get("name"): unit for unit in fmu.description.findall("UnitDefinitions/Unit")}
    for v in fmu.variables:
        if v.get("displayUnit") is None:
            continue
        if v.get("unit") not in defined:
            yield f"{v.name} is displayed in {v.get('displayUnit')!r}, but has no defined unit"
        elif v.get("displayUnit") not in {e.get("name") for e in defined[v.get("unit")].findall("DisplayUnit")}:
            yield f"{v.name} is displayed in {v.get('displayUnit')!r}, which {v.get('unit')!r} does not define"


def _settable(v) -> bool:
    return v.causality in ("parameter", "input") or (v.variability != "constant" and v.initial in ("exact", "approx"))


@rule(
    "aliases",
    VIOLATION,
    "variables that share a value reference are allowed to",
    "2.2.7",
    'At most one variable of the same alias set of variables with variability ≠ "constant" can have a start attribute.',
)
def aliases(fmu):
    sets = defaultdict(list)
    for v in fmu.variables:
        sets[v.base, v.reference].append(v)
    for same in sets.values():
        names = ", ".join(v.name for v in same)
        if len([v for v in same if _settable(v) or v.causality == "independent"]) > 1:
            yield f"{names} share a value reference, and more than one of them can be set"
        elif len([v for v in same if "start" in v.own and v.variability != "constant"]) > 1:
            yield f"{names} share a value reference, and more than one of them has a start value"
        elif len({v.variability == "constant" for v in same}) > 1:
            yield f"{names} share a value reference, and some of them are constant"
        elif len({v.get("unit") for v in same}) > 1:
            yield f"{names} share a value reference, but not a unit"


@rule("descriptions", INTEROPERABILITY, "inputs, outputs and parameters have descriptions")
def descriptions(fmu):
    mute = [
        v.name
        for v in fmu.variables
        if v.causality in ("input", "output", "parameter") and not v.attributes.get("description", "").strip()
    ]
    if mute:
        yield f"{len(mute)} of them have no description: {', '.join(mute[:3])}{' …' if len(mute) > 3 else ''}"
