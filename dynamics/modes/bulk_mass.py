"""Masses of Nastran's bulk data, lumped at the grids as Nastran does by default (PARAM, COUPMASS, −1).

An element's mass goes to its corners in equal parts; CONM2 adds its mass, inertia and offset. Cards that are not in the tables below are
refused, with their name: an overlooked mass would go unnoticed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..algebra.rotation import skew
from .solids import SOLIDS

Cards = Callable[[str], list[list]]  # all cards of a name, fields after it; blank ones are ""


@dataclass
class PointMasses:
    """Per grid: mass, first moment Σ m d and inertia about the grid, in the file's units, basic axes."""

    mass: dict[int, float]
    first: dict[int, np.ndarray]
    inertia: dict[int, np.ndarray]

    def add(self, grid: int, mass: float, offset=None, inertia=None) -> None:
        d = np.zeros(3) if offset is None else np.asarray(offset, float)
        about = -mass * skew(d) @ skew(d) + (0.0 if inertia is None else inertia)
        self.mass[grid] = self.mass.get(grid, 0.0) + mass
        self.first[grid] = self.first.get(grid, np.zeros(3)) + mass * d
        self.inertia[grid] = self.inertia.get(grid, np.zeros((3, 3))) + about

    def arrays(self, ids) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """masses (P,), inertias about the mass centres (P, 3, 3), offsets of the mass centres (P, 3)."""
        mass = np.array([self.mass.get(i, 0.0) for i in ids])
        offset = np.array([self.first.get(i, np.zeros(3)) for i in ids]) / np.where(mass > 0.0, mass, 1.0)[:, None]
        about = [
            self.inertia.get(i, np.zeros((3, 3))) + m * skew(d) @ skew(d)
            for i, m, d in zip(ids, mass, offset, strict=True)
        ]
        return mass, np.array(about).reshape(-1, 3, 3), offset


def _number(card: list, field: int, default: float = 0.0) -> float:
    return float(card[field]) if field < len(card) and card[field] != "" else default


# of PBARL and PBEAML sections, by the dimensions on the card: area, and I₁ + I₂
SECTIONS = {
    "ROD": lambda d: (np.pi * d[0] ** 2, np.pi * d[0] ** 4 / 2),
    "TUBE": lambda d: (np.pi * (d[0] ** 2 - d[1] ** 2), np.pi * (d[0] ** 4 - d[1] ** 4) / 2),
    "BAR": lambda d: _rectangle(d[0], d[1]),
    "BOX": lambda d: np.subtract(_rectangle(d[0], d[1]), _rectangle(d[0] - 2 * d[3], d[1] - 2 * d[2])),
}


def _rectangle(a, b) -> tuple[float, float]:
    return a * b, a * b * (a * a + b * b) / 12.0


def _section(card, name: str) -> tuple[float, float, float]:
    """Area, I₁ + I₂ and non-structural mass per length of PROD, PBAR or PBEAM (end A), or of a section by name."""
    if isinstance(card[2], float | int):
        inertia = 0.0 if name == "PROD" else _number(card, 3) + _number(card, 4)
        return _number(card, 2), inertia, _number(card, {"PROD": 5, "PBAR": 6, "PBEAM": 7}[name])
    kind = str(card[3])
    sizes = [float(entry) for entry in card[8:] if entry != ""]
    if kind not in SECTIONS or len(sizes) < {"ROD": 1, "BOX": 4}.get(kind, 2):
        raise ValueError(
            f"has a beam section {kind}, expected {', '.join(SECTIONS)} with its sizes; use an external superelement instead"
        )
    area, inertia = SECTIONS[kind](sizes)
    return area, inertia, 0.0


