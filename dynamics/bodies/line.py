"""Second-order displacements of a body whose nodes lie on lines, which stiffen it when it rotates or is loaded along the lines.

A table of mode shapes determines the load path only for such bodies: forces along a line pass through all nodes between them and the root. Lines keep their
lengths, so every piece of line between a node and the root draws the node towards the root, as for the stations of the built-in beam (beam.py):

    H_μk = −Σ t ∫φ'_μ·φ'_k ds     over the pieces, of what the shapes move across t, the piece's direction outward

with cubic shapes between nodes, of the displacements and slopes φ' = ψ × t where turns are known, else of the spline through the displacements
that is clamped at the root. A table on one line through the root is recognised; a tree of lines must be given, because the nodes do not determine how they are
connected. The centrifugal softening comes from the first-order shapes and is not part of H, so nothing counts twice. The stiffening by bending moments that
side branches transmit is neglected. Proved against the built-in beam and a frame's geometric stiffness: tests/flexible/test_lines.py.
"""

from __future__ import annotations

import numpy as np
import scipy  # its parts come when they are used: most descriptions need none

STRAIGHT = 1e-6  # of the longest distance from the root: how far beside the line per node may be
FEWEST = 3  # nodes beside the root that make a line
ROOT = -1


def lines_through_root(positions) -> list[list[int]] | None:
    """Numbers of nodes at positions (P, 3) [m] along one line through the root: outward from it, on one side or on both.

    None: they do not lie on one, or are too few, or several are at one place.
    """
    distance = np.linalg.norm(positions, axis=1)
    size = distance.max(initial=0.0)
    if np.sum(distance > STRAIGHT * size) < FEWEST:
        return None
    axis = positions[int(np.argmax(distance))] / size
    station = positions @ axis
    if np.max(np.abs(positions - np.outer(station, axis))) > STRAIGHT * size:
        return None
    if np.any(np.diff(np.sort(station)) < STRAIGHT * size):
        return None
    sides = [[int(p) for p in np.argsort(side) if side[p] > STRAIGHT * size] for side in (station, -station)]
    return [[ROOT, *side] for side in sides if side]


def foreshortening(lines: list[list[int]], positions, shapes, turns=None) -> np.ndarray:
    """H (N, N, P, 3) [1/m] of nodes at positions (P, 3) [m] from the root, with shapes (N, P, 3) and turns (N, P, 3) [rad/m] or None.

    lines: numbers of nodes in the order outward, ROOT or a node of a line before it first.
    """
    n = len(shapes)
    known = turns is not None and np.any(turns)
    places, moved = np.vstack([positions, np.zeros(3)]), np.concatenate([shapes, np.zeros((n, 1, 3))], axis=1)
    turned = np.concatenate([turns, np.zeros((n, 1, 3))], axis=1) if known else None
    drawn = np.zeros((n, n, len(places), 3))  # the root last, as ROOT finds it
    for line in lines:
        steps = np.diff(places[line], axis=0)
        length = np.linalg.norm(steps, axis=1)
        t = steps / length[:, None]
        ends = moved[:, line]
        if turned is not None:
            slopes = [np.cross(turned[:, at], t) for at in (line[:-1], line[1:])]
        else:
            slopes = _splined(np.concatenate([[0.0], np.cumsum(length)]), ends, line[0] == ROOT)
        w, w_next, a, b = (_across(part, t) for part in (ends[:, :-1], ends[:, 1:], *slopes))
        cubic = np.stack([w, length[:, None] * a, w_next, length[:, None] * b], axis=-1)  # (N, pieces, 3, 4)
        bent = np.einsum("mpia,ab,npib,p->mnp", cubic, HERMITE, cubic, 1.0 / length, optimize=True)
        drawn[:, :, line[1:]] = drawn[:, :, line[:1]] - np.cumsum(np.einsum("mnp,pi->mnpi", bent, t), axis=2)
    return drawn[:, :, :-1]


def _across(vectors, t):
    """What vectors (N, pieces, 3) have across the directions t (pieces, 3)."""
    return vectors - np.einsum("npj,pj,pi->npi", vectors, t, t)


def _splined(s, moved, clamped: bool):
    """Slopes at both ends of each piece, by the spline through displacements (N, stations, 3) at s, at rest at its beginning if that is clamped."""
    n, free = len(moved), (2, np.zeros((len(moved), 3)))
    begins = (1, np.zeros((n, 3))) if clamped else free
    slopes = scipy.interpolate.CubicSpline(s, moved, axis=1, bc_type=(begins, free))(s, 1)
    return slopes[:, :-1], slopes[:, 1:]


# ∫ w'² ds · length of a cubic with (w, length · slope) at both ends: the geometric stiffness of a beam element
HERMITE = (
    np.array([[36.0, 3.0, -36.0, 3.0], [3.0, 4.0, -3.0, -1.0], [-36.0, -3.0, 36.0, -3.0], [3.0, -1.0, -3.0, 4.0]])
    / 30.0
)
