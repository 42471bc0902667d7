"""Detects whether the coupling made a system of FMUs fail: values that alternate between communication points with growing amplitude, or diverge.

Feedback that lags by one communication step can make a stable loop unstable: x' = −λx with the term exchanged is xₙ₊₁ = (1 − λh) xₙ, which
for h > 2/λ changes sign at every step and grows. No solver inside a unit can prevent that.
Values that grow to one side are less conclusive: the loop itself may be unstable (a gain of the wrong sign), or its delay makes it so.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

KEPT = 12  # exchanges that are examined
FEW, MUCH = (
    5,
    30.0,
)  # fewer alternations than that count only if they have grown by this factor: two or three occur by chance


RUNAWAY = 100.0  # growth of the changes, over FEW of them at least, to one side


def swinging(history: Sequence[np.ndarray]) -> int | None:
    """The index of the value that alternates with the largest amplitude, of values (n,) at each of the last exchanges; None if none does."""
    return _largest(history, -1.0, lambda lengths, growth: (lengths >= FEW) | ((lengths >= 1) & (growth > MUCH)))


def running_away(history: Sequence[np.ndarray]) -> int | None:
    """The same for values that grow to one side, faster at every exchange."""
    return _largest(history, 1.0, lambda lengths, growth: (lengths >= FEW) & (growth > RUNAWAY))


def _largest(history, sign: float, counts) -> int | None:
    """The value with the largest last change of those whose changes grow, each of `sign` times the sign before it, as long and as much as `counts`."""
    values = np.array(history, float)
    if len(values) < 3:
        return None
    with np.errstate(all="ignore"):  # the last ones may be NaN
        changes = np.diff(values, axis=0)
        sizes = np.abs(changes)
        grows = (sign * changes[1:] * changes[:-1] > 0.0) & (sizes[1:] > sizes[:-1])
        lengths = np.where(grows.all(axis=0), len(grows), np.argmin(grows[::-1], axis=0))  # of the run that ends last
        first = sizes[len(changes) - 1 - lengths, np.arange(values.shape[1])]
        growth = sizes[-1] / first
    found = counts(lengths, growth)
    return int(np.argmax(np.where(found, sizes[-1], -1.0))) if found.any() else None
