"""Field types of a description: finite numbers, angles with "deg", vectors, axes, inertias, names."""

from __future__ import annotations

import math
import re
from typing import Annotated

import numpy as np
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_DEGREES = re.compile(r"\s*([-+0-9.eE]+)\s*deg\s*")
_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


class Table(BaseModel):
    """A table of the description: unknown keys are refused, numbers are finite, nothing changes afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, arbitrary_types_allowed=True, str_strip_whitespace=True)


def listed(value):
    """A single value stands for a list of one."""
    return value if isinstance(value, list | tuple) else [value]


def _number(value):
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("expected a number")
    return value


def _angle(value):
    """An angle in rad, or "30 deg" converted here, once."""
    if isinstance(value, str):
        match = _DEGREES.fullmatch(value)
        if match is None:
            raise ValueError('expected an angle in rad, or a text such as "30 deg"')
        return math.radians(float(match[1]))
    return _number(value)


def _axis(value):
    """A unit vector from "x", "-y" or three numbers."""
    if isinstance(value, str):
        sign, letter = (-1.0, value[1:]) if value.startswith("-") else (1.0, value)
        if letter not in _AXES:
            raise ValueError('expected "x", "y", "z", "-x", "-y", "-z" or three numbers')
        return tuple(sign * component for component in _AXES[letter])
    vector = np.array([_number(component) for component in value], float)
    length = float(np.linalg.norm(vector)) if vector.shape == (3,) else 0.0
    if not (math.isfinite(length) and length > 0.0):
        raise ValueError("expected an axis: three numbers that are not all zero")
    return tuple(float(c) for c in vector / length)


def _name(value: str) -> str:
    if not NAME.fullmatch(value):
        raise ValueError("expected a name of letters, digits and _, beginning with a letter")
    return value


def _orientation(value):
    """dcm from three 1-2-3 angles or a quaternion (scalar first), as nested tuples."""
    from ..rotation import axis_angle_dcm, quaternion_dcm

    if isinstance(value, list | tuple) and len(value) == 4:
        q = np.array([_number(component) for component in value], float)
        norm = float(np.linalg.norm(q))
        if not (math.isfinite(norm) and norm > 0.0):
            raise ValueError("expected a quaternion that is not zero")
        dcm = quaternion_dcm(q / norm)
    elif isinstance(value, list | tuple) and len(value) == 3:
        dcm = np.eye(3)
        for axis, angle in zip(np.eye(3), value, strict=True):
            dcm = dcm @ axis_angle_dcm(axis, _angle(angle))
    else:
        raise ValueError("expected three 1-2-3 angles or a quaternion of four numbers")
    return tuple(tuple(float(c) for c in row) for row in dcm)


def _inertia(value):
    """(3, 3) from three principal moments, a table of xx … yz, or a matrix."""
    if isinstance(value, dict):
        names = ("xx", "yy", "zz", "xy", "xz", "yz")
        unknown = set(value) - set(names)
        if unknown or not {"xx", "yy", "zz"} <= set(value):
            raise ValueError("expected a table with xx, yy, zz and, where not zero, xy, xz, yz")
        xx, yy, zz, xy, xz, yz = (float(_number(value.get(name, 0.0))) for name in names)
        matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    else:
        matrix = np.array(value, float)
        if matrix.shape == (3,):
            matrix = np.diag(matrix)
    if matrix.shape != (3, 3) or not np.all(np.isfinite(matrix)):
        raise ValueError("expected three principal moments, a table of xx … yz, or a 3 × 3 matrix")
    if not np.allclose(matrix, matrix.T, rtol=1e-9, atol=0.0):
        raise ValueError("expected a symmetric inertia tensor")
    principal = np.sort(np.linalg.eigvalsh(matrix))
    slack = 1e-9 * max(principal[2], 0.0)
    if principal[0] < -slack:
        raise ValueError(f"expected no negative principal moment of inertia, but one is {principal[0]:.6g}")
    if principal[0] + principal[1] < principal[2] - slack:
        raise ValueError(
            f"expected the triangle inequality of principal moments, but {principal[0]:.6g} + {principal[1]:.6g} < {principal[2]:.6g}"
        )
    return tuple(tuple(float(c) for c in row) for row in matrix)


Number = Annotated[float, BeforeValidator(_number)]
Positive = Annotated[float, BeforeValidator(_number), Field(gt=0.0)]
NotNegative = Annotated[float, BeforeValidator(_number), Field(ge=0.0)]
Fraction = Annotated[float, BeforeValidator(_number), Field(ge=0.0, le=1.0)]
Angle = Annotated[float, BeforeValidator(_angle)]
Vector = tuple[Number, Number, Number]
AxisVector = Annotated[tuple[float, float, float], BeforeValidator(_axis)]
Orientation = Annotated[tuple, BeforeValidator(_orientation)]
Inertia = Annotated[tuple, BeforeValidator(_inertia)]
Name = Annotated[str, AfterValidator(_name)]
Place = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)?$")]
IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
