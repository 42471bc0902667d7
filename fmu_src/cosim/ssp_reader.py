"""SSP files of any tool → a system of FMUs. Content beyond connected FMUs is refused, with its name."""

from __future__ import annotations

import math
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import numpy as np
from lxml import etree

from spacefmu.dynamics.description import DescriptionError
from spacefmu.dynamics.limits import FILE, UNPACKED, in_words, xml_fault

from ..archive.members import read_member, read_xml
from .ssp_xml import FMU_TYPE, NAMES, OURS, SSD, invalid
from .system import CoupledSystem, checked


def read_ssp(
    path: Path | str, folder: Path, step: float | None = None, need_step: bool = True
) -> tuple[CoupledSystem, dict[str, Path]]:
    """The system in an .ssp file of any tool, and its FMUs, unpacked into `folder`.

    step: communication step [s], if the file has none, or to replace the file's; without need_step it may be missing (a hundredth of the
    run is then assumed). DescriptionError lists what is wrong, and what is not supported.
    """
    path = Path(path)
    if not path.is_file():
        raise DescriptionError(str(path), ["no such file"])
    if not zipfile.is_zipfile(path):
        raise DescriptionError(str(path), ["not an SSP file (not a zip archive)"])
    try:
        with zipfile.ZipFile(path) as archive:
            return _Reader(path, archive, folder).read(step, need_step)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise DescriptionError(str(path), [f"the archive is damaged: {error}"]) from None


