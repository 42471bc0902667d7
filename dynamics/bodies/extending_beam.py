"""A beam and its modes → the beam that extends (extending.py)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .beam import POINTS, beam_body
from .body import FlexibleBody, Node, Nodes
from .extending import Extending, TipNode
from .growth import tables
from .integrals import integrals_of_points
from .properties import Beam

KINDS = ("bending_y", "bending_z")
MODES = 10  # at most, because the equations are unrolled


def extending_beam(
    name: str, beam: Beam, modes: dict[str, int], damping, axes, tips, axis, start, drum_mass
) -> Extending:
    """tips: names of nodes at the tip; damping (N,) ratios; axes (3, 3): the beam's x, y, z in body axes, as columns; axis: what acts along L, which
    starts as `start` says (L [m], L̇ [m/s]); drum_mass [kg]: None of a stowed part at rest."""
    e1, length = axes[:, 0], beam.length
    whole = replace(_whole(name, beam, modes, axes), damping_ratios=np.asarray(damping, float))
    places: Nodes = whole.nodes  # type: ignore[assignment]

    def at(s):
        """φ and φ' (N, P, 3)."""
        _, phi, psi = places.near(np.outer(length * np.asarray(s), e1))
        return phi, length * np.cross(psi, e1)

    s, weights = (np.polynomial.legendre.leggauss(POINTS) + np.array([[1.0], [0.0]])) / 2.0
    phi, slope = at(s)
    (tip, *_), (tip_slope, *_) = (each.swapaxes(0, 1) for each in at([1.0]))
    second = -np.multiply.outer(np.einsum("p,mpi,npi->mn", weights, slope, slope), e1)
    shape = np.column_stack([e1, tip.T])
    turn = np.column_stack([np.zeros(3), np.cross(e1, tip_slope).T])
    named: dict[str, Node] = {node: TipNode(node, e1 * start[0], shape, turn, second) for node in tips}
    sections = axes @ np.diag([beam.polar_inertia, *beam.section_inertia]) @ axes.T * length

    def near(points):
        on_axis, phi, psi = places.near(points)
        s = on_axis @ e1 / length
        return (
            on_axis,
            np.concatenate([np.multiply.outer(s, e1)[None], phi]),
            np.concatenate([np.zeros((1, len(s), 3)), psi]),
        )

    nodes = Nodes(named, lambda position: None, "at its tip", near)
    own = tables(s, weights, phi, slope, e1)
    return Extending(name, replace(whole, nodes={}), axis, length, start, own, axes, sections, drum_mass, nodes)


def _whole(name: str, beam: Beam, modes: dict[str, int], axes) -> FlexibleBody:
    """The beam at its full length, without its sections' inertia; without modes it is rigid."""
    if modes:
        return beam_body(name, replace(beam, section_inertia=(0.0, 0.0)), modes, 0.0, {}, axes)
    s, weights = (np.polynomial.legendre.leggauss(2) + np.array([[1.0], [0.0]])) / 2.0
    places, masses = np.outer(s * beam.length, axes[:, 0]), weights * beam.line_density * beam.length
    rigid = integrals_of_points(places, masses, np.zeros((0, len(s), 3)))

    def near(points):
        s = np.clip(points @ axes[:, 0] / beam.length, 0.0, 1.0)
        none = np.zeros((0, len(s), 3))
        return np.outer(beam.length * s, axes[:, 0]), none, none

    return FlexibleBody(name, rigid, np.zeros(0), np.zeros(0), Nodes({}, lambda position: None, "", near))
