"""Checks that bodies without stiffening rotate slowly enough for their modes.

A body that rotates at Ω is loaded by its centrifugal forces, which stiffen it: ω² grows by about Ω² (tests/flexible/test_stiffening.py). Modes without a
second-order displacement H have only the softening, −Ω²: their frequency is wrong by (Ω/ω₁)², and from Ω = ω₁ on their motion is unstable, unlike the real
body's. Built-in beams and plates, tables on lines, and bodies with matrices under loads have H; other files do not contain it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from ..algebra.scalar import both, where
from ..bodies.body import FlexibleBody
from ..system.pieces import Piece, output
from .outputs import Instant
from .structure import Spacecraft

LARGEST = 0.1  # Ω²/ω₁² up to which the modes of a body without stiffening are considered valid


def softens(body: Any) -> TypeGuard[FlexibleBody]:
    """Whether it has modes that do not stiffen."""
    return isinstance(body, FlexibleBody) and body.modes > 0 and not body.stiffens


def softening(craft: Spacecraft) -> list[tuple[int, FlexibleBody]]:
    """(number, body) of all whose modes do not stiffen."""
    bodies = enumerate(link.body for link in craft.tree.links)
    return [(i, body) for i, body in bodies if softens(body)]


@dataclass(frozen=True)
class TurnsSlowly(Piece):
    """Whether Ω² ≤ 0.1 ω₁² of a body that does not stiffen, ω₁ the lowest frequency above zero; a message is logged once per run if it is false."""

    index: int
    body: FlexibleBody

    slow = output(
        "whether {self.name} turns slowly enough for its modes, which have no geometric stiffness: speed^2 at most 0.1 of the square of the first frequency",
        kind="boolean",
        name="turns_slowly",
        notice="its modes have no geometric stiffness, and frequencies are wrong by more than a tenth of their squares; "
        "a beam, a plate, a table on lines, or a body with geometric_stiffness stiffens",
    )

    @property
    def name(self) -> str:
        return self.body.name

    def values(self, instant: Instant):
        omega, fast = instant.moment.bodies[self.index].omega, 0.0
        for square in self.body.angular_frequencies(instant.moment.k) ** 2:
            fast = where(both(square > 0.0, omega @ omega > LARGEST * square), 1.0, fast)
        return np.array([1.0 - fast])


def spinning_fast(craft: Spacecraft, omegas, k) -> list[str]:
    """Sentences on bodies that turn too fast; omegas: absolute angular velocity (3,) [rad/s] of every body."""
    found = []
    for i, body in softening(craft):
        held = [float(w) for w in body.angular_frequencies(k) if w > 0.0]
        speed = float(np.linalg.norm(omegas[i]))
        if not held or speed**2 <= LARGEST * min(held) ** 2:
            continue
        share = (speed / min(held)) ** 2
        unstable = ", and its motion is unstable where the body's is not" if share > 1.0 else ""
        found.append(
            f"{body.name} turns at {speed:.4g} rad/s at the start, {np.sqrt(share):.2g} of its first frequency, and its modes have no geometric "
            f"stiffness: frequencies are wrong by about {100 * share:.2g} % of their squares{unstable}; "
            "a beam, a plate, a table on lines, or a body with geometric_stiffness stiffens"
        )
    return found
