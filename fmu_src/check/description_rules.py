"""modelDescription.xml as a whole: well-formed, of the schema, flags and lists that do not contradict each other."""

from __future__ import annotations

import importlib.util
import math
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from ..archive.members import defines_entities
from .rules import INTEROPERABILITY, ROBUSTNESS, VIOLATION, NotPossible, rule

_SPECIAL = re.compile(r"\s*[+-]?(nan|inf|infinity)\s*", re.IGNORECASE)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBERS = ("start", "min", "max", "nominal", "factor", "offset", "startTime", "stopTime", "tolerance", "stepSize")
_CATEGORIES = {
    "logEvents", "logSingularLinearSystems", "logNonlinearSystems", "logDynamicStateSelection", "logStatusWarning",
    "logStatusDiscard", "logStatusError", "logStatusFatal", "logStatusPending", "logAll",
}  # fmt: skip


@rule("xml-entities", ROBUSTNESS, "the XML defines no entities, which could exhaust a reader's memory")
def entities(fmu):
    if found := defines_entities(fmu.xml):
        yield f"it has {found[0].decode('utf-8', 'replace')!r}"


@rule(
    "xml-encoding",
    VIOLATION,
    "the XML is declared and encoded as UTF-8",
    "2.2",
    "It is required that the encoding scheme is always UTF-8",
    fmi3=("2.4", "It is required that the encoding scheme is always UTF-8"),
)
def encoding(fmu):
    head = re.match(rb"(\xef\xbb\xbf)?<\?xml[^>]*\?>", fmu.xml)
    if not head or not re.search(rb"encoding\s*=\s*[\"']utf-8[\"']", head[0], re.IGNORECASE):
        yield 'the first line does not say encoding="UTF-8"'
    try:
        fmu.xml.decode("utf-8")
    except UnicodeDecodeError as error:
        yield f"byte {error.start} is not UTF-8"


@rule(
    "xml-well-formed",
    VIOLATION,
    "the XML can be parsed, and its root is fmiModelDescription",
    "2.2",
    "All static information related to an FMU is stored in the text file modelDescription.xml in XML format.",
    fmi3=(
        "2.4",
        "All static information related to the core functionality of an FMU is stored in the text file modelDescription.xml in XML format",
    ),
)
def well_formed(fmu):
    try:
        _ = fmu.root
    except NotPossible as error:
        if "entities" not in str(error):
            yield str(error)


@rule(
    "xml-schema",
    VIOLATION,
    "the XML is valid according to the standard's schema",
    "2.2",
    "The normative definition are the above mentioned schema files",
    fmi3=("2.4", "in XML format as specified by the XML schema file fmi3ModelDescription.xsd"),
)
def schema(fmu):
    yield from invalid(fmu, fmu.description, "ModelDescription")


def invalid(fmu, root: etree._Element, schema: str) -> Iterator[str]:
    """What breaks a schema file of the standard, as FMPy ships it."""
    package = importlib.util.find_spec("fmpy")
    assert package is not None
    assert package.origin is not None
    folder = Path(package.origin).parent / "schema" / fmu.fmi
    judge = etree.XMLSchema(file=str(folder / f"{fmu.fmi}{schema}.xsd"))
    if not judge.validate(root):
        for error in judge.error_log:
            yield f"line {error.line}: {error.message}"


@rule("fmpy", INTEROPERABILITY, "FMPy, which many test benches use, accepts the FMU")
def fmpy_validation(fmu):
    from fmpy.model_description import read_model_description
    from fmpy.validation import validate_model_description

    _ = fmu.description
    try:
        description = read_model_description(str(fmu.path), validate=False)
        yield from validate_model_description(description, validate_model_structure=True)
    except Exception as error:  # it raises bare exceptions
        yield f"it can't read the description: {type(error).__name__}: {error}"


@rule(
    "xml-special-values",
    VIOLATION,
    "the XML has no NaN or infinity",
    "2.2",
    "The special values NAN, INF, +INF, and -INF for variables values are not allowed in the FMI XML files.",
)
def special_values(fmu):
    for element in fmu.description.iter(etree.Element):
        for key in _NUMBERS:
            if element.tag != "String" and _SPECIAL.fullmatch(element.get(key, "")):
                yield f"line {element.sourceline}: {key} is {element.get(key)}"


@rule(
    "kind",
    VIOLATION,
    "the FMU supports model exchange, co-simulation or (FMI 3.0) scheduled execution",
    "2.2.1",
    "At least one element of ModelExchange or CoSimulation must be present to identify the type of the FMU.",
    fmi3=(
        "2.4.1",
        "At least one element of <ModelExchange>, <CoSimulation> or <ScheduledExecution> must be present to identify the type of the FMU.",
    ),
)
def kind(fmu):
    if not fmu.kinds:
        yield f"there is no {' and no '.join(fmu.kinds_known)}"


@rule(
    "guid",
    VIOLATION,
    "the FMU has a GUID (FMI 3.0: an instantiation token)",
    "2.2.1",
    'The "Globally Unique IDentifier" is a string that is used to check that the XML file is compatible with the C functions of the FMU.',
    fmi3=(
        "2.3.1",
        "It is an opaque string generated by the FMU exporter that is stored in the xml file as mandatory attribute instantiationToken",
    ),
)
def guid(fmu):
    if not fmu.token.strip():
        yield "it is empty"


