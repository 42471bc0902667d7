"""A linear relation of joint coordinates: gears, ratios, differentials; by positions or by speeds alone.

Σ c_i q_i = offset(t)        G: c_i at the speed of axis i, no convective term
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..signals import Signal
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

    def parameters(self):
        ratios = [
            Signal(f"{self.name}.ratio[{i}]", f"coefficient of {coordinate} in {self.name}", "1", c)
            for i, (coordinate, _, c) in enumerate(self.terms, 1)
        ]
        return (
            ratios
            if self.drive
            else [*ratios, Signal(f"{self.name}.offset", f"value that {self.name} holds", "1", self.offset)]
        )

    def inputs(self):
        return self.drive.inputs() if self.drive else []

    def states(self):
        return self.drive.states() if self.drive else []

    def state_rates(self, view: View):
        return self.drive.rates(view) if self.drive else np.zeros(0)

    def outputs(self):
        return [
            Signal(
                f"{self.name}.multiplier", f"generalized force of {self.name}: times ratio[i] it acts along axis i", "1"
            )
        ]

    def output_values(self, view: View, multipliers):
        return multipliers

    def conditions(self, view: View) -> Conditions:
        ratio = view.k[f"{self.name}.ratio"]
        place, rate, acceleration = self.drive.values(view) if self.drive else (view.k[f"{self.name}.offset"], 0.0, 0.0)
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
