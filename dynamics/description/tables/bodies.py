"""Tables of bodies: rigid ones, and flexible ones with modes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from ...bodies.thermal import ROOM
from ...modes.units import SETS
from ...picture.geometry import SHAPE
from ...spacecraft.body_outputs import OUTPUTS
from ...system.keys import Declaration
from ..declared import one_of, table_of_keys
from ..fields import (
    IDENTITY,
    Count,
    FileName,
    Flag,
    Inertia,
    Listed,
    Name,
    NodeNames,
    NodePlace,
    NotNegative,
    Number,
    Orientation,
    Positive,
    Table,
    Vector,
    also_as,
)
from .elastic import BeamTable, PlateTable
from .modal import FileScale, FileUnits, GeometricRun, ModalTable, ModeSelection

AnyShape: Any = one_of(SHAPE)


class ThermalTable(Table):
    """Temperatures of a flexible body's sections, as inputs that load its modes (docs/descriptions/thermal.md).

    A beam or plate has `expansion`, `thickness` and `sections`; a body with given modes has `loads` and `mean_loads`, one row per section.
    """

    expansion: Number | None = Field(None, description="coefficient of thermal expansion [1/K]")
    thickness: Positive | dict[Literal["y", "z"], Positive] | None = Field(
        None,
        description="distance between the faces [m] (of a tube: diameter); for a beam with different values by axis: { y = 0.02 }",
    )
    sections: Count | tuple[Count, Count] = Field(
        1,
        description="number of sections along the body; for a plate also [along, across]; for a beam in segments a divisor of their number",
    )
    reference_temperature: Positive = Field(
        ROOM, description="temperature at which a body with axial modes has its nominal length [K]"
    )
    static_shapes: Flag = Field(
        True,
        description="one static shape per section in addition to the modes: deflection and slope under steady temperatures are exact",
    )
    static_damping: NotNegative = Field(0.5, description="damping ratio of the static shapes")
    loads: dict[Literal["x", "y", "z"], list[list[Number]]] = Field(
        {},
        description="for given modes: load of 1 K between the faces along an axis on each mode [N], one row per section",
    )
    mean_loads: list[list[Number]] | None = Field(
        None, description="for given modes: load of 1 K of mean temperature on each mode [N], one row per section"
    )
    places: list[Name] = Field(
        [], description="for given modes: the node at the middle of each section, for the sunlight on it"
    )


class BodyInitial(Table):
    """Start of a body that is free in space, and of its modes."""

    at: str = "frame"
    """node whose position and velocity are given; default: the body frame"""
    position: Vector = (0.0, 0.0, 0.0)
    """position of the body frame, or of `at` [m]"""
    orientation: Orientation = IDENTITY
    """attitude of the body frame"""
    velocity: Vector = (0.0, 0.0, 0.0)
    """velocity of the body frame, or of `at` [m/s]"""
    angular_velocity: Vector = (0.0, 0.0, 0.0)
    """angular velocity in body axes [rad/s]"""
    amplitudes: list[Number] = []
    """amplitudes of the modes"""
    rates: list[Number] = []
    """rates of the modes [1/s]"""


class _BodyTable(Table):
    """A rigid body (mass, mass_center, inertia), or a flexible one (beam, plate, file, nodal_table, or those with modal or modal_file)."""

    mass: NotNegative | None = None
    """[kg]"""
    mass_center: Vector = (0.0, 0.0, 0.0)
    """position in the body frame [m]"""
    inertia: Inertia | None = Field(None, description="inertia about the mass centre, in body axes")
    beam: BeamTable | None = None
    """a cantilever beam"""
    plate: PlateTable | None = None
    """a cantilever plate"""
    nodal_table: FileName | None = Field(
        None, description="a file of nodes with masses and mode shapes: .csv, .json or .npz"
    )
    modal: ModalTable | None = Field(
        None, description="modal integrals, in addition to mass, mass_center and inertia of the undeformed body"
    )
    modal_file: FileName | None = Field(None, description="the same table from a file: .json or .npz")
    file: FileName | None = Field(None, description="a file of a finite-element program (docs/modes.md)")
    geometry: FileName | None = Field(
        None, description="a second file where `file` lacks its nodes: bulk data, 42's nodes file"
    )
    units: FileUnits | None = Field(
        None,
        description="units of the file: SI, mm-t-s, in-lbf-s, …, or its units of length, mass and time in SI",
        json_schema_extra=also_as({"enum": list(SETS)}),
    )
    root: NodeNames | None = Field(None, description="node(s) of the file to which the body's frame is fixed")
    origin: Vector | None = Field(
        None, description="origin of the body's frame, in the file's axes [m]; default: the root"
    )
    modes: ModeSelection | None = Field(
        None,
        description="modes of the file to keep",
        json_schema_extra=also_as({"type": "integer", "minimum": 1}),
    )
    residual: list[Name] = Field(
        [], description="named nodes whose static deflection is exact: one static shape per load"
    )
    residual_damping: NotNegative = Field(0.5, description="damping ratio of the static shapes")
    residual_frequency: Positive | None = Field(
        None,
        description="static shapes are limited to this frequency [Hz] (quasi-static); their static deflection stays exact",
    )
    scale: FileScale = FileScale()
    """factors on mass and frequencies of the file"""
    damping: Annotated[list[NotNegative], Listed()] | None = Field(
        None, description="one damping ratio, or one per mode"
    )
    lines: list[Annotated[list[str], Field(min_length=2)]] = Field(
        [],
        description='for a nodal table: nodes along each line of a tree, outward from "frame" or from a node of an earlier line; the body stiffens along these lines',
    )
    geometric_stiffness: list[GeometricRun] = Field(
        [], description="for given modes: geometric stiffness under loadings, so that the body stiffens when it spins"
    )
    nodes: dict[Name, NodePlace] = Field(
        {}, description="named places: positions, x/L of a beam, [x/L, y/W] of a plate, or nodes of the file"
    )
    thermal: ThermalTable | None = None
    """temperatures of the sections of a flexible body"""
    forces_at: list[Name] = Field([], description='nodes with force and torque inputs; "frame" is the body frame')
    shape: Annotated[list[AnyShape], Listed()] | None = Field(
        None, description="shape in views and drawings: one part, or a list of parts"
    )
    initial: BodyInitial = BodyInitial()
    """start of a free body and of its modes"""


if TYPE_CHECKING:
    BodyTable = _BodyTable
else:  # with the keys that ask for outputs
    _SHOWN = {key: declared for row in OUTPUTS.values() for key, declared in row.keys.items()}
    BodyTable = table_of_keys("BodyTable", Declaration(_BodyTable.__doc__, _SHOWN, None), _BodyTable)
