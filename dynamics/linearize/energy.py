"""Each body's share of a mode's kinetic energy: T_i = ½ δvᵀ V_iᵀ M_i V_i δv with its partial velocities V_i ([jin1991]) and mass matrix M_i."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..spacecraft.motion import Dynamics
from ..spacecraft.structure import Spacecraft
from ..spacecraft.system import LINEAR, spacecraft_system
from ..system.contract import System
from ..tree.kane import PartialVelocities
from ..tree.kinematics import Moving


@dataclass(frozen=True)
class Posture:
    """A spacecraft at one instant: its bodies in motion, their partial velocities, and the places of its speeds among its states."""

    craft: Spacecraft
    bodies: list[Moving]
    V: PartialVelocities
    speeds: slice

    @staticmethod
    def of(system: System, t, x, u, k, d) -> Posture | None:
        """None for a System whose states are not joint coordinates: a block, a linear form, natural coordinates."""
        made: Any = system.made_by or (None, None)
        maker, craft = made
        if maker is not spacecraft_system or craft.formulation in LINEAR:
            return None
        dynamics = Dynamics(craft, system.signals)
        bodies, _ = dynamics.placed(t, np.asarray(x), np.asarray(u), np.asarray(k), np.asarray(d))
        return Posture(craft, bodies, PartialVelocities(craft.tree, bodies), dynamics.states["speeds"])


def inertias(posture: Posture, size: int) -> dict[str, np.ndarray]:
    """V_iᵀ M_i V_i (size, size) of each body by name, by all states (zero but for the speeds); segments count as their beam."""
    found: dict[str, np.ndarray] = {}
    for i, body in enumerate(posture.bodies):
        own = np.zeros((size, size))
        V = posture.V[i]
        own[posture.speeds, posture.speeds] = V.T @ body.equations[0].matrix @ V
        link = posture.craft.tree.links[i]
        name = getattr(link.body, "beam", link.body).name
        found[name] = found[name] + own if name in found else own
    return found
