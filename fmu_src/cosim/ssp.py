"""Systems of FMUs as standard files: System Structure and Parameterization (SSP) 1.0.

    SystemStructure.ssd       units, their connectors, connections; step and algorithm in an annotation of ours
    resources/NAME.fmu        the FMUs
    resources/UNIT.ssv        start values of a unit
    resources/UNIT.ssm        where one start value is for all elements of an array: which

SSP knows neither a communication step nor an algorithm: without our annotation the step has to be given. What a file holds
beyond connected FMUs (systems in systems, dictionaries, mappings of values) is refused by name.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

import fmpy
from fmpy.model_description import ModelDescription
from lxml import etree

from dynamics.description import DescriptionError

from ..archive.description import convert, read_description, unit_of, variables_of
from ..package import write_archive
from ..results.names import resolve
from .coupling import connected
from .system import CoupledSystem, checked

SSD = "SystemStructure.ssd"
FMU_TYPE = "application/x-fmu-sharedlibrary"
OURS = "spacefmu.coupling"
_SCHEMAS = Path(fmpy.__file__).parent / "ssp" / "schema"
_URI = "http://ssp-standard.org/SSP1/SystemStructure"
_NAMES = {
    "ssd": f"{_URI}Description",
    "ssc": f"{_URI}Common",
    "ssv": f"{_URI}ParameterValues",
    "ssm": f"{_URI}ParameterMapping",
}
_SCHEMA_OF = {"ssd": "Description", "ssv": "ParameterValues", "ssm": "ParameterMapping"}
_BASE = ("kg", "m", "s", "A", "K", "mol", "cd", "rad", "factor", "offset")


def write_ssp(path: Path | str, system: CoupledSystem, fmus: Mapping[str, Path]) -> Path:
    """Pack a system and the .fmu files of its units; the same system gives the same bytes."""
    files: dict[str, bytes | str] = {}
    descriptions = {unit: read_description(fmu) for unit, fmu in fmus.items()}
    root = _element("ssd:SystemStructureDescription", version="1.0", name=system.name, generationTool="spacefmu")
    top = _element("ssd:System", root, name=system.name, description=system.description or None)
    elements = _element("ssd:Elements", top)
    links = connected(system, descriptions)
    for unit, table in system.units.items():
        source = f"resources/{_file_name(unit, fmus)}"
        files[source] = Path(fmus[unit]).read_bytes()
        component = _element(
            "ssd:Component", elements, name=unit, type=FMU_TYPE, source=source, implementation="CoSimulation"
        )
        _connectors(component, descriptions[unit], {link.input for link in links if link.input[0] == unit})
        if table.start:
            files |= _bound(component, system.name, unit, table.start, descriptions[unit])
    if links:
        connections = _element("ssd:Connections", top)
    for link in links:
        start = {"startElement": link.output[0], "startConnector": link.output[1]}
        end = {"endElement": link.input[0], "endConnector": link.input[1]}
        connection = _element("ssd:Connection", connections, **start, **end)
        if link.factor != 1.0:
            _element("ssc:LinearTransformation", connection, factor=repr(link.factor))
    _units(root, descriptions)
    _element("ssd:DefaultExperiment", root, startTime="0.0", stopTime=repr(system.stop))
    annotation = _element("ssc:Annotation", _element("ssd:Annotations", root), type=OURS)
    etree.SubElement(annotation, "Coupling", step=repr(system.step), algorithm=system.algorithm)
    files[SSD] = _text("ssd", root)
    return write_archive(path, files)


def _file_name(unit: str, fmus: Mapping[str, Path]) -> str:
    """The FMU's own name; two units may share one file, but not two files one name."""
    name = Path(fmus[unit]).name
    same = [other for other, fmu in fmus.items() if Path(fmu).name == name]
    return name if len({Path(fmus[other]).read_bytes() for other in same}) == 1 else f"{unit}.fmu"


