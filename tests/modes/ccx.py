"""Decks for CalculiX: blocks of 20-node bricks, written and run here."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np

ALUMINIUM = (70e3, 0.3, 2.7e-9)  # E [MPa], ν, density [t/mm³]


def brick_mesh(cells, size, lower=(0.0, 0.0, 0.0)):
    """Nodes {number: (x, y, z)} and elements (20 numbers each, in Abaqus' order) of a block."""
    counts = [2 * c + 1 for c in cells]
    number, nodes = {}, {}
    for k in range(counts[2]):
        for j in range(counts[1]):
            for i in range(counts[0]):
                if (i % 2) + (j % 2) + (k % 2) <= 1:
                    number[i, j, k] = len(number) + 1
                    place = [low + s * n / (c - 1) for low, s, n, c in zip(lower, size, (i, j, k), counts, strict=True)]
                    nodes[number[i, j, k]] = tuple(place)
    corner = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2)]
    edge = [(1, 0, 0), (2, 1, 0), (1, 2, 0), (0, 1, 0), (1, 0, 2), (2, 1, 2), (1, 2, 2), (0, 1, 2)]
    upright = [(0, 0, 1), (2, 0, 1), (2, 2, 1), (0, 2, 1)]
    elements = [
        [number[2 * i + a, 2 * j + b, 2 * k + c] for a, b, c in corner + edge + upright]
        for k in range(cells[2])
        for j in range(cells[1])
        for i in range(cells[0])
    ]
    return nodes, elements


def deck(nodes, elements, material=ALUMINIUM, clamped=(), step="*FREQUENCY", modes=6, kind="C3D20R") -> str:
    lines = ["*NODE, NSET=NALL"]
    lines += [f"{n}, {x:.12g}, {y:.12g}, {z:.12g}" for n, (x, y, z) in nodes.items()]
    lines.append(f"*ELEMENT, TYPE={kind}, ELSET=EALL")
    for number, corners in enumerate(elements, 1):
        lines.append(f"{number}, " + ", ".join(map(str, corners[:10])) + ",")
        lines.append(", ".join(map(str, corners[10:])))
    young, poisson, density = material
    lines += ["*MATERIAL, NAME=ALU", "*ELASTIC", f"{young}, {poisson}", "*DENSITY", f"{density}"]
    lines += ["*SOLID SECTION, ELSET=EALL, MATERIAL=ALU"]
    if clamped:
        lines += ["*BOUNDARY", *(f"{n}, 1, 3" for n in clamped)]
    return "\n".join([*lines, "*STEP", step, f"{modes}", "*NODE FILE", "U", "*END STEP", ""])


def run(folder: Path, name: str, text: str) -> Path:
    """The folder's `name`.* after CalculiX has run."""
    (folder / f"{name}.inp").write_text(text)
    done = subprocess.run(["ccx", name], cwd=folder, capture_output=True, text=True, timeout=300)
    assert "*ERROR" not in done.stdout, done.stdout[-800:]
    return folder / name


def at(nodes, axis: int, value: float) -> list[int]:
    return [n for n, place in nodes.items() if np.isclose(place[axis], value)]