class _Reader:
    """An .ssp file being read; problems are collected, nothing is raised before the end."""

    def __init__(self, path: Path, archive: zipfile.ZipFile, folder: Path):
        self.path, self.archive, self.folder = path, archive, folder
        self.problems: list[str] = []
        self.places: dict[str, Path] = {}  # source in the archive → file
        self.left = UNPACKED  # bytes that may still be unpacked

    def read(self, step: float | None, need_step: bool) -> tuple[CoupledSystem, dict[str, Path]]:
        root = self.xml("ssd", SSD)
        self.done()
        top = root.find("ssd:System", NAMES)
        ours = f"ssd:Annotations/ssc:Annotation[@type='{OURS}']/Coupling"
        coupling = next((found for part in (top, root) if (found := part.find(ours, NAMES)) is not None), None)
        said = {} if coupling is None else dict(coupling.attrib)
        if need_step and step is None and "step" not in said:
            self.problems.append("has no communication step (SSP does not define one); give one with --step")
        experiment = root.find("ssd:DefaultExperiment", NAMES)
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
            data = read_xml(self.archive, name)
            root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True))
        except KeyError:
            self.problems.append(f"has no {name} in it")
            return None
        except ValueError as error:
            self.problems.append(str(error))
            return None
        except etree.XMLSyntaxError as error:
            self.problems.append(f"{name} is not valid XML: {xml_fault(error)}")
            return None
        self.problems += [f"{name} is not valid: {problem}" for problem in invalid(prefix, root)[:3]]
        return root

    def refuse_the_rest(self, top) -> None:
        for tag, what in (("System", "the nested system"), ("SignalDictionaryReference", "the signal dictionary")):
            for element in top.findall(f"ssd:Elements/ssd:{tag}", NAMES):
                self.problems.append(f"{what} {element.get('name')!r} is not supported; only FMUs are")
        if top.find("ssd:ParameterBindings", NAMES) is not None:
            self.problems.append(
                "parameter bindings of the system itself are not supported; only those of its components are"
            )

    def components(self, top) -> tuple[dict[str, Path], dict[str, dict]]:
        fmus, units = {}, {}
        for component in top.findall("ssd:Elements/ssd:Component", NAMES):
            name, source = component.get("name"), component.get("source", "")
            if component.get("type", FMU_TYPE) != FMU_TYPE or not source.endswith(".fmu"):
                self.problems.append(f"the component {name!r} is {source!r}, which is not supported; only FMUs are")
                continue
            if (kind := component.get("implementation", "any")) not in ("any", "CoSimulation"):
                self.problems.append(f"the component {name!r} asks for {kind}; only CoSimulation is supported")
                continue
            if source not in self.archive.namelist():
                self.problems.append(f"the component {name!r} is {source!r}, which is not in the file")
                continue
            place = self.place(source)
            if place is None:
                continue
            fmus[name] = place
            units[name] = {"model": str(place), "start": self.start_values(name, component)}
        return fmus, units

    def place(self, source: str) -> Path | None:
        """The file that a source of the archive is unpacked to: one per source, even if names coincide."""
        if source in self.places:
            return self.places[source]
        try:
            data = read_member(self.archive, source, min(self.left, FILE))
        except ValueError:
            limit = f"{in_words(FILE)} per file and {in_words(UNPACKED)} in total"
            self.problems.append(f"{source!r} is not unpacked: the limits are {limit}")
            return None
        self.left -= len(data)
        base = PurePosixPath(source.replace("\\", "/")).name
        taken = {path.name.lower() for path in self.places.values()}
        folder = self.folder if base.lower() not in taken else self.folder / str(len(self.places))
        folder.mkdir(exist_ok=True)
        self.places[source] = folder / base
        self.places[source].write_bytes(data)
        return self.places[source]

    def start_values(self, unit: str, component) -> dict[str, object]:
        """Start values of a component, from files or from the SSD itself; later bindings take precedence, as the standard requires."""
        start: dict[str, object] = {}
        for binding in component.findall("ssd:ParameterBindings/ssd:ParameterBinding", NAMES):
            if binding.get("type", "application/x-ssp-parameter-set") != "application/x-ssp-parameter-set":
                self.problems.append(f"the parameters of {unit!r} are {binding.get('type')}, which is not supported")
                continue
            source = binding.get("source")
            values = self.xml("ssv", source) if source else binding.find("ssd:ParameterValues/ssv:ParameterSet", NAMES)
            if values is None:
                continue
            prefix = binding.get("prefix", "")
            given = {
                name: value
                for p in values.findall("ssv:Parameters/ssv:Parameter", NAMES)
                for name, value in self.values(prefix + p.get("name"), p)
            }
            start |= self.mapped(unit, binding, given)
        return start

    def values(self, name: str, parameter) -> Iterator[tuple[str, object]]:
        """The values of an .ssv entry by name, as start values: numbers, true or false, texts; arrays by element."""
        entry = next(child for child in parameter if etree.QName(child).localname not in ("Annotations", "Dimension"))
        kind, text = etree.QName(entry).localname, entry.get("value", "")
        sizes = [int(each.get("size", 0)) for each in parameter.findall("ssc:Dimension", NAMES)]
        texts = text.split() if sizes else [text]
        if len(texts) != math.prod(sizes):
            self.problems.append(f"the parameter {name!r} has {len(texts)} values, but {math.prod(sizes)} elements")
            return
        for place, each in zip(np.ndindex(*sizes), texts, strict=True):
            where = f"[{','.join(str(i + 1) for i in place)}]" if place else ""
            try:
                yield name + where, _typed(kind, each)
            except ValueError:
                self.problems.append(f"the parameter {name + where!r} is {each!r}, which is not of type {kind}")

    def mapped(self, unit: str, binding, given: dict[str, object]) -> dict[str, object]:
        mapping = binding.find("ssd:ParameterMapping", NAMES)
        if mapping is None:
            return given
        source = mapping.get("source")
        table = self.xml("ssm", source) if source else mapping.find("ssm:ParameterMapping", NAMES)
        found: dict[str, object] = {}
        for entry in table.findall("ssm:MappingEntry", NAMES) if table is not None else ():
            factor, offset = self.linear(entry, f"the parameter {entry.get('target')!r} of {unit!r}")
            value = given.get(entry.get("source"))
            if value is not None:
                found[entry.get("target")] = (
                    value if (factor, offset) == (1.0, 0.0) else factor * float(str(value)) + offset
                )
        return found

    def linear(self, element, what: str) -> tuple[float, float]:
        """(factor, offset) of an entry's or a connection's transformation; other kinds are refused, with their name."""
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
            for component in top.findall("ssd:Elements/ssd:Component", NAMES)
            for connector in component.findall("ssd:Connectors/ssd:Connector", NAMES)
        }
        found: dict[str, dict] = {}
        for connection in top.findall("ssd:Connections/ssd:Connection", NAMES):
            ends = [(connection.get(f"{end}Element"), connection.get(f"{end}Connector")) for end in ("start", "end")]
            places = [connection.get(f"{end}Indices", "").split() for end in ("start", "end")]
            outside = [name for unit, name in ends if unit is None]
            if outside:
                self.problems.append(f"the connector {outside[0]!r} of the system itself is not supported")
                continue
            if kinds.get(ends[0]) == "input":  # start and end do not define the direction of values: the connectors do
                ends.reverse()
                places.reverse()
            indices = [f"[{','.join(place)}]" if place else "" for place in places]
            source, target = (".".join(end) + place for end, place in zip(ends, indices, strict=True))
            factor, offset = self.linear(connection, f"the connection to {target}")
            if offset:
                self.problems.append(f"the connection to {target} has an offset, {offset:g}, which is not supported")
            if target in found:
                self.problems.append(f"{target} is driven twice, by {found[target]['from']} and {source}")
            found[target] = {"from": source, "factor": factor}
        return found


def _typed(kind: str, text: str) -> object:
    if kind == "Boolean":
        return text in ("true", "1")
    return (float if kind in ("Real", "Float32", "Float64") else int if "Int" in kind else str)(text)
