"""Tables of bodies: rigid ones, and flexible ones with modes."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, model_validator

from ...bodies.thermal import ROOM
from ...joints.extension import EXTENDS
from ...modes.units import SETS
from ...picture.geometry import SHAPE
from ...spacecraft.body_outputs import OUTPUTS
from ...system.keys import Declaration
from ..declared import inner_table, one_of, table_of_keys
from ..fields import (
    IDENTITY,
    AxisVector,
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

AnyShape: Any = one_of(SHAPE)
Extends: Any = inner_table(EXTENDS)


class BeamProfile(Table):
    """Properties that vary along a beam in segments: factors of its mass per length and of its stiffnesses, at stations x/L, linear between them."""

    x: list[Number]
    """stations x/L, increasing from 0 to 1"""
    mass: list[Positive] | None = Field(
        None, description="factors of the mass per length, one per station; `mass` stays that of the whole beam"
    )
    bending_y: list[Positive] | None = Field(None, description="factors of bending_y, one per station")
    bending_z: list[Positive] | None = Field(None, description="factors of bending_z, one per station")
    torsion: list[Positive] | None = Field(None, description="factors of torsion, one per station")
    axial: list[Positive] | None = Field(None, description="factors of axial, one per station")
    curvature: list[Vector] | None = Field(
        None, description="curvature of the unloaded beam about its own x (twist), y and z, one per station [rad/m]"
    )


class BeamTable(Table):
    """A cantilever beam along `axis`; bending_y and bending_z are EI for displacements along the beam's y and z. With modes its
    deflections must be small; in segments they may be large."""

    length: Positive
    """[m]"""
    mass: Positive
    """mass of the whole beam, without the tip body [kg]"""
    axis: AxisVector = (1.0, 0.0, 0.0)
    """direction along the beam, outward, in body axes"""
    second_axis: AxisVector | None = Field(None, description="direction near the beam's y axis; default: chosen")
    bending_y: NotNegative = 0.0
    """EI for displacements along the beam's y [N m²]"""
    bending_z: NotNegative = 0.0
    """EI for displacements along the beam's z [N m²]"""
    torsion: NotNegative = 0.0
    """GJ [N m²]"""
    axial: NotNegative = 0.0
    """EA [N]"""
    polar_inertia: NotNegative | None = Field(
        None, description="inertia of a whole round beam about its axis [kg m²]; for other sections use section_inertia"
    )
    section_inertia: tuple[NotNegative, NotNegative] | None = Field(
        None,
        description="inertia of all sections about the beam's y and z [kg m²]: ∫z² dm, ∫y² dm; their sum is the inertia about the axis",
    )
    tip_mass: NotNegative = 0.0
    """mass of a rigid body at the tip [kg]"""
    tip_inertia: tuple[NotNegative, NotNegative, NotNegative] = Field(
        (0.0, 0.0, 0.0), description="inertia of the tip body about the beam's x, y, z [kg m²]"
    )
    modes: dict[Literal["bending_y", "bending_z", "torsion", "axial"], Annotated[Count, Field(le=40)]] = {}
    """number of modes of each kind; not with segments"""
    segments: Annotated[Count, Field(le=500)] | None = Field(
        None,
        description="number of segments, instead of modes; they bend, twist and stretch by large amounts in the ways for which a stiffness is given",
    )
    curvature: Vector = Field(
        (0.0, 0.0, 0.0),
        description="curvature of the unloaded beam in segments about its own x (twist), y and z [rad/m]",
    )
    profile: BeamProfile | None = Field(None, description="properties that vary along a beam in segments")
    mass_center: tuple[Number, Number] = Field(
        (0.0, 0.0), description="for a beam in segments: y and z of the sections' mass centre from the axis [m]"
    )
    tension_center: tuple[Number, Number] = Field(
        (0.0, 0.0),
        description="for a beam in segments with axial: y and z of the tension centre, where a pull does not bend it, from the axis [m]",
    )
    stiffening: Flag = Field(
        True, description="include second-order displacement (foreshortening), which stiffens a spinning beam"
    )
    extends: Extends | None = Field(
        None, description="part of it is stowed at the root: `length` and `mass` are of all of it"
    )


class Sandwich(Table):
    """Bending stiffnesses of a layered plate [N m]: moments along x and y, their coupling, and twist (D66; 2 D66 w_xy)."""

    d11: Positive
    """moment along x per curvature along x [N m]"""
    d22: Positive
    """moment along y per curvature along y [N m]"""
    d12: Number = 0.0
    """coupling of both moments and curvatures [N m]"""
    d66: Positive
    """twist [N m]"""


