"""The effect of leaving mass on a craft: momentum of the flow in its lines, jet damping, exhaust, and the energy supplied by propulsion.

Of a body with origin O (own axes, ω its angular velocity) that liquid flows through at ṁ, drawn at r_d and leaving at r_e, with S and J of liquid at rest:

    P = m v_O + ω×S + p,  H_O = S×v_O + J ω + h,  p = ṁ(r_e − r_d),  h = ṁ Σ r_i×r_{i+1} along the line's corners r_d … r_e

p is exact by continuity: the liquid's first moment changes by the layer at r_d = dS/dm that disappears. h is that of straight lines and, within the
tank, of flow along the way from the surface's centre to the outlet, without whirl; lines hold no mass. What leaves takes ṁ(v_O + ω×r_e + u) with it, at r_e.
With d(P, H) + flux = loads all terms with v_O cancel, and in addition to the equations of motion of the body with its current (m, S, J) there remain

    force   2ω×p + ṗ + ṁu          ṗ = m̈(r_e − r_d) − ṁ ṙ_d,  ṙ_d = −ṁ_tank d²S/dm²      (where it sloshes: + G', and less ṁG' and ṁK', slosh.py)
    torque  −ṁ (dJ/dm) ω + ṁ r_e×(ω×r_e) + ω×h + ḣ + ṁ r_e×u         the first two: J̇ω and jet damping

A line through a joint is one such flow per body: it leaves one and enters the next at the same place with the same velocity (lines.py).
The kinetic energy is ½wᵀMw + p·v_O + h·ω beside the flow's own ½∫v²dm. What propulsion supplies, from forces and velocities relative to the body,

    ½ṁu² + p·(a_O − g) + h·α + ½ṁ(ω·(dJ/dm)ω − |ω×r_e|²)

is d(T + V)/dt plus the energy ṁ(½|v_e + u|² + φ_e) of the exhaust. Where the flow jumps by Δ(p, h), M Δw = −Δ(p, h).
Proved by tests/tanks/test_flow.py: beads through a tube in the limit, and momenta of craft plus exhaust.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..algebra.rotation import cross
from ..algebra.scalar import reciprocal, shared
from ..system.signals import Bag
from ..tree.kinematics import Moving
from ..tree.topology import Link, Tree
from .burner import Burner, Feed
from .lines import crossing, way
from .slosh import drained, joined_loads
from .tank import Tank, spread_of


@dataclass(frozen=True)
class DrawnFrom:
    """The place from which a tank's liquid is drawn, on the body that carries it: r_d and the outlet (3,) [m], ṙ_d (3,) [m/s], dJ/dm (3, 3) [m²].

    sloshing: G' and K' (3,), (3,) of the slosh masses (slosh.py); lost: their power lost as the tank drains [W]; drags on bodies, (body, wrench)."""

    place: Any
    outlet: Any
    rate: Any
    layer: Any
    sloshing: Any
    lost: Any
    drags: Any


@dataclass(frozen=True)
class BodyFlow:
    """Flow through one body: p (3,) [N s] and h (3,) [N m s] about its frame, its remaining wrench (6,), `supplied` without accelerations [W]."""

    body: int
    p: Any
    h: Any
    wrench: Any
    supplied: Any


@dataclass(frozen=True)
class Jetting:
    """One thruster: flow [kg/s], its rate [kg/s²], thrust [N], exhaust velocity [m/s]."""

    burner: Burner
    flow: Any
    flow_rate: Any
    thrust: Any
    exhaust_velocity: Any


def jets(burners: Sequence[Burner], x: Bag, u: Bag, k: Bag, d: Bag) -> list[Jetting]:
    """All thrusters: ṁ = T p/c, and m̈ = Ṫ p/c + T (p/c)' ḟ."""
    pressed = [burner.pressed(x, k) for burner in burners]
    given = [burner.commanded(x, d) for burner in burners]
    flows = [T * ratio for T, (_, _, ratio, _) in zip(given, pressed, strict=True)]
    drawn = outflows(burners, flows)
    found = []
    for burner, T, flow, (p, c, ratio, slope) in zip(burners, given, flows, pressed, strict=True):
        tank = burner.feeds[0].tank
        filling = -drawn[tank.name] * reciprocal(k[tank.capacity])
        rate = burner.commanded_rate(x, u, k) * burner.open(d) * ratio + T * slope * filling
        found.append(Jetting(burner, flow, rate, T * p, c))
    return found


