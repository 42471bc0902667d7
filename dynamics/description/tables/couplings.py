"""Tables of relations between joints and of conditions by formulas; those of couplings, cables, springs and pairs stand with their pieces."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from ...constraints.drive import DRIVEN
from ..declared import inner_table
from ..fields import Angle, Name, Number, Table

Driven: Any = inner_table(DRIVEN)


class RelationTable(Table):
    """Σ ratio × coordinate = offset, of joint axes: gears and differentials. Keys are joints, or "joint[2]"."""

    terms: Annotated[dict[str, Number], Field(min_length=1)]
    """ratio of each joint axis"""
    offset: Angle = 0.0
    """the sum's value [m or rad]"""
    level: Literal["position", "velocity"] = "position"
    """held as a position, or as a velocity alone"""
    driven: Driven | None = None
    """the sum is prescribed"""


Formula = Annotated[Number | str, Field(description="a number, or a formula in coordinates, constants and time")]


class ConditionTable(Table):
    """Σ coefficient × speed + drift = 0, keys are speeds among the states: "arm.rate", "hub.velocity[1]"; or position = 0."""

    terms: Annotated[dict[str, Formula], Field(min_length=1)] | None = None
    """coefficient of each speed"""
    position: Formula | None = None
    """in place of terms: a formula in coordinates and time that is held at zero"""
    drift: Formula = 0.0
    """added to the sum"""
    constants: dict[Name, Number] = Field({}, description="numbers by name, which are FMU parameters")
    let: dict[Name, Formula] = Field({}, description="parts of formulas by name; each may name those before it")
