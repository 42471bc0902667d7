"""Flat surfaces in sunlight and in the residual atmosphere: each gives a force at a node of a body, in the node's axes.

A surface is one-sided by default; with n its outward normal and A its area:

    sunlight    F = −P A c [(1 − ρ_s) s + 2(ρ_s c + ρ_d/3) n],   c = n·s > 0, s to the Sun     (Wertz, SADC, eq. 5.21)
    atmosphere  F = −½ ρ C_D A (n·v) v,   n·v > 0, v the velocity relative to the air, which turns with the planet

With an `accommodation` α the molecules' thermal speed is included (Sentman, LMSC-448514 (1961), as Doornbos, Thermospheric Density and Wind Determination from
Satellite Dynamics (2012), eq. (3.56)–(3.63)), with γ = n·v/v, s the ratio of v to their thermal speed, Z = 1 + erf(γs), P = exp(−γ²s²)/s:

    F = −½ ρ v² A [C_D v/v + c (n − γ v/v)]
    C_D = P/√π + γ (1 + 1/(2s²)) Z + γ κ (γ√π Z + P)/2,   c = Z/(2s²) + κ (γ√π Z + P)/2
    κ² = ½ [1 + α (4 R T_w/(M v²) − 1)]      speed of what leaves the surface, by v; T_w its temperature

Both sides: the normal is turned toward the light or air; for molecules the forces on both sides are summed. Surfaces do not shade each other.
Proved by hand formulas: tests/environment/test_surfaces.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algebra.rotation import cross
from ..algebra.scalar import absolute, maximum, where
from ..bodies.body import Node
from ..loads.wrench import Load
from ..system.keys import PLACE, Declaration, Key, Resolver
from ..system.pieces import Declared, parameter
from ..system.signals import Parameter
from ..tree.kinematics import Place
from .air import GAS, AirMotion
from .facets import faces_of
from .frames import Scene
from .planet import RADIUS, SPEED_OF_LIGHT
from .planet_light import PlanetLight, view_of_sphere
from .sun import Sun


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
    drag: Declared[Parameter] = parameter("drag coefficient of {self.name}", "1", when=lambda self: self.air and self.accommodation is None, min=0.0)
    accommodation: Declared[Parameter] = parameter("share of their energy that molecules leave on {self.name}", "1", None, when=lambda self: self.air, min=0.0, max=1.0)
    temperature: Declared[Parameter] = parameter("temperature of {self.name} that molecules leave it with", "K", 300.0, when=lambda self: self.air and self.accommodation is not None, min=0.0)
    # fmt: on
    both_sides: bool = False
    sun: Sun | None = None
    air: AirMotion | None = None
    planet: PlanetLight | None = None
    of_surroundings = True

    def wrench(self, u, k, place: Place, scene: Scene):
        """(force (3,) [N], torque (3,)) at the node, in its axes."""
        return self._force(u, k, place, scene, np.array(self.normal), np.zeros(3)), np.zeros(3)

    def _force(self, u, k, place: Place, scene: Scene, n, at):
        """On a face with the normal n (3,) at a place (3,) from the node, in its axes."""
        R = scene.position_N + place.position_N
        force = np.zeros(3)
        if self.sun is not None:
            light = self.sun.light(R, scene, k)
            force = force + self.pressure(k, light, place.dcm_NP.T @ scene.sun_N, n)
        if self.sun is not None and self.planet is not None:
            force = force + self._planet_light(
                k, place.dcm_NP.T @ R, self.planet.scattered(R, scene.sun_N, self.sun.flux(k), k), n
            )
        if self.air is not None:
            velocity = (
                place.velocity
                + cross(place.omega, at)
                + place.dcm_NP.T @ (scene.velocity_N - self.air.velocity_at(scene, R, u, k))
            )
            density = self.air.density_at(scene, R, u, k)
            met = self.resistance if self.accommodation is None else self.molecules
            force = force + met(k, density, velocity, n)
        return force

    def _planet_light(self, k, R, scattered, n):
        """Of the planet's scattered sunlight [W/m²] and its infrared radiation, which is absorbed; R (3,) in the node's axes. All comes from its centre."""
        assert self.planet is not None
        r = np.sqrt(R @ R)
        down = -R / r
        sides = (n, -n) if self.both_sides else (n,)
        force = np.zeros(3)
        for side in sides:
            c = side @ down
            seen = view_of_sphere(c, k[RADIUS] / r) * k[self.area] / SPEED_OF_LIGHT
            mirrored, scatters = k[self.specular], k[self.diffuse]
            back = (1.0 - mirrored) * down + 2.0 * (mirrored * maximum(c, 0.0) + scatters / 3.0) * side
            force = force - seen * (scattered * back + k[self.planet.infrared] * down)
        return force

    def _facing(self, direction, n):
        """The normal that looks along `direction`, and its cosine times the direction's length, not negative."""
        along = n @ direction
        if self.both_sides:
            side = where(along < 0.0, -1.0, 1.0)
            return side * n, side * along
        return n, maximum(along, 0.0)

    def pressure(self, k, light, s, n):
        """Force of sunlight of pressure `light` [N/m²] from the direction s (3,), all in the node's axes."""
        n, c = self._facing(s, n)
        mirrored, scattered = k[self.specular], k[self.diffuse]
        return -light * k[self.area] * c * ((1.0 - mirrored) * s + 2.0 * (mirrored * c + scattered / 3.0) * n)

    def resistance(self, k, density, velocity, n):
        """Force of air of `density` [kg/m³] met at `velocity` (3,) [m/s], in the node's axes."""
        _, along = self._facing(velocity, n)
        return -0.5 * density * k[self.drag] * k[self.area] * along * velocity

    def molecules(self, k, density, velocity, n):
        """The same of molecules with a thermal speed."""
        force = self._struck(k, density, velocity, n)
        return force + self._struck(k, density, velocity, -n) if self.both_sides else force

    def _struck(self, k, density, velocity, n):
        v2 = maximum(velocity @ velocity, 1.0)
        v, thermal = np.sqrt(v2), self.air.thermal_speed(k)
        along, s = velocity / v, v / thermal
        gamma = n @ along
        P, Z = np.exp(-gamma * gamma * s * s) / s, 1.0 + erf(gamma * s)
        wall = 4.0 * GAS * k[self.temperature] / (k[self.air.molar_mass] * v2)
        leaving = 0.5 * np.sqrt(0.5 * (1.0 + k[self.accommodation] * (wall - 1.0))) * (gamma * np.sqrt(np.pi) * Z + P)
        more = 0.5 / (s * s)
        C_D = P / np.sqrt(np.pi) + gamma * (1.0 + more) * Z + gamma * leaving
        return -0.5 * density * v2 * k[self.area] * (C_D * along + (more * Z + leaving) * (n - gamma * along))