def lumped(cards: Cards, places: dict[int, np.ndarray]) -> PointMasses:
    """All mass of a bulk data file."""
    masses = PointMasses({}, {}, {})
    factor = next((_number(card, 1, 1.0) for card in cards("PARAM") if card and card[0] == "WTMASS"), 1.0)
    density = {int(card[0]): _number(card, 4) for card in cards("MAT1")} | {
        int(card[0]): _number(card, 7) for card in cards("MAT8")
    }

    def of(material):
        if int(material) not in density:
            raise ValueError(f"has the material {int(material)}, expected MAT1 or MAT8 with its density")
        return density[int(material)]

    def spread(corners, mass):
        for grid in corners:
            masses.add(int(grid), factor * mass / len(corners))

    def at(grid):
        if int(grid) not in places:
            raise ValueError(f"has an element on the grid {int(grid)}, which it lacks")
        return places[int(grid)]

    for element, prop in (("CROD", "PROD"), ("CBAR", "PBAR"), ("CBEAM", "PBEAM")):
        section = {int(card[0]): card for card in cards(prop)}
        for card in cards(element):
            along, found = at(card[3]) - at(card[2]), _of(section, card[1], prop)
            length, density_of_it = float(np.linalg.norm(along)), of(found[1])
            area, polar, more = _section(found, prop)
            spread(card[2:4], (area * density_of_it + more) * length)
            if element == "CBEAM":  # which has, other than CBAR, inertia about its axis
                for grid in card[2:4]:
                    masses.add(
                        int(grid), 0.0, None, factor * 0.5 * density_of_it * polar / length * np.outer(along, along)
                    )
    shells = {int(card[0]): _number(card, 2) * of(card[1]) + _number(card, 7) for card in cards("PSHELL")}
    for card in cards("PCOMP"):
        plies = [card[k : k + 4] for k in range(8, len(card), 4)]
        one_side = sum(of(ply[0]) * _number(ply, 1) for ply in plies if ply and ply[0] != "")
        shells[int(card[0])] = one_side * (2.0 if "SYM" in map(str, card[:8]) else 1.0) + _number(card, 2)
    for element, count in (("CQUAD4", 4), ("CTRIA3", 3)):
        for card in cards(element):
            corners = np.array([at(grid) for grid in card[2 : 2 + count]])
            spread(card[2 : 2 + count], _of(shells, card[1], "PSHELL or PCOMP") * _area(corners))
    solids = {int(card[0]): of(card[1]) for card in cards("PSOLID")}
    for element, count in (("CTETRA", 4), ("CPENTA", 6), ("CHEXA", 8)):
        for card in cards(element):
            if len([grid for grid in card[2:] if grid != ""]) != count:
                raise ValueError(
                    f"has {element} with nodes on its edges, whose mass is not lumped; use an external superelement instead"
                )
            corners = np.array([at(grid) for grid in card[2 : 2 + count]])
            spread(card[2 : 2 + count], _of(solids, card[1], "PSOLID") * _volume(corners))
    for card in cards("CONM2"):
        if int(_number(card, 2)) != 0:
            raise ValueError(
                f"has CONM2 {int(card[0])} in the coordinate system {int(card[2])}, expected the basic one (0)"
            )
        xx, xy, yy, xz, yz, zz = (_number(card, k) for k in range(8, 14))
        inertia = np.array([[xx, -xy, -xz], [-xy, yy, -yz], [-xz, -yz, zz]])  # the card has ∫xy dm, the tensor −∫xy dm
        at(card[1])
        masses.add(int(card[1]), factor * _number(card, 3), [_number(card, k) for k in (4, 5, 6)], factor * inertia)
    for other in (
        "CONM1",
        "CMASS1",
        "CMASS2",
        "CMASS3",
        "CMASS4",
        "CQUAD8",
        "CTRIA6",
        "CQUADR",
        "CTRIAR",
        "CSHEAR",
        "CTUBE",
        "CBEND",
        "NSM",
    ):
        if cards(other):
            raise ValueError(f"has {other}, whose mass is not counted here; use an external superelement instead")
    return masses


def _of(table: dict, key, what: str):
    if int(key) not in table:
        raise ValueError(f"has an element with the property {int(key)}, expected {what} of that number")
    return table[int(key)]


def _area(corners) -> float:
    """Of a triangle, or of a quadrilateral by its diagonals."""
    a, b = (
        (corners[1] - corners[0], corners[2] - corners[0])
        if len(corners) == 3
        else (corners[2] - corners[0], corners[3] - corners[1])
    )
    return 0.5 * float(np.linalg.norm(np.cross(a, b)))


def _volume(corners) -> float:
    """Of a linear tetrahedron, wedge or brick, by quadrature."""
    solid = SOLIDS[{4: "te4", 6: "pe6", 8: "he8"}[len(corners)]]
    _, slopes = solid.functions()
    return abs(float(np.linalg.det(slopes @ corners) @ solid.weights))
