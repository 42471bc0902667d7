"""What a craft looks like in lines, and how its states move them: what drawn mode shapes are made of.

A body is drawn from its frame to its named nodes and to the joints it carries: straight where it is rigid, through points in between
where its shapes are known there, with ribs that show how it twists. A point at s on body i, o beside a node that turns, moves by

    δṙ = R [(E, −s̃, Φ) − õ (0, E, Ψ)] V_i δv,     V_i its partial velocities ([jin1991]).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..bodies.body import Node, plain_node
from ..bodies.equations import deformed_first_moment
from ..rotation import E3
from ..tree.kinematics import place_on
from .energy import Posture

POINTS = 13  # of a line on a flexible body
RIBS = 4  # every so many points a rib
WIDTH = 0.15  # half a rib by the length of its line
NEAR = 1e-6  # [m] ends that are no nearer to the frame make a line


@dataclass(frozen=True)
class Line:
    """Places (P, 3) [m] of points on a body, in N, and what the states' entries move them by: moves (P, 3, n), of the speeds alone."""

    body: str
    places: np.ndarray
    moves: np.ndarray


def outline(posture: Posture, size: int) -> list[Line]:
    """Lines of all bodies; `size` is the number of states."""
    found = []
    for i, body in enumerate(posture.bodies):
        for points in _lines(posture, i):
            places, moves = [], np.zeros((len(points), 3, size))
            for row, (node, beside) in enumerate(points):
                place = place_on(body, node)
                places.append(place.position_N + place.dcm_NP @ beside)
                moved = place.map.then(beside, place.dcm_NP).motion(posture.V[i])
                moves[row, :, posture.speeds] = moved[:3]
            found.append(Line(posture.craft.tree.links[i].body.name, np.array(places), moves))
    return found


def _lines(posture: Posture, i: int) -> Iterator[list[tuple[Node, np.ndarray]]]:
    """The points of each line of body i, from its frame outward: a node, and how far beside it (3,) [m]."""
    links, integrals = posture.craft.tree.links, posture.bodies[i].integrals
    body = links[i].body
    known, nowhere = getattr(body, "nodes", {}), np.zeros(3)
    ends = [*known.values(), *(link.place for link in links if link.parent == i)]
    if not ends and not body.modes and posture.craft.tree.links[i].parent >= 0 and integrals.mass > 0.0:
        # a body that carries nothing is twice as long as its mass centre is far
        ends = [plain_node("end", 2.0 * deformed_first_moment(integrals, np.zeros(0)) / integrals.mass)]
    for end in ends:
        if np.linalg.norm(end.position) <= NEAR:
            continue
        nodes = [plain_node("frame", nowhere, body.modes), *_between(body, known, end.position), end]
        yield [(node, nowhere) for node in nodes]
        for node in nodes[RIBS::RIBS] if body.modes else ():
            across = WIDTH * np.linalg.norm(end.position) * E3[np.argmin(np.abs(end.position))]
            yield [(node, -across), (node, across)]


def _between(body, known, end) -> list[Node]:
    """Nodes between a body's frame and a place on it, where its shapes are known: beams and plates."""
    if not body.modes or not hasattr(known, "at"):
        return []
    inner = [known.at(share * end) for share in np.linspace(0.0, 1.0, POINTS)[1:-1]]
    return [node for node in inner if node is not None]