@dataclass(frozen=True)
class Facets(Surface):
    """All faces of a body's shapes: normal, area [m²] and centre from the body's frame each; `area` is a factor of theirs."""

    faces: tuple = ()

    def wrench(self, u, k, place: Place, scene: Scene):
        force, torque = np.zeros(3), np.zeros(3)
        for normal, area, center in self.faces:
            each = area * self._force(u, k, place, scene, np.array(normal), np.array(center))
            force, torque = force + each, torque + cross(np.array(center), each)
        return force, torque


def erf(x):
    """The error function to 1.5e-7 (Abramowitz, Stegun, 7.1.26)."""
    size = absolute(x)
    t = 1.0 / (1.0 + 0.3275911 * size)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    found = 1.0 - series * np.exp(-size * size)
    return where(x < 0.0, -found, found)


def make_surface(table: Any, names: Resolver) -> Surface | None:
    sun, air = names.environment.sun, names.environment.medium(AirMotion)
    if sun is None and air is None:
        names.does_nothing("a table environment.sun or environment.air")
    if table.specular + table.diffuse > 1.0:
        names.expected("diffuse", f"at most {1.0 - table.specular:g}: specular and diffuse are shares of one")
    for key in ("normal", "area"):
        if not table.from_shape and getattr(table, key) is None:
            names.missing(key, "a flat surface has it")
            return None
        if table.from_shape and key in names.given:
            names.expected(key, "nothing with from_shape = true")
    around: dict[str, Any] = {"sun": sun, "air": air, "planet": names.environment.medium(PlanetLight)}
    own = {key: getattr(table, key) for key in OPTICAL}
    found = names.place()
    if found is None:
        return None
    at: dict[str, Any] = {"name": names.signal, "body": found[0], "node": found[1]}
    if not table.from_shape:
        return Surface(normal=table.normal, area=table.area, **at, **own, **around)
    faces = []
    for shape in names.shapes(table.body):
        try:
            faces += faces_of(shape)
        except ValueError as error:
            names.expected("from_shape", str(error), shape.kind)
    if not faces:
        names.expected("from_shape", f"false, or a shape of {table.body}: it has none", True)
    return Facets(normal=(0.0, 0.0, 1.0), area=1.0, **at, **own, **around, faces=tuple(faces))


OPTICAL = ("specular", "diffuse", "drag", "accommodation", "temperature", "both_sides")
SURFACE = Declaration("A flat surface of a body (body or body.node) in sunlight and air; place and normal are in its axes.", {
    "body": PLACE["body"],
    "place": Key("vector", "centre of pressure in the body's frame; not with a node", None),
    "normal": Key("axis", "outward, in the axes of its place; not with from_shape", None),
    "area": Key("positive", "[m²]; not with from_shape", None),
    "from_shape": Key("flag", "true: all faces of the body's shapes (box, plate, cylinder, sphere), in the body's frame", False),
    "specular": Key("fraction", "share of sunlight reflected as by a mirror", 0.0),
    "diffuse": Key("fraction", "share of sunlight scattered", 0.0),
    "drag": Key("not negative", "drag coefficient", 2.2),
    "accommodation": Key("fraction", "of molecules' energy: drag and lift by their impact (Sentman) in place of the drag coefficient", None),
    "temperature": Key("not negative", "of the surface, with accommodation [K]", 300.0),
    "both_sides": Key("flag", "true: both faces feel the Sun and the air", False),
}, make_surface)  # fmt: skip
