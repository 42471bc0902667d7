"""Whose kinetic energy a mode is: of each body, T_i = ½ δvᵀ V_iᵀ M_i V_i δv with its partial velocities V_i ([jin1991]) and own mass matrix M_i."""

from __future__ import annotations

import numpy as np

from ..bodies.equations import mass_matrix
from ..signals import Bag
from ..spacecraft.motion import Dynamics
from ..spacecraft.structure import Spacecraft
from ..spacecraft.system import LINEAR
from ..system import System
from ..tree.kane import PartialVelocities
from ..tree.kinematics import move


def inertias(system: System, t, x, u, k, d) -> dict[str, np.ndarray]:
    """V_iᵀ M_i V_i (nx, nx) of each body by name, by all states (zero but for the speeds); nothing of a System that has other states."""
    _, craft = system.made_by or (None, None)
    if not isinstance(craft, Spacecraft) or craft.formulation in LINEAR:
        return {}
    dynamics = Dynamics(craft, system.signals)
    bag = Bag(system.signals, "parameters", np.asarray(k))
    scene = craft.environment.scene(t, dynamics.surroundings(x), Bag(system.signals, "inputs", np.asarray(u)), bag)
    tree = craft.tree
    bodies = move(tree, *dynamics.split(np.asarray(x)), bag, scene.space)
    V = PartialVelocities(tree, bodies)
    speeds = slice(tree.nq, tree.nq + tree.nv)
    found = {}
    for i, body in enumerate(bodies):
        own = np.zeros((len(x), len(x)))
        own[speeds, speeds] = V[i].T @ mass_matrix(body.integrals, body.eta) @ V[i]
        found[tree.links[i].body.name] = own
    return found
