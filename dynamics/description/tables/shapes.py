"""Tables of shapes: what a body looks like in views and drawings."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..fields import AxisVector, FileName, Orientation, Positive, Table, Vector


class ShapeTable(Table):
    """What a body looks like in views and drawings; nothing of it enters the equations. Each kind has sizes of its own."""

    kind: Literal["box", "plate", "cylinder", "sphere", "dish", "mesh"]
    """which"""
    size: list[Positive] | None = Field(
        None, description="of a box: sides along its x, y, z; of a plate: along its axis and across [m]"
    )
    thickness: Positive | None = Field(None, description="of a plate [m]; default: a hundredth of its length")
    radius: Positive | None = Field(None, description="of a cylinder, sphere or dish [m]")
    length: Positive | None = Field(None, description="of a cylinder, along its axis [m]")
    depth: Positive | None = Field(None, description="of a dish [m]; default: a quarter of its radius")
    file: FileName | None = Field(None, description="of a mesh: .stl, .obj, .ply, .glb or .gltf")
    scale: Positive | None = Field(None, description="of a mesh: metres of one unit of the file; default 1")
    place: Vector | None = Field(
        None,
        description="of its centre (a dish: its apex; a mesh: the file's origin) in the body frame [m]; "
        "default: the mass centre of a rigid body; where a plate is clamped it begins at the frame",
    )
    axis: AxisVector | None = Field(
        None, description="of a cylinder or dish (default z), along a plate (default x), in body axes"
    )
    orientation: Orientation | None = Field(None, description="of the shape in the body frame, in place of an axis")
    color: Annotated[str, Field(pattern="^#[0-9a-fA-F]{6}$")] | None = Field(None, description='"#rrggbb"')
