"""The planet's magnetic field, and a magnetic dipole on a body in it: torque m × B.

    B = B_s (a/R)³ [3 (d·e) e − d]     with B_s the field at the magnetic equator, a the planet's radius, e = R/R,
                                       d the planet's dipole axis (unit), which turns with it about N's z axis.

For the Earth d points to 9.4° from the south pole. Instead, a field of coefficients by spherical harmonics (harmonics.py), as IGRF-14, which is −∂V/∂R of

    V = a Σ (a/r)ⁿ⁺¹ (g_nm cos mλ + h_nm sin mλ) P_nm     Schmidt's semi-normalization: fully normalized coefficients are g_nm/√(2n + 1)

with coefficients that change linearly with time (secular variation); or the field as an input. Proved by tests/environment/test_surfaces.py and test_magnetic.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..algebra.rotation import cross
from ..algebra.scalar import maximum, minimum
from ..bodies.body import Node
from ..loads.wrench import Load
from ..system.keys import Declaration, Key, Resolver
from ..system.pieces import Declared, Piece, input_, output, parameter
from ..system.signals import SMALLEST, Parameter
from ..tree.kinematics import Place
from .frames import Scene
from .harmonics import FIRST, Coefficients, HarmonicField
from .magnetic_file import IGRF, read_cof
from .planet import FIELD_EARTH, RADIUS, TILT_EARTH
from .surrounding import Around, Surrounding
from .turning import Turning, of_another_planet, spin_of


class MagneticField(Around):
    """A magnetic field: at(scene, R, u, k) gives B (3,) [T] in N at R (3,) [m] from the planet's centre."""

    def at(self, scene: Scene, R, u, k):
        raise NotImplementedError

    def velocity_at(self, scene: Scene, R, k):
        """Of the field, which turns with its planet (3,) [m/s] in N."""
        return np.zeros(3)

    def shown(self, body, name):
        return (FieldAt(body, name, self),)


@dataclass(frozen=True)
class DipoleField(MagneticField):
    """environment.magnetic.*: strength [T], angle of d from −z [rad], its right ascension at time 0, spin [rad/s]."""

    name = "environment.magnetic"
    strength: Declared[Parameter] = parameter("field at the planet's magnetic equator", "T")
    tilt: Declared[Parameter] = parameter("angle between the dipole axis and the planet's south pole", "rad")
    longitude: Declared[Parameter] = parameter("right ascension of the dipole's southern pole at time 0", "rad")
    spin: Declared[Parameter] = parameter("rate at which it turns with the planet", "rad/s")

    def at(self, scene: Scene, R, u, k):
        """B (3,) [T] in N at R (3,) [m] from the planet's centre."""
        t, tilt = scene.time, k[self.tilt]
        turned = k[self.longitude] + k[self.spin] * t
        d = np.array([np.sin(tilt) * np.cos(turned), np.sin(tilt) * np.sin(turned), -np.cos(tilt)])
        r = np.sqrt(R @ R)
        e = R / r
        ratio = k[RADIUS] / r
        return k[self.strength] * ratio * ratio * ratio * (3.0 * (d @ e) * e - d)

    def velocity_at(self, scene: Scene, R, k):
        return k[self.spin] * np.array([-R[1], R[0], 0.0])


@dataclass(frozen=True)
class HarmonicMagneticField(MagneticField):
    """Coefficients at time 0, and their change per second [T], in the planet's own axes."""

    name = "environment.magnetic"
    now: Coefficients
    change: Coefficients

    @cached_property
    def harmonics(self) -> HarmonicField:
        """a times the gradient, and its rate."""
        return HarmonicField((self.now, self.change), FIRST)

    def at(self, scene: Scene, R, u, k):
        dcm_FN = scene.dcm_FN
        assert dcm_FN is not None  # a description without a date is refused
        found = self.harmonics.at(dcm_FN @ R)
        return dcm_FN.T @ -(found[:3] + scene.time * found[3:])

    def velocity_at(self, scene: Scene, R, k):
        return cross(scene.sky.spin_N, R)


@dataclass(frozen=True)
class MagneticFieldInput(MagneticField):
    """The field as an input: uniform over the craft."""

    name = "environment"
    start: tuple[float, float, float]
    magnetic_field = input_("magnetic field at the craft, in axes of N", "T", lambda self: self.start)

    def at(self, scene: Scene, R, u, k):
        return u[self.magnetic_field]


@dataclass(frozen=True)
class FieldAt(Piece):
    """The field at a body's frame, in its axes."""

    body: int
    name: str
    terminal = "frame"
    field: MagneticField

    magnetic_field = output("the planet's magnetic field at {self.name}'s frame, in axes of {self.name}", "T", (0.0, 0.0, 0.0))  # fmt: skip

    def values(self, instant):
        body, scene = instant.moment.bodies[self.body], instant.moment.scene
        R = scene.position_N + body.position_N
        return body.dcm_NB.T @ self.field.at(scene, R, instant.moment.u, instant.moment.k)


