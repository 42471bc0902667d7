"""Loads of air and a magnetic field along a tether: the force on each segment Δl acts in its middle, half of it at each of its ends.

    air       F = −½ ρ C_D D |Δl × v| v,   v relative to the air: the force of a thin cylinder of the diameter D in free molecular flow
    current   F = I Δl × B                 I an input, positive from the first end to the second
    emf       Σ (v × B)·Δl                 v relative to the field, which turns with its planet: with ionospheric contact at both ends it drives I

Where a tether is cut there is no segment, and no current flows. The power taken by air counts as dissipated; the work of the field on the current is work of the input. Proved by tests/tether/test_exposed.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algebra.rotation import cross
from ..algebra.scalar import shared
from ..constraints.connection import View
from ..system.pieces import Declared, Piece, input_, output, parameter
from ..system.signals import Parameter


@dataclass(frozen=True)
class Exposure(Piece):
    """`air` and `magnetic`: pieces of the environment (dynamics/environment/air.py, magnetic.py), or None."""

    name: str
    air: Any = None
    magnetic: Any = None
    start_current: float = 0.0
    # fmt: off
    diameter: Declared[Parameter] = parameter("diameter of tether {self.name} in air", "m", 1e-3, when=lambda self: self.air is not None, min=0.0)
    drag: Declared[Parameter] = parameter("drag coefficient of tether {self.name}", "1", 2.2, when=lambda self: self.air is not None, min=0.0)
    current = input_("current along tether {self.name}, from its first end to its second", "A", lambda self: self.start_current, when=lambda self: self.magnetic is not None)
    emf = output("electromotive force along tether {self.name} by its motion through the magnetic field, positive from its first end to its second", "V", when=lambda self: self.magnetic is not None)
    # fmt: on

    def along(self, view: View, inner, outer, there, closed=1.0) -> Along:
        """Of segments between places and velocities (n, 3) each, `inner` = (places, velocities) and `outer`; there (n,): 1 where a segment is out and not cut;
        closed: 1 while a current can flow."""
        parts = [self._on(view, closed, *ends) for ends in zip(*inner, *outer, strict=True)]
        force, taken, work, emf = (np.array(own) for own in zip(*parts, strict=True))
        half = 0.5 * np.asarray(there)[:, None] * force
        return Along(half, there @ taken, there @ work, there @ emf)

    def _on(self, view: View, closed, inner, inner_velocity, outer, outer_velocity):
        """Force (3,) on one segment, power that air takes and that the field gives [W], and the emf [V]."""
        scene, u, k = view.scene, view.u, view.k
        span, mean = outer - inner, 0.5 * (inner_velocity + outer_velocity)
        R, velocity = scene.position_N + 0.5 * (inner + outer), scene.velocity_N + mean
        force, taken, work, emf = np.zeros(3), 0.0, 0.0, 0.0
        if self.air is not None:
            density = 0.5 * self.air.density_at(scene, R, u, k) * k[self.drag] * k[self.diameter]
            force = _dragged(density, span, velocity - self.air.velocity_at(scene, R, u, k))
            taken = -(force @ mean)
        if self.magnetic is not None:
            B = self.magnetic.at(scene, R, u, k)
            pushed = closed * u[self.current] * cross(span, B)
            emf = closed * cross(velocity - self.magnetic.velocity_at(scene, R, k), B) @ span
            force, work = force + pushed, pushed @ mean
        return force, taken, work, emf


@dataclass(frozen=True)
class Along:
    """Force (n, 3) at each end of n segments; power that air takes, power of the current [W], and emf [V]."""

    half: Any
    taken: Any
    work: Any
    emf: Any

    @classmethod
    def nothing(cls, there: Any) -> Along:
        return cls(np.zeros((len(there), 3)), 0.0, 0.0, 0.0)


@shared
def _dragged(density, span, velocity):
    """−½ρC_D D |Δl × v| v, `density` = ½ρC_D D [kg/m²]."""
    across = cross(span, velocity)
    return -density * np.sqrt(across @ across + 1e-24) * velocity
