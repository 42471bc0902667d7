"""The environment's tables → Environment, and the output pieces that go with it."""

from __future__ import annotations

from datetime import UTC, datetime

from ..bodies.thermal import Thermal
from ..environment import (
    CentralGravity,
    Environment,
    InertialFrame,
    Oblateness,
    OblateOrbitFrame,
    OrbitFrame,
    UniformGravity,
)
from ..environment.magnetic import DipoleField
from ..environment.outputs import Directions, FrameMotion, InertialMotion, JacobiIntegral, OrbitalMotion, SystemOrbit
from ..environment.planet_light import PlanetLight
from ..environment.sections import SectionLight
from ..environment.sun import ByDate, ByInput, Sun
from ..environment.surface import THICKEST, Air
from .errors import Problems
from .tables.environment import EnvironmentTable, OrbitTable, SunTable

J2000 = datetime(2000, 1, 1, 12, tzinfo=UTC)


def make_environment(table, problems: Problems) -> Environment:
    """The Environment of a spacecraft's table, without what acts at nodes."""
    given = table.environment
    _check(given, problems)
    orbiting = given.frame == "orbit" and given.orbit is not None
    on_orbit = OrbitFrame if given.oblateness is None else OblateOrbitFrame
    frame = on_orbit(**given.orbit.model_dump()) if orbiting else InertialFrame()
    sun = None if given.sun is None else _sun(given.sun, given.gravity == "central")
    air = None if given.air is None else Air(**given.air.model_dump())
    field = None if given.magnetic is None else DipoleField(**given.magnetic.model_dump())
    return Environment(
        frame=frame,
        fields=tuple(_fields(given, orbiting)),
        sun=sun,
        media=tuple(piece for piece in (air, field, _planet_light(given)) if piece is not None),
    )


def _planet_light(given: EnvironmentTable) -> PlanetLight | None:
    return PlanetLight(given.albedo, given.infrared) if given.albedo or given.infrared else None


def section_outputs(environment: Environment, heated: list[tuple[int, str, Thermal]], roots) -> list:
    """Output pieces of bodies with temperatures (number, name, port): the Sun in their axes, and the light on their sections."""
    if environment.sun is None:
        return []
    planet = next((piece for piece in environment.media if isinstance(piece, PlanetLight)), None)
    central = any(isinstance(field, CentralGravity) for field in environment.fields)
    told = [number for number, _ in roots] if central else []  # roots have theirs already
    pieces: list = [Directions(i, name, environment.sun, None, False) for i, name, _ in heated if i not in told]
    return pieces + [SectionLight(i, name, port, environment.sun, planet) for i, name, port in heated if port.sections]


def environment_outputs(environment: Environment, roots: list[tuple[int, str]]) -> list:
    """Output pieces: of every root body (number, name), and of the system; none without a planet."""
    if not any(isinstance(field, CentralGravity) for field in environment.fields):
        return []
    field = next((piece for piece in environment.media if isinstance(piece, DipoleField)), None)
    orbiting = environment.frame.orbiting
    steady = orbiting and not environment.frame.states()  # nothing is constant on the orbit of an oblate planet
    pieces: list = [SystemOrbit(), *([JacobiIntegral(), FrameMotion()] if steady else [])]
    for number, name in roots:
        pieces += [InertialMotion(number, name, followed=not steady)] if orbiting else []
        pieces.append(OrbitalMotion(number, name))
        pieces.append(Directions(number, name, environment.sun, field))
    return pieces


def _check(given: EnvironmentTable, problems: Problems) -> None:
    """What the tables say of each other."""
    central = given.gravity == "central"
    if given.frame == "orbit" and not central:
        problems.add("environment.gravity", given.gravity, '"central" on the frame of an orbit')
    if given.frame == "orbit" and given.orbit is None:
        problems.found.append('environment.orbit is missing: frame = "orbit" moves on it')
    if given.frame == "inertial" and given.orbit is not None:
        problems.add("environment.frame", given.frame, '"orbit", as there is a table environment.orbit')
    if given.orbit is not None:
        _check_orbit(given.orbit, given.radius, problems)
    if given.gravity != "uniform" and "acceleration" in given.model_fields_set:
        problems.add("environment.acceleration", given.acceleration, 'nothing without gravity = "uniform"')
    for key, there in (("j2", given.oblateness), ("air", given.air), ("magnetic", given.magnetic)):
        if there is not None and not central:
            problems.found.append(
                f'environment.{key} is given, but environment.gravity is "{given.gravity}": without gravity = "central" there is no planet that has it'
            )
    if given.air is not None and given.air.height >= THICKEST * given.air.scale_height:
        problems.add(
            "environment.air.scale_height",
            given.air.scale_height,
            f"more than a {THICKEST:g}th of the height, {given.air.height:g} m: the density near the ground is not a finite number"
            + _in_km(given.air.scale_height, given.air.height / THICKEST),
        )
    if (given.albedo or given.infrared) and not (central and given.sun is not None):
        problems.add(
            "environment.albedo", given.albedo, 'nothing without gravity = "central" and a table environment.sun'
        )


def _check_orbit(orbit: OrbitTable, radius: float, problems: Problems) -> None:
    """An orbit stays above the surface."""
    lowest = orbit.semi_major_axis * (1.0 - orbit.eccentricity)
    if lowest > radius:
        return
    where = f"its lowest point is {lowest:g} m from the centre, the planet's radius {radius:g} m"
    if orbit.semi_major_axis > radius:
        most = 1.0 - radius / orbit.semi_major_axis
        problems.add(
            "environment.orbit.eccentricity",
            orbit.eccentricity,
            f"less than {most:.4g} to stay above the surface with a semi-major axis of {orbit.semi_major_axis:g} m: {where}",
        )
    else:
        meant = _in_km(orbit.semi_major_axis, radius)
        problems.add(
            "environment.orbit.semi_major_axis", orbit.semi_major_axis, f"an orbit above the surface: {where}{meant}"
        )


def _in_km(value: float, least: float) -> str:
    """What a number that is too small would be if it was given in km, where that is enough."""
    return f"; {value:g} km are {1e3 * value:g} m" if 1e3 * value > least else ""


def _fields(given: EnvironmentTable, orbiting: bool):
    if given.gravity == "uniform":
        yield UniformGravity(given.acceleration)
    if given.gravity == "central":
        yield CentralGravity(given.mu, given.radius, orbiting)
        if given.oblateness is not None:
            yield Oblateness(given.oblateness, orbiting)


def _sun(given: SunTable, planet: bool) -> Sun:
    date = given.date
    source: ByDate | ByInput
    if date is None:
        source = ByInput(given.direction)
    else:
        moment = date if isinstance(date, datetime) else datetime(date.year, date.month, date.day)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        source = ByDate((moment - J2000).total_seconds() / 86400.0)
    return Sun(source, given.pressure, shadow=given.shadow if planet else "none")
