"""Damped Newton's method: projections onto manifolds, starts, couplings that clash, trim. The C runtime has the same text for projections.

A step that did no good is undone and half of it tried, then a quarter, and so on; after one that did good the next may be twice
as long, up to Newton's own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import numpy as np

from ..bounds import NEWTON_LIMIT, SHORTEST_STEP


class NewtonIterate(Protocol):
    """An iterate as the method sees it: the size of its residual, and where a share `length` of Newton's step leads."""

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
    """The best iterate, and how it is seen: of a size up to `enough`, or where steps do no good any more.

    rounded: a size that round-off explains: there no shorter steps are tried. shortest: share of a step that is tried last.
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
    """The step, shortened so that no entry is longer: far guesses stay on their branch."""
    return step * min(1.0, longest / max(float(np.max(np.abs(step), initial=0.0)), 1e-300))
