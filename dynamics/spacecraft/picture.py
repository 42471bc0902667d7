"""The Picture of a spacecraft's System, in any formulation."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..algebra.rotation import skew
from ..bodies.body import Nodes, Scattered, unbent
from ..bodies.equations import deformed_first_moment, deformed_inertia
from ..bodies.extending import Extending
from ..bodies.gimbal import Gimbal
from ..bodies.rotor import Rotor
from ..environment.gravity import CentralGravity
from ..environment.planet import RADIUS, RADIUS_EARTH
from ..loads.wrench import Thruster
from ..picture.geometry import Shape
from ..picture.picture import Jet, Line, Picture, PicturedBody, PictureOnce, Placed, Vessel
from ..system.signals import Bag
from ..tanks.tank import Tank
from ..tree.poses import pose_on, poses
from .motion import Dynamics

NEAREST = 4  # nodes that a point between them follows
ROTOR_DENSITY = 1000.0  # of a wheel's rotor, casing and all [kg/m³], three times as wide as it is thick
POINT_DENSITY = 1000.0  # of a body without inertia: a sphere of this density [kg/m³]
ROUND = 0.01  # short sides of a box that differ by less, relative: the body is drawn round,
SLENDER = 1.5  # if it is longer than so many diameters


def picture_of(dynamics: Dynamics) -> PictureOnce:
    """The picture of a spacecraft, without the shapes of a description."""
    return PictureOnce(partial(_picture, dynamics))


def _picture(dynamics: Dynamics, shapes: tuple[Shape, ...] = (), given: bool = False) -> Picture:
    craft, table = dynamics.craft, dynamics.table
    k = Bag(table, "parameters", np.array(table.starts("parameters")))
    links = craft.tree.links
    bodies = tuple(
        replace(_seen(link, joint.name, k), joined=_joined(links, i), in_gimbal=_in_gimbal(links, i))
        for i, (link, joint) in enumerate(zip(links, craft.joints, strict=True))
    )
    drawn = [coupling for coupling in craft.couplings if coupling.seen_as]
    thrusters: list[Any] = [*(load for load in craft.loads if isinstance(load, Thruster)), *craft.propulsion.burners]
    planet = any(isinstance(field, CentralGravity) for field in craft.environment.fields)

    def place(t, x, u, p) -> Placed:
        x = np.asarray(x)
        constants = Bag(table, "parameters", p)
        own = dynamics.surroundings(x)
        # a result without the orbit's own states: Kepler's orbit of its elements; symbols stand for all states
        if len(own) and x.dtype != object and not np.any(own[3:]):
            own = craft.environment.frame.initial(t, constants)
        scene = craft.environment.scene(t, own, Bag(table, "inputs", u), constants)
        (q, _), dcm_SN = dynamics.split(x), scene.space.dcm_NS.T
        moved = poses(craft.tree, q, constants, scene.space)

        def on(body, node, rho=None):
            if body < 0:
                return scene.space.dcm_NS @ node.position
            return pose_on(moved[body], node, q[craft.tree.mode_q[body]], rho)[0]

        ends = [[on(line.a.body, line.a.node), on(line.b.body, line.b.node)] for line in drawn]
        nozzles = [on(jet.body, jet.node, jet.position(constants)) for jet in thrusters]
        return Placed(
            positions=np.array([position for position, _ in moved]) @ dcm_SN.T,
            dcms=np.array([dcm_SN @ dcm for _, dcm in moved]),
            amplitudes=tuple(_shown(link.body, q[span]) for link, span in zip(links, craft.tree.mode_q, strict=True)),
            ends=np.array(ends).reshape(-1, 2, 3) @ dcm_SN.T,
            nozzles=np.array(nozzles).reshape(-1, 3) @ dcm_SN.T,
            dcm_NS=scene.space.dcm_NS,
            origin=np.asarray(scene.position_N) if planet else None,
            sun=None if scene.sun_N is None else dcm_SN @ scene.sun_N,
        )

    return Picture(
        bodies=bodies,
        lines=tuple(_line(coupling) for coupling in drawn),
        jets=tuple(Jet(load.name, load.body, np.array(load.direction), load.shown_force) for load in thrusters),
        coordinates=table.with_group("outputs", ()),
        place=place,
        moved_by=tuple(state.name for state in table.states[dynamics.states["coordinates"]]),
        planet=_radius(table) if planet else 0.0,
        shapes=shapes,
        given=given,
    )


def _radius(table) -> float:
    found = {quantity.name: quantity for quantity in table.quantities("parameters")}
    return float(found[RADIUS.name].start) if RADIUS.name in found else RADIUS_EARTH


def _line(coupling) -> Line:
    names = {}
    for key, attribute in (("tension", "tension"), ("taut", "taut"), ("beads", "bead_position"), ("length", "length0")):
        quantity = getattr(coupling, attribute, None)
        names[key] = "" if quantity is None else quantity.name
    if getattr(coupling, "reel", None):
        names["length"] = f"{coupling.reel.name}.length"
    return Line(coupling.name, coupling.seen_as, **names)


def _seen(link, joint: str, k) -> PicturedBody:
    body = link.body
    if isinstance(body, Rotor):
        spin = np.array(body.axis), _rotor_radius(k[body.spin_inertia]), f"{joint}.speed"
        return PicturedBody(body.name, link.parent, "wheel", 0, None, _stiff, spin=spin)
    if isinstance(body, Gimbal):  # a shaft along its axis, longer than the rotor's diameter
        radius = _rotor_radius(2.0 * k[body.transverse_inertia])
        axes = np.column_stack([body.spin_axis, body.transverse_axis, body.gimbal_axis])
        shaft = Shape(body.name, "cylinder", (0.1 * radius, 2.6 * radius), np.zeros(3), axes)
        return PicturedBody(body.name, link.parent, "rigid", 0, shaft, _stiff)
    if isinstance(body, Tank):
        if body.shape.seen:
            names = (f"{body.name}.fill", body.propellant.name, body.capacity.name)
            return PicturedBody(
                body.name, link.parent, "rigid", 0, None, _stiff, vessel=Vessel(*names, *body.shape.seen)
            )
        body = replace(body, slosh=())  # its liquid at the start, slosh masses included
    sort = "flexible" if body.modes else "rigid"
    points = (body.nodes.positions, body.nodes.translations) if isinstance(body.nodes, Scattered) else None
    return PicturedBody(body.name, link.parent, sort, body.modes, _solid(body, k), lambda at: bent(body, at), points)


def _in_gimbal(links, i: int) -> bool:
    return links[i].parent >= 0 and isinstance(links[links[i].parent].body, Gimbal)


def _rotor_radius(spin_inertia) -> float:
    """J = ½ m r², m = ρ π r² (r/3)."""
    return (6.0 * float(spin_inertia) / (np.pi * ROTOR_DENSITY)) ** 0.2


def _shown(body, eta):
    """Amplitudes of the modes that the picture of the body has."""
    return body.shown_amplitudes(eta) if isinstance(body, Extending) else eta


def _joined(links, i: int) -> np.ndarray:
    """Places where body i is connected to its parent and to bodies on it, without wheels, which need not be at their place."""
    carried = [link.place.position for link in links if link.parent == i and not isinstance(link.body, Rotor)]
    return np.array([*([np.zeros(3)] if links[i].parent >= 0 else []), *carried]).reshape(-1, 3)


def _stiff(points):
    return np.zeros((0, len(points), 3))


def _solid(body, k) -> Shape | None:
    """The uniform solid of equal mass, mass centre and inertia; None for a body without mass.

    With P = ∫(r − c)(r − c)ᵀdm and its eigenvalues P_i a box of sides √(12 P_i/m) along the eigenvectors has the same; where two of
    them are equal and the third is along a slender body, so does a cylinder of the radius 2√(P₁/m): tubes and modules are round.
    """
    integrals = body.integrals(k)
    mass = float(integrals.mass)
    if not mass > 0.0:
        return None
    still = unbent(body)
    center = np.asarray(deformed_first_moment(integrals, still), float) / mass
    inertia = np.asarray(deformed_inertia(integrals, still), float) + mass * skew(center) @ skew(center)
    moments, axes = np.linalg.eigh(0.5 * np.trace(inertia) * np.eye(3) - inertia)
    if np.trace(inertia) <= 1e-12 * mass:  # a point
        return Shape(body.name, "sphere", ((0.75 * mass / (np.pi * POINT_DENSITY)) ** (1 / 3),), center)
    axes = axes * np.sign(np.linalg.det(axes))
    sides = np.sqrt(12.0 * np.maximum(moments, 0.0) / mass)
    radius = np.sqrt(np.mean(sides[:2] ** 2) / 3.0)
    if sides[1] - sides[0] <= ROUND * sides[1] and sides[2] > SLENDER * 2.0 * radius > 0.0:
        return Shape(body.name, "cylinder", (radius, sides[2]), center, axes)
    return Shape(body.name, "box", tuple(sides), center, axes)


def bent(body, points) -> np.ndarray:
    """How each mode moves points (V, 3) of a body frame, (N, V, 3): φ + ψ × (r − ρ) of the nearest place ρ that has shapes.

    If shapes are known only at scattered nodes, a point follows the nearest of them, weighted by their distance.
    """
    points = np.asarray(points, float)
    if not body.modes:
        return _stiff(points)
    if isinstance(body.nodes, Nodes):
        places, moved, turned = body.nodes.near(points)
        return moved + np.cross(turned, points - places)
    if isinstance(body.nodes, Scattered):
        positions, translations = body.nodes.positions, body.nodes.translations
    else:
        nodes = list(body.nodes.values())
        positions = np.array([node.position for node in nodes]).reshape(-1, 3)
        translations = np.array([node.shape.T for node in nodes]).reshape(-1, body.modes, 3).swapaxes(0, 1)
    positions = np.vstack([np.zeros(3), positions])  # the frame itself does not move
    translations = np.concatenate([np.zeros((body.modes, 1, 3)), translations], axis=1)
    distance = np.linalg.norm(points[:, None] - positions, axis=2)
    near = np.argsort(distance, axis=1)[:, :NEAREST]
    weight = 1.0 / (np.take_along_axis(distance, near, axis=1) + 1e-9) ** 2
    weight /= weight.sum(axis=1, keepdims=True)
    return np.einsum("nvqi,vq->nvi", translations[:, near], weight)
