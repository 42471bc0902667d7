"""Output pieces of the environment: outputs() and values(instant), as spacefmu.dynamics.spacecraft.outputs has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..algebra.rotation import cross, quaternion_conjugate, quaternion_product
from ..algebra.scalar import where
from ..bodies.thermal import Thermal
from ..system.frame_text import LOCAL, PLANETARY, FrameText
from ..system.pieces import Piece, output
from ..system.signals import Quantity
from ..tree.kinematics import Space
from ..tree.relative import seen_from, turning_seen_from
from . import Environment
from .covered import Covered, tables_of
from .following import FOLLOWED_LOCAL, FOLLOWED_ORBIT
from .frames import ORBIT, ORIGIN
from .kepler import orbital_frame, osculating
from .planet import MU
from .planet_light import PlanetLight
from .sections import SectionLight
from .turning import GroundTrack, Turning


@dataclass(frozen=True)
class InertialMotion(Piece):
    """Motion of a body's frame from the planet's centre, in N, in addition to its states relative to O. `followed`: O's origin is integrated."""

    body: int
    name: str
    words = ("inertial",)
    followed: bool = False

    @property
    def watches(self):
        return (FOLLOWED_ORBIT,) if self.followed else ()

    def outputs(self):
        return _pose_signals(f"{self.name}.inertial", self.name, PLANETARY)

    def values(self, instant):
        moment = instant.moment
        body, scene = moment.bodies[self.body], moment.scene
        q_NS = FOLLOWED_ORBIT.quaternion(scene.space.dcm_NS, moment.d) if self.followed else scene.q_NS
        return np.concatenate(
            [
                scene.position_N + body.position_N,
                scene.velocity_N + body.dcm_NB @ body.velocity,
                quaternion_product(q_NS, moment.attitudes[self.body]),
                body.omega,
            ]
        )


@dataclass(frozen=True)
class OrbitalMotion(Piece):
    """Of a body's frame relative to L, the craft's own orbital frame (LVLH): spanned by position and velocity of its mass
    centre, which is L's origin, and turning with them: ω_L = (R a_z/h, 0, h/R²), a_z the mass centre's acceleration along L's z.
    """

    body: int
    name: str
    words = ("orbital",)

    watches = (FOLLOWED_LOCAL,)

    def outputs(self):
        return _pose_signals(f"{self.name}.orbital", self.name, LOCAL)

    def values(self, instant):
        moment = instant.moment
        body, scene = moment.bodies[self.body], moment.scene
        total = instant.totals
        R, V = _center(instant)
        dcm_NL, rate = orbital_frame(R, V)
        pull = scene.acceleration_N + instant.center_acceleration
        steady = rate * np.sqrt(R @ R)  # h/R, zero where there is no plane that could turn
        tilting = where(steady > 0.0, (dcm_NL[:, 2] @ pull) / where(steady > 0.0, steady, 1.0), 0.0)
        local = Space(dcm_NL, np.array([tilting, 0.0 * rate, rate]), np.zeros(3))
        position, velocity = seen_from(
            local, body.position_N - total.mass_center, body.dcm_NB @ body.velocity - total.momentum / total.mass
        )
        q_SL = FOLLOWED_LOCAL.quaternion(scene.space.dcm_NS.T @ dcm_NL, moment.d)
        turned = quaternion_product(quaternion_conjugate(q_SL), moment.attitudes[self.body])
        return np.concatenate([position, velocity, turned, turning_seen_from(local, body.dcm_NB, body.omega)])


ZEROS = (0.0, 0.0, 0.0)


def _pose_signals(name: str, body: str, frame: FrameText):
    return [
        Quantity(f"{name}.position", f"position of {body}'s frame {frame.place}", "m", ZEROS),
        Quantity(f"{name}.velocity", f"velocity of {body}'s frame {frame.motion}", "m/s", ZEROS),
        Quantity(f"{name}.quaternion", f"attitude of {body} {frame.attitude}", "1", [1.0, 0.0, 0.0, 0.0]),
        Quantity(f"{name}.angular_velocity", f"angular velocity of {body} {frame.turning}", "rad/s", ZEROS),
    ]


@dataclass(frozen=True)
class FrameMotion(Piece):
    """Position of the origin of O on a Kepler orbit (on the orbit of an oblate planet these are states), and its attitude."""

    def outputs(self):
        return [
            Quantity(f"{ORBIT}.position", f"position of {ORIGIN} {PLANETARY.place}", "m", ZEROS),
            Quantity(f"{ORBIT}.velocity", f"velocity of {ORIGIN} {PLANETARY.motion}", "m/s", ZEROS),
        ]

    def values(self, instant):
        scene = instant.moment.scene
        return np.concatenate([scene.position_N, scene.velocity_N])


