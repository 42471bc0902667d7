"""The table [environment] of descriptions: its own keys, and one row per piece of the environment that is a table inside it.

A new field, medium or source of light is a piece with its keys and its maker beside it, and a row of SURROUNDINGS.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..system.keys import Key, Keys, Resolver
from . import Environment
from .air import AIR
from .frames import ELEMENTS, ORBIT_KEYS, InertialFrame, OblateOrbitFrame, OrbitFrame, check_orbit
from .geopotential import HARMONICS, gravity_model, oblateness_of
from .given_orbit import given_orbit
from .gravity import CentralGravity, Field, Oblateness, UniformGravity
from .magnetic import MAGNETIC
from .planet import J2_EARTH, MU_EARTH, RADIUS_EARTH
from .planet_light import PlanetLight
from .sun import SUN
from .surrounding import Surrounding
from .third_bodies import THIRD_BODIES
from .turning import TIME

SAME_RADIUS = 1e4  # [m] by which equatorial radii of one planet may differ

SURROUNDINGS: dict[str, Surrounding] = {
    "time": TIME,
    "harmonics": HARMONICS,
    "third_bodies": THIRD_BODIES,
    "sun": SUN,
    "air": AIR,
    "magnetic": MAGNETIC,
}


def environment_keys() -> Keys:
    """The keys of [environment], with a table for each row of SURROUNDINGS."""
    return Keys("EnvironmentTable", "What surrounds the spacecraft; every piece is off unless it is written here.", {
        "frame": Key(("inertial", "orbit"), "what states are relative to: N, or O on an orbit", "inertial"),
        "gravity": Key(("none", "uniform", "central"), "field of gravity", "none"),
        "acceleration": Key("vector", "of uniform gravity, in N", (0.0, 0.0, 0.0)),
        "mu": Key("positive", "gravitational parameter of the planet [m³/s²]", MU_EARTH),
        "radius": Key("positive", "equatorial radius of the planet [m]", RADIUS_EARTH),
        "j2": Key("number or flag", "oblateness coefficient; true: the Earth's", False),
        "orbit": Key(ORBIT_KEYS, "of the frame O, and where the planet is", None),
        **{name: Key(Keys(f"{name.title().replace('_', '')}Table", row.text, row.keys), row.short, None) for name, row in SURROUNDINGS.items()},
        "albedo": Key("fraction", "share of sunlight that the planet scatters back (the Earth: 0.3), for surfaces and sections with temperatures", 0.0),
        "infrared": Key("not negative", "radiation of the planet itself at its surface [W/m²] (the Earth: 237), for surfaces and sections with temperatures", 0.0),
    })  # fmt: skip


def make_environment(table: Any, names: Resolver) -> Environment:
    """The Environment of a spacecraft's table, without loads at nodes."""
    _check(table, names)
    _check_planet(table, names)
    orbiting = table.frame == "orbit" and table.orbit is not None
    mu, j2 = _numbers(table, names)
    perturbed = j2 is not None or table.third_bodies is not None
    environment = Environment(
        frame=_frame(table, perturbed) if orbiting else InertialFrame(), fields=tuple(_gravity(table, mu, j2, orbiting))
    )
    for key, row in SURROUNDINGS.items():
        if getattr(table, key) is not None:
            _needs_planet(key, row.planet, table, names)
            piece = row.make(getattr(table, key), names.inside(key, environment))
            environment = environment if piece is None else environment.holding(piece)
    if orbiting:
        environment = given_orbit(environment, table.orbit, mu, names.inside("orbit", environment))
    if not (table.albedo or table.infrared):
        return environment
    if not environment.planet or environment.sun is None:
        names.expected("albedo", 'nothing without gravity = "central" and a table environment.sun')
    return environment.holding(PlanetLight(table.albedo, table.infrared))


def _check(table: Any, names: Resolver) -> None:
    """Checks that concern several keys."""
    if table.frame == "orbit" and table.gravity != "central":
        names.expected("gravity", '"central" on the frame of an orbit')
    if table.frame == "orbit" and table.orbit is None:
        names.missing("orbit", 'frame = "orbit" moves on it')
    if table.frame == "inertial" and table.orbit is not None:
        names.expected("frame", '"orbit", as there is a table environment.orbit')
    if table.orbit is not None:
        check_orbit(table.orbit, table.radius, names)
    if table.gravity != "uniform" and "acceleration" in names.given:
        names.expected("acceleration", 'nothing without gravity = "uniform"')
    _needs_planet("j2", _oblateness(table) is not None, table, names)


def _check_planet(table: Any, names: Resolver) -> None:
    """Another planet needs its own numbers: the defaults are the Earth's."""
    planet = "earth" if table.time is None else table.time.planet
    if table.gravity != "central":
        return
    if planet != "earth":
        why = f"the default is the Earth's, and environment.time.planet is {planet}"
        for key in ("mu", "radius"):
            if key not in names.given and not (key == "mu" and table.harmonics is not None):
                names.missing(key, why)
        if table.j2 is True:
            names.expected("j2", f"a number: true is the Earth's, and environment.time.planet is {planet}", True)
    elif table.harmonics is not None and "radius" not in names.given:
        model = gravity_model(table.harmonics, names.inside("harmonics", None))
        if model is not None and abs(model.coefficients.radius - RADIUS_EARTH) > SAME_RADIUS:
            of_file = f"{table.harmonics.file} is of a planet of {model.coefficients.radius:g} m"
            names.missing("radius", f"the default is the Earth's, and {of_file}")


def _needs_planet(key: str, needed: bool, table: Any, names: Resolver) -> None:
    if needed and table.gravity != "central":
        names.refused(
            key,
            f'is given, but environment.gravity is "{table.gravity}": without gravity = "central" there is no planet that has it',
        )


def _oblateness(table: Any) -> float | None:
    """J₂, or None."""
    if isinstance(table.j2, bool):
        return J2_EARTH if table.j2 else None
    return table.j2


def _numbers(table: Any, names: Resolver) -> tuple[float, float | None]:
    """μ, and J₂ or None: of a gravity model, if there is one, unless mu is given."""
    j2 = _oblateness(table)
    if table.harmonics is None:
        return table.mu, j2
    if j2 is not None:
        names.expected("j2", "nothing with environment.harmonics, which contains it")
    model = gravity_model(table.harmonics, names.inside("harmonics", None))
    if model is None:  # noted where the piece is made
        return table.mu, j2
    return table.mu if "mu" in names.given else model.mu, oblateness_of(model, table.radius)


def _frame(table: Any, perturbed: bool) -> OrbitFrame:
    kind = OblateOrbitFrame if perturbed else OrbitFrame
    return kind(
        **{key: getattr(table.orbit, key) or 0.0 for key in ELEMENTS}
        | ({} if table.orbit.semi_major_axis else {"semi_major_axis": 7e6})
    )


def _gravity(table: Any, mu: float, j2: float | None, orbiting: bool) -> Iterator[Field]:
    if table.gravity == "uniform":
        yield UniformGravity(table.acceleration)
    if table.gravity == "central":
        yield CentralGravity(mu, table.radius, orbiting)
        if j2 is not None:
            yield Oblateness(j2, orbiting)
