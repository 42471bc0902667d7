"""An FMU of FMI 2.0, with the interface that rules use."""

from __future__ import annotations

from functools import cached_property

from lxml import etree

from .rules import NotPossible, Unreadable
from .subject import CheckedFmu
from .variables import Unknown, XmlVariable

TYPES = ("Real", "Integer", "Boolean", "String", "Enumeration")


class Fmi2Fmu(CheckedFmu):
    """All variables are scalars; ModelStructure refers to them by index from 1."""

    version = 2
    kinds_known = ("ModelExchange", "CoSimulation")

    @property
    def description(self) -> etree._Element:
        if self.root.get("fmiVersion") != "2.0":
            raise Unreadable(f"the FMU is of FMI {self.root.get('fmiVersion')}; there are rules only for 2.0 and 3.0")
        return self.root

    @property
    def token(self) -> str:
        return self.description.get("guid", "")

    @cached_property
    def types(self) -> dict[str, etree._Element]:
        found: dict[str, etree._Element] = {}
        for simple in self.description.findall("TypeDefinitions/SimpleType"):
            found.setdefault(simple.get("name", ""), next((e for e in simple if e.tag in TYPES), simple))
        return found

    def type_of(self, declared: etree._Element) -> str:
        return declared.tag

    @cached_property
    def variables(self) -> list[XmlVariable]:
        found = []
        for index, element in enumerate(self.description.findall("ModelVariables/ScalarVariable"), 1):
            own = next((child for child in element if child.tag in TYPES), None)
            attributes = dict(own.attrib) if own is not None else {}
            declared = self.types.get(attributes.get("declaredType", ""))
            defaults = {} if declared is None else dict(declared.attrib)
            texts = (attributes["start"],) if "start" in attributes else None
            kind = own.tag if own is not None else ""
            found.append(XmlVariable(index, index, dict(element.attrib), kind, attributes, defaults, texts=texts))
        return found

    def where(self, key: int) -> XmlVariable:
        if not 1 <= key <= len(self.variables):
            raise NotPossible(f"ModelStructure has index {key}, there are {len(self.variables)} variables")
        return self.variables[key - 1]

    def unknowns(self, group: str) -> list[Unknown]:
        found = []
        for element in self.description.findall(f"ModelStructure/{group}/Unknown"):
            found.append(unknown(element, "index"))
        return found

    @cached_property
    def states(self) -> list[XmlVariable]:
        indices = [variable.own.get("derivative", "") for variable in self.derivatives]
        if not all(index.isdigit() for index in indices):
            raise NotPossible("a state derivative does not name its state")
        return [self.where(int(index)) for index in indices]

    @property
    def indicators(self) -> int:
        return int(self.description.get("numberOfEventIndicators", 0) or 0)


def unknown(element: etree._Element, key: str) -> Unknown:
    """An element of ModelStructure, which names its variable by the attribute `key`."""
    depends, kinds = element.get("dependencies"), element.get("dependenciesKind")
    try:
        listed = None if depends is None else tuple(int(word) for word in depends.split())
        return Unknown(int(element.get(key, -1)), listed, None if kinds is None else tuple(kinds.split()))
    except ValueError:
        raise NotPossible("ModelStructure has entries that are not numbers") from None