def outflows(burners: Sequence[Burner], flows: Sequence[Any]) -> dict[str, Any]:
    """The outflow of each tank, by its name [kg/s]."""
    found: dict[str, Any] = {}
    for burner, flow in zip(burners, flows, strict=True):
        for feed in burner.feeds:
            found[feed.tank.name] = found.get(feed.tank.name, 0.0) + feed.share * flow
    return found


def drawn_from(tree: Tree, bodies: list[Moving], link: Link, tank: Tank, k: Bag, x: Bag, outflow) -> DrawnFrom:
    """link: that of the tank."""
    place = link.place.position
    liquid, capacity = tank.liquid(k, x), k[tank.capacity]
    r = place + liquid.drawn
    mixed = np.outer(place, liquid.drawn)
    layer = spread_of(np.outer(place, place) + mixed + mixed.T + liquid.layer)
    rise, outlet = liquid.rise * reciprocal(capacity), place + tank.shape.outlet_place
    if not tank.slosh:
        return DrawnFrom(r, outlet, -outflow * rise, layer, np.zeros(6), 0.0, ())
    moved, joining = drained(tree, tank, place, k, x)
    drags, lost = joined_loads(bodies, link.parent, joining, outflow)
    rate = moved.momentum - outflow * (rise + moved.bend)
    sloshing = np.concatenate([moved.momentum, moved.angular])
    return DrawnFrom(
        r + moved.first, outlet, rate, layer + moved.inertia, sloshing, lost + outflow * moved.energy, drags
    )


def body_flows(
    tree: Tree, bodies: list[Moving], jetting: list[Jetting], x: Bag, k: Bag
) -> tuple[list[BodyFlow], list[DrawnFrom]]:
    """The flows of every feed, body by body; and of every tank that feeds a thruster."""
    outflow = outflows([jet.burner for jet in jetting], [jet.flow for jet in jetting])
    links = {link.body.name: link for link in tree.links if isinstance(link.body, Tank)}
    sources = {
        name: drawn_from(tree, bodies, link, feed_tank, k, x, outflow[name])
        for name, link in links.items()
        if name in outflow and isinstance(feed_tank := link.body, Tank)
    }
    flows = [
        flow
        for jet in jetting
        for feed in jet.burner.feeds
        for flow in _of_feed(tree, bodies, jet, feed, links[feed.tank.name].parent, sources[feed.tank.name], k)
    ]
    return flows, list(sources.values())


def _of_feed(tree: Tree, bodies, jet: Jetting, feed: Feed, carrier: int, source: DrawnFrom, k: Bag) -> list[BodyFlow]:
    flow, rate = feed.share * jet.flow, feed.share * jet.flow_rate
    found = []
    for passage in way(tree, carrier, jet.burner.body):
        first, last = (crossing(tree, k, passage.body, link) for link in (passage.comes, passage.goes))
        end = jet.burner.position(k) if last is None else last
        omega = bodies[passage.body].omega
        if first is None:
            parts = _through(
                (source.place, source.outlet, end), source.rate, source.layer, source.sloshing, flow, rate, omega
            )
        else:
            parts = _through(
                (first, end), np.zeros(3), spread_of(np.outer(first, first)), np.zeros(6), flow, rate, omega
            )
        found.append(BodyFlow(passage.body, *parts))
    return found


@shared
def _through(corners, drawn_rate, layer, sloshing, flow, rate, omega):
    """p, h, the remaining wrench and the supplied power (without accelerations) of one flow through one body."""
    begin, after, end = corners[0], corners[1], corners[-1]
    around = sum((cross(a, b) for a, b in pairwise(corners)), np.zeros(3))
    p, h = flow * (end - begin), flow * around
    swept = cross(omega, end)
    force = 2.0 * cross(omega, p) + rate * (end - begin) - flow * drawn_rate
    torque = (
        flow * (cross(end, swept) - layer @ omega) + cross(omega, h) + rate * around + flow * cross(drawn_rate, after)
    )
    return p, h, np.concatenate([force, torque]) - flow * sloshing, 0.5 * flow * (omega @ layer @ omega - swept @ swept)
