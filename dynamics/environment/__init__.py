"""What surrounds a spacecraft: the frame its motion is relative to, gravity, sunlight, air, a magnetic field.

A description switches each piece on:

    [environment]
    frame = "orbit"                     # hub.position, hub.quaternion, … relative to the orbital frame O
    gravity = "central"                 # "none" (default), "uniform", "central"
    orbit = { semi_major_axis = 6.878e6, eccentricity = 0.0, inclination = "51.6 deg" }

With frame = "orbit" every joint to "space" (and every free root) starts from O: x outward, y along track, z normal to
the orbit, origin falling freely on the given orbit: Kepler's, or with j2 that of a point in the oblate planet's gravity,
whose place and velocity are then states (frames.py). A free body's `initial` position and velocity are then in O
and relative to it, its angular velocity is relative to O: a body at rest in O needs no numbers at all. Loads, couplings
and cables need not know: `Moving.position_N`, `velocity` and accelerations are relative to O's origin in non-rotating
axes, and gravity is what is felt there (gravity.py). A cable between two free bodies works as in empty space.

`system.kinetic_energy` and `system.potential_energy` are relative to the origin of O too, so that orbital energy hides
nothing; on a circular orbit without losses `system.jacobi_integral` is constant. What the surroundings do beside what is stored,
`system.environment_work`, closes the balance everywhere (Environment.works).

In Python:  Spacecraft(..., environment=Environment(OrbitFrame(6.878e6), (CentralGravity(orbiting=True),)))
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..algebra.dual import duals, rates_of
from ..algebra.scalar import shared
from ..system.frame_text import INERTIAL, PLANETARY, FrameText
from ..system.pieces import Piece
from ..system.signals import Named, State
from ..tree.kinematics import Moving
from .eclipse import Eclipse
from .frames import InertialFrame, OblateOrbitFrame, OrbitFrame, Scene
from .gravity import CentralGravity, Field, Oblateness, UniformGravity
from .sun import Sun

__all__ = [
    "CentralGravity",
    "Environment",
    "InertialFrame",
    "OblateOrbitFrame",
    "Oblateness",
    "OrbitFrame",
    "Scene",
    "UniformGravity",
]


WORK = State(
    "system.environment_work", "work that the surroundings have done since the start, beside what is stored as potential energy: as the planet moves past O's origin, "
    "by air, light and magnetic field, and by O on what is jointed or tied to it", "J", derivative="system.environment_power",
    derivative_unit="W", derivative_description="power of the surroundings", quadrature=True, reinit=True,
)  # fmt: skip


@dataclass(frozen=True)
class Environment(Piece):
    """A frame; fields that act on every body (gravity.py); loads at nodes (surface.py, magnetic.py); the Sun.

    A load has `body`, `node`, parameters(), inputs() and wrench(u, k, place, scene) → (force, torque) in the node's
    axes. `media` are pieces that only have parameters: what surfaces and dipoles read.
    """

    frame: InertialFrame | OrbitFrame = field(default_factory=InertialFrame)
    fields: tuple = ()
    loads: tuple = ()
    sun: Sun | None = None
    media: tuple = ()

    def parts(self):
        return (self.frame, *self.fields, *self.media, *self.loads, *(() if self.sun is None else (self.sun,)))

    def medium(self, kind: type) -> Any:
        """The piece of this kind among the media, or None."""
        return next((piece for piece in self.media if isinstance(piece, kind)), None)

    @property
    def planet(self) -> bool:
        """Whether there is one."""
        return any(isinstance(field, CentralGravity) for field in self.fields)

    def holding(self, piece: Piece) -> Environment:
        """The same with one piece more: a field, the Sun, or a medium."""
        if isinstance(piece, Field):
            return replace(self, fields=(*self.fields, piece))
        return replace(self, sun=piece) if isinstance(piece, Sun) else replace(self, media=(*self.media, piece))

    @property
    def works(self) -> bool:
        """Whether the surroundings do work beside what is stored: the frame moves on an orbit, or something acts at nodes."""
        return self.frame.orbiting or bool(self.loads)

    def states(self) -> list[State]:
        """The frame's own, and behind them the work of the surroundings."""
        return [*super().states(), *([WORK] if self.works else [])]

    @property
    def frame_text(self) -> FrameText:
        """How descriptions name the frame: N's origin is the planet's centre, if there is one."""
        return PLANETARY if self.planet and self.frame.text is INERTIAL else self.frame.text

    @property
    def watches(self) -> tuple[Eclipse, ...]:
        """The planet's shadow, if there is one."""
        return () if self.sun is None or self.sun.shadow == "none" else (Eclipse(self.sun.shadow),)

    def scene(self, t, x, u, k, d=None) -> Scene:
        """The surroundings at time t; x are the frame's own states. Without d: for pictures, which need no shadow."""
        scene = self.frame.at(t, x, k)
        if self.sun is None:
            return scene
        eclipse = 0.0 if d is None else sum((d[watch.eclipse] for watch in self.watches), 0.0)
        return replace(scene, sun_N=self.sun.direction(t, u, k), eclipse=eclipse)

    def load(self, body: Moving, scene: Scene, k):
        """What all fields do to a body, (6+N,): force, torque about its frame, both in its axes, and modal forces."""
        constants = self._constants(k)
        return sum((_load(field, body, scene, constants) for field in self.fields), np.zeros(6 + len(body.eta)))

    def potential(self, body: Moving, scene: Scene, k):
        """The energy that the load is the gradient of [J]."""
        constants = self._constants(k)
        return sum((_potential(field, body, scene, constants) for field in self.fields), 0.0)

    def potential_rate(self, body: Moving, scene: Scene, k):
        """∂V/∂t [W] of a body that rests relative to the frame's origin, in axes of N: the planet moves past at −scene.velocity_N."""
        constants = self._constants(k)
        return sum((_potential_rate(field, body, scene, constants) for field in self.fields), 0.0)

    def _constants(self, k) -> dict:
        """What the fields read of the constants, by name."""
        found = {quantity.name: quantity for field in self.fields for quantity in field.parameters()}
        return {name: k[found[name]] for name in sorted(found)}


@shared
def _load(field, body: Moving, scene: Scene, constants):
    return field.load(body, scene, Named(constants))


@shared
def _potential(field, body: Moving, scene: Scene, constants):
    return field.potential(body, scene, Named(constants))


@shared
def _potential_rate(field, body: Moving, scene: Scene, constants):
    """By dual numbers: V in closed form has no difference of large numbers, and its derivative along V₀ has none either."""
    moving = replace(scene, position_N=duals(scene.position_N, scene.velocity_N))
    return rates_of(field.potential(body, moving, Named(constants)))[()]
