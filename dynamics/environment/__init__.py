"""The environment of a spacecraft: the reference frame of its motion, gravity, sunlight, air, a magnetic field.

A description switches each piece on:

    [environment]
    frame = "orbit"                     # hub.position, hub.quaternion, … relative to the orbital frame O
    gravity = "central"                 # "none" (default), "uniform", "central"
    orbit = { semi_major_axis = 6.878e6, eccentricity = 0.0, inclination = "51.6 deg" }

With frame = "orbit" every joint to "space" (and every free root) starts from O: x outward, y along track, z normal to
the orbit, origin falling freely on the given orbit: Kepler's, or with j2 that of a point in the oblate planet's gravity,
whose place and velocity are then states (frames.py). A free body's `initial` position and velocity are then in O
and relative to it, its angular velocity is relative to O: a body at rest in O needs no initial values. Loads, couplings and cables are the same in all frames:
`Moving.position_N`, `velocity` and accelerations are relative to O's origin in non-rotating axes, and gravity is relative to that of the origin (gravity.py). A
cable between two free bodies works as in empty space.

`system.kinetic_energy` and `system.potential_energy` are also relative to the origin of O, so that small changes are not lost in the orbital energy; on a
circular orbit without losses `system.jacobi_integral` is constant. The work of the environment that is not stored, `system.environment_work`, closes the energy
balance in all cases (Environment.works).

In Python:  Spacecraft(..., environment=Environment(OrbitFrame(6.878e6), (CentralGravity(orbiting=True),)))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import numpy as np

from ..algebra.scalar import shared
from ..system.frame_text import INERTIAL, PLANETARY, FrameText
from ..system.pieces import Piece
from ..system.signals import NamedValues, State
from ..tree.kinematics import Moving
from .eclipse import Eclipse
from .expansion import Weak, expanded_load, sum_of
from .frames import InertialFrame, OblateOrbitFrame, OrbitFrame, Scene, Sky
from .given_frames import Frame
from .gravity import Attracting, CentralGravity, Field, Oblateness, UniformGravity, pulled
from .sun import Sun
from .surrounding import SeveralPieces
from .third_bodies import ThirdBody
from .turning import Turning

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
    axes. `media` are pieces without forces, such as air, that surfaces and dipoles read.
    """

    frame: Frame = field(default_factory=InertialFrame)
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
        """The same with a further piece: a field, the Sun, a medium, or several of them."""
        if isinstance(piece, SeveralPieces):
            return reduce(Environment.holding, piece.all, self)
        if isinstance(piece, Field):
            return replace(self, fields=(*self.fields, piece))
        return replace(self, sun=piece) if isinstance(piece, Sun) else replace(self, media=(*self.media, piece))

    @property
    def works(self) -> bool:
        """Whether the environment does work that is not stored: the frame moves on an orbit, or loads act at nodes."""
        return self.frame.orbiting or bool(self.loads) or bool(self.weak)

    @property
    def weak(self) -> list[Weak]:
        """Fields that act by their expansion."""
        return [each for each in self.fields if each.weak]

    def states(self) -> list[State]:
        """The states of the frame, then the work of the environment."""
        return [*super().states(), *([WORK] if self.works else [])]

    @property
    def frame_text(self) -> FrameText:
        """The text for the frame in descriptions of signals: N's origin is the planet's centre, if there is a planet."""
        return PLANETARY if self.planet and self.frame.text is INERTIAL else self.frame.text

    @property
    def watches(self) -> tuple[Eclipse, ...]:
        """The planet's shadow, if there is one."""
        return () if self.sun is None or self.sun.shadow == "none" else (Eclipse(self.sun.shadow),)

    def scene(self, t, x, u, k, d=None) -> Scene:
        """The Scene at time t; x are the states of the frame. Without d: for pictures, which need no shadow."""
        turning = self.medium(Turning)
        sky = Sky() if turning is None else turning.sky(t, k)
        sky = replace(sky, others={each.body: each.place(t, k) for each in self.fields if isinstance(each, ThirdBody)})
        scene = self.frame.at(t, x, k, sky, [field for field in self.fields if field.falls], u)
        if self.sun is None:
            return scene
        eclipse = 0.0 if d is None else sum((d[watch.eclipse] for watch in self.watches), 0.0)
        return replace(scene, sun_N=self.sun.direction(t, u, k), eclipse=eclipse)

    def around(self, scene: Scene, roots: Sequence, k) -> Scene:
        """The scene with the values of fields that are evaluated once per craft: at its root's frame, `roots` (3,) each, from the origin of S in N."""
        if not self.weak:
            return scene
        places = [scene.position_N + place for place in roots]
        return replace(scene, seen=tuple(sum_of([each.seen(place, scene.sky, k) for each in self.weak]) for place in places))  # fmt: skip

    def load(self, body: Moving, scene: Scene, k):
        """Load of all fields on a body, (6+N,): force, torque about its frame, both in its axes, and modal forces."""
        load = _load(tuple(self._strong), body, scene, self._constants(k))
        return load + _expanded(body, scene) if self.weak else load

    def potential(self, body: Moving, scene: Scene, k):
        """The energy that the load is the gradient of, without weak fields [J]."""
        return _potential(tuple(self._strong), body, scene, self._constants(k))

    def power(self, body: Moving, scene: Scene, k):
        """Power of fields that is not stored [W]: ∂V/∂t of a body that rests relative to the frame's origin, in axes of N, as the planet moves past
        at −scene.velocity_N; and the power of weak fields."""
        moving = tuple(self._strong) if self.frame.orbiting else ()
        power = _potential_rate(moving, body, scene, self._constants(k))
        return power + _expanded(body, scene) @ body.speeds if self.weak else power

    @property
    def _strong(self) -> list[Field]:
        return [each for each in self.fields if not each.weak]

    def _constants(self, k) -> dict:
        """What the fields read of the constants, by name."""
        found = {quantity.name: quantity for field in self.fields for quantity in field.parameters()}
        return {name: k[found[name]] for name in sorted(found)}


@shared
def _load(fields, body: Moving, scene: Scene, constants):
    k = NamedValues(constants)
    pulls = [field.pull(body, scene, k) for field in fields if isinstance(field, Attracting)]
    uniform = (field.load(body, scene, k) for field in fields if not isinstance(field, Attracting))
    return sum(uniform, pulled(body, pulls) if pulls else np.zeros(6 + len(body.eta)))


@shared
def _expanded(body: Moving, scene: Scene):
    return expanded_load(body, scene)


@shared
def _potential(fields, body: Moving, scene: Scene, constants):
    return sum((field.potential(body, scene, NamedValues(constants)) for field in fields), 0.0)


@shared
def _potential_rate(fields, body: Moving, scene: Scene, constants):
    return sum((field.potential_rate(body, scene, NamedValues(constants)) for field in fields), 0.0)
