"""Second-order displacements of a body whose nodes lie on a line: what stiffens it when it turns or is pulled along itself.

From a table of mode shapes alone the load path is known only there: forces along the line go through all nodes between them and the root.
The line keeps its length, so a node on it is drawn towards the root as the built-in beam's stations are (beam.py):

    H_μk(s) = −t ∫₀ˢ φ'_μ·φ'_k ds     over what the shapes move across t, the line's direction outward

with cubic shapes between nodes, of the displacements and slopes φ' = ψ × t where turns are known, else of the spline through the displacements
that is clamped at the root. The centrifugal softening is that of the first-order shapes, and H has none of it: nothing counts twice.
Proved against the built-in beam: tests/flexible/test_lines.py.
"""

from __future__ import annotations

import numpy as np
import scipy  # its parts come when they are used: most descriptions need none

STRAIGHT = 1e-6  # of the longest distance from the root: how far beside the line a node may be
FEWEST = 3  # nodes beside the root that make a line


def foreshortening(positions, shapes, turns=None):
    """H (N, N, P, 3) [1/m] of nodes at positions (P, 3) [m] from the root, with shapes (N, P, 3) and turns (N, P, 3) [rad/m] or None.

    None: they do not lie on a line through the root, or are too few, or several are at one place.
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
    drawn = np.zeros((len(shapes), len(shapes), len(positions), 3))
    for outward in (axis, -axis):
        along = positions @ outward
        order = [p for p in np.argsort(along) if along[p] > STRAIGHT * size]
        if order:
            s = np.concatenate([[0.0], along[order]])
            drawn[:, :, order] = np.einsum(
                "pmn,i->mnpi", -_stretched(s, shapes[:, order], turns, order, outward), outward
            )
    return drawn


def _stretched(s, shapes, turns, order, t):
    """∫₀ˢ φ'_μ·φ'_k ds (stations, N, N) at the stations s[1:] from the clamped root s[0] = 0."""
    n = len(shapes)
    across = shapes - np.einsum("npj,j,i->npi", shapes, t, t)
    w = np.concatenate([np.zeros((n, 1, 3)), across], axis=1)
    if turns is not None and np.any(turns):
        slopes = np.concatenate([np.zeros((n, 1, 3)), np.cross(turns[:, order], t)], axis=1)
    else:
        spline = scipy.interpolate.CubicSpline(s, w, axis=1, bc_type=((1, np.zeros((n, 3))), (2, np.zeros((n, 3)))))
        slopes = spline(s, 1)
    length = np.diff(s)[None, :, None]
    ends = np.stack(
        [w[:, :-1], length * slopes[:, :-1], w[:, 1:], length * slopes[:, 1:]], axis=-1
    )  # (N, segments, 3, 4)
    parts = np.einsum("mpia,ab,npib,p->pmn", ends, HERMITE, ends, 1.0 / np.diff(s), optimize=True)
    return np.cumsum(parts, axis=0)


# ∫ w'² ds · length of a cubic with (w, length · slope) at both ends: the geometric stiffness of a beam element
HERMITE = (
    np.array([[36.0, 3.0, -36.0, 3.0], [3.0, 4.0, -3.0, -1.0], [-36.0, -3.0, 36.0, -3.0], [3.0, -1.0, -3.0, 4.0]])
    / 30.0
)
