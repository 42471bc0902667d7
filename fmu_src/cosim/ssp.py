"""Systems of FMUs as standard files: System Structure and Parameterization (SSP) 1.0 or 2.0.

    SystemStructure.ssd       units, their connectors, connections; step and algorithm in spacefmu's annotation
    resources/NAME.fmu        the FMUs
    resources/UNIT.ssv        start values of a unit
    resources/UNIT.ssm        for start values that apply to all elements of an array: the elements

SSP 2.0 has FMI 3.0's types and arrays: such FMUs have connectors, connections and start values by array. SSP defines neither a
communication step nor an algorithm: without spacefmu's annotation the step must be given. Content beyond connected FMUs (nested systems,
dictionaries, mappings of values) is refused, with its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
from fmpy.model_description import ModelDescription
from lxml import etree

from ..archive.description import (
    convert,
    elements_of,
    read_description,
    scalars_of,
    start_values_of,
    type_in_calls,
    unit_of,
    variables_of,
)
from ..package import write_archive
from ..results.names import resolve
from .coupling import Wired, connected
from .ssp_reader import read_ssp
from .ssp_xml import FMU_TYPE, OMSIMULATOR, OURS, SSD, VERSIONS, element, text_of
from .system import CoupledSystem

__all__ = ["SSD", "read_ssp", "write_ssp"]
_NUMBERS = tuple(f"{u}Int{n}" for u in ("", "U") for n in (8, 16, 32, 64))
_CONNECTED = ("Real", "Integer", "Boolean", "Float32", "Float64", *_NUMBERS)  # types of connectors
_WITH_UNITS = ("Real", "Float32", "Float64")
_BASE = ("kg", "m", "s", "A", "K", "mol", "cd", "rad", "factor", "offset")


def write_ssp(path: Path | str, system: CoupledSystem, fmus: Mapping[str, Path], version: str = "1.0") -> Path:
    """Pack a system and the .fmu files of its units; the same system gives the same bytes. version: of SSP, 1.0 or 2.0."""
    files: dict[str, bytes | str] = {}
    descriptions = {unit: read_description(fmu) for unit, fmu in fmus.items()}
    _check_version(version, descriptions)
    root = element("ssd:SystemStructureDescription", version=version, name=system.name, generationTool="spacefmu")
    top = element("ssd:System", root, name=system.name, description=system.description or None)
    elements = element("ssd:Elements", top)
    links = connected(system, descriptions)
    for unit, table in system.units.items():
        source = _packed(unit, Path(fmus[unit]), files)
        component = element(
            "ssd:Component", elements, name=unit, type=FMU_TYPE, source=source, implementation="CoSimulation"
        )
        _connectors(component, descriptions[unit], {link.input[1] for link in links if link.input[0] == unit})
        if table.start:
            bound = _bound_arrays if descriptions[unit].fmiVersion.startswith("3.") else _bound
            files |= bound(component, system.name, unit, table.start, descriptions[unit], version)
    if links:
        connections = element("ssd:Connections", top)
    for link in _by_array(links, descriptions):
        connection = element("ssd:Connection", connections, **link[0])
        if link[1] != 1.0:
            element("ssc:LinearTransformation", connection, factor=repr(link[1]))
    _annotations(top, system, descriptions)
    _units(root, descriptions)
    element("ssd:DefaultExperiment", root, startTime="0.0", stopTime=repr(system.stop))
    files[SSD] = text_of("ssd", root)
    return write_archive(path, files)


def _check_version(version: str, descriptions: Mapping[str, ModelDescription]) -> None:
    if version not in VERSIONS:
        raise ValueError(f"SSP version {version!r} is unknown; write {' or '.join(VERSIONS)}")
    third = [unit for unit, of in descriptions.items() if of.fmiVersion.startswith("3.")]
    if version == "1.0" and third:
        raise ValueError(f"unit {third[0]} is an FMI 3.0 FMU, which SSP 1.0 does not support; pack as SSP 2.0")


def _by_array(
    links: Sequence[Wired], descriptions: Mapping[str, ModelDescription]
) -> Iterator[tuple[dict[str, str], float]]:
    """Attributes and factor of each connection: whole arrays if all of their elements are connected in order, else elements by their
    indices, counted from 1 as in FMI's names."""
    elements = {unit: elements_of(variables_of(of)) for unit, of in descriptions.items()}

    def ends(link: Wired):
        return [(unit, *elements[unit][name]) for unit, name in (link.output, link.input)]

    def arrays(link: Wired):
        return [(unit, variable.name) for unit, variable, _ in ends(link)], link.factor

    for (names, factor), group in groupby(links, arrays):
        rows = [ends(link) for link in group]
        shapes = {variable.shape or () for row in rows for _, variable, _ in row}
        whole = len(shapes) == 1 and all(
            [row[i][2] for row in rows] == list(np.ndindex(*next(iter(shapes)))) for i in (0, 1)
        )
        for row in rows[:1] if whole else rows:
            attributes: dict[str, str] = {}
            for end, (unit, name), (_, _, place) in zip(("start", "end"), names, row, strict=True):
                attributes |= {f"{end}Element": unit, f"{end}Connector": name}
                if place and not whole:
                    attributes[f"{end}Indices"] = " ".join(str(i + 1) for i in place)
            yield attributes, factor


