"""What a description can hold, one file a topic. The classes are the reference: editors get a JSON schema made from them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..fields import Name
from .actuators import SensorTable, ThrusterTable, WheelTable
from .bodies import BodyTable
from .controllers import AttitudeControllerTable
from .couplings import CableTable, ConditionTable, CouplingTable, RelationTable
from .environment import DipoleTable, EnvironmentTable, SurfaceTable
from .header import Header
from .inverse import InverseTable
from .joints import JointTable


class SpacecraftTable(Header):
    """A spacecraft: bodies in a tree of joints, with actuators, sensors, couplings and cables."""

    kind: Literal["spacecraft"] = "spacecraft"
    bodies: Annotated[dict[Name, BodyTable], Field(min_length=1)]
    joints: dict[Name, JointTable] = {}
    thrusters: dict[Name, ThrusterTable] = {}
    wheels: dict[Name, WheelTable] = {}
    sensors: dict[Name, SensorTable] = {}
    couplings: dict[Name, CouplingTable] = {}
    relations: dict[Name, RelationTable] = {}
    conditions: dict[Name, ConditionTable] = {}
    cables: dict[Name, CableTable] = {}
    environment: EnvironmentTable = EnvironmentTable()
    surfaces: dict[Name, SurfaceTable] = {}
    dipoles: dict[Name, DipoleTable] = {}
    inverse: InverseTable | None = None


DESCRIPTIONS = {"spacecraft": SpacecraftTable, "attitude_controller": AttitudeControllerTable}
