"""An FMU of FMI 3.0, with the interface that rules use."""

from __future__ import annotations

from functools import cached_property

from lxml import etree

from .description2 import unknown
from .rules import NotPossible, Unreadable
from .subject import CheckedFmu
from .variables import INTEGERS, Unknown, XmlVariable

TYPES = ("Float32", "Float64", *INTEGERS[1:], "Boolean", "String", "Binary", "Enumeration", "Clock")
_FLAGS = {  # FMI 2.0's name → FMI 3.0's
    "canGetAndSetFMUstate": "canGetAndSetFMUState",
    "canSerializeFMUstate": "canSerializeFMUState",
    "providesDirectionalDerivative": "providesDirectionalDerivatives",
}
_GROUPS = {  # name of a part of ModelStructure in the rules → the elements of FMI 3.0
    "Outputs": "Output",
    "Derivatives": "ContinuousStateDerivative",
    "InitialUnknowns": "InitialUnknown",
    "EventIndicators": "EventIndicator",
    "ClockedStates": "ClockedState",
}


class Fmi3Fmu(CheckedFmu):
    """Variables are arrays; ModelStructure names them by value reference."""

    version = 3
    kinds_known = ("ModelExchange", "CoSimulation", "ScheduledExecution")

    @property
    def description(self) -> etree._Element:
        if self.root.get("fmiVersion") != "3.0":
            raise Unreadable(f"the FMU is of FMI {self.root.get('fmiVersion')}; there are rules only for 2.0 and 3.0")
        return self.root

    @property
    def token(self) -> str:
        return self.description.get("instantiationToken", "")

    def can(self, kind: str, flag: str) -> bool:
        if flag == "completedIntegratorStepNotNeeded":
            return not super().can(kind, "needsCompletedIntegratorStep")
        return super().can(kind, _FLAGS.get(flag, flag))

    @cached_property
    def types(self) -> dict[str, etree._Element]:
        found: dict[str, etree._Element] = {}
        for element in self.description.iterfind("TypeDefinitions/*"):
            found.setdefault(element.get("name", ""), element)
        return found

    def type_of(self, declared: etree._Element) -> str:
        return str(declared.tag).removesuffix("Type")

    @property
    def _elements(self) -> list[etree._Element]:
        return [e for e in self.description.iterfind("ModelVariables/*") if e.tag in TYPES]

    @cached_property
    def variables(self) -> list[XmlVariable]:
        sizes = {e.get("valueReference"): e.get("start", "1") for e in self._elements if e.tag == "UInt64"}
        found = []
        for index, element in enumerate(self._elements, 1):
            own = dict(element.attrib)
            declared = self.types.get(own.get("declaredType", ""))
            defaults = {} if declared is None else dict(declared.attrib)
            shape = tuple(_length(sizes, dimension) for dimension in element.findall("Dimension"))
            reference = own.get("valueReference", "")
            if not reference.isdigit():
                raise NotPossible(f"{own.get('name')} has no value reference")
            found.append(
                XmlVariable(
                    index, int(reference), own, str(element.tag), own, defaults, 3, shape, None, _starts(element)
                )
            )
        return found

    @cached_property
    def by_reference(self) -> dict[int, XmlVariable]:
        return {v.reference: v for v in self.variables}

    def where(self, key: int) -> XmlVariable:
        if key not in self.by_reference:
            raise NotPossible(f"ModelStructure has the value reference {key}, which no variable has")
        return self.by_reference[key]

    def unknowns(self, group: str) -> list[Unknown]:
        elements = self.description.findall(f"ModelStructure/{_GROUPS[group]}")
        return [unknown(element, "valueReference") for element in elements]

    @cached_property
    def states(self) -> list[XmlVariable]:
        references = [self.where(each.key).own.get("derivative", "") for each in self.unknowns("Derivatives")]
        if not all(reference.isdigit() for reference in references):
            raise NotPossible("a state derivative does not name its state")
        return [entry for reference in references for entry in self.where(int(reference)).entries()]

    @property
    def indicators(self) -> int:
        return sum(self.where(each.key).size for each in self.unknowns("EventIndicators"))


def _length(sizes: dict, dimension: etree._Element) -> int:
    """Of an array along a dimension: a constant, or the start value of the variable that it names."""
    text = dimension.get("start") or sizes.get(dimension.get("valueReference"), "1")
    try:
        return min(int(text), 1 << 20)
    except ValueError:
        raise NotPossible(f"a dimension is {text!r}") from None


def _starts(element: etree._Element) -> tuple[str, ...] | None:
    if element.tag in ("String", "Binary"):
        return tuple(e.get("value", "") for e in element.findall("Start")) or None
    return tuple(element.get("start", "").split()) if "start" in element.attrib else None