class PlateTable(Table):
    """A rectangular plate clamped at its edge x = 0, along `axis` outward; isotropic (bending, poisson) or a sandwich."""

    length: Positive
    """length along the axis [m]"""
    width: Positive
    """width along the clamped edge [m]"""
    mass: Positive
    """[kg]"""
    axis: AxisVector = (1.0, 0.0, 0.0)
    """direction outward from the clamped edge, in body axes"""
    second_axis: AxisVector | None = Field(
        None, description="direction near the clamped edge (the plate's y); default: chosen"
    )
    bending: Positive | None = Field(None, description="D = E h³/(12 (1 − ν²)) [N m]")
    poisson: Annotated[NotNegative, Field(le=0.5)] = 0.3
    """Poisson's ratio of an isotropic plate"""
    sandwich: Sandwich | None = None
    """bending stiffnesses by direction, instead of bending"""
    modes: Annotated[Count, Field(le=40)]
    """number"""
    stiffening: Flag = Field(True, description="include second-order displacement, which stiffens a spinning plate")


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


class GeometricRun(Table):
    """Geometric stiffness of a body under one loading (docs/modes.md); axes and origin are those of the body's frame."""

    acceleration: Vector = (0.0, 0.0, 0.0)
    """acceleration of the frame [m/s²]"""
    angular_acceleration: Vector = (0.0, 0.0, 0.0)
    """angular acceleration of the frame [rad/s²]"""
    angular_velocity: Vector = (0.0, 0.0, 0.0)
    """angular velocity of the frame [rad/s]"""
    force: Vector | None = Field(None, description="force at the node `at` [N]")
    at: Name | None = Field(None, description="node at which `force` acts")
    matrix: list[list[Number]] | None = Field(
        None, description="geometric stiffness of the modes under this loading, modes × modes [N/m]"
    )
    file: FileName | None = Field(
        None,
        description="stiffness of the loaded structure, in the same format as the body's file: CalculiX .sti, Nastran .op4 or .pch",
    )


class ModalNode(Table):
    """A node of a body whose modal integrals are given: position, and each mode's translation and rotation there."""

    position: Vector
    """position in the body frame [m]"""
    translation: list[Vector]
    """translation of each mode"""
    rotation: list[Vector] | None = None
    """rotation of each mode [rad/m]; default: none"""


class ModalTable(Table):
    """Modal integrals, one entry per mode; mass, mass_center and inertia of the undeformed body stand in the body's table.

    Names follow [jin1991] (34): s1 = ∫φ dm, h1 = ∫ρ×φ dm, h3 = ∫[(ρ·φ)E − ρφᵀ] dm, h4 = ∫φ_μ×φ_k dm,
    h5 = ∫[(φ_μ·φ_k)E − φ_μφ_kᵀ] dm, all in the body frame, about its origin.
    """

    frequency: list[Positive]
    """frequency of each mode [Hz]"""
    damping: Annotated[list[NotNegative], Listed()] | None = None
    """one damping ratio, or one per mode"""
    modal_mass: list[Positive] | None = Field(
        None, description="∫φ·φ dm of each mode; default: 1, mass-normalised shapes"
    )
    s1: list[Vector]
    """∫φ dm of each mode"""
    h1: list[Vector]
    """∫ρ×φ dm of each mode"""
    h3: list[list[Vector]] | None = None
    """∫[(ρ·φ)E − ρφᵀ] dm of each mode"""
    h4: list[list[Vector]] | None = None
    """∫φ_μ×φ_k dm of each pair of modes"""
    h5: list[list[list[Vector]]] | None = None
    """∫[(φ_μ·φ_k)E − φ_μφ_kᵀ] dm of each pair of modes"""
    nodes: dict[Name, ModalNode] = {}
    """nodes with their shapes"""
    geometric_stiffness: list[GeometricRun] = []
    """geometric stiffness under loadings"""


class ModeSelection(Table):
    """Modes of a file to keep: those that satisfy all given conditions. A single number means `first`."""

    first: Count | None = None
    """number of modes, from the lowest frequency on"""
    up_to: Positive | None = Field(None, description="highest frequency [Hz]")
    effective_mass: Annotated[NotNegative, Field(le=1.0)] | None = Field(
        None, description="smallest share of the mass, or of the inertia about the root, along some axis"
    )
    numbers: Annotated[list[Count], Field(min_length=1)] | None = Field(
        None, description="modes by number, from 1, in the order of frequency"
    )

    @model_validator(mode="before")
    @classmethod
    def _number_is_first(cls, value):
        return {"first": value} if isinstance(value, int) and not isinstance(value, bool) else value


class FileUnits(Table):
    """The file's units in SI units (m, kg, s), or the name of a consistent set of units."""

    length: Positive
    """the file's unit of length [m]"""
    mass: Positive
    """the file's unit of mass [kg]"""
    time: Positive = 1.0
    """the file's unit of time [s]"""

    @model_validator(mode="before")
    @classmethod
    def _of_a_set(cls, value):
        if isinstance(value, str) and value not in SETS:
            raise ValueError(f"expected one of {', '.join(SETS)}, or a table of length, mass and time in SI")
        return asdict(SETS[value]) if isinstance(value, str) else value


class FileScale(Table):
    """Factors on the whole body, to match a model to measurements."""

    mass: Positive = 1.0
    """factor on mass and inertia"""
    frequency: Positive = 1.0
    """factor on all frequencies"""


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
