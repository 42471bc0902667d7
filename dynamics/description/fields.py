"""Field types of a description: finite numbers, angles with "deg", vectors, axes, inertias, names.

Each type is one validator with a sentence on what it expects, and the JSON schema for editors.
"""

from __future__ import annotations

import datetime
import math
import re
from typing import Annotated

import numpy as np
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, Strict, WithJsonSchema
from pydantic_core import core_schema

from ..algebra.rotation import axis_angle_dcm, quaternion_dcm
from ..bodies.body import checked_inertia
from ..system.keys import IDENTITY as IDENTITY
from .names import NAME

_PLACE = re.compile(rf"{NAME.pattern}(\.{NAME.pattern})?")
_DEGREES = re.compile(r"\s*([-+]?[0-9]+\.?[0-9]*([eE][-+]?[0-9]+)?)\s*deg\s*")
_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
LONGEST_NAME = 100  # part of file names in the FMU, which systems limit to 255 characters


class Table(BaseModel):
    """A table of the description: unknown keys are refused, numbers are finite, nothing changes afterwards."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
        arbitrary_types_allowed=True,
        str_strip_whitespace=True,
        use_attribute_docstrings=True,
    )


class FileName(str):
    """A file that the description names, relative to itself: only files of this type are stored in the FMU."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source, handler):
        return core_schema.no_info_after_validator_function(cls, core_schema.str_schema(min_length=1, strict=True))

    @classmethod
    def __get_pydantic_json_schema__(cls, schema, handler):
        return {"type": "string", "minLength": 1}


class Listed:
    """Marks a list that may be given as a single value; with `none`, the text "none" means an absent entry."""

    def __init__(self, none: bool = False):
        self.none = none

    def __get_pydantic_core_schema__(self, source, handler):
        return core_schema.no_info_before_validator_function(self._listed, handler(source))

    def __get_pydantic_json_schema__(self, schema, handler):
        items = handler(schema)["items"]
        if self.none:
            items = {"anyOf": [items, {"const": "none"}]}
        return {"anyOf": [items, {"type": "array", "items": items}]}

    def _listed(self, value):
        entries = value if isinstance(value, list | tuple) else [value]
        return [None if self.none and entry == "none" else entry for entry in entries]


def number(value, expected: str = "a number") -> float:
    """A finite float; TOML's booleans, texts and dates are not numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"expected {expected}")
    try:
        value = float(value)
    except OverflowError:  # TOML's integers are unbounded
        value = math.inf
    if not math.isfinite(value):
        raise ValueError("expected a finite number" if expected == "a number" else f"expected {expected}, all finite")
    return value


def _number(value):
    """The number as it was written, for messages."""
    number(value)
    return value


def _vector(value):
    return numbers(value, (3,), "three numbers")


def numbers(value, shape: tuple[int, ...], expected: str) -> tuple:
    """Nested tuples of floats of the given shape (−1: any length); a TOML array of arrays is no more than that."""
    if not isinstance(value, list | tuple) or len(value) != shape[0] != -1:
        raise ValueError(f"expected {expected}")
    if len(shape) == 1:
        return tuple(number(component, expected) for component in value)
    return tuple(numbers(row, shape[1:], expected) for row in value)


def _angle(value):
    """An angle in rad, or "30 deg" converted here, once."""
    if isinstance(value, str):
        match = _DEGREES.fullmatch(value)
        if match is None:
            raise ValueError('expected an angle in rad, or a text such as "30 deg"')
        return math.radians(float(match[1]))
    return number(value, 'a number, or an angle such as "30 deg"')


def _axis(value):
    """A unit vector from "x", "-y" or three numbers."""
    expected = 'an axis: "x", "y", "z", "-x", "-y", "-z" or three numbers that are not all zero'
    if isinstance(value, str):
        sign, letter = (-1.0, value[1:]) if value.startswith("-") else (1.0, value)
        if letter not in _AXES:
            raise ValueError(f"expected {expected}")
        return tuple(sign * component for component in _AXES[letter])
    vector = np.array(numbers(value, (3,), expected))
    largest = float(np.max(np.abs(vector)))
    if largest == 0.0:
        raise ValueError(f"expected {expected}")
    vector = vector / largest
    return tuple(float(c) for c in vector / np.linalg.norm(vector))


def _name(value: str) -> str:
    if not NAME.fullmatch(value):
        raise ValueError("expected a name of letters, digits and _, beginning with a letter")
    if len(value) > LONGEST_NAME:
        raise ValueError(f"expected a name of at most {LONGEST_NAME} letters: files are named after it")
    return value


def _place(value: str) -> str:
    if not _PLACE.fullmatch(value):
        raise ValueError('expected a body such as "hub", or a node of one such as "panel.tip"')
    return value


def _orientation(value):
    """dcm from three 1-2-3 angles or a quaternion (scalar first), as nested tuples."""
    expected = "three 1-2-3 angles, or a quaternion of four numbers that are not all zero"
    if isinstance(value, list | tuple) and len(value) == 4:
        q = np.array(numbers(value, (4,), expected))
        if not np.any(q):
            raise ValueError(f"expected {expected}")
        dcm = quaternion_dcm(q / np.linalg.norm(q))
    elif isinstance(value, list | tuple) and len(value) == 3:
        dcm = np.eye(3)
        for axis, angle in zip(np.eye(3), value, strict=True):
            dcm = dcm @ axis_angle_dcm(axis, _angle(angle))
    else:
        raise ValueError(f"expected {expected}")
    return tuple(tuple(float(c) for c in row) for row in dcm)


def _inertia(value):
    """(3, 3) from three principal moments, a table of xx … yz, or a matrix."""
    expected = "three principal moments, a table of xx, yy, zz (and xy, xz, yz where not zero), or a 3 × 3 matrix"
    if isinstance(value, dict):
        names = ("xx", "yy", "zz", "xy", "xz", "yz")
        if set(value) - set(names) or not {"xx", "yy", "zz"} <= set(value):
            raise ValueError(f"expected {expected}")
        xx, yy, zz, xy, xz, yz = (number(value.get(name, 0.0), expected) for name in names)
        matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    elif isinstance(value, list | tuple) and len(value) == 3 and not isinstance(value[0], list | tuple):
        matrix = np.diag(numbers(value, (3,), expected))
    else:
        matrix = np.array(numbers(value, (3, 3), expected))
    return tuple(tuple(float(c) for c in row) for row in checked_inertia(matrix))


def _node_place(value):
    """A position, a fraction of a beam's length, two of a plate's sides, or the name of a node in a file (or names of several)."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and value and (len(value) > 3 or any(isinstance(entry, str) for entry in value)):
        return node_names(value)
    if isinstance(value, list | tuple) and len(value) in (2, 3):
        return numbers(value, (len(value),), "three numbers")
    if isinstance(value, list | tuple):
        raise ValueError("expected three numbers, x/L of a beam, or the name of a node in a nodal table")
    return number(value, "three numbers, x/L of a beam, or the name of a node in a nodal table")


