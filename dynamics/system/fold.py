"""Parameters that stay numbers: a System whose parameters are constants, but for those that are named.

By default every parameter of an FMU can be set, and its equations carry all of them as variables. Folded ones are numbers in the
equations: what follows only from them is computed when the FMU is built, products with zeros and ones vanish. They are still
shown, as constants that can't be set.

    k = p of the live parameters;  equations see (live k, numbers of the rest) in the place of k

Proved by tests/system/test_fold.py: the same motion as with all of them live, in both flavours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .contract import Projection, Staged, System
from .signals import Parameter


class NotLive(ValueError):
    """A name that no parameter has; `name` is it."""

    def __init__(self, name: str):
        super().__init__(f"{name!r} is not a parameter")
        self.name = name


@dataclass(frozen=True)
class Folded:
    """What a folded System is made of, as data: what the System was made by, and names of the parameters that stay live."""

    made_by: tuple[Callable, Any]
    live: tuple[str, ...]


def folded_system(settings: Folded) -> System:
    return fold(settings.made_by[0](settings.made_by[1]), settings.live)


def fold(system: System, live: Sequence[str] = ()) -> System:
    """The same System with all parameters constant but those named: entries or whole arrays, `*` stands for any text.

    NotLive names what fits no parameter.
    """
    kept = {name for pattern in live for name in _fitting(system, pattern)}
    table = system.signals.with_group(
        "parameters", [part for whole in system.signals.quantities("parameters") for part in _marked(whole, kept)]
    )
    numbers = np.array(table.starts("parameters"))
    places = [i for i, entry in enumerate(table.parameters) if not entry.constant]
    slots = {place: i for i, place in enumerate(places)}

    def full(k):
        """The constants that the equations were written with."""
        return system.derive(np.array([k[slots[i]] if i in slots else number for i, number in enumerate(numbers)]))

    def plain(equation: Any) -> Any:
        return equation and (lambda t, x, u, k, d, *more: equation(t, x, u, full(k), d, *more))

    def staged(stage: Staged) -> Staged:
        return replace(stage, finish=plain(stage.finish), assemble=plain(stage.assemble), parts=())

    def projected(projection: Projection) -> Projection:
        return replace(projection, stage=staged(projection.stage))

    return replace(
        system,
        signals=table,
        derive=lambda p: p[places],
        constant_count=len(places),
        motion=staged(system.motion),
        initialize=plain(system.initialize),
        next_time=plain(system.next_time),
        update=system.update and staged(system.update),
        projections=tuple(map(projected, system.projections)),
        made_by=system.made_by and (folded_system, Folded(system.made_by, tuple(live))),
        unfolded=system.unfolded or system,
    )


def _fitting(system: System, pattern: str) -> list[str]:
    """Entries of parameters that a name or pattern means."""
    wanted = re.compile(re.escape(pattern).replace(r"\*", ".*") + r"(\[[0-9,]+\])?")
    found = [entry.name for entry in system.signals.parameters if wanted.fullmatch(entry.name)]
    if not found:
        raise NotLive(pattern)
    return found


def _marked(whole: Parameter, kept: set[str]) -> list[Parameter]:
    """A quantity that stays whole where all its entries are alike, else its entries."""
    entries = [replace(entry, constant=entry.name not in kept) for entry in whole.entries()]
    alike = len({entry.constant for entry in entries}) == 1
    return [replace(whole, constant=entries[0].constant)] if alike else entries
