"""What the files of an SSP have in common: names, schemas, elements."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import fmpy
from lxml import etree

SSD = "SystemStructure.ssd"
FMU_TYPE = "application/x-fmu-sharedlibrary"
OURS = "spacefmu.coupling"
OMSIMULATOR = "org.openmodelica"
VERSIONS = ("1.0", "2.0")
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
    """Errors found by the schema of the version that the file states."""
    schema = etree.XMLSchema(file=str(_schemas(root.get("version", "")) / f"SystemStructure{_SCHEMA_OF[prefix]}.xsd"))
    schema.validate(root)
    return [f"line {entry.line}: {entry.message}" for entry in schema.error_log]


@lru_cache
def _schemas(version: str) -> Path:
    """Schemas of SSP 1.0 come with FMPy, those of 2.0 with pyssp-standard, of which nothing else is used."""
    if not version.startswith("2."):
        return Path(fmpy.__file__).parent / "ssp" / "schema"
    package = find_spec("pyssp_standard")
    if package is None or package.origin is None:
        raise ValueError("SSP 2.0 needs the package pyssp-standard; pip install pyssp-standard")
    return Path(package.origin).parent / "resources" / "ssp2"
