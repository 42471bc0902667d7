"""What the files of an SSP have in common: names, schemas, elements."""

from __future__ import annotations

from pathlib import Path

import fmpy
from lxml import etree

SSD = "SystemStructure.ssd"
FMU_TYPE = "application/x-fmu-sharedlibrary"
OURS = "spacefmu.coupling"
OMSIMULATOR = "org.openmodelica"
_SCHEMAS = Path(fmpy.__file__).parent / "ssp" / "schema"
_URI = "http://ssp-standard.org/SSP1/SystemStructure"
NAMES = {
    "ssd": f"{_URI}Description",
    "ssc": f"{_URI}Common",
    "ssv": f"{_URI}ParameterValues",
    "ssm": f"{_URI}ParameterMapping",
    "oms": "https://raw.githubusercontent.com/OpenModelica/OMSimulator/master/schema/oms.xsd",  # OMSimulator's annotations
}
_SCHEMA_OF = {"ssd": "Description", "ssv": "ParameterValues", "ssm": "ParameterMapping"}


def element(kind: str, parent=None, /, **attributes):
    """A new element, such as ssd:Connector; attributes that are None are left out."""
    prefix, _, local = kind.partition(":")
    tag = f"{{{NAMES[prefix]}}}{local}"
    stated = {key: value for key, value in attributes.items() if value is not None}
    if parent is not None:
        return etree.SubElement(parent, tag, stated)
    prefixes = dict.fromkeys((prefix, "ssc", *(["oms"] if prefix == "ssd" else [])))
    return etree.Element(tag, stated, nsmap={p: NAMES[p] for p in prefixes})


def text_of(prefix: str, root) -> bytes:
    """The XML, if it is valid."""
    problems = invalid(prefix, root)
    if problems:
        raise ValueError(f"the {prefix} that was made is not valid: {problems[0]}")
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)


def invalid(prefix: str, root) -> list[str]:
    schema = etree.XMLSchema(file=str(_SCHEMAS / f"SystemStructure{_SCHEMA_OF[prefix]}.xsd"))
    schema.validate(root)
    return [f"line {entry.line}: {entry.message}" for entry in schema.error_log]
