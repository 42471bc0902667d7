"""Air: density and motion, from one scale height, layers of them, Harris and Priester's bulge, a file, or an input.

    density_at(scene, R, u, k)    [kg/m³] at R (3,) [m] from the planet's centre, in N
    velocity_at(scene, R, u, k)   of the air, in N (3,): it turns with the planet, and has a wind

Layers: ln ρ is linear in height between the rows of a table, which is a scale height per layer; above and below the table its last layers are extrapolated:

    ln ρ = Σ_i c_i max(h − h_i, 0) + ln ρ_0 + c (h − h_0)

Harris–Priester: two such tables, and ρ = ρ_m + (ρ_M − ρ_m) cosⁿ(ψ/2) with ψ the angle from the bulge, which follows the Sun by 30° of right ascension
(Montenbruck, Gill, Satellite Orbits, eq. (3.102)–(3.106)).

Over local time τ: a table of ln ρ at even hours is a trigonometric polynomial, ln ρ = a_0 + Σ_k a_k cos kτ + b_k sin kτ, whose coefficients are linear in height. Heights are above the planet's ellipsoid, along the radius. Proved by tests/environment/test_air.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..algebra.rotation import cross
from ..algebra.scalar import as_one, maximum
from ..system.keys import Key, Resolver, in_km
from ..system.pieces import Declared, input_, parameter
from ..system.signals import Parameter
from ..texts import read_text
from .epoch import DATA
from .frames import Scene
from .planet import RADIUS, SPIN_EARTH
from .surrounding import Around, Surrounding
from .turning import Turning, of_another_planet, spin_of

THICKEST = 700.0  # scale heights from the reference height down to the ground: exp(709) is the largest number there is
LAG = np.pi / 6.0  # of the bulge behind the Sun [rad]
GAS = 8.31446261815324  # [J/(mol K)]


@dataclass(frozen=True)
class AirMotion(Around):
    """Common to all models of air: it rotates with the planet at `spin` [rad/s], has a `wind`, and a temperature and a molar mass for molecules on surfaces."""

    name = "environment.air"
    spin: Declared[Parameter] = parameter("rate at which the air turns with the planet", "rad/s", SPIN_EARTH)
    wind: Declared[Parameter] = parameter("wind eastward, northward and upward, beside the planet's rotation", "m/s", None, tunable=True)  # fmt: skip
    temperature: Declared[Parameter] = parameter("temperature of the air", "K", 1000.0, min=1.0, tunable=True)
    molar_mass: Declared[Parameter] = parameter("mean molar mass of the air", "kg/mol", 0.016, min=1e-4, tunable=True)

    def velocity_at(self, scene: Scene, R, u, k):
        """Of the air, in N (3,)."""
        turning = cross(scene.pole_N * k[self.spin], R)
        if self.wind is None:
            return turning
        out = R / np.sqrt(R @ R)
        east = cross(scene.pole_N, out)
        east = east / np.sqrt(maximum(east @ east, 1e-24))
        return turning + np.stack([east, cross(out, east), out], axis=1) @ k[self.wind]

    def thermal_speed(self, k):
        """Of its molecules, √(2RT/M) [m/s]."""
        return np.sqrt(2.0 * GAS * k[self.temperature] / k[self.molar_mass])

    def density_at(self, scene: Scene, R, u, k):
        raise NotImplementedError


@dataclass(frozen=True)
class Air(AirMotion):
    """An exponential atmosphere ρ = ρ₀ exp(−(h − h₀)/H) above the equatorial radius."""

    density: Declared[Parameter] = parameter("density of the air at the reference height", "kg/m3", min=0.0, tunable=True)  # fmt: skip
    height: Declared[Parameter] = parameter("reference height above the equatorial radius", "m")
    scale_height: Declared[Parameter] = parameter("height over which density falls by e", "m", 1.0, min=1.0)

    def laws(self, k) -> list[tuple[str, Any]]:
        finite = f"{self.name}.scale_height must be more than a {THICKEST:g}th of {self.name}.height: the density near the ground is not a finite number"
        return [(finite, THICKEST * k[self.scale_height] - k[self.height])]

    def density_at(self, scene: Scene, R, u, k):
        h = np.sqrt(R @ R) - k[RADIUS] - k[self.height]
        return k[self.density] * np.exp(-h / k[self.scale_height])


@dataclass(frozen=True)
class Ramps:
    """h (1,) → columns (m,) that are linear between the rows of a table: their heights (n,), values (n, m)."""

    heights: tuple[float, ...]
    values: tuple[tuple[float, ...], ...]

    def __call__(self, h, arrays):
        heights, values = np.array(self.heights), np.array(self.values)
        slopes = np.diff(values, axis=0) / np.diff(heights)[:, None]
        bends = np.diff(slopes, axis=0).T  # at the inner rows
        above = h[0] - arrays.numbers(heights[1:-1])
        bent = arrays.product(arrays.numbers(bends), arrays.maximum(above, 0.0))
        return arrays.numbers(values[0]) + arrays.numbers(slopes[0]) * (h[0] - heights[0]) + bent


@dataclass(frozen=True)
class LayeredAir(AirMotion):
    """`rows`: heights [m] and densities [kg/m³], one column; with two, least and largest over the day. `flattening`: of the planet, or None."""

    scale: Declared[Parameter] = parameter("factor of the density", "1", 1.0, name="scale", min=0.0, tunable=True)
    bulge: Declared[Parameter] = parameter("n of the bulge, from 2 at low inclinations to 6 on polar orbits", "1", None, min=2.0, tunable=True)  # fmt: skip
    rows: np.ndarray | None = None
    turning: Turning | None = None

    @cached_property
    def ramps(self) -> Ramps:
        assert self.rows is not None
        return Ramps(tuple(self.rows[:, 0].tolist()), tuple(map(tuple, np.log(self.rows[:, 1:]).tolist())))

    def height(self, scene: Scene, R, k):
        """Above the ellipsoid, along the radius [m]."""
        r2 = R @ R
        if self.turning is None:
            return np.sqrt(r2) - k[RADIUS]
        f = k[self.turning.flattening]
        up = R @ scene.pole_N
        return np.sqrt(r2) - k[RADIUS] * (1.0 - f) / np.sqrt(1.0 - f * (2.0 - f) * (1.0 - up * up / r2))

    def density_at(self, scene: Scene, R, u, k):
        found = np.exp(as_one(self.ramps, np.array([self.height(scene, R, k)])))
        if self.bulge is None:
            return k[self.scale] * found[0]
        sun, pole = scene.sun_N, scene.pole_N
        beside = cross(pole, sun)
        bulge = np.cos(LAG) * sun + np.sin(LAG) * beside + (1.0 - np.cos(LAG)) * (pole @ sun) * pole
        toward = maximum(0.5 + 0.5 * (R @ bulge) / np.sqrt(R @ R), 1e-12)
        return k[self.scale] * (found[0] + (found[1] - found[0]) * toward ** (0.5 * k[self.bulge]))


@dataclass(frozen=True)
class DailyAir(LayeredAir):
    """`rows`: heights [m] and densities at local solar times that divide the day evenly, from midnight on."""

    @cached_property
    def ramps(self) -> Ramps:
        assert self.rows is not None
        return Ramps(
            tuple(self.rows[:, 0].tolist()), tuple(map(tuple, harmonics_of_day(np.log(self.rows[:, 1:])).tolist()))
        )

    def density_at(self, scene: Scene, R, u, k):
        found = as_one(self.ramps, np.array([self.height(scene, R, k)]))
        east = cross(scene.pole_N, scene.sun_N)
        south = cross(east, scene.pole_N)  # the Sun's meridian in the equator
        x, y = -(R @ south), -(R @ east)  # from midnight
        size = np.sqrt(maximum(x * x + y * y, 1e-12 * (R @ R)))
        cosine, sine = x / size, y / size
        total, c, s = found[0], 1.0, 0.0
        for a, b in zip(found[1::2], [*found[2::2], 0.0][: len(found[1::2])], strict=True):
            c, s = c * cosine - s * sine, s * cosine + c * sine
            total = total + a * c + b * s
        return k[self.scale] * np.exp(total)


def harmonics_of_day(values):
    """Coefficients a_0, a_1, b_1, a_2, b_2 … (n, m) of trigonometric polynomials through values (n, m) at even parts of a turn."""
    count = values.shape[1]
    spectrum = np.fft.rfft(values, axis=1) / count
    twice = np.where(2 * np.arange(1, spectrum.shape[1]) == count, 1.0, 2.0)
    waves = np.stack([twice * spectrum[:, 1:].real, -twice * spectrum[:, 1:].imag], axis=2).reshape(len(values), -1)
    return np.hstack([spectrum[:, :1].real, waves])[:, :count]


@dataclass(frozen=True)
class AirInput(AirMotion):
    """Density and wind as inputs, from any model in the co-simulation."""

    start: float = 0.0
    air_density = input_("density of the air at the craft", "kg/m3", lambda self: self.start)
    air_velocity = input_("velocity of the air beside the planet's rotation, in axes of N", "m/s", (0.0, 0.0, 0.0))

    def density_at(self, scene: Scene, R, u, k):
        return u[self.air_density]

    def velocity_at(self, scene: Scene, R, u, k):
        return super().velocity_at(scene, R, u, k) + u[self.air_velocity]


@cache
def shipped(letter: str) -> np.ndarray:
    """Rows of data/air.txt in m and kg/m³."""
    rows = (line.split() for line in (DATA / "air.txt").read_text().splitlines())
    unit = {"E": 1.0, "H": 1e-12}[letter]
    table = np.array([row[1:] for row in rows if row[0] == letter], float)
    return np.column_stack([1e3 * table[:, 0], unit * table[:, 1:]])


def read_density(path: Path) -> np.ndarray:
    """Heights [m], rising, and densities [kg/m³] of a .csv file, one column, or several at even local times;
    ValueError, as the end of a sentence about the file, if it has none."""
    rows, head = [], []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        words = line.replace(";", ",").split(",")
        try:
            rows.append([float(word) for word in words])
        except ValueError:
            if rows:
                raise ValueError(f"has no numbers in line {number}") from None
            head = words
    table = np.array(rows) if rows and len({len(row) for row in rows}) == 1 else np.zeros((0, 0))
    if table.shape[0] < 3 or table.shape[1] < 2:
        raise ValueError(
            "has no columns of at least three rows: height [m], density [kg/m³], or a density for each local time"
        )
    if not (np.isfinite(table).all() and np.all(np.diff(table[:, 0]) > 0.0) and np.all(table[:, 1:] > 0.0)):
        raise ValueError("must have increasing heights and positive densities, all finite")
    if table.shape[1] > 2:
        _check_hours(head[1:], table.shape[1] - 1)
    return table


def _check_hours(words: list[str], count: int) -> None:
    """The head of a table with several columns: local solar times [h] from 0 on, evenly."""
    wanted = 24.0 / count * np.arange(count)
    try:
        hours = np.array([float(word) for word in words])
    except ValueError:
        hours = np.zeros(0)
    if hours.shape != wanted.shape or np.abs(hours - wanted).max() > 1e-6:
        even = ", ".join(f"{hour:g}" for hour in wanted)
        raise ValueError(f"has {count} columns of density under {', '.join(words) or 'no head'}, expected the local solar times {even} [h] in its first line")  # fmt: skip


EXPONENTIAL = ("density", "height", "scale_height")


def make_air(table: Any, names: Resolver) -> AirMotion | None:
    model = "file" if table.file is not None else table.model
    turning = names.environment.medium(Turning)
    motion = {key: getattr(table, key) for key in ("wind", "temperature", "molar_mass")}
    motion["spin"] = spin_of(table, names)
    wanted = EXPONENTIAL if model == "exponential" else ("density",) if model == "input" else ()
    for key in EXPONENTIAL:
        if key in wanted[: 3 if model == "exponential" else 0] and getattr(table, key) is None:
            names.missing(key, "an exponential atmosphere has it")
        elif key not in wanted and key in names.given:
            names.expected(key, 'nothing without model = "exponential"')
    if any(getattr(table, key) is None for key in EXPONENTIAL) and model == "exponential":
        return None
    if model == "exponential":
        if table.height >= THICKEST * table.scale_height:
            names.expected("scale_height", f"more than a {THICKEST:g}th of the height, {table.height:g} m: the density near the ground is not a finite number" + in_km(table.scale_height, table.height / THICKEST))  # fmt: skip
        return Air(density=table.density, height=table.height, scale_height=table.scale_height, **motion)
    if model == "input":
        return AirInput(start=table.density or 0.0, **motion)
    if model != "file" and (planet := of_another_planet(names)):
        names.expected(
            "model", f"a file with the air of {planet}, an exponential model or an input: this one is the Earth's"
        )
    if model == "Harris-Priester":
        if names.environment.sun is None:
            names.expected("model", "another one without a table environment.sun, which the bulge follows")
        return LayeredAir(scale=table.scale, bulge=table.bulge, rows=shipped("H"), turning=turning, **motion)
    rows = shipped("E")
    if model == "file":
        try:
            rows = read_density(names.file("file"))
        except ValueError as error:
            names.refused("file", f"{table.file} {error}")
    daily = rows.shape[1] > 2
    if daily and names.environment.sun is None:
        names.expected("file", "a table without local times, or a table environment.sun, which they follow")
    kind = DailyAir if daily else LayeredAir
    return kind(scale=table.scale, rows=rows, turning=turning, **motion)


AIR = Surrounding("Air: exponential, in layers, with Harris and Priester's bulge, from a file, or an input.", {
    "model": Key(("exponential", "layers", "Harris-Priester", "input"), "of the density", "exponential"),
    "density": Key("not negative", "at the height [kg/m³]; start of the input environment.air.air_density", None),
    "height": Key("number", "above the equatorial radius [m]", None),
    "scale_height": Key("positive", "over which the density falls by e [m]", None),
    "file": Key("file", "density over height in place of the model: .csv, height [m] and density [kg/m³], one column or several under local solar times [h]", None),
    "scale": Key("not negative", "factor of the density of layers, files and Harris-Priester", 1.0),
    "bulge": Key("number", "n of Harris-Priester, from 2 at low inclinations to 6 on polar orbits", 4.0, least=2.0, most=10.0),
    "spin": Key("number", "of the atmosphere [rad/s]; default: that of the planet", None),
    "wind": Key("vector", "eastward, northward, upward, beside the rotation [m/s]", None),
    "temperature": Key("positive", "of the air, for surfaces with accommodation [K]", 1000.0),
    "molar_mass": Key("positive", "of the air, for surfaces with accommodation [kg/mol]", 0.016),
}, make_air, "atmosphere")  # fmt: skip