OF_DIPOLE = ("strength", "tilt", "longitude", "spin")


def make_magnetic(table: Any, names: Resolver) -> MagneticField | None:
    model = "file" if table.file is not None else table.model
    for key in OF_DIPOLE if model != "dipole" else ():
        if key in names.given:
            names.expected(key, 'nothing without model = "dipole"')
    if model == "dipole":
        if "strength" not in names.given and (planet := of_another_planet(names)):
            names.missing("strength", f"the default is the Earth's, and environment.time.planet is {planet}")
        return DipoleField(table.strength, table.tilt, table.longitude, spin_of(table, names))
    if model == "input":
        return MagneticFieldInput(table.field)
    turning = names.environment.medium(Turning)
    if turning is None:
        names.expected("model" if table.file is None else "file", "a dipole or an input without a table environment.time, which says how the planet is turned")  # fmt: skip
        return None
    if table.file is None and turning.planet != "earth":
        names.expected("model", f"a file with the field of {turning.planet}, a dipole or an input")
        return None
    try:
        found = read_cof(names.file("file") if table.file is not None else IGRF)
        now, change = found.at(turning.days)
    except ValueError as error:
        names.refused("model" if table.file is None else "file", f"{table.file or table.model} {error}")
        return None
    degree = now.degree if table.degree is None else table.degree
    if degree > now.degree:
        names.expected(
            "degree", f"at most {now.degree}, the degree of {table.file or table.model} at this date", degree
        )
        return None
    return HarmonicMagneticField(now.cut(degree, degree), change.cut(degree, degree))


MAGNETIC = Surrounding("The planet's magnetic field: a dipole, IGRF-14, coefficients from a file, or an input.", {
    "model": Key(("dipole", "IGRF-14", "input"), "of the field; IGRF-14 needs environment.time", "dipole"),
    "strength": Key("number", "at the magnetic equator, on the planet's radius [T]", FIELD_EARTH),
    "tilt": Key("angle", "of the dipole from the south pole", TILT_EARTH),
    "longitude": Key("angle", "right ascension at time 0 of the pole in the southern hemisphere, where field lines leave the planet", 0.0),
    "spin": Key("number", "of the planet [rad/s]; default: that of environment.time.planet, the Earth's without it", None),
    "file": Key("file", "coefficients in the form of WMM.COF (.cof), in place of the model", None),
    "degree": Key("count", "of the harmonics; default: all there are", None),
    "field": Key("vector", "start of the input environment.magnetic_field, in N [T]", (0.0, 0.0, 0.0)),
}, make_magnetic, "the planet's field", outputs=(FieldAt,))  # fmt: skip


@dataclass(frozen=True)
class Dipole(Load):
    """A residual dipole (parameter) plus a commanded one (input) at a body's frame [A m²], in its axes."""

    name: str
    body: int
    node: Node
    residual: Declared[Parameter] = parameter("constant part of {self.name}, in axes of its body", "A.m2", np.zeros(3))
    field: MagneticField | None = None
    limit: Declared[Parameter] = parameter("largest commanded part of {self.name} along each axis: what its coils saturate at", "A.m2", None, min=SMALLEST)  # fmt: skip

    of_surroundings = True

    command = input_("commanded part of {self.name}, in axes of its body", "A.m2", np.zeros(3))

    def wrench(self, u, k, place: Place, scene: Scene):
        assert self.field is not None  # a description without a field is refused
        B = place.dcm_NP.T @ self.field.at(scene, scene.position_N + place.position_N, u, k)
        return np.zeros(3), cross(self._given(u, k) + k[self.residual], B)

    def _given(self, u, k):
        command = u[self.command]
        return command if self.limit is None else maximum(minimum(command, k[self.limit]), -k[self.limit])


def make_dipole(table: Any, names: Resolver) -> Dipole | None:
    field, found = names.environment.medium(MagneticField), names.node("body")
    if field is None:
        names.does_nothing("a table environment.magnetic")
    return found and Dipole(names.signal, *found, table.residual, field, table.limit)


DIPOLE = Declaration("A magnetic dipole on a body: a constant residual one plus the input dipole.<name>.command [A m²].", {
    "body": Key("place", "a body, or one of its nodes"),
    "residual": Key("vector", "constant part, in body axes [A m²]", (0.0, 0.0, 0.0)),
    "limit": Key("positive", "largest commanded part along each axis: what coils saturate at [A m²]; default none", None),
}, make_dipole)  # fmt: skip