def _connectors(component, description: ModelDescription, connected_inputs: set[tuple[str, str]]) -> None:
    """All outputs of the FMU, and its inputs that are connected: FMPy's master connects the others to something."""
    names = {name for _, name in connected_inputs}
    connectors = _element("ssd:Connectors", component)
    for variable in description.modelVariables:
        wanted = variable.causality == "output" or variable.name in names
        if not wanted or variable.type not in ("Real", "Integer", "Boolean"):
            continue
        connector = _element("ssd:Connector", connectors, name=variable.name, kind=variable.causality)
        _element(f"ssc:{variable.type}", connector, unit=unit_of(variable) or None if variable.type == "Real" else None)
    if not len(connectors):
        component.remove(connectors)


def _bound(
    component, system: str, unit: str, start: Mapping[str, object], description: ModelDescription
) -> dict[str, bytes]:
    """Files with the start values of a unit; an array's name is mapped to its elements. ecos asks for parameter sets by name:
    all have the name of the system."""
    variables = variables_of(description)
    values = _element("ssv:ParameterSet", version="1.0", name=system)
    parameters = _element("ssv:Parameters", values)
    mapping = _element("ssm:ParameterMapping", version="1.0")
    for key, value in start.items():
        names = resolve(key, variables, f"variable of {unit}")
        kind = variables[names[0]].type
        kind, value = ("Integer" if kind == "Enumeration" else kind), convert(variables[names[0]], value)
        parameter = _element("ssv:Parameter", parameters, name=key)
        _element(f"ssv:{kind}", parameter, value=str(value).lower() if kind == "Boolean" else repr(value))
        for name in names if names != [key] else ():
            _element("ssm:MappingEntry", mapping, source=key, target=name)
    files = {f"resources/{unit}.ssv": _text("ssv", values)}
    bindings = _element("ssd:ParameterBindings", component)
    binding = _element("ssd:ParameterBinding", bindings, source=f"resources/{unit}.ssv")
    if len(mapping):
        targets = {entry.get("source") for entry in mapping}
        for key in start:
            if key not in targets:
                _element("ssm:MappingEntry", mapping, source=key, target=key)
        files[f"resources/{unit}.ssm"] = _text("ssm", mapping)
        _element("ssd:ParameterMapping", binding, source=f"resources/{unit}.ssm")
    return files


def _units(root, descriptions: Mapping[str, ModelDescription]) -> None:
    """Definitions of the units that connectors have, as the FMUs define them."""
    known = {u.name: u for d in descriptions.values() for u in d.unitDefinitions or []}
    used = {unit_of(v) for d in descriptions.values() for v in d.modelVariables if v.causality in ("input", "output")}
    defined = [known[name] for name in sorted(used) if name in known and known[name].baseUnit is not None]
    if not defined:
        return
    units = _element("ssd:Units", root)
    for unit in defined:
        base = {name: getattr(unit.baseUnit, name, None) for name in _BASE}
        stated = {n: str(v) for n, v in base.items() if v and not (n == "factor" and float(v) == 1.0)}
        _element("ssc:BaseUnit", _element("ssc:Unit", units, name=unit.name), **stated)


def _element(kind: str, parent=None, /, **attributes):
    """A new element, such as ssd:Connector; attributes that are None are left out."""
    prefix, _, local = kind.partition(":")
    tag = f"{{{_NAMES[prefix]}}}{local}"
    stated = {key: value for key, value in attributes.items() if value is not None}
    if parent is not None:
        return etree.SubElement(parent, tag, stated)
    return etree.Element(tag, stated, nsmap={p: _NAMES[p] for p in dict.fromkeys((prefix, "ssc"))})


def _text(prefix: str, root) -> bytes:
    """The XML, if it is valid."""
    problems = _invalid(prefix, root)
    if problems:
        raise ValueError(f"the {prefix} that was made is not valid: {problems[0]}")
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)


def _invalid(prefix: str, root) -> list[str]:
    schema = etree.XMLSchema(file=str(_SCHEMAS / f"SystemStructure{_SCHEMA_OF[prefix]}.xsd"))
    schema.validate(root)
    return [f"line {entry.line}: {entry.message}" for entry in schema.error_log]


