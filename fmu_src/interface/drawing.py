"""A drawing of the spacecraft itself: every body as the box that has its mass and inertia, at the start of the run.

A description holds no shapes, but mass, mass centre and inertia tell the size: with P = ∫(r − c)(r − c)ᵀdm and its
eigenvalues P_i, a uniform box of sides √(12 P_i/m) along the eigenvectors has the same.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

from dynamics.bodies.equations import deformed_first_moment, deformed_inertia
from dynamics.evaluate import start
from dynamics.rotation import skew
from dynamics.signals import Bag
from dynamics.spacecraft import Spacecraft, spacecraft_system
from dynamics.spacecraft.system import LINEAR
from dynamics.system import System
from dynamics.tree.kinematics import Moving, move, place_on

from .icon import generic_icon, png_bytes

_RIGID, _FLEXIBLE, _EDGE, _JOINT, _CABLE = "#aeb9c4", "#4c86bd", "#39434d", "#d0712e", "#7b3f98"
_CORNERS = np.array([[i, j, k] for i in (-0.5, 0.5) for j in (-0.5, 0.5) for k in (-0.5, 0.5)])
_FACES = ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))


def drawing_of(system: System) -> bytes:
    """PNG of a spacecraft; a System that is none (a controller, a person's block) has the generic icon."""
    craft = None if system.made_by is None else system.made_by[1]
    return png_bytes(_figure(system, craft)) if isinstance(craft, Spacecraft) else generic_icon()


def _figure(system: System, craft: Spacecraft) -> Figure:
    bodies = _at_start(system, craft)
    smallest = 0.02 * craft.size
    boxes = [_box(body, smallest) for body in bodies]
    figure = Figure(figsize=(5.12, 5.12), dpi=100)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), projection="3d", proj_type="ortho")
    axes.view_init(elev=24.0, azim=-58.0)
    for link, box in zip(craft.tree.links, boxes, strict=True):
        if box is not None:
            color = _FLEXIBLE if link.body.modes else _RIGID
            axes.add_collection3d(Poly3DCollection([box[list(face)] for face in _FACES], facecolor=color, edgecolor=_EDGE, linewidth=0.6, alpha=0.75))  # fmt: skip
            axes.text(*box.mean(axis=0), link.body.name, fontsize=8, ha="center", color="black", zorder=10)
    joints = [
        body.position_N
        for body, link, box in zip(bodies, craft.tree.links, boxes, strict=True)
        if link.parent >= 0 and box is not None
    ]
    if joints:
        axes.scatter(*np.array(joints).T, color=_JOINT, s=18, depthshade=False)
    for span in _spans(craft, bodies):
        axes.plot(*span.T, color=_CABLE, linewidth=1.2)
    _frame(axes, np.concatenate([box for box in boxes if box is not None]))
    return figure


def _at_start(system: System, craft: Spacecraft) -> list[Moving]:
    """All bodies in their assembled initial state; a linear form has no places, and is drawn as what it is made of."""
    if craft.formulation in LINEAR:
        system = spacecraft_system(replace(craft, formulation="tree"))
    x, u, k, _ = start(system)
    u, k = Bag(system.signals, "inputs", u), Bag(system.signals, "parameters", k)
    nq, nv = craft.tree.nq, craft.tree.nv
    own = craft.environment.frame.initial(0.0, k)
    return move(craft.tree, x[:nq], x[nq : nq + nv], k, craft.environment.scene(0.0, own, u, k).space)


def _box(body: Moving, smallest: float) -> np.ndarray | None:
    """Corners (8, 3) in N; None for what has no mass of its own (a wheel's rotor belongs to its host)."""
    mass = body.integrals.mass
    if not mass > 0.0:
        return None
    center = deformed_first_moment(body.integrals, body.eta) / mass
    inertia = deformed_inertia(body.integrals, body.eta) + mass * skew(center) @ skew(center)
    moments, directions = np.linalg.eigh(0.5 * np.trace(inertia) * np.eye(3) - inertia)
    sides = np.maximum(np.sqrt(12.0 * np.maximum(moments, 0.0) / mass), smallest)
    return body.position_N + (center + (_CORNERS * sides) @ directions.T) @ body.dcm_NB.T


def _spans(craft: Spacecraft, bodies: list[Moving]) -> list[np.ndarray]:
    """Straight lines between the ends of couplings and cables."""

    def place(end):
        return end.node.position if end.body < 0 else place_on(bodies[end.body], end.node).position_N

    return [np.array([place(c.a), place(c.b)]) for c in craft.couplings if hasattr(c, "a")]


def _frame(axes, points: np.ndarray) -> None:
    """Equal scales around all points, no box; a triad shows the directions of N."""
    low, high = points.min(axis=0), points.max(axis=0)
    center, half = 0.5 * (low + high), 0.55 * float(np.max(high - low))
    for direction, value in zip("xyz", center, strict=True):
        getattr(axes, f"set_{direction}lim")(value - half, value + half)
    axes.set_box_aspect((1.0, 1.0, 1.0), zoom=1.25)
    axes.set_axis_off()
    corner = center - 0.95 * half
    for direction, name in zip(np.eye(3), "xyz", strict=True):
        tip = corner + 0.3 * half * direction
        axes.plot(*np.array([corner, tip]).T, color=_EDGE, linewidth=1.0)
        axes.text(*(corner + 0.36 * half * direction), name, fontsize=8, color=_EDGE, ha="center", va="center")
