"""Whether bodies that do not stiffen turn slowly enough for their modes.

A body that turns at Ω is loaded by its centrifugal forces, which stiffen it: ω² grows by some Ω² (tests/flexible/test_stiffening.py). Modes
without a second-order displacement H have the softening alone, −Ω²: their frequency is wrong by (Ω/ω₁)², and from Ω = ω₁ on their motion
is unstable where the body's is not. Built-in beams and plates have H, and tables whose nodes lie on a line; other files do not tell it.
"""

from __future__ import annotations

import numpy as np

from ..bodies.body import FlexibleBody
from .structure import Spacecraft

LARGEST = 0.1  # Ω²/ω₁² up to which the modes of a body that does not stiffen are taken as they are


def softening(craft: Spacecraft) -> list[tuple[int, FlexibleBody]]:
    """(number, body) of all whose modes do not stiffen."""
    bodies = enumerate(link.body for link in craft.tree.links)
    return [(i, body) for i, body in bodies if isinstance(body, FlexibleBody) and body.modes and not body.stiffens]


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
            f"stiffness: frequencies are wrong by some {100 * share:.2g} % of their squares{unstable}; "
            "a beam, a plate, or a table whose nodes lie on a line stiffens"
        )
    return found