def read_ssp(
    path: Path | str, folder: Path, step: float | None = None, need_step: bool = True
) -> tuple[CoupledSystem, dict[str, Path]]:
    """The system in an .ssp file, ours or another tool's, and its FMUs, unpacked into `folder`.

    step: communication step [s], if the file has none or another one is wanted; without need_step it may be left open (a
    hundredth of the run is then said). DescriptionError lists what is wrong, and what is not supported by its name.
    """
    path = Path(path)
    if not path.is_file():
        raise DescriptionError(str(path), ["no such file"])
    if not zipfile.is_zipfile(path):
        raise DescriptionError(str(path), ["is no SSP: an SSP is a zip archive, and this file is none"])
    with zipfile.ZipFile(path) as archive:
        return _Reader(path, archive, folder).read(step, need_step)


class _Reader:
    """One .ssp while it is read; problems are collected, nothing is raised before the end."""

    def __init__(self, path: Path, archive: zipfile.ZipFile, folder: Path):
        self.path, self.archive, self.folder = path, archive, folder
        self.problems: list[str] = []

    def read(self, step: float | None, need_step: bool) -> tuple[CoupledSystem, dict[str, Path]]:
        root = self.xml("ssd", SSD)
        self.done()
        top = root.find("ssd:System", _NAMES)
        coupling = root.find(f"ssd:Annotations/ssc:Annotation[@type='{OURS}']/Coupling", _NAMES)
        said = {} if coupling is None else dict(coupling.attrib)
        if need_step and step is None and "step" not in said:
            self.problems.append("has no communication step, which SSP leaves open; give one with --step")
        experiment = root.find("ssd:DefaultExperiment", _NAMES)
        stop = float(experiment.get("stopTime", 1.0)) if experiment is not None else 1.0
        self.refuse_the_rest(top)
        fmus, units = self.components(top)
        connections = self.connections(top)
        self.done()
        data = {
            "name": root.get("name"),
            "description": top.get("description") or root.get("description") or "",
            "step": step or float(said.get("step", stop / 100.0)),
            "stop": stop,
            "algorithm": said.get("algorithm", "gauss_seidel"),
            "units": units,
            "connections": connections,
        }
        return checked(data, str(self.path)), fmus

    def done(self) -> None:
        if self.problems:
            raise DescriptionError(str(self.path), self.problems)

    def xml(self, prefix: str, name: str):
        """The root of a file in the archive, valid by the standard's schema."""
        try:
            root = etree.fromstring(self.archive.read(name), etree.XMLParser(resolve_entities=False, no_network=True))
        except KeyError:
            self.problems.append(f"has no {name} in it")
            return None
        except etree.XMLSyntaxError as error:
            self.problems.append(f"{name} is not valid XML: {error}")
            return None
        self.problems += [f"{name} is not valid: {problem}" for problem in _invalid(prefix, root)[:3]]
        return root

    def refuse_the_rest(self, top) -> None:
        for tag, what in (("System", "the nested system"), ("SignalDictionaryReference", "the signal dictionary")):
            for element in top.findall(f"ssd:Elements/ssd:{tag}", _NAMES):
                self.problems.append(f"{what} {element.get('name')!r} is not supported, expected FMUs alone")
        if top.find("ssd:ParameterBindings", _NAMES) is not None:
            self.problems.append(
                "parameter bindings of the system itself are not supported, expected those of its components"
            )

    def components(self, top) -> tuple[dict[str, Path], dict[str, dict]]:
        fmus, units = {}, {}
        for component in top.findall("ssd:Elements/ssd:Component", _NAMES):
            name, source = component.get("name"), component.get("source")
            if component.get("type", FMU_TYPE) != FMU_TYPE or not source.endswith(".fmu"):
                self.problems.append(f"the component {name!r} is {source!r}, which is not supported, expected an FMU")
                continue
            if component.get("implementation", "any") == "ModelExchange":
                self.problems.append(f"the component {name!r} wants model exchange, expected co-simulation")
                continue
            if source not in self.archive.namelist():
                self.problems.append(f"the component {name!r} is {source!r}, which is not in the file")
                continue
            fmus[name] = self.folder / PurePosixPath(source).name
            fmus[name].write_bytes(self.archive.read(source))
            units[name] = {"model": str(fmus[name]), "start": self.start_values(name, component)}
        return fmus, units

    def start_values(self, unit: str, component) -> dict[str, object]:
        """Start values of a component, from files or from the SSD itself; later bindings go first, as the standard wants."""
        start: dict[str, object] = {}
        for binding in component.findall("ssd:ParameterBindings/ssd:ParameterBinding", _NAMES):
            if binding.get("type", "application/x-ssp-parameter-set") != "application/x-ssp-parameter-set":
                self.problems.append(f"the parameters of {unit!r} are {binding.get('type')}, which is not supported")
                continue
            source = binding.get("source")
            values = self.xml("ssv", source) if source else binding.find("ssd:ParameterValues/ssv:ParameterSet", _NAMES)
            if values is None:
                continue
            prefix = binding.get("prefix", "")
            given = {prefix + p.get("name"): _value(p) for p in values.findall("ssv:Parameters/ssv:Parameter", _NAMES)}
            start |= self.mapped(unit, binding, given)
        return start

    def mapped(self, unit: str, binding, given: dict[str, object]) -> dict[str, object]:
        mapping = binding.find("ssd:ParameterMapping", _NAMES)
        if mapping is None:
            return given
        source = mapping.get("source")
        table = self.xml("ssm", source) if source else mapping.find("ssm:ParameterMapping", _NAMES)
        found: dict[str, object] = {}
        for entry in table.findall("ssm:MappingEntry", _NAMES) if table is not None else ():
            factor, offset = self.linear(entry, f"the parameter {entry.get('target')!r} of {unit!r}")
            value = given.get(entry.get("source"))
            if value is not None:
                found[entry.get("target")] = (
                    value if (factor, offset) == (1.0, 0.0) else factor * float(str(value)) + offset
                )
        return found

    def linear(self, element, what: str) -> tuple[float, float]:
        """(factor, offset) of an entry's or a connection's transformation; others are refused by name."""
        for child in element:
            kind = etree.QName(child).localname
            if kind == "LinearTransformation":
                return float(child.get("factor", 1.0)), float(child.get("offset", 0.0))
            if kind.endswith("Transformation"):
                self.problems.append(f"{what} has a {kind}, which is not supported")
        return 1.0, 0.0

    def connections(self, top) -> dict[str, dict]:
        kinds = {
            (component.get("name"), connector.get("name")): connector.get("kind")
            for component in top.findall("ssd:Elements/ssd:Component", _NAMES)
            for connector in component.findall("ssd:Connectors/ssd:Connector", _NAMES)
        }
        found: dict[str, dict] = {}
        for connection in top.findall("ssd:Connections/ssd:Connection", _NAMES):
            ends = [(connection.get(f"{end}Element"), connection.get(f"{end}Connector")) for end in ("start", "end")]
            outside = [name for unit, name in ends if unit is None]
            if outside:
                self.problems.append(f"the connector {outside[0]!r} of the system itself is not supported")
                continue
            if kinds.get(ends[0]) == "input":  # start and end do not say which way values go: the connectors do
                ends.reverse()
            source, target = (".".join(end) for end in ends)
            factor, offset = self.linear(connection, f"the connection to {target}")
            if offset:
                self.problems.append(f"the connection to {target} has an offset, {offset:g}, which is not supported")
            if target in found:
                self.problems.append(f"{target} is driven twice, by {found[target]['from']} and {source}")
            found[target] = {"from": source, "factor": factor}
        return found


def _value(parameter) -> object:
    """The value of an .ssv entry, as a start value of ours: a number, true or false, or a text."""
    entry = next(child for child in parameter if etree.QName(child).localname != "Annotations")
    kind, text = etree.QName(entry).localname, entry.get("value")
    if kind == "Boolean":
        return text in ("true", "1")
    return {"Real": float, "Integer": int}.get(kind, str)(text)
