"""The inverse problem in a description: which motions are prescribed, which drives are computed."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..fields import Angle, FileName, Formula, Name, Place, Positive, Table


class PathTable(Table):
    """A prescribed motion of a node, or of a joint's axis, by formulas, by a table, or else by inputs of the FMU."""

    node: Place | None = Field(None, description='"body.node" or a body\'s frame')
    joint: str | None = Field(None, description='a joint, or an axis of it such as "wrist[2]"')
    follows: Literal["position", "attitude"] = Field(
        "position", description="for a node: its position, or its attitude as a rotation vector"
    )
    along: Annotated[list[Literal["x", "y", "z"]], Field(min_length=1, max_length=3)] = Field(
        ["x", "y", "z"], description="for a position: its prescribed components"
    )
    formula: list[Formula] | None = Field(None, description="formulas in time: one per component, one for a joint")
    table: FileName | None = Field(
        None, description="a CSV file with a column time and one column per coordinate: waypoints of a quintic spline"
    )


class RedundancyTable(Table):
    """How to use more drives than prescribed motions."""

    aim: Literal["least_rates", "least_energy", "posture"] = "least_rates"
    """objective: what is minimised, or the posture to approach"""
    gain: Positive = Field(0.5, description="for a posture: rate at which joints return to it [1/s]")
    posture: dict[str, Angle] = Field({}, description="joint = position; default: the start positions")


class InverseTable(Table):
    """Prescribed motions in; joint motions, drive forces and torques out."""

    paths: Annotated[dict[Name, PathTable], Field(min_length=1)]
    """prescribed motions, by name"""
    actuators: list[str] = Field([], description="joints, axes such as wrist[2], free bodies; default: all driven axes")
    correction: Positive = Field(5.0, description="error-correction bandwidth of the path [rad/s]")
    still: Name | None = Field(None, description="a body that must not rotate: the base of a reactionless arm")
    still_about: Annotated[list[Literal["x", "y", "z"]], Field(min_length=1, max_length=3)] = Field(
        ["x", "y", "z"], description='axes of N about which it must not rotate; for a planar arm: ["z"]'
    )
    redundancy: RedundancyTable | None = None
    """objective if there are more drives than prescribed motions"""
