"""Tables of keys from the declarations of pieces (spacefmu.dynamics.system.keys): one class per kind, and one union of them per sort of entry."""

from __future__ import annotations

from functools import cache, reduce
from operator import or_
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, ConfigDict, Field, Strict, create_model

from ..system.keys import NEEDED, Key, Keys, Kinds
from .fields import (
    Angle,
    AxisVector,
    Count,
    Date,
    FileName,
    Flag,
    Formula,
    Fraction,
    Inertia,
    Listed,
    Name,
    NotNegative,
    Number,
    NumberOrFlag,
    Orientation,
    Place,
    Positive,
    Table,
    Vector,
)

# types of values of keys
SORTS: dict[str, Any] = {
    "number": Number,
    "positive": Positive,
    "not negative": NotNegative,
    "fraction": Fraction,
    "angle": Angle,
    "flag": Flag,
    "number or flag": NumberOrFlag,
    "count": Count,
    "count or 0": Annotated[int, Strict(), Field(ge=0)],
    "date": Date,
    "vector": Vector,
    "axis": AxisVector,
    "orientation": Orientation,
    "inertia": Inertia,
    "place": Place,
    "name": Name,
    "text": str,
    "file": FileName,
    "color": Annotated[str, Field(pattern="^#[0-9a-fA-F]{6}$")],
    "formula": Formula,
    "formulas by text": Annotated[dict[str, Formula], Field(min_length=1)],
    "formulas by name": dict[Name, Formula],
    "numbers by text": Annotated[dict[str, Number], Field(min_length=1)],
    "numbers by name": dict[Name, Number],
    "files by name": dict[Name, FileName],
}

COUNTED = {"axis": "axes", "vector": "vectors"}  # what lists of so many have


class MadeTable(Table):
    """Base of generated tables: their texts are given, so pydantic need not look for a source file."""

    model_config = ConfigDict(use_attribute_docstrings=False)


class OneKind(MadeTable):
    """Base of tables that differ by kind; `noun`: the entry's general name."""

    noun: ClassVar[str] = ""


def table_of_keys(name: str, declared: Any, base: type[Table] = MadeTable, **first: Any) -> Any:
    """The table of a declaration with a text and keys, which follow those of `base` and `first`."""
    fields: dict[str, Any] = {key: (_type(each), _field(each)) for key, each in declared.keys.items()}
    bases: Any = base if issubclass(base, MadeTable) else (base, MadeTable)
    return create_model(name, __base__=bases, __doc__=declared.text, **first, **fields)


def one_of(kinds: Kinds) -> Any:
    """The union of the tables of all kinds; `kind` selects one, or the default if it is missing."""
    shared = table_of_keys(f"{kinds.name}Table", kinds, OneKind)
    shared.noun = kinds.noun
    tables = []
    for kind, row in kinds.declarations().items():
        says = Field(kind if kind == kinds.default else ..., description=row.text)
        name = kind.title().replace("_", "") + shared.__name__
        tables.append(table_of_keys(name, row, shared, kind=(Literal[kind], says)))
    any_kind: Any = reduce(or_, tables)
    union: Any = Annotated[any_kind, Field(discriminator="kind")]
    if kinds.default is None:
        return union

    def with_kind(entry: Any) -> Any:
        return {"kind": kinds.default, **entry} if isinstance(entry, dict) else entry

    return Annotated[union, BeforeValidator(with_kind)]


@cache
def inner_table(keys: Keys) -> Any:
    """The one table of these keys."""
    return table_of_keys(keys.name, keys)


def _type(key: Key) -> Any:
    takes: Any = key.takes
    if isinstance(takes, Keys):
        takes = inner_table(takes)
    elif isinstance(takes, tuple):
        takes = Literal[takes]
    elif takes in SORTS:
        takes = SORTS[takes]
    else:
        raise ValueError(f"key {key.text!r} takes {takes!r}, expected one of {', '.join(SORTS)}")
    if key.least is not None or key.most is not None:
        takes = Annotated[takes, Field(ge=key.least, le=key.most)]
    if key.count is not None:
        takes = Annotated[
            list[takes],
            BeforeValidator(_counted(*key.count, COUNTED.get(str(key.takes), "numbers"))),
            Field(min_length=key.count[0], max_length=key.count[1]),
        ]
    if key.each:
        absent = key.default == [None]
        takes = Annotated[list[takes | None] if absent else list[takes], Listed(none=absent)]  # type: ignore[valid-type]  # made when it runs
    return takes | None if key.default is None else takes


def _field(key: Key) -> Any:
    return Field(
        ... if key.default is NEEDED else key.default,
        description=key.text,
        validate_default=isinstance(key.takes, Keys) and key.default == {},
    )


def _counted(least: int, most: int, what: str):
    expected = (
        f"{least} {what}" if least == most else f"{least} to {most} {what}" if least else f"at most {most} {what}"
    )

    def check(value):
        if not isinstance(value, list | tuple) or not least <= len(value) <= most:
            raise ValueError(f"expected {expected}")
        return value

    return check