def node_names(value) -> tuple[str, ...]:
    """Nodes of a file by name or number, one or a list: "72", 72, [72, 73] → ("72", "73")."""
    entries = value if isinstance(value, list | tuple) else [value]
    if not entries or not all(
        isinstance(e, str) or (isinstance(e, int | float) and not isinstance(e, bool) and e == int(e)) for e in entries
    ):
        raise ValueError("expected a node of the file, or a list of nodes")
    return tuple(entry if isinstance(entry, str) else str(int(entry)) for entry in entries)


def _number_or_flag(value):
    if not isinstance(value, bool | int | float):
        raise ValueError("expected a number, true or false")
    return value if isinstance(value, bool) else number(value)


def _date(value):
    """A date or a time as TOML writes it, without quotes."""
    if not isinstance(value, datetime.date):  # a datetime is one too
        raise ValueError("expected a date or a time in UTC, without quotes, such as 2026-03-20T12:00:00Z")
    return value


def _described(base, validator, schema):
    """`base` as read by `validator`, with `schema` for editors."""
    return Annotated[base, BeforeValidator(validator), WithJsonSchema(schema)]


def also_as(form: dict):
    """For `json_schema_extra` of a key that may be None: editors also accept this form."""

    def add(schema: dict) -> None:
        schema["anyOf"].append(form)

    return add


_NUMBERS = {"type": "array", "items": {"type": "number"}}
_THREE = {**_NUMBERS, "minItems": 3, "maxItems": 3}
_ANGLE = {"anyOf": [{"type": "number"}, {"type": "string", "pattern": r"^\s*[-+0-9.eE]+\s*deg\s*$"}]}
_MATRIX = {"type": "array", "items": _THREE, "minItems": 3, "maxItems": 3}
_TENSOR = {"type": "object", "properties": {name: {"type": "number"} for name in ("xx", "yy", "zz", "xy", "xz", "yz")},
           "required": ["xx", "yy", "zz"], "additionalProperties": False}  # fmt: skip

Number = Annotated[float, BeforeValidator(_number)]
Positive = Annotated[float, Field(gt=0.0), BeforeValidator(_number)]
NotNegative = Annotated[float, Field(ge=0.0), BeforeValidator(_number)]
Fraction = Annotated[float, Field(ge=0.0, le=1.0), BeforeValidator(_number)]
Flag = Annotated[bool, Strict()]
NumberOrFlag = _described(object, _number_or_flag, {"anyOf": [{"type": "number"}, {"type": "boolean"}]})
Date = _described(object, _date, {"type": "string", "format": "date-time"})
Count = Annotated[int, Strict(), Field(ge=1)]
Angle = Annotated[float, BeforeValidator(_angle), WithJsonSchema(_ANGLE)]
Vector = _described(tuple, _vector, _THREE)
AxisVector = _described(tuple, _axis, {"anyOf": [{"enum": ["x", "y", "z", "-x", "-y", "-z"]}, _THREE]})
Orientation = _described(tuple, _orientation, {"type": "array", "items": _ANGLE, "minItems": 3, "maxItems": 4})
Inertia = _described(tuple, _inertia, {"anyOf": [_THREE, _TENSOR, _MATRIX]})
NodePlace = _described(
    object,
    _node_place,
    {"anyOf": [{"type": "number"}, {"type": "string"}, _NUMBERS, {"type": "array", "items": {"type": "string"}}]},
)
_NODE = {"type": ["string", "integer"]}
NodeNames = _described(tuple[str, ...], node_names, {"anyOf": [_NODE, {"type": "array", "items": _NODE}]})
Name = Annotated[str, AfterValidator(_name), Field(json_schema_extra={"pattern": f"^{NAME.pattern}$"})]
Place = Annotated[str, AfterValidator(_place), Field(json_schema_extra={"pattern": f"^{_PLACE.pattern}$"})]
Formula = Annotated[Number | str, Field(description="a number, or a formula in coordinates, constants and time")]
NumberList = Annotated[list[Number], Listed()]
AngleList = Annotated[list[Angle], Listed()]
NotNegativeList = Annotated[list[NotNegative], Listed()]
