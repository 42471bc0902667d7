"""Flat surfaces in sunlight and in the residual atmosphere: a force at a node of a body, in the node's axes.

A surface is one-sided unless told otherwise; with n its outward normal and A its area:

    sunlight    F = −P A c [(1 − ρ_s) s + 2(ρ_s c + ρ_d/3) n],   c = n·s > 0, s to the Sun     (Wertz, SADC, eq. 5.21)
    atmosphere  F = −½ ρ C_D A (n·v) v,   n·v > 0, v the velocity relative to the air, which turns with the planet

Both sides: the normal is turned toward what comes. Surfaces do not shade each other.
Proved by hand formulas: tests/environment/test_surfaces.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algebra.rotation import cross
from ..algebra.scalar import maximum, where
from ..bodies.body import Node
from ..loads.wrench import Load
from ..system.keys import PLACE, Declaration, Key, Resolver, in_km
from ..system.pieces import Declared, parameter
from ..system.signals import Parameter
from ..tree.kinematics import Place
from .frames import Scene
from .planet import RADIUS, SPIN_EARTH
from .sun import Sun
from .surrounding import Around, Surrounding

THICKEST = 700.0  # scale heights from the reference height down to the ground: exp(709) is the largest number there is


@dataclass(frozen=True)
class Air(Around):
    """An exponential atmosphere ρ = ρ₀ exp(−(h − h₀)/H) that turns with the planet at `spin` [rad/s] about N's z."""

    name = "environment.air"
    density: Declared[Parameter] = parameter("density of the air at the reference height", "kg/m3", min=0.0, tunable=True)  # fmt: skip
    height: Declared[Parameter] = parameter("reference height above the equatorial radius", "m")
    scale_height: Declared[Parameter] = parameter("height over which density falls by e", "m", 1.0, min=1.0)
    spin: Declared[Parameter] = parameter("rate at which the air turns with the planet", "rad/s")

    def laws(self, k) -> list[tuple[str, Any]]:
        finite = f"{self.name}.scale_height must be more than a {THICKEST:g}th of {self.name}.height: the density near the ground is not a finite number"
        return [(finite, THICKEST * k[self.scale_height] - k[self.height])]

    def density_at(self, R, k):
        h = np.sqrt(R @ R) - k[RADIUS] - k[self.height]
        return k[self.density] * np.exp(-h / k[self.scale_height])

    def velocity_at(self, R, k):
        """Of the air, in N (3,)."""
        return cross(np.array([0.0, 0.0, 1.0]) * k[self.spin], R)


def make_air(table: Any, names: Resolver) -> Air:
    if table.height >= THICKEST * table.scale_height:
        names.expected(
            "scale_height",
            f"more than a {THICKEST:g}th of the height, {table.height:g} m: the density near the ground is not a finite number"
            + in_km(table.scale_height, table.height / THICKEST),
        )
    return Air(table.density, table.height, table.scale_height, table.spin)


AIR = Surrounding("An exponential atmosphere: density at a height above the equatorial radius, scale height.", {
    "density": Key("not negative", "at the height [kg/m³]"),
    "height": Key("number", "above the equatorial radius [m]"),
    "scale_height": Key("positive", "over which the density falls by e [m]"),
    "spin": Key("number", "of the atmosphere [rad/s]", SPIN_EARTH),
}, make_air, "atmosphere")  # fmt: skip


@dataclass(frozen=True)
class Surface(Load):
    """name.area, name.specular, name.diffuse, name.drag are parameters; place and normal are in the body's (node's) axes."""

    name: str
    body: int
    node: Node
    normal: tuple[float, float, float]
    area: Declared[Parameter] = parameter("area of {self.name}", "m2", min=0.0)
    # fmt: off
    specular: Declared[Parameter] = parameter("share of sunlight that {self.name} mirrors", "1", when=lambda self: self.sun, min=0.0, max=1.0)
    diffuse: Declared[Parameter] = parameter("share of sunlight that {self.name} scatters", "1", when=lambda self: self.sun, min=0.0, max=1.0)
    drag: Declared[Parameter] = parameter("drag coefficient of {self.name}", "1", when=lambda self: self.air, min=0.0)
    # fmt: on
    both_sides: bool = False
    sun: Sun | None = None
    air: Air | None = None
    of_surroundings = True

    def wrench(self, u, k, place: Place, scene: Scene):
        """(force (3,) [N], torque (3,)) at the node, in its axes."""
        R = scene.position_N + place.position_N
        force = np.zeros(3)
        if self.sun is not None:
            light = self.sun.light(R, scene, k)
            force = force + self.pressure(k, light, place.dcm_NP.T @ scene.sun_N)
        if self.air is not None:
            velocity = place.velocity + place.dcm_NP.T @ (scene.velocity_N - self.air.velocity_at(R, k))
            force = force + self.resistance(k, self.air.density_at(R, k), velocity)
        return force, np.zeros(3)

    def _facing(self, direction):
        """The normal that looks along `direction`, and its cosine times the direction's length, not negative."""
        n = np.array(self.normal)
        along = n @ direction
        if self.both_sides:
            side = where(along < 0.0, -1.0, 1.0)
            return side * n, side * along
        return n, maximum(along, 0.0)

    def pressure(self, k, light, s):
        """Force of sunlight of pressure `light` [N/m²] from the direction s (3,), all in the node's axes."""
        n, c = self._facing(s)
        mirrored, scattered = k[self.specular], k[self.diffuse]
        return -light * k[self.area] * c * ((1.0 - mirrored) * s + 2.0 * (mirrored * c + scattered / 3.0) * n)

    def resistance(self, k, density, velocity):
        """Force of air of `density` [kg/m³] met at `velocity` (3,) [m/s], in the node's axes."""
        _, along = self._facing(velocity)
        return -0.5 * density * k[self.drag] * k[self.area] * along * velocity


def make_surface(table: Any, names: Resolver) -> Surface | None:
    sun, air = names.environment.sun, names.environment.medium(Air)
    if sun is None and air is None:
        names.does_nothing("a table environment.sun or environment.air")
    if table.specular + table.diffuse > 1.0:
        names.expected("diffuse", f"at most {1.0 - table.specular:g}: specular and diffuse are shares of one")
    found = names.place()
    own = {key: getattr(table, key) for key in SURFACE.keys if key not in PLACE}
    return found and Surface(names.signal, *found, sun=sun, air=air, **own)


SURFACE = Declaration("A flat surface of a body (body or body.node) in sunlight and air; place and normal are in its axes.", {
    "body": PLACE["body"],
    "place": Key("vector", "centre of pressure in the body's frame; not with a node", None),
    "normal": Key("axis", "outward, in the axes of its place"),
    "area": Key("positive", "[m²]"),
    "specular": Key("fraction", "share of sunlight reflected as by a mirror", 0.0),
    "diffuse": Key("fraction", "share of sunlight scattered", 0.0),
    "drag": Key("not negative", "drag coefficient", 2.2),
    "both_sides": Key("flag", "true: both faces feel the Sun and the air", False),
}, make_surface)  # fmt: skip
