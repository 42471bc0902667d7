"""Damped Newton's method: projections onto manifolds, starts, contradicting couplings, trim. The C runtime has the same algorithm for projections.

A step without improvement is undone and half of it is tried, then a quarter, and so on; after an improvement the next step may be twice
as long, up to Newton's own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import numpy as np

from ..bounds import NEWTON_LIMIT, SHORTEST_STEP


class NewtonIterate(Protocol):
    """An iterate: the size of its residual, and the iterate after a share `length` of Newton's step."""

    @property
    def size(self) -> float: ...

    def moved(self, length: float) -> Any: ...


S = TypeVar("S", bound=NewtonIterate)


def newton(
    x: Any,
    look: Callable[[Any], S],
    enough: float,
    rounded: float = 0.0,
    passes: int = NEWTON_LIMIT + 1,
    shortest: float = SHORTEST_STEP,
) -> tuple[Any, S]:
    """The best iterate, with a residual of at most `enough`, or where no step improves it any more.

    rounded: a size that round-off explains; below it no shorter steps are tried. shortest: smallest share of a step that is tried.
    """
    best, length = look(x), 1.0
    for _ in range(passes - 1):
        if best.size <= enough:
            break
        x_new = best.moved(length)
        seen = look(x_new)
        if seen.size < best.size:
            x, best, length = x_new, seen, min(1.0, 2.0 * length)
        elif best.size <= rounded or length <= shortest:
            break
        else:
            length *= 0.5
    return x, best


def cut(step: np.ndarray, longest: float) -> np.ndarray:
    """The step, shortened so that no entry exceeds the limit: distant guesses stay on their branch."""
    return step * min(1.0, longest / max(float(np.max(np.abs(step), initial=0.0)), 1e-300))
