"""Whether a system of FMUs failed by its exchange: values that swing from one communication point to the next, farther each time.

A unit that gets its neighbour's answer a communication step late can make a stable loop unstable: of x' = −λx with the term
exchanged, xₙ₊₁ = (1 − λh) xₙ, which from h > 2/λ on changes its sign at every step and grows. No solver of a unit can mend that.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

KEPT = 12  # exchanges that are looked at
FEW, MUCH = 5, 30.0  # fewer swings than that count if they have grown by so much: chance has two or three of them


def swinging(history: Sequence[np.ndarray]) -> int | None:
    """The number of the value that swings the widest, of values (n,) at each of the last exchanges; None if none does."""
    values = np.array(history, float)
    if len(values) < 3:
        return None
    with np.errstate(all="ignore"):  # the last ones may be no numbers at all
        changes = np.diff(values, axis=0)
        sizes = np.abs(changes)
        grows = (changes[1:] * changes[:-1] < 0.0) & (sizes[1:] > sizes[:-1])
        lengths = np.where(grows.all(axis=0), len(grows), np.argmin(grows[::-1], axis=0))  # of the run that ends last
        first = sizes[len(changes) - 1 - lengths, np.arange(values.shape[1])]
        growth = sizes[-1] / first
    found = (lengths >= FEW) | ((lengths >= 1) & (growth > MUCH))
    return int(np.argmax(np.where(found, sizes[-1], -1.0))) if found.any() else None
