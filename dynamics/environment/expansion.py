"""Weak fields, expanded once per craft: at the frame of its root, P, for all of its bodies. With ρ from P,

    g(P + ρ) = g − H ρ,   H = ∂²U/∂R²

so that torques and modal loads come from the same H (gravity.py). All of them are summed first, and the sum acts on each body. Neglected terms are of third
order:
of harmonics from degree 3 on, 10⁻⁶ n³ (ρ/R)²/6 of the weight, 10⁻¹² at 1 km with degree 36. On an orbital frame the difference to the fields at O's origin is
taken as it is: both are at most 10⁻⁵ of the weight. They change with time, so their work is not stored: it is work of the environment.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..tree.kinematics import Moving
from .frames import Scene, Sky
from .gravity import Field, Pull, center_N, central_inertia, pulled


@dataclass(frozen=True)
class FieldExpansion:
    """At `place` (3,) from the planet's centre: g (3,) [m/s²] and H (3, 3) [1/s²], in N."""

    place: np.ndarray
    g: np.ndarray
    H: np.ndarray


class Weak(Field):
    """A field that acts by its expansion; `orbiting` frames fall in it."""

    falls = True
    weak = True

    def seen(self, R, sky: Sky, k) -> FieldExpansion:
        """At R (3,) from the planet's centre, in N."""
        raise NotImplementedError


def sum_of(found: list[FieldExpansion]) -> FieldExpansion:
    """Of several fields at one place."""
    g, H = (sum((getattr(each, name) for each in found[1:]), getattr(found[0], name)) for name in ("g", "H"))
    return FieldExpansion(found[0].place, g, H)


def expanded_load(body: Moving, scene: Scene):
    """(6+N,), for itself."""
    return pulled(body, [expanded(body, scene)])


def expanded(body: Moving, scene: Scene) -> Pull:
    """The load on a body by the expansion of its craft, less the acceleration of the origin of S."""
    near: FieldExpansion = scene.seen[scene.root]
    g = near.g - near.H @ (scene.position_N + center_N(body) - near.place) - scene.fallen
    H = body.dcm_NB.T @ near.H @ body.dcm_NB
    M = central_inertia(body) @ H
    torque = np.array([M[1, 2] - M[2, 1], M[2, 0] - M[0, 2], M[0, 1] - M[1, 0]])
    return Pull(g, H, np.zeros(3), torque)
