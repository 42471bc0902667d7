"""Tables of elastic bodies that follow from their sizes: beams and plates."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from ...joints.extension import EXTENDS
from ..declared import inner_table
from ..fields import (
    AxisVector,
    Count,
    Flag,
    NotNegative,
    Number,
    Positive,
    Table,
    Vector,
)

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
