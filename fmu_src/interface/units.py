"""Units: SI names to the base-unit exponents and display units of FMI 2.0 (section 2.2.2).

A unit is written as in Modelica: factors joined by ".", a whole exponent right after its factor, at most one "/"
with a denominator in parentheses if it has several factors: "rad/s", "kg.m2", "N.m.s/rad", "J/(kg.K)".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import pi

BASE_UNITS = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")  # the attributes of BaseUnit, in the order of the schema

# The factors allowed in a unit, as exponents of base units. All are coherent SI units: BaseUnit needs no factor.
FACTORS = {
    **{name: {name: 1} for name in BASE_UNITS},
    "1": {},
    "Hz": {"s": -1},
    "N": {"kg": 1, "m": 1, "s": -2},
    "Pa": {"kg": 1, "m": -1, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
    "C": {"s": 1, "A": 1},
    "V": {"kg": 1, "m": 2, "s": -3, "A": -1},
    "T": {"kg": 1, "s": -2, "A": -1},
}


@dataclass(frozen=True)
class DisplayUnit:
    """A display unit: shown value = factor * value + offset, for signals named `...word` ("" = any)."""

    name: str
    factor: float
    offset: float = 0.0
    word: str = ""


# A wheel's speed is shown in rpm, any other rate in deg/s; a temperature in °C, but a difference of two in K.
DISPLAY_UNITS = {
    "s": (DisplayUnit("h", 1 / 3600, word="local_solar_time"),),
    "rad": (DisplayUnit("deg", 180 / pi),),
    "rad/s": (DisplayUnit("rpm", 30 / pi, word="speed"), DisplayUnit("deg/s", 180 / pi)),
    "rad/s2": (DisplayUnit("deg/s2", 180 / pi),),
    "K": (DisplayUnit("degC", 1.0, -273.15, word="temperature"),),
}

_FACTOR = re.compile(r"([A-Za-z]+|1)(-?[0-9]+)?")
_UNIT = re.compile(r"(?P<above>[^/()]+)(/(?P<below>[^/().]+|\([^/()]+\)))?")


def exponents(unit: str) -> dict[str, int]:
    """Exponents of the SI base units, zero ones left out: exponents("N.m") is {"kg": 1, "m": 2, "s": -2}."""
    match = _UNIT.fullmatch(unit)
    if not match:
        raise ValueError(f"unit {unit!r} has another form than rad/s, kg.m2 or J/(kg.K)")
    total = dict.fromkeys(BASE_UNITS, 0)
    for side, sign in (("above", 1), ("below", -1)):
        for text in (match[side] or "1").strip("()").split("."):
            factor = _FACTOR.fullmatch(text)
            if not factor or factor[1] not in FACTORS:
                raise ValueError(f"unit {unit!r} has the unknown factor {text!r}; known are {', '.join(FACTORS)}")
            for base, exponent in FACTORS[factor[1]].items():
                total[base] += sign * exponent * int(factor[2] or 1)
    return {base: exponent for base, exponent in total.items() if exponent}


def display_unit(name: str, unit: str) -> str | None:
    """Name of a signal's display unit, or None for its own unit."""
    quantity = re.sub(r"\[[0-9,]+\]", "", name).removesuffix(")").split(".")[-1]
    return next((d.name for d in DISPLAY_UNITS.get(unit, ()) if quantity.endswith(d.word)), None)
