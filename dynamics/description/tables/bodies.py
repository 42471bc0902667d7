"""Tables of bodies: rigid ones, and flexible ones with modes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from ..fields import IDENTITY, AxisVector, Fraction, Inertia, Name, NotNegative, Number, Orientation, Positive, Table, Vector, listed


class BeamTable(Table):
    """A uniform cantilever beam along `axis`; bending_y and bending_z are EI for displacements along the beam's y and z."""

    length: Positive
    mass: Positive
    axis: AxisVector = (1.0, 0.0, 0.0)
    second_axis: AxisVector | None = Field(None, description="direction near the beam's y axis; default: chosen")
    bending_y: NotNegative = 0.0
    bending_z: NotNegative = 0.0
    torsion: NotNegative = 0.0
    axial: NotNegative = 0.0
    polar_inertia: NotNegative = Field(0.0, description="of the whole beam about its axis [kg m²]")
    tip_mass: NotNegative = 0.0
    tip_inertia: tuple[NotNegative, NotNegative, NotNegative] = (0.0, 0.0, 0.0)
    modes: dict[Literal["bending_y", "bending_z", "torsion", "axial"], Annotated[int, Field(ge=1, le=40)]]


class BodyInitial(Table):
    """Start of a body that is free in space, and of its modes."""

    position: Vector = (0.0, 0.0, 0.0)
    orientation: Orientation = IDENTITY
    velocity: Vector = (0.0, 0.0, 0.0)
    angular_velocity: Vector = (0.0, 0.0, 0.0)
    amplitudes: list[Number] = []
    rates: list[Number] = []


class BodyTable(Table):
    """A rigid body (mass, mass_center, inertia) or a flexible one (beam)."""

    mass: Positive | None = None
    mass_center: Vector = (0.0, 0.0, 0.0)
    inertia: Inertia | None = Field(None, description="about the mass centre, body axes")
    beam: BeamTable | None = None
    damping: Annotated[list[Fraction], BeforeValidator(listed)] = Field([0.0], description="damping ratio, one or one a mode")
    nodes: dict[Name, Vector | Fraction] = Field({}, description="named places: positions, or x/L of a beam")
    forces_at: list[Name] = Field([], description='nodes with force and torque inputs; "frame" is the body frame')
    initial: BodyInitial = BodyInitial()
