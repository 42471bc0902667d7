"""The structure of a spacecraft: frozen tables of small pieces."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..bodies.extending import Extending
from ..environment import Environment
from ..joints.forces import JointForces
from ..joints.kinds import FreeJoint
from ..loads.actuator import Actuator
from ..system.pieces import Piece
from ..system.signals import State
from ..tanks.propulsion import Propulsion
from ..tree.topology import Tree
from .given_start import GivenStart

WORK_STATES = (
    State("system.work", "work done by all inputs since the start", "J", derivative="system.input_power",
          derivative_unit="W", derivative_description="power of all inputs", quadrature=True, reinit=True),
    State("system.dissipated_energy", "energy dissipated in joints, wheels, modes and tethers, and lost in impacts, since the start", "J",
          derivative="system.dissipated_power", derivative_unit="W", derivative_description="power dissipated", quadrature=True, reinit=True),
)  # fmt: skip


@dataclass(frozen=True)
class LinkJoint:
    """The joint of a link by name, the forces in it, and its initial values q, v, η, η̇."""

    name: str
    forces: JointForces
    q0: np.ndarray
    v0: np.ndarray
    eta0: np.ndarray
    eta_dot0: np.ndarray


@dataclass(frozen=True)
class Spacecraft:
    """`joints[i]` belongs to `tree.links[i]`. `sensors` are output pieces (spacefmu.dynamics.spacecraft.outputs), with the connections that they watch."""

    name: str
    description: str
    tree: Tree
    joints: tuple[LinkJoint, ...]
    loads: tuple = ()
    couplings: tuple = ()
    environment: Environment = field(default_factory=Environment)
    sensors: tuple = ()
    size: float = 1.0  # a length [m] to scale constraint residuals with
    experiment: dict = field(default_factory=lambda: {"stop": 10.0, "step": 0.01, "tolerance": 1e-8})
    documentation: str = ""
    fixed_at_build: tuple[str, ...] = ()
    given_start: GivenStart = field(default_factory=lambda: GivenStart(()))
    propulsion: Propulsion = field(default_factory=Propulsion)  # thrusters that burn what is in tanks
    actuators: tuple[Actuator, ...] = ()  # limits and lags between commands and inputs
    formulation: str = (
        "tree"  # or "closed", "light", "linear", "exact_linear": those of [tkachev] (spacefmu.dynamics.satellite)
    )

    def pieces(self) -> list[Piece]:
        """All pieces that act, in the order of their quantities; pieces with outputs only and couplings follow."""
        links: list[Any] = [
            piece
            for link, joint in zip(self.tree.links, self.joints, strict=True)
            for piece in (link.body, link, joint.forces)
        ]
        return [*links, *self.loads, self.propulsion, self.environment]

    def axes(self, tree: Any) -> list[tuple[JointForces, slice, slice]]:
        """The forces along axes that can be driven, locked or stopped, with their coordinates in q and speeds in v: for each link its body's length, then its
        joint.

        tree: the dynamics' own, whose coordinates may be others than those of `self.tree` (natural coordinates).
        """
        found = []
        for i, (link, joint) in enumerate(zip(self.tree.links, self.joints, strict=True)):
            if isinstance(link.body, Extending):
                found.append((link.body.axis, tree.mode_q[i], tree.mode_v[i]))
            found.append((joint.forces, tree.joint_q[i], tree.joint_v[i]))
        return found

    @property
    def held_lengths(self) -> bool:
        """Whether a body's length is prescribed or can be locked: rows hold it."""
        bodies = (link.body for link in self.tree.links)
        return any(body.axis.prescribed or body.axis.locks for body in bodies if isinstance(body, Extending))

    @property
    def watches(self) -> tuple[Any, ...]:
        """Connections without forces that only store the past values that output pieces and light need, each once (spacefmu.dynamics.environment.following,
        eclipse)."""
        pieces = (*self.sensors, self.propulsion, self.environment)
        found = {watch.name: watch for piece in pieces for watch in getattr(piece, "watches", ())}
        return tuple(found.values())

    @property
    def tied(self) -> bool:
        """Whether the frame S that carries the roots does work where it turns: a joint other than a free one stands in it, or a connection ends there."""
        held = any(link.parent < 0 and not isinstance(link.joint, FreeJoint) for link in self.tree.links)
        return held or any(min(coupling.a.body, coupling.b.body) < 0 for coupling in self.couplings)

    @property
    def rows(self) -> int:
        """Rows of all couplings."""
        return sum(coupling.rows for coupling in self.couplings)
