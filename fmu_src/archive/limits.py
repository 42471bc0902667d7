"""How much of an archive is believed: one number each, here alone. docs/check.md states them, and messages name them.

Models with 100,000 variables have some 30 MB of XML; the largest FMUs of other tools some 300 MB and 2,000 files.
"""

from __future__ import annotations

UNPACKED = 2 << 30  # bytes of all files
FILE = 1 << 30  # bytes of one file
ENTRIES = 20_000  # files and folders
XML_SIZE = 1 << 28  # bytes of an XML file
XML_DEPTH = 256  # elements within each other: libxml2's own number


def in_words(count: int) -> str:
    """Bytes for a person."""
    units = (("GiB", 30), ("MiB", 20), ("bytes", 0))
    unit, power = next((unit, power) for unit, power in units if count >= 1 << power or not power)
    return f"{count / 2**power:g} {unit}"
