"""Slosh: for each mode a mass that slides in a bowl on the tank's axis, with a capillary spring and damping; the rest of the liquid is fixed.

The bowl is a sphere of the pendulum length L: the mass is a spherical pendulum for large angles. Lateral coordinates q (2) [m] by stereographic projection,
c = |q|²/4L²: δ = q/(1 + c) across, 2Lc/(1 + c) up, without a singularity but at the top. The acceleration a of the tank restores it, so that ω² = ω_c² + a/L
with a capillary part, without switching. The bowl of a spring-mass is a plane, 1/L = 0, and its spring takes the place of the capillary part.

Mass m(f), height z(f) and L(f) follow the fill (slosh_modes.py); the tank's own body has the rest: with slosh masses at rest, both together equal the liquid at
rest, to round-off.
As the tank drains, S, J and the flow's momentum are those of liquid with its slosh where it is: flow.py adds what `drained` finds of all masses,

    S = Σ m δ,  J = Σ m (spread(r₀ + δ) − spread(r₀)),  G = Σ m δ̇,  K = Σ (r₀ + δ)×m δ̇,  E = Σ ½m(|δ̇|² + ω_c²|δ_across|²)

and of their slopes over the propellant. Mass that the slosh loses keeps its momentum, which the fixed part takes up; mass that joins it brings that of the fixed
part, a drag −ṁ δ̇. The energy of both is dissipated: what drains takes E' off, and the drag ṁ|δ̇|². Proved by tests/tanks/test_slosh.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..algebra.rotation import E3, cross
from ..algebra.scalar import maximum
from ..bodies.body import Node, WithoutModes
from ..bodies.integrals import Integrals, rigid_integrals
from ..constraints.connection import Connection, Effort, View
from ..constraints.grip import End
from ..joints.coordinates import TRANSLATION
from ..joints.kinds import IDENTITY, OnAxes
from ..system.pieces import output
from ..system.signals import Bag
from ..tree.kinematics import Moving
from ..tree.topology import Tree
from .tank import SloshMode, Tank, spread_of


@dataclass(frozen=True)
class InBowl:
    """Of a mass in its bowl: δ and δ̇ (3,), their slopes over κ = 1/L, δ's second slope; d and ḋ of `moved`."""

    place: Any
    drift: Any
    place_k: Any
    drift_k: Any
    place_kk: Any
    open: Any
    opening: Any


@dataclass(frozen=True)
class SloshBowl(OnAxes):
    """across: two unit vectors; up: a unit vector; 1/L [1/m], a number or as `at` finds it at the fill."""

    across: Any
    up: Any
    bend: Any
    nq = 2
    nv = 2

    def place(self, q):
        """δ (3,) [m]."""
        return self.moved(q, np.zeros(2)).place

    def pose(self, q):
        return self.place(q), E3

    def axes(self, q):
        return np.column_stack([self.moved(q, e).drift for e in np.eye(2)]), np.zeros((3, 2))

    def bent(self, q, v):
        now = self.moved(q, v)
        return (
            np.array(self.up) * (self.bend * (v @ v))
            - 2.0 * now.opening * now.drift
            - 0.5 * self.bend**2 * (v @ v) * now.place
        ) / now.open

    def moved(self, q, v) -> InBowl:
        """δ = n/d with n = q across + ½κ|q|² up, d = 1 + ¼κ²|q|², κ = 1/L; its rate, and the slopes of both over κ."""
        up, kappa, qq, qv = np.array(self.up), self.bend, q @ q, q @ v
        d, d_dot, d_k, d_dot_k = 1.0 + 0.25 * kappa * kappa * qq, 0.5 * kappa * kappa * qv, 0.5 * kappa * qq, kappa * qv
        place = (self._lateral(q) + up * (0.5 * kappa * qq)) / d
        drift = (self._lateral(v) + up * (kappa * qv) - d_dot * place) / d
        place_k = (0.5 * qq * up - d_k * place) / d
        drift_k = (qv * up - d_dot * place_k - d_dot_k * place - d_k * drift) / d
        return InBowl(place, drift, place_k, drift_k, (-2.0 * d_k * place_k - 0.5 * qq * place) / d, d, d_dot)

    def _lateral(self, q):
        return q[0] * np.array(self.across[0]) + q[1] * np.array(self.across[1])

    def turning(self, q, v, omega):
        return np.zeros(3)

    def attitude(self, q):
        return IDENTITY

    def named_axes(self):
        return [(TRANSLATION, "[1]"), (TRANSLATION, "[2]")]


@dataclass(frozen=True)
class SloshMass(WithoutModes):
    """A mode's mass, as a body on a SloshBowl: its frame is where the tank's centre would be if the mass hung straight down."""

    name: str
    tank: Tank
    mode: SloshMode
    nodes: Mapping[str, Node] = field(default_factory=dict)

    def integrals(self, k, x=None) -> Integrals:
        fill = self.tank.fill(k, x)
        return rigid_integrals(
            k[self.tank.capacity] * self.mode.mass.value(fill), self.mode.rest(fill), np.zeros((3, 3))
        )

    def bowl(self, fill) -> SloshBowl:
        return SloshBowl(self.mode.across, self.mode.up, self.mode.bend.value(fill))

    def joint_at(self, joint, k, x):
        return self.bowl(self.tank.fill(k, x))


