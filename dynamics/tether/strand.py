"""The chain of a deployed tether at one instant: which beads are out, and the strain and tension of each segment (deployed.py)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algebra.scalar import reciprocal, shared, where
from ..constraints.connection import View
from ..constraints.rows import TINY


@dataclass(frozen=True)
class Strand:
    """The chain at one instant. Of each bead: `out` and `first` (N,), 1 or 0. Of each segment, the inner one of each bead and that to b: T n (N+1, 3); EA ε + c_A ε̇, T, ε,
    ε̇, length and rest length (N+1,). Place and velocity (3,) of the first bead that is out."""

    out: np.ndarray
    first: np.ndarray
    tension: np.ndarray
    force: np.ndarray
    pull: np.ndarray
    strain: np.ndarray
    strain_rate: np.ndarray
    lengths: np.ndarray
    rest: np.ndarray
    place: Any
    velocity: Any


def moving(tether: Any, view: View, count: Any) -> Strand:
    """With `count` beads out."""
    N, h, x = tether.beads, tether.reel.part, view.x
    places, velocities = x[tether.bead_position], x[tether.bead_velocity]
    out = np.array([where(count > N - i - 0.5, 1.0, 0.0) for i in range(N)])
    first = out - np.array([0.0, *out[:-1]])
    outlet, material = (view.a.position, view.a.velocity), tether.material(view)
    parts, rests = [], []
    for i, pulls in enumerate(view.d[tether.pulls]):
        inner, rest, growing = (places[i - 1], velocities[i - 1]) if i else outlet, 0.5 * h, 0.0
        outer = (places[i], velocities[i]) if i < N else (view.b.position, view.b.velocity)
        if i < N:
            inner = (where(first[i] > 0.5, outlet[0], inner[0]), where(first[i] > 0.5, outlet[1], inner[1]))
            rest = where(first[i] > 0.5, x[tether.reel.outlet_length], h)
            growing = where(first[i] > 0.5, x[tether.reel.rate], 0.0)
        parts.append(strained(*inner, *outer, pulls, rest, growing, *material))
        rests.append(rest)
    last: Any = (np.array(rests), first @ places, first @ velocities)
    return Strand(out, first, *map(np.array, zip(*parts, strict=True)), *last)


def material_ends(tether: Any, view: View, line: Strand):
    """Inner and outer ends of all segments, (places, velocities) (N+1, 3) each, with velocities of the material: at the outlet u_o more than the outlet's."""
    N, x, o = tether.beads, view.x, view.a.position
    places, velocities = x[tether.bead_position], x[tether.bead_velocity]
    leaves = view.a.velocity + x[tether.reel.rate] / x[tether.reel.outlet_length] * (line.place - o)
    at_reel = [line.first[i] > 0.5 for i in range(1, N)]
    inner = [o, *(where(is_first, o, r) for is_first, r in zip(at_reel, places[:-1], strict=True)), places[-1]]
    inner_velocity = [leaves, *(where(is_first, leaves, v) for is_first, v in zip(at_reel, velocities[:-1], strict=True)), velocities[-1]]  # fmt: skip
    return (inner, inner_velocity), ([*places, view.b.position], [*velocities, view.b.velocity])


@shared
def strained(inner, inner_velocity, outer, outer_velocity, pulls, rest, growing, EA, cA):
    """T n (3,), EA ε + c_A ε̇, T, ε, ε̇ and length of a segment whose rest length grows at `growing` [m/s]."""
    span = outer - inner
    length = np.sqrt(span @ span + TINY)
    n, per_rest = span * reciprocal(length), reciprocal(rest)
    stretch = length * per_rest
    strain, rate = stretch - 1.0, (n @ (outer_velocity - inner_velocity) - stretch * growing) * per_rest
    force = EA * strain + cA * rate
    pull = where(pulls > 0.5, force, 0.0)
    return pull * n, force, pull, strain, rate, length
