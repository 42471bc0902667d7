"""The inverse problem in a description: which motions are given, which drives are looked for."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..fields import Angle, FileName, Formula, Name, Place, Positive, Table


class PathTable(Table):
    """A motion that is given: of a node, or of a joint's axis. As formulas, as a table, or else by inputs of the FMU."""

    node: Place | None = Field(None, description='"body.node" or a body\'s frame')
    joint: str | None = Field(None, description='a joint, or an axis of it such as "wrist[2]"')
    follows: Literal["position", "attitude"] = Field(
        "position", description="of a node: its place, or its axes by a rotation vector"
    )
    along: Annotated[list[Literal["x", "y", "z"]], Field(min_length=1, max_length=3)] = Field(
        ["x", "y", "z"], description="of a position: which of its components are given"
    )
    formula: list[Formula] | None = Field(None, description="of time: one for each component, one for a joint")
    table: FileName | None = Field(
        None, description="a CSV file with the column time and one for each coordinate: waypoints of a quintic spline"
    )


class RedundancyTable(Table):
    """What more drives than given motions do with the rest."""

    aim: Literal["least_rates", "least_energy", "posture"] = "least_rates"
    """what is made least, or where joints are drawn to"""
    gain: Positive = Field(0.5, description="of a posture: how fast joints go back to it [1/s]")
    posture: dict[str, Angle] = Field({}, description="joint = position; those that are not named: where they start")


class InverseTable(Table):
    """Given motions in, joint motions and drive forces out."""

    paths: Annotated[dict[Name, PathTable], Field(min_length=1)]
    """motions that are given, by name"""
    actuators: list[str] = Field([], description="joints, axes such as wrist[2], free bodies; default: all driven axes")
    correction: Positive = Field(5.0, description="how fast errors of the path are taken back [rad/s]")
    still: Name | None = Field(None, description="a body that does not turn: a reactionless arm's base")
    still_about: Annotated[list[Literal["x", "y", "z"]], Field(min_length=1, max_length=3)] = Field(
        ["x", "y", "z"], description='about which axes of N it does not turn; of a planar arm: ["z"]'
    )
    redundancy: RedundancyTable | None = None
    """where there are more drives than given motions"""