@dataclass(frozen=True)
class PlanetDirection(Piece):
    """To the planet's centre, in body axes."""

    body: int
    name: str
    terminal = "frame"

    earth_direction = output("unit vector from {self.name}'s frame to the planet's centre, in axes of {self.name}", "1", ZEROS)  # fmt: skip

    def values(self, instant):
        body = instant.moment.bodies[self.body]
        R = instant.moment.scene.position_N + body.position_N
        return body.dcm_NB.T @ (-R / np.sqrt(R @ R))


@dataclass(frozen=True)
class SystemOrbit(Piece):
    """Osculating elements of the mass centre. Angles wrap from π to −π; their `min` and `max` declare this range."""

    NAMES = (
        ("semi_major_axis", "semi-major axis", "m"),
        ("eccentricity", "eccentricity", "1"),
        ("inclination", "inclination", "rad"),
        ("raan", "right ascension of the ascending node", "rad"),
        ("perigee", "argument of perigee", "rad"),
        ("true_anomaly", "true anomaly", "rad"),
        ("latitude", "argument of latitude", "rad"),
    )

    ROUND = ("raan", "perigee", "true_anomaly", "latitude")

    def outputs(self):
        of = "of the mass centre's osculating orbit"
        return [
            Quantity(f"system.orbit.{name}", f"{text} {of}, goes round from pi to -pi", unit, min=-np.pi, max=np.pi)
            if name in self.ROUND
            else Quantity(f"system.orbit.{name}", f"{text} {of}", unit)
            for name, text, unit in self.NAMES
        ]

    def values(self, instant):
        orbit = osculating(instant.moment.k[MU], *_center(instant))
        return np.array([getattr(orbit, name) for name, _, _ in self.NAMES])


@dataclass(frozen=True)
class JacobiIntegral(Piece):
    """T − ω_O·L + V with T, L, V relative to the origin of O, L about it: constant on a circular orbit without losses."""

    def outputs(self):
        return [
            Quantity(
                "system.jacobi_integral",
                "Jacobi integral: kinetic plus potential energy of motion relative to the orbital frame",
                "J",
            )
        ]

    def values(self, instant):
        total, space = instant.totals, instant.moment.scene.space
        about_origin = total.angular_momentum + cross(total.mass_center, total.momentum)
        return np.array([total.kinetic_energy - (space.dcm_NS @ space.omega) @ about_origin + instant.potential])


def _center(instant):
    """Position and velocity of the mass centre from the planet's centre, in N."""
    total, scene = instant.totals, instant.moment.scene
    return scene.position_N + total.mass_center, scene.velocity_N + total.momentum / total.mass


OF_BODIES = (InertialMotion, OrbitalMotion, PlanetDirection, SectionLight)  # what is named after a body


def environment_outputs(environment: Environment, roots: Sequence[tuple[int, str]]) -> list[Piece]:
    """Output pieces of every root body (number, name), and of the system; without a planet only those of fields."""
    if not environment.planet:
        return [piece for number, name in roots for field in environment.fields for piece in field.shown(number, name)]
    around = (*environment.media, *environment.fields)
    around = around if environment.sun is None else (environment.sun, *around)
    frame = environment.frame
    pieces: list[Piece] = [SystemOrbit(), *([JacobiIntegral()] if frame.steady else []), *([FrameMotion()] if frame.shown else [])]  # fmt: skip
    turning = environment.medium(Turning)
    pieces += [] if turning is None else [GroundTrack(turning, environment.sun is not None)]
    tables = tuple(tables_of(environment))
    pieces += [Covered(tables)] if tables else []
    for number, name in roots:
        pieces += [InertialMotion(number, name, followed=frame.followed)] if frame.orbiting else []
        pieces += [OrbitalMotion(number, name), PlanetDirection(number, name)]
        pieces += [piece for one in around for piece in one.shown(number, name)]
    return pieces


def section_outputs(environment: Environment, heated: Sequence[tuple[int, str, Thermal]], roots) -> list[Piece]:
    """Output pieces of bodies with temperatures (number, name, port): the Sun in their axes, and the light on their sections."""
    sun = environment.sun
    if sun is None:
        return []
    told = [number for number, _ in roots] if environment.planet else []  # roots have theirs already
    pieces: list[Piece] = [piece for i, name, _ in heated if i not in told for piece in sun.shown(i, name)]
    planet = environment.medium(PlanetLight)
    return pieces + [SectionLight(i, name, port, sun, planet) for i, name, port in heated if port.sections]