def _annotations(top, system: CoupledSystem, descriptions: Mapping[str, ModelDescription]) -> None:
    """How time advances, which SSP leaves open. OMSimulator requires its own annotation in each system, as the first one, and none at the root."""
    annotations = element("ssd:Annotations", top)
    own = element("oms:Annotations", element("ssc:Annotation", annotations, type=OMSIMULATOR))
    experiments = [each.defaultExperiment for each in descriptions.values() if each.defaultExperiment is not None]
    tolerance = min((float(each.tolerance) for each in experiments if each.tolerance), default=1e-8)
    master = {"description": "oms-ma", "stepSize": repr(system.step), "relativeTolerance": repr(tolerance)}
    element("oms:FixedStepMaster", element("oms:SimulationInformation", own), **master)
    ours = element("ssc:Annotation", annotations, type=OURS)
    etree.SubElement(ours, "Coupling", step=repr(system.step), algorithm=system.algorithm)


def _packed(unit: str, fmu: Path, files: dict[str, bytes | str]) -> str:
    """The path of a unit's FMU in the archive, under its own name if that is free. Units may share a file, but two files can't share a name."""
    data = fmu.read_bytes()
    names = (fmu.name, f"{unit}.fmu", *(f"{unit}_{i}.fmu" for i in range(2, len(files) + 3)))
    source = next(name for name in (f"resources/{n}" for n in names) if _is_free(name, data, files))
    files[source] = data
    return source


def _is_free(name: str, data: bytes, files: Mapping[str, bytes | str]) -> bool:
    """Whether the name is free: no other content has it, or a name that differs only in case."""
    return all(content == data and other == name for other, content in files.items() if other.lower() == name.lower())


def _connectors(component, description: ModelDescription, connected_inputs: set[str]) -> None:
    """All outputs of the FMU, and its connected inputs: FMPy's master would connect the others to something."""
    names = {scalars_of(description)[name].name for name in connected_inputs}
    connectors = element("ssd:Connectors", component)
    for variable in description.modelVariables:
        wanted = variable.causality == "output" or variable.name in names
        if not wanted or variable.type not in _CONNECTED:
            continue
        connector = element("ssd:Connector", connectors, name=variable.name, kind=variable.causality)
        unit = unit_of(variable) or None if variable.type in _WITH_UNITS else None
        element(f"ssc:{variable.type}", connector, unit=unit)
        _dimensions(connector, variable)
    if not len(connectors):
        component.remove(connectors)


def _dimensions(parent, variable) -> None:
    for size in variable.shape or ():
        element("ssc:Dimension", parent, size=str(size))


def _bound_arrays(
    component, system: str, unit: str, start: Mapping[str, object], description: ModelDescription, version: str
) -> dict[str, bytes]:
    """The file with the start values of a unit of FMI 3.0: arrays whole."""
    variables = variables_of(description)
    values = element("ssv:ParameterSet", version=version, name=system)
    parameters = element("ssv:Parameters", values)
    for name, value in start_values_of(unit, variables, start).items():
        variable = variables[name]
        kind = type_in_calls(description, variable)
        parameter = element("ssv:Parameter", parameters, name=name)
        texts = [
            str(each).lower() if kind == "Boolean" else repr(each) for each in np.ravel(np.asarray(value)).tolist()
        ]
        element(f"ssv:{kind}", parameter, value=" ".join(texts))
        _dimensions(parameter, variable)
    bindings = element("ssd:ParameterBindings", component)
    element("ssd:ParameterBinding", bindings, source=f"resources/{unit}.ssv")
    return {f"resources/{unit}.ssv": text_of("ssv", values)}


def _bound(
    component, system: str, unit: str, start: Mapping[str, object], description: ModelDescription, version: str
) -> dict[str, bytes]:
    """Files with the start values of a unit; an array's name is mapped to its elements. ecos selects parameter sets by name: all have the
    name of the system."""
    variables = variables_of(description)
    values = element("ssv:ParameterSet", version=version, name=system)
    parameters = element("ssv:Parameters", values)
    mapping = element("ssm:ParameterMapping", version=version)
    for key, value in start.items():
        names = resolve(key, variables, f"variable of {unit}")
        kind = variables[names[0]].type
        kind, value = ("Integer" if kind == "Enumeration" else kind), convert(variables[names[0]], value)
        parameter = element("ssv:Parameter", parameters, name=key)
        element(f"ssv:{kind}", parameter, value=str(value).lower() if kind == "Boolean" else repr(value))
        for name in names if names != [key] else ():
            element("ssm:MappingEntry", mapping, source=key, target=name)
    files = {f"resources/{unit}.ssv": text_of("ssv", values)}
    bindings = element("ssd:ParameterBindings", component)
    binding = element("ssd:ParameterBinding", bindings, source=f"resources/{unit}.ssv")
    if len(mapping):
        targets = {entry.get("source") for entry in mapping}
        for key in start:
            if key not in targets:
                element("ssm:MappingEntry", mapping, source=key, target=key)
        files[f"resources/{unit}.ssm"] = text_of("ssm", mapping)
        element("ssd:ParameterMapping", binding, source=f"resources/{unit}.ssm")
    return files


def _units(root, descriptions: Mapping[str, ModelDescription]) -> None:
    """Definitions of the units that connectors have, as the FMUs define them."""
    known = {u.name: u for d in descriptions.values() for u in d.unitDefinitions or []}
    used = {unit_of(v) for d in descriptions.values() for v in d.modelVariables if v.causality in ("input", "output")}
    defined = [known[name] for name in sorted(used) if name in known and known[name].baseUnit is not None]
    if not defined:
        return
    units = element("ssd:Units", root)
    for unit in defined:
        base = {name: getattr(unit.baseUnit, name, None) for name in _BASE}
        stated = {n: str(v) for n, v in base.items() if v and not (n == "factor" and float(v) == 1.0)}
        element("ssc:BaseUnit", element("ssc:Unit", units, name=unit.name), **stated)
