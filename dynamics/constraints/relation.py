"""A linear relation of joint coordinates, as a condition: gears, ratios, differentials; by positions or only by speeds.

Σ c_i q_i = offset(t)   or   Σ c_i v_i = rate of a drive, or zero
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..bodies.body import plain_node
from ..system.keys import Declaration, Key, Resolver
from .condition import Condition, HeldFormula
from .drive import DRIVEN, Drive
from .grip import End

SPACE = End(-1, plain_node("space", np.zeros(3)))


def relation(
    name: str, ends: tuple[End, End], terms, offset: float = 0.0, held: bool = True, drive: Drive | None = None
) -> Condition | HeldFormula:
    """`terms`: (state name of q_i, state name of its speed, c_i). The c_i are parameters, and so is the offset, unless a drive prescribes it."""
    ratios = [(f"ratio[{i}]", f"coefficient of {q} in {name}", c) for i, (q, _, c) in enumerate(terms, 1)]
    constants = (*ratios, *([] if drive else [("offset", f"value held by {name}", offset)]))
    acts = "acts along axis i, times ratio[i]"
    if not held:
        speeds = tuple((v, f"ratio[{i}]") for i, (_, v, _) in enumerate(terms, 1))
        return Condition(name, *ends, speeds, constants=constants, drive=drive, acts=acts)
    total = ("sum", *(("*", f"ratio[{i}]", q) for i, (q, _, _) in enumerate(terms, 1)))
    formula, named = total if drive else ("-", total, "offset"), tuple(q for q, _, _ in terms)
    said = f"relations.{name}.terms"
    return HeldFormula(name, *ends, formula, named, constants, drive=drive, acts=acts, said=said)


def make_relation(table: Any, names: Resolver) -> Condition | HeldFormula:
    found = [(names.axis("terms", key), ratio) for key, ratio in table.terms.items()]
    terms = [(axis[0], axis[1], ratio) for axis, ratio in found if axis is not None]
    driven = table.driven
    drive = driven and Drive(f"{names.name}.drive", "position", "rad", driven.position, driven.rate)
    return relation(names.name, (SPACE, SPACE), terms, table.offset, table.level == "position", drive)


RELATION = Declaration('Σ ratio × coordinate = offset, of joint axes: gears and differentials. Keys are joints, or "joint[2]".', {
    "terms": Key("numbers by text", "ratio of each joint axis"),
    "offset": Key("angle", "the sum's value [m or rad]", 0.0),
    "level": Key(("position", "velocity"), "enforced as a position, or only as a velocity", "position"),
    "driven": Key(DRIVEN, "the sum is prescribed", None),
}, make_relation)  # fmt: skip
