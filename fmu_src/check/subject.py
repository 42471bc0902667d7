"""The FMU that rules look at. Everything is read once, when a rule first asks for it; NotPossible if it can't be had."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from lxml import etree

from spacefmu.dynamics.limits import FILE, XML_SIZE, xml_fault

from ..archive.members import XML, defines_entities, read_member, unpack
from ..native.platforms.table import host_platform, rows, suffix
from .rules import NotPossible, Unreadable

TYPES = ("Real", "Integer", "Boolean", "String", "Enumeration")

_DEFAULT_INITIAL = {  # section 2.2.7: what an absent `initial` means
    ("output", "constant"): "exact", ("local", "constant"): "exact",
    ("parameter", "fixed"): "exact", ("parameter", "tunable"): "exact",
    ("calculatedParameter", "fixed"): "calculated", ("calculatedParameter", "tunable"): "calculated",
    ("local", "fixed"): "calculated", ("local", "tunable"): "calculated",
    ("output", "discrete"): "calculated", ("output", "continuous"): "calculated",
    ("local", "discrete"): "calculated", ("local", "continuous"): "calculated",
}  # fmt: skip


@dataclass(frozen=True)
class XmlVariable:
    """A ScalarVariable: its attributes, those of its type element in `own`, with the declared type's as defaults in `of_type`."""

    index: int  # from 1, as ModelStructure counts
    attributes: dict[str, str]
    type: str
    own: dict[str, str]
    of_type: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.attributes.get("name", "")

    @property
    def reference(self) -> int:
        return int(self.attributes.get("valueReference", -1))

    @property
    def causality(self) -> str:
        return self.attributes.get("causality", "local")

    @property
    def variability(self) -> str:
        return self.attributes.get("variability", "continuous")

    @property
    def initial(self) -> str | None:
        return self.attributes.get("initial") or _DEFAULT_INITIAL.get((self.causality, self.variability))

    @property
    def base(self) -> str:
        """The type by which values are read: an enumeration is an integer."""
        return "Integer" if self.type == "Enumeration" else self.type

    def get(self, key: str) -> str | None:
        """min, max, nominal, unit, start, … of the variable, else of its declared type."""
        return self.own.get(key, self.of_type.get(key))

    def number(self, key: str) -> float | None:
        try:
            return float(self.get(key) or "")
        except ValueError:
            return None

    @property
    def start(self):
        """The start value in the variable's type; None if there is none."""
        text = self.own.get("start")
        if text is None or self.type == "String":
            return text
        if self.type == "Boolean":
            return int(text.strip() in ("true", "1"))
        return float(text) if self.type == "Real" else int(text)

    @property
    def near(self) -> float:
        """Another legal value near the start of a Real; the start itself if the bounds leave no other."""
        value = self.start * (1 + 1e-3) if self.start else 1e-3 * (self.number("nominal") or 1.0)
        low, high = self.number("min"), self.number("max")
        return self.start if (low is not None and value < low) or (high is not None and value > high) else value

    def same(self, value, expected) -> bool:
        """Whether a value that was read is the expected one, to the digits that an XML file has."""
        if self.type == "String":
            return value is not None and value.decode("utf-8", "replace") == expected
        return (
            math.isclose(value, expected, rel_tol=1e-13, abs_tol=1e-300) if self.type == "Real" else value == expected
        )


def shown(value) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Unknown:
    """An entry of ModelStructure; dependencies None means all."""

    index: int
    dependencies: tuple[int, ...] | None
    kinds: tuple[str, ...] | None


