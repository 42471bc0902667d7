"""Files of gravity fields in the ICGEM format (.gfc), and EGM2008 to degree and order 36, which is shipped.

Format: ICGEM, GFZ Potsdam (Barthelmes, Förste, The ICGEM-format, 2011). Of time-variable fields (gfct, trnd, …) the constant part is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..texts import finite, read_text
from .harmonics import Coefficients

SHIPPED = {"EGM2008": Path(__file__).parent / "data" / "EGM2008.gfc"}
NEEDED = ("earth_gravity_constant", "radius", "max_degree")
MOST_DEGREE = 2200  # of the largest fields that are published: EGM2008 has 2190; two tables of 39 MB
NORMS = ("fully_normalized", "unnormalized")


@dataclass(frozen=True)
class GravityModel:
    """`mu` [m³/s²], coefficients, and the tide system of C_20 as the file names it."""

    mu: float
    coefficients: Coefficients
    tide: str


def read_gfc(path: Path) -> GravityModel:
    """A gravity field; ValueError, as the end of a sentence about the file, if the file is not one."""
    lines = read_text(path).splitlines()
    head: dict[str, str] = {}
    for start, line in enumerate(lines):  # noqa: B007  # the rows begin behind it
        words = line.split()
        if words and words[0] == "end_of_head":
            break
        if len(words) >= 2:
            head.setdefault(
                words[0].replace("gravity_constant", "earth_gravity_constant").replace("earth_earth", "earth"), words[1]
            )
    else:
        raise ValueError("has no line end_of_head: a gravity field in the ICGEM format (.gfc) was expected")
    missing = [name for name in NEEDED if name not in head]
    if missing:
        raise ValueError(f"names no {missing[0]} in its head")
    norm = head.get("norm", NORMS[0])
    if norm not in NORMS:
        raise ValueError(f"has coefficients that are {norm}; {NORMS[0]} or {NORMS[1]} ones are read")
    mu, radius, degree = finite(head[NEEDED[0]]), finite(head["radius"]), int(finite(head["max_degree"]))
    if not 0 <= degree <= MOST_DEGREE:
        raise ValueError(f"has max_degree {degree}, expected one from 0 to {MOST_DEGREE}")
    C, S = _rows(lines[start + 1 :], degree)
    if norm == "unnormalized":
        C, S = C / _norms(degree), S / _norms(degree)
    return GravityModel(mu, Coefficients(radius, C, S), head.get("tide_system", "unknown"))


def _rows(lines: list[str], degree: int):
    C, S = np.zeros((degree + 1, degree + 1)), np.zeros((degree + 1, degree + 1))
    found = np.zeros(degree + 1, dtype=bool)
    for line in lines:
        words = line.split()
        if len(words) < 5 or words[0] not in ("gfc", "gfct"):
            continue
        n, m = int(finite(words[1])), int(finite(words[2]))
        if not 0 <= m <= n <= degree:
            raise ValueError(f"has a coefficient of degree {n} and order {m}, its max_degree is {degree}")
        C[n, m], S[n, m], found[n] = finite(words[3]), finite(words[4]), True
    if degree >= 2 and not found[2:].all():
        raise ValueError(f"has no coefficients of degree {2 + int(np.argmin(found[2:]))}, its max_degree is {degree}")
    return C, S


def _norms(degree: int):
    """C = N C̄: N_nm = √((2 − δ_0m)(2n + 1)(n − m)!/(n + m)!)."""
    N = np.ones((degree + 1, degree + 1))
    for n in range(degree + 1):
        N[n, 0] = np.sqrt(2.0 * n + 1.0)
        for m in range(1, n + 1):
            N[n, m] = N[n, m - 1] / np.sqrt((n + m) * (n - m + 1.0)) * (np.sqrt(2.0) if m == 1 else 1.0)
    return N
