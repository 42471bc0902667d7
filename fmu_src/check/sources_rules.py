"""Sources: those that are listed are there, and those that are there are listed. FMI 3.0 lists them in sources/buildDescription.xml."""

from __future__ import annotations

import re

from .description_rules import invalid
from .rules import INTEROPERABILITY, VIOLATION, NotPossible, rule
from .subject import parsed

_BUILD = "sources/buildDescription.xml"


def _build(fmu):
    if _BUILD not in fmu.names:
        raise NotPossible("the FMU has no buildDescription.xml")
    return parsed(fmu.read(_BUILD), _BUILD, "fmiBuildDescription")


def _listed(fmu) -> dict[str, list[str]]:
    """Names of files by what lists them: a kind of FMI 2.0, a build configuration of FMI 3.0."""
    if fmu.version == 2:
        return {kind: [e.get("name", "") for e in fmu.kind(kind).findall("SourceFiles/File")] for kind in fmu.kinds}
    found: dict[str, list[str]] = {}
    for i, one in enumerate(_build(fmu).findall("BuildConfiguration"), 1):
        name = f"build configuration {one.get('platform') or i}"
        found.setdefault(name, []).extend(e.get("name", "") for e in one.iterfind("SourceFileSet/SourceFile"))
    return found


@rule(
    "source-files",
    VIOLATION,
    "every listed source file exists",
    "2.3, schema",
    "List of source file names that are present in the “sources” directory of the FMU and need to be compiled in order to generate the binary of the FMU",
    fmi3=("2.4.10", "Path of the source file relative to the sources directory."),
)
def source_files(fmu):
    for name, files in _listed(fmu).items():
        for file in files:
            if f"sources/{file}" not in fmu.names:
                yield f"{name} lists {file!r}, which is not in sources/"


@rule(
    "source-listed",
    INTEROPERABILITY,
    "every C file in sources/ is listed, or included by a listed one: importers compile only listed files",
)
def source_listed(fmu):
    there = {name.removeprefix("sources/") for name in fmu.names if name.startswith("sources/") and name.endswith(".c")}
    for name, files in _listed(fmu).items():
        reached = set(files)
        waiting = list(reached)
        while waiting:
            own = f"sources/{waiting.pop()}"
            text = fmu.read(own) if own in fmu.names else b""
            found = {m.decode("utf-8", "replace") for m in re.findall(rb'#\s*include\s*"([^"]+)"', text)} - reached
            reached |= found
            waiting += found
        if reached:
            yield from (f"{name} does not list {file!r}, which is in sources/" for file in sorted(there - reached))


@rule(
    "build-description",
    VIOLATION,
    "sources have a buildDescription.xml",
    fmi3=(
        "2.5.1.3",
        "A source code FMU contains the sources of the model in the sources directory together with a buildDescription.xml that contains at least one <BuildConfiguration> element for the supported platforms.",
    ),
)
def build_description(fmu):
    if any(name.endswith((".c", ".cpp", ".cc")) for name in fmu.names if name.startswith("sources/")) and _BUILD not in fmu.names:  # fmt: skip
        yield f"there are sources, and no {_BUILD}"


@rule(
    "build-schema",
    VIOLATION,
    "buildDescription.xml is valid according to the standard's schema, and has the FMU's version",
    fmi3=("2.4.10", "this fmiVersion attribute must match the fmiVersion attribute of element fmiModelDescription"),
)
def build_schema(fmu):
    root = _build(fmu)
    yield from invalid(fmu, root, "BuildDescription")
    if root.get("fmiVersion") != fmu.description.get("fmiVersion"):
        yield f"it is of FMI {root.get('fmiVersion')}"


@rule(
    "build-identifier",
    VIOLATION,
    "every build configuration has a model identifier of the FMU, and at most one has no platform",
    fmi3=("2.4.10", "Thus there must not be more than one <BuildConfiguration> without a platform attribute."),
)
def build_identifier(fmu):
    identifiers = {fmu.kind(kind).get("modelIdentifier") for kind in fmu.kinds}
    configurations = _build(fmu).findall("BuildConfiguration")
    for one in configurations:
        if one.get("modelIdentifier") not in identifiers:
            yield f"it builds {one.get('modelIdentifier')!r}, the FMU is {' or '.join(sorted(identifiers))}"
    for identifier in identifiers:
        plain = [c for c in configurations if c.get("modelIdentifier") == identifier and not c.get("platform")]
        if len(plain) > 1:
            yield f"{len(plain)} build configurations of {identifier} are without a platform"


@rule(
    "headers-absent",
    VIOLATION,
    "sources/ does not include FMI's headers, which the importer provides",
    fmi3=(
        "2.5.1.3",
        "The header files fmi3PlatformTypes.h, fmi3FunctionTypes.h and fmi3Functions.h are not included in the FMU",
    ),
)
def headers_absent(fmu):
    for name in fmu.names:
        if name.rpartition("/")[2] in ("fmi3PlatformTypes.h", "fmi3FunctionTypes.h", "fmi3Functions.h"):
            yield f"{name} is there"