class CheckedFmu:
    """The FMU at `path`; `folder` is an empty folder of the worker's own, to unpack and work in. limit [s]: of one call."""

    watch: Callable[[str], None]  # told of every call, see `host.Library`; given by the process that runs the rules
    surroundings: dict  # what an FMU should leave alone, before its first library is loaded (running.py)
    _cs_run: np.ndarray  # the outputs of the plain run, once it is made (running.py)

    def __init__(self, path: Path, folder: Path, limit: float = 10.0):
        self.path, self.folder, self.limit = Path(path), Path(folder), limit
        self.unpacked_limit = FILE

    # --- archive

    @cached_property
    def zip(self) -> zipfile.ZipFile:
        try:
            return zipfile.ZipFile(self.path)
        except Exception as error:  # a damaged archive, in many ways
            raise Unreadable(f"the file is no zip archive: {error}") from None

    @cached_property
    def members(self) -> list[zipfile.ZipInfo]:
        return self.zip.infolist()

    @cached_property
    def names(self) -> list[str]:
        return [member.filename for member in self.members]

    def read(self, name: str, limit: int = FILE) -> bytes:
        try:
            return read_member(self.zip, name, limit)
        except Exception as error:
            raise NotPossible(f"{name} can't be read: {error}") from None

    @property
    def unpacked(self) -> Path:
        """A folder with the FMU."""
        folder, fault = self._unpacking
        if fault:
            raise Unreadable(f"it can't be unpacked: {fault.removeprefix(f'{self.path}: ')}")
        return folder

    @cached_property
    def _unpacking(self) -> tuple[Path, str]:
        """The folder, and why it could not be filled: tried once, whoever asks."""
        folder = self.folder / "unpacked"
        try:
            return unpack(self.path, folder), ""
        except Exception as error:  # a damaged archive, in many ways
            return folder, str(error)

    # --- description

    @cached_property
    def xml(self) -> bytes:
        if XML not in self.names:
            raise Unreadable(f"there is no {XML}")
        try:
            return self.read(XML, XML_SIZE)
        except NotPossible as error:
            raise Unreadable(str(error)) from None

    @cached_property
    def root(self) -> etree._Element:
        if defines_entities(self.xml):
            raise Unreadable("the XML defines entities, which is refused")
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
        try:
            root = etree.fromstring(self.xml, parser)
        except etree.XMLSyntaxError as error:
            raise Unreadable(f"the XML is not well-formed: {xml_fault(error)}") from None
        if root.tag != "fmiModelDescription":
            raise Unreadable(f"the XML's root is {root.tag}, expected fmiModelDescription")
        return root

    @property
    def fmi2(self) -> etree._Element:
        """The root of an FMI 2.0 description."""
        if self.root.get("fmiVersion") != "2.0":
            raise Unreadable(f"the FMU is of FMI {self.root.get('fmiVersion')}; there are rules for 2.0 alone")
        return self.root

    @cached_property
    def types(self) -> dict[str, etree._Element]:
        """Declared types by name: the element below SimpleType."""
        found: dict[str, etree._Element] = {}
        for simple in self.fmi2.findall("TypeDefinitions/SimpleType"):
            found.setdefault(simple.get("name", ""), next((e for e in simple if e.tag in TYPES), simple))
        return found

    @cached_property
    def variables(self) -> list[XmlVariable]:
        found = []
        for index, element in enumerate(self.fmi2.findall("ModelVariables/ScalarVariable"), 1):
            own = next((child for child in element if child.tag in TYPES), None)
            attributes = dict(own.attrib) if own is not None else {}
            declared = self.types.get(attributes.get("declaredType", ""))
            defaults = {} if declared is None else dict(declared.attrib)
            found.append(
                XmlVariable(index, dict(element.attrib), own.tag if own is not None else "", attributes, defaults)
            )
        return found

    @cached_property
    def by_name(self) -> dict[str, XmlVariable]:
        return {variable.name: variable for variable in self.variables}

    def where(self, index: int) -> XmlVariable:
        """The variable of an index of ModelStructure."""
        if not 1 <= index <= len(self.variables):
            raise NotPossible(f"ModelStructure has index {index}, there are {len(self.variables)} variables")
        return self.variables[index - 1]

    def unknowns(self, group: str) -> list[Unknown]:
        """Outputs, Derivatives or InitialUnknowns."""
        found = []
        for element in self.fmi2.findall(f"ModelStructure/{group}/Unknown"):
            depends, kinds = element.get("dependencies"), element.get("dependenciesKind")
            try:
                listed = None if depends is None else tuple(int(word) for word in depends.split())
                found.append(
                    Unknown(int(element.get("index", 0)), listed, None if kinds is None else tuple(kinds.split()))
                )
            except ValueError:
                raise NotPossible("ModelStructure has indices that are no numbers") from None
        return found

    @cached_property
    def derivatives(self) -> list[XmlVariable]:
        """State derivatives, in order."""
        return [self.where(unknown.index) for unknown in self.unknowns("Derivatives")]

    @cached_property
    def states(self) -> list[XmlVariable]:
        """Continuous states, in the order of their derivatives."""
        indices = [variable.own.get("derivative", "") for variable in self.derivatives]
        if not all(index.isdigit() for index in indices):
            raise NotPossible("a state derivative does not name its state")
        return [self.where(int(index)) for index in indices]

    def kind(self, name: str) -> etree._Element | None:
        """The element CoSimulation or ModelExchange."""
        return self.fmi2.find(name)

    @property
    def kinds(self) -> list[str]:
        return [name for name in ("ModelExchange", "CoSimulation") if self.kind(name) is not None]

    def can(self, kind: str, flag: str) -> bool:
        element = self.kind(kind)
        return element is not None and element.get(flag, "false").strip() in ("true", "1")

    def need(self, kind: str) -> None:
        if self.kind(kind) is None:
            raise NotPossible(f"the FMU has no {kind}")

    def experiment(self, key: str, default: float) -> float:
        element = self.fmi2.find("DefaultExperiment")
        try:
            return float(element.get(key))
        except (AttributeError, TypeError, ValueError):
            return default

    def some(self, causality: str = "", kind: str = "", variability: str = "") -> list[XmlVariable]:
        """Variables of a causality, a type, a variability; nothing asked, nothing required."""
        return [
            v
            for v in self.variables
            if causality in ("", v.causality) and kind in ("", v.type) and variability in ("", v.variability)
        ]

    # --- library

    def library(self, kind: str) -> Path:
        """The library for this machine, unpacked; the FMU is of this kind."""
        element = self.kind(kind)
        assert element is not None
        platform = host_platform()
        name = f"binaries/{platform}/{element.get('modelIdentifier')}{suffix(platform) if rows(platform) else '.so'}"
        if name not in self.names:
            raise Unreadable(f"the FMU has no {name}, so it can't be run here")
        return self.unpacked / name
