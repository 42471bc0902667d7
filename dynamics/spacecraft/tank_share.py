"""The outputs of a tank, and its share of every total."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra.rotation import cross
from ..algebra.scalar import where
from ..bodies.body import INERTIA_ELEMENTS
from ..bodies.equations import momenta
from ..system.pieces import Piece, output
from ..tanks.flow import outflows
from ..tanks.tank import Tank, spread_of
from ..tree.topology import Tree
from .outputs import ZEROS, Instant


@dataclass(frozen=True)
class TankShare(Piece):
    """The share of a tank in every total."""

    tank: Tank

    # fmt: off
    fill = output("propellant in {self.name} over its capacity", "1")
    flow = output("propellant that leaves {self.name}", "kg/s")
    mass = output("mass of {self.name} with its propellant", "kg")
    mass_center = output("mass centre of {self.name} with its propellant, from its place, in axes of its place", "m", ZEROS)
    inertia = output("inertia tensor of {self.name} with its propellant about their mass centre, in axes of its place: xx, yy, zz, xy, xz, yz", "kg.m2", (0.0,) * 6)
    momentum = output("momentum of {self.name} with its propellant, which rests in it, in axes of N", "N.s", ZEROS)
    angular_momentum = output("angular momentum of {self.name} with its propellant about the system's mass centre, in axes of N", "N.m.s", ZEROS)
    kinetic_energy = output("kinetic energy of {self.name} with its propellant", "J")
    # fmt: on

    @property
    def name(self) -> str:
        return self.tank.name

    def values(self, instant: Instant):
        moment = instant.moment
        body = moment.bodies[link_of(moment.tree, self.tank)]
        mass, first = body.integrals.mass, body.integrals.first
        center = first / where(mass > 0.0, mass, 1.0)
        about = body.integrals.inertia - mass * spread_of(np.outer(center, center))
        own = momenta(body.integrals, body.equations[0], body.speeds)
        momentum, angular = body.dcm_NB @ own[:3], body.dcm_NB @ own[3:6]
        angular = angular + cross(body.position_N - instant.totals.mass_center, momentum)
        fill = moment.x[self.tank.propellant] / moment.k[self.tank.capacity]
        six = [about[place] for place in INERTIA_ELEMENTS.values()]
        drawn = outflows([jet.burner for jet in moment.propelling.jets], [jet.flow for jet in moment.propelling.jets])
        scalars = [fill, drawn.get(self.name, 0.0), mass]
        return np.concatenate([scalars, center, six, momentum, angular, [0.5 * (own @ body.speeds)]])


def link_of(tree: Tree, tank: Tank) -> int:
    """The number of a tank in the tree."""
    return next(i for i, link in enumerate(tree.links) if link.body.name == tank.name)
