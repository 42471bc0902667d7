"""Arrays, value references, structural parameters and aliases of FMI 3.0."""

from __future__ import annotations

from collections import Counter

from .rules import VIOLATION, rule


@rule(
    "value-references",
    VIOLATION,
    "value references are unique",
    fmi3=("2.4.7.4", "The valueReference must be unique for all variables of an FMU."),
)
def value_references(fmu):
    names: dict[int, list[str]] = {}
    for v in fmu.variables:
        names.setdefault(v.reference, []).append(v.name)
    yield from (f"{', '.join(own)} have the reference {r}" for r, own in names.items() if len(own) > 1)


@rule(
    "dimensions",
    VIOLATION,
    "a dimension has a size, given directly or by a constant or structural parameter of type UInt64",
    fmi3=(
        "2.4.7.2",
        "The referenced variable must be a variable of type <UInt64>, and must either be a constant (i.e. with variability = constant) or a structural parameter (i.e. with causality = structuralParameter).",
    ),
)
def dimensions(fmu):
    known = {v.own.get("valueReference"): v for v in fmu.variables}
    for element in fmu.description.iterfind("ModelVariables/*"):
        for dimension in element.findall("Dimension"):
            size, of = dimension.get("start"), dimension.get("valueReference")
            if (size is None) == (of is None):
                yield f"a dimension of {element.get('name')} has {'a size and' if size else 'neither a size nor'} a reference"
            elif of is not None and of not in known:
                yield f"a dimension of {element.get('name')} is the variable {of}, which is not there"
            elif of is not None and (known[of].type != "UInt64" or not (known[of].variability == "constant" or known[of].causality == "structuralParameter")):  # fmt: skip
                yield f"a dimension of {element.get('name')} is {known[of].name}, which is {known[of].type}, {known[of].causality} and {known[of].variability}"


@rule(
    "dimension-sizes",
    VIOLATION,
    "no array is empty at the start",
    fmi3=(
        "2.4.7.2",
        "All initial dimension sizes (defined by start values either directly or indirectly in the fmiModelDescription) must be positive integers (i.e. not zero)",
    ),
)
def dimension_sizes(fmu):
    yield from (f"{v.name} has the shape {v.shape}" for v in fmu.variables if 0 in v.shape)


@rule(
    "start-count",
    VIOLATION,
    "an array has one start value, or one per entry",
    fmi3=("2.4.7.5", "If only a single value is given for a multi-dimensional array, all values of the multi-dimensional array are equal to this value."),
)  # fmt: skip
def start_count(fmu):
    for v in fmu.variables:
        if v.texts is not None and v.type != "Clock" and len(v.texts) not in (1, v.size):
            yield f"{v.name} has {len(v.texts)} start values and {v.size} entries"


@rule(
    "derivative-shape",
    VIOLATION,
    "a state and its derivative have the same shape",
    fmi3=("2.4.7.5", "If present, then the variable with this attribute is the derivative of the variable with value reference given in derivative."),
)  # fmt: skip
def derivative_shape(fmu):
    for v in fmu.variables:
        of = v.own.get("derivative", "")
        if not of:
            continue
        state = fmu.by_reference.get(int(of)) if of.isdigit() else None
        if state is None:
            yield f"{v.name} is the derivative of {of}, which no variable has as its reference"
        elif state.shape != v.shape or state.type != v.type:
            yield f"{v.name} is {v.type} of shape {v.shape}, {state.name} is {state.type} of shape {state.shape}"


@rule(
    "structural-parameters",
    VIOLATION,
    "a structural parameter is a scalar with a start value",
    fmi3=("2.4.7.4", "A structural parameter must not have a Dimension element."),
)
def structural_parameters(fmu):
    for v in fmu.variables:
        if v.causality == "structuralParameter" and (v.shape or v.texts is None):
            yield f"{v.name} {'is an array' if v.shape else 'has no start value'}"


@rule(
    "intermediate-variables",
    VIOLATION,
    "only continuous variables can be read and set in intermediate update",
    fmi3=("2.4.7.4", "Only continuous-time variables can have intermediateUpdate = true."),
)
def intermediate_variables(fmu):
    for v in fmu.variables:
        if v.flag("intermediateUpdate") and v.variability != "continuous":
            yield f"{v.name} is {v.variability}, and has intermediateUpdate"


@rule(
    "multiple-set",
    VIOLATION,
    "only inputs have canHandleMultipleSetPerTimeInstant",
    fmi3=("2.4.7.4", "Only for variables with causality = input."),
)
def multiple_set(fmu):
    for v in fmu.variables:
        if "canHandleMultipleSetPerTimeInstant" in v.own and v.causality != "input":
            yield f"{v.name} is {v.causality}, and has canHandleMultipleSetPerTimeInstant"


@rule(
    "alias-units",
    VIOLATION,
    "the display unit of an alias belongs to the variable's unit",
    fmi3=("2.4.7.3", "Variable aliases of floating point variables may additionally have a displayUnit that follows the same rules as for variables."),
)  # fmt: skip
def alias_units(fmu):
    known = {u.get("name"): {d.get("name") for d in u.findall("DisplayUnit")} for u in fmu.description.iterfind("UnitDefinitions/Unit")}  # fmt: skip
    for element in fmu.description.iterfind("ModelVariables/*"):
        v = fmu.by_name.get(element.get("name", ""))
        for alias in element.findall("Alias"):
            shown = alias.get("displayUnit")
            if v is not None and shown is not None and shown not in known.get(v.get("unit"), ()):
                yield f"{alias.get('name')} is displayed in {shown!r}, which {v.get('unit')!r} does not define"


@rule(
    "names-not-empty",
    VIOLATION,
    "names of units, types and categories are not empty",
    fmi3=("2.4", "must be unique within that list and must not be empty strings"),
)
def names_not_empty(fmu):
    for path in ("UnitDefinitions/Unit", "TypeDefinitions/*", "LogCategories/Category"):
        count = Counter((e.get("name") or "").strip() for e in fmu.description.iterfind(path))[""]
        if count:
            yield f"{count} of {path} have no name"
