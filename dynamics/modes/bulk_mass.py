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


# Elements and the cards of their properties; solids and shells with their number of corners.
RODS = {"CROD": "PROD", "CBAR": "PBAR", "CBEAM": "PBEAM"}
SHELLS = {"CQUAD4": 4, "CTRIA3": 3}
VOLUMES = {"CTETRA": 4, "CPENTA": 6, "CHEXA": 8}
NOT_COUNTED = (
    *("CONM1", "CMASS1", "CMASS2", "CMASS3", "CMASS4"),
    *("CQUAD8", "CTRIA6", "CQUADR", "CTRIAR", "CSHEAR", "CTUBE", "CBEND", "NSM"),
)


def lumped(cards: Cards, places: dict[int, np.ndarray]) -> PointMasses:
    """All mass of a bulk data file. places: positions of the grids."""
    deck = _Deck(cards, places)
    deck.add_rods()
    deck.add_shells()
    deck.add_solids()
    deck.add_points()
    for name in NOT_COUNTED:
        if cards(name):
            raise ValueError(f"has {name}, whose mass is not counted here; use an external superelement instead")
    return deck.masses


class _Deck:
    """The masses of a file's elements, one sort after the other."""

    def __init__(self, cards: Cards, places: dict[int, np.ndarray]):
        self.cards, self.places, self.masses = cards, places, PointMasses({}, {}, {})
        self.factor = next((_number(card, 1, 1.0) for card in cards("PARAM") if card and card[0] == "WTMASS"), 1.0)
        densities = (("MAT1", 4), ("MAT8", 7))
        self.density = {int(card[0]): _number(card, field) for name, field in densities for card in cards(name)}

    def add_rods(self) -> None:
        for element, prop in RODS.items():
            section = {int(card[0]): card for card in self.cards(prop)}
            for card in self.cards(element):
                along, found = self._at(card[3]) - self._at(card[2]), _of(section, card[1], prop)
                length, density = float(np.linalg.norm(along)), self._of_material(found[1])
                area, polar, more = _section(found, prop)
                self._spread(card[2:4], (area * density + more) * length)
                if element == "CBEAM":  # which has, other than CBAR, inertia about its axis
                    about = self.factor * 0.5 * density * polar / length * np.outer(along, along)
                    for grid in card[2:4]:
                        self.masses.add(int(grid), 0.0, None, about)

    def add_shells(self) -> None:
        per_area = {
            int(card[0]): _number(card, 2) * self._of_material(card[1]) + _number(card, 7)
            for card in self.cards("PSHELL")
        }
        for card in self.cards("PCOMP"):
            plies = [card[k : k + 4] for k in range(8, len(card), 4)]
            one_side = sum(self._of_material(ply[0]) * _number(ply, 1) for ply in plies if ply and ply[0] != "")
            per_area[int(card[0])] = one_side * (2.0 if "SYM" in map(str, card[:8]) else 1.0) + _number(card, 2)
        for element, count in SHELLS.items():
            for card in self.cards(element):
                corners = self._corners(card, count)
                self._spread(card[2 : 2 + count], _of(per_area, card[1], "PSHELL or PCOMP") * _area(corners))

    def add_solids(self) -> None:
        density = {int(card[0]): self._of_material(card[1]) for card in self.cards("PSOLID")}
        for element, count in VOLUMES.items():
            for card in self.cards(element):
                if len([grid for grid in card[2:] if grid != ""]) != count:
                    raise ValueError(
                        f"has {element} with nodes on its edges, whose mass is not lumped; use an external superelement instead"
                    )
                corners = self._corners(card, count)
                self._spread(card[2 : 2 + count], _of(density, card[1], "PSOLID") * _volume(corners))

    def add_points(self) -> None:
        for card in self.cards("CONM2"):
            if int(_number(card, 2)) != 0:
                raise ValueError(
                    f"has CONM2 {int(card[0])} in the coordinate system {int(card[2])}, expected the basic one (0)"
                )
            xx, xy, yy, xz, yz, zz = (_number(card, k) for k in range(8, 14))
            # the card has ∫xy dm, the tensor −∫xy dm
            inertia = np.array([[xx, -xy, -xz], [-xy, yy, -yz], [-xz, -yz, zz]])
            self._at(card[1])
            offset = [_number(card, k) for k in (4, 5, 6)]
            self.masses.add(int(card[1]), self.factor * _number(card, 3), offset, self.factor * inertia)

    def _of_material(self, material) -> float:
        if int(material) not in self.density:
            raise ValueError(f"has the material {int(material)}, expected MAT1 or MAT8 with its density")
        return self.density[int(material)]

    def _spread(self, corners, mass: float) -> None:
        """In equal parts."""
        for grid in corners:
            self.masses.add(int(grid), self.factor * mass / len(corners))

    def _at(self, grid) -> np.ndarray:
        if int(grid) not in self.places:
            raise ValueError(f"has an element on the grid {int(grid)}, which it lacks")
        return self.places[int(grid)]

    def _corners(self, card: list, count: int) -> np.ndarray:
        return np.array([self._at(grid) for grid in card[2 : 2 + count]])


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
