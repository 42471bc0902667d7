"""Tables of couplings beyond the tree, of relations between joints, and of cables."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..fields import (
    IDENTITY,
    Angle,
    AxisVector,
    Count,
    Flag,
    Fraction,
    Name,
    NotNegative,
    Number,
    Orientation,
    Place,
    Positive,
    Table,
    Vector,
)

SHORTEST_CABLE = 1e-9  # [m]


class Latch(Table):
    """Closes a coupling once a joint has passed a position, coming from where it starts."""

    joint: str = Field(description='a joint of one axis, or an axis of another: "gimbal[2]"')
    at: Angle
    """position of the axis [m or rad]"""


class Driven(Table):
    """A prescribed value: its acceleration is an input, position and rate are states that start here."""

    position: Angle = 0.0
    """start of what is prescribed [m or rad]"""
    rate: Number = 0.0
    """its start [m/s or rad/s]"""


class CouplingTable(Table):
    """A condition between two places of bodies (body, body.node, or space). `b` is held relative to `a`."""

    kind: Literal[
        "fixed", "spherical", "revolute", "universal", "prismatic", "cylindrical", "planar", "translational",
        "point_on_line", "point_in_plane", "distance",
        "translation_along_two", "translation_along_one", "no_translation",
        "rotation_about_two", "rotation_about_one", "no_rotation", "knife_edge", "rolling_ball", "rolling_disc",
    ]  # fmt: skip
    """what stays"""
    a: Place
    """a body, one of its nodes, or `space`"""
    b: Place
    """the same; held relative to a"""
    place_a: Vector | None = Field(None, description="in the frame of body a, or in space; not with a node")
    place_b: Vector | None = None
    """in the frame of body b; not with a node"""
    axis: AxisVector = Field(
        (0.0, 0.0, 1.0), description="the coupling's axis, in the axes of a: hinge, slide, normal, blocked direction"
    )
    axis_b: AxisVector | None = Field(None, description="the same in the axes of b; default: the same numbers")
    orientation: Orientation = Field(
        IDENTITY, description="of b's axes relative to a's, where the kind fixes all of it"
    )
    length: Positive | None = Field(None, description="of a distance")
    radius: Positive | None = Field(None, description="of a rolling ball or disc")
    driven: Driven | None = Field(None, description="one-row kinds: the condition's value is prescribed")
    switched: Flag = Field(False, description="opened and closed by the Boolean input NAME.close")
    closed: Flag = Field(False, description="start value of that input")
    capture: Positive | None = Field(None, description="closes only with the places this near [m]")
    latch: Latch | None = None
    """closes it once a joint gets somewhere"""


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


class SpringTable(Table):
    """A spring and damper along the line between two places; it pulls and pushes."""

    a: Place
    """first end: a body, body.node or space"""
    b: Place
    """second end"""
    place_a: Vector | None = None
    """in the frame of body a, or in space; not with a node"""
    place_b: Vector | None = None
    """the same of b"""
    length: NotNegative = 0.0
    """unstretched length [m]; zero is legal"""
    stiffness: NotNegative = 0.0
    """[N/m]"""
    damping: NotNegative = 0.0
    """[N s/m]"""
    force: Flag = False
    """true: the input NAME.force pushes the ends apart"""


class PairTable(Table):
    """A force and a torque between two places, as inputs: on b in the axes of a, and the opposite on a at the same point."""

    a: Place
    """first end: a body, body.node or space; the inputs are in its axes"""
    b: Place
    """second end, where the force acts"""
    place_a: Vector | None = None
    """in the frame of body a, or in space; not with a node"""
    place_b: Vector | None = None
    """the same of b"""


class Reel(Table):
    """A reel drives the cable's length: input NAME.reel.acceleration."""

    rate: Number = 0.0
    """start of the length's rate [m/s]"""


class CableTable(Table):
    """A cable between two places that only pulls: inextensible, elastic, or a chain of beads."""

    kind: Literal["inextensible", "elastic", "beaded"] = "inextensible"
    """what it is made of"""
    a: Place
    """a body, one of its nodes, or `space`"""
    b: Place
    """the same"""
    place_a: Vector | None = None
    """in the frame of body a; not with a node"""
    place_b: Vector | None = None
    """in the frame of body b; not with a node"""
    length: Annotated[float, Field(ge=SHORTEST_CABLE)]
    """without tension [m]"""
    restitution: Fraction = 0.0
    """of an inextensible cable that tightens: share of the speed that is given back"""
    nominal_tension: Positive = 1.0
    """scales the event indicator of an inextensible cable [N]"""
    stiffness: Positive | None = Field(None, description="of the whole cable [N/m]")
    damping: NotNegative | None = Field(None, description="of the whole cable [N s/m]")
    mass: Positive | None = None
    """of all beads together [kg]"""
    beads: Annotated[Count, Field(le=2000)] | None = None
    """how many"""
    reel: Reel | None = None
    """drives the length"""
