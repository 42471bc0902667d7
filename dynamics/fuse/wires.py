"""What a fused System is made of, as data: units and wires."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Wire:
    """One scalar connection: input := factor · source, both as (unit, name)."""

    source: tuple[str, str]
    target: tuple[str, str]
    factor: float = 1.0


@dataclass(frozen=True)
class Part:
    """A unit: its name, what its System is made by (`System.made_by`), and starts by entry that differ from the System's."""

    name: str
    made_by: tuple[Callable, Any] | None  # None: a person's block, which is not data
    starts: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Fused:
    """Units and wires: what a fused System is made of, and a Python FMU of one carries."""

    name: str
    parts: tuple[Part, ...]
    wires: tuple[Wire, ...]
    experiment: dict
    description: str = ""
    documentation: str = ""
