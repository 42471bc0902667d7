"""The bar of a row: a comparison and a number. Printed beside the value, met or not."""

from __future__ import annotations

import operator
from dataclasses import dataclass

from .results import Row

_COMPARE = {"≤": operator.le, "≥": operator.ge}


@dataclass(frozen=True)
class Bar:
    sign: str
    number: float

    def met(self, value: float) -> bool:
        return _COMPARE[self.sign](value, self.number)

    def __str__(self) -> str:
        return f"{self.sign} {self.number:g}"


BARS = {
    **{f"folded{n}": Bar("≤", 1.0 if n <= 30 else 1.35) for n in (1, 4, 10, 30, 100, 300)},
    **{f"live{n}": Bar("≤", 1.3) for n in (1, 4, 10, 30)},
    "flat": Bar("≤", 1.3),
    **{f"basilisk{n}": Bar("≥", 100.0) for n in (1, 4)},
    **{f"mujoco{n}": Bar("≥", 40.0) for n in (1, 4)},
    **{f"doubling{n}": Bar("≤", 4.5) for n in (20, 40, 80)},
    "modes20": Bar("≤", 0.45),
    "four_bar": Bar("≤", 0.58),
    "natural_FourBar": Bar("≤", 8.0),
    "natural_SpaceStation": Bar("≤", 15.0),
    "planned5": Bar("≤", 0.31),
    "planned20": Bar("≤", 0.065),
    "beads100": Bar("≤", 0.1),
    "fmi3_step": Bar("≤", 1.02),
    "fmi3_get": Bar("≤", 1.0),
    "do_step": Bar("≤", 200.0),
    "build_satellite": Bar("≤", 4.0),
    "build100": Bar("≤", 10.0),
    "build300": Bar("≤", 30.0),
    "simulate": Bar("≤", 0.5),
    "year": Bar("≥", 8760.0),
    "year_balance": Bar("≤", 10.0),
    "environment8": Bar("≤", 2.0),
    "environment36": Bar("≤", 4.7),
    "environmentO": Bar("≤", 4.7),
    "live_size": Bar("≤", 5.0),
    "live_start": Bar("≤", 1.0),
    "live_speed": Bar("≥", 500.0),
    "live_native": Bar("≥", 0.4),
    "slews": Bar("≥", 1e6),
    "env_steps": Bar("≥", 100.0),
}


def verdict(row: Row) -> tuple[str, str]:
    """(bar, met or not) of a row; empty if nothing is asked of it."""
    bar = BARS.get(row.key)
    if bar is None:
        return "", ""
    if row.value is None:
        return str(bar), "not measured"
    return str(bar), "met" if bar.met(row.value) else "**not met**"
