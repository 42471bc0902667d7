"""Limits on input files, all in this module. docs/check.md has the table; a message names the limit that was exceeded.

The largest descriptions have some 100 kB. Models with 100,000 variables have some 30 MB of XML; the largest FMUs of other tools some
300 MB and 2,000 files.
"""

from __future__ import annotations

UNPACKED = 2 << 30  # bytes of all files of an archive
FILE = 1 << 30  # bytes of one file
ENTRIES = 20_000  # files and folders of an archive
XML_SIZE = 1 << 28  # bytes of an XML file
XML_DEPTH = 256  # elements within each other: libxml2's own number
TOML_SIZE = 1 << 24  # bytes of a TOML file: a description, system or plan; its parser takes a second per MB or two
TABLE_SIZE = 1 << 28  # bytes of a table or linear model: .json, .csv, .npz
DEPTH = 64  # tables and lists within each other, in TOML and JSON; parsers' own numbers depend on who calls them


def in_words(count: int) -> str:
    """A number of bytes as text."""
    units = (("GiB", 30), ("MiB", 20), ("bytes", 0))
    unit, power = next((unit, power) for unit, power in units if count >= 1 << power or not power)
    return f"{count / 2**power:g} {unit}"


def xml_fault(error: Exception) -> str:
    """What libxml2 says of a text, or that it met the limit."""
    deep = "xcessive depth" in str(error)
    return f"more than {XML_DEPTH} elements are within each other, the limit" if deep else str(error)
