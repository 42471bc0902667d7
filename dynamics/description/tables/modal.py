"""Tables of bodies with given modes: modal integrals, files of finite-element programs, geometric stiffness."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from pydantic import Field, model_validator

from ...modes.units import SETS
from ..fields import (
    Count,
    FileName,
    Listed,
    Name,
    NotNegative,
    Number,
    Positive,
    Table,
    Vector,
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