@rule(
    "model-identifier",
    VIOLATION,
    "the model identifier is a valid C identifier",
    "2.1.1",
    "it must fulfill the restrictions on C-function names (only letters, digits and/or underscores are allowed)",
    fmi3=(
        "2.2.2",
        "it must fulfill the restrictions on C-function names (only letters, digits and/or underscores are allowed)",
    ),
)
def identifier(fmu):
    for name in fmu.kinds:
        text = fmu.kind(name).get("modelIdentifier", "")
        if not _IDENTIFIER.fullmatch(text):
            yield f"modelIdentifier of {name} is {text!r}"


@rule(
    "flags",
    VIOLATION,
    "an FMU that serializes states can also save them",
    "4.3.1",
    "If this is the case, then flag canGetAndSetFMUstate must be true as well.",
    fmi3=("2.4.2", "If true, the flag canGetAndSetFMUState must be true as well."),
)
def flags(fmu):
    for name in fmu.kinds:
        if fmu.can(name, "canSerializeFMUstate") and not fmu.can(name, "canGetAndSetFMUstate"):
            yield f"{name} has canSerializeFMUstate, but not canGetAndSetFMUstate"


@rule(
    "log-categories",
    VIOLATION,
    "names of log categories are unique",
    "2.2.4",
    'The "name" attribute of "Category" must be unique with respect to all other elements of the LogCategories list.',
    fmi3=(
        "2.4.5",
        "The name attribute of <Category> must be unique with respect to all other elements of the <LogCategories> list.",
    ),
)
def categories(fmu):
    names = Counter(element.get("name") for element in fmu.description.findall("LogCategories/Category"))
    yield from (f"{name!r} is there {count} times" for name, count in names.items() if count > 1)


@rule("log-names", INTEROPERABILITY, "log categories defined by the standard have their standard names")
def category_names(fmu):
    standard = {name.lower().removeprefix("log"): name for name in _CATEGORIES}
    for element in fmu.description.findall("LogCategories/Category"):
        known = standard.get(re.sub("[^a-z]", "", element.get("name", "").lower()).removeprefix("log"))
        if known not in (None, element.get("name")):
            yield f"{element.get('name')!r} is spelt {known!r} in the standard"


@rule("experiment", INTEROPERABILITY, "the default experiment is valid")
def experiment(fmu):
    start, stop = fmu.experiment("startTime", 0.0), fmu.experiment("stopTime", math.inf)
    step, tolerance = fmu.experiment("stepSize", 0.0), fmu.experiment("tolerance", 1e-4)
    if not stop > start:
        yield f"it stops at {stop:g}, but starts at {start:g}"
    if step < 0.0 or step > stop - start:
        yield f"stepSize is {step:g}, in an experiment of {stop - start:g} s"
    if not 0.0 < tolerance < 1.0:
        yield f"tolerance is {tolerance:g}, expected a relative one between 0 and 1"


@rule("generation-date", INTEROPERABILITY, "the date of generation has the required format")
def date(fmu):
    text = fmu.description.get("generationDateAndTime")
    if text is not None and not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", text):
        yield f"it is {text!r}, expected YYYY-MM-DDThh:mm:ssZ"


@rule(
    "unit-names",
    VIOLATION,
    "names of units, display units and types are unique",
    "2.2.2",
    "which must be unique with respect to all other defined elements of the UnitDefinitions list",
    fmi3=(
        "2.4",
        "name attributes of list elements (for example VariableType or Variable) must be unique within that list and must not be empty strings.",
    ),
)
def unit_names(fmu):
    groups = {
        "unit": fmu.description.findall("UnitDefinitions/Unit"),
        "type": fmu.description.findall("TypeDefinitions/*"),
    }
    groups |= {f"display unit of {unit.get('name')!r}": unit.findall("DisplayUnit") for unit in groups["unit"]}
    for what, elements in groups.items():
        names = Counter(element.get("name") for element in elements)
        yield from (f"the {what} {name!r} is there {count} times" for name, count in names.items() if count > 1)


@rule("unit-factors", ROBUSTNESS, "conversions between units are invertible")
def unit_factors(fmu):
    for unit in fmu.description.findall("UnitDefinitions/Unit"):
        for element in (*unit.findall("BaseUnit"), *unit.findall("DisplayUnit")):
            if float(element.get("factor", 1.0)) == 0.0:
                yield f"a factor of {unit.get('name')!r} is 0"


@rule(
    "type-names",
    VIOLATION,
    "no type has the name of a variable",
    "2.2.3",
    '"name" of a "SimpleType" must be different to all "name" attributes of ScalarVariables',
)
def type_names(fmu):
    yield from (f"{name!r} is a type and a variable" for name in sorted(set(fmu.types) & set(fmu.by_name)))


@rule(
    "enumerations",
    VIOLATION,
    "values of an enumeration are unique",
    "2.2.3",
    "The values can be any integer number but must be unique within the same enumeration",
    fmi3=("2.4.4", "name and value must be unique within the same <EnumerationType>."),
)
def enumerations(fmu):
    for name, element in fmu.types.items():
        for key in ("value", "name"):
            values = Counter(item.get(key) for item in element.findall("Item"))
            yield from (f"{name!r} has the {key} {value!r} {n} times" for value, n in values.items() if n > 1)
