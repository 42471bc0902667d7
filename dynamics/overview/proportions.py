"""Warnings about combinations of numbers that are allowed but probably not intended: of a spacecraft's bodies, joints, wheels and orbit.

Each check in CHECKS yields sentences; other Systems have none.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..algebra.rotation import skew
from ..bodies.gimbal import Gimbal
from ..bodies.rotor import Rotor
from ..spacecraft.structure import Spacecraft
from ..system.contract import System
from ..system.signals import Bag
from ..tanks.burner import G0
from ..tanks.tank import Tank

THIN = 0.1  # [kg/m³] of the box with a body's inertia: a tenth of the density of air at the ground
OUTSIDE = 25.0  # radii of gyration from the mass centre; the corners of a box are at 2
ELSEWHERE = 0.1  # of the semi-major axis: farther away, a position is not near the origin of O
LIGHTEST, HEAVIEST = 60.0, 3500.0  # [kg/m³]: liquid hydrogen, xenon under pressure
FULL = 0.985  # of a tank's capacity
SLOWEST, FASTEST = 250.0, 1e5  # [m/s]: cold gas, ions
STRONGEST = 0.3  # damping ratio, of a tank full of baffles
TENSEST = 0.6  # [N/m]: above mercury
THICKEST = 0.01  # [m²/s]: as of syrup
TURN = 2.0 * math.pi


def proportions(system: System) -> Iterator[str]:
    """All sentences about a System made from a spacecraft's description."""
    craft: Any = system.made_by[1] if system.made_by is not None else None
    starts = {entry.name: float(entry.start) for group in ("parameters", "states") for entry in getattr(system.signals, group) if entry.kind == "real"}  # fmt: skip
    if isinstance(craft, Spacecraft):
        k = Bag(system.signals, "parameters", np.array(system.signals.starts("parameters")))
        for check in CHECKS:
            yield from check(craft, k, starts)
    yield from _written(system)


def _own(body, k) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, mass centre (3,) and inertia (3, 3) about it of an undeformed body."""
    integrals = body.integrals(k)
    mass = float(integrals.mass)
    center = np.asarray(integrals.first, float) / mass if mass > 0.0 else np.zeros(3)
    return mass, center, np.asarray(integrals.inertia, float) + mass * skew(center) @ skew(center)


def _boxes(craft: Spacecraft, k, starts) -> Iterator[str]:
    """The box with a body's inertia has edges a² = 6 (J₂ + J₃ − J₁)/m: 140 kg m² on 9 kg are a cube of 9.7 m, thinner than air."""
    for link in craft.tree.links:
        mass, _, inertia = _own(link.body, k)
        if link.body.modes or not mass > 0.0:
            continue
        moments = np.linalg.eigvalsh(inertia)
        edges = np.sqrt(np.maximum(6.0 * (moments.sum() - 2.0 * moments) / mass, 0.0))
        if mass < THIN * np.prod(edges):
            size = " × ".join(f"{edge:.3g}" for edge in edges)
            yield (
                f"{link.body.name}.inertia is {', '.join(f'{moment:.4g}' for moment in moments)} kg m² on {mass:g} kg, as of a box of {size} m "
                f"with {mass / np.prod(edges):.2g} kg/m³; perhaps the mass or the inertia is in another unit"
            )


def _rotors(craft: Spacecraft, k, starts) -> Iterator[str]:
    """A rotor is smaller than the body that carries it, unless that is a gimbal."""
    for link in craft.tree.links:
        if isinstance(link.body, Rotor) and link.parent >= 0:
            host = craft.tree.links[link.parent].body
            if isinstance(host, Gimbal):
                continue
            axis = link.mount @ np.array(link.body.axis)
            about, own = float(axis @ _own(host, k)[2] @ axis), float(k[link.body.spin_inertia])
            if own > about:
                yield (
                    f"{link.body.name}.spin_inertia is {own:g} kg m², more than the {about:.4g} kg m² of {host.name}, which carries it, about the same axis"
                )


def _joints(craft: Spacecraft, k, starts) -> Iterator[str]:
    """A joint is on its body."""
    for link, joint in zip(craft.tree.links, craft.joints, strict=True):
        if link.parent < 0 or isinstance(link.body, Rotor):
            continue
        host = craft.tree.links[link.parent].body
        mass, center, inertia = _own(host, k)
        if not mass > 0.0:
            continue
        away = float(np.linalg.norm(np.asarray(link.place.position, float) - center))
        radius = math.sqrt(max(np.linalg.eigvalsh(inertia)[-1], 0.0) / mass)
        if radius > 0.0 and away > OUTSIDE * radius:
            yield f"joint {joint.name} sits {away:.4g} m from the mass centre of {host.name}, whose radius of gyration is {radius:.3g} m: far outside"


def _wheels(craft: Spacecraft, k, starts) -> Iterator[str]:
    for name, limit in starts.items():
        wheel, ending, _ = name.partition(".speed_limit")
        speed = starts.get(f"{wheel}.speed", 0.0)
        if ending and abs(speed) > limit:
            yield f"{wheel}.speed is {speed:g} rad/s, above {name}, {limit:g} rad/s"


