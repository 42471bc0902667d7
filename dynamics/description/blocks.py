"""Descriptions of partners: one table each, made from the declarations of its class. Keys are the fields of the class."""

from __future__ import annotations

from dataclasses import MISSING, fields
from functools import cache
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, Strict, create_model

from ..blocks.partner import Partner, partner_system
from ..blocks.table import PARTNERS
from ..system.contract import System
from ..system.pieces import Declared
from ..system.signals import SMALLEST
from .declared import SORTS, MadeTable
from .errors import Problems
from .fields import (
    Angle,
    AngleList,
    AxisVector,
    Count,
    Flag,
    Inertia,
    NotNegative,
    Number,
    NumberList,
    Positive,
    Vector,
)
from .tables import SpacecraftTable
from .tables.header import Header

_OWN = ("name", "description", "documentation", "experiment")
_SHAPES: dict[str, Any] = SORTS | {
    "inertia": Inertia | None, "axes": list[AxisVector], "vectors": list[Vector], "counts": Count | tuple[Count, Count], "plate or tube": Literal["plate", "tube"],
}  # fmt: skip
_LIST = {"rad": AngleList}
_SCALAR: dict[float | None, Any] = {SMALLEST: Positive, 0.0: NotNegative}


KINDS = ("spacecraft", *PARTNERS)  # of descriptions


@cache
def table_of(kind: str) -> Any:
    """The table of keys of a kind of description; those of partners are made on first use."""
    return SpacecraftTable if kind == "spacecraft" else _table(kind, PARTNERS[kind])


def build_partner(table: Header, problems: Problems, *_: Any) -> System | None:
    """The System of a checked table, or None after a problem has been noted."""
    given = table.model_dump(exclude_unset=True)
    partner = PARTNERS[given.pop("kind")]
    values = {f.name: given[f.name] for f in fields(partner) if f.name in given}
    for name, value in values.items():
        declared = getattr(partner, name, None)
        if isinstance(declared, Declared) and "items" in declared.more:
            values[name] = declared.more["items"].index(value) + 1
    made = partner(**values | {"experiment": table.experiment.model_dump()})
    objections = made.objections()
    for objection in objections:
        problems.add(*objection)
    return None if objections else partner_system(made)


def _table(kind: str, partner: type[Partner]) -> type[Header]:
    keys: dict[str, Any] = {"kind": (Literal[kind], Field(description="kind of description"))}
    for each in fields(partner):
        if each.name in _OWN:
            continue
        declared = getattr(partner, each.name, None)
        default = ... if each.name in partner.required else None if each.default is MISSING else each.default
        if isinstance(declared, Declared):
            default = ... if default is ... else _default(declared)
            keys[each.name] = (_type(declared), Field(default, description=_text(declared)))
        else:
            keys[each.name] = (_SHAPES[each.metadata["shape"]], Field(default, description=each.metadata["text"]))
    bases: Any = (Header, MadeTable)
    return create_model(f"{partner.__name__}Table", __base__=bases, __doc__=partner.__doc__, **keys)


def _type(declared: Declared) -> Any:
    if "items" in declared.more:
        return Literal[declared.more["items"]]
    if declared.more.get("kind") == "boolean":
        return Flag
    if declared.more.get("kind") == "integer":
        return Annotated[int, Strict(), Field(ge=declared.more["min"], le=declared.more["max"])]
    shape = () if callable(declared.start) else np.shape(declared.start)
    if callable(declared.start) or shape == (0,):
        return _LIST.get(declared.unit, NumberList)
    if not shape:
        return Angle if declared.unit == "rad" else _SCALAR.get(declared.more.get("min"), Number)
    if len(shape) == 2:
        return list[Vector]
    if "axis" in declared.name:
        return AxisVector
    entry = _SCALAR.get(declared.more.get("min"))
    if entry is None and shape == (3,):
        return Vector
    return tuple[(entry or Number,) * shape[0]]  # type: ignore[misc]  # made when it runs


def _default(declared: Declared) -> Any:
    if "items" in declared.more:
        return declared.more["items"][declared.start - 1]
    return None if callable(declared.start) else declared.start


def _text(declared: Declared) -> str:
    unit = f" [{declared.unit}]" if declared.unit not in ("", "1") else ""
    return declared.description.replace("{{i}}", "i") + unit
