"""The FMU under check. Every part is read once, when a rule first needs it; NotPossible if it can't be read."""

from __future__ import annotations

import platform
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

import numpy as np
from lxml import etree

from spacefmu.dynamics.limits import FILE, XML_SIZE, xml_fault

from ..archive.members import XML, defines_entities, read_member, unpack
from ..native.platforms.table import host_platform, rows, suffix
from .rules import NotPossible, Unreadable
from .variables import Unknown, XmlVariable


def parsed(data: bytes, name: str, root: str) -> etree._Element:
    """The root of an XML file of an FMU, read with limits."""
    if defines_entities(data):
        raise Unreadable("the XML defines entities, which is refused")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        found = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise Unreadable(f"{name} is not well-formed: {xml_fault(error)}") from None
    if found.tag != root:
        raise Unreadable(f"{name}'s root is {found.tag}, expected {root}")
    return found


class CheckedFmu(ABC):
    """The FMU at `path`; `folder` is an empty folder of the worker, to unpack and work in. limit [s]: of one call.

    The interface is the same for FMI 2.0 (description2.py) and FMI 3.0 (description3.py).
    """

    version: int  # of FMI
    kinds_known: tuple[str, ...]
    watch: Callable[[str], None]  # called before every call, see `host.Library`; set by the process that runs the rules
    surroundings: dict  # the state that an FMU must not change, before its first library is loaded (running.py)
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
            why = "" if str(error) == "File is not a zip file" else f": {error}"
            raise Unreadable(f"the file is not a zip archive{why}") from None

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
        """The folder, and why unpacking failed (if it did); tried once for all rules."""
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
        return parsed(self.xml, "the XML", "fmiModelDescription")

    @property
    @abstractmethod
    def description(self) -> etree._Element:
        """The root of a description whose FMI version has rules."""

    @property
    @abstractmethod
    def types(self) -> dict[str, etree._Element]:
        """Declared types by name: the element that has their attributes."""

    @abstractmethod
    def type_of(self, declared: etree._Element) -> str:
        """The type of variables that a declared type is for."""

    @property
    @abstractmethod
    def variables(self) -> list[XmlVariable]:
        """All variables, arrays as one."""

    @abstractmethod
    def unknowns(self, group: str) -> list[Unknown]:
        """Outputs, Derivatives or InitialUnknowns of ModelStructure (FMI 3.0: also EventIndicators and ClockedStates)."""

    @abstractmethod
    def where(self, key: int) -> XmlVariable:
        """The variable that ModelStructure names by a key."""

    @property
    @abstractmethod
    def states(self) -> list[XmlVariable]:
        """Continuous states, in the order of their derivatives; entries of arrays."""

    @property
    @abstractmethod
    def indicators(self) -> int:
        """Number of event indicators."""

    @property
    @abstractmethod
    def token(self) -> str:
        """The GUID of fmi2Instantiate, in FMI 3.0 the instantiation token."""

    @property
    def has_clocks(self) -> bool:
        return any(v.type == "Clock" for v in self.variables)

    @property
    def fmi(self) -> str:
        """The prefix of the functions' names."""
        return f"fmi{self.version}"

    @cached_property
    def scalars(self) -> list[XmlVariable]:
        """All variables, arrays entry by entry, as rules read, set and compare them."""
        return [entry for variable in self.variables for entry in variable.entries()]

    @cached_property
    def by_name(self) -> dict[str, XmlVariable]:
        return {variable.name: variable for variable in self.variables}

    @cached_property
    def derivatives(self) -> list[XmlVariable]:
        """State derivatives, in order; entries of arrays."""
        return [entry for unknown in self.unknowns("Derivatives") for entry in self.where(unknown.key).entries()]

    def kind(self, name: str) -> etree._Element | None:
        """The element CoSimulation or ModelExchange."""
        return self.description.find(name)

    @property
    def kinds(self) -> list[str]:
        return [name for name in self.kinds_known if self.kind(name) is not None]

    def can(self, kind: str, flag: str) -> bool:
        element = self.kind(kind)
        return element is not None and element.get(flag, "false").strip() in ("true", "1")

    def need(self, kind: str) -> None:
        if self.kind(kind) is None:
            raise NotPossible(f"the FMU has no {kind}")

    def experiment(self, key: str, default: float) -> float:
        element = self.description.find("DefaultExperiment")
        try:
            return float(element.get(key))
        except (AttributeError, TypeError, ValueError):
            return default

    def some(self, causality: str = "", real: bool | None = None, variability: str = "") -> list[XmlVariable]:
        """Variables filtered by causality, type and variability, entry by entry; a filter that is not given accepts all."""
        return [
            v
            for v in self.scalars
            if causality in ("", v.causality) and real in (None, v.real) and variability in ("", v.variability)
        ]

    # --- library

    def library(self, kind: str) -> Path:
        """The library for this machine, unpacked; the FMU is of this kind."""
        element = self.kind(kind)
        assert element is not None
        own = host_platform()
        names = (
            [own] if self.version == 2 else [row.name for row in rows(own) if row.name.startswith(_machine())] or [own]
        )
        name = f"binaries/{names[0]}/{element.get('modelIdentifier')}{suffix(own) if rows(own) else '.so'}"
        if name not in self.names:
            raise Unreadable(f"the FMU has no {name}, so it can't be run here")
        return self.unpacked / name


def _machine() -> str:
    """FMI 3.0's name of this machine's processor architecture."""
    machine = platform.machine().lower()
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)


def checked(path: Path, folder: Path, limit: float = 10.0) -> CheckedFmu:
    """The FMU of the version in its description; if it can't be read, the first rule that needs it raises."""
    from .description2 import Fmi2Fmu
    from .description3 import Fmi3Fmu

    fmu: CheckedFmu = Fmi2Fmu(path, folder, limit)
    try:
        version = fmu.root.get("fmiVersion", "")
    except NotPossible:
        return fmu
    return Fmi3Fmu(path, folder, limit) if version.startswith("3.") else fmu