@dataclass(frozen=True)
class SloshHold(Connection):
    """Forces on a slosh mass other than those of acceleration: surface tension and damping; on the mass at its position, with the reaction on the tank."""

    mass_body: SloshMass
    name: str
    a: End
    b: End
    terminal = ""

    mass = output("slosh mass of {self.name}", "kg")
    length = output("pendulum length of {self.name}", "m", when=lambda self: not self.mass_body.mode.springs)
    stiffness = output("stiffness that holds {self.name}", "N/m", when=lambda self: self.mass_body.mode.springs)

    def _at(self, view: View):
        tank, mode = self.mass_body.tank, self.mass_body.mode
        fill = tank.fill(view.k, view.x)
        return fill, view.k[tank.capacity] * mode.mass.value(fill)

    def effort(self, view: View) -> Effort:
        mode, (fill, mass) = self.mass_body.mode, self._at(view)
        a, b = view.a, view.b
        up = a.dcm @ np.array(mode.up)
        moved = b.position - a.position
        across, drift = moved - up * (up @ moved), b.velocity - a.velocity - cross(a.omega, moved)
        stiffness, damping = mass * mode.capillary.value(fill), mass * mode.damping.value(fill)
        force, rest = -stiffness * across - damping * drift, a.dcm @ mode.rest(fill)
        on_a = np.concatenate([-force, -cross(moved + rest, force)])
        on_b = np.concatenate([force, cross(rest, force)])
        return Effort(on_a, on_b, potential=0.5 * stiffness * (across @ across), dissipated=damping * (drift @ drift))

    def output_values(self, view: View, multipliers):
        mode, (fill, mass) = self.mass_body.mode, self._at(view)
        return np.array([mass, mass * mode.capillary.value(fill) if mode.springs else 1.0 / mode.bend.value(fill)])


@dataclass(frozen=True)
class Drained:
    """Derivatives by the propellant of the slosh of a tank, about its carrier's frame: S', S'', J', G', K', E'."""

    first: Any
    bend: Any
    inertia: Any
    momentum: Any
    angular: Any
    energy: Any


@dataclass(frozen=True)
class Joining:
    """Mass that joins a slosh mass as the tank drains: its link, kg per kg drained (0: it leaves), where it is from the carrier's frame (3,), δ̇ (3,)."""

    link: int
    gain: Any
    place: Any
    drift: Any


def drained(tree: Tree, tank: Tank, place, k: Bag, x: Bag) -> tuple[Drained, list[Joining]]:
    """place (3,): of the tank's centre on its carrier. The chain rule over the curves of the fill."""
    none, capacity, fill = np.zeros(3), k[tank.capacity], tank.fill(k, x)
    S1, S2, J1, G1, K1, E1, joining = none, none, np.zeros((3, 3)), none, none, 0.0, []
    for i, link in enumerate(tree.links):
        body = link.body
        if not isinstance(body, SloshMass) or body.tank.name != tank.name:
            continue
        mode, up = body.mode, np.array(body.mode.up)
        q, v = x.values[tree.joint_q[i]], x.values[tree.nq :][tree.joint_v[i]]
        m, m1, m2 = (capacity ** (1 - n) * part for n, part in enumerate(mode.mass.parts(fill)))
        z, z1, _ = (part / capacity**n for n, part in enumerate(mode.height.parts(fill)))
        kappa, kappa1, kappa2 = (part / capacity**n for n, part in enumerate(mode.bend.parts(fill)))
        w, w1, _ = (part / capacity**n for n, part in enumerate(mode.capillary.parts(fill)))
        now = SloshBowl(mode.across, mode.up, kappa).moved(q, v)
        delta, drift = now.place, now.drift
        delta1, drift1 = now.place_k * kappa1, now.drift_k * kappa1
        delta2 = now.place_kk * (kappa1 * kappa1) + now.place_k * kappa2
        rest, rest1 = place + up * z, up * z1
        here, here1 = rest + delta, rest1 + delta1
        a, a1 = delta - up * (up @ delta), delta1 - up * (up @ delta1)
        S1, S2 = S1 + m1 * delta + m * delta1, S2 + m2 * delta + 2.0 * m1 * delta1 + m * delta2
        J1 = (
            J1
            + m1 * (_spread(here, here) - _spread(rest, rest))
            + 2.0 * m * (_spread(here, here1) - _spread(rest, rest1))
        )
        G1 = G1 + m1 * drift + m * drift1
        K1 = K1 + cross(here, m1 * drift + m * drift1) + m * cross(here1, drift)
        E1 = E1 + 0.5 * m1 * (drift @ drift + w * (a @ a)) + m * (drift @ drift1 + 0.5 * w1 * (a @ a) + w * (a @ a1))
        joining.append(Joining(i, maximum(-m1, 0.0), here, drift))
    return Drained(S1, S2, J1, G1, K1, E1), joining


def _spread(a, b):
    """(a·b) E − ½(a bᵀ + b aᵀ)."""
    mixed = np.outer(a, b)
    return spread_of(0.5 * (mixed + mixed.T))


def joined_loads(
    bodies: list[Moving], carrier: int, joining: list[Joining], outflow
) -> tuple[list[tuple[int, Any]], Any]:
    """Drags (body, wrench (6,) about its frame) of mass that joins slosh masses, and the power that they dissipate [W]."""
    loads, lost = [], 0.0
    for each in joining:
        rate = outflow * each.gain
        force = -rate * each.drift
        loads.append((carrier, np.concatenate([-force, -cross(each.place, force)])))
        apart = bodies[carrier].dcm_NB.T @ (bodies[each.link].position_N - bodies[carrier].position_N)
        own = bodies[each.link].dcm_NB.T @ bodies[carrier].dcm_NB
        loads.append((each.link, np.concatenate([own @ force, own @ cross(each.place - apart, force)])))
        lost = lost + rate * (each.drift @ each.drift)
    return loads, lost
