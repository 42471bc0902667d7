"""A cut through a tether: from a time or an input on, one of its segments no longer pulls, and no current flows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.scalar import where
from ..constraints.connection import View
from ..system.keys import Key, Keys
from ..system.pieces import Piece, discrete, input_

CUT = Keys("Cut", "A cut through the cable: at `time`, or without it when the input NAME.cut becomes true. What it stores there is lost.", {
    "at": Key("fraction", "where, by its share of the length from a; of a deployed cable, of what is out", 0.5),
    "time": Key("number", "when [s]; default: the input NAME.cut", None),
})  # fmt: skip


@dataclass(frozen=True)
class Cutter(Piece):
    """`at`: share of the length from the first end; `time` [s], None: the input."""

    name: str
    at: float
    time: float | None = None

    cut = input_("true: {self.name} is cut", "", when=lambda self: self.time is None, kind="boolean")
    severed = discrete("tether {self.name} is cut", kind="boolean", calculated=True)

    def segment(self, beads: int) -> int:
        """Which of the beads + 1 segments is cut: the inner ones are one part long, those at the ends half of one."""
        return int(min(max(np.floor(self.at * beads + 0.5), 0), beads))

    def segment_out(self, length, out):
        """(N+1,) 1 for the segment of a deployed tether that is cut, by its share of the `length` [parts] that is out; `out` (N,) 1 for the beads that are."""
        N, from_b = len(out), (1.0 - self.at) * length
        # 1 if the cut is nearer to a than segments 1 to N
        nearer = [where(from_b > N - i + 0.5, out[i - 1], 0.0) for i in range(1, N + 1)]
        return np.array([now - before for before, now in zip([0.0, *nearer], [*nearer, 1.0], strict=True)])

    def whole(self, view: View):
        """1 until it is cut."""
        return 1.0 - view.d[self.severed]

    def indicators(self, view: View):
        return np.zeros(0) if self.time is None else np.array([self.time - view.t])

    def decided(self, view: View):
        """1 from the cut on."""
        now = where(view.u[self.cut] > 0.5, 1.0, 0.0) if self.time is None else where(view.t >= self.time, 1.0, 0.0)
        return where(view.d[self.severed] > 0.5, 1.0, now)
