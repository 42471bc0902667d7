"""What a description can hold, one file a topic. The classes are the reference: editors get a JSON schema made from them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from ...constraints.force_elements import PAIR, SPRING
from ...constraints.table import COUPLING
from ...joints.table import JOINT
from ...tether.table import CABLE
from ..declared import one_of, table_of_keys
from ..fields import Name, Table
from .actuators import SensorTable, ThrusterTable, WheelTable
from .bodies import BodyTable
from .couplings import ConditionTable, RelationTable
from .environment import DipoleTable, EnvironmentTable, SurfaceTable
from .header import Header
from .inverse import InverseTable

AnyJoint: Any = one_of(JOINT)
AnyCoupling: Any = one_of(COUPLING)
AnyCable: Any = one_of(CABLE)
SpringTable: Any = table_of_keys("SpringTable", SPRING)
PairTable: Any = table_of_keys("PairTable", PAIR)


class ParametersTable(Table):
    """Parameters of the FMU: without this table all of them can be set."""

    live: list[str]
    """names of those that can be set, whole arrays by their name, * for any text; all others become constants"""


class SpacecraftTable(Header):
    """A spacecraft: bodies in a tree of joints, with actuators, sensors, couplings and cables."""

    kind: Literal["spacecraft"] = "spacecraft"
    """kind of description"""
    formulation: Literal["tree", "natural", "closed", "light", "linear", "exact_linear"] = "tree"
    """equations of the tree; of points and vectors fixed in rigid bodies [liu1998]; of a satellite the closed form of [tkachev], its light or linear form, or its exact linearization"""
    bodies: Annotated[dict[Name, BodyTable], Field(min_length=1)]
    """rigid and flexible bodies, at least one"""
    joints: dict[Name, AnyJoint] = {}
    """how bodies are connected"""
    thrusters: dict[Name, ThrusterTable] = {}
    """forces along a direction"""
    wheels: dict[Name, WheelTable] = {}
    """reaction wheels"""
    sensors: dict[Name, SensorTable] = {}
    """gyros, accelerometers"""
    couplings: dict[Name, AnyCoupling] = {}
    """conditions between two places: closed loops, docking, contacts"""
    relations: dict[Name, RelationTable] = {}
    """gears and differentials between joint axes"""
    conditions: dict[Name, ConditionTable] = {}
    """conditions by formulas: linear in speeds, or held as positions"""
    cables: dict[Name, AnyCable] = {}
    """cables that only pull"""
    springs: dict[Name, SpringTable] = {}
    """springs and dampers along a line, which pull and push"""
    pairs: dict[Name, PairTable] = {}
    """forces and torques between two bodies"""
    environment: EnvironmentTable = EnvironmentTable()
    """frame, gravity, Sun, air, magnetic field"""
    surfaces: dict[Name, SurfaceTable] = {}
    """flat surfaces in sunlight and air"""
    dipoles: dict[Name, DipoleTable] = {}
    """magnetic dipoles"""
    parameters: ParametersTable | None = None
    """which parameters stay settable, and which become numbers of the equations"""
    inverse: InverseTable | None = None
    """given motions, from which forces are computed"""
