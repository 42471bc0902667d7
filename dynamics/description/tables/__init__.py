"""The tables and keys of descriptions, one file per topic. The classes are the reference: the JSON schema for editors is generated from them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from ...environment.table import environment_keys
from ...joints.table import JOINT
from ...loads.command_path import real
from ...system.keys import Kinds
from ..declared import MadeTable, inner_table, one_of, table_of_keys
from ..fields import Name, Table
from ..groups import GROUPS, EntryGroup
from .bodies import BodyTable
from .header import Header
from .inverse import InverseTable

AnyJoint: Any = one_of(real(JOINT))
EnvironmentTable: Any = inner_table(environment_keys())


class ParametersTable(Table):
    """Parameters of the FMU; without this table all of them are settable."""

    live: list[str]
    """names of the parameters that stay settable; an array's name selects all its elements, * matches any text; all others become constants"""


class CraftTable(Header):
    """A spacecraft: bodies in a tree of joints, with actuators, sensors, couplings and cables."""

    kind: Literal["spacecraft"] = "spacecraft"
    """kind of description"""
    formulation: Literal["tree", "natural", "closed", "light", "linear", "exact_linear"] = "tree"
    """equations of motion: of the tree of joints; of points and vectors fixed in rigid bodies [liu1998]; or, for a satellite, the closed form of [tkachev], its light or linear form, or its exact linearization"""
    bodies: Annotated[dict[Name, BodyTable], Field(min_length=1)]
    """rigid and flexible bodies, at least one"""
    joints: dict[Name, AnyJoint] = {}
    """how bodies are connected"""
    environment: EnvironmentTable = EnvironmentTable()
    """frame, gravity, Sun, atmosphere, magnetic field"""
    parameters: ParametersTable | None = None
    """which parameters stay settable, and which become constants"""
    inverse: InverseTable | None = None
    """prescribed motions, from which forces are computed"""


def _entries(name: str, group: EntryGroup) -> Any:
    """The key of a group: its entries by name."""
    entries = group.entries
    one = (
        one_of(entries)
        if isinstance(entries, Kinds)
        else table_of_keys(f"{name.removesuffix('s').title()}Table", entries)
    )
    return dict[Name, one], Field({}, description=group.text)  # type: ignore[valid-type]  # made when it runs


SpacecraftTable: Any = create_model(
    "SpacecraftTable",
    __base__=(CraftTable, MadeTable),
    __doc__=CraftTable.__doc__,
    **{name: _entries(name, group) for name, group in GROUPS.items()},
)
