"""The data of a fused System: units and wires."""

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
    made_by: tuple[Callable, Any] | None  # None: a user's block, which is not data
    starts: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Fused:
    """Units and wires: the data of a fused System, which its Python FMU carries."""

    name: str
    parts: tuple[Part, ...]
    wires: tuple[Wire, ...]
    experiment: dict
    description: str = ""
    documentation: str = ""
