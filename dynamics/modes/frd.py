"""Text of CalculiX's .frd files: mesh, names of materials, shapes of modes and their frequencies.

A file is a sequence of blocks: nodes (2C), elements (3C), steps (100C) and their results (-4). Rows begin with -1, and with -2 if they
continue an element.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .solids import SOLIDS
from .text import lines_of, number, whole

KINDS = {1: "he8", 2: "pe6", 3: "te4", 4: "he20", 5: "pe15", 6: "te10"}  # of the .frd file
FLAT = {
    7: "tr3, a shell",
    8: "tr6, a shell",
    9: "qu4, a shell",
    10: "qu8, a shell",
    11: "be2, a beam",
    12: "be3, a beam",
}


def read(path: Path):
    """Names, positions (P, 3), elements, material names, shapes (N, P, 3) and printed frequencies (N,) of an .frd file."""
    lines = lines_of(path)
    if not lines or lines[-1].strip() != "9999":
        raise ValueError(f"{path.name} does not end with 9999: it is truncated")
    blocks = _FrdBlocks(path)
    for line, text in enumerate(lines, 1):
        blocks.take(line, text)
    if not blocks.moved:
        raise ValueError(f"{path.name} has no displacements, expected a *FREQUENCY step with *NODE FILE and U")
    places = _triples(blocks.places, blocks.triple, path)
    return tuple(blocks.names), places, blocks.elements(), blocks.materials, blocks.shapes(), np.array(blocks.printed)


class _FrdBlocks:
    """The rows of a file, by block.

    block: to which the next rows belong; wide: characters of a node's name; value: eigenvalue of the current step.
    found: elements by kind, with material and nodes; code: kind of the current one; moved: (line, row) of each mode's displacements.
    """

    def __init__(self, path: Path):
        self.path = path
        self.names: dict[str, int] = {}
        self.places: list[tuple[int, str]] = []
        self.found: dict[str, list[tuple[int, list[str]]]] = {}
        self.materials: dict[int, str] = {}
        self.moved: list[list[tuple[int, str]]] = []
        self.printed: list[float] = []
        self.block: str | None = None
        self.value: float | None = None
        self.wide, self.code = 10, 0

    @property
    def triple(self) -> int:
        """Where three numbers begin in a row of a node."""
        return 3 + self.wide

    def take(self, line: int, text: str) -> None:
        if text[:6].strip() in ("2C", "3C"):
            self._begin_mesh(text)
        elif text.startswith("    1UMAT"):
            self.materials[whole(text[9:14], self.path, line)] = text[14:].strip().upper()
        elif text.startswith("  100C"):
            self.block, self.value = "100C", number(text[12:24], self.path, line)
        elif text.startswith(" -4"):
            self._begin_result(line, text)
        elif text.startswith(" -3"):
            self.block = None
        elif self.block and (text[:3], self.block) in _ROWS:
            _ROWS[text[:3], self.block](self, line, text)

    def _begin_mesh(self, text: str) -> None:
        if text[73:75].strip() not in ("0", "1"):
            raise ValueError(
                f"{self.path.name} is in the binary form of .frd, expected text (*NODE FILE, not OUTPUT=…BINARY)"
            )
        self.block, self.wide = text[:6].strip(), 10 if text[73:75].strip() == "1" else 5

    def _begin_result(self, line: int, text: str) -> None:
        self.block = "DISP" if text[5:9] == "DISP" else None
        if not self.block:
            return
        if self.value is None:
            raise ValueError(f"{self.path.name} line {line} has displacements, expected their step (100C) before them")
        self.moved.append([])
        self.printed.append(self.value)

    def _node(self, line: int, text: str) -> None:
        self.names[self._name(text)] = len(self.names)
        self.places.append((line, text))

    def _element(self, line: int, text: str) -> None:
        cells = text[3:].split()
        self.code, material = whole(cells[1], self.path, line), whole(cells[3], self.path, line)
        if self.code not in KINDS:
            raise ValueError(
                f"{self.path.name} line {line} has an element of kind {FLAT.get(self.code, self.code)}, "
                f"expected solids ({', '.join(KINDS.values())})"
            )
        self.found.setdefault(KINDS[self.code], []).append((material, []))

    def _nodes(self, line: int, text: str) -> None:
        """Of the current element."""
        count = (len(text) - 3) // self.wide
        nodes = (text[3 + self.wide * k : 3 + self.wide * (k + 1)].strip() for k in range(count))
        self.found[KINDS[self.code]][-1][1].extend(nodes)

    def _displacement(self, line: int, text: str) -> None:
        self.moved[-1].append((line, text))

    def _name(self, text: str) -> str:
        return text[3 : self.triple].strip()

    def elements(self) -> list[tuple[str, np.ndarray, list[int]]]:
        """Per kind: nodes (E, n) by index, and materials."""
        elements = []
        for kind, rows in self.found.items():
            try:
                nodes = np.array([[self.names[name] for name in row if name] for _, row in rows])
            except (KeyError, ValueError):
                raise ValueError(f"{self.path.name} has an element with nodes that the mesh lacks") from None
            count = len(SOLIDS[kind].nodes)
            if nodes.ndim != 2 or nodes.shape[1] != count:
                raise ValueError(f"{self.path.name} has an element of kind {kind} that has not {count} nodes")
            elements.append((kind, nodes, [material for material, _ in rows]))
        return elements

    def shapes(self) -> np.ndarray:
        """Displacements (N, P, 3); zero at nodes without any."""
        shapes = np.zeros((len(self.moved), len(self.names), 3))
        for shape, rows in zip(shapes, self.moved, strict=True):
            names = [self._name(text) for _, text in rows]
            if lacking := [name for name in names if name not in self.names]:
                raise ValueError(
                    f"{self.path.name} has a displacement of the node {lacking[0]!r}, which the mesh lacks"
                )
            shape[[self.names[name] for name in names]] = _triples(rows, self.triple, self.path)
        return shapes


_ROWS = {
    (" -1", "2C"): _FrdBlocks._node,
    (" -1", "3C"): _FrdBlocks._element,
    (" -2", "3C"): _FrdBlocks._nodes,
    (" -1", "DISP"): _FrdBlocks._displacement,
}


def _triples(rows, start: int, path: Path) -> np.ndarray:
    """Three numbers of twelve columns each from (line, text) rows, all together; individually only to name a bad one."""
    cells = np.array([text[start : start + 36].ljust(36).encode("latin-1", "replace") for _, text in rows], "S36")
    try:
        values = cells.view("S12").astype(float).reshape(-1, 3)
    except ValueError:
        values = None
    if values is None or not np.all(np.isfinite(values)):
        return np.array(
            [[number(text[start + 12 * k : start + 12 * (k + 1)], path, line) for k in range(3)] for line, text in rows]
        )
    return values
