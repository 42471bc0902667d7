"""The flex text file of "42" (NASA Goddard's spacecraft simulation), with its nodes file beside it.

Every section is a line of stars and a title, then a count (or one line per mode), then rows of indices (from 0) and a value;
what follows `!` is a comment. The file has Pf = S₁, Hf = h¹ᵀ, L_ij(mode) = ∫ρ_i φ_j dm and N_ij(m, n) = ∫φ_m,i φ_n,j dm, M, K and C,
but no mass: mass, mass centre and inertia are in 42's spacecraft file and come from the description. 42 and spacefmu use only the
symmetric part of L; the rest is Hf.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from ..algebra.rotation import skew
from ..bodies.integrals import integrals_of_moments
from .neutral import ModalBody
from .units import Units

MOST = 2000


class _Lines:
    """The file's lines with their numbers, comments cut off; each call takes the next ones."""

    def __init__(self, path: Path):
        text = path.read_text(encoding="utf-8", errors="replace")
        self.rows = [(number, line.split("!")[0]) for number, line in enumerate(text.splitlines(), 1)]
        self.at = 0

    def text(self) -> tuple[int, str]:
        if self.at >= len(self.rows):
            raise ValueError(f"ends after line {len(self.rows)}: it is truncated")
        self.at += 1
        return self.rows[self.at - 1]

    def title(self, words: str) -> None:
        line, text = self.text()
        if words.lower() not in text.lower():
            raise ValueError(f"line {line} has {text.strip()[:50]!r}, expected the title {words!r}")

    def numbers(self, count: int) -> list[float]:
        line, text = self.text()
        try:
            found = [float(word) for word in text.split()[:count]]
        except ValueError:
            found = []
        if len(found) != count or not np.all(np.isfinite(found)):
            raise ValueError(
                f"line {line} has {text.strip()[:50]!r}, expected {count} finite number{'s' * (count > 1)}"
            )
        return found

    def table(self, title: str, shape: tuple[int, ...]) -> np.ndarray:
        """A section of non-zero elements: title, count, rows of indices and value."""
        self.title(title)
        array = np.zeros(shape)
        (count,) = self.numbers(1)
        for _ in range(int(count)):
            *indices, value = self.numbers(len(shape) + 1)
            if any(i != int(i) or not 0 <= i < n for i, n in zip(indices, shape, strict=True)):
                raise ValueError(
                    f"line {self.rows[self.at - 1][0]} has the indices {[int(i) for i in indices]}, expected ones below {list(shape)}"
                )
            array[tuple(int(i) for i in indices)] = value
        return array


def _count(lines: _Lines, what: str) -> int:
    (count,) = lines.numbers(1)
    if count != int(count) or not 0 < count <= MOST:
        raise ValueError(f"has {count:g} {what}, expected 1 to {MOST}")
    return int(count)


def read_nodes(path: Path) -> tuple[tuple[str, ...], np.ndarray]:
    """Names ("0", "1", …, as the flex file counts them) and positions (P, 3) of 42's nodes file."""
    lines = _Lines(path)
    lines.title("Body Node Inputs for 42")
    lines.text()
    count = _count(lines, "nodes")
    lines.title("Node Location")
    return tuple(str(k) for k in range(count)), np.array([lines.numbers(3) for _ in range(count)])


def read_flex42(path: Path, units: Units, geometry: Path | None, mass, mass_center, inertia) -> ModalBody:
    """mass [kg], mass_center (3,) [m] and inertia (3, 3) [kg m²] about it are the description's, in SI."""
    if geometry is None:
        raise ValueError("has no node positions; give geometry = the nodes file of 42 that belongs to it")
    names, positions = read_nodes(geometry)
    lines = _Lines(path)
    lines.title("Flexible Body Inputs for 42")
    lines.text()
    n = _count(lines, "modes")
    lines.title("Initial Modal States")
    for _ in range(n):
        lines.numbers(2)
    lines.title("Joint Node Mode Shapes")
    at_joints = [lines.table(title, (n, MOST, 3)) for title in ("Translation Mode Shape", "Rotation Mode Shape")]
    lines.title("Analysis Node Mode Shapes")
    translations = lines.table("Translation Mode Shape", (n, len(names), 3))
    rotations = lines.table("Rotation Mode Shape", (n, len(names), 3))
    modal_mass = lines.table("Mass Matrix", (n, n))
    stiffness = lines.table("Stiffness Matrix", (n, n))
    damping = lines.table("Damping Matrix", (n, n))
    lines.title("Linear Momentum Modal Integral")
    s1 = np.array([lines.numbers(3) for _ in range(n)]).T * units.mass
    lines.title("Angular Momentum Modal Integral")
    h1 = np.array([lines.numbers(3) for _ in range(n)]) * units.mass * units.length
    given = lines.table("Linear Modal Integral", (3, 3, n)).transpose(2, 0, 1) * units.mass * units.length
    phi_phi = lines.table("Angular Modal Integral", (3, 3, n, n)).transpose(2, 3, 0, 1) * units.mass
    # ∫ρφᵀ: its antisymmetric part is −½ h̃¹, as ∫(ρφᵀ − φρᵀ) = −(ρ×φ)~
    rho_phi = 0.5 * (given + np.swapaxes(given, 1, 2) - np.array([skew(row) for row in h1]).reshape(n, 3, 3))
    about = np.asarray(inertia, float) - mass * skew(mass_center) @ skew(mass_center)
    second = 0.5 * np.trace(about) * np.eye(3) - about
    integrals = integrals_of_moments(mass, mass * np.asarray(mass_center), second, s1, rho_phi, phi_phi)
    notes = (
        ["shapes at 42's joints are left out: their places stand in 42's spacecraft file"] if np.any(at_joints) else []
    )
    return ModalBody(
        f"{path.name} (42)",
        names,
        positions * units.length,
        translations,
        rotations / units.length,
        replace(integrals, modal_mass=modal_mass * units.mass),  # the file's own: N may have been left out
        stiffness * units.stiffness,
        damping * units.damping,
        distributed=bool(np.any(given) or np.any(phi_phi)),
        notes=tuple(notes),
    )
