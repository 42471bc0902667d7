"""All propulsion of a craft with tanks: its loads at one time, its states, and its outputs in addition to the thrusters' flows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..algebra.rotation import cross
from ..system.pieces import Piece, state
from ..system.signals import Bag
from ..tree.kinematics import Moving, Place, place_on
from ..tree.topology import Tree
from .burner import Burner
from .flow import BodyFlow, DrawnFrom, Jetting, body_flows, jets, outflows
from .tank import Tank


@dataclass(frozen=True)
class Propelling:
    """Propulsion at one instant: its thrusters with their places, and the flows through bodies."""

    jets: list[Jetting]
    nozzles: list[Place]
    flows: list[BodyFlow]
    drawn: list[DrawnFrom]

    @property
    def dissipated(self):
        """Power that slosh loses as tanks drain [W]."""
        return sum((each.lost for each in self.drawn), 0.0)

    def loads(self, bodies: list[Moving]) -> list[Any]:
        """Loads on each body, (6+N,): thrust at nozzles, and the remaining wrenches of flows."""
        found = [np.zeros(6 + len(body.eta)) for body in bodies]
        for jet, nozzle in zip(self.jets, self.nozzles, strict=True):
            thrust = np.concatenate([np.array(jet.burner.direction) * jet.thrust, np.zeros(3)])
            found[jet.burner.body] = found[jet.burner.body] + nozzle.map.force(thrust)
        for flow in self.flows:
            found[flow.body] = found[flow.body] - flow.wrench
        for body, wrench in (drag for each in self.drawn for drag in each.drags):
            found[body] = found[body] + wrench
        return found

    def momenta(self, count: int) -> list[Any]:
        """(p, h) (6,) of the flows through each of `count` bodies; None: nothing flows there."""
        found: list[Any] = [None] * count
        for flow in self.flows:
            own = np.concatenate([flow.p, flow.h])
            found[flow.body] = own if found[flow.body] is None else found[flow.body] + own
        return found

    def exhaust(self) -> list[tuple[Any, Any, Any]]:
        """(flow [kg/s], position (3,), velocity (3,) of what leaves), in N, of each thruster."""
        found = []
        for jet, nozzle in zip(self.jets, self.nozzles, strict=True):
            leaving = nozzle.velocity - np.array(jet.burner.direction) * jet.exhaust_velocity
            found.append((jet.flow, nozzle.position_N, nozzle.dcm_NP @ leaving))
        return found


@dataclass(frozen=True)
class Propulsion(Piece):
    """The thrusters that burn propellant; without any, all functions give nothing."""

    burners: tuple[Burner, ...] = ()
    name: str = field(default="propulsion", init=False)

    # fmt: off
    exhaust_momentum = state("momentum of all exhaust since the start, in axes of N", "N.s", np.zeros(3), when=lambda self: self.burners, derivative_unit="N", quadrature=True)
    exhaust_angular_momentum = state("angular momentum of all exhaust since the start about the origin that positions are told from, in axes of N", "N.m.s", np.zeros(3), when=lambda self: self.burners, derivative_unit="N.m", quadrature=True)
    exhaust_energy = state("kinetic and potential energy that exhaust has taken along since the start", "J", when=lambda self: self.burners, derivative_unit="W", quadrature=True)
    supplied_energy = state("energy that propulsion has supplied since the start, to craft and exhaust", "J", when=lambda self: self.burners, derivative_unit="W", quadrature=True, reinit=True)
    # fmt: on

    def parts(self):
        return self.burners

    @property
    def watches(self) -> tuple:
        levels = [feed.level for burner in self.burners for feed in burner.feeds]
        return (*levels, *(burner.valve for burner in self.burners if burner.lagged is None))

    def at(self, tree: Tree, bodies: list[Moving], x: Bag, u: Bag, k: Bag, d: Bag) -> Propelling:
        found = jets(self.burners, x, u, k, d)
        nozzles = [place_on(bodies[each.body], each.node, each.position(k)) for each in self.burners]
        return Propelling(found, nozzles, *body_flows(tree, bodies, found, x, k))

    def tank_rates(self, tree: Tree, now: Propelling) -> Any:
        """Of the states of all tanks, in the order of the tree."""
        drawn = outflows(self.burners, [jet.flow for jet in now.jets])
        return np.array([-drawn.get(link.body.name, 0.0) for link in tree.links if isinstance(link.body, Tank)])

    def state_rates(self, now: Propelling, bodies, accelerations, x: Bag, u: Bag, k: Bag, gravity: Callable) -> Any:
        """Of its own states, those of thrusters first; gravity(position_N) → g (3,) [m/s²] in N and φ [J/kg]."""
        if not self.burners:
            return np.zeros(0)
        lags = [burner.commanded_rate(x, u, k) for burner in self.burners if burner.lagged is not None]
        momentum, angular, taken = np.zeros(3), np.zeros(3), 0.0
        for flow, position, velocity in now.exhaust():
            momentum, angular = momentum + flow * velocity, angular + flow * cross(position, velocity)
            taken = taken + flow * (0.5 * (velocity @ velocity) + gravity(position)[1])
        supplied = sum(0.5 * jet.flow * jet.exhaust_velocity**2 for jet in now.jets)
        for flow in now.flows:
            body, A = bodies[flow.body], accelerations[flow.body]
            felt = A[:3] - body.dcm_NB.T @ gravity(body.position_N)[0]
            supplied = supplied + flow.supplied + flow.p @ felt + flow.h @ A[3:6]
        return np.concatenate([lags, momentum, angular, [taken, supplied]])
