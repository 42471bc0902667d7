"""CSV files in the variants in use: commas, semicolons or tabs, decimal commas, UTF-8 or UTF-16, with or without quotes.

NumPy reads numbers in blocks; a block that it rejects is read entry by entry, so that faults are reported with their line.
"""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path

import numpy as np

from spacefmu.dynamics.texts import read_json

from .raw_table import Fault, RawTable
from .table import ORIGIN, UNITS, beside

BLOCK = 2000  # lines
MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
WORDS = {"true": 1.0, "false": 0.0}


def find_csv(path: Path) -> RawTable:
    """A header, then a line of numbers per time point."""
    found = find_numbers(path)
    found.units, found.origin = _read_beside(beside(path), found.faults)
    return found


def find_numbers(path: Path) -> RawTable:
    """The same without the accompanying .json file."""
    with path.open("rb") as file:
        start = file.read(4096)
    encoding = next((name for mark, name in MARKS.items() if start.startswith(mark)), "utf-8")
    if b"\0" in start and encoding != "utf-16":
        raise ValueError(f"{path}: is not a text file")
    with path.open(encoding=encoding, errors="surrogateescape", newline=None) as file:
        return _find(path, file)


def _find(path: Path, file: Iterable[str]) -> RawTable:
    lines = ((number, line) for number, line in enumerate(file, 1) if line.strip(" ,;\t\r\n\x1a"))
    number, header = next(lines, (0, ""))
    told = header[4:5] if header.lower().startswith("sep=") else ""  # Excel's line that states the separator
    if told:
        number, header = next(lines, (0, ""))
    first = next(lines, None)
    if first is None:
        raise ValueError(
            f"{path}: needs a line of names and at least one line of numbers; found {int(bool(header))} lines"
        )
    mark = told or next((mark for mark in ("\t", ";") if len(_cells(header, mark)) > 1), ",")
    names = tuple(_text(cell) for cell in _cells(header, mark))
    if _number(names[0]) is not None:
        raise ValueError(f"{path}: line {number} begins with {names[0]!r}; names of columns must come first")
    blocks = _Blocks(mark, len(names))
    parts = [blocks.read(block) for block in _blocks(chain([first], lines))]
    values = np.concatenate([part for part, _ in parts])
    numbers = np.concatenate([own for _, own in parts])
    if blocks.short:
        line, count = blocks.short[0]
        more = f", as {len(blocks.short) - 1} more lines" if len(blocks.short) > 1 else ""
        words = f"{path}: line {line}: has {count} values, expected {len(names)}"
        blocks.faults.append(Fault(words, f"it is left out{more}"))
    return RawTable(
        path, names, values, where=lambda row: f"line {numbers[row]}", texts=blocks.texts, faults=blocks.faults
    )


class _Blocks:
    """Reads blocks of lines one after the other; collects their faults."""

    def __init__(self, mark: str, width: int):
        self.mark, self.width = mark, width
        self.rows = 0
        self.texts: dict[tuple[int, int], str] = {}
        self.short: list[tuple[int, int]] = []  # line, and how many values it has
        self.faults: list[Fault] = []

    def read(self, block: list[tuple[int, str]]) -> tuple[np.ndarray, np.ndarray]:
        """Values (n, m) of a block, and their line numbers."""
        # where commas do not separate the entries they are decimal commas
        lines = [line if self.mark == "," else line.replace(",", ".") for _, line in block]
        numbers = [number for number, _ in block]
        try:
            values = np.loadtxt(lines, delimiter=self.mark, quotechar='"', comments=None, ndmin=2)
            if values.shape != (len(lines), self.width):
                raise ValueError
        except ValueError:
            values, numbers = self._entry_by_entry(lines, numbers)
        self.rows += len(values)
        return values, np.array(numbers, int)

    def _entry_by_entry(self, lines: list[str], numbers: list[int]) -> tuple[np.ndarray, list[int]]:
        rows: list[list[float]] = []
        kept = []
        known = {column for _, column in self.texts}
        for line, number in zip(lines, numbers, strict=True):
            cells = _cells(line, self.mark)
            while len(cells) > self.width and not cells[-1].strip():
                cells.pop()
            if len(cells) != self.width:
                self.short.append((number, len(cells)))
                continue
            row = [_number(cell) for cell in cells]
            for column, value in enumerate(row):
                if value is None and column not in known:
                    known.add(column)
                    self.texts[self.rows + len(rows), column] = _text(cells[column])
            rows.append([np.nan if value is None else value for value in row])
            kept.append(number)
        return np.array(rows, float).reshape(-1, self.width), kept


def _blocks(lines: Iterator[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    while block := list(islice(lines, BLOCK)):
        yield block


def _cells(line: str, mark: str) -> list[str]:
    try:
        rows = csv.reader([line.strip("\r\n")], delimiter=mark, skipinitialspace=True)
        return [cell.strip() for cell in next(rows, [])]
    except csv.Error:  # an entry longer than the csv module allows
        return [line]


def _number(cell: str) -> float | None:
    """Of an entry: switches are 1 and 0."""
    try:
        return float(cell)
    except ValueError:
        return WORDS.get(cell.strip().lower())


def _text(cell: str) -> str:
    """Decoded text: anything but UTF-8 is assumed to come from an older Windows."""
    return (
        cell.encode("utf-8", "surrogateescape").decode("utf-8" if cell.isprintable() else "cp1252", "replace").strip()
    )


def _read_beside(path: Path, faults: list[Fault]) -> tuple[dict[str, str], object]:
    """Units and origin of a CSV."""
    if not path.exists():
        return {}, None
    try:
        content = read_json(path)
        units = {str(name): str(unit) for name, unit in content.get(UNITS, {}).items() if name != "time"}
        return units, content.get(ORIGIN)
    except (ValueError, AttributeError) as error:
        faults.append(
            Fault(f"{path}: holds no units: {error!r}; remove it to read the table without units", "it is not used")
        )
        return {}, None
