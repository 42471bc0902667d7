"""Partners of a plant: controllers, sensors, drives. Each is a frozen dataclass that declares its quantities as pieces do.

    @dataclass(frozen=True)
    class Delay(Partner):
        sample_time: Declared[Parameter] = parameter("time between samples", "s", 0.1, min=SMALLEST)
        measured = input_("signal to delay", "rad/s", np.zeros(3))
        last = discrete("signal of the last sample", "rad/s", np.zeros(3), output=False)
        delayed = output("delayed signal", "rad/s", np.zeros(3), sampled=True)

        def sample(self, now):     # new discrete states
            return {"last": now.measured}

        def results(self, now):    # outputs; rates(now) for continuous states
            return {"delayed": now.last}

Fields of the dataclass are the keys of its description, whose `kind` is its row in the table PARTNERS (table.py); a field's `min` is a law.
`now` has all values by name, see block.py. A partner with a `sample_time` is sampled at its multiples.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ..system.contract import About, System
from ..system.pieces import Piece
from ..system.signals import SMALLEST, Bag, SignalTable
from .block import TICK, Now, block_system


def described(shape: str, text: str, default: Any = None) -> Any:
    """A field of a partner that is not a parameter but determines its structure: the type of its key (dynamics/description/blocks.py), and its meaning."""
    return field(default=default, metadata={"shape": shape, "text": text})


@dataclass(frozen=True, kw_only=True)
class Partner(Piece):
    """Base of all partners."""

    required: ClassVar[tuple[str, ...]] = ()  # required keys of a description

    name: str
    description: str = ""
    documentation: str = ""
    experiment: dict = field(default_factory=lambda: {"stop": 10.0, "step": 0.01, "tolerance": 1e-8})

    def called(self, quantity: str) -> str:
        return quantity  # a partner is the only block of its FMU

    def rates(self, now: Now) -> dict[str, Any]:
        return {}

    def sample(self, now: Now) -> dict[str, Any]:
        return {}

    def results(self, now: Now) -> dict[str, Any]:
        return {}

    def objections(self) -> list[tuple[str, Any, str]]:
        """Contradictions between its keys: (key, its value, what was expected)."""
        return []

    def further_laws(self) -> list[tuple[str, Any]]:
        """(sentence, function of the parameters' Bag whose value must be positive), in addition to the laws given by each `min`."""
        return []


class _Clocked:
    """A partner in the form for block_system: its sample time by name, if it has one."""

    def __init__(self, partner: Partner):
        self.rates, self.sample, self.results = partner.rates, partner.sample, partner.results
        self.sample_time = "sample_time" if hasattr(partner, "sample_time") else 0.0


def partner_system(partner: Partner) -> System:
    """The System of a partner."""
    clock = _Clocked(partner)
    discretes = [TICK, *partner.discretes()] if clock.sample_time else []
    table = SignalTable(partner.states(), partner.inputs(), partner.parameters(), discretes, partner.outputs())
    bounded = [(i, entry) for i, entry in enumerate(table.parameters) if entry.min in (0.0, SMALLEST)]
    words: dict[float | None, str] = {0.0: "must not be negative", SMALLEST: "must be positive"}
    further = partner.further_laws()

    def check(p):
        own = [p[i] + (0.0 if entry.min == SMALLEST else SMALLEST) for i, entry in bounded]
        bag = Bag(table, "parameters", p)
        return np.array([*own, *(law(bag) for _, law in further)])

    return block_system(
        clock,
        table,
        laws=(*(f"{entry.name} {words[entry.min]}" for _, entry in bounded), *(sentence for sentence, _ in further)),
        check=check,
        name=partner.name,
        about=About(partner.description, partner.documentation, partner.experiment),
        made_by=(partner_system, partner),
    )
