"""The given start: initial values of the description are kept, if the couplings allow it.

If parameters change in an FMU, loops close at other positions. In the first try of a start the projections keep given coordinates and speeds fixed: their
columns of G are zero, and so are the terms of M that couple them with the others. If no such start is found, all of them may move in the second try. The
discrete state `system.assembly` says which it is: 0 not begun, 1 given values are kept, 2 nothing is kept any more.
Proved by tests/constraints/test_assembly.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..algebra.scalar import both, minimum, where
from ..system.pieces import Piece, discrete
from ..system.signals import Bag

POSITIONS, VELOCITIES = 0, 1


@dataclass(frozen=True)
class GivenStart(Piece):
    """`given`: (coordinates, speeds), each (nv,) flags; empty where there is nothing to keep."""

    given: tuple[tuple[bool, ...], ...]

    name: str = field(default="system", init=False)

    stage = discrete(
        "assembly of the start: 1 keeps what is given, 2 is over",
        name="assembly",
        when=lambda self: self.given,
        kind="integer",
        output=False,
        calculated=True,
    )

    def tried(self, d: Bag):
        """Its discrete states in the next try of a start."""
        return np.array([minimum(d[self.stage] + 1.0, 2.0)] if self.given else [])

    def over(self):
        """Its discrete states after the start."""
        return np.array([2.0] if self.given else [])

    def kept_out(self, M, G, d: Bag, level: int):
        """M (nv, nv) and G (m, nv) for the projection of POSITIONS or VELOCITIES."""
        if not self.given:
            return M, G
        first = where(both(d[self.stage] > 0.5, d[self.stage] < 1.5), 1.0, 0.0)
        given = np.array(self.given[level], float)
        apart = np.abs(given[:, None] - given)  # 1 where one of two is given
        return M * (1.0 - first * apart), G * (1.0 - first * given)
