"""Andrews' squeezing mechanism: seven bodies, three loops, the published state at t = 0.03 s to seven digits.

Data and solution: IVP test set (Bari), problem "andrews"; the description beside this file says which angle is which.
Its spring pushes, so it is not a tether: a piece of its own here, which shows what a connection needs to be.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from spacefmu.dynamics.bodies.body import plain_node
from spacefmu.dynamics.constraints.connection import Connection, Effort
from spacefmu.dynamics.constraints.grip import End
from spacefmu.dynamics.constraints.rows import span
from spacefmu.dynamics.description import load
from spacefmu.dynamics.spacecraft import spacecraft_system
from tests.constraints.craft import balance, column, drift, run

PUBLISHED = {
    "beta.angle": 15.81077119629904,
    "Theta.angle": -15.75637105984298,
    "gamma.angle": 0.04082224013,
    "Phi.angle": -0.53473011632,
    "delta.angle": 0.52440996588,
    "Omega.angle": 0.53473011632,
    "epsilon.angle": 1.04808074104,
}


@dataclass(frozen=True)
class Spring(Connection):
    """A spring that pulls and pushes: F = k (D − L)."""

    name: str
    a: End
    b: End
    stiffness: float
    length: float

    def effort(self, view) -> Effort:
        distance, n = span(view.a, view.b)
        stretch = distance - self.length
        force = self.stiffness * stretch
        pull = np.concatenate([force * n, np.zeros(3)])  # a force, no torque
        return Effort(pull, -pull, 0.5 * force * stretch)


def mechanism():
    craft = load(Path(__file__).with_name("andrews.toml")).made_by[1]
    names = [link.body.name for link in craft.tree.links]
    k3 = names.index("K3")
    spring = Spring(
        "spring",
        End(k3, craft.tree.links[k3].body.nodes["D"]),
        End(-1, plain_node("C", [0.014, 0.072, 0.0])),
        4530.0,
        0.07785,
    )
    return spacecraft_system(replace(craft, couplings=(*craft.couplings, spring)))


def test_published_state():
    """Seven digits are asked for."""
    system, trajectory = run(mechanism(), 0.03, 7, u=np.array([0.033]), rtol=1e-11, atol=1e-11)
    found = {name: column(system, trajectory, name)[-1] for name in PUBLISHED}
    for name, value in PUBLISHED.items():
        assert abs(found[name] - value) < 1e-8 * max(abs(value), 1.0), (name, found[name], value)  # measured 1e-09
    energy = balance(system, trajectory)
    assert drift(energy) < 1e-9 * np.max(column(system, trajectory, "system.kinetic_energy"))  # measured 5e-12
