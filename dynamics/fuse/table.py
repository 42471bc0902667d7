"""The signals of the fused System: those of the units, named unit.variable."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..system.signals import Quantity, SignalTable, State
from .unit import Unit
from .wires import Fused
from .wiring import Wiring


def table_of(settings: Fused, units: list[Unit], wiring: Wiring) -> SignalTable:
    groups: dict[str, list] = {group: [] for group in SignalTable.GROUPS}
    starts = {part.name: part.starts for part in settings.parts}
    for unit in units:
        own = dict(starts.get(unit.name, {}))
        for group in SignalTable.GROUPS:
            whole = group != "inputs"
            signals = unit.system.signals
            found = (
                signals.quantities(group) if whole else [signals.inputs[i] for u, i in wiring.free if u == unit.name]
            )
            groups[group] += [named(unit.name, _started(quantity, own)) for quantity in found]
        if own:
            raise ValueError(f"{unit.name}: no start value is named {', '.join(own)}")
    return SignalTable(**groups | {"discretes": [*groups["discretes"], *wiring.holds()]})


def _started(quantity: Quantity, starts: dict[str, float]) -> Quantity:
    """The quantity with the given starts of its entries, which are removed from `starts`."""
    given = [starts.pop(entry.name, entry.start) for entry in quantity.entries()]
    return (
        replace(quantity, start=np.reshape(given, quantity.shape))
        if quantity.shape
        else replace(quantity, start=given[0])
    )


def named(unit: str, quantity: Quantity) -> Quantity:
    """The quantity as named in the fused System: unit.variable, and its derivative likewise."""
    if quantity.terminal is not None:
        quantity = replace(quantity, terminal=replace(quantity.terminal, name=f"{unit}.{quantity.terminal.name}"))
    if not isinstance(quantity, State) or not quantity.derivative:
        return replace(quantity, name=f"{unit}.{quantity.name}")
    rate = quantity.derivative
    rate = f"der({unit}.{rate[4:-1]})" if rate.startswith("der(") else f"{unit}.{rate}"
    return replace(quantity, name=f"{unit}.{quantity.name}", derivative=rate)
