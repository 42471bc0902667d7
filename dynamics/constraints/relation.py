"""A linear relation of joint coordinates: gears, ratios, differentials; by positions or by speeds alone.

Σ c_i q_i = offset(t)        G: c_i at the speed of axis i, no convective term
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..pieces import output, parameter
from ..signals import Parameter
from .connection import Conditions, Connection, View
from .drive import Drive
from .grip import End


@dataclass(frozen=True)
class Relation(Connection):
    """`terms`: (state name of q_i, state name of its speed, c_i). Without a drive the offset is a parameter."""

    name: str
    a: End
    b: End
    terms: tuple[tuple[str, str, float], ...]
    offset: float = 0.0
    held: bool = True
    drive: Drive | None = None
    rows = 1

    offset_value = parameter("value that {self.name} holds", "1", lambda self: self.offset, name="offset", when=lambda self: self.drive is None)  # fmt: skip
    multiplier = output("generalized force of {self.name}: times ratio[i] it acts along axis i", "1")

    @cached_property
    def ratios(self) -> tuple[Parameter, ...]:
        return tuple(
            Parameter(f"{self.name}.ratio[{i}]", f"coefficient of {coordinate} in {self.name}", "1", c)
            for i, (coordinate, _, c) in enumerate(self.terms, 1)
        )

    def parts(self):
        return (self.drive,) if self.drive else ()

    def parameters(self):
        return [*self.ratios, *super().parameters()]

    def state_rates(self, view: View):
        return self.drive.rates(view) if self.drive else np.zeros(0)

    def output_values(self, view: View, multipliers):
        return multipliers

    def conditions(self, view: View) -> Conditions:
        ratio = view.k[self.ratios]
        place, rate, acceleration = self.drive.values(view) if self.drive else (view.k[self.offset_value], 0.0, 0.0)
        value = sum(c * view.x[q] for c, (q, _, _) in zip(ratio, self.terms, strict=True))
        speed = sum(c * view.x[v] for c, (_, v, _) in zip(ratio, self.terms, strict=True))
        row = sum(c * view.speed_row(v) for c, (_, v, _) in zip(ratio, self.terms, strict=True))
        return Conditions(
            residual=np.array([value - place if self.held else 0.0]),
            jacobian=row.reshape(1, -1),
            rate=np.array([speed - rate]),
            gamma=np.array([acceleration]),
            positional=np.array([1.0 if self.held else 0.0]),
            driven=np.array([rate]),
        )