def _orbit(craft: Spacecraft, k, starts) -> Iterator[str]:
    """On an orbit, positions are relative to a point that moves along it."""
    axis = starts.get("environment.orbit.semi_major_axis", math.inf)
    for link in craft.tree.links:
        places = [starts.get(f"{link.body.name}.position[{i}]", 0.0) for i in (1, 2, 3)]
        if craft.environment.frame.orbiting and (away := math.hypot(*places)) > ELSEWHERE * axis:
            yield (
                f"{link.body.name}.position is {away:.4g} m from the origin of O, which itself moves along the orbit; positions from the "
                'planet\'s centre belong to environment.frame = "inertial"'
            )


def _tanks(craft: Spacecraft, k, starts) -> Iterator[str]:
    """Densities and fills of liquids, specific impulses of engines, and slosh that nothing holds."""
    for tank in (link.body for link in craft.tree.links if isinstance(link.body, Tank)):
        capacity, fill = float(k[tank.capacity]), tank.propellant.start / float(k[tank.capacity])
        if tank.shape.volume and not LIGHTEST < (density := capacity / tank.shape.volume) < HEAVIEST:
            yield f"{tank.name}.capacity is {capacity:g} kg in {tank.shape.volume:.3g} m³, {density:.3g} kg/m³; propellants have {LIGHTEST:g} to {HEAVIEST:g}"
        if fill > FULL:
            yield f"{tank.name}.propellant fills {100.0 * fill:.3g} % of its capacity; tanks keep some percent of gas"
        if tank.propellant.start < float(k[tank.residual]):
            yield f"{tank.name}.propellant is {tank.propellant.start:g} kg, below the residual of {float(k[tank.residual]):g} kg: nothing can be drawn"
        for mode in tank.slosh[:1]:
            if not float(mode.capillary.value(fill)) and not float(mode.damping.value(fill)):
                yield f"{tank.name}.slosh has neither surface tension nor damping: without felt acceleration nothing holds it"
    for burner in craft.propulsion.burners:
        speed = float(burner.pressed(None, k)[1])
        if not SLOWEST < speed < FASTEST:
            yield f"{burner.name} has an exhaust velocity of {speed:.4g} m/s, an Isp of {speed / G0:.4g} s; perhaps isp [s] and exhaust_velocity [m/s] are exchanged"


CHECKS: tuple[Callable[[Spacecraft, Any, dict[str, float]], Iterator[str]], ...] = (
    _boxes,
    _rotors,
    _joints,
    _wheels,
    _orbit,
    _tanks,
)


def _written(system: System) -> Iterator[str]:
    """Checks of the description's text, for data that the System no longer has."""
    for name, text in system.about.described_by[:1]:
        if name.endswith(".toml"):
            data = tomllib.loads(text.decode("utf-8"))
            yield from _orientations(data, "")
            for tank, entry in data.get("tanks", {}).items():
                yield from _slosh(f"tanks.{tank}.slosh", entry, entry.get("slosh") or {})
            air = "air" in data.get("environment", {})
            for surface, entry in data.get("surfaces", {}).items():
                if not air and "drag" in entry:
                    yield f"surfaces.{surface}.drag is {entry['drag']:g}, but there is no table environment.air: it has no effect"


def _slosh(path: str, tank: dict, slosh: dict) -> Iterator[str]:
    """Numbers of slosh in another unit, and masses that begin outside of their tank."""
    damping, tension, viscosity = (slosh.get(key) or 0.0 for key in ("damping", "surface_tension", "viscosity"))
    if damping > STRONGEST:
        yield f"{path}.damping is {damping:g} of the critical damping; tanks have 0.001 to {STRONGEST:g}; perhaps it is in percent"
    if tension > TENSEST:
        yield f"{path}.surface_tension is {tension:g} N/m; liquids have 0.01 to {TENSEST:g}; perhaps it is in mN/m"
    if viscosity > THICKEST:
        yield f"{path}.viscosity is {viscosity:g} m²/s; propellants have 1e-7 to 1e-4; perhaps it is in mm²/s"
    wide = tank.get("radius") or max(tank.get("semi_axes") or [math.inf])
    if (away := math.hypot(*slosh.get("position", (0.0, 0.0)))) > wide:
        yield f"{path}.position is {away:g} m from the axis, outside of the tank, which has {wide:g} m"


def _orientations(data: Any, path: str) -> Iterator[str]:
    """Euler angles of more than a turn, anywhere in the description."""
    for key, value in data.items() if isinstance(data, dict) else ():
        here = f"{path}.{key}" if path else key
        if key == "orientation" and isinstance(value, list) and len(value) == 3:
            for angle in value:
                if isinstance(angle, int | float) and abs(angle) > TURN:
                    yield f'{here} has {angle:g} rad, more than a turn ({math.degrees(angle):.0f}°); perhaps "{angle:g} deg" was meant'
        yield from _orientations(value, here)
