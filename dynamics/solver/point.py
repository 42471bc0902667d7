"""Where the solver is: the parts of the solver share one such point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass
class CurrentPoint:
    """Time t [s], states x (nx,), inputs u (nu,), constants k, discrete states d (nd,)."""

    t: float
    x: Any
    u: Any
    k: Any
    d: Any

    def at(self, t: float, x) -> tuple:
        """The point (t, x, u, k, d) of another time and state."""
        return t, x, self.u, self.k, self.d
